"""Matrix times vector: one long matrix, a chain over many, and one small enough for caches."""

import numpy as np

import programs
from model import Case, Tensor, goal

TITLE = "Matrix times vector"
NOTES = ("A chain multiplies a vector by as many different square matrices, one after the other; "
         "together they are much larger than any cache.",)
# Formats of weights: MLIR type of a matrix as stored. Packed formats need `gpuvm.decode`.
FORMATS = ("f32", "f16")
TARGETS = {"f32": 0.90, "f16": 0.90}
# f16 operands are exact in f32, so only torch's f16 output rounds.
BOUND = {"f32": 2e-5, "f16": 2e-3}


def weights(shape, dtype):
    """Elements whose products with a vector keep its size: chains neither grow nor vanish."""
    spread = float((3.0 / shape[-1]) ** 0.5)
    return Tensor(shape, dtype, -spread, spread)


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
    return Case(f"{dtype}, {rows}x{length}, {w.bytes >> 20} MiB",
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

    return Case(f"{dtype}, chain of {stages} {side}x{side}, {stages * w.bytes >> 20} MiB",
                **programs.both(inputs, "y", x, body), reference=reference,
                torch={"mv": torch}, bytes=stages * w.bytes + (stages + 1) * x.bytes,
                operations=2 * stages * side * side, target=target, bound=10 * BOUND[dtype])


def cases(device, _):
    big, side = (16384, 4096) if device == "gpu" else (4096, 1024)
    for dtype in FORMATS:
        target = goal(device, TARGETS[dtype])
        yield one(big, big if device == "gpu" else 2048, dtype, target)
        yield chain(16 if device == "gpu" else 8, side, dtype, target)
        yield one(side, side, dtype, goal(device))
