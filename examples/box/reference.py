"""box.mlir in NumPy, in double precision, over all pairs: for a few hundred spheres."""

import numpy as np

import scene

STIFFNESS, DAMPING, TICK = 8000.0, 24.0, 1 / 4096
# The columns of the books.
TICKS, KINETIC, HEIGHT, ELASTIC, HEAT, WORK, MOMENTUM, IMPULSE, DEEPEST, FASTEST, LOST = 0, 1, 2, 3, 4, 5, slice(6, 9), slice(9, 12), 12, 13, 14


def collide(q, v, h):
    """(forces, elastic energy, power that becomes heat, largest overlap) of spheres that touch

    The power is that of the middle of the sub-step, by when the pair parts faster by what it pushes.
    """
    away, speed = q[:, :, None] - q[:, None, :], v[:, :, None] - v[:, None, :]
    square = (away ** 2).sum(axis=0)
    touches = (square > 0) & (square < 1)
    distance = np.sqrt(np.where(touches, square, 1))
    overlap = np.where(touches, 1 - distance, 0)
    parting = np.where(touches, (away * speed).sum(axis=0) / distance, 0)
    push = STIFFNESS * overlap - DAMPING * parting
    power = DAMPING * parting * (parting + push * h)
    return (push / distance * away).sum(axis=2), STIFFNESS * (overlap ** 2).sum() / 4, power.sum() / 2, overlap.max()


def walls(q, v, size, h):
    inward = np.maximum(0.5 - q, 0) - np.maximum(q - (size[:, None] - 0.5), 0)
    touching = np.where(inward != 0, v, 0)
    push = STIFFNESS * inward - DAMPING * touching
    return push, STIFFNESS * (inward ** 2).sum() / 2, DAMPING * (touching * (touching + push * (h / 2))).sum()


def stretch(q, partners):
    """How far each sphere goes for its bonds: a third of what is missing, for each."""
    total = np.zeros_like(q)
    for row in partners:
        away = np.where(row >= 0, q[:, np.maximum(row, 0)] - q, 0)
        distance = np.sqrt((away ** 2).sum(axis=0))
        safe = np.where(distance > 0, distance, 1)
        total += (distance - scene.REST) / 3 / safe * away
    return total


def step(q, v, one, gravity, ticks):
    """(places, speeds, a row of books whose heat, work and impulse are those of this sub-step)"""
    size, h, pull = one.size.astype(np.float64), ticks * TICK, gravity[:, None]
    q = q + v * (h / 2)
    force, elastic, power, deepest = collide(q, v, h)
    wall, wall_elastic, wall_power = walls(q, v, size, h)
    after = v + (force + wall + pull) * h
    middle = (v + after) / 2
    row = np.zeros(16)
    row[TICKS], row[KINETIC], row[HEIGHT] = ticks, (middle ** 2).sum() / 2, -(pull * q).sum()
    row[ELASTIC], row[HEAT], row[IMPULSE], row[DEEPEST] = elastic + wall_elastic, (power + wall_power) * h, wall.sum(axis=1) * h, deepest
    q, v = q + after * (h / 2), after
    before = (v ** 2).sum() / 2 - (pull * q).sum()
    for _ in range(3):
        way = stretch(q, one.partners)
        q, v = q + way, v + way / h
    row[WORK], row[MOMENTUM] = (v ** 2).sum() / 2 - (pull * q).sum() - before, v.sum(axis=1)
    row[FASTEST] = np.sqrt((v ** 2).sum(axis=0)).max()
    return q, v, row


def run(one, gravity, ticks):
    """(places, speeds, diary) of sub-steps of so many ticks each"""
    q, v, diary, books = one.places.astype(np.float64), one.speeds.astype(np.float64), [], np.zeros(16)
    adds = np.zeros(16)
    adds[[HEAT, WORK]] = 1
    adds[IMPULSE] = 1
    for n in ticks:
        q, v, row = step(q, v, one, gravity, n)
        books = row + books * adds
        diary.append(books)
    return q, v, np.array(diary)
