"""Compiles programs whose code nests deeply or is long, in each mode, and compares all that
comes out with the reference, bit for bit (in fused mode a zero is a zero).

    large.py FOLDER

gpuvm-linear, gpuvm-compile and gpuvm-run are taken from PATH. Prints a line for each program
and mode, and leaves the files in FOLDER.
"""

import argparse
import json
import pathlib
import struct
import sys

import modes

HEAD = ".budget 2000\n.buffer x 100 in\n.buffer y 2 out\n.routine main\n"
END = "VMID r0\nSETI r2, base(y)\nADD r0, r0, r2\nWRITE r0, r1\nHALT\n"
RUN = ".phase p independent\nrun main 2 m1=60\n"


def recursion(stack, depth):
    """Calls itself; one machine `depth` times, the other not at all."""
    return (f".stack {stack}\n" + HEAD + f"VMID r2\nMULI r2, r2, {depth}\nSETI r1, 1\nCALL f\n" + END +
            "f: BRANCH_LE r2, done\nCMPI r2, r2, 1\nADD r1, r1, r1\nMODI r1, r1, 1021\nSTORE r1, m3\nCALL f\n"
            "CMPI r1, r1, 1\nRETURN r2\ndone: SCALE r1, r1, 2\nRETURN\n" + RUN)


def reads(count):
    """READs one after the other; those of the second machine have wrong addresses at the end."""
    body = "".join(f"READ r2, r0\nSTORE r2, m{i % 16}\nADD r1, r1, r2\nADD r0, r0, r3\n" for i in range(count))
    return HEAD + f"VMID r0\nSCALE r0, r0, {102 - count // 2}\nSETI r3, 1\n" + body + END + RUN


def turns(body):
    """60 times `body`, which leaves r3 and m1 alone."""
    return (HEAD + "VMID r0\nSCALE r0, r0, 40\neach: READ r2, r0\nADD r1, r1, r2\n" + body +
            "CMPI r0, r0, -1\nLOAD r3, m1\nCMPI r3, r3, 1\nSTORE r3, m1\nBRANCH_GT r3, each\n" + END + RUN)


def exits(count):
    return HEAD + "VMID r1\n" + "BRANCH_GT r1, done\nCMPI r1, r1, 1\n" * count + "done: ADD r1, r1, r1\n" + END + RUN


PROGRAMS = {
    "deep": recursion(56, 70),
    "shallow": recursion(16, 10),
    "full": recursion(16, 20),
    "reads": reads(90),
    "turns": turns(""),
    "branches": turns("BRANCH_GT r2, over\nADD r1, r1, r2\nover: STORE r1, m2\n"),
    "exits": exits(100),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "deepest.lvm").write_text(recursion(256, 300))
    wrong = 0
    inputs = {"x": [struct.unpack("<I", struct.pack("<f", i % 7 - 3))[0] for i in range(100)]}
    for name, text in PROGRAMS.items():
        (folder / f"{name}.lvm").write_text(text)
        (folder / f"{name}.json").write_text(json.dumps(inputs))
        program = modes.Program(folder, name)
        expected = program.run(["gpuvm-linear", "run", program.path], "reference")
        for mode in ("compiled", "fused"):
            plan = folder / f"{name}.{mode}.gvplan"
            ran = modes.compile_program(program, plan, argparse.Namespace(mode=mode, format="hybrid"))
            if isinstance(ran, str):
                differ = [ran]
            else:
                differ = modes.differences(expected, program.run(["gpuvm-run", plan], mode), ran)
            print(f"{name} {mode}: runs {' '.join(ran)}, {len(differ)} outputs differ", flush=True)
            for line in differ:
                print(f"  {line}")
            wrong += len(differ)
    return wrong != 0


sys.exit(main())
