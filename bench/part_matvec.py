"""Matrix times vector: one long matrix, a chain over many, and one small enough for caches."""

import numpy as np

import programs
import quantized
from model import Case, Target, Tensor, goal

TITLE = "Matrix times vector"
NOTES = ("A chain multiplies a vector by as many different square matrices, one after the other; "
         "together they are much larger than any cache.",
         "Beside packed weights torch multiplies the same numbers stored as f16.",
         "With bytes the vector is quantized, too: in the plan, or beforehand.")
FLOATS = ("f32", "f16")
PACKED = ("q8_0", "q4_k", "q6_k")
TARGETS = {"f32": 0.90, "f16": 0.90, "q8_0": 0.85, "q4_k": 0.60, "q6_k": 0.60}
BYTE_TARGETS = {"q8_0": 0.85, "q4_k": 0.80, "q6_k": 0.80}
# f16 operands are exact in f32, so only torch's f16 output rounds.
BOUND = {"f32": 2e-5, "f16": 2e-3}


def weights(shape, dtype):
    """Elements whose products with a vector keep its size: chains neither grow nor vanish."""
    spread = float((3.0 / shape[-1]) ** 0.5)
    return Tensor(shape, dtype, -spread, spread)


def size(matrix):
    kib = matrix.bytes / 1024
    return f"{kib / 1024:,.0f} MiB" if kib >= 1024 else f"{kib:,.0f} KiB"


def product(name, matrix, w, vector, x, y):
    """Lines for %name = matrix x vector, accumulated in f32."""
    return (f"%{name}_zero = arith.constant dense<0.0> : {y}\n"
            f"%{name} = linalg.matvec ins(%{matrix}, %{vector} : {w}, {x}) "
            f"outs(%{name}_zero : {y}) -> {y}\n")


def converted(d):
    """The vector in the type of the matrix, as torch wants it, converted once."""
    matrix = d.get("w", d.get("w0"))
    if "converted" not in d:
        d["converted"] = d["x"].to(matrix.dtype)
    return d["converted"]


def one(rows, length, dtype, target):
    w, x, y = weights((rows, length), dtype), Tensor((length,), "f32"), Tensor((rows,), "f32")
    return Case(f"{dtype}, {rows}x{length}, {size(w)}",
                **programs.both({"w": w, "x": x}, "y", y, product("y", "w", w, "x", x, y)),
                reference=lambda d: d["w"].astype(np.float32) @ d["x"],
                torch={"mv": lambda d: d["torch"].mv(d["w"], converted(d)),
                       "linear": lambda d: d["functional"].linear(converted(d), d["w"])},
                bytes=w.bytes + x.bytes + y.bytes, operations=2 * rows * length,
                target=target, bound=BOUND[dtype])


def chain(stages, side, dtype, target):
    w, x = weights((side, side), dtype), Tensor((side,), "f32")
    inputs = {**{f"w{i}": w for i in range(stages)}, "x": x}
    names = ["x"] + [f"x{i}" for i in range(stages - 1)] + ["y"]
    body = "".join(product(names[i + 1], f"w{i}", w, names[i], x, x) for i in range(stages))

    def reference(d):
        vector = d["x"]
        for i in range(stages):
            vector = d[f"w{i}"].astype(np.float32) @ vector
        return vector

    def torch(d):
        vector = converted(d)
        for i in range(stages):
            vector = d["torch"].mv(d[f"w{i}"], vector)
        return vector

    return Case(f"{dtype}, chain of {stages} {side}x{side}, {size(w)} each",
                **programs.both(inputs, "y", x, body), reference=reference,
                torch={"mv": torch}, bytes=stages * w.bytes + (stages + 1) * x.bytes,
                operations=2 * stages * side * side, target=target, bound=10 * BOUND[dtype])


def half_product(w, vector=None):
    """The same product by torch, of the decoded matrix in f16 with %x or the vector made."""
    def torch(d):
        if "decoded" not in d:
            distinct = d["torch"].from_numpy(w.decoded()).to(d["device"]).half()
            d["decoded"] = distinct.repeat(-(-w.rows // len(distinct)), 1)[:w.rows].contiguous()
            d["converted"] = (d["torch"].from_numpy(vector()).to(d["device"]) if vector else d["x"]).half()
        return d["torch"].mv(d["decoded"], d["converted"])

    return {"f16 mv": torch}


def in_bytes(rows, length, codec, target, given):
    """Weights stay packed, and are multiplied as integers with a vector of bytes, which is
    given or made of floats by the plan."""
    w, y = quantized.Packed(codec, rows, length), Tensor((rows,), "f32")
    form = quantized.ByteProduct(w)
    if given:
        types = {"w": w, **form.types}
        inputs = {"w": w, **{name: lambda n=name: form.vector()[n] for name in form.types}}
        body, answer, torch = form.multiply(), lambda _: w.times(form.floats()), half_product(w, form.floats)
    else:
        x = Tensor((length,), "f32")
        inputs = types = {"w": w, "x": x}
        body, answer = form.quantize("x") + form.multiply(), lambda d: w.times(form.rounded(d["x"]))
        torch = half_product(w)
    made = "given" if given else "made"
    return Case(f"{codec}, bytes {made}, {rows}x{length}, {size(w)}",
                programs.gpuvm(types, "y", y, body), inputs, "y", y,
                answer=answer, torch=torch, bytes=w.bytes + 4 * length + y.bytes,
                operations=2 * rows * length, target=target, bound=1e-3)


def packed(rows, length, codec, target):
    """Weights stay packed in memory and are decoded in the kernel that multiplies."""
    w, x, y = quantized.Packed(codec, rows, length), Tensor((length,), "f32"), Tensor((rows,), "f32")
    wide = Tensor((rows, length), "f32")
    body = f"%d = gpuvm.decode %w : {w} -> {wide}\n" + product("y", "d", wide, "x", x, y)
    inputs = {"w": w, "x": x}
    return Case(f"{codec}, {rows}x{length}, {size(w)}",
                programs.gpuvm(inputs, "y", y, body), inputs, "y", y,
                answer=lambda d: w.times(d["x"]), torch=half_product(w),
                bytes=w.bytes + x.bytes + y.bytes, operations=2 * rows * length,
                target=target, bound=2e-5)


def cases(device, _):
    big, side = (16384, 4096) if device == "gpu" else (4096, 1024)
    for codec in PACKED:
        rows = (16384 if codec == "q8_0" else 32768) if device == "gpu" else 4096
        yield packed(rows, big, codec, Target(TARGETS[codec]) if device == "gpu" else None)
        yield packed(side, side, codec, None)
        byte_target = Target(BYTE_TARGETS[codec]) if device == "gpu" else None
        for given in (True, False):
            yield in_bytes(rows, big, codec, byte_target if given else None, given)
        yield in_bytes(side, side, codec, None, given=False)
    for dtype in FLOATS:
        target = goal(device, TARGETS[dtype])
        yield one(big, big if device == "gpu" else 2048, dtype, target)
        yield chain(16 if device == "gpu" else 8, side, dtype, target)
        yield one(side, side, dtype, goal(device))
