"""Matrix products, one and many: f32, and f16 and bf16 with f32 accumulation."""

import numpy as np

import programs
from model import Case, Target, Tensor, goal

TITLE = "Matrix product"
NOTES = ("torch has TF32 off, so f32 is f32 on both sides.", "Of bf16 ours has an f32 result, torch's has bf16.")
# At 4096^3, of torch's speed.
TARGETS = {"f32": 0.70, "f16": 0.50}
BOUND = {"f32": 2e-5, "f16": 2e-3, "bf16": 4e-3}
# NumPy has no bf16: bits of numbers from 0.25 to 1.
BITS = {"low": 0x3e80, "high": 0x3f80}


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


def bfloat16_product(size):
    bits, a, wide = (Tensor((size, size), dtype, **BITS) for dtype in ("i16", "bf16", "f32"))
    body = f"""
        %x = arith.bitcast %a : {bits} to {a}
        %y = arith.bitcast %b : {bits} to {a}
        %zero = arith.constant dense<0.0> : {wide}
        %c = linalg.matmul ins(%x, %y : {a}, {a}) outs(%zero : {wide}) -> {wide}
    """
    number = lambda bits: (bits.astype(np.uint32) << 16).view(np.float32)
    return Case(f"bf16, {size}^3", **programs.both({"a": bits, "b": bits}, "c", wide, body),
                reference=lambda d: np.matmul(number(d["a"]), number(d["b"])),
                torch={"matmul": lambda d: d["torch"].matmul(*(d[x].view(d["torch"].bfloat16) for x in "ab"))},
                bytes=2 * bits.bytes + wide.bytes, operations=2 * size ** 3, arithmetic="f16", bound=BOUND["bf16"])


def cases(device, _):
    small, large, batch = (1024, 4096, 64) if device == "gpu" else (256, 512, 8)
    for dtype in ("f32", "f16"):
        yield product(small, 1, dtype, goal(device))
        yield product(large, 1, dtype, Target(TARGETS[dtype], "torch")
                      if device == "gpu" else goal(device))
        yield product(small // 2, batch, dtype, goal(device))
    if device == "gpu":
        yield bfloat16_product(small)
        yield bfloat16_product(large)
