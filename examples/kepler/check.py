"""Runs orbit.mlir and compares with what is known of ellipses.

    check.py [--replays=N] [--scheme] [--interpret] [--folder=FOLDER]

N executions (25) of 40 periods each, by gpuvm-compile and gpuvm-run, or with --interpret by
gpuvm-interpret, which are found by name; files go to FOLDER (a temporary one). It checks that in
the end, for each of the eight orbits,

  - the energy is within ENERGY of -1/2, both as the program gives it and from the state;
  - the angular momentum is within MOMENTUM of sqrt(1 - e^2): a leapfrog changes it by rounding only;
  - with --scheme, the state is within STATE of what NumPy makes of the same steps in float64
    (about a minute for 25 executions), whose energy stays within ENERGY at every step.

Exits 1 if not.
"""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ENERGY, MOMENTUM, STATE = 1e-5, 1e-11, 1e-7
STEPS, PERIODS = 400, 40
ECCENTRICITY = np.arange(8) / 10
NAMES = "xyuv"


def energy(x, y, u, v):
    return (u * u + v * v) / 2 - 1 / np.sqrt(x * x + y * y)


def scheme(replays):
    """(the state in the end, the largest error of the energy at any step)"""
    outer = 1 / (2 - 2 ** (1 / 3))
    times = [part * 2 * math.pi / STEPS for part in (outer, 1 - 2 * outer, outer)]
    x, v = 1 - ECCENTRICITY, np.sqrt((1 + ECCENTRICITY) / (1 - ECCENTRICITY))
    y, u = np.zeros(8), np.zeros(8)
    worst = 0.0
    for _ in range(replays * PERIODS * STEPS):
        for h in times:
            x, y = x + u * (h / 2), y + v * (h / 2)
            square = x * x + y * y
            pull = h / (square * np.sqrt(square))
            u, v = u - x * pull, v - y * pull
            x, y = x + u * (h / 2), y + v * (h / 2)
        worst = max(worst, float(np.max(np.abs(energy(x, y, u, v) + 0.5))))
    return (x, y, u, v), worst


def run(options, folder):
    """The state and the energy that the program gives."""
    program = pathlib.Path(__file__).with_name("orbit.mlir")
    files = {name: folder / f"{name}.npy" for name in [*NAMES, "energy"]}
    outputs = [f"--output={name}=@{file}" for name, file in files.items()]
    times = f"--iterations={options.replays}"
    if options.interpret:
        subprocess.run(["gpuvm-interpret", program, times, *outputs], check=True)
    else:
        plan = folder / "orbit.gvplan"
        subprocess.run(["gpuvm-compile", program, "-o", plan], check=True)
        subprocess.run(["gpuvm-run", plan, times, *outputs], check=True)
    *state, measured = (np.load(file) for file in files.values())
    return state, measured


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--replays", type=int, default=25)
    parser.add_argument("--scheme", action="store_true")
    parser.add_argument("--interpret", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        state, measured = run(options, folder)
    x, y, u, v = state
    off = {"energy": (np.maximum(np.abs(measured + 0.5), np.abs(energy(*state) + 0.5)), ENERGY),
           "angular momentum": (np.abs(x * v - y * u - np.sqrt(1 - ECCENTRICITY ** 2)), MOMENTUM)}
    if options.scheme:
        expected, worst = scheme(options.replays)
        off["energy at any step"] = (np.array([worst]), ENERGY)
        off["state"] = (np.max(np.abs(np.stack(state) - np.stack(expected)), axis=0), STATE)
    print(f"after {options.replays * PERIODS} periods")
    for what, (error, _) in off.items():
        print(f"{what}: off by " + " ".join(f"{one:.0e}" for one in error))
    wrong = [what for what, (error, bound) in off.items() if not np.all(error <= bound)]
    if wrong:
        sys.exit(f"check.py: off by more than the bound: {', '.join(wrong)}")


main()
