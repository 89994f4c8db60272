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
BITS = {"f32": np.uint32, "f16": np.uint16, "f64": np.uint64}
WIDER = {"f32": np.float64, "f16": np.float64, "f64": np.longdouble}


def columns():
    return [json.loads(path.read_text()) for path in sorted(FILES.glob("*.json"))]


def worst_known():
    """The f32 with the greatest error of each function of one number, on each device."""
    found = [types["f32"]["operands"] for column in columns() for types in column["functions"].values() if "f32" in types]
    return np.array([abs(float(operands[0])) for operands in found if len(operands) == 1], np.float32).view(np.int32)


def fill(values, count, dtype):
    """The first `count` of the numbers, repeated if there are fewer."""
    return np.resize(np.asarray(values, TYPES[dtype]), count)


def sample(count):
    """f32 of all signs and exponents, and what is hard."""
    rng = np.random.default_rng(1)
    points = [0.25, 0.347, 0.41422, 0.5, 0.6, 0.70710678, 1, 1.4142135, 2, 10, 10.2, 16, 89, 91, 104, 127, 128, 3000,
              2.0**24, 2.0**26, 2.0**31, 1e30, 2.0**96, 2.0**127, 3.4028235e38]
    near = np.array(points, np.float32).view(np.int32)[:, None] + np.arange(-40, 41)
    special = np.concatenate([near.ravel(), [0, 1, 2, 0x7FFFFF, 0x800000, 0x7F800000, 0x7FC00000]]).astype(np.int32)
    turns = (np.arange(1, 2000) * (np.pi / 2)).astype(np.float32).view(np.int32)
    turns = (turns[:, None] + np.arange(-1, 2)).ravel().astype(np.int32)
    exponents = np.repeat(np.arange(256, dtype=np.int32) << 23, max(1, (count // 2 - special.size - turns.size - worst_known().size) // 256))
    spread = exponents | rng.integers(0, 1 << 23, exponents.size, np.int32)
    positive = np.concatenate([special, turns, worst_known(), spread]).view(np.float32)
    return fill(np.stack([positive, -positive], 1).ravel(), count, "f32")


def anything(rng, shape, dtype):
    """Any bits but those of signaling NaNs, which C's functions do not take for NaNs."""
    bits = BITS[dtype]
    values = rng.integers(0, np.iinfo(bits).max, shape, bits, endpoint=True).view(TYPES[dtype])
    return np.where(np.isnan(values), TYPES[dtype](np.nan), values)


def one_operand(count, dtype):
    if dtype == "f32":
        return {"x": sample(count)}
    if dtype == "f64":
        return {"x": anything(np.random.default_rng(3), count, dtype)}
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
    if dtype == "f64":
        return {"x": x, "y": y}
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
