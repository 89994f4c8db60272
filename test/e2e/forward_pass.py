"""The forward pass of llama, qwen2, qwen3 and gemma3 in NumPy, written from the papers and model cards and not from frontends/llm.

A model is read with ggml's Python package `gguf`, or made (gguf_models.py). Tokens are read in chunks; keys and values of those before
are kept, so texts may be long.
"""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Sizes:
    kind: str
    layers: int
    width: int
    heads: int
    caches: int  # heads of keys and values
    size: int    # of a head
    epsilon: float
    base: float
    local_base: float = 10000.0  # of layers with a window
    window: int = 0
    period: int = 0  # every so many layers one has no window
    cap: float = 0.0  # of scores; 0: none


BLOCK = 32  # numbers of q8_0 with one scale


def blocks_of(x):
    """Rows as q8_0 has them: whole numbers up to 127, a block a row, and scales of f16."""
    blocks = x.astype(np.float32).reshape(-1, BLOCK)
    scales = np.abs(blocks).max(-1, keepdims=True) / np.float32(127)
    inverse = np.divide(np.float32(1), scales, where=scales != 0, out=np.zeros_like(scales))
    scaled = blocks * inverse
    return np.copysign(np.floor(np.abs(scaled) + np.float32(0.5)), scaled), scales.astype(np.float16)


def in_blocks(x):
    """What is left of rows that are kept as q8_0."""
    whole, scales = blocks_of(x)
    return (whole * scales.astype(np.float32)).reshape(x.shape)


class ForwardPass:
    """`tensors`: names of a GGUF file to arrays, the outermost dimension first. With `halves`, keys and values are kept as f16; with
    `blocks` as q8_0."""

    def __init__(self, sizes, tensors, dtype=np.float32, halves=False, blocks=False):
        self.sizes, self.tensors, self.dtype, self.halves, self.blocks = sizes, tensors, dtype, halves, blocks
        self.forget()

    def forget(self):
        self.position = 0
        self.keys, self.values = [[] for _ in range(self.sizes.layers)], [[] for _ in range(self.sizes.layers)]

    def get(self, name):
        return self.tensors[name].astype(self.dtype, copy=False)

    def norm(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.dtype(self.sizes.epsilon)) * self.get(name)

    def rotate(self, x, base):
        """x: positions, heads, numbers. Llama rotates neighbours, the others the two halves of a head."""
        half = self.sizes.size // 2
        frequencies = base ** (-np.arange(half) / half)
        if "rope_freqs.weight" in self.tensors:
            frequencies = frequencies / self.tensors["rope_freqs.weight"]
        turns = (self.position + np.arange(len(x)))[:, None, None] * frequencies
        cosine, sine = np.cos(turns).astype(self.dtype), np.sin(turns).astype(self.dtype)
        result = np.empty_like(x)
        if self.sizes.kind == "llama":
            first, second = (..., slice(None, None, 2)), (..., slice(1, None, 2))
        else:
            first, second = (..., slice(None, half)), (..., slice(half, None))
        result[first] = x[first] * cosine - x[second] * sine
        result[second] = x[first] * sine + x[second] * cosine
        return result

    def attend(self, layer, q):
        """Results of all heads, side by side."""
        s = self.sizes
        keys, values = (np.concatenate(self.kept(own, layer)) for own in (self.keys, self.values))
        distance = self.position + np.arange(len(q))[:, None] - np.arange(len(keys))
        hidden = distance < 0
        if s.window and (layer + 1) % s.period:
            hidden |= distance >= s.window
        result = np.empty_like(q)
        for head in range(s.heads):
            cache = head // (s.heads // s.caches)
            p = q[:, head] @ keys[:, cache].T / self.dtype(np.sqrt(s.size))
            if s.cap:
                p = self.dtype(s.cap) * np.tanh(p / self.dtype(s.cap))
            p[hidden] = -np.inf
            p = np.exp(p - p.max(-1, keepdims=True))
            p /= p.sum(-1, keepdims=True)
            result[:, head] = p @ values[:, cache]
        return result.reshape(len(q), -1)

    def cached(self, x):
        if self.blocks:
            return in_blocks(x).astype(self.dtype)
        return x.astype(np.float16).astype(self.dtype) if self.halves else x

    @staticmethod
    def kept(own, layer):
        """One array of what is kept, for the next time too."""
        own[layer] = [np.concatenate(own[layer])]
        return own[layer]

    def block(self, layer, x):
        s, n = self.sizes, len(x)
        name = lambda part: f"blk.{layer}.{part}"
        gemma = s.kind == "gemma3"
        h = self.norm(x, name("attn_norm.weight"))

        def project(part, heads):
            y = h @ self.get(name(f"attn_{part}.weight")).T
            if name(f"attn_{part}.bias") in self.tensors:
                y = y + self.get(name(f"attn_{part}.bias"))
            return y.reshape(n, heads, s.size)

        q, k, v = project("q", s.heads), project("k", s.caches), project("v", s.caches)
        if name("attn_q_norm.weight") in self.tensors:
            q, k = self.norm(q, name("attn_q_norm.weight")), self.norm(k, name("attn_k_norm.weight"))
        base = s.local_base if s.window and (layer + 1) % s.period else s.base
        self.keys[layer].append(self.cached(self.rotate(k, base)))
        self.values[layer].append(self.cached(v))
        y = self.attend(layer, self.rotate(q, base)) @ self.get(name("attn_output.weight")).T
        x = x + (self.norm(y, name("post_attention_norm.weight")) if gemma else y)
        h = self.norm(x, name("ffn_norm.weight"))
        gate, up = h @ self.get(name("ffn_gate.weight")).T, h @ self.get(name("ffn_up.weight")).T
        if gemma:
            inner = gate / 2 * (1 + np.tanh(self.dtype(np.sqrt(2 / np.pi)) * (gate + self.dtype(0.044715) * gate ** 3)))
        else:
            with np.errstate(over="ignore"):  # of -gate: the quotient is 0 then
                inner = gate / (1 + np.exp(-gate))
        y = (inner * up) @ self.get(name("ffn_down.weight")).T
        return x + (self.norm(y, name("post_ffw_norm.weight")) if gemma else y)

    def read(self, tokens):
        """The normalized stream after each of the tokens, which follow those read before."""
        x = self.tensors["token_embd.weight"][np.asarray(tokens)].astype(self.dtype)
        if self.sizes.kind == "gemma3":
            x = x * self.dtype(np.sqrt(self.sizes.width))
        for layer in range(self.sizes.layers):
            x = self.block(layer, x)
        self.position += len(tokens)
        return self.norm(x, "output_norm.weight")

    def head(self):
        return self.get("output.weight" if "output.weight" in self.tensors else "token_embd.weight")

    def logits(self, tokens):
        return self.read(tokens) @ self.head().T


class Decoded:
    """Tensors of a GGUF file as f32. Those that are asked for often enough are kept, if `most` bytes are enough for all."""

    def __init__(self, reader, most):
        from gguf import quants
        self.dequantize = quants.dequantize
        self.all = {tensor.name: tensor for tensor in reader.tensors}
        self.keeps = 4 * sum(int(tensor.n_elements) for tensor in reader.tensors) <= most
        self.kept = {}

    def __contains__(self, name):
        return name in self.all

    def __getitem__(self, name):
        if name in self.kept:
            return self.kept[name]
        tensor = self.all[name]
        array = self.dequantize(tensor.data, tensor.tensor_type).reshape([int(n) for n in reversed(tensor.shape)]).astype(np.float32, copy=False)
        if self.keeps:
            self.kept[name] = array
        return array


def read_file(path, halves=False, most=4 << 30):
    """The forward pass of a GGUF file in f32; without so many bytes for weights these are decoded each time."""
    from gguf import GGUFReader
    reader = GGUFReader(path)
    kind = reader.fields["general.architecture"].contents()
    key = lambda name, otherwise=None: reader.fields[f"{kind}.{name}"].contents() if f"{kind}.{name}" in reader.fields else otherwise
    width, heads = key("embedding_length"), key("attention.head_count")
    size = key("attention.key_length", width // heads)
    window = key("attention.sliding_window", 0) if kind == "gemma3" else 0
    return ForwardPass(Sizes(kind, key("block_count"), width, heads, key("attention.head_count_kv", heads), size,
                             key("attention.layer_norm_rms_epsilon"), key("rope.freq_base", 10000.0), window=window, period=6,
                             cap=key("attn_logit_softcapping", 0.0)), Decoded(reader, most), halves=halves)
