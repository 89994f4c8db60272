"""Sorts of keys, of keys with what belongs to them, of the places they come from; the largest elements; two rows merged."""

import numpy as np

import programs
from model import Case, Target, Tensor

TITLE = "Sort"
NOTES = ("All sorts are stable. A radix sort reads and writes everything several times: the limit is that of once.",)
WHOLE = {"i32": (-2 ** 31, 2 ** 31), "i64": (-2 ** 63, 2 ** 63 - 1), "f32": (-1.0, 1.0)}


def keys(shape, dtype):
    return Tensor(shape, dtype, *WHOLE[dtype])


def case(what, inputs, result, body, reference, torch, target):
    moved = sum(tensor.bytes for tensor in inputs.values()) + result.bytes
    return Case(what, programs.gpuvm(inputs, "y", result, body), inputs, "y", result, reference=reference,
                torch=torch, bytes=moved, target=target, bound=0.0)


def named(shape):
    return "x".join(f"{size:,}" for size in shape)


def sort(shape, dtype, target):
    x = keys(shape, dtype)
    return case(f"{named(shape)} {dtype}", {"x": x}, x, f"%y = gpuvm.sort %x : {x}",
                lambda d: np.sort(d["x"], kind="stable"),
                {"sort": lambda d: d["torch"].sort(d["x"]).values}, target)


def pairs(shape, target):
    """The payload of each key, as a database moves it."""
    x, v = keys(shape, "i32"), keys(shape, "i32")
    return case(f"{named(shape)} i32 with i32", {"x": x, "v": v}, v, f"%k, %y = gpuvm.sort %x payloads(%v) : {x}, {v}",
                lambda d: d["v"][np.argsort(d["x"], kind="stable")],
                {"sort, gather": lambda d: d["v"][d["torch"].sort(d["x"], stable=True).indices]}, target)


def places(shape, dtype, target):
    x, y = keys(shape, dtype), Tensor(shape, "i32")
    return case(f"places of {named(shape)} {dtype}", {"x": x}, y, f"%k, %y = gpuvm.sort %x numbers : {x}",
                lambda d: np.argsort(d["x"], axis=-1, kind="stable"),
                {"argsort": lambda d: d["torch"].argsort(d["x"], stable=True)}, target)


def largest(shape, k, target):
    x, y = keys(shape, "f32"), Tensor(shape[:-1] + (k,), "f32")
    body = f"%y, %n = gpuvm.top_k %x : {x} -> {y}, {Tensor(y.shape, 'i32')}"
    return case(f"{k} largest of {named(shape)} f32", {"x": x}, y, body,
                lambda d: -np.sort(np.partition(-d["x"], k - 1, axis=-1)[..., :k], axis=-1),
                {"topk": lambda d: d["torch"].topk(d["x"], k).values}, target)


def merge(length, target):
    """Of two sorted rows. Torch has none: it sorts both together, or looks for where each element goes."""
    def row(seed):
        return Tensor((length,), "i32", make=lambda: np.sort(np.random.default_rng(seed).integers(*WHOLE["i32"], length, np.int32)))

    def search(d):
        torch, a, b = d["torch"], d["a"], d["b"]
        own = torch.arange(length, device=a.device)
        y = torch.empty(2 * length, dtype=a.dtype, device=a.device)
        y[own + torch.searchsorted(b, a)] = a
        y[own + torch.searchsorted(a, b, right=True)] = b
        return y

    a, b, y = row(1), row(2), Tensor((2 * length,), "i32")
    return case(f"two rows of {length:,} i32", {"a": a, "b": b}, y, f"%y = gpuvm.merge %a, %b : {a}, {b} -> {y}",
                lambda d: np.sort(np.concatenate([d["a"], d["b"]]), kind="stable"),
                {"sort": lambda d: d["torch"].sort(d["torch"].cat([d["a"], d["b"]])).values, "search": search}, target)


def cases(device, _):
    gpu = device == "gpu"
    many = 2 ** 26 if gpu else 2 ** 20
    equal, twice = (Target(1.0, "torch"), Target(2.0, "torch")) if gpu else (None, None)
    yield sort((many,), "i32", equal)
    yield sort((many,), "f32", equal)
    yield sort((many // 2,), "i64", equal)
    yield pairs((many,), equal)
    yield places((many,), "f32", equal)
    for few in (2 ** 16, 2 ** 12):
        yield sort((few,), "i32", twice)
        yield pairs((few,), twice)
    yield sort((many // 1024, 1024), "f32", equal)
    yield largest((many,), 40, equal)
    yield largest((64, many // 256), 512, equal)
    yield merge(many, equal)
