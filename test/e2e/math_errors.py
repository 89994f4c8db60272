"""How far results are off, in units in the last place (math_ulp.py says what that is)."""

import itertools

import numpy as np

from math_numbers import BITS, TYPES, WIDER


def distances(exact, dtype):
    """From the number of the type at `exact` to the next; subnormal ones are as far apart as the least normal ones."""
    information = np.finfo(TYPES[dtype])
    magnitude = np.clip(np.abs(exact), exact.dtype.type(information.tiny), exact.dtype.type(information.max))
    return np.ldexp(exact.dtype.type(1), np.frexp(magnitude)[1] - 1 - information.nmant)


def errors(got, exact, dtype):
    information = np.finfo(TYPES[dtype])
    past = np.ldexp(exact.dtype.type(1), information.maxexp)
    with np.errstate(all="ignore"):
        wide = got.astype(exact.dtype)
        near = np.where(np.isinf(wide), np.copysign(past, wide), wide)
        error = np.abs(near - np.clip(exact, -past, past)) / distances(exact, dtype)
        zeros = wide == 0
        if np.any(zeros):
            agrees = np.signbit(wide) == np.signbit(exact)
            error[zeros & agrees & (np.abs(exact) < information.tiny)] = 0
            error[zeros & ~agrees & (exact.astype(TYPES[dtype]) == 0)] = np.inf
        none = np.isnan(wide), np.isnan(exact)
        error[none[0] != none[1]] = np.inf
        error[none[0] & none[1]] = 0
    return error


def is_subnormal(x):
    return (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny) if x.dtype.kind == "f" else np.zeros(x.shape, bool)


def exact_results(function, operands, dtype):
    with np.errstate(all="ignore"):
        return function(*(x.astype(WIDER[dtype]) for x in operands)).astype(WIDER[dtype])


def errors_of(function, operands, got, exact, dtype):
    """Of a function of operands some of which may have been taken for zeros."""
    error = errors(got, exact, dtype)
    small = [is_subnormal(x) for x in operands]
    for flush in itertools.product((False, True), repeat=len(operands)):
        at = np.any([f & s for f, s in zip(flush, small)], 0)
        if np.any(at):
            chosen = [np.where(s, np.copysign(0, x), x)[at] if f else x[at] for f, s, x in zip(flush, small, operands)]
            error[at] = np.minimum(error[at], errors(got[at], exact_results(function, chosen, dtype), dtype))
    return error


def worst(function, operands, got, dtype):
    """The greatest error, and the operands and the result there."""
    exact = exact_results(function, operands, dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(TYPES[dtype])
    # What is rounded correctly, nearly all, is off by 0.5 at most: it counts only if the rest is no worse.
    rest = np.flatnonzero(got.view(BITS[dtype]) != rounded.view(BITS[dtype]))
    for part in (rest, np.arange(got.size)):
        error = errors_of(function, [x[part] for x in operands], got[part], exact[part], dtype)
        if np.any(error > 0.5):
            break
    i = int(np.argmax(error))
    return float(error[i]), [float(x[part[i]]) for x in operands], float(got[part[i]])


def rounded_product(dtype):
    """x y + z whose product is rounded to the type by itself."""
    narrow = TYPES[dtype]
    return lambda x, y, z: (x.astype(narrow) * y.astype(narrow)).astype(WIDER[dtype]) + z


def exact_sum(x, y, z):
    """x y + z of f64s in two parts: the product after Dekker, the sum after Knuth; the wider type rounds their sum."""
    split = lambda v: (v * 4294967297 - (v * 4294967297 - v), v - (v * 4294967297 - (v * 4294967297 - v)))
    (a, b), (c, d), p = split(x), split(y), x * y
    low = ((a * c - p) + a * d + b * c) + b * d
    total = p + z
    back = total - p
    return total + (((p - (total - back)) + (z - back)) + low)


def entry(error, operands, result, elements):
    return {"error": round(error, 3), "operands": [repr(v) for v in operands], "result": repr(result),
            "elements": elements}


def fma_errors(operands, got, dtype):
    """What `worst` says, of the rounding that fits."""
    once = worst((lambda x, y, z: x * y + z) if dtype != "f64" else exact_sum, operands, got, dtype)
    if once[0] <= 0.501:
        return {**entry(*once, got.size), "rounds": "once"}
    return {**entry(*worst(rounded_product(dtype), operands, got, dtype), got.size), "rounds": "twice"}
