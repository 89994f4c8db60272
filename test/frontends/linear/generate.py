"""Random programs of the linear-algebra VM.

    generate.py FOLDER [--count 100] [--seed 0] [--kind any|timing-free|...]

Program number i of seed s is a function of s, i and the kind alone; it is written to
FOLDER/KIND-i.lvm, with the data of its buffers in FOLDER/KIND-i.json (name: bits of each
word). Nearly every program ends within its budget.

any          every instruction, calls, loops, phases, flows, collisions, SPAWN, WAIT, YIELD,
             KILL and faults: only faithful mode has to agree with the reference
timing-free  what collides is ordered, so that every mode and every schedule agrees: machines
             read what is never written, what they wrote themselves, what others wrote before
             a YIELD that all passed or before a WAIT; some phases are `independent`
spawning     timing-free with SPAWN: which slot a machine got may differ
straight     timing-free without YIELD, WAIT and SPAWN, and with WRITEs outside of loops: what
             compiled mode takes
whole        straight, of small whole numbers, so that fused mode rounds nothing
mixed        phases of `straight` and of `timing-free` and `spawning` in turn, of which the last
             one may end badly; mixed-whole the same of small whole numbers
batch        `--size` programs like those of `straight`, short ones, as launches of one phase, with
             routines, buffers and machines of their own; batch-whole of small whole numbers
"""

import argparse
import json
import os
import random

from random_any import AnyProgram
from random_ordered import OrderedProgram
from random_straight import BatchProgram, MixedProgram, StraightProgram

KINDS = ["any", "timing-free", "spawning", "straight", "whole", "mixed", "mixed-whole", "batch", "batch-whole"]
BATCH = 16  # Compiled mode takes so many launches of a phase.


def make(seed, index, kind, size=BATCH):
    """The text of a program, and its data: {buffer: bits of each word}."""
    r = random.Random(f"{seed} {index} {kind}")
    if kind == "any":
        program = AnyProgram(r)
    elif kind in ("mixed", "mixed-whole"):
        program = MixedProgram(r, kind == "mixed-whole")
    elif kind in ("batch", "batch-whole"):
        program = BatchProgram(r, kind == "batch-whole", size)
    elif kind in ("straight", "whole"):
        program = StraightProgram(r, kind == "whole")
    else:
        program = OrderedProgram(r, kind == "spawning")
    program.make()
    return program.text(), program.layout.data("whole" in kind or r.random() < 0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS, default="any")
    parser.add_argument("--size", type=int, default=BATCH)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    for index in range(options.count):
        text, data = make(options.seed, index, options.kind, options.size)
        path = os.path.join(options.folder, f"{options.kind}-{index}")
        with open(path + ".lvm", "w") as file:
            file.write(text)
        with open(path + ".json", "w") as file:
            json.dump(data, file)


if __name__ == "__main__":
    main()
