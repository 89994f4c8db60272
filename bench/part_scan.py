"""Scans, whole and in segments, and what is kept of a tensor.

A compact operation is given how many elements it keeps: the bytes of a case count these.
"""

import numpy as np

import programs
from model import Case, Tensor, goal

TITLE = "Scan"


def region(x, dimension=0, segments=None):
    """The lines of a sum of all elements so far."""
    add = "arith.addf" if x.dtype.startswith("f") else "arith.addi"
    operands = f"({x})" if segments is None else f"({x}, {segments})"
    heads = "" if segments is None else " segments(%heads)"
    return f"""
        %y = gpuvm.scan %x dimension {dimension}{heads} : {operands} -> {x} {{
        ^bb0(%a: {x.dtype}, %b: {x.dtype}):
          %c = {add} %a, %b : {x.dtype}
          gpuvm.yield %c : {x.dtype}
        }}
    """


def sums(shape, dtype, target):
    x = Tensor(shape, dtype, 0, 3) if dtype.startswith("i") else Tensor(shape, dtype)
    last = len(shape) - 1
    return Case(f"sums of {'x'.join(f'{n:,}' for n in shape)} {dtype}",
                programs.gpuvm({"x": x}, "y", x, region(x, last)), {"x": x}, "y", x,
                reference=lambda d: np.cumsum(d["x"], axis=-1, dtype=d["x"].dtype),
                torch={"cumsum": lambda d: d["torch"].cumsum(d["x"], dim=-1, dtype=d["x"].dtype)},
                bytes=2 * x.bytes, target=target, bound=0.0 if dtype.startswith("i") else 1e-3)


def kept(n, target):
    """The elements of a tensor that are more than a half, in their order: a third of them."""
    x = Tensor((n,), "f32")
    body = f"""
        %limit = arith.constant dense<0.5> : {x}
        %keep = arith.cmpf ogt, %x, %limit : {x}
        %y, %count = gpuvm.compact %x where %keep : ({x}, {Tensor((n,), "i1")}) -> ({x}, tensor<i32>)
    """

    def pick(d):
        """With what the result holds after them: nothing, at first."""
        found = d["x"][d["x"] > 0.5]
        return np.concatenate([found, np.zeros(n - found.size, np.float32)])

    return Case(f"what is more than 0.5 of {n:,} f32", programs.gpuvm({"x": x}, "y", x, body), {"x": x}, "y", x,
                reference=pick,
                torch={"x[x > 0.5]": lambda d: d["torch"].nn.functional.pad(
                    (found := d["x"][d["x"] > 0.5]), (0, n - found.numel()))},
                bytes=x.bytes + x.bytes // 3, target=target, bound=0.0)


def cases(device, _):
    gpu = device == "gpu"
    n = 2 ** 28 if gpu else 2 ** 22
    yield sums((n,), "f32", goal("gpu", 0.9) if gpu else None)
    yield sums((n,), "i32", goal("gpu", 0.9) if gpu else None)
    yield sums((n // 1000, 1000), "f32", None)
    yield sums((2 ** 16,), "i32", None)
    yield kept(n, goal("gpu", 0.85) if gpu else None)
