"""A row times a matrix, as each token of a language model takes it: the shapes of SmolLM2-135M and of Llama 3.2 1B, in both layouts."""

import numpy as np

import programs
import quantized
from model import Case, Target, Tensor
from part_matvec import BOUND, converted, weights

TITLE = "A row times a matrix (a token of a language model)"
NOTES = ("N x K: a row of the matrix is multiplied with the vector, as GGUF files have it. K x N: the rows are added up.",
         "All of a matrix of a few MiB stays in a GPU's caches from one execution to the next, as it does for peers.",
         "Next to packed weights torch multiplies the same numbers stored as f16; next to bf16, as bf16.")
# Results and what they are sums of: keys, queries and outputs, gate and up, down, the head; and a wide one.
SHAPES = ((192, 576), (576, 576), (1536, 576), (576, 1536), (49152, 576), (8192, 2048))
TURNED = ((1536, 576), (8192, 2048))  # of codecs in K x N
PACKED = ("bf16", "q8_0", "q4_0", "q4_1", "q5_0", "q4_k", "q6_k")
LAYOUTS = {"N x K": ("matvec", "%w, %x"), "K x N": ("vecmat", "%x, %w")}


def product(layout, w, x, y):
    """Lines for %y; %w is of the type w."""
    op, operands = LAYOUTS[layout]
    types = f"{w}, {x}" if layout == "N x K" else f"{x}, {w}"
    return (f"%zero = arith.constant dense<0.0> : {y}\n"
            f"%y = linalg.{op} ins({operands} : {types}) outs(%zero : {y}) -> {y}\n")


def turned(layout, matrix):
    return matrix if layout == "N x K" else matrix.T


def what(layout, dtype, results, length):
    return f"{dtype}, {layout}, {results}x{length}"


def target(device):
    return Target(1.0, "torch") if device == "gpu" else None


def floats(layout, dtype, results, length, device):
    shape = (results, length) if layout == "N x K" else (length, results)
    w, x, y = weights(shape, dtype), Tensor((length,), "f32"), Tensor((results,), "f32")
    inputs = {"w": w, "x": x}
    return Case(what(layout, dtype, results, length), programs.gpuvm(inputs, "y", y, product(layout, w, x, y)), inputs, "y", y,
                reference=lambda d: turned(layout, d["w"].astype(np.float32)) @ d["x"],
                torch={"mv": lambda d: d["torch"].mv(turned(layout, d["w"]), converted(d)),
                       "matmul": lambda d: d["torch"].matmul(turned(layout, d["w"]), converted(d)[:, None])[:, 0]},
                bytes=w.bytes + x.bytes + y.bytes, operations=2 * results * length, target=target(device), bound=BOUND[dtype])


def torch_decoded(layout, w):
    def torch(d):
        if "decoded" not in d:
            kind = d["torch"].bfloat16 if w.codec == "bf16" else d["torch"].float16
            distinct = d["torch"].from_numpy(w.decoded()).to(d["device"]).to(kind)
            d["decoded"] = turned(layout, distinct.repeat(-(-w.rows // len(distinct)), 1)[:w.rows].contiguous())
            d["converted"] = d["x"].to(kind)
        return d["torch"].mv(d["decoded"], d["converted"])

    return {"mv": torch}


def packed(layout, codec, results, length, device):
    shape = (results, length) if layout == "N x K" else (length, results)
    w, x, y = quantized.Packed(codec, *shape), Tensor((length,), "f32"), Tensor((results,), "f32")
    wide, inputs = Tensor(shape, "f32"), {"w": w, "x": x}

    def answer(d):
        if layout == "N x K":
            return w.times(d["x"])
        # Rows repeat, so each distinct one is taken with the sum of all numbers that it meets.
        rows = w.decoded()
        sums = np.bincount(np.arange(length) % len(rows), d["x"].astype(np.float64), len(rows))
        return (sums @ rows).astype(np.float32)

    body = f"%d = gpuvm.decode %w : {w} -> {wide}\n" + product(layout, wide, x, y).replace("%w", "%d")
    return Case(what(layout, codec, results, length), programs.gpuvm(inputs, "y", y, body), inputs, "y", y, answer=answer,
                torch=torch_decoded(layout, w), bytes=w.bytes + x.bytes + y.bytes, operations=2 * results * length,
                target=target(device), bound=1e-4)


def cases(device, _):
    for results, length in SHAPES:
        for layout in LAYOUTS:
            for dtype in ("f32", "f16"):
                yield floats(layout, dtype, results, length, device)
        for codec in PACKED:
            block = quantized.FORMATS[codec].weights
            if length % block == 0:
                yield packed("N x K", codec, results, length, device)
            if results % block == 0 and (codec == "bf16" or (results, length) in TURNED):
                yield packed("K x N", codec, results, length, device)
