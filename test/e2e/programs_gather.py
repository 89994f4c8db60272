"""Programs for the differential test that pick rows on the device, and store rows where the device says."""

from attentions import attend
from products import contract
from program_text import Program, is_float

TYPES = ["f32", "i8", "f16", "i64", "bf16", "i1"]


def gather(s, source, rows):
    shape = rows.shape + source.shape[1:]
    result = s.fresh(shape, source.dtype, source.exact)
    s.lines.append(f"%{result.name} = gpuvm.gather %{source.name}[%{rows.name}] : {source.type}, {rows.type} -> "
                   f"{result.type}")
    return result


def numbers(s, x, count):
    """Row numbers from random integers: most are rows, and some lie before the first or behind the last one."""
    kept = s.binary("arith.remui", x, s.constant(x.shape, "i32", count + 4))
    return s.binary("arith.subi", kept, s.constant(x.shape, "i32", 2))


def picked(name, table, rows, dtype, behind):
    """`behind` makes what is sent of the rows that are picked."""
    p = Program(f"gather_{name}_{dtype}")
    x, y = p.input(table, dtype), p.input(rows, "i32")
    p.outputs = [p.stage(lambda s, x, y: behind(s, gather(s, x, numbers(s, y, table[0]))), x, y)]
    return p


def same(_, rows):
    return rows


def twice(s, rows):
    return s.binary("arith.addf" if is_float(rows.dtype) else "arith.xori", rows, rows)


def turned(s, rows):
    return twice(s, s.transpose(rows, [1, 0]))


def total(s, rows):
    return s.reduce("arith.addf" if is_float(rows.dtype) else "arith.xori", rows, [0], 0)


def layer(rows, outputs, vector=False):
    """Rows picked are what is multiplied, or what it is multiplied with."""
    p = Program(f"gather_layer_{'x'.join(map(str, rows))}_{outputs}")
    table, weights = p.input((50, 96), "f16"), p.input((outputs, 96), "f32")
    x, experts = p.input(rows, "i32"), p.input((outputs,), "i32")

    def build(s, table, weights, x, experts):
        x = gather(s, table, numbers(s, x, 50))
        weights = gather(s, weights, numbers(s, experts, outputs))
        return contract(s, x, weights, "k,nk->n" if vector else "mk,nk->mn", "f32")

    p.outputs = [p.stage(build, table, weights, x, experts)]
    p.sums = True
    return p


def around():
    """A table that is computed, numbers that are picked themselves, in one stage and in several."""
    p = Program("gather_around")
    table, first, second = p.input((40, 17), "f32"), p.input((33,), "i32"), p.input((9, 5), "i32")
    double = p.stage(lambda s, t: twice(s, s.slice(t, [3, 1], [30, 16], [1, 1])), table)
    order = p.stage(lambda s, a, b: numbers(s, gather(s, a, numbers(s, b, 33)), 30), first, second)
    rows = p.stage(lambda s, t, o: twice(s, gather(s, t, o)), double, order)
    p.outputs = [rows, p.stage(lambda s, r: s.reduce("arith.maximumf", r, [1], -5.0), rows), order]
    return p


def instances():
    """Every instance picks rows of its own from one table."""
    p = Program("gather_instances")
    table, x = p.input((21, 40), "f32"), p.input((7, 13), "i32")
    p.outputs = [p.stage(lambda s, t, x: s.reduce("arith.addf", gather(s, t, numbers(s, x, 21)), [0], 0.0),
                         table, x, instances=7, shared=[table])]
    return p


def paged(queries, pages, length, size):
    """Attention over a cache whose pages lie anywhere in a pool."""
    p = Program(f"gather_paged_{queries}")
    q, order = p.input((4, queries, size), "f32"), p.input((pages,), "i32")
    pools = [p.input((40, length, size), "f16") for _ in range(2)]

    def build(s, q, order, *pools):
        rows = numbers(s, order, 40)
        caches = [s.expand(s.collapse(gather(s, pool, rows)), (1, pages * length, size)) for pool in pools]
        return attend(s, q, *caches, size, options=" causal")

    p.outputs = [p.stage(build, q, order, *pools)]
    return p


def appended(name, whole, count, dtype, kind="global"):
    """Rows stored at positions that change from execution to execution, and what is read then."""
    p = Program(f"append_{name}_{dtype}")
    p.iterations = 4
    rows, at = p.input((count,) + whole[1:], dtype), p.input((), "i32")
    cache, turn = p.symbol(kind, whole, dtype), p.symbol("register", (), "i32")
    load = lambda s, symbol: s.add(symbol.shape, symbol.dtype, f"gpuvm.load @{symbol.name} : {symbol.type}")

    def append(s, rows, at):
        old = load(s, turn)
        position = numbers(s, s.binary("arith.addi", at, old), whole[0])
        s.lines.append(f"gpuvm.store %{twice(s, rows).name}, @{cache.name}[%{position.name}] : {rows.type}")
        step = s.constant((), "i32", 7)
        s.lines.append(f"gpuvm.store %{s.binary('arith.addi', old, step).name}, @{turn.name} : {turn.type}")
        return load(s, cache)

    def over_the_end(s, rows):
        last = s.constant((), "i32", whole[0] - 1)
        s.lines.append(f"gpuvm.store %{rows.name}, @{cache.name}[%{last.name}] : {rows.type}")

    seen = p.stage(append, rows, at)
    p.stage(over_the_end, rows)
    p.outputs = [p.stage(twice, seen)]
    return p


def gathers(_):
    for dtype in TYPES:
        yield picked("rows", (100, 64), (37,), dtype, same)
        yield picked("twice", (33, 7), (5, 3), dtype, twice)
        yield picked("turned", (20, 33), (40,), dtype, turned)
        yield picked("total", (70, 50), (300,), dtype, total)
        yield picked("one", (9, 4, 8), (), dtype, twice)
        yield picked("scalars", (1000,), (257,), dtype, twice)
    yield layer((40,), 48)
    yield layer((3,), 70)
    yield layer((), 130, vector=True)
    yield around()
    yield paged(1, 30, 16, 64)
    yield paged(5, 7, 16, 32)
    yield instances()
    for dtype in TYPES:
        yield appended("rows", (50, 6), 3, dtype)
    yield appended("heads", (33, 4, 16), 1, "f16")
    yield appended("scalars", (300,), 300, "f32", "register")
