"""Compares random programs of the linear-algebra VM, run by gpuvm.linear, with the reference: linear.py FOLDER."""

import pathlib
import random
import subprocess
import sys

import gpuvm.linear
import numpy as np

MACHINES, WORDS, PROGRAMS = 6, 16, 12
OUTPUTS = ("y", "state", "status", "fault", "counts")


def instruction(pick):
    a, b, d = (f"r{pick.randrange(4)}" for _ in range(3))
    m, n = (f"m{pick.randrange(16)}" for _ in range(2))
    number = pick.choice(("0", "1", "-2", "0.5", "3.25", "1e-3"))
    return pick.choice((f"ADD {d}, {a}, {b}", f"SUB {d}, {a}, {b}", f"MOV {d}, {a}", f"SETI {d}, {number}", f"LOAD {d}, {m}", f"STORE {a}, {m}",
                        f"COPY {m}, {n}", f"CLEAR {d}", f"NEG {d}, {a}", f"SCALE {d}, {a}, {number}", f"MUL {d}, {a}, {b}", f"DIVI {d}, {a}, 3",
                        f"MIN {d}, {a}, {b}", f"MAX {d}, {a}, {b}", f"ABS {d}, {a}", f"SQRT {d}, {a}", f"SIN {d}, {a}", f"CMP {d}, {a}, {b}"))


def program(seed):
    """Each machine reads its word of x, computes, may skip a part, and writes its word of y."""
    pick = random.Random(seed)
    body = [f"  {instruction(pick)}" for _ in range(pick.randrange(5, 30))]
    at = pick.randrange(len(body))
    body[at:at] = [f"  BRANCH_{pick.choice(('EQ', 'NE', 'LT', 'GT', 'LE', 'GE'))} r{pick.randrange(4)}, skip", f"  {instruction(pick)}", "skip:"]
    begin = ["  VMID r0", "  SETI r1, base(x)", "  ADD r1, r1, r0", "  READ r2, r1"]
    end = ["  VMID r1", "  SETI r3, base(y)", "  ADD r3, r3, r1", f"  WRITE r3, r{pick.choice((0, 2))}", "  HALT"]
    return "\n".join([f".buffer x {WORDS} in", f".buffer y {WORDS} out", ".routine main", *begin, *body, *end, ".phase all", f"run main {MACHINES}", ""])


def reference(folder, text, x):
    (folder / "p.lvm").write_text(text)
    np.save(folder / "x.npy", x)
    outputs = [f"--output={name}=@{folder / name}.npy" for name in OUTPUTS]
    subprocess.run(["gpuvm-linear", "run", folder / "p.lvm", f"--input=x=@{folder / 'x.npy'}", *outputs], check=True)
    return {name: np.load(folder / f"{name}.npy") for name in OUTPUTS}


def main():
    folder = pathlib.Path(sys.argv[1])
    for seed in range(PROGRAMS):
        text = program(seed)
        x = np.random.default_rng(seed).standard_normal(WORDS).astype(np.float32)
        wanted = reference(folder, text, x)
        mode = ("faithful", "compiled", "auto")[seed % 3]
        run = gpuvm.linear.assemble(text, mode=mode).run(x=x)
        found = {"y": run["y"], "state": run.state, "status": run.status, "fault": run.fault}
        for name, array in found.items():
            if array.tobytes() != wanted[name].tobytes():
                sys.exit(f"program {seed} ({mode}): {name} is {array}, not {wanted[name]}\n{text}")
        phase, counts = run.phases[0], wanted["counts"][0].tolist()
        if [phase.linear, phase.oracle, phase.branch, phase.io] != counts[1:5] or (mode == "faithful" and phase.epochs != counts[0]):
            sys.exit(f"program {seed} ({mode}): {phase}, not {counts}\n{text}")
    print(f"{PROGRAMS} programs are those of the reference")


main()
