#!/usr/bin/env python3
"""A target hit shot by shot: choose.mlir aims, shot.mlir flies, and NumPy in f64 flies the same shots.

    check.py [--interpret] [--folder=FOLDER]

The programs run apart, and what one sends is given to the other: they agree if the next shots land nearer.
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from programs import argument_parser, run  # noqa: E402

DT, DRAG, DOWN, SHOTS = 0.005, -0.002, np.array([0, -9.81]), 7


def fly(aim, wind):
    """Where the shot comes down, its energy and time, in f64."""
    place, time = np.zeros(2), 0.0
    speed = aim[1] * np.array([np.cos(aim[0]), np.sin(aim[0])])
    air = np.array([wind, 0.0])

    def pull(v):
        return DRAG * np.linalg.norm(v - air) * (v - air) + DOWN

    while True:
        middle = speed + pull(speed) * DT / 2
        step = DT if place[1] + middle[1] * DT >= 0 else -place[1] / middle[1]
        place, speed, time = place + middle * step, speed + pull(middle) * step, time + step
        if step < DT:
            return np.array([place[0], 0, speed @ speed / 2, time])


def f32(values):
    return np.array(values, np.float32)


def shoot(target, wind, options):
    """Shots at one target; how far each was off."""
    state, memory, misses = f32([0] * 4), f32([0, 0]), []
    for number in range(1, SHOTS + 1):
        chosen = run(HERE / "choose.mlir", {"target": f32(target), "state": state, "memory": memory}, ["aim", "score", "remembered"], options)
        worth = -abs(state[0] - target) - state[2] / 100 if number > 1 else 0
        if not np.isclose(chosen["score"], worth, rtol=1e-5):
            sys.exit(f"Shot {number - 1} scores {chosen['score']} instead of {worth}.")
        state = run(HERE / "shot.mlir", {"aim": chosen["aim"], "wind": f32(wind)}, ["state"], options)["state"]
        memory = chosen["remembered"]
        expected = fly(chosen["aim"].astype(np.float64), wind)
        if not np.allclose(state, expected, rtol=1e-4, atol=1e-2):
            sys.exit(f"Shot {number} is {state}, but NumPy has {expected}.")
        misses.append(abs(float(state[0]) - target))
        print(f"shot {number}: angle {np.degrees(chosen['aim'][0]):.1f}, speed {chosen['aim'][1]:.1f} m/s, off by {misses[-1]:.2f} m")
    return misses


def main():
    options = argument_parser().parse_args()
    for target, wind in ((300, -8), (450, 12)):
        print(f"target {target} m, wind {wind} m/s")
        misses = shoot(target, wind, options)
        if misses[-1] > 5 or misses[-1] > misses[0] / 10:
            sys.exit(f"After {SHOTS} shots the target is still missed by {misses[-1]:.2f} m.")
    for aim in ((-0.5, 50), (np.nan, 50)):
        state = run(HERE / "shot.mlir", {"aim": f32(aim), "wind": f32(0)}, ["state"], options)["state"]
        if state[3] != 0 or state[2] != 0:
            sys.exit(f"A shot at {aim} flies ({state}).")
    print("check ok")


main()
