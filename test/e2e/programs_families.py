"""Programs of small dependent stages of several families for the differential test: what may become a chain of steps
that their families emit, alone, in instances, and with state that the steps update where it is.

Each is compiled once more with --chains=always, so that the cost model does not decide what is tested.
"""

import random

from program_text import Program, is_float
from programs_chain import add, blur, scale, shifted
from programs_fft import transform
from programs_scan import scan

DTYPES = ["f32", "i32", "f64", "i8", "f16", "i64", "bf16"]


def program(name):
    p = Program(name)
    p.variants = {"chained": ["--chains=always"]}
    return p


def total(s, x, axes=None, op=None):
    axes = list(range(len(x.shape))) if axes is None else axes
    op = op or ("arith.addf" if is_float(x.dtype) else "arith.addi")
    return s.reduce(op, x, axes, 0)


def centred(s, x, t):
    """x without t, which lacks the last dimensions of x."""
    axes = list(range(len(t.shape), len(x.shape)))
    wide = s.broadcast(t, x.shape, axes)
    return s.binary("arith.subf" if is_float(x.dtype) else "arith.subi", x, wide)


def looked_up(s, x):
    """Element i is the sum of the elements up to i: a loop that reads a table."""
    last = len(x.shape) - 1
    dims = ", ".join(f"d{i}" for i in range(len(x.shape)))
    empty = s.empty(x.shape, x.dtype)
    indices = [f"%j{i}" for i in range(last)] + ["%t"]
    op, zero = ("arith.addf", "0.0") if is_float(x.dtype) else ("arith.addi", "0")
    body = [f"%j{i} = linalg.index {i} : index" for i in range(last + 1)]
    body += ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", f"%end = arith.addi %j{last}, %c1 : index",
             f"%zero = arith.constant {zero} : {x.dtype}",
             f"%sum = scf.for %t = %c0 to %end step %c1 iter_args(%so_far = %zero) -> ({x.dtype}) {{",
             f"  %e = tensor.extract %{x.name}[{', '.join(indices)}] : {x.type}",
             f"  %n = {op} %so_far, %e : {x.dtype}", f"  scf.yield %n : {x.dtype}", "}", f"linalg.yield %sum : {x.dtype}"]
    kinds = ", ".join(['"parallel"'] * len(x.shape))
    return s.add(x.shape, x.dtype,
                 f"linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>], iterator_types = [{kinds}]}} "
                 f"outs(%{empty.name} : {empty.type}) {{\n^bb0(%o: {x.dtype}):\n" + "\n".join(body) + f"\n}} -> {x.type}", x.exact)


def scalars(dtype, size):
    """Sums, what follows from them, and what reads that again."""
    p = program(f"families_scalars_{dtype}_{size}")
    x = p.input((size,), dtype)
    m = x
    for _ in range(3):
        t = p.stage(lambda s, x: total(s, x), m)
        t = p.stage(lambda s, t: scale(s, t), t)
        m = p.stage(centred, m, t)
    p.outputs = [m, t, p.stage(lambda s, x: total(s, scale(s, x)), m)]
    return p


def rows(dtype, shape):
    """Reductions over either dimension, and moved elements between them."""
    p = program(f"families_rows_{dtype}_{'x'.join(map(str, shape))}")
    m = p.stage(lambda s, x: blur(s, x), p.input(shape, dtype))
    t = p.stage(lambda s, x: total(s, x, [1]), m)
    n = p.stage(centred, m, t)
    u = p.stage(lambda s, x: total(s, x, [0]), n)
    v = p.stage(lambda s, u: shifted(s, u, 1, "wrap"), u)
    w = p.stage(lambda s, n, v: add(s, n, s.broadcast(v, n.shape, [0])), n, v)
    p.outputs = [w, t, p.stage(lambda s, x: total(s, x), w), p.stage(lambda s, x: s.transpose(x, [1, 0]), w)]
    return p


def tables(dtype, shape, instances=None):
    p = program(f"families_tables_{dtype}_{'x'.join(map(str, shape))}_{instances}")
    m = p.input(((instances,) if instances else ()) + shape, dtype)
    stage = lambda build, *operands: p.stage(build, *operands, instances=instances)
    m = stage(lambda s, x: scale(s, x), m)
    m = stage(looked_up, m)
    t = stage(lambda s, x: total(s, x), m)
    m = stage(centred, m, t)
    p.outputs = [stage(lambda s, x: looked_up(s, scale(s, x)), m), t]
    return p


def scans(dtype, size):
    p = program(f"families_scans_{dtype}_{size}")
    m = p.stage(lambda s, x: scan(s, x, 0), p.input((size,), dtype))
    t = p.stage(lambda s, x: total(s, x), m)
    m = p.stage(centred, m, t)
    p.outputs = [p.stage(lambda s, x: scan(s, x, 0, reverse=True), m), t]
    return p


def instances(dtype, count, shape, shares):
    """One body for all instances, with a vector that they share, rows before and after them, and sums over them."""
    p = program(f"families_instances_{dtype}_{count}_{'x'.join(map(str, shape))}_{shares}")
    x, f = p.input((count, *shape), dtype), p.input(shape, dtype)
    stage = lambda build, *operands: p.stage(build, *operands, instances=count, shared=[f])
    m = stage(lambda s, x, f: add(s, blur(s, x), f) if shares else blur(s, x), x, f)
    t = stage(lambda s, x: total(s, x), m)
    m = stage(centred, m, t)
    u = stage(lambda s, x: total(s, x, [len(x.shape) - 1]), m)
    n = stage(lambda s, x: s.pad(shifted(s, x, 1, 0), [0] * len(x.shape), [1] * len(x.shape), 3), m)
    p.outputs = [n, u, p.stage(lambda s, x: total(s, x), u), p.stage(lambda s, x: scale(s, s.collapse(x)), m)]
    return p


def frames(batch, length):
    """Transforms of windows that overlap, powers of neighbouring frequencies, and their sum."""
    p = program(f"families_frames_{batch}_{length}")
    p.sums = True
    x, w = p.input((2, (batch + 1) * length), "f32"), p.input((length, 2), "f32")

    def windowed(s, x, w):
        first = s.slice(x, [0, 0], [2, batch * length], [1, 1])
        second = s.slice(x, [0, length], [2, batch * length], [1, 1])
        parts = [s.add((2, batch, length, 1), "f32", f"tensor.expand_shape %{v.name} [[0], [1, 2, 3]] output_shape "
                       f"[2, {batch}, {length}, 1] : {v.type} into tensor<2x{batch}x{length}x1xf32>") for v in (first, second)]
        pairs = s.concat(parts[0], parts[1], 3)
        return transform(s, s.binary("arith.mulf", pairs, s.broadcast(w, pairs.shape, [0, 1])))

    m = p.stage(windowed, x, w)
    power = p.stage(lambda s, x: total(s, s.binary("arith.mulf", x, x), [3]), m)
    smooth = p.stage(lambda s, x: blur(s, x), power)
    back = p.stage(lambda s, m, q: transform(s, s.binary("arith.mulf", m, s.broadcast(q, m.shape, [3])), "inverse"), m, smooth)
    p.outputs = [back, power, p.stage(lambda s, x: total(s, x, [2]), smooth)]
    return p


def updates(dtype, size):
    """State that the steps read and store again, which later steps still read."""
    p = program(f"families_updates_{dtype}_{size}")
    p.iterations = 3
    x = p.input((size,), dtype)
    state, sums = p.symbol("register", (size,), dtype), p.symbol("global", (), dtype)

    def step(s, x, t):
        old = s.add((size,), dtype, f"gpuvm.load @{state.name} : {state.type}")
        new = add(s, centred(s, x, t), shifted(s, old, 1, 0))
        s.lines.append(f"gpuvm.store %{new.name}, @{state.name} : {state.type}")
        known = s.add((), dtype, f"gpuvm.load @{sums.name} : {sums.type}")
        after = add(s, known, t)
        s.lines.append(f"gpuvm.store %{after.name}, @{sums.name} : {sums.type}")
        return [new, old]

    t = p.stage(lambda s, x: total(s, x), x)
    new, old = p.stage(step, x, t)
    u = p.stage(lambda s, x: total(s, x), new)
    p.outputs = [p.stage(centred, old, u), p.stage(centred, new, u), u]
    return p


def random_families(seed):
    """Stages of any family on values of one shape and of those that reductions make of it."""
    r = random.Random(seed)
    dtype = r.choice(DTYPES)
    shape = tuple(r.choice([1, 2, 3, 5, 8, 16, 33]) for _ in range(r.choice([1, 2, 2, 3])))
    p = program(f"families_random_{seed}")
    values = [p.input(shape, dtype), p.input(shape, dtype)]
    smaller = []
    for _ in range(r.randint(4, 12)):
        kind = r.choice(["sum", "sum", "max", "blur", "centre", "centre", "table", "scan", "add", "scale"])
        x = r.choice(values[-4:])
        if kind in ("sum", "max"):
            axes = r.choice([list(range(len(shape))), [len(shape) - 1], [0]])
            op = None if kind == "sum" else "arith.maximumf" if is_float(dtype) else "arith.maxsi"
            smaller.append((axes, p.stage(lambda s, x: total(s, x, axes, op), x)))
        elif kind == "blur":
            values.append(p.stage(lambda s, x: blur(s, x, 1, r.choice([0, 2]), r.randrange(len(shape))), x))
        elif kind == "centre" and smaller:
            axes, t = r.choice(smaller[-3:])
            values.append(p.stage(lambda s, x, t: s.binary("arith.subf" if is_float(dtype) else "arith.subi", x,
                                                           s.broadcast(t, x.shape, axes)), x, t))
        elif kind == "table":
            values.append(p.stage(looked_up, x))
        elif kind == "scan":
            values.append(p.stage(lambda s, x: scan(s, x, len(shape) - 1), x))
        elif kind == "scale" and smaller:
            axes, t = r.choice(smaller[-3:])
            smaller.append((axes, p.stage(lambda s, t: scale(s, t), t)))
        else:
            values.append(p.stage(add, x, r.choice(values[-4:])))
    p.outputs = [values[-1], *(t for _, t in smaller[-2:])]
    if r.random() < 0.5 and len(values) > 3:
        p.outputs.append(values[-2])
    return p


def families(seeds):
    yield from (scalars(dtype, size) for dtype, size in zip(DTYPES, (100, 7, 1000, 40, 256, 1, 33)))
    yield from (rows(dtype, shape) for dtype, shape in (("f32", (17, 40)), ("i32", (3, 100)), ("f64", (33, 5)), ("i8", (8, 9))))
    yield tables("f32", (17,))
    yield tables("i64", (9,), 3)
    yield tables("f32", (4, 16), 2)
    yield from (scans(dtype, size) for dtype, size in (("i32", 300), ("f32", 900), ("i8", 5)))
    yield instances("f32", 3, (17, 16), True)
    yield instances("i32", 2, (5, 33), False)
    yield instances("f64", 7, (40,), True)
    yield instances("bf16", 2, (6, 6), True)
    yield frames(3, 16)
    yield frames(16, 256)
    yield from (updates(dtype, size) for dtype, size in (("f32", 100), ("i32", 7), ("f64", 33)))
    yield from (random_families(seed) for seed in seeds)
