"""Random operations on values of a stage, and what they are made of."""

import itertools
import math

from program_text import TYPES, bits, is_float

SIZES = [1, 3, 255, 1023, 1024, 1025, 4099, 70001]
MAX_ELEMENTS = 80000

COMBINERS = {
    "i1": [("arith.ori", 0), ("arith.andi", 1), ("arith.xori", 0)],
    "int": [("arith.addi", 0), ("arith.maxsi", 0), ("arith.minui", 77), ("arith.xori", 5), ("arith.muli", 1)],
    "float": [("arith.addf", 0.0), ("arith.maximumf", -1.0), ("arith.minimumf", 1.0), ("arith.addf", 0.5)],
}


def combiners(dtype):
    return COMBINERS["i1" if dtype == "i1" else "float" if is_float(dtype) else "int"]


def axis_sets(rank):
    return [axes for n in range(1, rank + 1) for axes in itertools.combinations(range(rank), n)]


def shapes(rng, rank):
    while True:
        shape = [rng.choice(SIZES + [2, 5, 7, 64]) for _ in range(rank)]
        if math.prod(shape) <= MAX_ELEMENTS:
            return shape


def random_op(rng, s, pool):
    """Adds one random operation on values of the pool."""
    a = rng.choice(pool)
    same = [v for v in pool if v.shape == a.shape and v.dtype == a.dtype]
    b = rng.choice(same)
    rank = len(a.shape)
    kind = rng.choice(["binary", "binary", "binary", "unary", "compare", "cast", "reduce", "transpose",
                       "broadcast", "slice", "collapse", "expand", "concat", "pad", "insert"])
    if kind == "binary":
        if a.dtype == "i1":
            return s.binary(rng.choice(["arith.andi", "arith.ori", "arith.xori"]), a, b)
        if is_float(a.dtype):
            op = rng.choice(["addf", "subf", "mulf", "minimumf", "maximumf", "divf"])
            if op == "divf":
                one = s.constant(a.shape, a.dtype, 1)
                return s.binary("arith.divf", a, s.binary("arith.addf", s.unary("math.absf", b), one), exact=False)
            return s.binary("arith." + op, a, b)
        op = rng.choice(["addi", "subi", "muli", "minsi", "maxsi", "minui", "maxui", "andi", "ori", "xori", "divui",
                         "remui", "divsi", "remsi", "shli", "shrsi", "shrui"])
        if op[:3] in ("div", "rem"):
            b = s.binary("arith.andi", b, s.constant(a.shape, a.dtype, 63))
            b = s.binary("arith.ori", b, s.constant(a.shape, a.dtype, 1))
        elif op[:2] == "sh":
            b = s.binary("arith.andi", b, s.constant(a.shape, a.dtype, 7))
        return s.binary("arith." + op, a, b)
    if kind == "unary" and is_float(a.dtype):
        op = rng.choice(["arith.negf", "math.absf", "math.floor", "math.sqrt", "math.exp"])
        if op in ("math.sqrt", "math.exp") and a.dtype == "f64":
            op = "math.absf"
        if op == "math.floor" and not a.exact:
            op = "math.absf"
        if op == "math.sqrt":
            return s.unary(op, s.unary("math.absf", a), exact=False)
        if op == "math.exp":
            return s.unary(op, s.unary("arith.negf", s.unary("math.absf", a)), exact=False)
        return s.unary(op, a)
    if kind == "compare" and a.exact and b.exact:
        predicate = rng.choice(["oge", "olt", "une"] if is_float(a.dtype) else ["eq", "ne", "slt", "sge", "ult", "uge"])
        mask = s.compare(predicate, a, b)
        return rng.choice([mask, s.select(mask, a, b)])
    if kind == "cast" and a.exact:
        return random_cast(rng, s, a)
    if kind == "reduce" and rank:
        op, start = rng.choice(combiners(a.dtype))
        return s.reduce(op, a, rng.choice(axis_sets(rank)), start)
    if kind == "transpose" and rank > 1:
        return s.transpose(a, rng.sample(range(rank), rank))
    if kind == "broadcast" and rank < 3:
        axis = rng.randint(0, rank)
        size = rng.choice([n for n in (1, 3, 8, 255) if n * math.prod(a.shape) <= MAX_ELEMENTS] or [1])
        return s.broadcast(a, a.shape[:axis] + (size,) + a.shape[axis:], [axis])
    if kind == "slice" and rank:
        strides = [rng.choice([1, 1, 2]) for _ in a.shape]
        sizes = [rng.randint(1, (n + t - 1) // t) for n, t in zip(a.shape, strides)]
        offsets = [rng.randint(0, n - (m - 1) * t - 1) for n, m, t in zip(a.shape, sizes, strides)]
        return s.slice(a, offsets, sizes, strides)
    if kind == "concat" and rank and 2 * math.prod(a.shape) <= MAX_ELEMENTS:
        return s.concat(a, b, rng.randrange(rank))
    if kind == "pad" and rank and math.prod(n + 6 for n in a.shape) <= MAX_ELEMENTS:
        return s.pad(a, [rng.randint(0, 3) for _ in a.shape], [rng.randint(0, 3) for _ in a.shape], 1)
    if kind == "insert" and rank:
        strides = [rng.choice([1, 1, 2]) for _ in a.shape]
        sizes = [rng.randint(1, (n + t - 1) // t) for n, t in zip(a.shape, strides)]
        offsets = [rng.randint(0, n - (m - 1) * t - 1) for n, m, t in zip(a.shape, sizes, strides)]
        return s.insert(s.slice(b, offsets, sizes, strides), a, offsets, strides)
    if kind == "collapse" and rank > 1:
        return s.collapse(a)
    if kind == "expand" and rank == 1:
        factor = next((f for f in (5, 3, 2, 1) if a.shape[0] % f == 0))
        return s.expand(a, [factor, a.shape[0] // factor])
    op = "arith.xori" if not is_float(a.dtype) else "arith.subf"
    return s.binary(op, a, b)


def random_cast(rng, s, a):
    target = rng.choice([t for t in TYPES if t != a.dtype])
    if is_float(a.dtype) and is_float(target):
        return s.cast("arith.extf" if bits(target) > bits(a.dtype) else "arith.truncf", a, target)
    if is_float(a.dtype):
        # Only what every target holds; NaN becomes 0 in the comparison.
        zero, top = s.constant(a.shape, a.dtype, 0), s.constant(a.shape, a.dtype, 100)
        a = s.select(s.compare("ogt", a, zero), a, zero)
        a = s.select(s.compare("olt", a, top), a, top)
        target = rng.choice(["i8", "i16", "i32", "i64"])
        return s.cast(rng.choice(["arith.fptosi", "arith.fptoui"]), a, target)
    if is_float(target):
        if target == "f16" and bits(a.dtype) > 8:
            a = s.cast("arith.trunci", a, "i8")
        return s.cast("arith.uitofp" if a.dtype == "i1" else rng.choice(["arith.sitofp", "arith.uitofp"]), a, target)
    if bits(target) < bits(a.dtype):
        return s.cast("arith.trunci", a, target)
    return s.cast(rng.choice(["arith.extui", "arith.extsi"]), a, target)
