"""Programs for the differential test that draw random numbers (gpuvm.random)."""

from program_text import Program, tensor

KINDS = {"bits": ["i32", "i64"], "uniform": ["f32", "f64"], "normal": ["f32"], "permutation": ["i32"],
         "below": ["i32", "i64"]}
# Of every two tries about one fails, or hardly any, or none can.
BOUNDS = {"i32": [1, 6, 2 ** 30, 2 ** 30 + 1, 2 ** 31 - 1], "i64": [3, 2 ** 40, 2 ** 62 + 1, 2 ** 63 - 1]}


def draw(s, kind, shape, dtype, seed, stream=None, limit=None):
    text = f"gpuvm.random {kind} "
    text += f"limit(%{limit.name} : {limit.type}) " if limit else ""
    text += f"seed(%{seed.name} : {seed.type}) "
    text += f"stream(%{stream.name} : {stream.type}) " if stream else ""
    return s.add(shape, dtype, f"{text}-> {tensor(shape, dtype)}")


def plain(kind, dtype, shape, streams):
    p = Program(f"draws_{kind}_{dtype}_{'x'.join(map(str, shape))}".replace("(", "_").replace(")", ""))
    seed = p.input((2,), "i32")
    stream = p.input(streams, "i32") if streams is not None else None
    operands = [seed] + ([stream] if stream else [])
    p.outputs = [p.stage(lambda s, *o: draw(s, kind, shape, dtype, *o), *operands)]
    return p


def limited(dtype, shift):
    """Below a limit that the device knows, 0 now and then."""
    p = Program(f"draws_limit_{dtype}_{shift}")
    seed, limit = p.input((2,), "i32"), p.input((), dtype)
    made = p.stage(lambda s, x: s.binary("arith.shrui", x, s.constant((), dtype, shift)), limit)
    p.outputs = [p.stage(lambda s, l, k: draw(s, "below", (777,), dtype, k, limit=l), made, seed)]
    return p


def draws(_):
    for kind, types in KINDS.items():
        for dtype in types:
            for bound in BOUNDS[dtype] if kind == "below" else [None]:
                name = f"below({bound})" if bound else kind
                yield plain(name, dtype, (1000,), ())
                yield plain(name, dtype, (5, 7, 3), None)
                yield plain(name, dtype, (4, 260), (2,))
            yield plain("below(5)" if kind == "below" else kind, dtype, (), (2,))
    for dtype, shifts in (("i32", (0, 1, 20, 31)), ("i64", (0, 1, 40, 63))):
        for shift in shifts:
            yield limited(dtype, shift)
    for shape in ((2,), (3,), (4097,)):
        yield plain("permutation", "i32", shape, ())
    # In front of sums, in columns, and for each instance its own.
    p = Program("draws_fused")
    seed, streams = p.input((2,), "i32"), p.input((6,), "i32")
    sums = p.stage(lambda s, k: s.reduce("arith.addf", draw(s, "uniform", (100, 300), "f32", k), [1], 0), seed)
    columns = p.stage(lambda s, k: s.reduce("arith.addf", draw(s, "normal", (300, 64), "f32", k), [0], 0), seed)
    mine = p.stage(lambda s, k, t: draw(s, "normal", (50,), "f32", k, t), seed, streams, instances=6, shared=(seed,))
    walk = p.stage(lambda s, k: s.reduce("arith.addi", draw(s, "below(3)", (9, 100), "i32", k), [1], 0), seed)
    p.outputs = [sums, columns, mine, walk]
    yield p
    p = Program("draws_exact")
    p.exact = True
    seed = p.input((2,), "i32")
    seed.fill = "random"
    p.outputs = [p.stage(lambda s, k: draw(s, kind, (900,), KINDS[kind][0], k), seed) for kind in ("uniform", "normal")]
    p.outputs += [p.stage(lambda s, k: draw(s, "uniform", (900,), "f64", k), seed)]
    yield p
