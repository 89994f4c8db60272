"""Programs for the differential test, each a function of its seed."""

import itertools
import math
import random

from program_text import TYPES, Program, bits, is_float, tensor

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


def sweep_program(dtype, shape, index):
    """Every axis set of one shape, and an elementwise chain over it."""
    p = Program(f"sweep_{dtype}_{index}")
    a, b = p.input(shape, dtype), p.input(shape, dtype)
    twice = p.stage(lambda s, x, y: elementwise(s, x, y), a, b)
    p.outputs.append(twice)
    for i, axes in enumerate(axis_sets(len(shape)) or [()]):
        op, start = combiners(dtype)[(i + index) % len(combiners(dtype))]
        source = [twice, a][i % 2]
        if axes:
            p.outputs.append(p.stage(lambda s, x: s.reduce(op, x, axes, start), source))
    return p


def elementwise(s, x, y):
    """Three operations, which differ with the type."""
    if x.dtype == "i1":
        return s.binary("arith.xori", x, s.binary("arith.andi", y, x))
    if is_float(x.dtype):
        product = s.binary("arith.mulf", x, y)
        return s.binary("arith.subf", s.binary("arith.addf", product, x), s.binary("arith.maximumf", x, y))
    product = s.binary("arith.muli", x, y)
    return s.binary("arith.subi", s.binary("arith.addi", product, x), s.binary("arith.maxsi", x, y))


def sweep(_):
    """Every type in every rank and every odd size."""
    rng = random.Random(1)
    for number, dtype in enumerate(TYPES):
        chosen = [(), (SIZES[number % 8],), (SIZES[(number + 3) % 8],)]
        chosen += [tuple(shapes(rng, 2)), (3, SIZES[(number + 2) % 6]), (SIZES[(number + 1) % 6], 5)]
        chosen += [tuple(shapes(rng, 3)), (2, 255, 7)]
        for index, shape in enumerate(chosen):
            yield sweep_program(dtype, shape, index)


def long_program(name, shape, axes, dtype, ops):
    """Reductions of a value made by `ops` operations, which is an output too."""
    p = Program(name)
    a, b = p.input(shape, dtype), p.input(shape, dtype)

    def body(s, x, y):
        for _ in range(ops // 3):
            x = elementwise(s, x, y)
        return x

    value = p.stage(body, a, b)
    p.outputs = [p.stage(lambda s, x: s.reduce(op, x, axes, start), value) for op, start in combiners(dtype)[:2]]
    p.outputs += [value] if ops < 9 else []
    return p


def mixed_program(name, shape, axes):
    """Reductions of one value in several types, each with an order of its own."""
    p = Program(name)
    x = p.input(shape, "f32")

    def total(dtype, op):
        def build(s, x):
            zero = s.constant(shape, "f32", 0)
            value = x if dtype == "f32" else s.cast("arith.extf", x, dtype) if is_float(dtype) else s.cast(
                "arith.extui", s.compare("ogt", x, zero), dtype)
            return s.reduce(op, value, axes, 0)
        return p.stage(build, x)

    p.outputs = [total("i32", "arith.addi"), total("f64", "arith.addf"), total("i64", "arith.maxsi"),
                 total("f32", "arith.addf")]
    return p


def long(_):
    """Reductions in which a lane group takes several rows a turn, with one part
    and with all of them, and bodies so long that they are unrolled less."""
    yield long_program("parts", (2099271,), [0], "f32", 3)
    yield long_program("parts_long_body", (2099271,), [0], "f32", 45)
    yield long_program("parts_i64", (2099271,), [0], "i64", 6)
    yield mixed_program("mixed", (3, 70001), [1])
    yield mixed_program("mixed_rows", (300, 1500), [1])
    yield long_program("rows", (100, 8323), [1], "f32", 3)
    yield long_program("rows_long_body", (100, 8323), [1], "f32", 90)
    yield long_program("rows_f16", (67, 9000), [1], "f16", 3)
    yield long_program("middle", (3, 40, 2775), [0, 2], "f32", 3)
    yield long_program("middle_long_body", (3, 40, 2776), [0, 2], "f64", 45)


# ----------------------------------------------------------- random programs


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


def row_program(name, shape, axes, dtype):
    """Reductions whose results the elements of their row are combined with, twice."""
    p = Program(name)
    x = p.input(shape, dtype)
    zero, one = (0.0, 1.0) if is_float(dtype) else (0, 1)
    kind = "f" if is_float(dtype) else "i"
    most = "arith.maximumf" if is_float(dtype) else "arith.maxsi"

    def shifted(s, x):
        top = s.broadcast(s.reduce(most, x, axes, zero), shape, axes)
        return s.binary("arith.sub" + kind, x, top)

    def scaled(s, x):
        total = s.reduce("arith.add" + kind, x, axes, one)
        return s.binary("arith.mul" + kind, x, s.broadcast(s.binary("arith.add" + kind, total, total), shape, axes))

    m = p.stage(shifted, x)
    n = p.stage(scaled, m)
    count = p.stage(lambda s, x: s.reduce("arith.add" + kind, x, axes, zero), n)
    p.outputs = [n, count]
    return p


def softmax_program(name, shape, dtype):
    p = Program(name)
    x = p.input(shape, dtype)
    axes = [len(shape) - 1]

    def exponentials(s, x):
        top = s.broadcast(s.reduce("arith.maximumf", x, axes, -100.0), shape, axes)
        return s.unary("math.exp", s.binary("arith.subf", x, top), exact=False)

    def quotients(s, x):
        total = s.broadcast(s.reduce("arith.addf", x, axes, 0.0), shape, axes)
        return s.binary("arith.divf", x, total, exact=False)

    p.outputs = [p.stage(quotients, p.stage(exponentials, x))]
    return p


def rows(_):
    """Row kernels: one lane and one workgroup a row, rows of all lengths."""
    shapes = [((300, 7), [1]), ((300, 64), [1]), ((300, 65), [1]), ((200, 1000), [1]), ((140, 4099), [1]),
              ((7, 2048), [1]), ((3, 5, 1023), [1, 2]), ((70, 3, 333), [0, 2]), ((9, 9001), [0]), ((2048,), [0]),
              ((1, 1), [1]), ((130, 30011), [1])]
    for number, (shape, axes) in enumerate(shapes):
        dtype = ["f32", "i32", "f64", "f32", "f16"][number % 5]
        yield row_program(f"rows_{number}_{dtype}", shape, axes, dtype)
    for number, shape in enumerate([(200, 1000), (300, 50), (140, 2500), (1, 3, 2048)]):
        yield softmax_program(f"softmax_{number}", shape, "f32")


FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2",
             "expm1", "log", "log10", "log1p", "log2", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh"]
ROUNDINGS = ["absf", "ceil", "floor", "round", "roundeven", "trunc"]
ON_F64 = ["rsqrt", "sqrt"]
PREDICATES = ["isfinite", "isinf", "isnan", "isnormal"]
BIT_COUNTS = ["absi", "ctlz", "ctpop", "cttz"]


def function_programs(dtype):
    """All of `math` on floats: four functions a program, on numbers and on what is no number."""
    shape = (999,)
    builds = [lambda s, x, y, f=f: s.unary(f"math.{f}", x, exact=False) for f in FUNCTIONS
              if dtype != "f64" or f in ON_F64]
    builds += [lambda s, x, y, f=f: s.unary(f"math.{f}", x) for f in ROUNDINGS]
    builds += [lambda s, x, y, f=f: s.add(shape, "i1", f"math.{f} %{x.name} : {x.type}") for f in PREDICATES]
    builds += [lambda s, x, y: s.binary("math.copysign", x, y),
               lambda s, x, y: s.add(shape, dtype, f"math.clampf %{x.name} to [%{y.name}, %{y.name}] : {x.type}", False),
               lambda s, x, y: s.add(shape, dtype, f"math.fma %{x.name}, %{y.name}, %{y.name} : {x.type}", False)]
    if dtype != "f64":
        builds += [lambda s, x, y: s.binary("math.atan2", x, y, exact=False),
                   lambda s, x, y: s.binary("math.powf", s.unary("math.absf", x), y, exact=False)]
    for first in range(0, len(builds), 4):
        p = Program(f"functions_{dtype}_{first}")
        p.special = True
        x, y = p.input(shape, dtype), p.input(shape, dtype)
        p.outputs = [p.stage(build, x, y) for build in builds[first:first + 4]]
        yield p


def bit_program(dtype):
    """Counts of bits, powers and shifts by any amount."""
    p = Program(f"bits_{dtype}")
    x, y = p.input((999,), dtype), p.input((999,), dtype)
    small = p.stage(lambda s, y: s.binary("arith.andi", y, s.constant(y.shape, dtype, 15)), y)
    p.outputs = [p.stage(lambda s, x: s.unary(f"math.{f}", x), x) for f in BIT_COUNTS]
    p.outputs += [p.stage(lambda s, x, n: s.binary(f"arith.{f}", x, n), x, small) for f in ("shli", "shrsi", "shrui")]
    p.outputs += [p.stage(lambda s, x, n: s.binary("math.ipowi", x, n), x, small)]
    return p


def functions(_):
    for dtype in ("f16", "f32", "f64"):
        yield from function_programs(dtype)
    yield from (bit_program(dtype) for dtype in ("i8", "i16", "i32", "i64"))


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
        tiny = {"f16": 1.5e-7, "f32": 1.5e-40, "f64": 1.5e-310}[a.dtype]
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
    dtype = rng.choice(["f16", "f32", "f32", "f64"])
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


def state_program(seed):
    """Stages that load, store and pass on symbols and halves of them."""
    rng = random.Random(seed)
    p = Program(f"state_{seed}")
    p.iterations = rng.randint(1, 3)
    dtype = rng.choice(["i8", "i32", "i64", "f32"])
    half = 256 // max(1, bits(dtype) // 8)
    sizes = {"half": (half,), "whole": (2 * half,)}
    values = [p.input(sizes["half"], dtype), p.input(sizes["whole"], dtype)]
    for kind in rng.sample(["register", "register", "global", "global", "metric"], rng.randint(1, 3)):
        p.symbol(kind, sizes["whole"], dtype)

    def access(s, pool):
        symbol = rng.choice(p.symbols)
        place = rng.choice(["", "[0]", f"[{half}]"])
        shape = sizes["half" if place else "whole"]
        if rng.random() < 0.5:
            pool.append(s.add(shape, dtype, f"gpuvm.load @{symbol.name}{place} : {tensor(shape, dtype)}"))
            return
        value = rng.choice([v for v in pool if v.shape == shape] or [s.constant(shape, dtype, 3)])
        s.lines.append(f"gpuvm.store %{value.name}, @{symbol.name}{place} : {value.type}")

    for _ in range(rng.randint(2, 6)):

        def build(s, *received):
            pool = list(received)
            for _ in range(rng.randint(1, 4)):
                if not pool or rng.random() < 0.6:
                    access(s, pool)
                    continue
                a = rng.choice(pool)
                b = rng.choice([v for v in pool if v.shape == a.shape])
                op = rng.choice(["addf", "subf", "maximumf"] if is_float(dtype) else ["addi", "subi", "xori"])
                pool.append(s.binary("arith." + op, a, b))
            return rng.choice(pool) if pool and rng.random() < 0.7 else None

        sent = p.stage(build, *rng.sample(values, min(len(values), rng.randint(0, 3))))
        if sent:
            values.append(sent)
    p.outputs = [v for v in p.messages if rng.random() < 0.5]
    return p


def from_seeds(make):
    return lambda seeds: (make(seed) for seed in seeds)


KINDS = {"sweep": sweep, "long": long, "rows": rows, "functions": functions, "random": from_seeds(random_program),
         "state": from_seeds(state_program), "exact": from_seeds(exact_program)}
