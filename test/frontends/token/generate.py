#!/usr/bin/env python3
#===- generate.py - random workflows and machines, by seed -----------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `generate.py FOLDER SEED` writes one case: its inputs, and `arguments.json`,
# the command line to run them with. The same seed makes the same case.
#
#===------------------------------------------------------------------------===#

import json
import os
import random
import shlex
import sys

from generate_prompts import Prompts
from generate_tensors import Form
from generate_toml import table_text

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "echo_tool.py")
ARGUMENTS = ["who", "what"]


class Programs:
    """The programs of one workflow over random prompts."""

    def __init__(self, rng, prompts, arguments):
        self.random, self.prompts, self.arguments = rng, prompts, arguments
        self.left = rng.randint(2, 9)        # References of sequences to come.
        self.subroutines = [f"sub{i}" for i in range(rng.choice([0, 0, 1, 2]))]
        self.tables = {}
        for i, name in enumerate(self.subroutines):
            self.tables[name] = self.program(self.subroutines[:i], f"{name}_out")
        self.left = max(self.left, 2)
        main = self.program(self.subroutines, "out")
        main += [{"subroutine": name} for name in self.subroutines]
        self.tables = {"main": main, **self.tables}

    def chance(self, probability):
        return self.random.random() < probability

    def program(self, callees, name):
        steps = [self.reference("run"), *self.steps(callees, 0)]
        for i in range(self.random.choice([0, 1, 2])):
            steps.insert(self.random.randint(0, len(steps)), self.extract(f"{name}{i}"))
        return steps

    def extract(self, name):
        tags = self.prompts.tags
        step = {"extract": name,
                "tags": self.random.sample(tags, self.random.randint(1, min(3, len(tags))))}
        for key in ("forced", "patterns"):
            if self.chance(0.5):
                step[key] = self.chance(0.4)
        return step

    def steps(self, callees, depth):
        steps = []
        for _ in range(self.random.randint(0 if depth else 1, 3)):
            if self.left > 0:
                steps.append(self.step(callees, depth))
        return steps

    def step(self, callees, depth):
        words = ["run", "capture", "capture", "feed", "feed"]
        words += ["loop", "when"] * (depth < 3) + ["subroutine"] * bool(callees and depth == 0)
        word = self.random.choice(words)
        if word == "subroutine":
            return {"subroutine": self.random.choice(callees)}
        step = self.reference(word)
        if word == "capture":
            step["tool"] = self.random.choice(self.prompts.tools)
        for scope in {"loop": ["body"], "when": ["then", "else"]}.get(word, []):
            if self.chance(0.85):
                step[scope] = self.steps(callees, depth + 1)
        return step

    def reference(self, word):
        self.left -= 1
        name = self.random.choice(self.prompts.sequences)
        step = {word: name}
        given = self.given(self.prompts.needed[name])
        if given or self.chance(0.05):
            step["with"] = given
        return step

    def given(self, needed):
        """`with`: what must be given, and some of what may be hidden."""
        given = {}
        for name, kind in needed.items():
            must = name == "given" or (name in ARGUMENTS and name not in self.arguments)
            may = name in ("plain", "fixed", *ARGUMENTS) and self.chance(0.3)
            if must or may:
                given[name] = self.random.choice([self.prompts.plain(3), 12, -7])
        return given


def some_test_model(rng, prompts):
    spellings = prompts.spellings()
    weighted = [prompts.control, *prompts.zone_patterns] * 2 + spellings
    phrases = [rng.choice(weighted) for _ in range(rng.randint(2, 8))]
    phrases += [rng.choice(spellings)[:-1] or "e" for _ in range(rng.choice([0, 1]))]
    if rng.random() < 0.5: # A pattern in two phrases, and within a longer text.
        text = rng.choice(weighted)
        cut = rng.randint(1, len(text))
        phrases += [part for part in (text[:cut], text[cut:]) if part]
    phrases += ["".join(rng.choices(spellings, k=2)) for _ in range(rng.choice([0, 1]))]
    return {"weight": rng.choice([0, 16, 64, 100, 160, 256]), "phrases": phrases,
            "fillers": rng.choice(["abc", "xyz \n", "[]<>q", "é€", "m"])}


def some_pieces(rng, prompts):
    """Pieces of tokens; some begin before a pattern and end in it."""
    pieces = {"say", " it", "long ", "\n", "é", "ab"}
    for text in prompts.spellings():
        cut = rng.randint(1, len(text))
        pieces |= {rng.choice(["a", " ", "y", "]"]) + text[:cut], text[:cut], text[-cut:]}
        if rng.random() < 0.3:
            pieces.add(text + rng.choice(["a", " ", text]))
    return rng.sample(sorted(pieces), rng.randint(1, len(pieces)))


class WorkflowCase:
    """One to three workflow files with a tokenizer in common."""

    def __init__(self, folder, rng):
        self.folder, self.random = folder, rng
        self.inputs, self.words = [], []
        self.tokenizer = rng.choice(["bytes", "bytes", "greedy:pieces.toml"])
        self.arguments = {name: rng.choice(["me", "é€", "41"]) for name in ARGUMENTS
                          if rng.random() < 0.7}
        self.prompts = [Prompts(rng, ARGUMENTS) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        self.arguments = {name: value for name, value in self.arguments.items()
                          if all(self.names(prompts, name) for prompts in self.prompts)}
        for i, prompts in enumerate(self.prompts):
            self.workflow(i, prompts)
        if self.tokenizer != "bytes":
            pieces = some_pieces(rng, self.prompts[0])
            self.write("pieces.toml", table_text("", {"pieces": pieces}))

    def names(self, prompts, name):
        """Whether an argument placeholder names the argument."""
        return any(name in needed for needed in prompts.needed.values())

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def workflow(self, i, prompts):
        rng = self.random
        programs = Programs(rng, prompts, self.arguments).tables
        head = {"name": f"flow{i}", "udpl": prompts.write(self.folder, f"prompts{i}"),
                "tokenizer": self.tokenizer}
        if rng.random() < 0.5:
            head["answers"] = rng.choice(["live", "inert"])
        text = table_text("[workflow]", head) + table_text("[resources]", prompts.resources)
        text += self.program_text(programs)
        if rng.random() < 0.8:
            text += table_text("[test_model]", some_test_model(rng, prompts))
        self.write(f"flow{i}.workflow.toml", text)
        self.inputs.append(f"flow{i}.workflow.toml")
        self.words += prompts.spellings()[:6]

    def program_text(self, programs):
        if self.random.random() < 0.7:
            return table_text("[program]", programs)
        return "".join(table_text(f"[[program.{name}]]", step)
                       for name, steps in programs.items() for step in steps)

    def tools(self):
        return ["calc", "find"]


class FormCase:
    """A file of tensors."""

    def __init__(self, folder, rng):
        self.inputs, self.arguments = ["machine.token.json"], {}
        self.words = ["a", "ab", "ba", "bb", "é"]
        self.form = Form(rng).table()
        with open(os.path.join(folder, self.inputs[0]), "w", encoding="utf-8") as file:
            json.dump(self.form, file, ensure_ascii=False)

    def tools(self):
        return self.form["workflows"][0]["tools"]


def command_line(rng, case):
    """The arguments after the inputs."""
    made = [f"--streams={rng.randint(1, 6)}", f"--budget={rng.choice([0, 1, 40, 200, 400])}",
            f"--model-seed={rng.randrange(1 << 32)}", f"--seed={rng.randrange(1 << 64)}"]
    made += [f"--arg={name}={value}" for name, value in case.arguments.items()]
    if rng.random() < 0.25:
        made.append(f"--capture-tokens={rng.choice([1, 3, 8])}")
    if rng.random() < 0.25:
        made.append(f"--answer-tokens={rng.choice([0, 4, 12])}")
    errors = ["--no-errors"] if rng.random() < 0.5 else []
    command = shlex.join(["python3", TOOL, *errors, *case.words])
    return made + [f"--tool={name}={command}" for name in case.tools()]


def generate(folder, seed):
    """Writes the case of a seed; {"inputs", "arguments"}."""
    rng = random.Random(seed)
    os.makedirs(folder)
    case = (FormCase if seed % 3 == 2 else WorkflowCase)(folder, rng)
    made = {"inputs": case.inputs, "arguments": command_line(rng, case)}
    with open(os.path.join(folder, "arguments.json"), "w", encoding="utf-8") as file:
        json.dump(made, file, ensure_ascii=False, indent=1)
    return made


if __name__ == "__main__":
    generate(sys.argv[1], int(sys.argv[2]))
