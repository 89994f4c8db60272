"""Elementwise programs: two operands, three, halves, bytes to floats."""

import numpy as np

import programs
from model import Case, Tensor, goal

TITLE = "Map"


def saxpy(n, dtype, target):
    x = Tensor((n,), dtype)
    body = f"""
        %a = arith.constant dense<2.5> : {x}
        %p = arith.mulf %a, %x : {x}
        %z = arith.addf %p, %y : {x}
    """
    return Case(f"2.5 x + y, {dtype}, {n:,}", **programs.both({"x": x, "y": x}, "z", x, body),
                reference=lambda d: d["x"] * d["x"].dtype.type(2.5) + d["y"],
                torch={"add": lambda d: d["torch"].add(d["y"], d["x"], alpha=2.5)},
                bytes=3 * x.bytes, target=target, bound=1e-6 if dtype == "f32" else 2e-3)


def multiply_add(n, target):
    x = Tensor((n,), "f32")
    body = f"""
        %p = arith.mulf %a, %b : {x}
        %z = arith.addf %p, %c : {x}
    """
    return Case(f"a b + c, f32, {n:,}",
                **programs.both({"a": x, "b": x, "c": x}, "z", x, body),
                reference=lambda d: d["a"] * d["b"] + d["c"],
                torch={"addcmul": lambda d: d["torch"].addcmul(d["c"], d["a"], d["b"])},
                bytes=4 * x.bytes, target=target, bound=1e-6)


def bytes_to_floats(n, target):
    x, z = Tensor((n,), "i8", -128, 128), Tensor((n,), "f32")
    body = f"""
        %s = arith.constant dense<0.0078125> : {z}
        %f = arith.sitofp %x : {x} to {z}
        %z = arith.mulf %f, %s : {z}
    """
    return Case(f"x / 128, i8 to f32, {n:,}", **programs.both({"x": x}, "z", z, body),
                reference=lambda d: d["x"] * np.float32(2.0 ** -7),
                torch={"mul": lambda d: d["x"] * (2.0 ** -7)}, compiled=True,
                bytes=x.bytes + z.bytes, target=target, bound=0.0)


def cases(device, _):
    sizes = (2 ** 20, 2 ** 24, 2 ** 28) if device == "gpu" else (2 ** 16, 2 ** 20, 2 ** 23)
    # Only what is much larger than the caches is held against the copy speed.
    targets = (goal(device), goal(device), goal(device, 0.95))
    for n, target in zip(sizes, targets):
        yield saxpy(n, "f32", target)
    yield saxpy(sizes[2], "f16", targets[2])
    yield multiply_add(sizes[2] // 4, targets[2])
    yield bytes_to_floats(sizes[2], targets[2])
