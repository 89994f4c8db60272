"""GGUF files with the shapes of known models and noise as weights: what is measured needs no file of 98 MB to 2.5 GB.

They have no tokenizer, so tokens are numbers.
"""

import dataclasses
import functools
import math

import numpy as np

import gguf_writer
import quantized

# Rows of a matrix that differ, and numbers; primes.
ROWS, NUMBERS = 8191, 4_194_301


@dataclasses.dataclass(frozen=True)
class Shape:
    kind: str
    layers: int
    width: int
    inner: int
    heads: int
    caches: int
    size: int
    vocabulary: int
    base: float = 10000.0
    window: int = 0
    has_factors: bool = False


SHAPES = {"SmolLM2-135M": Shape("llama", 30, 576, 1536, 9, 3, 64, 49152, base=100000.0),
          "Llama-3.2-1B": Shape("llama", 16, 2048, 8192, 32, 8, 64, 128256, base=500000.0, has_factors=True),
          "Gemma-3-270M": Shape("gemma3", 18, 640, 2048, 4, 1, 256, 262144, base=1e6, window=512)}


@dataclasses.dataclass(frozen=True)
class NoiseModel:
    """The matrices are of the type `dtype`, or with `embedding` all but that of the tokens."""
    name: str
    dtype: str
    embedding: str = ""

    @property
    def shape(self):
        return SHAPES[self.name]

    def __str__(self):
        return f"{self.name} {self.dtype}"

    def keys(self):
        s = self.shape
        own = {"block_count": s.layers, "embedding_length": s.width, "feed_forward_length": s.inner, "attention.head_count": s.heads,
               "attention.head_count_kv": s.caches, "attention.key_length": s.size, "attention.value_length": s.size,
               "attention.layer_norm_rms_epsilon": 1e-5, "rope.freq_base": s.base, "rope.dimension_count": s.size, "context_length": 8192,
               "vocab_size": s.vocabulary}
        if s.window:
            own["attention.sliding_window"] = s.window
        return {"general.architecture": s.kind, "tokenizer.ggml.model": "none"} | {f"{s.kind}.{key}": value for key, value in own.items()}

    @functools.cached_property
    def tensors(self):
        """As gguf_writer.head has them."""
        s = self.shape

        def matrix(rows, length, dtype=self.dtype):
            size = 2 * rows * length if dtype == "f16" else quantized.Packed(dtype, rows, length).bytes
            return dtype, (rows, length), size

        def vector(length):
            return "f32", (length,), 4 * length

        t = {"token_embd.weight": matrix(s.vocabulary, s.width, self.embedding or self.dtype)}
        if s.has_factors:
            t["rope_freqs.weight"] = vector(s.size // 2)
        for layer in range(s.layers):
            own = {"attn_norm": vector(s.width), "attn_q": matrix(s.heads * s.size, s.width), "attn_k": matrix(s.caches * s.size, s.width),
                   "attn_v": matrix(s.caches * s.size, s.width), "attn_output": matrix(s.width, s.heads * s.size), "ffn_norm": vector(s.width),
                   "ffn_gate": matrix(s.inner, s.width), "ffn_up": matrix(s.inner, s.width), "ffn_down": matrix(s.width, s.inner)}
            if s.kind == "gemma3":
                own |= {"attn_q_norm": vector(s.size), "attn_k_norm": vector(s.size), "post_attention_norm": vector(s.width),
                        "post_ffw_norm": vector(s.width)}
            t |= {f"blk.{layer}.{name}.weight": what for name, what in own.items()}
        t["output_norm.weight"] = vector(s.width)
        return t

    @property
    def bytes(self):
        """Those of matrices and vectors that a token reads: all of them."""
        return sum(size for _, _, size in self.tensors.values())

    @functools.cached_property
    def numbers(self):
        return np.random.default_rng(20261129).standard_normal(NUMBERS, np.float32)

    def make(self, name):
        """The bytes of a tensor."""
        dtype, shape, size = self.tensors[name]
        if dtype == "f32":
            return (1 + 0.1 * np.resize(self.numbers, shape)).astype(np.float32).tobytes()
        if dtype == "f16":
            first = sum(map(ord, name))  # so that layers differ
            noise = (self.numbers / math.sqrt(shape[1])).astype(np.float16)
            return np.resize(np.roll(noise, first), math.prod(shape)).tobytes()
        return quantized.Packed(dtype, *shape, distinct=ROWS)().tobytes()

    def write(self, folder, holes=False):
        """(the file, places of its tensors); with `holes`, without data."""
        path = folder / f"{str(self).replace(' ', '-')}{'-holes' * holes}.gguf"
        if path.exists():
            return path, gguf_writer.places(len(gguf_writer.head(self.keys(), self.tensors)), self.tensors)
        temporary = path.with_suffix(".tmp")
        found = gguf_writer.write(temporary, self.keys(), self.tensors, None if holes else self.make)
        temporary.rename(path)
        return path, found
