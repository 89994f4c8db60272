"""Where elements are: shapes, axes, and arrays of several others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from .array import Array, ArrayLike, as_array, as_operand
from .dtypes import PLACE, DType, Scalar, as_dtype, common, element_of, literal
from .emission import common_dtype, constant, current, emit_one, empty
from .frames import place
from .ir import ElementBlock, Op, Value, tensor

Shape = int | Sequence[int]


def as_shape(shape: Shape) -> tuple[int, ...]:
    """Sizes, which are numbers of Python."""
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    try:
        return tuple(int(size.__index__()) for size in sizes)
    except AttributeError:
        raise TraceError(f"{shape!r} is no shape: sizes are whole numbers of Python.") from None


def axis_of(axis: int, ndim: int) -> int:
    """From 0."""
    if not -ndim <= axis < ndim:
        raise TraceError(f"Axis {axis} is out of bounds for an array of {ndim} dimensions.")
    return axis % ndim


def fixed(a: ArrayLike) -> Array:
    """An array whose rows are not counted."""
    array = as_array(a)
    if array._value.form == "bounded":
        raise TraceError(
            "This is not of an array whose rows are counted: gpuvm.ops.filled(x) has all, with zeros after those that are there."
        )
    return array


# --- Reshaping ----------------------------------------------------------------------


def _groups(source: tuple[int, ...], target: tuple[int, ...]) -> list[tuple[list[int], list[int]]]:
    """Dimensions that hold the same elements, of both shapes, in order."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(source) and j < len(target):
        left, right = [i], [j]
        a, b = source[i], target[j]
        i, j = i + 1, j + 1
        while a != b:
            if a < b:
                left.append(i)
                a *= source[i]
                i += 1
            else:
                right.append(j)
                b *= target[j]
                j += 1
        groups.append((left, right))
    if groups:
        groups[-1][0].extend(range(i, len(source)))
        groups[-1][1].extend(range(j, len(target)))
    return groups


def _text(groups: Iterable[list[int]]) -> str:
    return "[" + ", ".join("[" + ", ".join(map(str, group)) + "]" for group in groups) + "]"


def _collapse(value: Value, groups: list[list[int]]) -> Value:
    if all(len(group) == 1 for group in groups) and groups:
        return value
    shape = tuple(math.prod(value.shape[axis] for axis in group) for group in groups)
    types = f" {_text(groups)} : {value.type} into {tensor(shape, value.element)}"
    return emit_one(["tensor.collapse_shape ", value, types], value.element, shape)


def _expand(value: Value, groups: list[list[int]], shape: tuple[int, ...]) -> Value:
    if all(len(group) == 1 for group in groups) and groups:
        return value
    sizes = ", ".join(map(str, shape))
    types = f" {_text(groups)} output_shape [{sizes}] : {value.type} into {tensor(shape, value.element)}"
    return emit_one(["tensor.expand_shape ", value, types], value.element, shape)


def reshape(a: ArrayLike, shape: Shape) -> Array:
    """numpy.reshape"""
    array, wanted = fixed(a), list(as_shape(shape))
    if wanted.count(-1) == 1:
        rest = -math.prod(wanted)
        wanted[wanted.index(-1)] = array.size // rest if rest else 0
    target = tuple(wanted)
    if math.prod(target) != array.size or min(target, default=0) < 0:
        raise TraceError(f"An array of the shape {array.shape} cannot be reshaped to {as_shape(shape)}.")
    return Array(reshaped(array._value, target), array.dtype)


def reshaped(value: Value, target: tuple[int, ...]) -> Value:
    """The same elements in another shape, made of those that have been reshaped to `value`."""
    base = value.base or value
    if value.shape == target or base.shape == target:
        return value if value.shape == target else base
    made = _reshaped(base, target)
    made.base = base
    return made


def _reshaped(value: Value, target: tuple[int, ...]) -> Value:
    if not target:
        return _collapse(value, [])
    if not value.shape:
        return _expand(value, [], target)
    groups = _groups(value.shape, target)
    middle = _collapse(value, [left for left, _ in groups])
    return _expand(middle, [right for _, right in groups], target)


def ravel(a: ArrayLike) -> Array:
    """numpy.ravel"""
    return reshape(a, (-1,))


def squeeze(a: ArrayLike, axis: int | tuple[int, ...] | None = None) -> Array:
    """numpy.squeeze"""
    array = as_array(a)
    chosen = range(array.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    gone = {axis_of(each, array.ndim) for each in chosen if axis is not None or array.shape[each] == 1}
    for each in gone:
        if array.shape[each] != 1:
            raise TraceError(f"Axis {each} of the shape {array.shape} has not one element.")
    return reshape(array, tuple(size for each, size in enumerate(array.shape) if each not in gone))


def expand_dims(a: ArrayLike, axis: int | tuple[int, ...]) -> Array:
    """numpy.expand_dims"""
    array = as_array(a)
    axes = (axis,) if isinstance(axis, int) else axis
    ndim = array.ndim + len(axes)
    new = {axis_of(each, ndim) for each in axes}
    sizes = iter(array.shape)
    return reshape(array, tuple(1 if each in new else next(sizes) for each in range(ndim)))


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """numpy.transpose"""
    array = fixed(a)
    order = tuple(reversed(range(array.ndim))) if axes is None else tuple(axis_of(each, array.ndim) for each in axes)
    if sorted(order) != list(range(array.ndim)):
        raise TraceError(f"{axes} is no order of the axes of the shape {array.shape}.")
    if order == tuple(range(array.ndim)):
        return array
    value = array._value
    shape = tuple(array.shape[each] for each in order)
    into = empty(value.element, shape)
    parts: list[Any] = [
        "linalg.transpose ins(",
        value,
        f" : {value.type}) outs(",
        into,
        f" : {into.type}) permutation = {list(order)}",
    ]
    return Array(emit_one(parts, value.element, shape), array.dtype)


permute_dims = transpose


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Array:
    """numpy.swapaxes"""
    array = as_array(a)
    order = list(range(array.ndim))
    one, other = axis_of(axis1, array.ndim), axis_of(axis2, array.ndim)
    order[one], order[other] = other, one
    return transpose(array, order)


def moveaxis(a: ArrayLike, source: int, destination: int) -> Array:
    """numpy.moveaxis, of one axis."""
    array = as_array(a)
    order = list(range(array.ndim))
    order.insert(axis_of(destination, array.ndim), order.pop(axis_of(source, array.ndim)))
    return transpose(array, order)


def broadcast_to(a: ArrayLike, shape: Shape) -> Array:
    """numpy.broadcast_to"""
    array, target = fixed(a), as_shape(shape)
    if array.shape == target:
        return array
    padded = (1,) * (len(target) - array.ndim) + array.shape
    if len(padded) != len(target) or any(size not in (1, wanted) for size, wanted in zip(padded, target, strict=True)):
        raise TraceError(f"An array of the shape {array.shape} cannot be broadcast to {target}.")
    added = [axis for axis, (size, wanted) in enumerate(zip(padded, target, strict=True)) if size != wanted or size == 1]
    value = reshaped(array._value, tuple(size for axis, size in enumerate(padded) if axis not in added))
    into = empty(value.element, target)
    parts: list[Any] = ["linalg.broadcast ins(", value, f" : {value.type}) outs(", into, f" : {into.type}) dimensions = {added}"]
    return Array(emit_one(parts, value.element, target), array.dtype)


def broadcast_arrays(*arrays: ArrayLike) -> list[Array]:
    """numpy.broadcast_arrays"""
    from .elementwise import broadcast_shapes

    found = [as_array(each) for each in arrays]
    shape = broadcast_shapes(*(each.shape for each in found))
    return [broadcast_to(each, shape) for each in found]


# --- Several arrays -----------------------------------------------------------------


def concatenate(arrays: Sequence[ArrayLike], axis: int = 0) -> Array:
    """numpy.concatenate"""
    from .elementwise import astype

    found = [fixed(each) for each in arrays]
    if not found:
        raise TraceError("There are no arrays to concatenate.")
    dtype = common([each.dtype for each in found])
    place = axis_of(axis, found[0].ndim)
    for each in found[1:]:
        if each.ndim != found[0].ndim or any(
            a != b for at, (a, b) in enumerate(zip(each.shape, found[0].shape, strict=True)) if at != place
        ):
            raise TraceError(f"Arrays of the shapes {found[0].shape} and {each.shape} cannot be concatenated along axis {axis}.")
    if len(found) == 1:
        return found[0]
    values = [astype(each, dtype)._value for each in found]
    shape = list(found[0].shape)
    shape[place] = sum(each.shape[place] for each in found)
    parts: list[Any] = [f"tensor.concat dim({place}) "]
    for index, value in enumerate(values):
        parts += [", ", value] if index else [value]
    types = ", ".join(value.type for value in values)
    made = tuple(shape)
    return Array(emit_one([*parts, f" : ({types}) -> {tensor(made, element_of(dtype))}"], element_of(dtype), made), dtype)


def stack(arrays: Sequence[ArrayLike], axis: int = 0) -> Array:
    """numpy.stack"""
    from .elementwise import value_of

    operands = [as_operand(each) for each in arrays]
    dtype = common_dtype(operands)
    shapes = {each.shape if isinstance(each, Array) else () for each in operands}
    if len(shapes) != 1:
        raise TraceError(f"Arrays of the shapes {', '.join(map(str, sorted(shapes)))} cannot be stacked.")
    made = [Array(value_of(each, dtype, each.shape if isinstance(each, Array) else ()), dtype) for each in operands]
    return concatenate([expand_dims(each, axis) for each in made], axis)


def vstack(tup: Sequence[ArrayLike]) -> Array:
    """numpy.vstack"""
    found = [as_array(each) for each in tup]
    return concatenate([expand_dims(each, 0) if each.ndim < 2 else each for each in found], 0)


def hstack(tup: Sequence[ArrayLike]) -> Array:
    """numpy.hstack"""
    found = [as_array(each) for each in tup]
    return concatenate(found, 0 if found[0].ndim == 1 else 1)


def split(ary: ArrayLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """numpy.split"""
    array = as_array(ary)
    place = axis_of(axis, array.ndim)
    size = array.shape[place]
    if isinstance(indices_or_sections, int):
        if size % indices_or_sections:
            raise TraceError(f"Axis {axis} has {size} elements, which are no {indices_or_sections} equal parts.")
        step = size // indices_or_sections
        ends = list(range(step, size, step))
    else:
        ends = list(indices_or_sections)
    bounds = [0, *ends, size]
    return [array[(slice(None),) * place + (slice(a, b),)] for a, b in itertools.pairwise(bounds)]


def repeat(a: ArrayLike, repeats: int, axis: int | None = None) -> Array:
    """numpy.repeat, as often for each element."""
    array = ravel(a) if axis is None else as_array(a)
    place = axis_of(axis or 0, array.ndim)
    wide = expand_dims(array, place + 1)
    shape = list(wide.shape)
    shape[place + 1] = repeats
    made = list(array.shape)
    made[place] *= repeats
    return reshape(broadcast_to(wide, shape), made)


def tile(A: ArrayLike, reps: Shape) -> Array:  # noqa: N803 - as in NumPy
    """numpy.tile"""
    array, times = as_array(A), as_shape(reps)
    ndim = max(array.ndim, len(times))
    array = reshape(array, (1,) * (ndim - array.ndim) + array.shape)
    for axis, count in enumerate((1,) * (ndim - len(times)) + times):
        if count != 1:
            array = concatenate([array] * count, axis)
    return array


# --- Arrays that are computed from their places ---------------------------------------


def from_places(shape: tuple[int, ...], dtype: DType, element: Any) -> Array:
    """The array whose element is what `element` computes of its places, each an Array of int32."""
    from .elements import map_elements

    return map_elements(element, (), shape, dtypes=[dtype])[0]


def zeros(shape: Shape, dtype: npt.DTypeLike = float) -> Array:
    """numpy.zeros"""
    return full(shape, 0, dtype)


def ones(shape: Shape, dtype: npt.DTypeLike = float) -> Array:
    """numpy.ones"""
    return full(shape, 1, dtype)


def full(shape: Shape, fill_value: ArrayLike, dtype: npt.DTypeLike = None) -> Array:
    """numpy.full"""
    from .elementwise import astype

    operand = as_operand(fill_value)
    found = common_dtype([operand]) if dtype is None else as_dtype(dtype)
    if isinstance(operand, Array):
        return broadcast_to(astype(operand, found), shape)
    return Array(constant(operand, found, as_shape(shape)), found)


def zeros_like(a: ArrayLike, dtype: npt.DTypeLike = None) -> Array:
    """numpy.zeros_like"""
    return full_like(a, 0, dtype)


def ones_like(a: ArrayLike, dtype: npt.DTypeLike = None) -> Array:
    """numpy.ones_like"""
    return full_like(a, 1, dtype)


def full_like(a: ArrayLike, fill_value: ArrayLike, dtype: npt.DTypeLike = None) -> Array:
    """numpy.full_like"""
    array = as_array(a)
    return full(array.shape, fill_value, array.dtype if dtype is None else dtype)


def asarray(a: ArrayLike, dtype: npt.DTypeLike = None) -> Array:
    """numpy.asarray"""
    array = as_array(a)
    return array if dtype is None else array.astype(dtype)


def arange(start: float, stop: float | None = None, step: float = 1, dtype: npt.DTypeLike = None) -> Array:
    """numpy.arange"""
    if stop is None:
        start, stop = 0, start
    found = common((), [start, stop, step]) if dtype is None else as_dtype(dtype)
    first, each = start, step
    count = max(0, math.ceil((stop - start) / step))
    return from_places((count,), found, lambda i: _stepped(i.astype(found), each, first))


def _stepped(place: Array, step: Any, first: Any) -> Array:
    scaled = place if step == 1 else place * place.dtype.type(step)
    return scaled if first == 0 else scaled + place.dtype.type(first)


def linspace(start: float, stop: float, num: int = 50, endpoint: bool = True, dtype: npt.DTypeLike = None) -> Array:
    """numpy.linspace"""
    found = np.dtype(np.float64) if dtype is None else as_dtype(dtype)
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    return from_places((num,), found, lambda i: i.astype(found) * found.type(step) + found.type(start))


def eye(N: int, M: int | None = None, k: int = 0, dtype: npt.DTypeLike = float) -> Array:  # noqa: N803 - as in NumPy
    """numpy.eye"""
    found = as_dtype(dtype)
    return from_places((N, N if M is None else M), found, lambda i, j: (j - i == k).astype(found))


def identity(n: int, dtype: npt.DTypeLike = float) -> Array:
    """numpy.identity"""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: npt.DTypeLike = float) -> Array:  # noqa: N803 - as in NumPy
    """numpy.tri"""
    found = as_dtype(dtype)
    return from_places((N, N if M is None else M), found, lambda i, j: (j - i <= k).astype(found))


def tril(m: ArrayLike, k: int = 0) -> Array:
    """numpy.tril"""
    from .elementwise import where

    array = as_array(m)
    return where(tri(array.shape[-2], array.shape[-1], k, np.bool_), array, array.dtype.type(0))


def triu(m: ArrayLike, k: int = 0) -> Array:
    """numpy.triu"""
    from .elementwise import where

    array = as_array(m)
    return where(tri(array.shape[-2], array.shape[-1], k - 1, np.bool_), array.dtype.type(0), array)


def indices(dimensions: Sequence[int], dtype: npt.DTypeLike = PLACE) -> tuple[Array, ...]:
    """numpy.indices, as a tuple, of int32."""
    found, shape = as_dtype(dtype), as_shape(dimensions)
    return tuple(from_places(shape, found, lambda *at, axis=axis: at[axis].astype(found)) for axis in range(len(shape)))


def meshgrid(*xi: ArrayLike, indexing: str = "xy") -> list[Array]:
    """numpy.meshgrid"""
    found = [as_array(each) for each in xi]
    order = list(range(len(found)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(found[each].size for each in order)
    made = []
    for index, each in enumerate(found):
        lying = [1] * len(found)
        lying[order.index(index)] = each.size
        made.append(broadcast_to(reshape(each, lying), shape))
    return made


def roll(a: ArrayLike, shift: Shape, axis: Shape | None = None) -> Array:
    """numpy.roll"""
    array = as_array(a)
    if axis is None:
        return reshape(roll(ravel(array), shift, 0), array.shape)
    shifts, axes = as_shape(shift), [axis_of(each, array.ndim) for each in as_shape(axis)]
    if len(shifts) == 1:
        shifts *= len(axes)
    offsets = [0] * array.ndim
    for each, by in zip(axes, shifts, strict=True):
        offsets[each] += by
    offsets = [-by % size if size else 0 for by, size in zip(offsets, array.shape, strict=True)]
    if not any(offsets):
        return array

    def element(*at: Array) -> Array:
        return array[tuple(_moved(i, by, size) if by else i for i, by, size in zip(at, offsets, array.shape, strict=True))]

    return from_places(array.shape, array.dtype, element)


def _moved(at: Array, by: int, size: int) -> Array:
    """A place of an axis that is a circle."""
    return ((at + by).view(np.uint32) % np.uint32(size)).view(np.int32)


def flip(m: ArrayLike, axis: Shape | None = None) -> Array:
    """numpy.flip"""
    array = as_array(m)
    axes = set(range(array.ndim)) if axis is None else {axis_of(each, array.ndim) for each in as_shape(axis)}

    def element(*at: Array) -> Array:
        return array[
            tuple(size - 1 - i if each in axes else i for each, (i, size) in enumerate(zip(at, array.shape, strict=True)))
        ]

    return from_places(array.shape, array.dtype, element)


def pad(array: ArrayLike, pad_width: Any, mode: str = "constant", constant_values: Scalar = 0) -> Array:
    """numpy.pad, of the modes constant, edge and wrap."""
    source = as_array(array)
    widths = np.broadcast_to(np.asarray(pad_width), (source.ndim, 2)).tolist()
    if mode == "constant":
        return _padded(source, widths, constant_values)
    if mode not in ("edge", "wrap"):
        raise TraceError(f'gpuvm.numpy.pad has no mode "{mode}" (modes: constant, edge, wrap).')
    shape = tuple(low + size + high for size, (low, high) in zip(source.shape, widths, strict=True))

    def element(*at: Array) -> Array:
        places = []
        for i, size, (low, high) in zip(at, source.shape, widths, strict=True):
            if mode == "edge":
                places.append((i - low).clip(0, size - 1) if low or high else i)
            else:
                places.append(_moved(i, -low % size, size) if low or high else i)
        return source[tuple(places)]

    return from_places(shape, source.dtype, element)


def _padded(source: Array, widths: list[list[int]], number: Scalar) -> Array:
    value = source._value
    shape = tuple(low + size + high for size, (low, high) in zip(source.shape, widths, strict=True))
    lows, highs = [low for low, _ in widths], [high for _, high in widths]
    block = ElementBlock(current().stage(), "pad")
    block.args = [Value(block, "index", (), "scalar") for _ in shape]
    text = literal(number, source.dtype) + ("" if value.element == "i1" else f" : {value.element}")
    made = Value(block, value.element, (), "scalar")
    block.add(Op([f"arith.constant {text}"], [made], place()))
    block.add(Op(["tensor.yield ", made, f" : {value.element}"], [], place(), has_effects=True))
    parts: list[Any] = [
        "tensor.pad ",
        value,
        f" low{lows} high{highs} ",
        block,
        f" : {value.type} to {tensor(shape, value.element)}",
    ]
    return Array(emit_one(parts, value.element, shape), source.dtype)
