"""Runs forces.mlir on random particles and compares with all pairs in NumPy, in float64.

    check.py [--interpret] [--folder=FOLDER] [N]

N particles (2000), half of them anywhere in the box and half around a corner of it, where all
eight corners meet. gpuvm-compile and gpuvm-run, or with --interpret gpuvm-interpret, are found
by name; files go to FOLDER (a temporary one). With u = 2^-24, half the distance of
neighbouring numbers of f32, and P_i particles within reach of particle i, itself among them,
whose pushes have the magnitudes F_i in all, it checks in each direction that

  - no force differs from NumPy's by more than sqrt(P_i) (48 + F_i) u: a difference of two
    positions is off by up to 4 u, so the square of the distance by 17 u, what comes of it by
    37 u and a push by less than 48 u; to add a push is off by u F_i; the root is for adding
    what is off to either side (docs/arithmetic.md);
  - the forces on all particles, whose sum is zero, add up to no more than
    u sqrt(sum_i P_i F_i^2): two particles push each other with the same number, so only the
    additions round.

Exits 1 if not.
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402

UNIT = 2.0 ** -24
SIDE = 8.0
AXES = "xyz"


def particles(n):
    """Positions as [3, n] of f32 in [0, SIDE)."""
    draw = np.random.default_rng(n)
    anywhere = draw.uniform(0, SIDE, (3, n - n // 2))
    corner = draw.normal(0, 0.5, (3, n // 2)) % SIDE
    places = np.concatenate([anywhere, corner], axis=1)[:, draw.permutation(n)].astype(np.float32)
    return np.where(places < SIDE, places, np.float32(0))


def forces(places):
    """(forces as [3, n], P as [n], F as [3, n]), in float64, 256 particles at a time."""
    places = places.astype(np.float64)
    total, magnitudes, count = np.empty_like(places), np.empty_like(places), np.empty(places.shape[1])
    for first in range(0, places.shape[1], 256):
        some = slice(first, first + 256)
        away = places[:, None, :] - places[:, some, None]
        away -= SIDE * np.round(away / SIDE)
        near = np.maximum(1 - (away ** 2).sum(axis=0), 0)
        pushes = near ** 2 * away
        total[:, some] = -pushes.sum(axis=2)
        magnitudes[:, some] = np.abs(pushes).sum(axis=2)
        count[some] = (near > 0).sum(axis=1)
    return total, count, magnitudes


def main():
    parser = programs.argument_parser()
    parser.add_argument("n", type=int, nargs="?", default=2000)
    options = parser.parse_args()
    places = particles(options.n)
    inputs = dict(zip(AXES, places))
    outputs = programs.run(HERE / "forces.mlir", inputs, [f"f{axis}" for axis in AXES], options, n=options.n)
    got = np.stack(list(outputs.values())).astype(np.float64)
    wanted, count, magnitudes = forces(places)
    off = np.abs(got - wanted)
    sums, bounds = np.abs(got.sum(axis=1)), UNIT * np.sqrt((count * magnitudes ** 2).sum(axis=1))
    print(f"{options.n} particles, {int(count.sum()) - options.n} pushes: forces are off by at most {off.max():.1e},")
    print(f"where the largest is {np.abs(wanted).max():.1f}; together they are {sums.max():.1e} (bound {bounds.max():.1e})")
    if not np.all(off <= np.sqrt(count) * (48 + magnitudes) * UNIT):
        sys.exit("check.py: a force is off by more than the bound")
    if not np.all(sums <= bounds):
        sys.exit("check.py: the forces together are more than the bound")


main()
