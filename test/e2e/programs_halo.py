"""Programs for the differential test: stencils over what takes some computing, which one kernel holds for tiles."""

from program_text import Program, is_float


def costly(s, x):
    """More operations than are computed again for each reader."""
    kind = "f" if is_float(x.dtype) else "i"
    y = x
    for i in range(6):
        y = s.binary(["arith.add", "arith.sub"][i % 2] + kind, s.binary("arith.mul" + kind, y, x), x)
    return y


def window(s, x, offsets, sizes):
    return s.slice(x, offsets, sizes, [1] * len(sizes))


def neighbours(s, x, axis, reach, form):
    """`x` with its elements moved along an axis, by -reach to reach."""
    low = [reach * (d == axis) for d in range(len(x.shape))]
    zeros = [0] * len(x.shape)
    if form == "padded":
        wide = s.pad(x, low, low, 0)
        at = lambda n: [n * (d == axis) for d in range(len(x.shape))]
        return [window(s, wide, at(n), x.shape) for n in range(2 * reach + 1)]
    moved = []
    for n in range(-reach, reach + 1):
        by = n % x.shape[axis]
        if by == 0:
            moved.append(x)
            continue
        part = lambda size: [size if d == axis else other for d, other in enumerate(x.shape)]
        last = window(s, x, [by * (d == axis) for d in range(len(x.shape))], part(x.shape[axis] - by))
        moved.append(s.concat(last, window(s, x, zeros, part(by)), axis))
    return moved


def total(s, values):
    kind = "f" if is_float(values[0].dtype) else "i"
    sum = values[0]
    for value in values[1:]:
        sum = s.binary("arith.add" + kind, sum, value)
    return sum


def stencil(name, shape, dtype, reaches, form, alone=False):
    """A sum over all neighbours, in two stages."""
    p = Program(name)
    x = p.input(shape, dtype)

    def blur(s, x):
        values = [x]
        for axis, reach in enumerate(reaches):
            if reach:
                values = [moved for value in values for moved in neighbours(s, value, axis, reach, form)]
        sharp = s.binary("arith.sub" + ("f" if is_float(dtype) else "i"), total(s, values), x)
        return total(s, values) if alone else sharp

    p.outputs = [p.stage(blur, p.stage(costly, x))]
    return p


def separable(name, shape, dtype, reach):
    """Along one axis, with some computing, and then along the other: what is held is made of what is held."""
    p = Program(name)
    x = p.input(shape, dtype)
    along = lambda axis: lambda s, x: total(s, neighbours(s, x, axis, reach, "padded"))
    rows = p.stage(lambda s, x: costly(s, along(1)(s, x)), p.stage(costly, x))
    p.outputs = [p.stage(along(0), rows)]
    return p


def valid(name, shape, dtype):
    """Without what lies outside: the result is smaller than what is held."""
    p = Program(name)
    x, y = p.input(shape, dtype), p.input([n - 2 for n in shape], dtype)

    def inner(s, x, y):
        sizes = [n - 2 for n in x.shape]
        parts = [window(s, x, at, sizes) for at in ([0, 0], [1, 2], [2, 1], [1, 1])]
        return total(s, [*parts, y])

    p.outputs = [p.stage(inner, p.stage(costly, x), y)]
    return p


def halos(_):
    """Dimensions 1 to 3, sizes that tiles do not divide, padded and around the ends."""
    yield stencil("halo_line", (40003,), "f32", [2], "padded")
    yield stencil("halo_ring", (65536,), "i32", [3], "rolled")
    yield stencil("halo_plane", (167, 231), "f32", [1, 1], "padded")
    yield stencil("halo_torus", (192, 224), "f16", [1, 1], "rolled", alone=True)
    yield stencil("halo_rows", (150, 230), "f64", [0, 2], "padded")
    yield stencil("halo_block", (29, 37, 33), "i64", [1, 1, 1], "padded")
    yield stencil("halo_channels", (140, 90, 3), "f32", [1, 1, 0], "padded")
    yield separable("halo_separable", (245, 177), "f32", 2)
    yield valid("halo_valid", (253, 190), "i8")
