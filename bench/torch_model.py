"""Tokens and prompts of a model with llama's shape by torch: f16 weights of noise, static caches, one CUDA graph."""

import functools
import time

import torch_peer
from gpuvm import Missing

CACHED = 1024  # rows of the caches; attention reads as many as SEEN
SEEN = 256


def norm(torch, x, weight):
    wide = x.float()
    return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + 1e-5)).half() * weight


def rotated(torch, x, cosine, sine):
    """x: heads, rows, numbers; the halves of a head."""
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosine - second * sine, first * sine + second * cosine), -1)


def layer(torch, s, x, cosine, sine, places, mask, w, keys, values):
    """x: rows, width. `mask`: of one row, or none for rows that see those before them."""
    rows = x.shape[0]
    parts = (norm(torch, x, w["attn_norm"]) @ w["qkv"].T).view(rows, s.heads + 2 * s.caches, s.size).transpose(0, 1)
    q, k, v = parts.split((s.heads, s.caches, s.caches))
    q, k = rotated(torch, q, cosine, sine), rotated(torch, k, cosine, sine)
    keys.index_copy_(1, places, k)
    values.index_copy_(1, places, v)
    attend = torch.nn.functional.scaled_dot_product_attention
    if mask is None:
        y = attend(q[None], k[None], v[None], is_causal=True, enable_gqa=True)[0]
    else:
        y = attend(q[None], keys[None, :, :SEEN], values[None, :, :SEEN], attn_mask=mask, enable_gqa=True)[0]
    x = x + y.transpose(0, 1).reshape(rows, -1) @ w["output"].T
    gate, up = (norm(torch, x, w["ffn_norm"]) @ w["gate_up"].T).chunk(2, -1)
    return x + (torch.nn.functional.silu(gate) * up) @ w["down"].T


@functools.cache
def compiled(torch):
    """One function for all models, compiled for each shape."""
    return torch.compile(layer, dynamic=False)


class Weights:
    def __init__(self, torch, shape):
        s, make = shape, lambda *size: torch.randn(size, device="cuda", dtype=torch.float16) / size[-1] ** 0.5
        ones = lambda: torch.ones(s.width, device="cuda", dtype=torch.float16)
        self.table, self.norm = make(s.vocabulary, s.width), ones()
        self.layers = [{"attn_norm": ones(), "ffn_norm": ones(), "qkv": make((s.heads + 2 * s.caches) * s.size, s.width),
                        "output": make(s.width, s.heads * s.size), "gate_up": make(2 * s.inner, s.width), "down": make(s.width, s.inner)}
                       for _ in range(s.layers)]
        self.keys, self.values = ([torch.zeros(s.caches, CACHED, s.size, device="cuda", dtype=torch.float16) for _ in range(s.layers)]
                                  for _ in range(2))
        frequencies = s.base ** (-torch.arange(s.size // 2, device="cuda") / (s.size // 2))
        angles = torch.arange(CACHED, device="cuda")[:, None] * frequencies
        self.cosine, self.sine = angles.cos().half(), angles.sin().half()


class TorchModel:
    """Eager or compiled, in a CUDA graph; the faster one. `rows`: of a prompt, or 0 for `count` tokens from position `first` on."""

    def __init__(self, session, shape, rows, first=0, count=1):
        if not session.torch:
            raise Missing("there is no torch")
        if first + count > SEEN or rows > CACHED:
            raise Missing("its caches are smaller")
        self.torch, self.shape, self.rows, self.first, self.count = session.torch, shape, rows, first, count
        torch = self.torch
        self.weights = Weights(torch, shape)
        self.token = torch.zeros(1, device="cuda", dtype=torch.long)
        self.place = torch.zeros(1, device="cuda", dtype=torch.long)
        self.prompt = torch.randint(shape.vocabulary, (max(rows, 1),), device="cuda")
        run = self.read if rows else self.step
        forms, self.failures = [], []
        for name, one in {"eager": layer, **({"compiled": compiled(torch)} if session.options.compile else {})}.items():
            try:
                self.begin()
                forms.append(torch_peer.captured(torch, torch_peer.Form(torch, name, lambda f=one: run(f))))
            except Exception as reason:  # whatever a compiler or a capture raises
                self.failures.append(f"{name}: {str(reason).strip().splitlines()[0][:200]}")
        if not forms:
            raise Missing("; ".join(self.failures))
        self.best = min(forms, key=self.device_us)
        self.form = self.best.name

    def begin(self):
        self.place.fill_(self.first)

    def layers(self, one, x, cosine, sine, places, mask):
        w = self.weights
        for own, keys, values in zip(w.layers, w.keys, w.values):
            x = one(self.torch, self.shape, x, cosine, sine, places, mask, own, keys, values)
        return x

    def step(self, one):
        """A token, and the next one in its place."""
        torch, w = self.torch, self.weights
        mask = (torch.arange(SEEN, device="cuda") <= self.place)[None]
        x = self.layers(one, w.table[self.token], w.cosine[self.place], w.sine[self.place], self.place, mask)
        self.token.copy_((norm(torch, x, w.norm) @ w.table.T).argmax(-1))
        self.place += 1
        return self.token

    def read(self, one):
        w, places = self.weights, self.torch.arange(self.rows, device="cuda")
        return self.layers(one, w.table[self.prompt], w.cosine[:self.rows], w.sine[:self.rows], places, None)

    def device_us(self, form):
        """Of all tokens, or of the prompt."""
        self.begin()
        form.begin.record()
        for _ in range(self.count):
            form.call()
        form.end.record()
        self.torch.cuda.synchronize()
        return form.begin.elapsed_time(form.end) * 1e3

    def sample(self):
        self.device_us(self.best)
        device = self.device_us(self.best)
        self.begin()
        start = time.perf_counter()
        for _ in range(self.count):
            self.best.call()
        self.torch.cuda.synchronize()
        return {"wall_us": (time.perf_counter() - start) * 1e6, "device_us": device}

    def close(self):
        self.weights = None
