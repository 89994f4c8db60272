"""A fluid in two dimensions around obstacles: the lattice Boltzmann method (D2Q9, BGK)."""

import gpuvm
import gpuvm.numpy as gnp
import numpy as np

WAYS = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]
WEIGHTS = [4 / 9] + 4 * [1 / 9] + 4 * [1 / 36]
BACK = [0, 3, 4, 1, 2, 7, 8, 5, 6]


@gpuvm.program
def flow(parts, walls, steps=100, relaxation=1.0):
    """`parts` are the densities that go each of the nine ways, in rows and columns; `walls` is true where they turn back."""

    def step(parts):
        moved = [gnp.roll(parts[k], way, (0, 1)) for k, way in enumerate(WAYS)]
        density = sum(moved)
        vy = sum(way[0] * part for way, part in zip(WAYS, moved, strict=True) if way[0]) / density
        vx = sum(way[1] * part for way, part in zip(WAYS, moved, strict=True) if way[1]) / density
        square = 1.5 * (vx * vx + vy * vy)
        after = []
        for (y, x), weight, part, back in zip(WAYS, WEIGHTS, moved, BACK, strict=True):
            along = 3 * (y * vy + x * vx)
            balance = weight * density * (1 + along + along * along / 2 - square)
            after.append(gnp.where(walls, moved[back], part + relaxation * (balance - part)))
        return gnp.stack(after)

    return gpuvm.repeat(steps, step, parts)


if __name__ == "__main__":
    rows, columns = np.mgrid[:32, :80]
    walls = (rows - 16) ** 2 + (columns - 20) ** 2 < 30
    start = np.repeat(np.array(WEIGHTS, np.float32)[:, None, None], 32, 1).repeat(80, 2)
    start[1] *= 1.3  # It flows to the right.
    parts = flow(start, walls, steps=150)
    speed = np.hypot(*(sum(way[i] * part for way, part in zip(WAYS, parts, strict=True)) for i in (0, 1)))
    for y in range(0, 32, 2):
        print("".join("O" if walls[y, x] else " .:-=+*#%@"[min(int(speed[y, x] * 60), 9)] for x in range(80)))
