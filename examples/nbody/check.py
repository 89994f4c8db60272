"""Runs forces.mlir on random bodies and compares with NumPy in float64.

    check.py [--interpret] [--folder=FOLDER] [N]

N bodies (1000) in a cube of side 2, with masses of about 1/N. gpuvm-compile and gpuvm-run, or
with --interpret gpuvm-interpret, are found by name; files go to FOLDER (a temporary one).
With u = 2^-24, half the distance of neighbouring numbers of f32, and F_i, the sum of the
magnitudes |f_ij| of what acts on body i, it checks that

  - no acceleration differs from NumPy's by more than (16 + sqrt(N + 1)) u F_i: 16 for the
    operations that make a term, the root for adding them (docs/arithmetic.md);
  - the change of momentum sum_i m_i a_i, which is zero since f_ij m_i = -f_ji m_j, is in
    no direction more than 16 u sum_i m_i F_i.

Exits 1 if not.
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402

UNIT = 2.0 ** -24
SOFTENING = float(np.float32(1e-4))
AXES = "xyz"


def bodies(n):
    draw = np.random.default_rng(n)
    inputs = {axis: draw.uniform(-1, 1, n).astype(np.float32) for axis in AXES}
    inputs["m"] = (draw.uniform(0.5, 1.5, n) / n).astype(np.float32)
    return inputs


def accelerations(inputs):
    """(accelerations as [3, n], F), in float64, 256 bodies at a time."""
    places = np.stack([inputs[axis] for axis in AXES]).astype(np.float64)
    masses = inputs["m"].astype(np.float64)
    total, magnitudes = np.empty_like(places), np.empty_like(masses)
    for first in range(0, masses.size, 256):
        some = slice(first, first + 256)
        away = places[:, None, :] - places[:, some, None]
        pull = masses * ((away ** 2).sum(axis=0) + SOFTENING) ** -1.5
        total[:, some] = (pull * away).sum(axis=2)
        magnitudes[some] = (pull * np.sqrt((away ** 2).sum(axis=0))).sum(axis=1)
    return total, magnitudes


def main():
    parser = programs.argument_parser()
    parser.add_argument("n", type=int, nargs="?", default=1000)
    options = parser.parse_args()
    inputs = bodies(options.n)
    outputs = programs.run(HERE / "forces.mlir", inputs, [f"a{axis}" for axis in AXES], options, n=options.n)
    got = np.stack(list(outputs.values())).astype(np.float64)
    wanted, magnitudes = accelerations(inputs)
    masses = inputs["m"].astype(np.float64)
    off = float(np.max(np.abs(got - wanted) - (16 + np.sqrt(options.n + 1)) * UNIT * magnitudes))
    largest = float(np.max(np.abs(got - wanted) / np.maximum(magnitudes, np.finfo(np.float64).tiny)))
    momentum = float(np.max(np.abs((masses * got).sum(axis=1))))
    forces = float((masses * magnitudes).sum())
    print(f"{options.n} bodies: accelerations are off by at most {largest:.1e} of what acts on a body,")
    print(f"momentum changes by {momentum:.1e}, where forces add up to {forces:.1e}")
    if not off <= 0:
        sys.exit("check.py: an acceleration is off by more than the bound")
    if not momentum <= 16 * UNIT * forces:
        sys.exit("check.py: momentum changes by more than the bound")


main()
