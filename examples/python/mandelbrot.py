"""The Mandelbrot set: after how many steps each point leaves it."""

import gpuvm
import numpy as np


@gpuvm.program
def mandelbrot(x, y, most=200):
    """`x` and `y` are the coordinates of columns and rows; the result has `most` where a point has not left."""

    def escape(cx, cy):
        def is_inside(zx, zy, steps):
            return (zx * zx + zy * zy <= 4) & (steps < most)

        def step(zx, zy, steps):
            return zx * zx - zy * zy + cx, 2 * zx * zy + cy, steps + 1

        zero = cx * 0
        return gpuvm.while_loop(is_inside, step, zero, zero, np.int32(0))[2]

    return gpuvm.map(escape, x[None, :], y[:, None])


if __name__ == "__main__":
    steps = mandelbrot(np.linspace(-2.2, 0.8, 72, dtype=np.float32), np.linspace(-1.2, 1.2, 28, dtype=np.float32))
    for row in steps:
        print("".join(" .:-=+*#%@"[min(int(count).bit_length(), 9)] for count in row))
