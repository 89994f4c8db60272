"""The same bodies in NumPy and SciPy: the steps that the device took, and what the laws of motion themselves give.

All are [3, bodies] in au and days, as in year.mlir.
"""

import numpy as np

import ephemeris

LIGHT = 299792.458 * 86400 / ephemeris.AU  # au / day, CLIGHT of DE421
J2 = 0.001082625305  # J2E of DE421
EARTH_RADIUS = 6378.1363 / ephemeris.AU  # RE of DE421
OUTER = 1 / (2 - 2 ** (1 / 3))
SUN, EARTH, MOON = 0, 3, 4


def away(q):
    """(vectors [3, i, j] from i to j, distances, infinite from a body to itself)"""
    d = q[:, None, :] - q[:, :, None]
    r = np.sqrt((d * d).sum(axis=0))
    np.fill_diagonal(r, np.inf)
    return d, r


def newton(gm, q, v=None):
    d, r = away(q)
    return (gm / r ** 3 * d).sum(axis=2)


def relativity(gm, q, v):
    """Einstein, Infeld and Hoffmann's equations with beta = gamma = 1 (equation 1 of the report on DE421), point masses only."""
    square, (d, r) = LIGHT ** 2, away(q)
    plain = newton(gm, q)
    potential = (gm / r).sum(axis=1)
    speed = (v * v).sum(axis=0)
    along = (d * v[:, None, :]).sum(axis=0) / r
    parts = (-4 * potential[:, None] - potential[None, :] + speed[:, None] + 2 * speed[None, :] - 4 * v.T @ v
             - 1.5 * along ** 2 + 0.5 * (d * plain[:, None, :]).sum(axis=0))
    a = (gm / r ** 3 * d * (1 + parts / square)).sum(axis=2)
    change = (-d * (4 * v[:, :, None] - 3 * v[:, None, :])).sum(axis=0)
    a += ((gm / r ** 3 * change) * (v[:, :, None] - v[:, None, :])).sum(axis=2) / square
    return a + 3.5 / square * (gm / r * plain[:, None, :]).sum(axis=2)


def relativity_and_figure(gm, q, v):
    """As well, the earth's flattening (J2), with its axis where the z axis is, as it was in 2000 within 0.1 degrees."""
    a = relativity(gm, q, v)
    for other in (MOON, SUN):
        d = q[:, other] - q[:, EARTH]
        r = np.sqrt(d @ d)
        z = (d[2] / r) ** 2
        f = -1.5 * gm[EARTH] * J2 * EARTH_RADIUS ** 2 / r ** 5 * d * np.array([1 - 5 * z, 1 - 5 * z, 3 - 5 * z])
        a[:, other] += f
        a[:, EARTH] -= f * gm[other] / gm[EARTH]
    return a


def energy(gm, q, v):
    _, r = away(q)
    return (gm * v * v).sum() / 2 - (gm * gm[:, None] / r).sum() / 2


def replay(gm, q, v, lengths, ticks_a_day):
    """(places, speeds, energy after each step) of steps of these lengths."""
    energies = []
    for length in lengths:
        for weight in (OUTER, 1 - 2 * OUTER, OUTER):
            h = length / ticks_a_day * weight
            q = q + v * (h / 2)
            v = v + newton(gm, q) * h
            q = q + v * (h / 2)
        energies.append(energy(gm, q, v))
    return q, v, np.array(energies)


def solve(law, gm, q, v, days):
    """Places after so many days, by a Runge-Kutta method of eighth order that keeps errors of 1e-13."""
    from scipy.integrate import solve_ivp

    def change(_, state):
        q, v = state.reshape(2, 3, -1)
        return np.concatenate([v.ravel(), law(gm, q, v).ravel()])

    end = solve_ivp(change, (0, days), np.concatenate([q.ravel(), v.ravel()]), method="DOP853", rtol=1e-13, atol=1e-16)
    return end.y[:, -1].reshape(2, 3, -1)[0]
