"""Small GGUF files of language models, and their forward pass in NumPy, written from the papers and model cards and not
from frontends/llm: llama (with frequency factors and a head of its own), qwen2, qwen3, gemma3.
"""

import struct

import numpy as np

U32, I32, F32, STRING, ARRAY = 4, 5, 6, 8, 9
TENSOR_TYPES = {"float32": 0, "float16": 1}


def _string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value):
    if isinstance(value, str):
        return struct.pack("<I", STRING) + _string(value)
    if isinstance(value, list):
        texts = bool(value) and isinstance(value[0], str)
        items = [_string(item) if texts else struct.pack("<i", item) for item in value]
        return struct.pack("<IIQ", ARRAY, STRING if texts else I32, len(value)) + b"".join(items)
    if isinstance(value, float):
        return struct.pack("<If", F32, value)
    return struct.pack("<II", U32, value)


def write(path, keys, tensors):
    """Writes a GGUF file of version 3. Returns where data begins."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    for key, value in keys.items():
        head += _string(key) + _value(value)
    data = b""
    for name, array in tensors.items():
        head += _string(name) + struct.pack("<I", array.ndim) + struct.pack(f"<{array.ndim}Q", *reversed(array.shape))
        head += struct.pack("<IQ", TENSOR_TYPES[array.dtype.name], len(data))
        data += array.tobytes()
        data += b"\0" * (-len(data) % 32)
    with open(path, "wb") as file:
        file.write(head + b"\0" * (-len(head) % 32) + data)
    return len(head) + -len(head) % 32


CHATML = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
          "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


class Model:
    """Random weights. Matrices are f16, norms and biases f32."""

    layers, width, inner, heads, caches, size, vocabulary = 2, 64, 96, 4, 2, 16, 160
    epsilon, base, local_base, window, period = 1e-5, 10000.0, 10000.0, 0, 0

    def __init__(self, kind, seed=0):
        self.kind = kind
        random = np.random.default_rng(seed)
        half = lambda *shape: (random.standard_normal(shape) / np.sqrt(shape[-1]) * 1.5).astype("f2")
        norm = lambda n: (1 + 0.2 * random.standard_normal(n)).astype("f4")
        bias = lambda n: (0.5 * random.standard_normal(n)).astype("f4")
        if kind == "gemma3":
            self.layers, self.window, self.period, self.size, self.base = 7, 5, 6, 32, 1e6
        queries, keys = self.heads * self.size, self.caches * self.size
        t = {"token_embd.weight": half(self.vocabulary, self.width) * 4}
        if kind == "llama":
            t["rope_freqs.weight"] = (1 + 3 * random.random(self.size // 2)).astype("f4")
            t["output.weight"] = half(self.vocabulary, self.width)
        for layer in range(self.layers):
            own = {"attn_norm.weight": norm(self.width), "attn_q.weight": half(queries, self.width),
                   "attn_k.weight": half(keys, self.width), "attn_v.weight": half(keys, self.width),
                   "attn_output.weight": half(self.width, queries), "ffn_norm.weight": norm(self.width),
                   "ffn_gate.weight": half(self.inner, self.width), "ffn_up.weight": half(self.inner, self.width),
                   "ffn_down.weight": half(self.width, self.inner)}
            if kind == "qwen2":
                own |= {"attn_q.bias": bias(queries), "attn_k.bias": bias(keys), "attn_v.bias": bias(keys)}
            if kind in ("qwen3", "gemma3"):
                own |= {"attn_q_norm.weight": norm(self.size), "attn_k_norm.weight": norm(self.size)}
            if kind == "gemma3":
                own |= {"post_attention_norm.weight": norm(self.width), "post_ffw_norm.weight": norm(self.width)}
            t |= {f"blk.{layer}.{name}": array for name, array in own.items()}
        t["output_norm.weight"] = norm(self.width)
        self.tensors = t

    def keys(self):
        own = {"block_count": self.layers, "embedding_length": self.width, "feed_forward_length": self.inner,
               "attention.head_count": self.heads, "attention.head_count_kv": self.caches, "attention.key_length": self.size,
               "attention.value_length": self.size, "attention.layer_norm_rms_epsilon": self.epsilon,
               "rope.freq_base": self.base, "context_length": 128}
        if self.window:
            own["attention.sliding_window"] = self.window
        return {"general.architecture": self.kind} | {f"{self.kind}.{key}": value for key, value in own.items()}

    def byte_tokenizer(self, template=CHATML):
        """Keys of a tokenizer that has a token for each byte, "zq", and three that control a chat; 260 in all."""
        printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
        rest = [byte for byte in range(256) if byte not in printable]
        letters = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(rest)}
        control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        return {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "gpt-2",
                "tokenizer.ggml.tokens": [letters[byte] for byte in range(256)] + ["zq"] + control,
                "tokenizer.ggml.token_type": [1] * 257 + [3] * len(control),
                "tokenizer.ggml.merges": ["z q"], "tokenizer.ggml.bos_token_id": 257, "tokenizer.ggml.eos_token_id": 259,
                "tokenizer.chat_template": template}

    def write(self, path):
        """Writes the file. Returns where the data of each tensor begins."""
        at = write(path, self.keys(), self.tensors)
        places = {}
        for name, array in self.tensors.items():
            places[name] = at
            at += array.nbytes + -array.nbytes % 32
        return places

    def _norm(self, x, weight):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon) * weight

    def _rotate(self, x, base):
        """x: positions, heads, numbers. Llama rotates neighbours, the others the two halves of a head."""
        half = self.size // 2
        frequencies = base ** (-np.arange(half) / half)
        if "rope_freqs.weight" in self.tensors:
            frequencies = frequencies / self.tensors["rope_freqs.weight"]
        turn = np.exp(1j * np.arange(len(x))[:, None, None] * frequencies)
        if self.kind == "llama":
            z = (x[..., ::2] + 1j * x[..., 1::2]) * turn
            return np.stack([z.real, z.imag], -1).reshape(x.shape)
        z = (x[..., :half] + 1j * x[..., half:]) * turn
        return np.concatenate([z.real, z.imag], -1)

    def logits(self, tokens):
        """In f64, after each of the tokens."""
        weights = {name: array.astype("f8") for name, array in self.tensors.items()}
        n = len(tokens)
        x = weights["token_embd.weight"][tokens]
        if self.kind == "gemma3":
            x = x * np.sqrt(self.width)
        distance = np.arange(n)[:, None] - np.arange(n)
        for layer in range(self.layers):
            w = lambda part: weights[f"blk.{layer}.{part}"]
            project = lambda part: h @ w(f"attn_{part}.weight").T + (w(f"attn_{part}.bias") if self.kind == "qwen2" else 0)
            local = self.window and (layer + 1) % self.period
            base = self.local_base if local else self.base
            h = self._norm(x, w("attn_norm.weight"))
            q = project("q").reshape(n, self.heads, self.size)
            k, v = (project(part).reshape(n, self.caches, self.size) for part in "kv")
            if self.kind in ("qwen3", "gemma3"):
                q, k = self._norm(q, w("attn_q_norm.weight")), self._norm(k, w("attn_k_norm.weight"))
            q, k = self._rotate(q, base), self._rotate(k, base)
            k, v = (np.repeat(a, self.heads // self.caches, axis=1) for a in (k, v))
            scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(self.size)
            seen = (distance >= 0) & ((distance < self.window) | (not local))
            scores = np.where(seen, scores, -np.inf)
            p = np.exp(scores - scores.max(-1, keepdims=True))
            p /= p.sum(-1, keepdims=True)
            y = np.einsum("hqk,khd->qhd", p, v).reshape(n, -1) @ w("attn_output.weight").T
            x = x + (self._norm(y, w("post_attention_norm.weight")) if self.kind == "gemma3" else y)
            h = self._norm(x, w("ffn_norm.weight"))
            gate, up = h @ w("ffn_gate.weight").T, h @ w("ffn_up.weight").T
            if self.kind == "gemma3":
                act = gate / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (gate + 0.044715 * gate ** 3)))
            else:
                act = gate / (1 + np.exp(-gate))
            y = (act * up) @ w("ffn_down.weight").T
            x = x + (self._norm(y, w("post_ffw_norm.weight")) if self.kind == "gemma3" else y)
        head = weights.get("output.weight", weights["token_embd.weight"])
        return self._norm(x, weights["output_norm.weight"]) @ head.T
