"""Sorting and searching."""

from __future__ import annotations

from typing import Any

from ..errors import TraceError
from .array import Array, ArrayLike, as_array
from .dtypes import PLACE, as_float, common
from .emission import emit, emit_one
from .ir import tensor
from .shapes import axis_of, moveaxis, ravel


def _last(array: Array, axis: int | None) -> tuple[Array, int]:
    array = ravel(array) if axis is None else array
    at = axis_of(-1 if axis is None else axis, array.ndim)
    return moveaxis(array, at, -1), at


def _flags(array: Array, descending: bool) -> str:
    return (" unsigned" if array.dtype.kind == "u" else "") + (" descending" if descending else "")


def sort_together(keys: list[Array], payloads: list[Array], descending: list[bool], with_places: bool) -> list[Array]:
    """gpuvm.sort: the keys, the payloads, and where elements came from, along the last axis."""
    parts: list[Any] = ["gpuvm.sort "]
    for index, (key, is_down) in enumerate(zip(keys, descending, strict=True)):
        parts += [", " if index else "", key._value, _flags(key, is_down)]
    if payloads:
        parts += [" payloads("]
        for index, each in enumerate(payloads):
            parts += [", " if index else "", each._value]
        parts += [")"]
    types = ", ".join(each._value.type for each in [*keys, *payloads])
    arrays = [*keys, *payloads]
    results = [(each._value.element, each.shape) for each in arrays]
    if with_places:
        results.append(("i32", keys[0].shape))
    made = emit([*parts, " numbers" if with_places else "", f" : {types}"], results)
    return [Array(value, dtype) for value, dtype in zip(made, [*(each.dtype for each in arrays), PLACE], strict=False)]


def sort(a: ArrayLike, axis: int | None = -1, *, descending: bool = False) -> Array:
    """numpy.sort, stable."""
    rows, at = _last(as_array(a), axis)
    return moveaxis(sort_together([rows], [], [descending], False)[0], -1, at)


def argsort(a: ArrayLike, axis: int | None = -1, *, descending: bool = False) -> Array:
    """numpy.argsort, stable, as int32."""
    rows, at = _last(as_array(a), axis)
    return moveaxis(sort_together([rows], [], [descending], True)[1], -1, at)


def lexsort(keys: tuple[ArrayLike, ...]) -> Array:
    """numpy.lexsort: by the last key first; as int32."""
    found = [as_array(each) for each in reversed(keys)]
    return sort_together(found, [], [False] * len(found), True)[-1]


def top_k(a: ArrayLike, k: int, smallest: bool = False) -> tuple[Array, Array]:
    """gpuvm.top_k: the first k elements of a sort of the last axis, and their places."""
    array = as_array(a)
    shape = (*array.shape[:-1], k)
    value = array._value
    flags = (" smallest" if smallest else "") + (" unsigned" if array.dtype.kind == "u" else "")
    types = f"{flags} : {value.type} -> {tensor(shape, value.element)}, {tensor(shape, 'i32')}"
    values, places = emit(["gpuvm.top_k ", value, types], [(value.element, shape), ("i32", shape)])
    return Array(values, array.dtype), Array(places, PLACE)


def median(a: ArrayLike, axis: int | None = None) -> Array:
    """numpy.median, of numbers."""
    from .elementwise import astype, divide

    array = as_array(a)
    rows, _ = _last(astype(array, as_float(array.dtype)), axis)
    ordered = sort_together([rows], [], [False], False)[0]
    size = rows.shape[-1]
    return divide(ordered[..., (size - 1) // 2] + ordered[..., size // 2], 2)


def searchsorted(a: ArrayLike, v: ArrayLike, side: str = "left") -> Array:
    """numpy.searchsorted, as int32."""
    if side not in ("left", "right"):
        raise TraceError(f'searchsorted has no side "{side}" (sides: left, right).')
    table, queries = as_array(a), as_array(v)
    dtype = common([table.dtype, queries.dtype])
    table, queries = table.astype(dtype), queries.astype(dtype)
    flags = (" right" if side == "right" else "") + (" unsigned" if dtype.kind == "u" else "")
    types = f"{flags} : {table._value.type}, {queries._value.type} -> {tensor(queries.shape, 'i32')}"
    return Array(emit_one(["gpuvm.search_sorted ", table._value, ", ", queries._value, types], "i32", queries.shape), PLACE)


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Array:
    """numpy.digitize, of ascending bins; as int32."""
    return searchsorted(bins, x, side="left" if right else "right")


def bincount(x: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0) -> Array:
    """numpy.bincount of `minlength` bins: numbers beyond are left out."""
    from .indexing import scatter
    from .shapes import zeros

    if not minlength:
        raise TraceError("gpuvm.numpy.bincount needs minlength: the number of bins is a part of a program.")
    if weights is None:
        return scatter("add", 1, as_array(x), zeros(minlength, "int64"))
    added = as_array(weights)
    return scatter("add", added, as_array(x), zeros(minlength, as_float(added.dtype)))
