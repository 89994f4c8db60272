"""The numbers that math_ulp.py takes: the types, and the operands of a sample.

Of f32 a sample has every sign and exponent, what is known to be hard, and what was worst on any device that was measured.
"""

import itertools
import json
import math
import pathlib

import numpy as np

FILES = pathlib.Path(__file__).resolve().parent / "math-ulp"  # What was measured, a device each.
TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64}
SIGNED = {"f32": np.int32, "f64": np.int64}
BITS = {"f32": np.uint32, "f16": np.uint16, "f64": np.uint64}
WIDER = {"f32": np.float64, "f16": np.float64, "f64": np.longdouble}


def columns():
    return [json.loads(path.read_text()) for path in sorted(FILES.glob("*.json"))]


def worst_known(dtype):
    """The bits of the number with the greatest error of each function of one number, on each device."""
    found = [types[dtype]["operands"] for column in columns() for types in column["functions"].values() if dtype in types]
    return np.array([abs(float(operands[0])) for operands in found if len(operands) == 1], TYPES[dtype]).view(SIGNED[dtype])


def fill(values, count, dtype):
    """The first `count` of the numbers, repeated if there are fewer."""
    return np.resize(np.asarray(values, TYPES[dtype]), count)


POINTS = {"f32": [0.25, 0.347, 0.41422, 0.5, 0.6, 0.70710678, 1, 1.4142135, 2, 10, 10.2, 16, 89, 91, 104, 127, 128, 3000,
                  2.0**24, 2.0**26, 2.0**31, 1e30, 2.0**96, 2.0**127, 3.4028235e38],
          "f64": [1e-290, 1e-150, 0.25, 0.347, 0.41422, 0.4375, 0.5, 0.65, 0.6875, 0.70710678, 1, 1.4142135, 2, 20, 26.6, 40, 708.4,
                  709.78, 710.5, 712, 1022, 1024, 2.0**19, 2.0**20, 2.0**28, 2.0**53, 2.0**60, 1e270, 2.0**900]}


def sample(count, dtype):
    """Numbers of all signs and exponents, and what is hard; of f64 a quarter between 2^-4 and 2^10, too."""
    rng = np.random.default_rng(1)
    word, digits, exponents = SIGNED[dtype], np.finfo(TYPES[dtype]).nmant, 1 << np.finfo(TYPES[dtype]).nexp
    near = np.array(POINTS[dtype], TYPES[dtype]).view(word)[:, None] + np.arange(-40, 41)
    least, infinity = 1 << digits, (exponents - 1) << digits
    special = np.concatenate([near.ravel(), [0, 1, 2, least - 1, least, infinity, infinity | least >> 1]]).astype(word)
    turns = (np.arange(1, 2000) * (WIDER[dtype](np.pi) / 2)).astype(TYPES[dtype]).view(word)
    turns = (turns[:, None] + np.arange(-1, 2)).ravel().astype(word)
    hard = worst_known(dtype)
    rest = count // 2 - special.size - turns.size - hard.size
    usual = np.empty(0, word)
    if dtype == "f64":
        usual = np.exp2(rng.uniform(-4, 10, rest // 2)).view(word)
        rest -= usual.size
    first = np.repeat(np.arange(exponents, dtype=word) << digits, max(1, rest // exponents))
    spread = first | rng.integers(0, 1 << digits, first.size, word)
    positive = np.concatenate([special, turns, hard, usual, spread]).view(TYPES[dtype])
    return fill(np.stack([positive, -positive], 1).ravel(), count, dtype)


def anything(rng, shape, dtype):
    """Any bits but those of signaling NaNs, which C's functions do not take for NaNs."""
    bits = BITS[dtype]
    values = rng.integers(0, np.iinfo(bits).max, shape, bits, endpoint=True).view(TYPES[dtype])
    return np.where(np.isnan(values), TYPES[dtype](np.nan), values)


def one_operand(count, dtype):
    if dtype in SIGNED:
        return {"x": sample(count, dtype)}
    return {"x": fill(np.arange(65536, dtype=np.uint16).view(np.float16), count, dtype)}


def edges_of(dtype):
    edges = [0, 1, 2, 3, 0.5, 1.1, 0.9999, 10, 16384, np.inf, np.finfo(TYPES[dtype]).tiny / 4,
             np.finfo(TYPES[dtype]).max, np.finfo(TYPES[dtype]).smallest_subnormal]
    return [s * v for v in edges for s in (1, -1)] + [np.nan]


def two_operands(count, dtype):
    rng = np.random.default_rng(2)
    edges = edges_of(dtype)
    pairs = list(itertools.product(edges, edges))
    pairs += [(b, e) for b in range(-40, 41) for e in range(-9, 20) if abs(b) ** abs(e) < 2**24]
    rest = count - len(pairs)
    any_pairs = anything(rng, (2, rest // 3), dtype)
    least, most = np.log2(WIDER[dtype](np.finfo(TYPES[dtype]).smallest_subnormal)), np.finfo(TYPES[dtype]).maxexp
    base = np.exp2(rng.uniform(float(least), most, rest))
    base[::2] = rng.uniform(0.5, 2, base[::2].size)
    base = base.astype(TYPES[dtype]).astype(np.float64)
    with np.errstate(divide="ignore"):
        exponent = rng.uniform(float(least) - 1, most + 1, rest) / np.log2(base)
    x, y = np.array(pairs, np.float64).T
    x = fill(np.concatenate([x, any_pairs[0], base]), count, dtype)
    y = fill(np.concatenate([y, any_pairs[1], exponent]), count, dtype)
    whole = np.clip(np.rint(np.nan_to_num(y).astype(np.float64)), -(2**31), 2**31 - 1).astype(np.int32)
    return {"x": x, "y": y, "n": whole}


def three_operands(count, dtype):
    """Sums that cancel most of the product, and any numbers whose product is in the range."""
    rng = np.random.default_rng(4)
    type_, root = TYPES[dtype], 2.0 ** (np.finfo(TYPES[dtype]).maxexp // 3)
    x, y = (np.exp2(rng.uniform(-math.log2(root), math.log2(root), count)) * rng.choice([-1, 1], count) for _ in "xy")
    x, y = x.astype(type_), y.astype(type_)
    product = x.astype(WIDER[dtype]) * y.astype(WIDER[dtype])
    z = -(product * (1 + rng.integers(-3, 4, count) * float(np.finfo(type_).eps)))
    z[::3] = (product * np.exp2(rng.uniform(-30, 30, count)))[::3]
    with np.errstate(over="ignore"):
        return {"x": x, "y": y, "z": np.nan_to_num(z.astype(type_), posinf=1, neginf=-1)}


OPERANDS = {"one": one_operand, "both": one_operand, "two": two_operands, "three": three_operands}
