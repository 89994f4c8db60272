"""Sums, extremes, and what precedes: along axes of an array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from .array import Array, ArrayLike, as_array
from .dtypes import PLACE, DType, Scalar, as_dtype, as_float, element_of
from .elementwise import absolute, add, astype, divide, equal, logical_or, multiply, sqrt, square, subtract, where
from .emission import constant, current, emit, emit_one, form_of
from .frames import place
from .ir import Block, Op, Value
from .shapes import arange, axis_of, broadcast_to, ravel, reshape

Axis = int | tuple[int, ...] | None


def _axes(array: Array, axis: Axis) -> list[int]:
    if form_of(current().stage()) == "scalar":
        raise TraceError(
            "A function of gpuvm.map is run for one element: there is nothing to sum up but in a loop (gpuvm.repeat)."
        )
    if axis is None:
        return list(range(array.ndim))
    axes = sorted(axis_of(each, array.ndim or 1) for each in ((axis,) if isinstance(axis, int) else axis))
    return axes if array.ndim else []  # NumPy lets axis 0 of a number pass.


def _reduced(array: Array, axes: list[int], op: str, initial: Scalar, keepdims: bool) -> Array:
    shape = tuple(size for axis, size in enumerate(array.shape) if axis not in axes)
    value = array._value
    made = value
    if value.form == "bounded" and axes and axes[0] != 0:
        raise TraceError("Rows that are counted are combined with each other (axis 0, or all): gpuvm.ops.filled(x) has all.")
    if axes:
        start = constant(initial, array.dtype, shape)
        parts: list[Any] = [
            f"linalg.reduce {{ {op} }} ins(",
            value,
            f" : {value.type}) outs(",
            start,
            f" : {start.type}) dimensions = {axes}",
        ]
        made = emit_one(parts, value.element, shape, "tensor")
    found = Array(made, array.dtype)
    return reshape(found, tuple(1 if axis in axes else size for axis, size in enumerate(array.shape))) if keepdims else found


def _wide(dtype: DType) -> DType:
    """In which NumPy adds up."""
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def sum(a: ArrayLike, axis: Axis = None, dtype: npt.DTypeLike = None, keepdims: bool = False) -> Array:  # noqa: A001
    """numpy.sum: of integers, in 64 bits without a dtype."""
    array = as_array(a)
    wide = astype(array, _wide(array.dtype) if dtype is None else as_dtype(dtype))
    return _reduced(wide, _axes(wide, axis), "arith.addf" if wide.dtype.kind == "f" else "arith.addi", 0, keepdims)


def prod(a: ArrayLike, axis: Axis = None, dtype: npt.DTypeLike = None, keepdims: bool = False) -> Array:
    """numpy.prod: of integers, in 64 bits without a dtype."""
    array = as_array(a)
    wide = astype(array, _wide(array.dtype) if dtype is None else as_dtype(dtype))
    return _reduced(wide, _axes(wide, axis), "arith.mulf" if wide.dtype.kind == "f" else "arith.muli", 1, keepdims)


def _least(dtype: DType) -> Scalar:
    if dtype.kind == "b":
        return False
    return -math.inf if dtype.kind == "f" else int(np.iinfo(dtype).min)


def _most(dtype: DType) -> Scalar:
    if dtype.kind == "b":
        return True
    return math.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)


def max(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:  # noqa: A001
    """numpy.max"""
    array = as_array(a)
    op = {"f": "arith.maximumf", "i": "arith.maxsi", "u": "arith.maxui", "b": "arith.ori"}[array.dtype.kind]
    return _reduced(array, _axes(array, axis), op, _least(array.dtype), keepdims)


def min(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:  # noqa: A001
    """numpy.min"""
    array = as_array(a)
    op = {"f": "arith.minimumf", "i": "arith.minsi", "u": "arith.minui", "b": "arith.andi"}[array.dtype.kind]
    return _reduced(array, _axes(array, axis), op, _most(array.dtype), keepdims)


amax, amin = max, min


def any(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:  # noqa: A001
    """numpy.any"""
    return max(astype(a, np.bool_), axis, keepdims)


def all(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:  # noqa: A001
    """numpy.all"""
    return min(astype(a, np.bool_), axis, keepdims)


def count_nonzero(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """numpy.count_nonzero"""
    return sum(astype(a, np.bool_), axis, keepdims=keepdims)


def _count(array: Array, axis: Axis) -> int | Array:
    """Elements that are combined."""
    axes = _axes(array, axis)
    if array._value.form != "bounded" or 0 not in axes:
        return math.prod(array.shape[each] for each in axes)
    from .operations import count

    rows = astype(count(array), as_float(array.dtype))
    return multiply(rows, math.prod(array.shape[each] for each in axes if each))


def mean(a: ArrayLike, axis: Axis = None, dtype: npt.DTypeLike = None, keepdims: bool = False) -> Array:
    """numpy.mean: of integers, in float64."""
    array = as_array(a)
    total = sum(array, axis, as_float(array.dtype) if dtype is None else dtype, keepdims)
    return divide(total, _count(array, axis))


def average(a: ArrayLike, axis: Axis = None, weights: ArrayLike | None = None) -> Array:
    """numpy.average"""
    if weights is None:
        return mean(a, axis)
    return divide(sum(multiply(a, weights), axis), sum(weights, axis))


def var(a: ArrayLike, axis: Axis = None, dtype: npt.DTypeLike = None, ddof: float = 0, keepdims: bool = False) -> Array:
    """numpy.var"""
    array = as_array(a)
    off = subtract(array, mean(array, axis, dtype, keepdims=True))
    return divide(sum(square(off), axis, keepdims=keepdims), _count(array, axis) - ddof)


def std(a: ArrayLike, axis: Axis = None, dtype: npt.DTypeLike = None, ddof: float = 0, keepdims: bool = False) -> Array:
    """numpy.std"""
    return sqrt(var(a, axis, dtype, ddof, keepdims))


def ptp(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """numpy.ptp"""
    return subtract(max(a, axis, keepdims), min(a, axis, keepdims))


def _first_place(array: Array, axis: int | None, best: Array) -> Array:
    """Where along the axis the best element is first, a NaN before all others."""
    at = axis_of(axis or 0, array.ndim)
    size = array.shape[at]
    hit = equal(array, best)
    if array.dtype.kind == "f":
        hit = logical_or(hit, array != array)
    places = reshape(arange(size, dtype=PLACE), tuple(-1 if each == at else 1 for each in range(array.ndim)))
    return min(where(hit, broadcast_to(places, array.shape), PLACE.type(size)), at)


def _rows(a: ArrayLike, axis: int | None) -> Array:
    """All in a row without an axis, or of a number."""
    array = as_array(a)
    return ravel(array) if axis is None or not array.ndim else array


def argmax(a: ArrayLike, axis: int | None = None) -> Array:
    """numpy.argmax, as int32."""
    array = _rows(a, axis)
    return _first_place(array, axis, max(array, axis, keepdims=True))


def argmin(a: ArrayLike, axis: int | None = None) -> Array:
    """numpy.argmin, as int32."""
    array = _rows(a, axis)
    return _first_place(array, axis, min(array, axis, keepdims=True))


def array_equal(a1: ArrayLike, a2: ArrayLike) -> Array:
    """numpy.array_equal, of arrays of one shape."""
    return all(equal(a1, a2))


def allclose(a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08) -> Array:
    """numpy.allclose, of finite numbers."""
    from .elementwise import isclose

    return all(isclose(a, b, rtol, atol))


def norm(x: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """numpy.linalg.norm: the root of the sum of squares."""
    return sqrt(sum(square(absolute(x)), axis, keepdims=keepdims))


# --- What precedes -------------------------------------------------------------------------


def combine(dtypes: list[DType], function: Any) -> Block:
    """The region that combines what comes before with the next element."""
    stage = current().stage()
    block = Block("element", stage, "combine")
    elements = [element_of(dtype) for dtype in dtypes]
    before = [Value(block, element, (), "scalar", "before") for element in elements]
    after = [Value(block, element, (), "scalar", "next") for element in elements]
    block.args = before + after
    with current().inside(block):
        arrays = [Array(value, dtype) for value, dtype in zip(before + after, dtypes * 2, strict=True)]
        made = function(*arrays)
        listed = [
            astype(each, dtype) for each, dtype in zip(made if isinstance(made, (tuple, list)) else [made], dtypes, strict=True)
        ]
        parts: list[Any] = ["gpuvm.yield "]
        for index, each in enumerate(listed):
            parts += [", ", each._value] if index else [each._value]
        block.add(Op([*parts, " : " + ", ".join(elements)], [], place(), has_effects=True))
    return block


def scan_rows(arrays: list[Array], axis: int, function: Any, options: list[Any]) -> list[Array]:
    """gpuvm.scan; `options` are its parts after the dimension."""
    values = [array._value for array in arrays]
    region = combine([array.dtype for array in arrays], function)
    listed: list[Any] = []
    for index, value in enumerate(values):
        listed += [", ", value] if index else [value]
    extra = [each for each in options if isinstance(each, Value)]
    types = ", ".join(each.type for each in [*values, *extra])
    results = ", ".join(value.type for value in values)
    arrow = results if len(values) == 1 else f"({results})"
    parts = ["gpuvm.scan ", *listed, f" dimension {axis}", *options, f" : ({types}) -> {arrow} ", region]
    made = emit(parts, [(value.element, value.shape) for value in values])
    return [Array(value, array.dtype) for value, array in zip(made, arrays, strict=True)]


def cumsum(a: ArrayLike, axis: int | None = None, dtype: npt.DTypeLike = None) -> Array:
    """numpy.cumsum: of integers, in 64 bits without a dtype."""
    array = _rows(a, axis)
    wide = astype(array, _wide(array.dtype) if dtype is None else as_dtype(dtype))
    return scan_rows([wide], axis_of(axis or 0, wide.ndim), add, [])[0]


def cumprod(a: ArrayLike, axis: int | None = None, dtype: npt.DTypeLike = None) -> Array:
    """numpy.cumprod: of integers, in 64 bits without a dtype."""
    array = _rows(a, axis)
    wide = astype(array, _wide(array.dtype) if dtype is None else as_dtype(dtype))
    return scan_rows([wide], axis_of(axis or 0, wide.ndim), multiply, [])[0]


def diff(a: ArrayLike, n: int = 1, axis: int = -1) -> Array:
    """numpy.diff"""
    array = as_array(a)
    at = axis_of(axis, array.ndim)
    for _ in range(n):
        head = (slice(None),) * at
        array = subtract(array[(*head, slice(1, None))], array[(*head, slice(None, -1))])
    return array
