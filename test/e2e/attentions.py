"""Attention for the differential test."""

from program_text import Program, tensor


def attend(s, q, k, v, width, keys=None, options="", first=None, cap=None):
    heads, queries, _ = q.shape
    shape = (heads, queries, width)
    more = f" keys(%{keys.name})" if keys else ""
    more += f" first(%{first.name} : {first.type})" if first else ""
    options = (f" cap {cap}" if cap else "") + options
    types = ", ".join(value.type for value in (q, k, v, keys) if value)
    return s.add(shape, q.dtype, f"gpuvm.attention %{q.name}, %{k.name}, %{v.name}{more} scale 0.2{options} : "
                 f"{types} -> {tensor(shape, q.dtype)}", exact=False)


def program(name, heads, queries, cached, rows, size, width, dtypes=("f32", "f32"), counted=False, options="",
            most=None):
    """Keys and values as they lie in memory. If they are counted, there are as many as rows at most, or `most`."""
    p = Program(f"attention_{name}")
    operands = [p.input((heads, queries, size), dtypes[0]), p.input((cached, rows, size), dtypes[1]),
                p.input((cached, rows, width), dtypes[1])]
    if counted:
        operands.append(p.input((), "i32"))

    def build(s, q, k, v, number=None):
        if number:  # Anything from 0 on.
            number = s.binary("arith.remui", number, s.constant((), "i32", (most or rows) + 1))
        return attend(s, q, k, v, width, number, options)

    p.outputs = [p.stage(build, *operands)]
    return p


def placed(name, heads, queries, cached, rows, size, dtypes=("f32", "f16"), counted=True, options=" causal", cap=None,
           sequences=None):
    """Query rows at positions that an operand says, some before the first key and some after the last one; with
    `sequences`, a number of keys and a position for each of them."""
    p = Program(f"attention_{name}")
    numbers = (sequences,) if sequences else ()
    operands = [p.input((heads, queries, size), dtypes[0]), *(p.input((cached, rows, size), dtypes[1]) for _ in range(2)),
                p.input(numbers, "i32"), p.input(numbers, "i32")]

    def build(s, q, k, v, keys, first):
        keys, first = (s.binary("arith.remsi", x, s.constant(numbers, "i32", rows + 5)) for x in (keys, first))
        keys = s.unary("math.absi", keys)
        return attend(s, q, k, v, size, keys if counted else None, options, first, cap)

    p.outputs = [p.stage(build, *operands)]
    return p


def melted(name, heads, queries, cached, rows, size):
    """A cache of another layout, queries that are computed, and what is done with the result."""
    p = Program(f"attention_{name}")
    q = p.input((queries, heads, size), "f32")
    k, v = p.input((rows, cached, size), "f16"), p.input((rows, 2, cached, size), "f16")

    def build(s, q, k, v):
        q = s.transpose(s.binary("arith.addf", q, q), [1, 0, 2])
        k = s.transpose(k, [1, 0, 2])
        v = s.slice(v, [0, 1, 0, 0], [rows, 1, cached, size], [1, 1, 1, 1])
        v = s.transpose(s.add((rows, cached, size), "f16", f"tensor.collapse_shape %{v.name} [[0, 1], [2], [3]] : "
                              f"{v.type} into {tensor((rows, cached, size), 'f16')}"), [1, 0, 2])
        o = s.transpose(attend(s, q, k, v, size, options=" causal"), [1, 0, 2])
        return s.binary("arith.addf", o, o)

    p.outputs = [p.stage(build, q, k, v)]
    return p


def sequences(name, count, heads, queries, cached, rows, size, options="", prefix=False, first=False):
    """So many instances with caches and lengths of their own (with `prefix`, one cache), and the same without
    instances: a number of keys for each few heads, which with `first` is the position of the first row, too."""
    p = Program(f"attention_{name}")
    q = p.input((count, heads, queries, size), "f32")
    k, v = (p.input((cached, rows, size) if prefix else (count, cached, rows, size), "f16") for _ in range(2))
    n = p.input((count,), "i32")

    def build(s, q, k, v, number):
        number = s.binary("arith.remui", number, s.constant(number.shape, "i32", rows + 1))
        return attend(s, q, k, v, size, number, options, number if first else None)

    p.outputs = [p.stage(build, q, k, v, n, instances=count, shared=[k, v] if prefix else ())]
    if not prefix:
        join = lambda s, x: s.add((x.shape[0] * x.shape[1], *x.shape[2:]), x.dtype, f"tensor.collapse_shape %{x.name} "
                                  f"[[0, 1], [2], [3]] : {x.type} into "
                                  f"{tensor((x.shape[0] * x.shape[1], *x.shape[2:]), x.dtype)}")
        p.outputs.append(p.stage(lambda s, q, k, v, n: build(s, join(s, q), join(s, k), join(s, v), n), q, k, v, n))
    return p


def attentions(_):
    yield program("one", 1, 1, 1, 1, 1, 1)
    yield program("decode", 8, 1, 2, 300, 64, 64, ("f32", "f16"))
    yield program("decode_long", 4, 1, 1, 9001, 32, 48, ("f32", "f16"), counted=True)
    # Keys for one of 64 splits, and for some of them.
    yield program("decode_first", 4, 1, 1, 9001, 32, 48, ("f32", "f16"), counted=True, most=100)
    yield program("decode_some", 4, 1, 1, 9001, 32, 48, ("f32", "f16"), counted=True, most=3000)
    yield program("decode_counted", 6, 1, 2, 517, 128, 128, ("f16", "f16"), counted=True, options=" causal")
    yield program("window", 4, 3, 2, 700, 64, 32, counted=True, options=" causal window 100")
    yield program("odd", 5, 7, 5, 65, 13, 7, counted=True, options=" causal")
    yield program("wide", 2, 2, 1, 100, 512, 512, ("f32", "f16"))
    yield program("before_the_first", 2, 40, 2, 20, 16, 16, options=" causal")
    # Many query rows, which all with at least 32 rows for a head of the cache are: around the sizes of blocks and tiles, and keys split among workgroups.
    for rows in (33, 64, 129):
        yield program(f"rows_{rows}", 2, rows, 2, rows + 70, 16, 16, options=" causal")
    yield program("rows_shared", 12, 11, 2, 140, 128, 128, ("f16", "f16"), counted=True, options=" causal")
    yield program("rows_odd", 3, 35, 1, 131, 67, 33, ("f32", "f16"))
    yield program("rows_long", 4, 40, 1, 1500, 64, 64, ("f16", "f16"), counted=True, options=" causal")
    yield program("rows_wide", 2, 50, 2, 150, 256, 512, ("f32", "f16"), options=" causal")
    yield program("rows_narrow", 4, 70, 4, 200, 512, 1)
    yield program("rows_window", 4, 200, 2, 300, 32, 48, ("f32", "f16"), counted=True, options=" causal window 50")
    yield program("rows_window_one", 1, 140, 1, 300, 8, 8, options=" causal window 1")
    # Enough blocks of f16 for matrix units, where there are any.
    yield program("units", 70, 33, 70, 70, 40, 24, ("f16", "f16"), options=" causal")
    yield program("units_shared", 136, 35, 68, 100, 128, 128, ("f16", "f16"), counted=True, options=" causal")
    yield program("units_odd", 67, 65, 67, 65, 13, 7, ("f16", "f16"))
    yield program("units_window", 134, 40, 67, 200, 64, 64, ("f16", "f16"), counted=True, options=" causal window 50")
    yield sequences("sequences", 5, 4, 1, 2, 300, 64, " causal")
    yield sequences("sequences_rows", 3, 2, 40, 1, 100, 16, " causal window 30")
    yield sequences("sequences_first", 3, 4, 2, 2, 60, 16, " causal window 30", first=True)
    yield sequences("sequences_prefix", 3, 4, 1, 2, 100, 32, prefix=True)
    yield placed("first", 4, 1, 2, 300, 64)
    yield placed("first_window", 6, 5, 3, 130, 32, options=" causal window 40")
    yield placed("first_rows", 4, 40, 2, 200, 32, ("f16", "f16"))
    yield placed("first_rows_window", 2, 70, 2, 150, 16, options=" causal window 30", cap=3.0)
    yield placed("first_all", 2, 33, 1, 90, 8, counted=False)
    yield placed("first_sequences", 8, 3, 4, 90, 32, sequences=2, cap=0.5)
    yield placed("first_units", 134, 40, 67, 100, 64, ("f16", "f16"), cap=2.0)
    yield melted("melted", 8, 5, 2, 100, 64)
    yield melted("melted_rows", 8, 21, 2, 100, 64)
    yield melted("melted_rows_odd", 3, 90, 3, 67, 20)
    yield melted("melted_odd", 3, 1, 3, 67, 20)
