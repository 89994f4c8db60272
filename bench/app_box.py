"""Sub-steps of spheres that fall, collide and are bound by threads (examples/box), the grid of cells made anew for each, since the ball is fast.

Peers take the same sub-steps without books and regulator: NumPy in double precision over all pairs, SciPy's k-d tree in double
precision, torch with the same grid in single precision.
"""

import functools

import numpy as np

import examples
from model import Case, Tensor, wanted

reference, scene = examples.load("box/reference"), examples.load("box/scene")

FRAMES, TICKS = 6, 16
H = TICKS * reference.TICK
GRAVITY = (0.0, 0.0, -10.0)
MOST = 16  # spheres in three cells in a row
SMALL = {"n": 500, "size": (10.0, 10.0, 15.0), "layers": 4, "speed": 18.0}
LARGE = {"n": 100_000, "size": (50.0, 50.0, 75.0), "layers": 34, "speed": 18.0}


class Box:
    """A scene, made when it is needed, and for how many sub-steps it runs."""

    def __init__(self, sizes, steps):
        self.sizes, self.steps = sizes, steps
        self.cells = [int(length / scene.CELL) for length in sizes["size"]]

    @functools.cached_property
    def scene(self):
        return scene.make(**self.sizes)


def numpy_pairs(box):
    return lambda d: reference.run(box.scene, np.array(GRAVITY), [TICKS] * box.steps)[1].astype(np.float32)


def tree_step(q, v, partners, size, gravity):
    from scipy.spatial import cKDTree
    q = q + v * (H / 2)
    one, other = cKDTree(q.T).query_pairs(1.0, output_type="ndarray").T
    away, speed = q[:, one] - q[:, other], v[:, one] - v[:, other]
    distance = np.sqrt((away ** 2).sum(axis=0))
    push = reference.STIFFNESS * (1 - distance) - reference.DAMPING * (away * speed).sum(axis=0) / distance
    pair = push / distance * away
    count = q.shape[1]
    force = np.stack([np.bincount(one, axis, count) - np.bincount(other, axis, count) for axis in pair])
    v = v + (force + reference.walls(q, v, size, H)[0] + gravity) * H
    q = q + v * (H / 2)
    for _ in range(3):
        way = reference.stretch(q, partners)
        q, v = q + way, v + way / H
    return q, v


def scipy_tree(box, d):
    def call():
        q, v, size = d["start"].astype(np.float64), d["speed"].astype(np.float64), d["size"].astype(np.float64)
        gravity = d["gravity"].astype(np.float64)[:, None]
        for _ in range(box.steps):
            q, v = tree_step(q, v, d["partners"], size, gravity)
        return v.astype(np.float32)
    return call


def torch_collide(torch, q, v, counts, place, order, begins):
    """Forces of spheres on each other: nine rows of three cells, MOST spheres of each."""
    x, y, z = place
    nx, ny, nz = counts
    beside = torch.arange(9, device=q.device)
    row, plane = y + (beside % 3 - 1)[:, None], z + (beside // 3 - 1)[:, None]
    inside = (row >= 0) & (row < ny) & (plane >= 0) & (plane < nz)
    line = (plane.clamp(0, nz - 1) * ny + row.clamp(0, ny - 1)) * nx
    first, after = begins[line + (x - 1).clamp(min=0)], begins[line + (x + 1).clamp(max=nx - 1) + 1]
    at = first[:, None] + torch.arange(MOST, device=q.device)[:, None]
    other = order[at.clamp(max=len(order) - 1)]
    away = q[:, None, None] - q[:, other]
    square = (away * away).sum(0)
    touches = inside[:, None] & (at < after[:, None]) & (square > 0) & (square < 1)
    distance = torch.where(touches, square, 1).sqrt()
    parting = (away * (v[:, None, None] - v[:, other])).sum(0) / distance
    push = torch.where(touches, reference.STIFFNESS * (1 - distance) - reference.DAMPING * parting, 0)
    return (push / distance * away).sum((1, 2))


def torch_walls(q, v, size):
    inward = (0.5 - q).clamp(min=0) - (q - (size[:, None] - 0.5)).clamp(min=0)
    return reference.STIFFNESS * inward - reference.DAMPING * v * (inward != 0)


def torch_stretch(torch, q, partners):
    total = torch.zeros_like(q)
    for row in partners:
        away = torch.where(row >= 0, q[:, row.clamp(min=0)] - q, 0)
        distance = (away * away).sum(0).sqrt()
        safe = torch.where(distance > 0, distance, 1)
        total = total + (distance - scene.REST) / 3 / safe * away
    return total


def torch_grid(box, compiled):
    def prepare(torch):
        return [torch.compile(f) if compiled else f for f in (torch_collide, torch_walls, torch_stretch)]

    def call(d):
        torch, q, v, partners = d["torch"], d["start"], d["speed"], d["partners"].long()
        collide, walls, stretch = d.setdefault(("box", compiled), prepare(torch))
        nx, ny, nz = counts = box.cells
        cells = torch.arange(nx * ny * nz + 1, device=q.device)
        gravity = d["gravity"][:, None]
        for _ in range(box.steps):
            q = q + v * (H / 2)
            place = [(axis * (1 / scene.CELL)).long().clamp(0, count - 1) for axis, count in zip(q, counts)]
            sorted_cells, order = ((place[2] * ny + place[1]) * nx + place[0]).sort()
            begins = torch.searchsorted(sorted_cells, cells)
            v = v + (collide(torch, q, v, counts, place, order, begins) + walls(q, v, d["size"]) + gravity) * H
            q = q + v * (H / 2)
            for _ in range(3):
                way = stretch(torch, q, partners)
                q, v = q + way, v + way / H
        return v
    return call


def case(box, **peers):
    n = box.sizes["n"]
    cells = box.cells[0] * box.cells[1] * box.cells[2]
    sizes = examples.settings(n=n, cells=cells, grids=box.steps // FRAMES)
    inputs = {"start": Tensor((3, n), "f32", make=lambda: box.scene.places), "speed": Tensor((3, n), "f32", make=lambda: box.scene.speeds),
              "partners": Tensor((2, n), "i32", make=lambda: box.scene.partners), "size": Tensor((3,), "f32", make=lambda: box.scene.size),
              "counts": Tensor((3,), "i32", make=lambda: box.scene.cells),
              "gravity": Tensor((3,), "f32", make=lambda: np.array(GRAVITY, np.float32)),
              "frame": Tensor((), "i32", make=lambda: np.array(box.steps // FRAMES * TICKS, np.int32))}
    return Case(f"box, {n:,} spheres, {box.steps} sub-steps", examples.text("box/box"), inputs,
                "speeds", Tensor((3, n), "f32"), torch={"a grid": torch_grid(box, False), "a grid, compiled parts": torch_grid(box, True)},
                options=("--park=always", *sizes), bound=1e-3, **peers)


def cases(device, _):
    small, large = Box(SMALL, 24), Box(LARGE, 24 if device == "gpu" else 6)
    yield case(small, reference=numpy_pairs(small), target=wanted(device))
    yield case(large, host={"SciPy": functools.partial(scipy_tree, large)}, target=wanted(device))
