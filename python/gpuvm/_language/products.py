"""Products of matrices, and of whatever einsum says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import TraceError
from .array import Array, ArrayLike, as_array
from .dtypes import DType, common, element_of
from .elementwise import astype, broadcast_shapes
from .emission import constant, emit_one
from .frames import place
from .ir import Block, Op, Value, tensor
from .shapes import broadcast_to, fixed, ravel, reshape

_NAMED = {(2, 2): "matmul", (2, 1): "matvec", (1, 2): "vecmat", (1, 1): "dot", (3, 3): "batch_matmul"}


def _both(x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array, DType]:
    a, b = fixed(x1), fixed(x2)
    dtype = common([a.dtype, b.dtype])
    return astype(a, dtype), astype(b, dtype), dtype


def matmul(x1: ArrayLike, x2: ArrayLike) -> Array:
    """numpy.matmul"""
    a, b, dtype = _both(x1, x2)
    if not a.ndim or not b.ndim:
        raise TraceError("There is no matmul of arrays without dimensions: use *.")
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise TraceError(f"Arrays of the shapes {a.shape} and {b.shape} cannot be multiplied: columns and rows differ.")
    name = _NAMED.get((a.ndim, b.ndim))
    if name is not None and dtype.kind != "b" and a.shape[:-2] == b.shape[:-2]:
        return _named(name, a, b, dtype)
    return _batched(a, b)


def _named(name: str, a: Array, b: Array, dtype: DType) -> Array:
    shape = (*a.shape[:-1], *b.shape[-1:]) if b.ndim > 1 else a.shape[:-1]
    zero = constant(0, dtype, shape)
    ins = f" : {a._value.type}, {b._value.type}) outs("
    parts: list[Any] = [f"linalg.{name} ins(", a._value, ", ", b._value, ins, zero, f" : {zero.type})"]
    arrow = f" -> {zero.type}"
    return Array(emit_one([*parts, arrow], element_of(dtype), shape), dtype)


def _batched(a: Array, b: Array) -> Array:
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    letters = "abcdefghij"[: len(batch)]
    left = (letters if a.ndim > 2 else "") + ("mk" if a.ndim > 1 else "k")
    right = (letters if b.ndim > 2 else "") + ("kn" if b.ndim > 1 else "k")
    if a.ndim > 2:
        a = broadcast_to(a, batch + a.shape[-2:])
    if b.ndim > 2:
        b = broadcast_to(b, batch + b.shape[-2:])
    result = letters + ("m" if a.ndim > 1 else "") + ("n" if b.ndim > 1 else "")
    return einsum(f"{left},{right}->{result}", a, b)


def dot(a: ArrayLike, b: ArrayLike) -> Array:
    """numpy.dot"""
    left, right = as_array(a), as_array(b)
    if not left.ndim or not right.ndim:
        return left * right
    if right.ndim > 2:
        raise TraceError("gpuvm.numpy.dot takes up to two dimensions on the right: use einsum.")
    return matmul(left, right)


def vdot(a: ArrayLike, b: ArrayLike) -> Array:
    """numpy.vdot"""
    return matmul(ravel(a), ravel(b))


def inner(a: ArrayLike, b: ArrayLike) -> Array:
    """numpy.inner"""
    left, right = as_array(a), as_array(b)
    x, y = "abcdefg"[: left.ndim - 1], "mnopqr"[: right.ndim - 1]
    return einsum(f"{x}z,{y}z->{x}{y}", left, right)


def outer(a: ArrayLike, b: ArrayLike) -> Array:
    """numpy.outer"""
    return reshape(ravel(a), (-1, 1)) * ravel(b)


def tensordot(a: ArrayLike, b: ArrayLike, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """numpy.tensordot"""
    left, right = as_array(a), as_array(b)
    pairs = (range(left.ndim - axes, left.ndim), range(axes)) if isinstance(axes, int) else axes
    x = list("abcdefghijkl"[: left.ndim])
    y = list("mnopqrstuvwx"[: right.ndim])
    for i, j in zip(*pairs, strict=True):
        y[j] = x[i]
    kept = [each for each in x if each not in y] + [each for each in y if each not in x]
    return einsum(f"{''.join(x)},{''.join(y)}->{''.join(kept)}", left, right)


def einsum(subscripts: str, *operands: ArrayLike) -> Array:
    """numpy.einsum, with letters for axes and without an ellipsis."""
    arrays = [fixed(each) for each in operands]
    dtype = common([each.dtype for each in arrays])
    terms, result = _subscripts(subscripts, arrays)
    sizes: dict[str, int] = {}
    for term, array in zip(terms, arrays, strict=True):
        for letter, size in zip(term, array.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise TraceError(f'The axis "{letter}" of "{subscripts}" has {sizes[letter]} and {size} elements.')
    summed = [letter for letter in sizes if letter not in result]
    return _contraction([astype(each, dtype) for each in arrays], terms, result, summed, sizes, dtype)


def _subscripts(subscripts: str, arrays: list[Array]) -> tuple[list[str], str]:
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    letters = "".join(terms)
    if not arrow:
        result = "".join(sorted(each for each in set(letters) if letters.count(each) == 1))
    if (
        (not letters.isalpha() and letters)
        or len(terms) != len(arrays)
        or len(set(result)) != len(result)
        or not set(result) <= set(letters)
    ):
        raise TraceError(f'"{subscripts}" is no einsum of {len(arrays)} arrays: write "ij,jk->ik".')
    for term, array in zip(terms, arrays, strict=True):
        if len(term) != array.ndim:
            raise TraceError(f'"{term}" of "{subscripts}" has {len(term)} axes, and the array {array.ndim}.')
    return terms, result


def _contraction(
    arrays: list[Array], terms: list[str], result: str, summed: list[str], sizes: dict[str, int], dtype: DType
) -> Array:
    shape = tuple(sizes[letter] for letter in result)
    element = element_of(dtype)
    start = constant(0, dtype, shape)
    block = start.block
    body = Block("element", block, "einsum")
    body.args = [Value(body, element, (), "scalar", name) for name in ["a", "b", "c", "d"][: len(arrays)]]
    body.args += [Value(body, element, (), "scalar", "x") for _ in arrays[4:]]
    sofar = Value(body, element, (), "scalar", "sofar")
    product = body.args[0]
    kind = "f" if dtype.kind == "f" else "i"
    for value in body.args[1 : len(arrays)]:
        made = Value(body, element, (), "scalar", "product")
        body.add(Op([f"arith.mul{kind} ", product, ", ", value, f" : {element}"], [made], place()))
        product = made
    more = Value(body, element, (), "scalar", "sum")
    body.add(Op([f"arith.add{kind} ", sofar, ", ", product, f" : {element}"], [more], place()))
    body.add(Op(["linalg.yield ", more, f" : {element}"], [], place(), has_effects=True))
    body.args.append(sofar)
    order = [*result, *summed]
    dims = f"({', '.join(order)})"
    maps = ", ".join(f"affine_map<{dims} -> ({', '.join(term)})>" for term in [*terms, result])
    kinds = ", ".join(['"parallel"'] * len(result) + ['"reduction"'] * len(summed))
    listed: list[Any] = []
    for index, array in enumerate(arrays):
        listed += [", ", array._value] if index else [array._value]
    types = ", ".join(array._value.type for array in arrays)
    head = f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins("
    made_type = tensor(shape, element)
    parts = [head, *listed, f" : {types}) outs(", start, f" : {start.type}) ", body, f" -> {made_type}"]
    return Array(emit_one(parts, element, shape), dtype)


def trace(a: ArrayLike) -> Array:
    """numpy.trace, of a matrix."""
    return einsum("ii->", as_array(a))


def diagonal(a: ArrayLike) -> Array:
    """numpy.diagonal, of a matrix."""
    return einsum("ii->i", as_array(a))
