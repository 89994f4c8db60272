"""Matrices in ggml's block formats, and what they decode to (docs/codecs.md)."""

import dataclasses

import numpy as np

# Rows that differ; a matrix repeats them, so that its product is known from few rows. A
# prime, so that no tile of rows meets the same ones again.
DISTINCT = 61


def halves(blocks, at):
    return blocks[..., at:at + 2].copy().view(np.float16)[..., 0].astype(np.float32)


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
    """Bytes and weights of a block, its decoder, and where it has f16 scales."""
    bytes: int
    weights: int
    decode: object
    scales: tuple


FORMATS = {"q8_0": Format(34, 32, q8_0, (0,)), "q4_k": Format(144, 256, q4_k, (0, 2)),
           "q6_k": Format(210, 256, q6_k, (208,))}


@dataclasses.dataclass(frozen=True)
class Packed:
    """A packed matrix as an input of a case: called, it makes the bytes."""
    codec: str
    rows: int
    length: int

    def __str__(self):
        return f"!gpuvm.packed<{self.codec}, {self.rows}x{self.length}>"

    @property
    def format(self):
        return FORMATS[self.codec]

    @property
    def bytes(self):
        return self.rows * self.length // self.format.weights * self.format.bytes

    def blocks(self):
        """The rows that differ: random bits with scales that are numbers around 2^-10."""
        random = np.random.default_rng(19940101)
        shape = (min(DISTINCT, self.rows), self.length // self.format.weights, self.format.bytes)
        blocks = random.integers(0, 256, shape, np.uint8)
        for at in self.format.scales:
            scales = random.uniform(0.5, 1.5, shape[:-1]).astype(np.float16) * np.float16(2 ** -10)
            blocks[..., at:at + 2] = scales[..., None].view(np.uint8)
        return blocks

    def __call__(self):
        return np.resize(self.blocks().reshape(-1), self.bytes)

    def decoded(self):
        """The rows that differ, as f32."""
        return self.format.decode(self.blocks()).reshape(-1, self.length).astype(np.float32)

    def times(self, vector):
        """The product of the whole matrix with a vector."""
        return np.resize(self.decoded() @ vector, self.rows)
