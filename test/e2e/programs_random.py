"""Programs for the differential test, each a function of its seed."""

import random

from program_text import TYPES, Program
from random_ops import axis_sets, random_op, shapes


def random_program(seed):
    """Some stages of some operations each, on one or two types."""
    rng = random.Random(seed)
    p = Program(f"random_{seed}")
    shape = shapes(rng, rng.randint(0, 3))
    dtype = rng.choice(TYPES)
    values = [p.input(shape, dtype), p.input(shape, dtype)]
    if rng.random() < 0.3:
        values.append(p.input(shape, rng.choice(TYPES)))
    for _ in range(rng.randint(2, 6)):
        operands = rng.sample(values, min(len(values), rng.randint(1, 3)))

        def build(s, *received):
            pool = list(received)
            for _ in range(rng.randint(1, 4)):
                pool.append(random_op(rng, s, pool))
            return pool[-1]

        values.append(p.stage(build, *operands))
    p.outputs = [v for v in p.messages[:-1] if rng.random() < 0.4][:6] + [p.messages[-1]]
    return p


def exact_op(rng, s, pool):
    """Adds one random operation that --exact allows."""
    a = rng.choice(pool)
    b = rng.choice([v for v in pool if v.dtype == a.dtype and v.shape == a.shape])
    kind = rng.choice(["arithmetic", "arithmetic", "extremum", "sign", "compare", "cast", "reduce"])
    if kind == "arithmetic" and a.dtype == "f32":
        return s.binary(rng.choice(["arith.addf", "arith.subf", "arith.mulf"]), a, b)
    if kind == "sign":
        op = rng.choice(["arith.negf", "math.absf", "math.copysign"])
        return s.binary(op, a, b) if op == "math.copysign" else s.unary(op, a)
    if kind == "compare":
        predicate = rng.choice(["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
                                "une", "uno"])
        return s.select(s.compare(predicate, a, b), a, b)
    if kind == "cast" and a.dtype != "f64":
        return s.cast("arith.extf", a, "f64" if a.dtype == "f32" else rng.choice(["f32", "f64"]))
    extremum = rng.choice(["arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"])
    if kind == "reduce" and a.shape:
        axes = rng.choice(axis_sets(len(a.shape)))
        tiny = {"f16": 1.5e-7, "bf16": 1.5e-40, "f32": 1.5e-40, "f64": 1.5e-310}[a.dtype]
        if a.dtype == "f32" and rng.random() < 0.5:
            return s.reduce(rng.choice(["arith.addf", "arith.mulf"]), a, axes, rng.choice([0.0, tiny, 1.5]))
        return s.reduce(extremum, a, axes, rng.choice([0.0, tiny]))
    return s.binary(extremum, a, b)


def exact_program(seed):
    """Operations of --exact on operands many of which are subnormal."""
    rng = random.Random(seed)
    p = Program(f"exact_{seed}")
    p.exact = True
    shape = shapes(rng, rng.randint(0, 2))
    dtype = rng.choice(["f16", "bf16", "f32", "f32", "f64"])
    values = [p.input(shape, dtype), p.input(shape, dtype)]
    for _ in range(rng.randint(1, 4)):

        def build(s, *received):
            pool = list(received)
            for _ in range(rng.randint(1, 5)):
                pool.append(exact_op(rng, s, pool))
            return pool[-1]

        values.append(p.stage(build, *rng.sample(values, rng.randint(1, 2))))
    p.outputs = p.messages
    return p
