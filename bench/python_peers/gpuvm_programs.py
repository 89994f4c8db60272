"""Ours: examples/python."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"))

from kmeans import kmeans as traced_kmeans  # noqa: E402
from life import life as traced_life  # noqa: E402
from mandelbrot import mandelbrot as traced_mandelbrot  # noqa: E402


def life(board, steps):
    return traced_life(board, steps=steps)


def mandelbrot(x, y, most):
    return traced_mandelbrot(x, y, most=most)


def kmeans(points, centres, most):
    return traced_kmeans(points, centres, most=most)[0]
