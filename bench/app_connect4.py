"""Tree search in Connect Four (examples/connect4): a move on many empty boards, which is the middle one.

The peer is the plain search in C++ that the example plays against, with a tree in each of its threads. It makes as many games at
random as ours makes at most, one from each leaf; ours makes some from each move of a leaf.
"""

import os
import pathlib
import subprocess

import numpy as np

import examples
import host
from gpuvm import Missing
from model import Case, Tensor

run = examples.load("connect4/run")

SOURCE = examples.FOLDER / "connect4" / "peer.cpp"
MIDDLE = 3
FOREVER = 1 << 60
SIZES = {"cpu": run.Size(20, 32, 48, 2), "gpu": run.Size(64, 64, 128, 8)}


def built(folder):
    """peer.cpp as a program in this folder."""
    program = folder / "connect4_peer"
    compiler = os.environ.get("CXX", "g++")
    try:
        subprocess.run([compiler, "-O3", "-std=c++20", "-pthread", "-o", program, SOURCE], check=True)
    except FileNotFoundError:
        raise Missing(f"there is no C++ compiler {compiler}") from None
    return program


class Search:
    """The search in C++; it says itself what it takes."""

    form = f"{host.THREADS} threads"

    def __init__(self, program, playouts):
        self.command = [str(part) for part in (program, "speed", playouts, host.THREADS, 1)]

    def sample(self):
        words = subprocess.run(self.command, check=True, capture_output=True, text=True).stdout.split()
        return {"wall_us": float(words[2]) * 1e6}

    def close(self):
        pass


def search(size):
    def make(session, case, arrays):
        bundled = session.vm.bundle and session.vm.bundle / "bin" / "connect4_peer"
        return Search(bundled or built(pathlib.Path(session.vm.scratch.name)), size.games * size.playouts)
    return make


def cases(device, _):
    size = SIZES[device]
    styles = [[1, size.turns, 1]] * 2  # of two agents: how much they explore, for how long, and that they look ahead
    inputs = {"given": Tensor((size.games, 2), "i64", make=lambda: np.zeros((size.games, 2), np.int64)),
              "styles": Tensor((2, 3), "f32", make=lambda: np.array(styles, np.float32)),
              "seed": Tensor((2,), "i32", make=lambda: np.array([1, 2], np.int32)),
              "budget": Tensor((), "i64", make=lambda: np.array(FOREVER, np.int64))}
    playouts = size.games * size.playouts
    yield Case(f"tree search, {size.games} boards, {playouts:,} games at random", examples.text("connect4/search"), inputs,
               "moves", Tensor((size.games,), "i32"), answer=lambda d: np.full(size.games, MIDDLE, np.int32), peers={"C++": search(size)},
               counts=(playouts, "games at random"), options=tuple(size.settings()), bound=0)
