"""Programs for the differential test whose reductions stand inside others: products of a few
bytes that are summed before they are scaled, and other short reductions."""

from products import contract
from program_text import Program, is_float

SIGNS = [("arith.extsi", "arith.extsi"), ("arith.extui", "arith.extui"), ("arith.extui", "arith.extsi"),
         ("arith.extsi", "arith.extui")]


def scaled(s, dots, *scales):
    """The sum of f32(dots) * scale over the last axis, with scales that are shared or not."""
    total = s.cast("arith.sitofp", dots, "f32")
    product = contract(s, total, scales[0], "nb,b->n" if len(scales[0].shape) == 1 else "nb,nb->n", "f32",
                       more=[(v, "b" if len(v.shape) == 1 else "nb") for v in scales[1:]])
    product.exact = True  # In lanes no product is fused with its sum.
    return product


def bytes_program(rows, groups, size, signs=SIGNS[0], flat=False):
    """Bytes of a matrix times those of a vector, `size` of which share a scale. `flat`: both
    are reshaped on the way."""
    p = Program(f"inner_{rows}_{groups}_{size}_{signs[0][9:]}_{signs[1][9:]}{'_flat' * flat}")
    w = p.input((rows, groups * size) if flat else (rows, groups, size), "i8")
    x = p.input((groups * size,) if flat else (groups, size), "i8")
    d, e = p.input((groups,), "f32"), p.input((rows, groups), "f32")

    def build(s, w, x, d, e):
        if flat:
            x = s.expand(x, (groups, size))
            w = s.add((rows, groups, size), "i8", f"tensor.expand_shape %{w.name} [[0], [1, 2]] output_shape "
                      f"[{rows}, {groups}, {size}] : {w.type} into tensor<{rows}x{groups}x{size}xi8>")
        return scaled(s, contract(s, w, x, "nbe,be->nb", "i32", extend=signs), d, e)

    p.outputs = [p.stage(build, w, x, d, e)]
    return p


def made_program():
    """The bytes of the vector are made of floats: once, not for every row. They are summed, too."""
    p = Program("inner_made")
    w, x, d = p.input((70, 24, 32), "i8"), p.input((24, 32), "f32"), p.input((24,), "f32")

    def build(s, w, x, d):
        small = s.binary("arith.mulf", x, s.constant(x.shape, "f32", 0.25))
        q = s.cast("arith.fptosi", s.unary("math.roundeven", s.binary(
            "arith.minimumf", s.binary("arith.maximumf", small, s.constant(x.shape, "f32", -100)),
            s.constant(x.shape, "f32", 100))), "i8")
        sums = s.cast("arith.sitofp", s.reduce("arith.addi", s.cast("arith.extsi", q, "i32"), [1], 0), "f32")
        return scaled(s, contract(s, w, q, "nbe,be->nb", "i32"), d, sums)

    p.outputs = [p.stage(build, w, x, d)]
    return p


def short_program(op, dtype, shape, outer):
    """A reduction of the last axis, and one of what it makes."""
    p = Program(f"inner_{op[6:]}_{dtype}_{'x'.join(map(str, shape))}_{outer[6:]}")
    x = p.input(shape, dtype)
    start = -3 if "max" in op or "max" in outer else 1

    def build(s, x):
        inner = s.reduce(op, x, [2], start)
        twice = s.binary("arith.addf" if is_float(dtype) else "arith.addi", inner, inner)
        return s.reduce(outer, twice, [1], start)

    p.outputs = [p.stage(build, x)]
    return p


def across_stages(instances):
    """The short reduction is a stage of its own."""
    p = Program(f"inner_stages_{instances}")
    w, x = p.input((instances, 12, 40, 16), "i8"), p.input((40, 16), "i8")
    d = p.input((40,), "f32")
    dots = p.stage(lambda s, w, x: contract(s, w, x, "nbe,be->nb", "i32"), w, x, instances=instances, shared=[x])
    p.outputs = [p.stage(lambda s, dots, d: scaled(s, dots, d), dots, d, instances=instances, shared=[d])]
    return p


def inner(_):
    for rows, groups, size in [(64, 64, 32), (5, 24, 16), (33, 7, 64), (3, 1, 4), (70, 40, 12), (9, 130, 2),
                               (4100, 32, 32), (2051, 20, 8), (1, 600, 32)]:
        yield bytes_program(rows, groups, size)
    for signs in SIGNS[1:]:
        yield bytes_program(35, 48, 32, signs)
    for rows, groups, size in [(64, 32, 32), (7, 24, 16), (5, 9, 20), (4096, 12, 32)]:
        yield bytes_program(rows, groups, size, flat=True)
    yield made_program()
    for op, dtype, shape, outer in [("arith.maximumf", "f32", (33, 50, 8), "arith.addf"),
                                    ("arith.addf", "f32", (20, 64, 16), "arith.maximumf"),
                                    ("arith.addf", "f16", (20, 64, 15), "arith.addf"),
                                    ("arith.minsi", "i16", (21, 100, 30), "arith.addi"),
                                    ("arith.muli", "i64", (9, 40, 7), "arith.xori"),
                                    ("arith.addi", "i8", (6, 77, 64), "arith.maxsi"),
                                    ("arith.addf", "bf16", (5, 200, 4), "arith.addf")]:
        yield short_program(op, dtype, shape, outer)
    yield across_stages(1)
    yield across_stages(6)
