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

import math
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402

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


def main():
    parser = programs.argument_parser()
    parser.add_argument("--replays", type=int, default=25)
    parser.add_argument("--scheme", action="store_true")
    options = parser.parse_args()
    outputs = programs.run(HERE / "orbit.mlir", {}, [*NAMES, "energy"], options, iterations=options.replays)
    *state, measured = outputs.values()
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
