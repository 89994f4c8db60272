"""Programs for the differential test around scans and what is made of them."""

from program_text import Program, is_float

TYPES = ["i32", "f32", "i64", "i8", "f16", "f64", "i1", "bf16", "i16"]


def add_of(dtype):
    return "arith.addf" if is_float(dtype) else "arith.xori" if dtype == "i1" else "arith.addi"


def scan(s, x, dimension, op=None, exclusive=None, segments=None, reverse=False):
    """The scan of one input by `op`; `exclusive` is the initial number."""
    op = op or add_of(x.dtype)
    operands, text = [x.type], f"%{x.name} dimension {dimension}"
    if exclusive is not None:
        initial = s.constant((), x.dtype, exclusive)
        text += f" exclusive(%{initial.name})"
        operands.append(initial.type)
    if segments is not None:
        text += f" segments(%{segments.name})"
        operands.append(segments.type)
    text += " reverse" if reverse else ""
    result = s.fresh(x.shape, x.dtype)
    s.lines += [f"%{result.name} = gpuvm.scan {text} : ({', '.join(operands)}) -> {x.type} {{",
                f"^bb0(%a: {x.dtype}, %b: {x.dtype}):", f"  %c = {op} %a, %b : {x.dtype}",
                f"  gpuvm.yield %c : {x.dtype}", "}"]
    return result


def scan_pairs(s, x, y):
    """Lines a * t + b, one after the other: the second of the first is a[1] * (a[0] * t + b[0]) + b[1]."""
    first, second = s.fresh(x.shape, x.dtype), s.fresh(x.shape, x.dtype)
    mul, add = ("arith.mulf", "arith.addf") if is_float(x.dtype) else ("arith.muli", "arith.addi")
    t = x.dtype
    s.lines += [f"%{first.name}, %{second.name} = gpuvm.scan %{x.name}, %{y.name} dimension {len(x.shape) - 1} : "
                f"({x.type}, {y.type}) -> ({x.type}, {y.type}) {{",
                f"^bb0(%a: {t}, %b: {t}, %c: {t}, %d: {t}):",
                f"  %e = {mul} %a, %c : {t}", f"  %f = {mul} %b, %c : {t}", f"  %g = {add} %f, %d : {t}",
                f"  gpuvm.yield %e, %g : {t}, {t}", "}"]
    return first, second


def positive(s, x):
    """Whether elements are more than zero."""
    zero = s.constant(x.shape, x.dtype, 0)
    compare = f"arith.cmpf ogt, %{x.name}" if is_float(x.dtype) else f"arith.cmpi sgt, %{x.name}"
    return s.add(x.shape, "i1", f"{compare}, %{zero.name} : {x.type}")


def rare(s, x):
    """A few elements of i32."""
    few = s.binary("arith.remui", x, s.constant(x.shape, "i32", 37))
    zero = s.constant(x.shape, "i32", 0)
    return s.add(x.shape, "i1", f"arith.cmpi eq, %{few.name}, %{zero.name} : {x.type}")


def plain(shape, dimension, dtype, op=None, **options):
    name = "_".join(["scan", "x".join(map(str, shape)), str(dimension), dtype, (op or "add").split(".")[-1],
                     *(f"{key}" for key in options)])
    p = Program(name)
    p.outputs = [p.stage(lambda s, x: scan(s, x, dimension, op, **options), p.input(shape, dtype))]
    return p


def segmented(shape, dimension, dtype, **options):
    p = Program("_".join(["segments", "x".join(map(str, shape)), str(dimension), dtype, *options]))
    x, heads = p.input(shape, dtype), p.input(shape, "i32")
    p.outputs = [p.stage(lambda s, x, h: scan(s, x, dimension, segments=rare(s, h), **options), x, heads)]
    return p


def melted(shape, dtype):
    """Producers, a reader of the results at the same place, and one elsewhere."""
    p = Program(f"scan_melted_{'x'.join(map(str, shape))}_{dtype}")
    add = add_of(dtype)

    def build(s, x, y):
        sums = scan(s, s.binary(add, x, y), len(shape) - 1)
        near = s.binary(add, sums, x)
        return near, sums, s.reduce(add, sums, [len(shape) - 1], 0) if len(shape) > 1 else near

    p.outputs = list(p.stage(build, p.input(shape, dtype), p.input(shape, dtype)))
    return p


def stages(length):
    """A stage makes what another one scans, and a third one reads."""
    p = Program(f"scan_stages_{length}")
    x = p.input((length,), "i32")
    m = p.stage(lambda s, x: s.binary("arith.andi", x, s.constant((length,), "i32", 255)), x)
    m = p.stage(lambda s, x: scan(s, x, 0), m)
    p.outputs = [p.stage(lambda s, x: s.binary("arith.addi", x, s.constant((length,), "i32", 1)), m)]
    return p


def pairs(shape, dtype):
    p = Program(f"scan_pairs_{'x'.join(map(str, shape))}_{dtype}")
    p.few = is_float(dtype)
    p.outputs = list(p.stage(scan_pairs, p.input(shape, dtype), p.input(shape, dtype)))
    return p


def compact(length, dtype, bound=None, keep=positive):
    """What is kept of two payloads, with zeros behind it, and how many that is."""
    p = Program(f"compact_{length}_{dtype}_{bound}_{keep.__name__}")
    x, y = p.input((length,), dtype), p.input((length,), "i32")
    bound = bound or length

    def pick(s, x, y):
        kept = [s.fresh((bound,), dtype), s.fresh((length,), "i32")]
        count = s.fresh((), "i32")
        where = keep(s, y)
        s.lines.append(f"%{kept[0].name}, %{kept[1].name}, %{count.name} = gpuvm.compact %{x.name}, %{y.name} where "
                       f"%{where.name} : ({x.type}, {y.type}, {where.type}) -> "
                       f"({kept[0].type}, {kept[1].type}, {count.type})")
        return (*kept, count)

    def clean(s, x, count):
        result = s.fresh(x.shape, x.dtype)
        s.lines += [f"%e{result.name} = tensor.empty() : {x.type}",
                    f"%{result.name} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, "
                    f"affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]}} ins(%{x.name}, %{count.name} : "
                    f"{x.type}, {count.type}) outs(%e{result.name} : {x.type}) {{",
                    f"^bb0(%a: {x.dtype}, %n: i32, %o: {x.dtype}):", "  %i = linalg.index 0 : index",
                    "  %j = arith.index_cast %i : index to i32", "  %k = arith.cmpi slt, %j, %n : i32",
                    f"  %z = arith.constant {'0.0' if is_float(x.dtype) else 'false' if x.dtype == 'i1' else '0'} : {x.dtype}",
                    f"  %s = arith.select %k, %a, %z : {x.dtype}", f"  linalg.yield %s : {x.dtype}",
                    f"}} -> {x.type}"]
        return result

    first, second, count = p.stage(pick, x, y)
    p.outputs = [p.stage(clean, first, count), p.stage(clean, second, count), count]
    return p


def never(s, x):
    zero = s.constant(x.shape, "i32", 0)
    return s.add(x.shape, "i1", f"arith.cmpi ult, %{x.name}, %{zero.name} : {x.type}")


def always(s, x):
    zero = s.constant(x.shape, "i32", 0)
    return s.add(x.shape, "i1", f"arith.cmpi uge, %{x.name}, %{zero.name} : {x.type}")


def scans(_seeds):
    for program in one_tile():
        yield program
    for program in several_tiles():
        waits = any(part in program.name for part in ("73x129", "2200003", "compact"))
        program.variants = {"alone": ["--spins=0"]} if waits else {}
        yield program


def one_tile():
    for dtype in TYPES:
        yield plain((1009,), 0, dtype)
    for length in (1, 5, 256, 4096, 16384):
        yield plain((length,), 0, "f32")
    for length in (2, 17, 1025, 16383, 16384):
        yield plain((length,), 0, "i32", exclusive=7)
    # Every direction in every shape, with and without segments in turn.
    for i, options in enumerate(({"reverse": True}, {"exclusive": 3}, {"exclusive": 0, "reverse": True})):
        for j, (shape, dimension) in enumerate((((37, 29), 1), ((128, 20), 0), ((7, 65, 3), 1), ((30, 40), 1))):
            if (i + j) % 2:
                yield plain(shape, dimension, "f32", **options)
            else:
                yield segmented(shape, dimension, "i32", **options)
    yield plain((901,), 0, "i32", "arith.maxsi")
    yield plain((901,), 0, "f32", "arith.maximumf")
    yield plain((901,), 0, "i32", "arith.muli")
    yield melted((60, 30), "f32")
    yield pairs((60, 30), "i32")
    yield stages(900)
    yield compact(5, "f32")
    yield compact(8192, "i8")


def several_tiles():
    yield plain((16385,), 0, "f32")
    yield plain((65537,), 0, "f32", exclusive=1)
    yield plain((4200003,), 0, "f32")  # Two spans.
    yield plain((2200003,), 0, "i64")  # Three spans.
    yield plain((73, 129), 1, "f32", reverse=True)
    yield segmented((73, 129), 1, "f32")
    yield segmented((3000, 4), 1, "i32", exclusive=3)
    yield plain((2, 9000), 1, "f32")
    yield melted((10001,), "i32")
    yield pairs((60, 300), "f32")
    yield pairs((60, 300), "f64")
    yield compact(8195, "i64")
    yield compact(20000, "f32", 100)
    yield compact(20001, "i16", 5000, always)
    yield compact(20001, "f64", None, never)
    yield compact(300001, "i32", None, rare)
    yield compact(2200003, "i64", None, rare)  # Larger tiles.
