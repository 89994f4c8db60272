"""Programs for the differential test that sort, pick the largest, and search."""

from program_text import TYPES, Program, is_float

SIZES = [1, 2, 31, 255, 256, 257, 4095, 4096, 4097, 65537]
FILLS = [None, "few", "ordered", "reversed", "equal"]


def sort(s, keys, flags, payloads=(), numbers=False):
    """The keys, the payloads and, with `numbers`, the places they came from, all in order."""
    operands = [*keys, *payloads]
    types = [v.dtype for v in operands] + ["i32"] * numbers
    listed = ", ".join(f"%{key.name} {flag}" for key, flag in zip(keys, flags))
    moved = f" payloads({', '.join('%' + v.name for v in payloads)})" if payloads else ""
    s.count += 1
    name = f"v{s.count}"
    s.lines.append(f"%{name}:{len(types)} = gpuvm.sort {listed}{moved}{' numbers' if numbers else ''} : "
                   f"{', '.join(v.type for v in operands)}")
    results = [s.fresh(keys[0].shape, dtype) for dtype in types]
    for i, value in enumerate(results):
        value.name = f"{name}#{i}"
    return results


def top_k(s, x, k, flags):
    values, numbers = s.fresh(x.shape[:-1] + (k,), x.dtype), s.fresh(x.shape[:-1] + (k,), "i32")
    values.name, numbers.name = f"{values.name}#0", f"{values.name}#1"
    s.lines.append(f"%{values.name[:-2]}:2 = gpuvm.top_k %{x.name} {flags} : {x.type} -> {values.type}, {numbers.type}")
    return [values, numbers]


def search(s, table, queries, flags):
    return s.add(queries.shape, "i32", f"gpuvm.search_sorted %{table.name}, %{queries.name} {flags} : {table.type}, "
                 f"{queries.type} -> {s.fresh(queries.shape, 'i32').type}")


def one(name, shape, dtype, flags="", fill=None, payloads=(), numbers=True):
    """One key; what moves with it; the places."""
    p = Program(f"sort_{name}")
    operands = [p.input(shape, dtype), *(p.input(shape, other) for other in payloads)]
    operands[0].fill = fill
    p.outputs = p.stage(lambda s, key, *rest: sort(s, [key], [flags], rest, numbers), *operands)
    return p


def several(name, shape, dtypes, flags, payloads=()):
    p = Program(f"sort_several_{name}")
    operands = [p.input(shape, dtype) for dtype in (*dtypes, *payloads)]
    for value in operands[:len(dtypes) - 1]:
        value.fill = "few"
    count = len(dtypes)
    p.outputs = p.stage(lambda s, *all: sort(s, all[:count], flags, all[count:], True), *operands)
    return p


def around(length):
    """Keys that are computed where they are read, and what is done with the places."""
    p = Program(f"sort_around_{length}")
    x, y = p.input((length,), "f32"), p.input((3, length), "i16")

    def build(s, x, y):
        double = s.binary("arith.mulf", x, x)
        row = s.collapse(s.slice(y, [1, 0], [1, length], [1, 1]))
        key, moved, numbers = sort(s, [double], ["descending"], [row], True)
        return [key, s.binary("arith.addi", moved, moved), s.binary("arith.addi", numbers, numbers)]

    p.outputs = p.stage(build, x, y)
    return p


def instances(count, length):
    p = Program(f"sort_instances_{length}")
    x, y = p.input((count, length), "f32"), p.input((count, length), "i64")
    p.outputs = [p.stage(lambda s, x, y: sort(s, [x], [""], [y])[1], x, y, instances=count)]
    return p


def largest(name, shape, k, dtype, flags="", fill=None):
    p = Program(f"top_{name}")
    x = p.input(shape, dtype)
    x.fill = fill
    p.outputs = p.stage(lambda s, x: top_k(s, x, k, flags), x)
    return p


def found(name, length, queries, dtype, flags="", fill=None):
    """In a table that is sorted before it is searched."""
    p = Program(f"search_{name}")
    table, x = p.input((length,), dtype), p.input(queries, dtype)
    table.fill = x.fill = fill
    order = flags.replace("right", "").strip()
    in_order = p.stage(lambda s, t: sort(s, [t], [order])[0], table)
    p.outputs = [p.stage(lambda s, t, x: search(s, t, x, flags), in_order, x)]
    return p


def merge(s, first, second, flags=""):
    """Of two keys, each with what moves with it."""
    (a, u), (b, v) = first, second
    shape = a.shape[:-1] + (a.shape[-1] + b.shape[-1],)
    results = [s.fresh(shape, value.dtype) for value in first]
    s.count += 1
    name = f"v{s.count}"
    s.lines.append(f"%{name}:2 = gpuvm.merge %{a.name}, %{b.name} payloads(%{u.name} : {u.type}) with(%{v.name} : {v.type}) "
                   f"{flags} : {a.type}, {b.type} -> {', '.join(value.type for value in results)}")
    for i, value in enumerate(results):
        value.name = f"{name}#{i}"
    return results


def merged(name, shape, lengths, dtype, flags=""):
    """Two sorted rows with what belongs to them; equal keys are in both."""
    p = Program(f"merge_{name}")
    inputs = [p.input(shape + (length,), t) for length in lengths for t in (dtype, "i16")]
    for value in inputs[::2]:
        value.fill = "few"
    first, second = (p.stage(lambda s, key, moved: sort(s, [key], [flags], [moved]), *inputs[i:i + 2]) for i in (0, 2))
    p.outputs = p.stage(lambda s, *rows: merge(s, rows[:2], rows[2:], flags), *first, *second)
    return p


def merged_instances(count, lengths):
    p = Program("merge_instances")
    inputs = [p.input((count, length), "i32") for length in lengths]

    def build(s, *keys):
        return merge(s, *(sort(s, [key], [""], numbers=True) for key in keys))[1]

    p.outputs = [p.stage(build, *inputs, instances=count)]
    return p


def keys():
    """Every type in every order, and rows of every size."""
    for n, dtype in enumerate(TYPES):
        fill = "signed" if is_float(dtype) else None
        orders = ["", "descending"] + ([] if is_float(dtype) else ["unsigned", "unsigned descending"])
        for i, flags in enumerate(orders):
            name = f"{dtype}_{flags.replace(' ', '_')}"
            yield one(f"{name}_short", (1000 + n,), dtype, flags, fill)
            if i == n % 2:
                yield one(f"{name}_merged", (9000 + n,), dtype, flags, fill)
            else:
                yield one(f"{name}_long", (70000 + n,), dtype, flags, fill, numbers=i < 2)
    for n, size in enumerate(SIZES):
        for fill in (FILLS[n % len(FILLS)], FILLS[(n + 2) % len(FILLS)]):
            dtype = "f32" if fill in (None, "equal") else "i32"
            yield one(f"{size}_{fill}", (size,), dtype, "", fill, ["i32"], numbers=False)
    yield one("million", (1000003,), "i32", "unsigned", None, ["i32"], numbers=False)


def sorts(_):
    yield from keys()
    for shape in ((5, 7), (300, 33), (3, 4, 500), (2, 5000), (40, 4096), (2, 3, 70001), (7, 70000), (1000, 1), (70000, 2)):
        name = "x".join(map(str, shape))
        yield one(f"rows_{name}", shape, "i32", "", None, ["f32"], numbers=True)
    for shape in ((300, 33), (2, 3, 5001), (2, 70001)):
        yield one(f"rows_{shape[-1]}_few", shape, "i16", "descending", "few", ["i8", "i1", "bf16"], numbers=True)
    for length in (77, 5000, 70000):
        yield several(f"two_{length}", (length,), ["i32", "f32"], ["", "descending"], ["i64"])
        yield several(f"three_{length}", (2, length), ["i8", "i1", "f16"], ["unsigned descending", "descending", ""],
                      ["f64", "i8", "i8"])
        yield one(f"wide_{length}", (length,), "i64", "", None, ["i64", "f64", "i1"], numbers=True)
        yield around(length)
        yield instances(3, length)
    for k in (1, 7, 300, 1000):
        yield largest(f"few_{k}", (5, 1000), k, "f32", fill="signed")
        yield largest(f"long_{k}", (3, 30001), k, "i32", "smallest unsigned")
        yield largest(f"equal_{k}", (20000,), k, "i64", "", "few")
    yield largest("million", (1000003,), 40, "f32")
    yield merged("one", (), (1, 1), "i32")
    yield merged("rows", (3, 2), (100, 333), "f32", "descending")
    yield merged("long", (), (70000, 5000), "i64", "unsigned")
    yield merged("short", (2,), (10, 3000), "i8")
    yield merged("behind", (), (100003, 7), "f64", "descending")
    yield merged("single", (), (1, 5000), "i16", "unsigned descending")
    yield merged("tiny", (700,), (3, 2), "f16")
    yield merged("many", (5, 3), (8191, 4099), "bf16")
    yield merged("truths", (), (5000, 5001), "i1")
    yield merged_instances(3, (70, 200))
    for length in (1, 2, 1000, 4097, 100000):
        yield found(f"left_{length}", length, (7, 33), "i32", "", "few" if length < 3000 else None)
        yield found(f"right_{length}", length, (1000,), "f32", "right descending", "signed")
        yield found(f"unsigned_{length}", length, (3000,), "i64", "unsigned")
