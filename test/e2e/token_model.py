"""Programs of the token-stream VM with a language model, against a loop on the host: the machine of
test/frontends/token/reference_machine.py, and a forward pass in NumPy that says what is likeliest after all so far.

    token_model.py FOLDER MODEL BUDGET STREAMS ROWS WORKFLOW.. [-- OPTION..]

MODEL is a GGUF file (with ggml's package gguf); or "small", which is written into the folder. Options go to
gpuvm-compile; --tool=NAME=COMMAND to gpuvm-token and to the loop. Where the plan takes another token, the loop goes on
with it if its score is as good as the likeliest one's, within what f16 caches and products cost. Exits 1 and says what
differs.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "frontends", "token"))

import numpy as np

import chat_model
import forward_pass
from reference_machine import Machine, Stream
from reference_report import Tool, run_stream, stream_report

NEAR = 5e-3   # Of the largest score: what is left of f32 is the f16 of caches and products.


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Texts:
    """What tokens say: control tokens their names, padding nothing."""

    def __init__(self, names, types):
        printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
        rest = [byte for byte in range(256) if byte not in printable]
        self.letters = {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(rest)}
        self.texts = [name.encode() if kind == 3 else bytes(self.letters[c] for c in name)
                      for name, kind in zip(names, types)]
        self.vocabulary = len(self.texts) + 1

    def bytes_of(self, token):
        return self.texts[token] if token < len(self.texts) else b""

    def decode(self, tokens):
        return b"".join(map(self.bytes_of, tokens)).decode("utf-8", "replace")

    def decode_parts(self, parts):
        return b"".join(self.bytes_of(token)[:count] for token, count in parts).decode("utf-8", "replace")

    def encode(self, text):
        """Of an answer, by the program that tools have for it."""
        done = subprocess.run(["gpuvm-tokenize", self.path], input=text, capture_output=True, text=True, check=True)
        return [int(word) for word in done.stdout.split()]


class Scores:
    """After all that was seen. Tokens are read when they are asked about."""

    def __init__(self, forward):
        self.forward, self.unread, self.last = forward, [], None

    def see(self, token):
        self.unread.append(token)

    def scores(self):
        if self.unread:
            self.last = self.forward.read(self.unread)[-1] @ self.forward.head().T
            self.unread = []
        return self.last


class Greedy:
    """The likeliest token, or the plan's if that is as good."""

    def __init__(self, scores, taken):
        self.scores, self.taken, self.clock, self.ties, self.worst = scores, taken, 0, 0, 0.0

    def observe(self, token):
        self.scores.see(token)
        self.clock += 1

    def propose(self):
        scores = self.scores.scores()
        best = int(scores.argmax())
        other = self.taken[self.clock] if self.clock < len(self.taken) else best
        if other == best or other >= len(scores):
            return best
        gap = (scores[best] - scores[other]) / np.abs(scores).max()
        if gap > NEAR:
            return best
        self.ties, self.worst = self.ties + 1, max(self.worst, gap)
        return other


def small_model(folder):
    model = chat_model.Chatty("llama", seed=3)
    path = os.path.join(folder, "small.gguf")
    model.write(path)
    keys = model.keys()
    return (path, Texts(keys["tokenizer.ggml.tokens"], keys["tokenizer.ggml.token_type"]),
            lambda: Scores(model.forward_pass(halves=True)))


def real_model(path):
    from gguf import GGUFReader
    fields = GGUFReader(path).fields
    names, types = (fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "token_type"))
    whole = forward_pass.read_file(path)
    return path, Texts(names, types), lambda: Scores(forward_pass.ForwardPass(whole.sizes, whole.tensors))


def main():
    folder, name, budget, count, rows = sys.argv[1:6]
    rest = sys.argv[6:]
    split = rest.index("--") if "--" in rest else len(rest)
    workflows, options = rest[:split], rest[split + 1:]
    os.makedirs(folder, exist_ok=True)
    path, texts, make = small_model(folder) if name == "small" else real_model(name)
    texts.path = path
    tools = [option for option in options if option.startswith("--tool=")]
    options = [option for option in options if option not in tools]

    plan, report = os.path.join(folder, "plan"), os.path.join(folder, "report.json")
    run("gpuvm-compile", *workflows, "-o", plan, f"--model={path}", f"--streams={count}", f"--budget={budget}",
        f"--model-rows={rows}", *options)
    run("gpuvm-token", "run", plan, f"--model={path}", f"--report={report}", *tools)
    with open(report, encoding="utf-8") as file:
        streams = json.load(file)["streams"]
    own = [option for option in options if not option.startswith("--model-")]
    form = json.loads(run("gpuvm-compile", *workflows, "--emit=tensors", f"--tokenizer=gguf:{path}", *own))
    machine = Machine(form, int(budget), tokenizer=texts)

    ties, worst, tokens, asked = 0, 0.0, 0, 0
    for number, found in enumerate(streams):
        stream = Stream(machine, number, 0)
        stream.number = number
        stream.model = Greedy(make(), found["tokens"])
        given = {tool.split("=", 2)[1]: Tool(*tool.split("=", 2)[1:]) for tool in tools}
        run_stream(stream, given, texts)
        for tool in given.values():
            tool.end()
        wanted = stream_report(stream, texts)
        for key, value in wanted.items():
            if found[key] != value:
                at = next((i for i, (a, b) in enumerate(zip(found[key], value)) if a != b), "the end") \
                    if isinstance(value, list) else ""
                sys.exit(f"stream {number}, {key}, at {at}: {str(found[key])[:300]} and {str(value)[:300]}")
        ties, worst = ties + stream.model.ties, max(worst, stream.model.worst)
        tokens += len(found["tokens"])
        asked += sum(not forced for forced in found["forced"])
    print(f"{len(streams)} streams, {tokens} tokens, {asked} of the model: as the loop has them ({ties} ties, "
          f"{worst:.1e} of the largest score at most)")


main()
