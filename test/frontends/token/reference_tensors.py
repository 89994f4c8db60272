#===- reference_tensors.py - sampled workflows become instruction tensors --===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sections 2, 4 and 8. A machine is its tensor form, the very object that a
# `*.token.json` file holds.
#
#===------------------------------------------------------------------------===#

from reference_diagnostics import Problem

LONGEST = 32
ZONE_TENSORS = (
    "token_start_pointer", "token_end_pointer", "zone_advance_active",
    "zone_advance_mask", "jump_advance_active", "jump_advance_mask",
    "jump_address", "next_address", "advance_pattern", "escape_open_mask",
    "escape_close_mask", "input", "output", "output_callback", "inert",
    "timeout", "tags")
TENSORS = ("token_data", *ZONE_TENSORS, "pattern_class", "pattern_length",
           "pattern_tokens")


def pattern_rows(config, tokenizer):
    """(class, tokens) of each row: a pattern, then its alternatives. T01, T02."""
    rows = [(c, tokenizer.encode(text))
            for c, pattern in enumerate(config.classes())
            for text in [pattern, *config.alternatives.get(pattern, [])]]
    for c, row in rows:
        if len(row) > LONGEST:
            raise Problem("T01", f"pattern {config.classes()[c]!r} has {len(row)} tokens")
    texts = [tuple(row) for _, row in rows]
    if len(set(texts)) != len(texts):
        raise Problem("T02", "two patterns are the same tokens")
    return rows


def ends(row, other):
    """Whether `row` is the end of `other`."""
    return len(row) <= len(other) and other[len(other) - len(row):] == row


def warn_rows(rows, warnings):
    for c, row in rows:
        if any(c != d and ends(row, other) for d, other in rows):
            warnings.add("W20", f"a row of class {c} ends one of another class")


def check_zone(zone, number, rows, config):
    """T03 and T04."""
    wanted = config.classes().index(zone.advance)
    advances = [row for c, row in rows if c == wanted]
    if zone.timeout < len(advances[0]):
        raise Problem("T03", f"zone {number} may generate {zone.timeout} tokens, "
                      f"its pattern has {len(advances[0])}")
    if zone.jump is None:
        return
    controls = [row for c, row in rows if c == len(config.zone_patterns)]
    if any(ends(control, row) for control in controls for row in advances):
        raise Problem("T04", f"zone {number} never advances")


class Lowering:
    """The tensors of one workflow."""

    def __init__(self, workflow, tokenizer, warnings):
        self.workflow, self.tokenizer = workflow, tokenizer
        self.config = workflow.config
        self.rows = pattern_rows(self.config, tokenizer)
        warn_rows(self.rows, warnings)
        self.tensors = {name: [] for name in TENSORS}

    def encode(self, text):
        return self.tokenizer.encode_cut(text, self.config.all_patterns())

    def put(self, **values):
        for name, value in values.items():
            self.tensors[name].append(value)

    def target(self, zone):
        return len(self.workflow.zones) if zone == -1 else zone

    def add_rows(self):
        longest = max(len(row) for _, row in self.rows)
        for c, row in self.rows:
            self.put(pattern_class=c, pattern_length=len(row),
                     pattern_tokens=[-1] * (longest - len(row)) + row)

    def add_zone(self, zone):
        data = self.tensors["token_data"]
        prompt = self.encode(zone.text)
        start = len(data)
        data += prompt
        wanted = self.config.classes().index(zone.advance)
        tags = sorted({self.config.valid_tags.index(tag) for tag in zone.tags})
        self.put(token_start_pointer=start, token_end_pointer=len(data),
                 zone_advance_active=True, zone_advance_mask=[wanted],
                 next_address=self.target(zone.next),
                 advance_pattern=[c for c, _ in self.rows].index(wanted),
                 input=zone.input, output=zone.output, tags=tags,
                 inert=not self.workflow.live, timeout=len(prompt) + zone.timeout)
        self.add_jump(zone)

    def add_jump(self, zone):
        control = len(self.config.zone_patterns)
        jumps = zone.jump is not None
        self.put(jump_advance_active=jumps, jump_advance_mask=[control] if jumps else [],
                 jump_address=self.target(zone.jump) if jumps else 0,
                 escape_open_mask=[control + 1], escape_close_mask=[control + 2],
                 output_callback=self.config.tools.index(zone.tool) if zone.output else -1)

    def test_model(self):
        texts = self.workflow.test_model
        phrases = [list(row) for _, row in self.rows]
        if texts.phrases is not None:
            phrases = [self.encode(text) for text in texts.phrases]
        return {"weight": texts.weight, "phrases": phrases,
                "fillers": self.encode(texts.fillers)}

    def names(self):
        workflow = self.workflow
        extracts = {name: {"tags": list(e.tags), "forced": e.forced, "patterns": e.patterns}
                    for name, e in workflow.extracts.items()}
        match = {} if self.config.match == "tokens" else {"match": self.config.match}
        return {"name": workflow.name, "entry": 0, "size": len(workflow.zones), **match,
                "patterns": self.config.classes(), "tags": self.config.valid_tags,
                "tools": self.config.tools, "extracts": extracts,
                "zones": [[z.sequence, z.block, z.repetition] for z in workflow.zones]}

    def machine(self):
        for i, zone in enumerate(self.workflow.zones):
            check_zone(zone, i, self.rows, self.config)
            self.add_zone(zone)
        self.add_rows()
        return {"format": "gpuvm-token/1", "vocabulary": self.tokenizer.vocabulary,
                "padding": 256, "workflows": [self.names()], "tensors": self.tensors,
                "test_models": [self.test_model()]}


def lower(workflow, tokenizer, warnings):
    return Lowering(workflow, tokenizer, warnings).machine()


class Offsets:
    """Where a workflow's zones, classes, rows and data begin in the machine."""

    def __init__(self, machine):
        self.zones = len(machine["tensors"]["timeout"])
        self.classes = sum(len(w["patterns"]) for w in machine["workflows"])
        self.rows = len(machine["tensors"]["pattern_class"])
        self.data = len(machine["tensors"]["token_data"])


def moved(tensors, at, tools):
    """The tensors of a workflow, numbers moved up; END is None here."""
    end = len(tensors["timeout"])
    masks = lambda name: [[c + at.classes for c in mask] for mask in tensors[name]]
    plus = lambda name, offset: [value + offset for value in tensors[name]]
    address = lambda value: None if value == end else value + at.zones
    result = dict(tensors)
    for name in ("zone_advance_mask", "jump_advance_mask", "escape_open_mask",
                 "escape_close_mask"):
        result[name] = masks(name)
    for name in ("token_start_pointer", "token_end_pointer"):
        result[name] = plus(name, at.data)
    result["pattern_class"] = plus("pattern_class", at.classes)
    result["advance_pattern"] = plus("advance_pattern", at.rows)
    for name in ("next_address", "jump_address"):
        result[name] = [address(value) for value in tensors[name]]
    result["output_callback"] = [tools[c] if c >= 0 else -1
                                 for c in tensors["output_callback"]]
    return result


def seal(tensors):
    """The common END and the common width of pattern rows."""
    end = len(tensors["timeout"])
    longest = max(tensors["pattern_length"])
    for name in ("next_address", "jump_address"):
        tensors[name] = [end if value is None else value for value in tensors[name]]
    tensors["pattern_tokens"] = [[-1] * (longest - len(row)) + row
                                 for row in tensors["pattern_tokens"]]


def concatenate(machines):
    """Section 4: one machine of several, each of one workflow."""
    whole = {**machines[0], "workflows": [], "test_models": [],
             "tensors": {name: [] for name in TENSORS}}
    tools = list(dict.fromkeys(t for m in machines for t in m["workflows"][0]["tools"]))
    for machine in machines:
        at, names = Offsets(whole), machine["workflows"][0]
        numbers = [tools.index(tool) for tool in names["tools"]]
        part = moved(machine["tensors"], at, numbers)
        for name in TENSORS:
            whole["tensors"][name] = whole["tensors"][name] + part[name]
        whole["workflows"].append({**names, "entry": at.zones, "tools": tools})
        whole["test_models"] += machine["test_models"]
    seal(whole["tensors"])
    return whole
