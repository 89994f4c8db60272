"""Bias, penalties, stop strings and draws from all tokens on the device, against NumPy.

    penalties.py FOLDER

Greedy tokens of a small random model under bias and llama.cpp's penalties, in executions of several tokens each; stop
strings that begin and end within tokens; 1,000 tokens drawn of a vocabulary that is larger than the candidates.
"""

import os
import subprocess
import sys

import numpy as np

import gguf_models
from device_vm import Machine

CONTEXT, TOKENS, VOCABULARY = 128, 8, 300


class Model(gguf_models.Model):
    layers, width, inner, heads, caches, size, vocabulary = 1, 32, 32, 2, 1, 16, VOCABULARY

    def keys(self):
        return super().keys() | {"llama.context_length": CONTEXT}


class Generator:
    """A model's plan: prompts, and executions of generate or generate_all."""

    def __init__(self, model, folder, name, sequences=1):
        path = os.path.join(folder, name)
        places = model.write(path + ".gguf")
        done = subprocess.run(["gpuvm-compile", path + ".gguf", "-o", path, f"--llm-context={CONTEXT}", f"--llm-tokens={TOKENS}",
                               "--llm-chunk=8", "--llm-products=f32", "--llm-generate-all", f"--llm-sequences={sequences}",
                               "--program=prefill,generate,generate_all"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        self.model, self.machine, self.sequences = model, Machine(path), sequences
        for tensor, place in places.items():
            self.machine.bind_file(tensor, path + ".gguf", place)

    def prompt(self, tokens, place=0):
        rows = np.zeros(CONTEXT, "i4")
        rows[:len(tokens)] = tokens
        self.machine.bind("prefill.prompt", rows)
        self.machine.bind("prefill.length", np.array(len(tokens), "i4"))
        self.machine.bind("prefill.from", np.array(0, "i4"))
        if self.sequences > 1:
            self.machine.bind("prefill.place", np.array(place, "i4"))
        self.machine.run("prefill")

    def generate(self, limit=TOKENS, program="generate", temperature=0.0, top_k=40, seed=0):
        inputs = {"limit": (limit, "i4"), "ends": ([-1] * 8, "i4"), "temperature": (temperature, "f4"), "top_k": (top_k, "i4"),
                  "top_p": (2.0, "f4"), "min_p": (0.0, "f4"), "seed": ([seed, 0], "i4")}
        for name, (value, kind) in inputs.items():
            rows = [value] * self.sequences if self.sequences > 1 else value
            self.machine.bind(f"{program}.{name}", np.array(rows, kind))
        self.machine.run(program)
        count = int(self.machine.get("count", 1)[0])
        tokens = self.machine.get("tokens", TOKENS * self.sequences).reshape(TOKENS, -1)[:count].T.tolist()
        return tokens if self.sequences > 1 else tokens[0], int(self.machine.get("end", 1)[0])


def adjusted(logits, bias, last, repeat, presence, frequency):
    """llama.cpp's logit bias and penalties."""
    scores = logits + bias
    counts = np.bincount(last, minlength=len(logits)) if last else np.zeros(len(logits))
    scaled = np.where(scores <= 0, scores * repeat, scores / repeat)
    return np.where(counts > 0, scaled - counts * frequency - presence, scores)


def check_penalties(generator):
    random = np.random.default_rng(5)
    none, large = np.zeros(VOCABULARY, "f4"), (20 * random.standard_normal(VOCABULARY)).astype("f4")
    masked = np.full(VOCABULARY, -1e30, "f4")
    masked[[7, 11, 200]] = 0
    # Bias, the last n, and the penalties for repetition, presence and frequency.
    cases = [(none, 0, 1, 0, 0), (large, 0, 1, 0, 0), (none, 64, 1.3, 0, 0), (none, 5, 1, 0, 9.5), (none, CONTEXT, 1.1, 4, 0.5),
             (large, 1, 3, 0, 0), (none, 40, 0.7, -2, 0), (masked, 3, 1.2, 1, 30)]
    for number, (bias, last_n, repeat, presence, frequency) in enumerate(cases):
        text = random.integers(0, VOCABULARY, 12).tolist()
        text += text[:3]
        generator.prompt(text)
        generator.machine.set("logit_bias", bias)
        generator.machine.set("penalties", np.array([repeat, presence, frequency, last_n], "f4"))
        for limit in (TOKENS, 3, TOKENS):
            recent = np.full(CONTEXT, -1, "i4")
            own = text[::-1][:last_n]
            recent[:len(own)] = own
            generator.machine.set("recent_tokens", recent)
            tokens, end = generator.generate(limit)
            assert len(tokens) == limit and end == 2, (tokens, end)
            for token in tokens:
                logits = generator.model.logits(np.array(text))[-1]
                scores = adjusted(logits, bias, text[-last_n:] if last_n else [], repeat, presence, frequency)
                if scores.max() - scores[token] > 1e-3 * np.abs(logits).max():
                    sys.exit(f"case {number}: token {len(text)} is {token}, {scores.max() - scores[token]:.1e} below the best")
                text.append(token)
    generator.machine.set("logit_bias", none)
    generator.machine.set("penalties", np.array([1, 0, 0, 0], "f4"))
    print(f"{len(cases)} kinds of bias and penalties: tokens are those of NumPy")


def check_rows(generator):
    """Each of three sequences has a bias and penalties of its own."""
    random = np.random.default_rng(8)
    texts = [random.integers(0, VOCABULARY, 5 + 3 * place).tolist() for place in range(3)]
    for place, text in enumerate(texts):
        generator.prompt(text, place)
    bias = (3 * random.standard_normal((3, VOCABULARY))).astype("f4")
    penalties = np.array([[1.5, 0, 0, 64], [1, 2, 3, 4], [1, 0, 0, 0]], "f4")
    recent = np.full((3, CONTEXT), -1, "i4")
    for place, text in enumerate(texts):
        recent[place, :len(text)] = text[::-1]
    for name, array in [("logit_bias", bias), ("penalties", penalties), ("recent_tokens", recent)]:
        generator.machine.set(name, array)
    rows, _ = generator.generate()
    for place, (text, tokens) in enumerate(zip(texts, rows)):
        repeat, presence, frequency, last_n = penalties[place]
        for token in tokens:
            logits = generator.model.logits(np.array(text))[-1]
            scores = adjusted(logits, bias[place], text[-int(last_n):] if last_n else [], repeat, presence, frequency)
            if scores.max() - scores[token] > 1e-3 * np.abs(logits).max():
                sys.exit(f"sequence {place}: token {len(text)} is {token}, {scores.max() - scores[token]:.1e} below the best")
            text.append(token)
        assert len(tokens) == TOKENS, tokens
    print("three sequences, each with its own")


def stop_table(stop, texts):
    """A table of the automaton of one string, written down from what it has to do."""
    def step(state, text):
        heard = stop[:state]
        for character in text:
            heard += character
            while not stop.startswith(heard):
                heard = heard[1:]
            if heard == stop:
                return 0, True
        return len(heard), False

    steps = [[step(state, text) for text in texts] for state in range(len(stop))]
    columns = {}
    classes = [columns.setdefault(tuple(row[token] for row in steps), len(columns)) for token in range(len(texts))]
    words = list(classes)
    for state in range(len(stop)):
        for column in columns:
            next_state, is_heard = column[state]
            place = len(texts) + next_state * len(columns)
            words.append(~place if is_heard else place)
    return words


def check_stops(generator):
    random = np.random.default_rng(6)
    texts = ["".join(random.choice(list("ab"), random.integers(1, 4))) for _ in range(VOCABULARY)]
    bias = np.array(5 * random.standard_normal(VOCABULARY), "f4")
    generator.machine.set("logit_bias", bias)

    def answer(start):
        generator.prompt([1, 2, 3])
        generator.machine.set("stop_state", np.array([start], "i4"))
        tokens = []
        for limit in (3, TOKENS, TOKENS):
            own, end = generator.generate(limit, temperature=1.0, seed=9)
            tokens += own
            if end != 2:
                return tokens, end
        return tokens, end

    generator.machine.set("stop_table", np.zeros(VOCABULARY + (1 << 16), "i4"))
    free, _ = answer(0)
    said = "".join(texts[token] for token in free)
    for length in (1, 4, 9):
        stop = said[7:7 + length]
        generator.machine.set("stop_table", np.array(stop_table(stop, texts), "i4"))
        tokens, end = answer(VOCABULARY)
        count = next(n for n in range(1, len(free) + 1) if stop in "".join(texts[token] for token in free[:n]))
        if tokens != free[:count] or end != 5:
            sys.exit(f"stop string {stop!r} in {said!r}: {len(tokens)} tokens, end {end}, not {count}")
    generator.machine.set("stop_table", np.zeros(VOCABULARY + (1 << 16), "i4"))
    generator.machine.set("stop_state", np.zeros(1, "i4"))
    generator.machine.set("logit_bias", np.zeros(VOCABULARY, "f4"))
    print("stop strings end an answer where the text has them")


def check_row_stops(generator):
    """Each of three sequences has stop strings of its own, one of them none."""
    random = np.random.default_rng(7)
    texts = ["".join(random.choice(list("ab"), random.integers(1, 4))) for _ in range(VOCABULARY)]
    generator.machine.set("penalties", np.tile(np.array([1, 0, 0, 0], "f4"), (3, 1)))
    generator.machine.set("logit_bias", (5 * random.standard_normal((3, VOCABULARY))).astype("f4"))

    def answer(tables, starts):
        generator.machine.set("stop_table", tables)
        generator.machine.set("stop_state", np.array(starts, "i4"))
        for place in range(3):
            generator.prompt([1, 2, 3 + place], place)
        rows, _ = generator.generate(temperature=1.0, seed=9)
        return [[token for token in row if token >= 0] for row in rows], generator.machine.get("end", 3).tolist()

    tables = np.zeros((3, VOCABULARY + (1 << 16)), "i4")
    free, _ = answer(tables, [0, 0, 0])
    said = ["".join(texts[token] for token in row) for row in free]
    stops = [said[0][3:6], None, said[2][1:2]]
    for place, stop in enumerate(stops):
        if stop:
            words = stop_table(stop, texts)
            tables[place, :len(words)] = words
    rows, ends = answer(tables, [VOCABULARY, 0, VOCABULARY])
    for place, (stop, row, end) in enumerate(zip(stops, rows, ends)):
        count = next((n for n in range(1, TOKENS + 1) if stop and stop in "".join(texts[token] for token in free[place][:n])), TOKENS)
        if row != free[place][:count] or end != (5 if stop else 2):
            sys.exit(f"sequence {place} with the stop string {stop!r} in {said[place]!r}: {len(row)} tokens, end {end}, not {count}")
    print("three sequences, each with stop strings of its own")


def check_all(folder):
    model = Model("llama", seed=3)
    model.tensors["token_embd.weight"][:] = model.tensors["token_embd.weight"][0]
    model.tensors["blk.0.attn_output.weight"][:] = 0
    model.tensors["blk.0.ffn_down.weight"][:] = 0
    model.tensors["output.weight"] *= 0.5
    logits = model.logits(np.array([1]))[0]
    generator = Generator(model, folder, "flat")
    drawn = []
    for seed in range(9):
        generator.prompt([1, 1])
        while len(drawn) < 112 * (seed + 1):
            drawn += generator.generate(program="generate_all", temperature=1.0, top_k=2**31 - 1, seed=seed)[0]
    p = np.exp(logits - logits.max())
    expected = p / p.sum() * len(drawn)
    counts = np.bincount(drawn, minlength=VOCABULARY)
    large = expected >= 5
    rest = expected[~large].sum()
    chi = ((counts[large] - expected[large]) ** 2 / expected[large]).sum() + (counts[~large].sum() - rest) ** 2 / rest
    freedom = int(large.sum())
    # What chi-square exceeds with probability 0.001 (Wilson and Hilferty).
    limit = freedom * (1 - 2 / (9 * freedom) + 3.09 * np.sqrt(2 / (9 * freedom))) ** 3
    unlikely = np.argsort(-logits)[128:]
    if not chi < limit or not counts[unlikely].any():
        sys.exit(f"chi-square is {chi:.1f} (at most {limit:.1f}), {counts[unlikely].sum()} tokens are past the candidates")
    print(f"{len(drawn)} tokens drawn of all, {counts[unlikely].sum()} of them past the candidates")


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    generator = Generator(Model("llama", seed=4), folder, "random")
    check_penalties(generator)
    check_stops(generator)
    check_all(folder)
    generator = Generator(Model("llama", seed=4), folder, "rows", 3)
    check_rows(generator)
    check_row_stops(generator)


main()
