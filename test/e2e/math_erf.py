"""The error function and its complement in `longdouble`, which NumPy does not have."""

import numpy as np

LD = np.longdouble
ROOT_OF_PI = np.sqrt(LD("3.14159265358979323846264338327950288"))


def gaussian(x):
    """e^(-x^2), whose square is taken in two parts: half of the bits of a number have an exact one."""
    high = x.astype(np.float32).astype(LD)
    return np.exp(-high * high) * np.exp(-(x - high) * (x + high))


def series(x):
    """erf(x) after Kummer, for 0 <= x < 1: all terms are positive."""
    term, total = x.copy(), x.copy()
    for n in range(1, 40):
        term = term * (2 * x * x) / (2 * n + 1)
        total += term
    return 2 / ROOT_OF_PI * gaussian(x) * total


def fraction(x):
    """erfc(x) after Laplace, for 1 <= x: a continued fraction, from its end."""
    rest = np.zeros_like(x)
    for n in range(400, 0, -1):
        rest = LD(n) / 2 / (x + rest)
    return gaussian(x) / ROOT_OF_PI / (x + rest)


def parts(x):
    """erf(|x|) and erfc(|x|), each without cancellation."""
    a = np.minimum(np.abs(x), LD(120))  # Both are constant from there on.
    inside, outside = series(np.where(a < 1, a, 0)), fraction(np.where(a < 1, 1, a))
    return np.where(a < 1, inside, 1 - outside), np.where(a < 1, 1 - inside, outside)


def erf(x):
    return np.where(np.isnan(x), x, np.copysign(parts(x)[0], x))


def erfc(x):
    below, above = parts(x)
    return np.where(np.isnan(x), x, np.where(x < 0, 1 + below, above))
