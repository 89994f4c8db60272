"""Programs for the differential test that scatter, reduce segments, and find and number equal keys; and bodies that
read tables."""

from program_text import Program, is_float, tensor

INTEGERS = ["i32", "i64"]
SIZES = [1, 3, 256, 1023, 5000]


def results_of(s, text, shapes):
    """Adds an operation with several results."""
    s.count += 1
    name = f"v{s.count}"
    s.lines.append(f"%{name}:{len(shapes)} = {text}")
    values = [s.fresh(shape, dtype) for shape, dtype in shapes]
    for i, value in enumerate(values):
        value.name = f"{name}#{i}" if len(shapes) > 1 else name
    if len(shapes) == 1:
        s.lines[-1] = s.lines[-1].replace(":1 =", " =", 1)
    return values


def functional(operands, results):
    return f"({', '.join(v.type for v in operands)}) -> ({', '.join(tensor(*shape) for shape in results)})"


def scatter(s, rules, updates, positions, initial):
    listed = lambda values: ", ".join(f"%{v.name}" for v in values)
    shapes = [(v.shape, v.dtype) for v in initial]
    return results_of(s, f"gpuvm.scatter {', '.join(rules)} {listed(updates)} at %{positions.name} into "
                      f"{listed(initial)} : {functional([*updates, positions, *initial], shapes)}", shapes)


def segment_reduce(s, op, inputs, offsets, initial):
    listed = lambda values: ", ".join(f"%{v.name}" for v in values)
    shapes = [((offsets.shape[0] - 1, *v.shape[1:]), v.dtype) for v in inputs]
    count = len(inputs)
    arguments = [f"%a{i}: {v.dtype}" for i, v in enumerate(inputs)] + [f"%b{i}: {v.dtype}" for i, v in enumerate(inputs)]
    body = "\n".join(f"%c{i} = {op} %a{i}, %b{i} : {v.dtype}" for i, v in enumerate(inputs))
    yielded = ", ".join(f"%c{i}" for i in range(count))
    return results_of(s, f"gpuvm.segment_reduce {listed(inputs)} by %{offsets.name} from {listed(initial)} : "
                      f"{functional([*inputs, offsets, *initial], shapes)} {{\n^bb0({', '.join(arguments)}):\n{body}\n"
                      f"gpuvm.yield {yielded} : {', '.join(v.dtype for v in inputs)}\n}}", shapes)


def modulo(s, x, limit):
    """x into [-2, limit + 2): most positions lie inside, some outside."""
    bound = s.constant(x.shape, x.dtype, limit + 4)
    two = s.constant(x.shape, x.dtype, 2)
    return s.binary("arith.subi", s.binary("arith.remui", x, bound), two)


def kept(s, values, count):
    """`values` up to `count`, and zeros behind."""
    body = f"""%i = linalg.index 0 : index
%n = arith.index_cast %i : index to i32
%limit = tensor.extract %{count.name}[] : {count.type}
%zero = arith.constant 0 : i32
%inside = arith.cmpi slt, %n, %limit : i32
%r = arith.select %inside, %e0, %zero : i32"""
    return s.fold([values], [s.empty(values.shape, "i32")], (), body, ["%r"])[0]


def scattered(name, rules, dtypes, updates, places, rest=(), fill=None, shape=None):
    p = Program(f"scatter_{name}_{'_'.join(dtypes)}_{updates}_{places}")
    shape = shape or (updates,)
    where = p.input(shape, "i32")
    where.fill = fill
    values = [p.input((*shape, *rest), dtype) for dtype in dtypes]
    initial = [p.input((places, *rest), dtype) for dtype in dtypes]

    def build(s, where, *all):
        positions = modulo(s, where, places)
        double = [s.binary("arith.addf" if is_float(v.dtype) else "arith.addi", v, v) for v in all[:len(dtypes)]]
        return scatter(s, rules, double, positions, all[len(dtypes):])

    p.outputs = p.stage(build, where, *values, *initial)
    return p


def histogram(updates, places, fill=None):
    p = Program(f"histogram_{updates}_{places}_{fill}")
    x = p.input((updates,), "i32")
    x.fill = fill

    def build(s, x):
        ones, zeros = s.constant(x.shape, "i32", 1), s.constant((places,), "i32", 0)
        return scatter(s, ["add"], [ones], modulo(s, x, places), [zeros])

    p.outputs = p.stage(build, x)
    return p


def pairs(shape, height, width):
    p = Program(f"histogram2d_{'x'.join(map(str, shape))}_{height}_{width}")
    rows, columns = p.input(shape, "i32"), p.input(shape, "i32")
    rows.fill = columns.fill = "wide"

    def build(s, rows, columns):
        rows, columns = modulo(s, rows, height), modulo(s, columns, width)
        return results_of(s, f"gpuvm.histogram2d %{rows.name}, %{columns.name} : {rows.type} -> "
                          f"{tensor((height, width), 'i32')}", [((height, width), "i32")])

    p.outputs = p.stage(build, rows, columns)
    return p


def offsets_of(s, x, rows):
    """Offsets that rise, of random numbers; the first is 0 and the last `rows` most of the time."""
    bounded = s.binary("arith.remui", x, s.constant(x.shape, "i32", rows + 1))
    return results_of(s, f"gpuvm.sort %{bounded.name} : {bounded.type}", [(x.shape, "i32")])[0]


def segments(name, op, dtypes, rows, count, rest=(), start=0):
    p = Program(f"segments_{name}_{'_'.join(dtypes)}_{rows}_{count}")
    where = p.input((count + 1,), "i32")
    where.fill = "wide"
    inputs = [p.input((rows, *rest), dtype) for dtype in dtypes]

    def build(s, where, *inputs):
        double = [s.binary("arith.mulf" if is_float(v.dtype) else "arith.addi", v, v) for v in inputs]
        initial = [s.constant((), v.dtype, start) for v in inputs]
        return segment_reduce(s, op, double, offsets_of(s, where, rows), initial)

    p.outputs = p.stage(build, where, *inputs)
    return p


def expanded(rows, places, most):
    p = Program(f"expand_{rows}_{places}_{most}")
    x = p.input((rows,), "i32")
    x.fill = "wide"

    def build(s, x):
        bounded = s.binary("arith.remui", x, s.constant(x.shape, "i32", most + 2))
        counts = s.binary("arith.subi", bounded, s.constant(x.shape, "i32", 1))
        shape = ((places,), "i32")
        owners, ordinals, total = results_of(
            s, f"gpuvm.expand %{counts.name} : {counts.type} -> {tensor(*shape)}, {tensor(*shape)}",
            [shape, shape, ((), "i32")])
        return [kept(s, owners, total), kept(s, ordinals, total), total]

    p.outputs = p.stage(build, x)
    return p


def distinct(rows, dtypes, fill, most=None):
    p = Program(f"distinct_{rows}_{'_'.join(dtypes)}_{fill}_{most}")
    keys = [p.input((rows,), dtype) for dtype in dtypes]
    for key in keys:
        key.fill = fill

    def build(s, *keys):
        shapes = [((rows,), "i32"), ((most or rows,), "i32"), ((), "i32")]
        numbers, first, count = results_of(
            s, f"gpuvm.distinct {', '.join('%' + k.name for k in keys)} : {', '.join(k.type for k in keys)} -> "
            f"{tensor(*shapes[0])}, {tensor(*shapes[1])}", shapes)
        return [numbers, kept(s, first, count), count]

    p.outputs = p.stage(build, *keys)
    return p


def matched(rows, table, dtypes, fill):
    p = Program(f"match_{rows}_{table}_{'_'.join(dtypes)}_{fill}")
    keys = [p.input((rows,), dtype) for dtype in dtypes]
    columns = [p.input((table,), dtype) for dtype in dtypes]
    for value in keys + columns:
        value.fill = fill

    def build(s, *all):
        own, theirs = all[:len(dtypes)], all[len(dtypes):]
        shapes = [((rows,), "i32"), ((rows,), "i32"), ((table,), "i32")]
        listed = lambda values: ", ".join(f"%{v.name}" for v in values)
        types = lambda values: ", ".join(v.type for v in values)
        return results_of(s, f"gpuvm.match {listed(own)} in {listed(theirs)} : ({types(own)}), ({types(theirs)}) -> "
                          f"{', '.join(tensor(*shape) for shape in shapes)}", shapes)

    p.outputs = p.stage(build, *keys, *columns)
    return p


def neighbours(length, dtype):
    """Each element with those that others name, read in a loop, in a branch and in front of a reduction."""
    p = Program(f"tables_{length}_{dtype}")
    x, where = p.input((length,), dtype), p.input((length, 3), "i32")
    add = "arith.addf" if is_float(dtype) else "arith.addi"

    def build(s, x, where):
        places = s.binary("arith.remui", where, s.constant(where.shape, "i32", length))
        zero = s.constant((length,), "i32", 0)
        body = f"""%i = linalg.index 0 : index
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c3 = arith.constant 3 : index
%sum = scf.for %j = %c0 to %c3 step %c1 iter_args(%t = %e0) -> ({dtype}) {{
  %w = tensor.extract %{places.name}[%i, %j] : {places.type}
  %p = arith.index_cast %w : i32 to index
  %v = tensor.extract %{x.name}[%p] : {x.type}
  %n = {add} %t, %v : {dtype}
  scf.yield %n : {dtype}
}}"""
        sums = s.fold([x], [s.empty((length,), dtype)], (), body, ["%sum"])[0]
        one = f"""%i = linalg.index 0 : index
%c2 = arith.constant 2 : index
%w = tensor.extract %{places.name}[%i, %c2] : {places.type}
%r = arith.addi %w, %e0 : i32"""
        last = s.fold([zero], [s.empty((length,), "i32")], (), one, ["%r"])[0]
        return [sums, last, s.reduce("arith.addi", last, [0], 0)]

    p.outputs = p.stage(build, x, where)
    return p


def groups(_):
    for places in (1, 7, 300, 5000):
        yield histogram(3000, places)
    yield histogram(100000, 16, "equal")
    yield histogram(1048576 + 4 * 700, 300)  # several vectors a lane, not all of them whole
    yield histogram(1048576 + 4 * 700, 5000)
    for shape, height, width in (((1,), 1, 1), ((3000,), 10, 12), ((30, 100), 1, 70), ((70000,), 300, 200)):
        yield pairs(shape, height, width)
    for updates in SIZES:
        yield scattered("sums", ["add", "add"], ["i32", "i64"], updates, 40, fill="wide")
    yield scattered("columns", ["add"] * 3, ["i64", "i64", "i32"], 5000, 4, fill="wide")
    yield scattered("mixed", ["min", "add", "and", "maxu"], ["i32", "i64", "i64", "i32"], 5000, 4, fill="wide")
    yield scattered("least", ["min", "max", "minu", "maxu", "and", "or", "xor"], ["i32"] * 7, 3000, 50, fill="wide")
    yield scattered("bits", ["and", "or", "xor"], ["i64"] * 3, 3000, 50, fill="wide")
    yield scattered("least", ["min", "maxu"], ["i64", "i64"], 1500, 50, fill="wide")
    yield scattered("narrow", ["add", "max"], ["i16", "i8"], 1500, 50, fill="wide")
    yield scattered("floats", ["add", "max", "add"], ["f32", "f32", "f64"], 1500, 50, fill="wide")
    yield scattered("few", ["add"], ["f32"], 3000, 1)
    rules = ["add", "min", "add", "maxu", "or", "add"]
    yield scattered("many", rules, ["i64", "i32", "i64", "i32", "i32", "i64"], 5000, 6, fill="wide")
    yield scattered("last", ["last", "last", "add"], ["f32", "i8", "i32"], 1500, 50, fill="wide")
    yield scattered("rows", ["add", "last", "add"], ["i32", "f32", "f32"], 300, 50, rest=(5,), fill="wide")
    yield scattered("shaped", ["add", "last"], ["i32", "i32"], 12, 20, rest=(2,), fill="wide", shape=(3, 4))
    for rows, count in ((1, 1), (1000, 3), (1000, 500), (3000, 2), (5000, 1), (70000, 9)):
        yield segments("sum", "arith.addf", ["f32"], rows, count)
    yield segments("rows", "arith.addf", ["f32"], 2000, 40, rest=(5,))
    yield segments("several", "arith.maxsi", ["i32", "i64"], 2000, 11, start=-5)
    for rows, places, most in ((1, 5, 3), (100, 300, 2), (1000, 900, 3), (5000, 5000, 0), (10, 4000, 500)):
        yield expanded(rows, places, most)
    for rows, dtypes, fill in ((1, ["i32"], None), (1000, ["i32"], "few"), (3000, ["i32"], "wide"),
                               (3000, ["i64", "i16"], "few"), (700, ["i8", "i32", "i64"], "wide"),
                               (2000, ["i32"], "equal")):
        yield distinct(rows, dtypes, fill)
    yield distinct(1000, ["i32"], "wide", most=10)
    for rows, table, dtypes, fill in ((1, 1, ["i32"], "equal"), (1000, 700, ["i32"], "few"), (300, 3000, ["i32"], "wide"),
                                      (1000, 100, ["i64"], "wide"), (500, 500, ["i16", "i8"], "few"),
                                      (500, 700, ["i32", "i32"], "few"), (300, 700, ["i64", "i32"], "few"),
                                      (700, 700, ["i32"], "equal")):
        yield matched(rows, table, dtypes, fill)
    for length, dtype in ((1, "i32"), (1000, "f32"), (3000, "i64")):
        yield neighbours(length, dtype)
