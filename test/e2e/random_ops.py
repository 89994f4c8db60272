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
    """Adds one random operation on values of the pool, mostly on the last one."""
    a = pool[-1] if rng.random() < 0.6 else rng.choice(pool)
    same = [v for v in pool if v.shape == a.shape and v.dtype == a.dtype]
    b = rng.choice(same)
    rank = len(a.shape)
    kind = rng.choice(["binary", "binary", "binary", "unary", "compare", "cast", "reduce", "transpose",
                       "broadcast", "slice", "collapse", "expand", "concat", "pad", "insert", "iota"])
    if kind == "binary" and not (a.exact and b.exact):
        return s.binary(rng.choice(["arith.minimumf", "arith.maximumf"]), a, b)
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
    if kind == "unary":
        return random_unary(rng, s, a)
    if kind == "iota" and rank and rank < 4 and rng.random() < 0.5:
        return s.iota(a.shape, rng.choice(["i32", "f32"]))
    if kind == "compare" and a.exact and b.exact:
        predicate = rng.choice(["oge", "olt", "une"] if is_float(a.dtype) else ["eq", "ne", "slt", "sge", "ult", "uge"])
        mask = s.compare(predicate, a, b)
        return rng.choice([mask, s.select(mask, a, b)])
    if kind == "cast" and a.exact:
        return random_cast(rng, s, a)
    if kind == "reduce" and rank:
        op, start = rng.choice(combiners(a.dtype))
        if not a.exact:
            op, start = "arith.maximumf", -1.0
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
    op = "arith.xori" if not is_float(a.dtype) else "arith.subf" if a.exact and b.exact else "arith.maximumf"
    return s.binary(op, a, b)


EXACT_FUNCTIONS = ["arith.negf", "math.absf", "math.floor", "math.ceil", "math.trunc", "math.roundeven"]
BIT_FUNCTIONS = ["math.ctpop", "math.cttz", "math.ctlz", "math.absi"]


def random_unary(rng, s, a):
    """A function of one operand. One that rounds is given numbers at which small errors stay small."""
    if a.dtype == "i1":
        return s.binary("arith.xori", a, s.constant(a.shape, "i1", 1))
    if not is_float(a.dtype):
        return s.unary(rng.choice(BIT_FUNCTIONS), a)
    if not a.exact:
        return s.unary(rng.choice(EXACT_FUNCTIONS[:2]), a)
    if rng.random() < 0.5:
        return s.unary(rng.choice(EXACT_FUNCTIONS), a)
    magnitude = s.unary("math.absf", a)
    op = rng.choice(["sqrt", "log1p", "exp", "exp2", "tanh", "erf", "atan", "atan2"])
    if op in ("sqrt", "log1p"):
        return s.unary("math." + op, magnitude, exact=False)
    if op in ("exp", "exp2"):
        return s.unary("math." + op, s.unary("arith.negf", magnitude), exact=False)
    if op == "atan2":
        return s.binary("math.atan2", a, s.binary("arith.addf", magnitude, s.constant(a.shape, a.dtype, 1)), exact=False)
    return s.unary("math." + op, a, exact=False)


def random_cast(rng, s, a):
    target = rng.choice([t for t in TYPES if t != a.dtype])
    if is_float(a.dtype) and is_float(target):
        if bits(target) == bits(a.dtype):
            a = s.cast("arith.extf", a, "f32")
        return s.cast("arith.extf" if bits(target) > bits(a.dtype) else "arith.truncf", a, target)
    if is_float(a.dtype):
        target = rng.choice(["i1", "i8", "i16", "i32", "i64"])
        return s.cast(rng.choice(["arith.fptosi", "arith.fptoui"]), a, target)
    if is_float(target):
        return s.cast(rng.choice(["arith.sitofp", "arith.uitofp"]), a, target)
    if bits(target) < bits(a.dtype):
        return s.cast("arith.trunci", a, target)
    return s.cast(rng.choice(["arith.extui", "arith.extsi"]), a, target)
