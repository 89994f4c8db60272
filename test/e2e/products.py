"""Contractions for the differential test: matrix products and their like."""

from program_text import Program, is_float, tensor


def contract(s, a, b, loops, dtype, body="product", more=(), extend=()):
    """sum over the loops that the result lacks of a * b, as in "mk,nk->mn"; `more`: further
    operands, each (value, its loops), which the body multiplies the product with; `extend`:
    the operations that make integers wider, one for each operand."""
    inputs, out = loops.split("->")
    first, second = inputs.split(",")
    operands = [(a, first), (b, second), *more]
    sizes = {axis: n for value, axes in operands for axis, n in zip(axes, value.shape)}
    order = out + "".join(dict.fromkeys(x for x in first + second if x not in out))
    place = {axis: f"d{i}" for i, axis in enumerate(order)}
    domain = ", ".join(place.values())
    maps = [f"affine_map<({domain}) -> ({', '.join(place[x] for x in axes)})>"
            for axes in [axes for _, axes in operands] + [out]]
    kinds = ", ".join('"parallel"' if x in out else '"reduction"' for x in order)
    init = s.constant([sizes[x] for x in out], dtype, 1)
    lines, values = [], []
    for i, (value, _) in enumerate(operands):
        values.append(f"%a{i}")
        if value.dtype != dtype:
            op = "arith.extf" if is_float(dtype) else "arith.extui" if value.dtype == "i1" else "arith.extsi"
            op = extend[i] if extend else op
            lines.append(f"%w{i} = {op} %a{i} : {value.dtype} to {dtype}")
            values[-1] = f"%w{i}"
    kind = "f" if is_float(dtype) else "i"
    total = values[0]
    for i, value in enumerate(values[1:]):
        lines.append(f"%p{i} = arith.mul{kind} {total}, {value} : {dtype}")
        total = f"%p{i}"
    if body == "index":  # The body sees where it is.
        lines += [f"%i = linalg.index {len(order) - 1} : index", f"%c = arith.index_cast %i : index to {dtype}",
                  f"%q = arith.addi {total}, %c : {dtype}"]
        total = "%q"
    combine = {"product": f"arith.add{kind}", "index": "arith.xori", "largest": f"arith.max{'imumf' if kind == 'f' else 'si'}"}
    lines.append(f"%r = {combine[body]} {total}, %acc : {dtype}")
    arguments = ", ".join(f"%a{i}: {value.dtype}" for i, (value, _) in enumerate(operands))
    text = "\n".join(lines)
    exact = all(value.exact for value, _ in operands) and not is_float(dtype)
    return s.add(init.shape, dtype, f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
                 f"ins({', '.join('%' + value.name for value, _ in operands)} : "
                 f"{', '.join(value.type for value, _ in operands)}) outs(%{init.name} : {init.type}) {{\n"
                 f"^bb0({arguments}, %acc: {dtype}):\n{text}\nlinalg.yield %r : {dtype}\n}} -> {init.type}", exact)


def plain(name, loops, shapes, dtypes, result, **options):
    p = Program(name)
    a, b = (p.input(shape, dtype) for shape, dtype in zip(shapes, dtypes))
    p.outputs = [p.stage(lambda s, x, y: contract(s, x, y, loops, result, **options), a, b)]
    return p


def layouts():
    """Every order of the axes of both inputs, on odd sizes and on round ones, of each type; on thin ones of one."""
    sizes = {"odd": {"m": 37, "n": 101, "k": 51}, "round": {"m": 64, "n": 160, "k": 64},
             "thin": {"m": 33, "n": 2050, "k": 17}}
    for name, size in sizes.items():
        for number, loops in enumerate(["mk,kn->mn", "mk,nk->mn", "km,kn->mn", "km,nk->mn", "mk,kn->nm"]):
            shapes = [[size[x] for x in axes] for axes in loops.split("->")[0].split(",")]
            types = [("f32", "f32"), ("f16", "f32"), ("i8", "i32")]
            for dtype, result in types if name != "thin" else [types[number % 3]]:
                yield plain(f"{name}_{number}_{dtype}", loops, shapes, [dtype] * 2, result)


def kinds():
    """Types, combiners, batches, several axes of each kind."""
    square = [(48, 40), (40, 56)]
    for dtype, result in [("f64", "f64"), ("f16", "f16"), ("bf16", "bf16"), ("bf16", "f32"), ("i64", "i64"),
                          ("i1", "i16"), ("i16", "i64")]:
        yield plain(f"types_{dtype}_{result}", "mk,kn->mn", square, [dtype] * 2, result)
    yield plain("mixed", "mk,kn->mn", square, ["i1", "i8"], "i32")
    yield plain("largest", "mk,kn->mn", square, ["f32"] * 2, "f32", body="largest")
    yield plain("index", "mk,kn->mn", square, ["i32"] * 2, "i32", body="index")
    yield plain("batches", "abmk,abkn->abmn", [(2, 3, 40, 24), (2, 3, 24, 36)], ["f32"] * 2, "f32")
    for dtype in ("f16", "bf16"):
        yield plain(f"heads_{dtype}", "qhd,shd->hqs", [(33, 4, 32), (70, 4, 32)], [dtype] * 2, "f32")
        yield plain(f"across_{dtype}", "km,kn->mn", [(72, 40), (72, 56)], [dtype] * 2, "f32")
    yield plain("two_axes", "mkl,lkn->mn", [(40, 6, 7), (7, 6, 50)], ["f32"] * 2, "f32")
    yield plain("two_round_axes", "mkl,nkl->mn", [(40, 8, 16), (72, 8, 16)], ["f32"] * 2, "f32")
    yield plain("deep", "mk,kn->mn", [(32, 3001), (3001, 32)], ["f32"] * 2, "f32")


def halves(name, m, n, k, dtype):
    """Two products of f16 or bf16 in a kernel, with what is around them: matrix units do them."""
    p = Program(f"halves_{name}_{dtype}")
    x, w, v, low = p.input((2, m, k), dtype), p.input((n, k), dtype), p.input((k, n), dtype), p.input((n,), dtype)

    def gated(s, x, w, v, low):
        gate = contract(s, s.binary("arith.addf", x, x), w, "bmk,nk->bmn", "f32")
        up = contract(s, s.binary("arith.addf", x, x), v, "bmk,kn->bmn", "f32")
        product = s.cast("arith.truncf", s.binary("arith.maximumf", gate, up), dtype)
        return s.binary("arith.addf", product, s.broadcast(low, gate.shape, [0, 1]))

    p.outputs = [p.stage(gated, x, w, v, low)]
    return p


def around():
    """What is computed before, behind and beside a product in the same kernel."""
    for name, (m, n, k) in {"odd": (45, 83, 70), "round": (64, 128, 96)}.items():
        p = Program(f"layer_{name}")
        x, w, v, bias = p.input((m, k), "f32"), p.input((n, k), "f16"), p.input((n, k), "f16"), p.input((n,), "f32")

        def gated(s, x, w, v, bias):
            twice = s.binary("arith.addf", x, x)
            gate = contract(s, twice, w, "mk,nk->mn", "f32")
            up = contract(s, twice, v, "mk,nk->mn", "f32")
            rows = s.broadcast(bias, gate.shape, [0])
            low = s.binary("arith.maximumf", s.binary("arith.addf", gate, rows), s.constant(gate.shape, "f32", 0))
            return s.binary("arith.mulf", low, up)

        hidden = p.stage(gated, x, w, v, bias)
        p.outputs = [hidden, p.stage(lambda s, h, w: contract(s, s.transpose(h, [1, 0]), w, "nm,nk->mk", "f32"),
                                     hidden, w)]
        yield p
        yield halves(name, m, n, k, "f16")
        yield halves(name, m, n, k, "bf16")
        p = Program(f"masked_{name}")
        a, b, scale, keep = p.input((m, k), "f32"), p.input((k, n), "f32"), p.input((k,), "f32"), p.input((m, n), "i1")
        p.outputs = [p.stage(lambda s, a, b, scale, keep: s.select(
            keep, contract(s, a, b, "mk,kn->mn", "f32", more=[(scale, "k")]), s.constant((m, n), "f32", -1)),
            a, b, scale, keep)]
        yield p
        p = Program(f"padded_{name}")
        a, b = p.input((m, k - 3), "f32"), p.input((k, n + 5), "f32")
        p.outputs = [p.stage(lambda s, a, b: contract(s, s.pad(a, [0, 1], [0, 2], 1), s.slice(b, [0, 2], [k, n], [1, 1]),
                                                      "mk,kn->mn", "f32"), a, b)]
        yield p


def convolution(channels, taps, filters, length):
    """A one-dimensional convolution: neighbouring results share elements."""
    p = Program(f"convolution_{length}")
    x, w = p.input((channels, length + taps - 1), "f32"), p.input((filters, channels, taps), "f32")

    def build(s, x, w):
        init = s.constant((filters, length), "f32", 0)
        return s.add(init.shape, "f32", "linalg.generic {indexing_maps = [affine_map<(f, l, c, t) -> (c, l + t)>, "
                     "affine_map<(f, l, c, t) -> (f, c, t)>, affine_map<(f, l, c, t) -> (f, l)>], iterator_types = "
                     '["parallel", "parallel", "reduction", "reduction"]} '
                     f"ins(%{x.name}, %{w.name} : {x.type}, {w.type}) outs(%{init.name} : {init.type}) {{\n"
                     "^bb0(%a: f32, %b: f32, %acc: f32):\n%m = arith.mulf %a, %b : f32\n%r = arith.addf %acc, %m : f32\n"
                     f"linalg.yield %r : f32\n}} -> {tensor((filters, length), 'f32')}", False)

    p.outputs = [p.stage(build, x, w)]
    return p


def in_instances(count, rows, length):
    """Matrix times vector with one matrix for all instances: not the order of a matrix product."""
    p = Program(f"instances_{count}_{rows}_{length}")
    w, x = p.input((rows, length), "f32"), p.input((count, length), "f32")

    def build(s, w, x):
        product = contract(s, w, x, "mk,k->m", "f32")
        product.exact = True  # In lanes no product is fused with its sum.
        return product

    p.outputs = [p.stage(build, w, x, instances=count, shared=[w])]
    return p


def exact():
    """With --exact no product is fused with its sum: the same bits everywhere."""
    for program in [plain("exact_f32", "mk,kn->mn", [(50, 60), (60, 70)], ["f32"] * 2, "f32"),
                    plain("exact_f16", "mk,nk->mn", [(50, 60), (70, 60)], ["f16"] * 2, "f32")]:
        program.exact = True
        for value in program.outputs:
            value.exact = True
        yield program


def products(_):
    programs = [*layouts(), *kinds(), *around(), convolution(5, 7, 40, 301), convolution(16, 4, 64, 256),
                in_instances(40, 48, 200), in_instances(33, 5, 1000), in_instances(3, 70, 17)]
    for program in programs:
        program.sums = True
    return [*programs, *exact()]
