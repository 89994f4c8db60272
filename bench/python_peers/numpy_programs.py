"""NumPy's forms: what the others are compared with."""

import numpy as np


def life(board, steps):
    for _ in range(steps):
        around = sum(np.roll(board, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x)
        board = ((around == 3) | ((around == 2) & (board == 1))).astype(board.dtype)
    return board


def mandelbrot(x, y, most):
    cx, cy = np.meshgrid(x, y)
    zx, zy, steps = np.zeros_like(cx), np.zeros_like(cy), np.zeros(cx.shape, np.int32)
    for _ in range(most):
        inside = zx * zx + zy * zy <= 4
        zx, zy = np.where(inside, zx * zx - zy * zy + cx, zx), np.where(inside, 2 * zx * zy + cy, zy)
        steps += inside
    return steps


def kmeans(points, centres, most):
    for _ in range(most):
        groups = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
        sizes = np.bincount(groups, minlength=len(centres))
        sums = np.zeros_like(centres)
        np.add.at(sums, groups, points)
        better = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres).astype(np.float32)
        if np.array_equal(better, centres):
            break
        centres = better
    return centres
