"""Matrices in ggml's block formats, what they decode to (docs/codecs.md), and their products
with vectors of bytes."""

import dataclasses

import numpy as np

# Rows that differ; a matrix repeats them, so that its product is known from few rows. A
# prime, so that no tile of rows meets the same ones again.
DISTINCT = 61


def halves(blocks, at):
    return blocks[..., at:at + 2].copy().view(np.float16)[..., 0].astype(np.float32)


def bf16(blocks):
    return (blocks.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def nibbles(packed):
    """Of a byte the lower four bits stand in the first half of a block."""
    return np.concatenate([packed & 15, packed >> 4], axis=-1)


def q4_0(blocks):
    return (nibbles(blocks[..., 2:]).astype(np.int8) - np.int8(8)) * halves(blocks, 0)[..., None]


def q4_1(blocks):
    return nibbles(blocks[..., 4:]) * halves(blocks, 0)[..., None] + halves(blocks, 2)[..., None]


def q5_0(blocks):
    fifths = np.unpackbits(blocks[..., 2:6], axis=-1, bitorder="little")
    values = (nibbles(blocks[..., 6:]) | fifths << 4).astype(np.int8) - np.int8(16)
    return values * halves(blocks, 0)[..., None]


def q8_0(blocks):
    return blocks[..., 2:].view(np.int8) * halves(blocks, 0)[..., None]


def q4_k(blocks):
    packed, quants = blocks[..., 4:16], blocks[..., 16:144].reshape(*blocks.shape[:-1], 4, 32)
    low, high, last = packed[..., 0:4], packed[..., 4:8], packed[..., 8:12]
    scales = np.concatenate([low & 63, (last & 15) | (low >> 6) << 4], axis=-1)
    minima = np.concatenate([high & 63, (last >> 4) | (high >> 6) << 4], axis=-1)
    values = np.stack([quants & 15, quants >> 4], axis=-2).reshape(*blocks.shape[:-1], 8, 32)
    scaled = (halves(blocks, 0)[..., None] * scales)[..., None] * values
    return scaled - (halves(blocks, 2)[..., None] * minima)[..., None]


def q6_k(blocks):
    outer = blocks.shape[:-1]
    low = blocks[..., 0:128].reshape(*outer, 2, 1, 2, 32)
    shift = np.array([0, 4], np.uint8).reshape(2, 1, 1)
    low = (low >> shift & 15).reshape(*outer, 2, 4, 32)
    high = blocks[..., 128:192].reshape(*outer, 2, 1, 32)
    high = high >> np.array([0, 2, 4, 6], np.uint8).reshape(4, 1) & 3
    values = (low | high << 4).astype(np.int8) - np.int8(32)
    scales = blocks[..., 192:208].view(np.int8) * halves(blocks, 208)[..., None]
    return scales[..., None] * values.reshape(*outer, 16, 16)


@dataclasses.dataclass(frozen=True)
class Format:
    """Bytes and weights of a block, its decoder, where it has f16 scales and how many times as large these are, how many
    weights share a scale, and whether something is added to each."""
    bytes: int
    weights: int
    decode: object
    scales: dict
    group: int
    has_offsets: bool = False


# Offsets of q4_1 are such that weights are around 0.
FORMATS = {"bf16": Format(2, 1, bf16, {}, 1), "q4_0": Format(18, 32, q4_0, {0: 1}, 32),
           "q4_1": Format(20, 32, q4_1, {0: 1, 2: -7.5}, 32, True), "q5_0": Format(22, 32, q5_0, {0: 1}, 32),
           "q8_0": Format(34, 32, q8_0, {0: 1}, 32), "q4_k": Format(144, 256, q4_k, {0: 1, 2: 1}, 32, True),
           "q6_k": Format(210, 256, q6_k, {208: 1}, 16)}


@dataclasses.dataclass(frozen=True)
class Packed:
    """A packed matrix as an input of a case: called, it makes the bytes."""
    codec: str
    rows: int
    length: int
    distinct: int = DISTINCT
    scale: float = 2 ** -10  # about that of a block

    def __str__(self):
        return f"!gpuvm.packed<{self.codec}, {self.rows}x{self.length}>"

    @property
    def format(self):
        return FORMATS[self.codec]

    @property
    def bytes(self):
        return self.rows * self.length // self.format.weights * self.format.bytes

    def blocks(self):
        """The rows that differ: random bits with random scales."""
        random = np.random.default_rng(19940101)
        shape = (min(self.distinct, self.rows), self.length // self.format.weights, self.format.bytes)
        blocks = random.integers(0, 256, shape, np.uint8)
        if not self.format.scales:  # f32 without its lower half
            numbers = random.uniform(-1, 1, (*shape[:-1], 1)).astype(np.float32)
            return (numbers.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
        scales = random.uniform(0.5, 1.5, shape[:-1]).astype(np.float16) * np.float16(self.scale)
        for at, times in self.format.scales.items():
            blocks[..., at:at + 2] = (scales * np.float16(times))[..., None].view(np.uint8)
        return blocks

    def __call__(self):
        return np.resize(self.blocks().reshape(-1), self.bytes)

    def decoded(self):
        """The rows that differ, as f32."""
        return self.format.decode(self.blocks()).reshape(-1, self.length).astype(np.float32)

    def times(self, vector):
        """The product of the whole matrix with a vector."""
        return np.resize(self.decoded() @ vector, self.rows)


# ------------------------------------------------------------ vectors of bytes

GENERIC = """%{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
    ins({inputs} : {input_types}) outs({outs} : {out_types}) {{
^bb0({arguments}):
{body}
}} -> {results}
"""


def generic(name, loops, inputs, outs, body):
    """A linalg.generic. `inputs` and `outs` are (value, loops, tensor type, name in the body),
    loops being letters; letters of `loops` in capitals are reduced. The body has names of its
    own."""
    dims = ", ".join(loops.lower())
    operands = inputs + outs
    types = [kind for _, _, kind, _ in outs]
    return GENERIC.format(
        name=name + (f":{len(outs)}" if len(outs) > 1 else ""),
        maps=", ".join(f"affine_map<({dims}) -> ({', '.join(own)})>" for _, own, _, _ in operands),
        iterators=", ".join('"reduction"' if c.isupper() else '"parallel"' for c in loops),
        inputs=", ".join(value for value, *_ in inputs), input_types=", ".join(kind for _, _, kind, _ in inputs),
        outs=", ".join(value for value, *_ in outs), out_types=", ".join(types),
        arguments=", ".join(f"%in_{label}: {kind[kind.rindex('x') + 1:-1]}" for _, _, kind, label in operands),
        body=body.replace("%", "%in_"), results=types[0] if len(types) == 1 else f"({', '.join(types)})")


class ByteProduct:
    """The product of a packed matrix with a vector of bytes, of which `group` neighbours
    share a scale: integers are multiplied and added up before they are scaled."""

    def __init__(self, w):
        self.w, self.group, self.count = w, w.format.group, w.length // w.format.group
        self.bytes = f"tensor<{self.count}x{self.group}xi8>"
        self.scales = f"tensor<{self.count}xf32>"
        self.sums = f"tensor<{self.count}xi32>"

    @property
    def types(self):
        kinds = {"q": self.bytes, "d": self.scales}
        return {**kinds, "s": self.sums} if self.w.format.has_offsets else kinds

    def vector(self):
        """Bytes, scales and sums of some vector."""
        random = np.random.default_rng(19940102)
        q = random.integers(-127, 128, (self.count, self.group), np.int8)
        d = random.uniform(0.5, 1.5, self.count).astype(np.float32) / 128
        return {"q": q, "d": d, "s": q.sum(axis=1, dtype=np.int32)}

    def floats(self):
        """The same vector in f32."""
        made = self.vector()
        return (made["q"] * made["d"][:, None]).reshape(-1)

    def rounded(self, x):
        """What the bytes of a vector of f32 stand for."""
        wide = x.reshape(self.count, self.group)
        d = np.abs(wide).max(axis=1, keepdims=True) / np.float32(127)
        return (np.rint(wide / d) * d).reshape(-1)

    def quantize(self, x):
        """Lines for %q (bytes), %d (scales) and %s (sums) of the vector %x of f32."""
        wide = f"tensor<{self.count}x{self.group}xf32>"
        return (f"%wide = tensor.expand_shape %{x} [[0, 1]] output_shape [{self.count}, {self.group}] : "
                f"tensor<{self.w.length}xf32> into {wide}\n"
                f"%nothing = arith.constant dense<0.0> : {self.scales}\n"
                f"%no_sum = arith.constant dense<0> : {self.sums}\n"
                f"%no_bytes = tensor.empty() : {self.bytes}\n" +
                generic("largest", "bE", [("%wide", "be", wide, "x")], [("%nothing", "b", self.scales, "m")],
                        "%a = math.absf %x : f32\n%r = arith.maximumf %m, %a : f32\nlinalg.yield %r : f32") +
                generic("d", "b", [("%largest", "b", self.scales, "m")], [("%nothing", "b", self.scales, "o")],
                        "%most = arith.constant 127.0 : f32\n%r = arith.divf %m, %most : f32\nlinalg.yield %r : f32") +
                generic("q", "be", [("%wide", "be", wide, "x"), ("%d", "b", self.scales, "scale")],
                        [("%no_bytes", "be", self.bytes, "o")],
                        "%zero = arith.constant 0.0 : f32\n%some = arith.cmpf ogt, %scale, %zero : f32\n"
                        "%quotient = arith.divf %x, %scale : f32\n%known = arith.select %some, %quotient, %zero : f32\n"
                        "%n = math.roundeven %known : f32\n%r = arith.fptosi %n : f32 to i8\nlinalg.yield %r : i8") +
                generic("s", "bE", [("%q", "be", self.bytes, "x")], [("%no_sum", "b", self.sums, "sum")],
                        "%n = arith.extsi %x : i8 to i32\n%r = arith.addi %sum, %n : i32\nlinalg.yield %r : i32"))

    def multiply(self):
        """Lines for %y, the product of %w with %q, %d and %s."""
        w, rows = self.w, self.w.rows
        cube = f"tensor<{rows}x{self.count}x{self.group}xi8>"
        plane, whole = f"tensor<{rows}x{self.count}xf32>", f"tensor<{rows}x{self.count}xi32>"
        def part(name, kind):
            shape = kind[len("tensor<"):kind.rindex("x")]
            return f"gpuvm.decode %w as !gpuvm.packed<{w.codec}_{name}, {shape}> : {w} -> {kind}\n"

        flat = f"tensor<{rows}x{w.length}xi8>"
        y = f"tensor<{rows}xf32>"
        lines = (f"%flat = {part('quants', flat)}"
                 f"%cube = tensor.expand_shape %flat [[0], [1, 2]] output_shape [{rows}, {self.count}, {self.group}] : "
                 f"{flat} into {cube}\n"
                 f"%scale = {part('scales', plane)}"
                 f"%no_dots = arith.constant dense<0> : {whole}\n%no_y = arith.constant dense<0.0> : {y}\n" +
                 generic("dots", "nbE", [("%cube", "nbe", cube, "a"), ("%q", "be", self.bytes, "x")],
                         [("%no_dots", "nb", whole, "sum")],
                         "%left = arith.extsi %a : i8 to i32\n%right = arith.extsi %x : i8 to i32\n"
                         "%p = arith.muli %left, %right : i32\n%r = arith.addi %sum, %p : i32\nlinalg.yield %r : i32"))
        inputs = [("%dots", "nb", whole, "dot"), ("%scale", "nb", plane, "a"), ("%d", "b", self.scales, "x")]
        body = "%n = arith.sitofp %dot : i32 to f32\n%p = arith.mulf %n, %a : f32\n"
        last = "%p"
        if w.format.has_offsets:
            lines += f"%offset = {part('offsets', plane)}"
            inputs += [("%offset", "nb", plane, "offset"), ("%s", "b", self.sums, "elements")]
            body += ("%m = arith.sitofp %elements : i32 to f32\n%c = arith.mulf %m, %offset : f32\n"
                     "%both = arith.addf %p, %c : f32\n")
            last = "%both"
        body += f"%e = arith.mulf {last}, %x : f32\n%r = arith.addf %sum, %e : f32\nlinalg.yield %r : f32"
        return lines + generic("y", "nB", inputs, [("%no_y", "n", y, "sum")], body)
