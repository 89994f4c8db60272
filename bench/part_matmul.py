"""Matrix products, one and many, in f32 and in f16 with f32 accumulation."""

import numpy as np

import programs
from model import Case, Target, Tensor, goal

TITLE = "Matrix product"
NOTES = ("torch has TF32 off, so f32 is f32 on both sides.",)
# At 4096^3, of torch's speed.
TARGETS = {"f32": 0.70, "f16": 0.50}
BOUND = {"f32": 2e-5, "f16": 2e-3}


def product(size, batch, dtype, target):
    shape = (batch, size, size) if batch > 1 else (size, size)
    a, wide = Tensor(shape, dtype), Tensor(shape, "f32")
    operation = "linalg.batch_matmul" if batch > 1 else "linalg.matmul"
    body = f"""
        %zero = arith.constant dense<0.0> : {wide}
        %{'c' if dtype == 'f32' else 'sum'} = {operation} ins(%a, %b : {a}, {a}) outs(%zero : {wide}) -> {wide}
    """
    if dtype == "f16":
        body += f"    %c = arith.truncf %sum : {wide} to {a}\n"
    count = f"{batch} x " if batch > 1 else ""
    return Case(f"{dtype}, {count}{size}^3", **programs.both({"a": a, "b": a}, "c", a, body),
                reference=lambda d: np.matmul(d["a"].astype(np.float32), d["b"].astype(np.float32)),
                torch={"matmul": lambda d: d["torch"].matmul(d["a"], d["b"])},
                bytes=3 * a.bytes, operations=2 * batch * size ** 3, arithmetic=dtype,
                target=target, bound=BOUND[dtype])


def cases(device, _):
    small, large, batch = (1024, 4096, 64) if device == "gpu" else (256, 512, 8)
    for dtype in ("f32", "f16"):
        yield product(small, 1, dtype, goal(device))
        yield product(large, 1, dtype, Target(TARGETS[dtype], "torch")
                      if device == "gpu" else goal(device))
        yield product(small // 2, batch, dtype, goal(device))
