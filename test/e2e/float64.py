"""Products and attention on the device against NumPy in float64.

    float64.py FOLDER [CASE...]

The interpreter has no part in this: inputs are rounded to their types, everything after
that is computed in float64, and results may be off by as much as docs/arithmetic.md says
of sums, and the reference of gpuvm.attention of attention. Every program runs fused and
unfused, where that differs. Exits 1 and says which element is off by how much, and how much it may be.
"""

import math
import os
import sys

import numpy as np

from attentions import attend
from differential import Mismatch, TAGS, compile_program, is_same_plan, run_program, try_all, write_program
from products import contract
from program_text import Program, pack, tensor, unpack

# Half the distance of neighbouring numbers, relative: what rounding once may cost.
UNIT = {"f64": 2.0 ** -53, "f32": 2.0 ** -24, "f16": 2.0 ** -11, "bf16": 2.0 ** -8}
SCALE = np.float64(np.float32(0.2))  # Of `attend`.


class Case:
    """`expected(inputs)` gives for each output its values and how far off they may be."""

    def __init__(self, program, expected, data=None):
        self.program, self.expected, self.data = program, expected, data or {}


def rounded(dtype, values):
    """What is left of the numbers in this type, as float64."""
    return np.array(unpack(dtype, pack(dtype, values.ravel().tolist())), np.float64).reshape(values.shape)


def sum_bound(dtype, count, magnitudes):
    """How far a sum of `count` products may be off whose absolute values add up to `magnitudes`."""
    return math.sqrt(count + 1) * UNIT[dtype] * magnitudes


def within(dtype, exact, bound):
    """The bound with what rounding the result adds."""
    return exact, bound + UNIT[dtype] * (np.abs(exact) + bound)


# ------------------------------------------------------------------- products


def product(loops, sizes, dtypes, result):
    inputs, out = loops.split("->")
    shapes = [tuple(sizes[x] for x in axes) for axes in inputs.split(",")]
    p = Program("product_" + "_".join([loops.translate({44: "_", 45: None, 62: "_"}), *map(str, sizes.values()),
                                       *dtypes, result]))
    a, b = (p.input(shape, dtype) for shape, dtype in zip(shapes, dtypes))
    p.outputs = [p.stage(lambda s, x, y: contract(s, x, y, loops, result), a, b)]
    count = math.prod(n for x, n in sizes.items() if x not in out)

    def expected(x, y):
        exact = np.einsum(loops, x, y) + 1  # Where contract() begins.
        magnitudes = np.einsum(loops, np.abs(x), np.abs(y)) + 1
        return [within(result, exact, sum_bound(result, count, magnitudes))]

    return Case(p, expected)


def products():
    types = [("f32", "f32", "f32"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f16", "f32", "f32"),
             ("bf16", "bf16", "bf16"), ("f16", "f16", "f16")]
    sizes = [{"m": 37, "n": 101, "k": 51}, {"m": 64, "n": 64, "k": 512}, {"m": 5, "n": 300, "k": 129}]
    for number, (*inputs, result) in enumerate(types):
        own = sizes if number < 2 else [sizes[number % 3]]
        yield from (product("mk,nk->mn", size, inputs, result) for size in own)
        yield product("nk,k->n", {"n": 77, "k": 700}, inputs, result)
        yield product("k,kn->n", {"n": 130, "k": 300}, inputs, result)
    yield product("bmk,bkn->bmn", {"b": 3, "m": 40, "n": 33, "k": 70}, ["f32", "f16"], "f32")
    yield product("mk,nk->mn", {"m": 32, "n": 48, "k": 3000}, ["f64", "f64"], "f64")


def scaled(rows):
    """What follows a product: a scale from Control, which a stage has set, and a residual."""
    p = Program(f"scaled_{rows}")
    x, w, residual = p.input((rows, 200), "f32"), p.input((96, 200), "f16"), p.input((rows, 96), "f32")
    factor = p.input((), "f32")
    word = p.symbol("control", (), "i32")

    def keep(s, factor):
        bits = s.cast("arith.bitcast", factor, "i32")
        s.lines.append(f"gpuvm.store %{bits.name}, @{word.name} : {word.type}")

    def layer(s, x, w, residual):
        total = contract(s, x, w, "mk,nk->mn", "f32")
        loaded = s.add((), "i32", f"gpuvm.load @{word.name} : {word.type}")
        scale = s.broadcast(s.cast("arith.bitcast", loaded, "f32"), total.shape, [0, 1])
        return s.binary("arith.addf", s.binary("arith.mulf", total, scale), residual)

    p.stage(keep, factor)
    p.outputs = [p.stage(layer, x, w, residual)]

    def expected(x, w, residual, factor):
        product, magnitudes = x @ w.T + 1, np.abs(x) @ np.abs(w).T + 1
        scaled = product * factor
        bound = sum_bound("f32", 200, magnitudes) * abs(factor) + UNIT["f32"] * np.abs(scaled)
        return [within("f32", scaled + residual, bound)]

    return Case(p, expected)


def projections(rows):
    """Query, key and value of one input: products of different heights."""
    p = Program(f"projections_{rows}")
    heights = [128, 32, 48]
    x, weights = p.input((rows, 160), "f32"), [p.input((n, 160), "f16") for n in heights]
    p.outputs = [p.stage(lambda s, x, w: contract(s, x, w, "mk,nk->mn", "f32"), x, w) for w in weights]

    def expected(x, *weights):
        return [within("f32", x @ w.T + 1, sum_bound("f32", 160, np.abs(x) @ np.abs(w).T + 1)) for w in weights]

    return Case(p, expected)


# ------------------------------------------------------------------ attention


def attention(query, key, value, keys, causal, window=None, first=None, cap=None):
    """`keys` and `first`: a number, or one for each few cached heads."""
    heads, queries, _ = query.shape
    group = heads // len(key)
    result = np.zeros((heads, queries, value.shape[2]))
    each = lambda numbers: np.repeat(np.ravel(numbers).astype(int), len(key) // np.size(numbers))
    keys = each(keys)
    starts = keys - queries if first is None else each(first)
    for head in range(heads):
        for i in range(queries):
            position = starts[head // group] + i
            end = min(max(position + 1, 0), keys[head // group]) if causal else keys[head // group]
            start = max(position + 1 - window, 0) if window else 0
            if start >= end:
                continue
            scores = SCALE * (key[head // group, start:end] @ query[head, i])
            scores = cap * np.tanh(scores / cap) if cap else scores
            weights = np.exp(scores - scores.max())
            result[head, i] = weights @ value[head // group, start:end] / weights.sum()
    return result


def attention_bound(dtype, value):
    return (2.0 ** -20 if dtype == "f32" else UNIT[dtype]) * np.abs(value).max()


def rotate(x, cos, sin):
    """Rotary position embedding: the halves of a row are the two coordinates."""
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def rotated(s, x, cos, sin):
    heads, rows, size = x.shape
    half = (heads, rows, size // 2)
    a, b = (s.slice(x, [0, 0, at], list(half), [1, 1, 1]) for at in (0, size // 2))
    cos, sin = (s.broadcast(table, half, [0]) for table in (cos, sin))
    times = lambda x, y: s.binary("arith.mulf", x, y)
    return s.concat(s.binary("arith.subf", times(a, cos), times(b, sin)),
                    s.binary("arith.addf", times(b, cos), times(a, sin)), 2)


def cached(name, heads, queries, groups, rows, size, keys, dtype, causal=True, window=None):
    """A decoder's attention: keys and values in Globals, their number in Control, rotary positions."""
    p = Program(f"cached_{name}_{dtype}")
    q, k = p.input((heads, queries, size), "f32"), p.input((groups, rows, size), dtype)
    v, number = p.input((groups, rows, size), dtype), p.input((), "i32")
    tables = [p.input((count, size // 2), "f32") for count in (queries, queries, rows, rows)]
    stored = [p.symbol("global", k.shape, dtype), p.symbol("global", v.shape, dtype), p.symbol("control", (), "i32")]

    def fill(s, *values):
        for value, symbol in zip(values, stored):
            s.lines.append(f"gpuvm.store %{value.name}, @{symbol.name} : {symbol.type}")

    def widened(s, x):
        return x if dtype == "f32" else s.cast("arith.extf", x, "f32")

    def step(s, q, *tables):
        k, v, number = (s.add(x.shape, x.dtype, f"gpuvm.load @{x.name} : {x.type}") for x in stored)
        k = rotated(s, widened(s, k), *tables[2:])
        options = (" causal" if causal else "") + (f" window {window}" if window else "")
        v = widened(s, v) if dtype == "bf16" else v
        return attend(s, rotated(s, q, *tables[:2]), k, v, size, number, options)

    p.stage(fill, k, v, number)
    p.outputs = [p.stage(step, q, *tables)]

    def expected(q, k, v, number, *tables):
        exact = attention(rotate(q, *tables[:2]), rotate(k, *tables[2:]), v, keys, causal, window)
        return [(exact, attention_bound("f32", v))]

    angles = lambda positions: np.outer(positions, 10000.0 ** (-np.arange(size // 2) * 2 / size))
    data = {"in3": np.array(keys)}
    for at, positions in ((4, np.arange(keys - queries, keys)), (6, np.arange(rows))):
        data[f"in{at}"], data[f"in{at + 1}"] = np.cos(angles(positions)), np.sin(angles(positions))
    return Case(p, expected, data)


def plain(name, heads, queries, groups, rows, size, width, dtypes, options="", causal=False, window=None):
    p = Program(f"attention_{name}")
    operands = [p.input((heads, queries, size), dtypes[0]), p.input((groups, rows, size), dtypes[1]),
                p.input((groups, rows, width), dtypes[1])]
    p.outputs = [p.stage(lambda s, q, k, v: attend(s, q, k, v, width, options=options), *operands)]
    return Case(p, lambda q, k, v: [(attention(q, k, v, rows, causal, window), attention_bound(dtypes[0], v))])


def placed(name, heads, queries, groups, rows, size, keys, first, dtypes=("f32", "f16"), window=None, cap=None):
    """Query rows at positions that an operand says."""
    p = Program(f"placed_{name}")
    operands = [p.input((heads, queries, size), dtypes[0]), *(p.input((groups, rows, size), dtypes[1]) for _ in range(2)),
                p.input(np.shape(keys), "i32"), p.input(np.shape(first), "i32")]
    options = " causal" + (f" window {window}" if window else "")
    p.outputs = [p.stage(lambda s, q, k, v, n, at: attend(s, q, k, v, size, n, options, at, cap), *operands)]

    def expected(q, k, v, n, at):
        exact = attention(q, k, v, n, True, window, at, cap)
        return [(exact, attention_bound(dtypes[0], v))]

    return Case(p, expected, {"in3": np.array(keys), "in4": np.array(first)})


def paged(name, heads, queries, groups, pool, length, pages, size, keys, dtype="f32"):
    """As many sequences as there are `keys`, each with `heads` query heads. A row of the table has the pages of one, in a
    pool that all share; the last query row of each is its last key."""
    p = Program(f"paged_{name}")
    count = len(keys)
    q = p.input((count * heads, queries, size), dtype)
    k, v = (p.input((pool, length, groups, size), "f16") for _ in range(2))
    table, n, first = p.input((count * pages,), "i32"), p.input((count,), "i32"), p.input((count,), "i32")

    def cache(s, pool, table):
        rows = s.add((count * pages, length, groups, size), "f16", f"gpuvm.gather %{pool.name}[%{table.name}] : "
                     f"{pool.type}, {table.type} -> {tensor((count * pages, length, groups, size), 'f16')}")
        split = (count, pages, length, groups, size)
        rows = s.add(split, "f16", f"tensor.expand_shape %{rows.name} [[0, 1], [2], [3], [4]] output_shape {list(split)} : "
                     f"{rows.type} into {tensor(split, 'f16')}")
        rows = s.transpose(rows, [0, 3, 1, 2, 4])
        joined = (count * groups, pages * length, size)
        return s.add(joined, "f16", f"tensor.collapse_shape %{rows.name} [[0, 1], [2, 3], [4]] : {rows.type} into "
                     f"{tensor(joined, 'f16')}")

    p.outputs = [p.stage(lambda s, q, k, v, table, n, first: attend(
        s, q, cache(s, k, table), cache(s, v, table), size, n, " causal", first), q, k, v, table, n, first)]
    rng = np.random.default_rng(count)
    numbers = rng.integers(0, pool, count * pages)

    def expected(q, k, v, table, n, first):
        own = lambda x: x[numbers].reshape(count, pages * length, groups, size).swapaxes(1, 2).reshape(
            count * groups, pages * length, size)
        return [(attention(q, own(k), own(v), n, True, first=first), attention_bound(dtype, v))]

    starts = np.maximum(np.array(keys) - queries, 0)
    return Case(p, expected, {"in3": numbers, "in4": np.array(keys), "in5": starts})


def attentions():
    yield placed("row", 4, 1, 2, 100, 32, 60, 59)
    yield placed("row_seen", 4, 1, 2, 100, 32, 60, 20, window=10)
    yield placed("past_the_end", 4, 8, 2, 40, 32, 40, 36)
    yield placed("rows_past_the_end", 4, 40, 2, 64, 32, 64, 50, ("f16", "f16"), window=20)
    yield placed("nothing", 2, 3, 1, 50, 16, 20, 45, window=5)
    yield placed("several", 6, 3, 3, 70, 32, [70, 3, 0], [67, 0, 9], cap=1.5)
    yield placed("rows_several", 4, 40, 2, 90, 48, [50, 80], [10, 60], cap=0.25)
    yield paged("row", 4, 1, 2, 20, 16, 5, 64, [80, 1, 37])
    yield paged("rows", 2, 40, 2, 11, 8, 9, 32, [72, 50])
    yield paged("rows_halves", 4, 20, 2, 30, 32, 3, 64, [96, 20, 77, 64], "f16")
    yield plain("decode", 8, 1, 2, 300, 64, 64, ("f32", "f16"))
    yield plain("long", 4, 1, 1, 3000, 32, 48, ("f32", "f32"))
    yield plain("prompt", 4, 70, 4, 70, 40, 24, ("f16", "f16"), " causal", causal=True)
    yield plain("window", 4, 3, 2, 500, 64, 32, ("f32", "f16"), " causal window 100", causal=True, window=100)
    yield plain("all", 3, 20, 1, 77, 80, 80, ("f16", "f32"))
    yield plain("long_rows", 1, 64, 1, 8192, 32, 32, ("f32", "f32"))
    for dtype in ("f32", "f16", "bf16"):
        yield cached("row", 8, 1, 2, 256, 64, 200, dtype)
        yield cached("rows", 4, 17, 2, 130, 32, 90, dtype)
        if dtype == "bf16":  # Converted before: from there on it is f32.
            continue
        yield cached("many_rows", 4, 35, 2, 130, 32, 90, dtype)
        yield cached("window", 6, 5, 3, 300, 64, 300, dtype, window=64)
    yield cached("all", 4, 3, 1, 100, 16, 61, "f16", causal=False)


# -------------------------------------------------------------------- running


def cases():
    return [*products(), *(scaled(rows) for rows in (1, 70)), *(projections(rows) for rows in (1, 40)), *attentions()]


def compare(where, actual, exact, bound):
    off = np.abs(actual - exact)
    bound = np.broadcast_to(bound, off.shape)
    wrong = ~(off <= bound)  # A NaN is wrong.
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise Mismatch(f"{where}: element {at} is {actual[at]!r}, off by {off[at]:.3g} from {exact[at]!r} "
                       f"(at most {bound[at]:.3g}); {wrong.sum()} elements are wrong")


def run(folder, case):
    """What is wrong with a case, or None."""
    p = case.program
    base = os.path.join(folder, p.name)
    rng = np.random.default_rng(sum(p.name.encode()))
    inputs, stored = [], []
    for value in p.inputs:
        made = case.data[value.name] if value.name in case.data else rng.standard_normal(value.shape)
        numbers = np.ravel(made).astype(int if value.dtype == "i32" else float).tolist()
        stored.append(numbers)
        inputs.append(rounded(value.dtype, np.array(numbers).reshape(value.shape)))
    expected = case.expected(*inputs)
    try:
        written = write_program(base, p, [stored])
        for tag, options in TAGS.items():
            compile_program(base, tag, options)
            if is_same_plan(base, tag):
                continue
            for i, (value, data, (exact, bound)) in enumerate(zip(p.outputs, run_program(base, written, tag), expected)):
                compare(f"{p.name} o{i} {tag}", np.array(data, np.float64).reshape(value.shape), exact, bound)
    except Mismatch as failure:
        return str(failure)
    return None


def main():
    wanted = [case for case in cases() if not sys.argv[2:] or case.program.name in sys.argv[2:]]
    return try_all("cases", wanted, lambda case: run(sys.argv[1], case))


if __name__ == "__main__":
    sys.exit(main())
