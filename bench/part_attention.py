"""Attention over f16 keys and values: of one query row and a long cache, as in decoding, and of
many rows that see those before them, as in reading a prompt."""

import numpy as np

import programs
from model import Case, Target, Tensor

TITLE = "Attention"
NOTES = ("Keys and values are f16; torch gets the query as f16, too. Arithmetic is f32 but for f16 queries, where "
         "matrix units may multiply.",)
BOUND = 4e-3  # torch rounds probabilities and results to f16


def attention(heads, groups, depth, length, target, rows=1, queries="f32"):
    scale = depth ** -0.5
    q, cache = Tensor((heads, rows, depth), queries), Tensor((groups, length, depth), "f16")
    causal = rows > 1
    body = (f"%o = gpuvm.attention %q, %k, %v scale {scale:.9e} {'causal ' if causal else ''}"
            f": {q}, {cache}, {cache} -> {q}\n")
    inputs = {"q": q, "k": cache, "v": cache}

    def reference(d):
        k, v = d["k"].astype(np.float32), d["v"].astype(np.float32)
        scores = d["q"].astype(np.float32).reshape(groups, -1, depth) @ k.transpose(0, 2, 1) * np.float32(scale)
        if causal:
            sees = np.tri(rows, length, length - rows, dtype=bool)
            scores = np.where(np.tile(sees, (heads // groups, 1)), scores, np.float32(-np.inf))
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return (powers / powers.sum(axis=-1, keepdims=True) @ v).reshape(q.shape)

    def half(d):
        if "half" not in d:
            d["half"] = d["q"].half()
        return d["half"]

    def fused(d):
        return d["functional"].scaled_dot_product_attention(
            half(d)[None], d["k"][None], d["v"][None], scale=scale, is_causal=causal, enable_gqa=True)[0]

    def products(d):
        matmul = d["torch"].matmul
        scores = matmul(half(d).view(groups, heads // groups, depth), d["k"].transpose(1, 2))
        shares = d["functional"].softmax(scores.float() * scale, -1).half()
        return matmul(shares, d["v"]).reshape(q.shape)

    torch = {"scaled_dot_product_attention": fused}
    if not causal:
        torch["matmul, softmax, matmul"] = products
    many = f"{rows:,} {'' if queries == 'f32' else queries + ' '}rows, causal, " if causal else ""
    pairs = length if not causal else rows * (2 * length - rows + 1) // 2
    return Case(f"{heads} heads of {depth}, {groups} of keys, {many}context {length:,}",
                programs.gpuvm(inputs, "o", q, body), inputs, "o", q, reference=reference,
                torch=torch, bytes=2 * cache.bytes + 2 * q.bytes,
                operations=4 * heads * depth * pairs, arithmetic="f16",
                target=target, bound=BOUND)


def cases(device, _):
    if device == "cpu":
        yield attention(8, 2, 128, 2048, None)
        yield attention(8, 2, 64, 256, None, rows=256)
        return
    yield attention(32, 8, 128, 8192, None)
    yield attention(32, 8, 128, 65536, Target(0.80))
    yield attention(32, 8, 128, 2048, None, rows=2048)
    yield attention(32, 8, 128, 2048, None, rows=2048, queries="f16")
