"""A ball of threads above a bed of loose spheres, both as lattices that are a little disturbed; and what a scene must be."""

import csv

import numpy as np

REST = 1.02  # from partner to partner, and in the lattice
CELL = 1.25
COLUMNS = ["x", "y", "z", "vx", "vy", "vz", "first", "second"]


class BadData(Exception):
    """What cannot be run, as a sentence."""


class Scene:
    """Places and speeds [3, n], partners [2, n] (-1 is none), and the sides of the box."""

    def __init__(self, places, speeds, partners, size):
        self.places, self.speeds = np.ascontiguousarray(places, np.float32), np.ascontiguousarray(speeds, np.float32)
        self.partners, self.size = np.ascontiguousarray(partners, np.int32), np.asarray(size, np.float32)
        self.n = self.places.shape[1]
        self.cells = np.floor(self.size / CELL).astype(np.int32)

    def problem(self):
        """Why this is no scene, as a sentence, or None. Threads may close to rings, which are as good as others."""
        for what, values in (("place", self.places), ("speed", self.speeds)):
            lost = np.flatnonzero(~np.isfinite(values).all(axis=0))
            if lost.size:
                return f"The {what} of sphere {lost[0]} is no number."
        outside = np.flatnonzero(((self.places < 0) | (self.places > self.size[:, None])).any(axis=0))
        if outside.size:
            return f"Sphere {outside[0]} at {self.places[:, outside[0]].tolist()} is outside of the box {self.size.tolist()}."
        own = np.arange(self.n)
        for row in self.partners:
            wrong = np.flatnonzero((row < -1) | (row >= self.n) | (row == own))
            if wrong.size:
                return f"Sphere {wrong[0]} is bound to {row[wrong[0]]}, which is none of the {self.n} others."
        if np.any((self.partners[0] == self.partners[1]) & (self.partners[0] >= 0)):
            return "A sphere is bound to one partner twice."
        pairs = {(int(a), int(b)) for row in self.partners for a, b in zip(own, row) if b >= 0}
        alone = next((pair for pair in sorted(pairs) if pair[::-1] not in pairs), None)
        return f"Sphere {alone[0]} is bound to {alone[1]}, but not the other way around." if alone else None


def lattice(counts, corner):
    grid = np.stack(np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"))[::-1].reshape(3, -1)
    return grid * REST + np.asarray(corner, float)[:, None]


def threads(ball):
    """Partners in a lattice: the neighbours along x."""
    partners = np.full((2, ball.shape[1]), -1)
    steps = np.round((ball - ball.min(axis=1, keepdims=True)) / REST).astype(int)
    number = {tuple(step): i for i, step in enumerate(steps.T)}
    for (x, y, z), i in number.items():
        partners[0, i] = number.get((x - 1, y, z), -1)
        partners[1, i] = number.get((x + 1, y, z), -1)
    return partners


def make(n, size, layers, speed):
    """n spheres: so many layers of a bed, and the others a ball that falls on it."""
    side = [int((length - 1) / REST) + 1 for length in size[:2]]
    bed = lattice((layers, side[1], side[0]), (0.51, 0.51, 0.51))
    rest = n - bed.shape[1]
    across = int(2 * (rest * 0.75 / np.pi) ** (1 / 3)) + 4
    cube = lattice((across,) * 3, (0, 0, 0))
    middle = cube.mean(axis=1, keepdims=True)
    ball = cube[:, np.sort(np.argsort(((cube - middle) ** 2).sum(axis=0), kind="stable")[:rest])]
    partners = threads(ball)
    target = np.array([size[0] / 2, size[1] / 2, 0])[:, None]
    ball = ball - middle + target
    ball[2] += bed[2].max() + 1.1 - ball[2].min()
    draw = np.random.default_rng(n)
    places = np.concatenate([bed, ball], axis=1)
    places += draw.uniform(-0.005, 0.005, places.shape)
    speeds = np.zeros_like(places)
    speeds[2, bed.shape[1]:] = -speed
    return Scene(places, speeds, np.concatenate([np.full((2, bed.shape[1]), -1), np.where(partners < 0, -1, partners + bed.shape[1])], axis=1), size)


def read(file, size):
    """A scene from a file of comma separated values with the columns COLUMNS, a row for each sphere."""
    try:
        with open(file, newline="", encoding="utf-8") as text:
            rows = list(csv.reader(text))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadData(f"The scene cannot be read: {error}.") from error
    if not rows or rows[0] != COLUMNS:
        raise BadData(f'The scene "{file}" does not begin with the columns {",".join(COLUMNS)}.')
    if len(rows) < 3:
        raise BadData(f'The scene "{file}" has {len(rows) - 1} spheres; there must be two at least.')
    if any(len(row) != len(COLUMNS) for row in rows):
        raise BadData(f'The scene "{file}" has a row that has not {len(COLUMNS)} columns.')
    try:
        numbers = np.array([[float(text) for text in row[:6]] for row in rows[1:]]).T
        partners = np.array([[int(text) for text in row[6:]] for row in rows[1:]]).T
    except ValueError as error:
        raise BadData(f'The scene "{file}" holds what is no number ({error}).') from error
    return Scene(numbers[:3], numbers[3:], partners, size)


def write(file, scene):
    with open(file, "w", newline="", encoding="utf-8") as text:
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(COLUMNS)
        for i in range(scene.n):
            rows.writerow([*map(repr, map(float, (*scene.places[:, i], *scene.speeds[:, i]))), *map(int, scene.partners[:, i])])
