"""Programs for the differential test: reductions of every type, shape and length."""

import math
import random

import programs_combine
from program_text import TYPES, Program, is_float
from random_ops import SIZES, axis_sets, combiners, shapes


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


def softmax_program(name, shape, dtype, axes=None):
    p = Program(name)
    x = p.input(shape, dtype)
    axes = axes or [len(shape) - 1]

    def exponentials(s, x):
        top = s.broadcast(s.reduce("arith.maximumf", x, axes, -100.0), shape, axes)
        return s.unary("math.exp", s.binary("arith.subf", x, top), exact=False)

    def quotients(s, x):
        total = s.broadcast(s.reduce("arith.addf", x, axes, 0.0), shape, axes)
        return s.binary("arith.divf", x, total, exact=False)

    p.outputs = [p.stage(quotients, p.stage(exponentials, x))]
    return p


def largest_program(name, shape, axes, dtype, predicate):
    """Where the best element of each result is."""
    p = Program(name)
    p.few = True
    x = p.input(shape, dtype)

    def mark(s, x):
        key, _ = programs_combine.arg_reduce(s, x, axes, predicate, None)
        ones, zeros = s.constant(shape, dtype, 1), s.constant(shape, dtype, 0)
        return s.select(s.compare("oeq", x, s.broadcast(key, shape, axes)), ones, zeros)

    p.outputs = [p.stage(mark, x)]
    return p


def whole_columns(_):
    """Row kernels over other dimensions than the last one: one part and many, of which a workgroup has some or all
    at once, kept in registers and not, on sizes that vectors, parts and workgroups do not divide."""
    shapes = [((300, 72), [0]), ((1300, 48), [0]), ((2000, 33), [0]), ((3, 500, 36), [1]), ((9, 70, 64), [0, 1]),
              ((5, 40, 3, 32), [1, 2]), ((270, 2, 136), [0])]
    for number, (shape, axes) in enumerate(shapes):
        dtype = ["f64", "f32", "i32", "f32", "f16", "i64", "f32"][number]
        yield row_program(f"whole_{number}_{dtype}", shape, axes, dtype)
    for number, (shape, axes) in enumerate([((515, 136), [0]), ((1300, 128), [0]), ((2, 300, 132), [1])]):
        yield softmax_program(f"whole_softmax_{number}", shape, "f32", axes)
    yield largest_program("whole_largest", (400, 40), [0], "f32", "ogt")


def rows(_):
    """Row kernels: one lane and one workgroup a row, rows of all lengths."""
    shapes = [((300, 7), [1]), ((300, 64), [1]), ((300, 65), [1]), ((200, 1000), [1]), ((140, 4099), [1]),
              ((7, 2048), [1]), ((3, 5, 1023), [1, 2]), ((70, 3, 333), [0, 2]), ((9, 9001), [0]), ((2048,), [0]),
              ((1, 1), [1]), ((130, 30011), [1])]
    for number, (shape, axes) in enumerate(shapes):
        dtype = ["f32", "i32", "f64", "f32", "f16"][number % 5]
        yield row_program(f"rows_{number}_{dtype}", shape, axes, dtype)
    # So many that short ones share workgroups.
    yield row_program("rows_many", (4099, 150), [1], "f32")
    yield softmax_program("softmax_many", (4096, 97), "f32")
    for number, shape in enumerate([(200, 1000), (300, 50), (140, 2500), (1, 3, 2048)]):
        yield softmax_program(f"softmax_{number}", shape, "f32")


def columns(_):
    """Reductions with lanes along the results: of one part and of many, on sizes that vectors and
    workgroups do not divide, with what is computed from the results and from every element."""
    yield long_program("columns_parts", (3001, 40), [0], "f32", 3)
    yield long_program("columns_odd", (70, 33), [0], "f32", 6)
    yield long_program("columns_long_body", (515, 200), [0], "f32", 90)
    yield long_program("columns_wide", (300, 8200), [0], "f16", 9)
    yield long_program("columns_i8", (1000, 96), [0], "i8", 3)
    yield long_program("columns_i64", (260, 34), [0], "i64", 6)
    yield long_program("columns_middle", (2, 900, 96), [1], "f64", 3)
    yield long_program("columns_of_two", (43, 3, 64), [0, 1], "f32", 3)
    yield mixed_program("columns_mixed", (300, 48), [0])
    for number, (shape, dtype) in enumerate([((100, 64), "f32"), ((127, 37), "i32"), ((120, 8196), "f16"),
                                             ((300, 64), "f32")]):
        yield row_program(f"columns_rows_{number}", shape, [0], dtype)
    for number, shape in enumerate([(100, 48), (1500, 35)]):
        for dtype, predicate, extremum in (("f32", "ogt", "maximumf"), ("i32", "sle", None)):
            yield programs_combine.arg_program(f"columns_arg_{number}_{dtype}", shape, [0], dtype, predicate, extremum)
        yield programs_combine.mixed_program(f"columns_mixed_arg_{number}", shape, [0])
        yield programs_combine.claim_program(f"columns_claim_{number}", shape, [0])
