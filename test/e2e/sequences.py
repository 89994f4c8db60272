"""Seven sequences in one plan, which come and go: sequences.py FOLDER ARCHITECTURE [f16] [q8_0]

Sequences of different lengths join and leave between executions. Each has the tokens, and bit for bit the keys and values,
that it has alone in the same plan, at another place, in one execution and with a long prompt in two pieces. Greedy
tokens are compared with NumPy. Exits 1 and says what differs.
"""

import os
import subprocess
import sys

import numpy as np

import gguf_models

PLACES, CONTEXT, CHUNK, PAGE = 7, 40, 8, 16
ROWS = -(-CONTEXT // PAGE) * PAGE  # Of a place.


def call(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments[:3])}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Sequence:
    """A prompt, how it goes on, and what it has got."""

    def __init__(self, prompt, tokens, temperature, seed):
        self.prompt, self.tokens, self.temperature, self.seed = list(prompt), tokens, temperature, seed
        self.made = []


class Plan:
    """Executions of a plan, with what it remembers in a file."""

    def __init__(self, folder, kind, products, blocks, *options):
        self.folder, self.kind, self.blocks = folder, kind, blocks
        os.makedirs(folder, exist_ok=True)
        self.model = gguf_models.Model(kind, seed=len(kind))
        places = self.model.write(self.path("model.gguf"))
        call("gpuvm-compile", self.path("model.gguf"), "-o", self.path("plan"), f"--llm-context={CONTEXT}", f"--llm-chunk={CHUNK}",
             f"--llm-sequences={PLACES}", "--llm-tokens=16", "--llm-candidates=40", f"--llm-products={products}",
             "--program=prefill,generate", *(["--llm-cache=q8_0"] if blocks else []), *options)
        self.weights = [f"--input={name}=@{self.path('model.gguf')}+{place}" for name, place in places.items()]
        self.forget()

    def path(self, name):
        return os.path.join(self.folder, f"{self.kind}-{name}")

    def forget(self):
        self.state = False

    def save(self, name, values, dtype="i4"):
        np.save(self.path(name + ".npy"), np.asarray(values, dtype))
        return f"--input={name}=@{self.path(name + '.npy')}"

    def run(self, program, *arguments):
        out = call("gpuvm-run", self.path("plan"), f"--run={program}", *self.weights, *arguments,
                   *([f"--restore={self.path('state')}"] if self.state else []), f"--save={self.path('state')}")
        self.state = True
        return out

    def prefill(self, place, prompt, begin=0, options=()):
        """All but the last token, from position `begin` on."""
        rows = np.zeros(CONTEXT, "i4")
        rows[:len(prompt) - begin] = prompt[begin:]
        self.run("prefill", self.save("prompt", rows), f"--input=length=i32={len(prompt) - begin}", f"--input=prefill.from=i32={begin}",
                 f"--input=place=i32={place}", *options)

    def generate(self, who):
        """who: place -> (sequence, how many tokens). Returns keys and values of all places after."""
        limit, seed, temperature = np.zeros(PLACES), np.zeros((PLACES, 2)), np.zeros(PLACES)
        for place, (sequence, tokens) in who.items():
            limit[place], seed[place], temperature[place] = tokens, (sequence.seed, 9), sequence.temperature
        caches = [f"{part}.{layer}" for part in ("keys", "values") for layer in range(self.model.layers)]
        caches += [name + ".scales" for name in caches if self.blocks]
        every = lambda value: np.full(PLACES, value)
        self.run("generate", self.save("limit", limit), self.save("ends", np.full((PLACES, 8), -1)),
                 self.save("temperature", temperature, "f4"), self.save("top_k", every(40)), self.save("top_p", every(2), "f4"),
                 self.save("min_p", every(0), "f4"), self.save("seed", seed),
                 *(f"--output={name}=@{self.path(name + '.out.npy')}" for name in ["tokens", "end", *caches]))
        load = lambda name: np.load(self.path(name + ".out.npy"))
        tokens, end = load("tokens"), load("end")
        for place in range(PLACES):
            if place not in who:
                continue
            sequence, count = who[place]
            own = tokens[:max(n for _, n in who.values()), place]
            if end[place] != 2 or (own[:count] < 0).any() or (own[count:] != -1).any():
                sys.exit(f"place {place} ends by {end[place]} with {own}, not by its limit of {count} tokens")
            sequence.made += own[:count].tolist()
        return {name: load(name).reshape(PLACES * ROWS, -1).view("u2") for name in caches}


def own_rows(caches, place, count):
    return {name: rows[place * ROWS:place * ROWS + count] for name, rows in caches.items()}


def main():
    folder, kind = sys.argv[1:3]
    products = "f16" if "f16" in sys.argv[3:] else "f32"
    blocks = "q8_0" in sys.argv[3:]  # of the caches
    plan = Plan(folder, kind, products, blocks)
    random = np.random.default_rng(5)
    prompt = lambda length: random.integers(0, plan.model.vocabulary, length)
    all = [Sequence(prompt(length), tokens, temperature, 100 + length) for length, tokens, temperature in
           [(20, 12, 0), (3, 4, 1.5), (9, 15, 0), (1, 9, 1.5), (17, 5, 1.5), (8, 11, 0), (12, 6, 1.5), (16, 7, 1.5)]]
    a, b, c, d, e, f, g, h = all

    # Four begin; b leaves and h takes its place, while three others join.
    for place, sequence in [(0, a), (1, b), (2, c), (3, d)]:
        plan.prefill(place, sequence.prompt)
    plan.generate({0: (a, 5), 1: (b, 4), 2: (c, 1), 3: (d, 2)})
    for place, sequence in [(1, h), (4, e), (5, f), (6, g)]:
        plan.prefill(place, sequence.prompt)
    plan.generate({0: (a, 3), 1: (h, 2), 2: (c, 7), 3: (d, 5), 4: (e, 4), 5: (f, 6), 6: (g, 3)})
    together = plan.generate({0: (a, 4), 1: (h, 5), 2: (c, 7), 3: (d, 2), 4: (e, 1), 5: (f, 5), 6: (g, 3)})

    places = {0: a, 1: h, 2: c, 3: d, 4: e, 5: f, 6: g}
    for place, sequence in places.items():
        plan.forget()
        alone, other = Sequence(sequence.prompt, sequence.tokens, sequence.temperature, sequence.seed), (place + 3) % PLACES
        if len(alone.prompt) > 15: # In two pieces, as where a prefix is there already.
            plan.prefill(other, alone.prompt[:12])
        plan.prefill(other, alone.prompt, 11 if len(alone.prompt) > 15 else 0)
        caches = plan.generate({other: (alone, alone.tokens)})
        if alone.made != sequence.made:
            sys.exit(f"{kind}: the sequence at place {place} is {sequence.made}, and {alone.made} alone")
        count = len(alone.prompt) + alone.tokens - 1  # The last token is in no cache.
        mine, theirs = own_rows(together, place, count), own_rows(caches, other, count)
        for name in mine:
            if not np.array_equal(mine[name], theirs[name]):
                row = np.flatnonzero((mine[name] != theirs[name]).any(1))[0]
                sys.exit(f"{kind}: row {row} of {count} of {name} of the sequence at place {place} has other bits alone")
    print(f"{kind}, {products}: the same bits alone and with others")

    most = 1e-2 if blocks or products == "f16" else 2e-3
    for sequence in (a, c, f):
        text = list(sequence.prompt)
        for token in sequence.made:
            scores = plan.model.logits(np.array(text), blocks)[-1]
            below = scores.max() - scores[token]
            if below > most * np.abs(scores).max():
                sys.exit(f"{kind}: token {len(text)} is {token}, {below:.1e} below the likeliest one")
            text.append(token)
    print(f"{kind}, {products}: as NumPy computes it")


if __name__ == "__main__":
    main()
