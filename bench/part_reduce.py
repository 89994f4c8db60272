"""Sums and maxima: of everything, of rows, of columns."""

import programs
from model import Case, Tensor, goal

TITLE = "Reduce"
COMBINE = {"sum": ("arith.addf", "0.0"), "max": ("arith.maximumf", "0xFF800000")}
TORCH = {"sum": "sum", "max": "amax"}


def reduction(kind, shape, axes, target):
    combine, start = COMBINE[kind]
    x = Tensor(shape, "f32")
    kept = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    y = Tensor(kept, "f32")
    body = f"""
        %start = arith.constant dense<{start}> : {y}
        %y = linalg.reduce {{ {combine} }} ins(%x : {x}) outs(%start : {y}) dimensions = {list(axes)}
    """
    of = {(0,): "columns", (1,): "rows"}.get(axes, "everything") if len(shape) > 1 else "everything"
    return Case(f"{kind} of {of}, {'x'.join(map(str, shape))}",
                **programs.both({"x": x}, "y", y, body),
                reference=lambda d: getattr(d["x"], kind)(axis=axes),
                torch={kind: lambda d: getattr(d["torch"], TORCH[kind])(d["x"], dim=axes)},
                bytes=x.bytes + y.bytes, target=target,
                bound=5e-5 if kind == "sum" else 0.0)


def cases(device, _):
    n, side = (2 ** 28, 16384) if device == "gpu" else (2 ** 23, 2048)
    target = goal(device, 0.95)
    for kind in COMBINE:
        yield reduction(kind, (n,), (0,), target)
        yield reduction(kind, (side, side), (1,), target)
        yield reduction(kind, (side, side), (0,), target)
    yield reduction("sum", (2 ** 20,), (0,), goal(device))
