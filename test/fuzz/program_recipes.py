"""Recipes of random programs: what a few stages do with inputs of any type and shape."""

import math

from programs_combine import arg_reduce
from programs_gather import gather, numbers
from program_text import TYPES, bits, is_float
from random_ops import axis_sets, combiners, random_op

SIZES = [1, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 129, 255, 256, 257, 1000, 1025, 3001]
MAX_ELEMENTS = 12000
PREDICATES = {True: [("ogt", ["maximumf", "maxnumf"]), ("oge", ["maximumf"]), ("olt", ["minimumf"]), ("ole", [])],
              False: [("sgt", ["maxsi"]), ("sge", []), ("slt", ["minsi"]), ("ugt", ["maxui"]), ("ule", ["minui"])]}


def random_shape(rng, rank, most=MAX_ELEMENTS):
    while True:
        shape = tuple(rng.choice(SIZES) for _ in range(rank))
        if math.prod(shape) <= most:
            return shape


def random_input(rng, p, shape, dtype):
    value = p.input(shape, dtype)
    value.fill = rng.choice(["random", "random", "few", "special" if is_float(dtype) else "wide"])
    return value


def chain(rng, p, values):
    """Stages of random operations, each of some values that are there."""
    for _ in range(rng.randint(1, 4)):

        def build(s, *received):
            pool = list(received)
            for _ in range(rng.randint(1, 5)):
                pool.append(random_op(rng, s, pool))
            return pool[-1]

        values = values + [p.stage(build, *rng.sample(values, min(len(values), rng.randint(1, 3))))]
    return values


def several_reductions(rng, p, values):
    """One pass with several outputs: combiners of the list side by side, in a stage that puts them together."""
    x = rng.choice([v for v in values if v.exact and v.shape] or [random_input(rng, p, random_shape(rng, 2), "f32")])
    axes = rng.choice(axis_sets(len(x.shape)))
    shape = [n for i, n in enumerate(x.shape) if i not in axes]
    chosen = rng.sample(combiners(x.dtype), 2)

    def build(s, x):
        inits = [s.constant(shape, x.dtype, start) for _, start in chosen]
        body = "\n".join(f"%r{i} = {op} %a{i}, %e0 : {x.dtype}" for i, (op, _) in enumerate(chosen))
        first, second = s.fold([x], inits, axes, body, ["%r0", "%r1"])
        if not shape:
            return s.binary("arith.addf" if is_float(x.dtype) else "arith.xori", first, second)
        return s.concat(first, second, rng.randrange(len(shape)))

    return [p.stage(build, x)]


def arg_reduction(rng, p, values):
    """The best element, its number, or a slice that follows from it."""
    fitting = [v for v in values if v.exact and v.shape and v.dtype != "i1"]
    if fitting and rng.random() < 0.5:
        x = rng.choice(fitting)
    else:
        x = random_input(rng, p, random_shape(rng, rng.randint(1, 3)), rng.choice(TYPES[1:]))
        x.fill = "few"  # Many ties.
    axes = rng.choice(axis_sets(len(x.shape)))
    predicate, extrema = rng.choice(PREDICATES[is_float(x.dtype)])
    extremum = rng.choice([None, *extrema])
    return [p.stage(lambda s, x, i=i: arg_reduce(s, x, axes, predicate, extremum)[i], x)
            for i in rng.sample([0, 1], rng.randint(1, 2))]


def row_pattern(rng, p, _):
    """Softmax and its relatives, in one stage or several: reductions that their own elements are combined with."""
    dtype = rng.choice(["f32", "f32", "f16", "bf16", "i32"])
    shape = random_shape(rng, rng.randint(1, 3))
    axes = rng.choice(axis_sets(len(shape)))
    x = random_input(rng, p, shape, dtype)
    x.fill = "random"
    kind = "f" if is_float(dtype) else "i"

    def shifted(s, x):
        top = s.reduce("arith.maximumf" if kind == "f" else "arith.maxsi", x, axes, -100.0 if kind == "f" else -100)
        return s.binary("arith.sub" + kind, x, s.broadcast(top, shape, axes))

    def softmax(s, y):
        y = s.unary("math.exp", y, exact=False)
        total = s.broadcast(s.reduce("arith.addf", y, axes, 0.0), shape, axes)
        return s.binary("arith.divf", y, total, exact=False)

    def scaled(s, y):
        total = s.broadcast(s.reduce("arith.add" + kind, y, axes, 0), shape, axes)
        return s.binary("arith.mul" + kind, y, total)

    last = softmax if kind == "f" and rng.random() < 0.5 else scaled
    if rng.random() < 0.5:
        return [p.stage(lambda s, x: last(s, shifted(s, x)), x)]
    shift = p.stage(shifted, x)
    return [shift, p.stage(last, shift)]


def contraction(rng, p, _):
    """matmul, matvec, vecmat, dot or batch_matmul, with something in front and behind."""
    dtype = rng.choice([t for t in TYPES if t != "i1"])
    m, n, k = (rng.choice([1, 2, 3, 7, 16, 17, 33, 64, 65]) for _ in range(3))
    b = rng.choice([1, 2, 3])
    name, left, right, shape = rng.choice([
        ("matmul", (m, k), (k, n), (m, n)), ("matvec", (m, k), (k,), (m,)), ("vecmat", (k,), (k, n), (n,)),
        ("dot", (k,), (k,), ()), ("batch_matmul", (b, m, k), (b, k, n), (b, m, n))])
    x, y = random_input(rng, p, left, dtype), random_input(rng, p, right, dtype)
    x.fill = y.fill = "random"
    before, behind = rng.random() < 0.4, rng.random() < 0.5
    add = "arith.addf" if is_float(dtype) else "arith.addi"
    # In tiles a device may round a product and its sum once (docs/reduction-order.md, 3).
    exact = dtype not in ("f16", "f32", "f64") or "matmul" not in name or min(m, n) < 32 or k <= 16
    p.sums |= not exact

    def build(s, x, y):
        if before:
            x = s.binary(add, x, x)
        init = s.constant(shape, dtype, rng.choice([0, 1]))
        r = s.add(shape, dtype, f"linalg.{name} ins(%{x.name}, %{y.name} : {x.type}, {y.type}) "
                  f"outs(%{init.name} : {init.type}) -> {init.type}", exact)
        return s.binary("arith.maximumf" if is_float(dtype) else "arith.maxsi", r, init) if behind else r

    return [p.stage(build, x, y)]


def metadata(rng, p, values):
    """What a message says of itself."""
    field = rng.choice(["norm", "max_abs"])
    message = rng.choice([v for v in values if v in p.messages and v.exact] or [None])
    if not message or bits(message.dtype) == 64:  # As f32 an overflow would be a matter of luck.
        return []
    return [p.stage(lambda s, x: s.add((), "f32", f"gpuvm.metadata {field} of %{x.name} : {x.type} -> tensor<f32>",
                                       exact=field == "max_abs"), message)]


RECIPES = [chain, chain, several_reductions, arg_reduction, arg_reduction, row_pattern, contraction, metadata]


def picked_rows(rng, p, values):
    """Rows of a value, in an order that an input says, with numbers that are no rows among them."""
    x = rng.choice([v for v in values if v.shape] or [random_input(rng, p, random_shape(rng, 2), rng.choice(TYPES))])
    order = random_shape(rng, rng.randint(0, 2), max(1, MAX_ELEMENTS // math.prod(x.shape[1:])))
    y = random_input(rng, p, order, "i32")
    then = rng.random() < 0.5

    def build(s, x, y):
        rows = gather(s, x, numbers(s, y, x.shape[0]))
        return random_op(rng, s, [rows]) if then else rows

    return p.stage(build, x, y)


def add_program(rng, p):
    """Adds a random program to `p`, beside what it holds already."""
    dtype, shape = rng.choice(TYPES), random_shape(rng, rng.randint(0, 3))
    values = [random_input(rng, p, shape, dtype) for _ in range(2)]
    if rng.random() < 0.3:
        values.append(random_input(rng, p, shape, rng.choice(TYPES)))
    made = []
    for recipe in [chain] * (rng.random() < 0.5) + rng.sample(RECIPES, rng.randint(1, 2)):
        made += [v for v in recipe(rng, p, values + made) if v not in values and v not in made]
    if not made:
        made = [v for v in chain(rng, p, values) if v not in values]
    p.outputs += [v for v in made[:-1] if rng.random() < 0.4][:4] + [made[-1]]
    if rng.random() < 0.2:
        p.outputs.append(picked_rows(rng, p, values + made))
