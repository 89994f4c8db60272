"""Differential test: several random programs over the same symbols.

A case is a module of two to four programs with state (programs_state.py), which load and store
symbols of the module and symbols of their own. They run one after the other in some order, on the
device (with validation) and on gpuvm-interpret; all outputs and symbols must have the same bits.

    several.py FOLDER [--seeds FIRST:LAST]

Exits 1 and leaves the programs and their data in FOLDER if anything differs.
"""

import argparse
import math
import os
import random
import shutil
import sys

import differential
from program_text import Program, Value, bits
from programs_state import PARTS, State


class SharingState(State):
    """Adds the stages of one of several programs."""

    def __init__(self, rng, p, shared):
        self.rng, self.p, self.rich = rng, p, rng.random() < 0.4
        self.dtype = shared[0].dtype
        self.unit = shared[0].shape[0] // PARTS
        kinds = ["register", "global", "metric"]
        own = [p.symbol(rng.choice(kinds), self.shape(PARTS), self.dtype) for _ in range(rng.randint(0, 2))]
        self.symbols = shared + own
        self.conditions = []


class Case:
    def __init__(self, seed):
        rng = random.Random(f"several {seed}")
        self.name = f"several_{seed}"
        dtype = rng.choice(["i8", "i32", "i32", "i64", "f32"])
        unit = 256 // (max(8, bits(dtype)) // 8) * rng.choice([1, 1, 1, 1, 3, 40])
        self.shared = [Value(f"shared{i}", (PARTS * unit,), dtype) for i in range(rng.randint(1, 3))]
        for symbol in self.shared:
            symbol.kind = rng.choice(["register", "global", "global", "metric"])
        self.programs = [Program(f"p{i}") for i in range(rng.randint(2, 4))]
        for program in self.programs:
            SharingState(rng, program, self.shared).add()
        self.order = [p.name for p in self.programs] + rng.choices([p.name for p in self.programs], k=rng.randint(1, 4))
        rng.shuffle(self.order)

    def text(self):
        symbols = [f"gpuvm.{s.kind} @{s.name} : {s.type}\n" for s in self.shared]
        return "".join(symbols) + "\n".join(p.text() for p in self.programs)

    def results(self):
        own = [(f"{p.name}.{name}", value) for p in self.programs
               for name, value in p.results() + [(s.name, s) for s in p.symbols]]
        used = "".join(p.text() for p in self.programs)
        return own + [(s.name, s) for s in self.shared if f"@{s.name}" in used]

    def draw(self, base):
        """Makes the inputs; the flags that give them."""
        rng, flags = random.Random(self.name), []
        for program in self.programs:
            for value in program.inputs:
                name = f"{program.name}.{value.name}"
                path = os.path.join(base, name + ".npy")
                numbers = differential.random_values(rng, math.prod(value.shape), value.dtype)
                differential.write_npy(path, value.shape, value.dtype, numbers)
                flags.append(f"--input={name}=@{path}")
        return flags


def check(case, folder):
    base = os.path.join(folder, case.name)
    os.makedirs(base, exist_ok=True)
    source = os.path.join(base, "programs.mlir")
    with open(source, "w") as file:
        file.write(case.text())
    flags = case.draw(base) + [f"--run={','.join(case.order)}"]
    path = lambda tag, name: os.path.join(base, f"{tag}-{name}.npy")
    results = case.results()
    outputs = lambda tag: [f"--output={name}=@{path(tag, name)}" for name, _ in results]
    differential.call(["gpuvm-interpret", source, *flags, *outputs("reference")])
    for tag, options in differential.TAGS.items():
        plan = os.path.join(base, tag + ".gvplan")
        differential.call(["gpuvm-compile", source, "-o", plan, *options])
        differential.call(["gpuvm-run", plan, "--validate", *flags, *outputs(tag)])
        for name, value in results:
            read = lambda tag: differential.read_npy(path(tag, name), value.dtype)
            differential.compare(value, read("reference"), read(tag), f"{name} {tag}", flushes=True)
    shutil.rmtree(base)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seeds", default="0:20")
    arguments = parser.parse_args()

    def run(seed):
        case = Case(seed)
        try:
            check(case, arguments.folder)
        except differential.Mismatch as failure:
            return f"{case.name}: {failure}"
        return None

    return differential.try_all("cases", list(range(*map(int, arguments.seeds.split(":")))), run)


if __name__ == "__main__":
    sys.exit(main())
