"""NumPy's forms: what the others are compared with."""

import numpy as np


def life(board, steps):
    for _ in range(steps):
        around = sum(np.roll(board, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - board
        board = ((around == 3) | ((around == 2) & (board == 1))).astype(np.int32)
    return board


def mandelbrot(x, y, steps):
    zx, zy, count = np.zeros_like(x), np.zeros_like(y), np.zeros(x.shape, np.int32)
    for _ in range(steps):
        inside = zx * zx + zy * zy <= 4
        count += inside
        new = zx * zx - zy * zy + x
        zy = np.where(inside, 2 * zx * zy + y, zy)
        zx = np.where(inside, new, zx)
    return count


def kmeans(points, centers, steps):
    clusters = np.arange(len(centers))
    for _ in range(steps):
        distance = ((points[:, None] - centers) ** 2).sum(2)
        member = (distance.argmin(1)[:, None] == clusters).astype(np.float32)
        centers = member.T @ points / np.maximum(member.sum(0), 1)[:, None]
    return centers
