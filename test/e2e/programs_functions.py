"""Programs for the differential test: every operation of math, on special numbers, too."""

from program_text import TYPES, Program, bits, is_float

FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2",
             "expm1", "log", "log10", "log1p", "log2", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh"]
ROUNDINGS = ["absf", "ceil", "floor", "round", "roundeven", "trunc"]
PREDICATES = ["isfinite", "isinf", "isnan", "isnormal"]
BIT_COUNTS = ["absi", "ctlz", "ctpop", "cttz"]


def function_programs(dtype):
    """All of `math` on floats: four functions a program, on numbers and on what is no number."""
    shape = (999,)
    builds = [lambda s, x, y, f=f: s.unary(f"math.{f}", x, exact=False) for f in FUNCTIONS]
    builds += [lambda s, x, y, f=f: s.unary(f"math.{f}", x) for f in ROUNDINGS]
    builds += [lambda s, x, y, f=f: s.add(shape, "i1", f"math.{f} %{x.name} : {x.type}") for f in PREDICATES]
    builds += [lambda s, x, y: s.binary("math.copysign", x, y),
               lambda s, x, y: s.add(shape, dtype, f"math.clampf %{x.name} to [%{y.name}, %{y.name}] : {x.type}", False),
               lambda s, x, y: s.add(shape, dtype, f"math.fma %{x.name}, %{y.name}, %{y.name} : {x.type}", False)]
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


def casts(source, target):
    """The operations that convert one type into the other."""
    floats = (is_float(source), is_float(target))
    narrows, widens = bits(target) < bits(source), bits(target) > bits(source)
    ops = {(True, True): ["truncf"] * narrows + ["extf"] * widens, (True, False): ["fptosi", "fptoui"],
           (False, True): ["sitofp", "uitofp"], (False, False): ["trunci"] * narrows + ["extsi", "extui"] * widens}[floats]
    return ops + ["bitcast"] * (bits(source) == bits(target) and source != target)


def cast_program(source):
    """All conversions of a type, on special numbers and on bits of any kind."""
    p = Program(f"casts_{source}")
    p.special, p.wide = is_float(source), True
    x = p.input((999,), source)
    p.outputs = [p.stage(lambda s, x, op=op, target=target: s.cast(f"arith.{op}", x, target), x)
                 for target in TYPES for op in casts(source, target)]
    return p


def index_program():
    """Numbers made of indices, by linalg.index and tensor.generate."""
    p = Program("indices")
    p.outputs = [p.stage(lambda s: s.iota((5, 77, 3), "i32")), p.stage(lambda s: s.iota((1000,), "f32")),
                 p.stage(lambda s: s.iota((33, 65), "bf16"))]
    return p


def functions(_):
    yield index_program()
    yield from map(cast_program, TYPES)
    for dtype in ("f16", "bf16", "f32", "f64"):
        yield from function_programs(dtype)
    yield from (bit_program(dtype) for dtype in ("i8", "i16", "i32", "i64"))
