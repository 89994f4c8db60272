"""Functions of rows that need reductions of them: softmax, norms, log-sum-exp."""

import numpy as np

import programs
from model import Case, Tensor, goal

TITLE = "Rows"
EPSILON = 1e-5
SHAPES = {
    "gpu": ((16384, 4096), (65536, 1024), (8192, 8192), (131072, 256), (2048, 32768),
            (1000000, 50), (4, 1048576)),
    "cpu": ((512, 4096), (2048, 1024), (256, 8192), (8192, 256), (64, 32768), (40000, 50),
            (4, 262144)),
}
# For functions of columns: reductions over the first dimension.
COLUMNS = {
    "gpu": ((256, 1024), (1024, 256), (4096, 1024), (4096, 4096), (4096, 16384), (16384, 2048)),
    "cpu": ((256, 1024), (1000, 1000), (4096, 512)),
}


class Rows:
    """Text of values of one shape, and of one number a row or a column.

    Broadcasts are indexing maps of linalg.generic; IREE takes minutes over the same
    programs with linalg.broadcast and arithmetic on tensors."""

    def __init__(self, rows, length, axis=1):
        self.x, self.axis = Tensor((rows, length), "f32"), axis
        self.row, self.column = [Tensor((n,), "f32") for n in ((rows, length) if axis == 1 else (length, rows))]
        own, other = "ij" if axis == 1 else "ji"
        self.maps = {"element": "(i, j) -> (i, j)", "row": f"(i, j) -> ({own})", "column": f"(i, j) -> ({other})"}
        self.types = {"element": self.x, "row": self.row, "column": self.column}
        self.kinds = {"x": "element", "gain": "column", "bias": "column"}

    def constant(self, name, number):
        self.kinds[name] = "row"
        text = number if isinstance(number, str) else f"{number:.9e}"
        return f"%{name} = arith.constant dense<{text}> : {self.row}\n"

    def reduce(self, name, combine, source, start):
        self.kinds[name] = "row"
        return (f"%{name} = linalg.reduce {{ {combine} }} ins(%{source} : {self.x}) "
                f"outs(%{start} : {self.row}) dimensions = [{self.axis}]\n")

    def of_row(self, name, operation, *operands):
        self.kinds[name] = "row"
        return f"%{name} = {operation} {', '.join('%' + o for o in operands)} : {self.row}\n"

    def each(self, name, operation, *operands):
        """Elementwise; an operand that is one number a row or a column is repeated."""
        kinds = [self.kinds[operand] for operand in operands]
        self.kinds[name] = "element"
        maps = ", ".join(f"affine_map<{self.maps[kind]}>" for kind in [*kinds, "element"])
        values = ", ".join("%" + operand for operand in operands)
        types = ", ".join(str(self.types[kind]) for kind in kinds)
        arguments = ", ".join(f"%in{i}: f32" for i in range(len(operands)))
        scalars = ", ".join(f"%in{i}" for i in range(len(operands)))
        return (f"%{name}_empty = tensor.empty() : {self.x}\n"
                f"%{name} = linalg.generic {{indexing_maps = [{maps}], "
                f'iterator_types = ["parallel", "parallel"]}} ins({values} : {types}) '
                f"outs(%{name}_empty : {self.x}) {{\n"
                f"^bb0({arguments}, %out: f32):\n"
                f"%result = {operation} {scalars} : f32\n"
                f"linalg.yield %result : f32\n"
                f"}} -> {self.x}\n")

    def shifted_powers(self):
        """e^(x - top), its sum and the top of each row."""
        return (self.constant("low", "0xFF800000") + self.constant("zero", 0.0) +
                self.reduce("top", "arith.maximumf", "x", "low") +
                self.each("shifted", "arith.subf", "x", "top") +
                self.each("powers", "math.exp", "shifted") +
                self.reduce("sum", "arith.addf", "powers", "zero"))

    def inverse_deviation(self, source):
        """%scale: 1 / sqrt(mean(source^2) + epsilon)."""
        return (self.constant("none", 0.0) + self.constant("share", 1 / self.x.shape[1]) +
                self.constant("small", EPSILON) +
                self.each("squares", "arith.mulf", source, source) +
                self.reduce("total", "arith.addf", "squares", "none") +
                self.of_row("variance", "arith.mulf", "total", "share") +
                self.of_row("safe", "arith.addf", "variance", "small") +
                self.of_row("scale", "math.rsqrt", "safe"))


def softmax(rows, length, axis=1):
    r = Rows(rows, length, axis)
    body = r.shifted_powers() + r.each("y", "arith.divf", "powers", "sum")

    def reference(d):
        powers = np.exp(d["x"] - d["x"].max(axis=axis, keepdims=True))
        return powers / powers.sum(axis=axis, keepdims=True)

    return {**programs.both({"x": r.x}, "y", r.x, body), "reference": reference,
            "torch": {"softmax": lambda d: d["functional"].softmax(d["x"], axis)},
            "bytes": 2 * r.x.bytes}


def log_sum_exp(rows, length):
    r = Rows(rows, length)
    body = (r.shifted_powers() + r.of_row("log", "math.log", "sum") +
            r.of_row("y", "arith.addf", "log", "top"))

    def reference(d):
        top = d["x"].max(axis=1)
        return np.log(np.exp(d["x"] - top[:, None]).sum(axis=1)) + top

    return {**programs.both({"x": r.x}, "y", r.row, body), "reference": reference,
            "torch": {"logsumexp": lambda d: d["torch"].logsumexp(d["x"], -1)},
            "bytes": r.x.bytes + r.row.bytes}


def rms_norm(rows, length):
    r = Rows(rows, length)
    body = (r.inverse_deviation("x") + r.each("scaled", "arith.mulf", "x", "scale") +
            r.each("y", "arith.mulf", "scaled", "gain"))

    def reference(d):
        mean = np.square(d["x"]).mean(axis=1, keepdims=True)
        return d["x"] / np.sqrt(mean + np.float32(EPSILON)) * d["gain"]

    def torch(d):
        return d["functional"].rms_norm(d["x"], (length,), d["gain"], EPSILON)

    return {**programs.both({"x": r.x, "gain": r.column}, "y", r.x, body),
            "reference": reference, "torch": {"rms_norm": torch},
            "bytes": 2 * r.x.bytes + r.column.bytes}


def layer_norm(rows, length):
    r = Rows(rows, length)
    body = (r.constant("zero", 0.0) + r.constant("part", 1 / length) +
            r.reduce("sum", "arith.addf", "x", "zero") +
            r.of_row("mean", "arith.mulf", "sum", "part") +
            r.each("centred", "arith.subf", "x", "mean") + r.inverse_deviation("centred") +
            r.each("scaled", "arith.mulf", "centred", "scale") +
            r.each("gained", "arith.mulf", "scaled", "gain") +
            r.each("y", "arith.addf", "gained", "bias"))

    def reference(d):
        centred = d["x"] - d["x"].mean(axis=1, keepdims=True)
        variance = np.square(centred).mean(axis=1, keepdims=True)
        return centred / np.sqrt(variance + np.float32(EPSILON)) * d["gain"] + d["bias"]

    def torch(d):
        return d["functional"].layer_norm(d["x"], (length,), d["gain"], d["bias"], EPSILON)

    return {**programs.both({"x": r.x, "gain": r.column, "bias": r.column}, "y", r.x, body),
            "reference": reference, "torch": {"layer_norm": torch},
            "bytes": 2 * r.x.bytes + 2 * r.column.bytes}


# Functions, the shapes (by number) they are measured on, and whether torch.compile is tried
# for the first of them.
FUNCTIONS = {"softmax": (softmax, range(7)), "RMSNorm": (rms_norm, range(7)),
             "layer norm": (layer_norm, (0, 1, 4, 5)), "log-sum-exp": (log_sum_exp, (0, 1, 4, 5))}
# What the target is set for.
HELD = ("softmax", "RMSNorm")


def cases(device, _):
    for name, (function, numbers) in FUNCTIONS.items():
        for number in numbers:
            rows, length = SHAPES[device][number]
            target = goal(device, 0.90) if name in HELD or device == "cpu" else None
            yield Case(f"{name}, {rows}x{length}", **function(rows, length), target=target,
                       compiled=number in (0, 5), bound=2e-5)
    for rows, length in COLUMNS[device]:
        yield Case(f"softmax of columns, {rows}x{length}", **softmax(rows, length, axis=0), bound=2e-5)
