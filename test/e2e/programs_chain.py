"""Programs of dependent stages for the differential test: what may become a chain.

Each is compiled once more with --chains=always, so that the cost model does not decide
what is tested.
"""

from program_text import Program, is_float

SIZES = [1, 7, 31, 1000, 4096]
DTYPES = ["f32", "i32", "f64", "i8", "f16", "i64"]


def program(name):
    p = Program(name)
    p.variants = {"chained": ["--chains=always"]}
    return p


def shifted(s, x, by, edge, axis=-1):
    """Element i is element i + by of x; beyond the borders a number, or the other end."""
    axis %= len(x.shape)
    along = lambda size, other: [size if i == axis else n for i, n in enumerate(other)]
    zeros, ones = [0] * len(x.shape), [1] * len(x.shape)
    size = x.shape[axis]
    if edge == "wrap":
        by %= size
        if by == 0:
            return x
        front = s.slice(x, along(by, zeros), along(size - by, x.shape), ones)
        back = s.slice(x, zeros, along(by, x.shape), ones)
        return s.concat(front, back, axis)
    padded = s.pad(x, along(max(-by, 0), zeros), along(max(by, 0), zeros), edge)
    return s.slice(padded, along(max(by, 0), zeros), x.shape, ones)


def add(s, x, y):
    return s.binary("arith.addf" if is_float(x.dtype) else "arith.addi", x, y)


def scale(s, x):
    if not is_float(x.dtype):
        return s.binary("arith.xori", x, s.constant(x.shape, x.dtype, 5))
    return s.binary("arith.mulf", x, s.constant(x.shape, x.dtype, 0.375))


def blur(s, x, radius=1, edge=0, axis=-1):
    total = x
    for by in range(-radius, radius + 1):
        if by:
            total = add(s, total, shifted(s, x, by, edge, axis))
    return scale(s, total)


def blurs(number, size):
    """Stencils of several widths and borders, with outputs on the way."""
    dtype = DTYPES[number % len(DTYPES)]
    p = program(f"blur_{size}_{dtype}")
    m = p.input((size,), dtype)
    for i in range(14):
        radius, edge = [(1, 0), (2, 3), (1, "wrap")][i // 5]
        m = p.stage(lambda s, x: blur(s, x, radius, edge), m)
        if i in (4, 9):
            p.outputs.append(m)
    p.outputs.append(m)
    return p


def long_chain(stages, size, dtype):
    p = program(f"long_{stages}_{size}_{dtype}")
    m = p.input((size,), dtype)
    for _ in range(stages):
        m = p.stage(blur, m)
    p.outputs = [m]
    return p


def leapfrog(size, instances=None):
    """Each stage reads two earlier ones and a coefficient, which all of them share."""
    p = program(f"leapfrog_{size}_{instances}")
    own = (size,) if instances is None else (instances, size)
    x, y = p.input(own, "f32"), p.input(own, "f32")
    c = p.input((size,), "f32")

    def step(s, now, before, c):
        difference = s.binary("arith.subf", blur(s, now, 1, 1), before)
        return s.binary("arith.mulf", difference, c)

    values = [x, y]
    for _ in range(21):
        values.append(p.stage(step, values[-1], values[-2], c, instances=instances, shared=[c]))
    p.outputs = values[-2:]
    return p


def ripple(size):
    """Each stage reads other lanes' elements of the three stages before it."""
    p = program(f"ripple_{size}")
    values = [p.input((size,), "i32") for _ in range(3)]

    def step(s, a, b, c):
        return add(s, blur(s, a), add(s, blur(s, b, 2, "wrap"), shifted(s, c, -3, 1)))

    for _ in range(45):
        values.append(p.stage(step, *values[-3:]))
    p.outputs = [values[20], *values[-2:]]
    return p


def permuted(shape):
    """Transposes, reversals of order and reshapes between stencils along both axes."""
    p = program(f"permuted_{shape[0]}_{shape[1]}")
    m = p.input(shape, "i32")
    for i in range(8):
        m = p.stage(lambda s, x: blur(s, x, 1, 7, axis=i % 2), m)
        m = p.stage(lambda s, x: add(s, s.transpose(x, [1, 0]), s.constant(x.shape[::-1], "i32", 3)), m)
    flat = p.stage(lambda s, x: scale(s, s.collapse(x)), m)
    p.outputs = [flat, p.stage(lambda s, x: scale(s, s.expand(x, shape)), flat)]
    return p


def mixed(size):
    """Element types, sizes and a reduction in the middle."""
    p = program(f"mixed_{size}")
    x, y = p.input((size,), "f32"), p.input((size,), "i8")
    m = p.stage(lambda s, x: blur(s, x, 1, "wrap"), x)
    mask = p.stage(lambda s, x: s.compare("ogt", shifted(s, x, 1, 0), x), m)
    n = p.stage(lambda s, mask, y: s.select(shifted(s, mask, -1, 1), y, shifted(s, y, 2, 4)), mask, y)
    wide = p.stage(lambda s, m, n: add(s, m, s.cast("arith.sitofp", blur(s, n), "f32")), m, n)
    half = p.stage(lambda s, x: s.slice(blur(s, x), [0], [(size + 1) // 2], [1]), wide)
    twice = p.stage(lambda s, x: s.concat(blur(s, x), x, 0), half)
    total = p.stage(lambda s, x: s.reduce("arith.addf", x, [0], 0.0), twice)
    again = p.stage(lambda s, x, t: blur(s, s.binary("arith.subf", x, s.broadcast(t, x.shape, [0]))), twice, total)
    p.outputs = [p.stage(blur, again), n, p.stage(lambda s, x: scale(s, x), half)]
    return p


def joined():
    """Two chains of which each reads the other once, and one that reads both ends."""
    p = program("joined")
    a, b = p.input((100,), "i64"), p.input((100,), "i64")
    for _ in range(3):
        a, b = p.stage(blur, a), p.stage(lambda s, x: blur(s, x, 2), b)
    c = p.stage(lambda s, a, b: blur(s, add(s, a, b)), a, b)
    for _ in range(3):
        a, b = p.stage(lambda s, a, c: add(s, blur(s, a), c), a, c), p.stage(blur, b)
    p.outputs = [p.stage(lambda s, a, b: blur(s, add(s, a, b)), a, b), c]
    return p


def instances(count, size):
    """One body for all instances: stencils, moved elements and reductions."""
    p = program(f"instances_{count}_{size}")
    x, factors = p.input((count, size), "f32"), p.input((size,), "f32")
    stage = lambda build, *operands: p.stage(build, *operands, instances=count, shared=[factors])
    m = x
    for _ in range(9):
        m = stage(lambda s, x, f: s.binary("arith.mulf", blur(s, x), f), m, factors)
    total = stage(lambda s, x: s.reduce("arith.addf", x, [0], 0.5), m)
    n = stage(lambda s, x, t: blur(s, s.binary("arith.subf", x, s.broadcast(t, x.shape, [0])), 1, "wrap"), m, total)
    same = stage(lambda s, f: s.reduce("arith.addf", f, [0], 0.0), factors)
    p.outputs = [stage(blur, n), total, same]
    p.outputs.append(p.stage(lambda s, x: blur(s, x, 1, 0, axis=0), n))
    return p


def chains(_):
    """Chains of all kinds, alone and for several instances."""
    yield from (blurs(number, size) for number, size in enumerate(SIZES))
    yield from (leapfrog(size) for size in (7, 1000))
    yield from (ripple(size) for size in (7, 4096))
    yield from (permuted(shape) for shape in ((64, 64), (7, 33)))
    yield from (mixed(size) for size in (7, 1000))
    yield joined()
    yield from (instances(count, size) for count, size in ((1, 40), (3, 7), (132, 100)))
    yield leapfrog(100, 5)
    yield long_chain(200, 100, "f32")  # chain-stencil.test has 1,000 stages.
