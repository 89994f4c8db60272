#===- reference_machine.py - streams, steps, and the model for tests -------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sections 2.2, 3 and 4, word for word and one stream at a time; `match = "text"`
# as docs/token-vm.md has it.
#
#===------------------------------------------------------------------------===#

from dataclasses import dataclass

(RUNNING, DONE, WAITING, TOOL_FAILED, TOOL_TIMEOUT, ANSWER_TOO_LONG,
 CAPTURE_FULL, BUDGET) = range(8)
MASK32 = (1 << 32) - 1


def fmix(h):
    h ^= h >> 16
    h = (h * 0x85EBCA6B) & MASK32
    h ^= h >> 13
    h = (h * 0xC2B2AE35) & MASK32
    return h ^ (h >> 16)


class TestModel:
    """Its hash is of the whole raw stream, so a lost token is found out."""

    def __init__(self, names, seed, stream):
        self.weight, self.phrases = names["weight"], names["phrases"]
        self.fillers = names["fillers"]
        self.hash = fmix((seed & MASK32) ^ fmix((stream + 0x9E3779B9) & MASK32))
        self.left = []       # What is still to come of a phrase.

    def observe(self, token):
        self.hash = fmix(((self.hash ^ token) + 0x9E3779B9) & MASK32)

    def propose(self):
        if not self.left:
            r = fmix(self.hash ^ 0x5BD1E995)
            if (r & 255) >= self.weight:
                return self.fillers[(r >> 8) % len(self.fillers)]
            self.left = list(self.phrases[(r >> 8) % len(self.phrases)])
        return self.left.pop(0)


@dataclass
class Record:
    token: int
    forced: bool
    zone: int
    tn: int
    triggers: list
    event: int
    m: int               # Tokens of the pattern that made the event, or 0.
    tags: list
    before: int = 0      # Bytes of the first of these that precede it.


class Machine:
    """The tensors, and what a run adds to them."""

    def __init__(self, form, budget, capture_tokens=None, answer_tokens=None, tokenizer=None):
        self.form, self.budget, self.tokenizer = form, budget, tokenizer
        self.__dict__.update(form["tensors"])
        self.zones = len(self.timeout)
        self.rows = [row[len(row) - length:] for row, length
                     in zip(self.pattern_tokens, self.pattern_length)]
        self.width = max(self.pattern_length)
        self.first_class = [sum(len(w["patterns"]) for w in form["workflows"][:i])
                            for i in range(len(form["workflows"]))]
        self.classes = sum(len(w["patterns"]) for w in form["workflows"])
        limits = [t for t, output in zip(self.timeout, self.output) if output]
        self.capture_size = max([1, *limits]) if capture_tokens is None else capture_tokens
        self.answer_size = 1024 if answer_tokens is None else answer_tokens

    def text_of(self, token):
        """What it says; those that the tokenizer does not have say nothing."""
        return self.tokenizer.bytes_of(token) if token < self.tokenizer.vocabulary else b""


class Stream:
    def __init__(self, machine, number, model_seed):
        self.machine = machine
        self.workflow = number % len(machine.form["workflows"])
        names = machine.form["workflows"][self.workflow]
        self.model = TestModel(machine.form["test_models"][self.workflow], model_seed, number)
        self.pc, self.pending, self.clock = names["entry"], None, 0
        self.in_text = names.get("match") == "text"
        first = machine.first_class[self.workflow]
        self.own_rows = [(c, b"".join(map(machine.text_of, row)))
                         for c, row in zip(machine.pattern_class, machine.rows)
                         if first <= c < first + len(names["patterns"])] if self.in_text else []
        # Parts of tokens as (token, bytes); how many count for the limit.
        self.answer, self.capture, self.captured = [], [], 0
        self.records, self.requests = [], []
        self.status = BUDGET if machine.budget == 0 else RUNNING
        self.enter(self.pc)

    def enter(self, zone):
        self.pc = zone
        self.tn = self.depth = self.in_index = self.capbits = 0
        self.ring = [-1] * self.machine.width
        self.heard = []      # (token's bytes, whether it is captured)

    def source(self):
        """(source, forced token or None): part 1 of a step."""
        m, z, tn = self.machine, self.pc, self.tn
        advance = m.rows[m.advance_pattern[z]]
        length = m.token_end_pointer[z] - m.token_start_pointer[z]
        made = ("model", None)
        if tn < length:
            made = ("prompt", m.token_data[m.token_start_pointer[z] + tn])
        elif m.input[z] and self.in_index < len(self.answer):
            made = ("answer", self.answer[self.in_index])
            self.in_index += 1
        elif m.input[z]:
            made = ("close", ("pattern", tn - length - len(self.answer)))
        begin = m.timeout[z] - len(advance)
        if m.timeout[z] > 0 and tn >= begin:
            made = ("timeout", ("pattern", tn - begin))
        source, token = made
        return source, advance[token[1]] if isinstance(token, tuple) else token

    def hits(self, token, source):
        """The longest row of each class that the ring ends in: part 3."""
        m = self.machine
        heard = -2 if source == "answer" and m.inert[self.pc] else token
        self.ring = (self.ring + [heard])[1:]
        found = [0] * m.classes
        for c, row in zip(m.pattern_class, m.rows):
            fits = len(row) <= self.tn + 1 and self.ring[-len(row):] == row
            if fits and len(row) > found[c]:
                found[c] = len(row)
        return found

    def hear(self, token, source):
        """Of `match = "text"`: (class, tokens, bytes before, parts captured, kept bytes)."""
        m, z = self.machine, self.pc
        if source == "answer" and m.inert[z]:
            self.heard = []
            return None
        data = m.text_of(token)
        known = b"".join(part for part, _ in self.heard)
        ends = [(end, -len(row), i) for end in range(1, len(data) + 1)
                for i, (_, row) in enumerate(self.own_rows)
                if row and (known + data[:end]).endswith(row)]
        end, length, number = min(ends, default=(len(data), 0, None))
        self.heard.append((data[:end], m.output[z] and source == "model"))
        found = None
        if number is not None and source in ("model", "answer"):
            tokens = next(n for n in range(1, len(self.heard) + 1)
                          if sum(len(d) for d, _ in self.heard[-n:]) >= -length)
            parts = self.heard[-tokens:]
            before = sum(len(d) for d, _ in parts) + length
            found = (self.own_rows[number][0], tokens, before, sum(bool(c) for _, c in parts),
                     before if parts[0][1] else 0)
        if number is not None and end < len(data):
            self.heard = []
        return found

    def escapes(self, hit, source):
        """Whether transitions are free: part 4."""
        m, z = self.machine, self.pc
        if any(hit[c] for c in m.escape_open_mask[z]):
            self.depth += 1
        if any(hit[c] for c in m.escape_close_mask[z]):
            self.depth = max(0, self.depth - 1)
        return self.depth == 0 or source in ("close", "timeout")

    def transition(self, hit, free):
        """(event, m): part 5."""
        m, z = self.machine, self.pc
        ways = ((2, m.jump_advance_active[z], m.jump_advance_mask[z]),
                (1, m.zone_advance_active[z], m.zone_advance_mask[z]))
        for event, active, mask in ways:
            if active and free and any(hit[c] for c in mask):
                return event, max(hit[c] for c in mask)
        return 0, 0

    def take(self, token, source):
        """Part 7; whether the capture is full."""
        took = self.machine.output[self.pc] and source == "model"
        full = took and self.captured >= self.machine.capture_size
        if took and not full:
            self.capture.append((token, None))
            self.captured += 1
        self.capbits = (self.capbits * 2 + bool(took)) & MASK32
        return full

    def drop(self, length, text):
        """The pattern leaves the capture."""
        if text:
            count, keep = text[3:] if length else (0, 0)
        else:
            count, keep = bin(self.capbits & ((1 << length) - 1)).count("1"), 0
            self.captured -= min(count, self.captured)
        if count:
            self.capture, parts = self.capture[:-count], self.capture[-count:]
            self.capture += [(parts[0][0], keep)] if keep else []

    def move(self, event, length, full, text):
        """Part 8; whether a tool is to be asked."""
        if not event:
            self.tn += 1
            return False
        m, z = self.machine, self.pc
        new = m.jump_address[z] if event == 2 else m.next_address[z]
        raised = False
        if m.output[z] and not full:
            self.drop(length, text)
            stays = new < m.zones and m.output[new] and \
                m.output_callback[new] == m.output_callback[z]
            raised = not stays
        self.enter(new)
        return raised

    def step(self):
        z, tn, m = self.pc, self.tn, self.machine
        source, token = self.source()
        if source == "model":
            token = self.model.propose()
        self.model.observe(token)
        hit = self.hits(token, source)
        text = self.hear(token, source) if self.in_text else None
        unheard = source == "answer" and m.inert[z]
        if self.in_text and source in ("model", "answer") and not unheard:
            hit = [0] * m.classes
            if text:
                hit[text[0]] = text[1]
        free = self.escapes(hit, source)
        event, length = self.transition(hit, free)
        self.records.append(Record(token, source != "model", z, tn,
                                   [c for c, h in enumerate(hit) if h], event,
                                   length, m.tags[z], text[2] if text and length else 0))
        full = self.take(token, source)
        raised = self.move(event, length, full, text)
        self.clock += 1
        self.settle(full, m.output_callback[z] if raised else None)

    def settle(self, full, callback):
        """Part 9."""
        if full:
            self.status = CAPTURE_FULL
        elif callback is not None:
            self.status, self.pending = WAITING, callback
        else:
            self.go_on()

    def go_on(self):
        if self.pc == self.machine.zones:
            self.status = DONE
        elif self.clock >= self.machine.budget:
            self.status = BUDGET
        else:
            self.status = RUNNING

    def resolve(self, ids):
        """An answer, in tokens, arrives for a stream that waits."""
        self.capture, self.captured, self.pending = [], 0, None
        if len(ids) > self.machine.answer_size:
            self.status = ANSWER_TOO_LONG
            return
        self.answer = ids
        self.go_on()

    def fail(self, status=TOOL_FAILED):
        self.status = status
