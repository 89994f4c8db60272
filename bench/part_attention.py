"""Attention of one query row over a long f16 cache of keys and values, as in decoding."""

import numpy as np

import programs
from model import Case, Target, Tensor

TITLE = "Attention of one query row"
NOTES = ("Keys and values are f16, arithmetic is f32; torch gets the query as f16, too.",)
BOUND = 4e-3  # torch rounds probabilities and results to f16


def attention(heads, groups, depth, length, target):
    scale = depth ** -0.5
    q, cache = Tensor((heads, 1, depth), "f32"), Tensor((groups, length, depth), "f16")
    body = (f"%o = gpuvm.attention %q, %k, %v scale {scale:.9e} : {q}, {cache}, {cache} -> {q}\n")
    inputs = {"q": q, "k": cache, "v": cache}

    def reference(d):
        k, v = d["k"].astype(np.float32), d["v"].astype(np.float32)
        scores = d["q"].reshape(groups, -1, depth) @ k.transpose(0, 2, 1) * np.float32(scale)
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return (powers / powers.sum(axis=-1, keepdims=True) @ v).reshape(q.shape)

    def half(d):
        if "half" not in d:
            d["half"] = d["q"].half()
        return d["half"]

    def fused(d):
        return d["functional"].scaled_dot_product_attention(
            half(d)[None], d["k"][None], d["v"][None], scale=scale, enable_gqa=True)[0]

    def products(d):
        matmul = d["torch"].matmul
        scores = matmul(half(d).view(groups, heads // groups, depth), d["k"].transpose(1, 2))
        shares = d["functional"].softmax(scores.float() * scale, -1).half()
        return matmul(shares, d["v"]).reshape(q.shape)

    return Case(f"{heads} heads of {depth}, {groups} of keys, context {length:,}",
                programs.gpuvm(inputs, "o", q, body), inputs, "o", q, reference=reference,
                torch={"scaled_dot_product_attention": fused, "matmul, softmax, matmul": products},
                bytes=2 * cache.bytes + 2 * q.bytes, operations=4 * heads * depth * length,
                target=target, bound=BOUND)


def cases(device, _):
    if device == "cpu":
        yield attention(8, 2, 128, 2048, None)
        return
    yield attention(32, 8, 128, 8192, None)
    yield attention(32, 8, 128, 65536, Target(0.80))
