"""Elements by their places: slices, rows that the device picks, and arrays with other elements in some places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..errors import TraceError
from .array import Array, ArrayLike, as_array, as_operand
from .dtypes import PLACE, Scalar
from .elements import extract, map_elements
from .elementwise import add, astype, broadcast_shapes, less, value_of, where
from .emission import current, emit_one, form_of
from .ir import tensor
from .shapes import axis_of, broadcast_to, fixed, flip, moveaxis, ravel, reshape

_RULES: Final = {"add": "add", "min": "min", "max": "max", "and_": "and", "or_": "or", "xor": "xor", "set": "last"}


def get(array: Array, index: Any) -> Array:
    """`array[index]`"""
    items = index if isinstance(index, tuple) else (index,)
    if not items and not array.ndim:
        return as_array(array)
    if form_of(current().stage()) == "scalar":
        return _element(array, items)
    if any(_is_array(item) for item in items):
        return _gather(array, items)
    return _slice(array, items)


def _is_array(item: Any) -> bool:
    return isinstance(item, (Array, np.ndarray, list))


def _element(array: Array, items: tuple[Any, ...]) -> Array:
    """In the body for an element."""
    if len(items) != array.ndim:
        raise TraceError(
            f"An array of the shape {array.shape} has {array.ndim} indices in a function of gpuvm.map, not {len(items)}."
        )
    places: list[Array | Scalar] = []
    for item, size in zip(items, array.shape, strict=True):
        place = as_operand(item) if not isinstance(item, (slice, type(None), type(Ellipsis))) else None
        if place is None:
            raise TraceError("In a function of gpuvm.map an index is a number: x[i, j].")
        places.append(place if isinstance(place, Array) else _static(int(place), size))
    return extract(array, places)


def _static(item: int, size: int) -> int:
    if not -size <= item < size:
        raise TraceError(f"Index {item} is out of bounds for a dimension of {size}.")
    return item % size


def _spelled(array: Array, items: tuple[Any, ...]) -> list[Any]:
    """An item for each dimension and each new one, without an ellipsis."""
    count = sum(item is not None and item is not Ellipsis for item in items)
    if count > array.ndim:
        raise TraceError(f"An array of the shape {array.shape} has {array.ndim} indices, not {count}.")
    rest = [slice(None)] * (array.ndim - count)
    for at, item in enumerate(items):
        if item is Ellipsis:
            return [*items[:at], *rest, *items[at + 1 :]]
    return [*items, *rest]


def _slice(array: Array, items: tuple[Any, ...]) -> Array:
    array = fixed(array)
    offsets, sizes, steps, shape, kept, flipped = [], [], [], [], [], []
    dimensions = iter(array.shape)
    for item in _spelled(array, items):
        if item is None:
            shape.append(1)
            continue
        size = next(dimensions)
        if isinstance(item, slice):
            start, stop, step = _bounds(item, size)
            count = len(range(start, stop, step))
            if step < 0:
                start, step = start + (count - 1) * step, -step
                flipped.append(len(shape))
            shape.append(count)
            kept.append(count)
        else:
            start, count, step = _static(_whole(item), size), 1, 1
        offsets.append(start)
        sizes.append(count)
        steps.append(step)
    made = reshape(_extracted(array, offsets, sizes, steps, tuple(kept)), shape)
    return flip(made, flipped) if flipped else made


def _whole(item: Any) -> int:
    try:
        return int(item.__index__())
    except AttributeError:
        raise TraceError(f"{item!r} is no index.") from None


def _bounds(item: slice, size: int) -> tuple[int, int, int]:
    for each in (item.start, item.stop, item.step):
        if isinstance(each, Array):
            raise TraceError(
                "The bounds of a slice are numbers of Python; gnp.take(x, start + gnp.arange(n)) takes n rows from `start` on."
            )
    return item.indices(size)


def _extracted(array: Array, offsets: list[int], sizes: list[int], steps: list[int], kept: tuple[int, ...]) -> Array:
    if tuple(sizes) == array.shape == kept and all(step == 1 for step in steps):
        return array
    value = array._value
    if 0 in sizes:
        raise TraceError(f"The slice of the shape {array.shape} has no elements.")
    types = f"{offsets} {sizes} {steps} : {value.type} to {tensor(kept, value.element)}"
    return Array(emit_one(["tensor.extract_slice ", value, types], value.element, kept), array.dtype)


# --- Rows that the device picks ------------------------------------------------------------


def _place_of(item: ArrayLike, size: int) -> Array:
    """A place of an axis, counted from its end where it is negative."""
    if isinstance(item, (list, np.ndarray)):
        host = np.asarray(item)
        if host.dtype.kind == "b":
            raise TraceError("A mask picks as many elements as the device finds: use gpuvm.ops.compact, or gnp.where.")
        if host.size and not (-size <= host.min() and host.max() < size):
            raise TraceError(
                f"Index {int(host.max() if host.max() >= size else host.min())} is out of bounds for a dimension of {size}."
            )
        return as_array(np.where(host < 0, host + size, host).astype(PLACE))
    array = as_array(item)
    if array.dtype.kind == "b":
        raise TraceError("A mask picks as many elements as the device finds: use gpuvm.ops.compact, or gnp.where.")
    if array.dtype.kind not in "iu":
        raise TraceError(f"An index is a whole number, not one of {array.dtype}.")
    place = astype(array, PLACE)
    return place if array.dtype.kind == "u" else where(less(place, 0), add(place, size), place)


def gather_rows(array: Array, places: Array) -> Array:
    """Slices of the leading dimension; places outside are the first or the last one."""
    shape = places.shape + array.shape[1:]
    source, rows = array._value, places._value
    types = f"] : {source.type}, {rows.type} -> {tensor(shape, source.element)}"
    return Array(emit_one(["gpuvm.gather ", source, "[", rows, types], source.element, shape), array.dtype)


def take(a: ArrayLike, indices: ArrayLike, axis: int | None = None) -> Array:
    """numpy.take; a place outside is the nearest one."""
    array = ravel(a) if axis is None else as_array(a)
    at = axis_of(axis or 0, array.ndim)
    places = _place_of(indices, array.shape[at])
    if at == 0:
        return gather_rows(array, places)
    rows = gather_rows(moveaxis(array, at, 0), places)
    for _ in range(places.ndim):
        rows = moveaxis(rows, 0, at + places.ndim - 1)
    return rows


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int = -1) -> Array:
    """numpy.take_along_axis"""
    array = as_array(arr)
    at = axis_of(axis, array.ndim)
    places = _place_of(indices, array.shape[at])
    grid = [
        np.arange(size, dtype=PLACE).reshape([-1 if i == axis_ else 1 for i in range(array.ndim)])
        for axis_, size in enumerate(array.shape)
    ]
    items: list[Any] = [*grid]
    items[at] = places
    return _read(array, [as_array(item) for item in items])


def _gather(array: Array, items: tuple[Any, ...]) -> Array:
    spelled = _spelled(array, items)
    if any(item is None for item in spelled):
        raise TraceError("An index of arrays has no new axes: use reshape.")
    picked = [at for at, item in enumerate(spelled) if not isinstance(item, slice)]
    full = [at for at, item in enumerate(spelled) if isinstance(item, slice)]
    if any(spelled[at] != slice(None) for at in full):
        array = _slice(array, tuple(item if isinstance(item, slice) else slice(None) for item in spelled))
        spelled = [slice(None) if isinstance(item, slice) else item for item in spelled]
    if len(picked) == 1:
        return take(array, spelled[picked[0]], axis=picked[0])
    if picked != list(range(len(picked))):
        raise TraceError("Arrays as indices stand before slices here: move the axes first.")
    places = [_place_of(spelled[at], array.shape[at]) for at in picked]
    return _read(array, places)


def _read(array: Array, places: Sequence[Array]) -> Array:
    """The elements, or slices, at places of the leading dimensions."""
    shape = broadcast_shapes(*(place.shape for place in places))
    rest = array.shape[len(places) :]
    if not rest:
        return map_elements(lambda *at: get(array, at), [broadcast_to(place, shape) for place in places], shape)[0]
    flat, stride = reshape(array, (-1, *rest)), 1
    place: Array | None = None
    for each, size in zip(reversed(places), reversed(array.shape[: len(places)]), strict=True):
        place = each * stride if place is None else place + each * stride
        stride *= size
    assert place is not None
    return gather_rows(flat, place)


# --- Arrays with other elements in some places ------------------------------------------------


class At:
    """`x.at[i]`: `set`, `add`, `min`, `max`, `and_`, `or_` and `xor` give an array with other elements there.

    The rows of a leading dimension by an array of places: those outside are left out, and several that meet are combined;
    of `set`, the last one counts. A fixed index or slice takes `set` and `add`.
    """

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, index: Any) -> Places:
        return Places(self._array, index)


class Places:
    """Places of an array."""

    def __init__(self, array: Array, index: Any) -> None:
        self._array = array
        self._index = index

    def set(self, values: ArrayLike) -> Array:
        """With these elements there."""
        return self._update("set", values)

    def add(self, values: ArrayLike) -> Array:
        """With these added there."""
        return self._update("add", values)

    def min(self, values: ArrayLike) -> Array:
        """With the least of both."""
        return self._update("min", values)

    def max(self, values: ArrayLike) -> Array:
        """With the greatest of both."""
        return self._update("max", values)

    def and_(self, values: ArrayLike) -> Array:
        """With the bits of both."""
        return self._update("and_", values)

    def or_(self, values: ArrayLike) -> Array:
        """With the bits of any."""
        return self._update("or_", values)

    def xor(self, values: ArrayLike) -> Array:
        """With the bits of one."""
        return self._update("xor", values)

    def _update(self, rule: str, values: ArrayLike) -> Array:
        if _is_array(self._index):
            return scatter(_RULES[rule], values, self._index, self._array)
        if isinstance(self._index, tuple) and any(_is_array(item) for item in self._index):
            return _scatter_at(_RULES[rule], values, self._index, self._array)
        if rule not in ("set", "add"):
            raise TraceError(f"x.at[...].{rule} takes places of an array; a fixed index takes set and add.")
        return _insert(self._array, self._index, values, rule == "add")


def scatter(rule: str, values: ArrayLike, positions: ArrayLike, initial: Array) -> Array:
    """gpuvm.scatter of one update."""
    places = as_array(positions)
    if places.dtype.kind not in "iu":
        raise TraceError(f"An index is a whole number, not one of {places.dtype}.")
    places = astype(places, PLACE)
    if not places.ndim:
        places = reshape(places, (1,))
        values = reshape(as_array(values), (1, *as_array(values).shape)) if isinstance(values, (Array, np.ndarray)) else values
    if rule in ("min", "max") and initial.dtype.kind == "u":
        rule += "u"
    value = value_of(as_operand(values), initial.dtype, places.shape + initial.shape[1:])
    operands = [value, places._value, initial._value]
    types = f" : ({', '.join(each.type for each in operands)}) -> {initial._value.type}"
    parts: list[Any] = [f"gpuvm.scatter {rule} ", operands[0], " at ", operands[1], " into ", operands[2], types]
    return Array(emit_one(parts, initial._value.element, initial.shape), initial.dtype)


def _scatter_at(rule: str, values: ArrayLike, index: tuple[Any, ...], array: Array) -> Array:
    """Of several leading dimensions, as of one."""
    count = len(index)
    if any(isinstance(item, slice) or item is None or item is Ellipsis for item in index):
        raise TraceError("x.at[...] takes places of leading dimensions, or a fixed index or slice.")
    places = [as_array(item).astype(PLACE) for item in index]
    sizes = array.shape[:count]
    inside = (places[0] >= 0) & (places[0] < sizes[0])
    place = places[0]
    for each, size in zip(places[1:], sizes[1:], strict=True):
        inside = inside & (each >= 0) & (each < size)
        place = place * size + each
    flat = reshape(array, (-1, *array.shape[count:]))
    return reshape(scatter(rule, values, where(inside, place, PLACE.type(-1)), flat), array.shape)


def _insert(array: Array, index: Any, values: ArrayLike, adds: bool) -> Array:
    """At a fixed index or slice."""
    items = _spelled(array, index if isinstance(index, tuple) else (index,))
    if any(item is None for item in items):
        raise TraceError("x.at[...] has no new axes.")
    bounds = [
        _bounds(item, size) if isinstance(item, slice) else (_static(_whole(item), size), 0, 1)
        for item, size in zip(items, array.shape, strict=True)
    ]
    if any(step < 0 for _, _, step in bounds):
        raise TraceError("x.at[...] takes slices with positive steps.")
    counts = [len(range(*bound)) if isinstance(item, slice) else 1 for item, bound in zip(items, bounds, strict=True)]
    kept = tuple(count for item, count in zip(items, counts, strict=True) if isinstance(item, slice))
    operand = add(get(array, tuple(items)), values) if adds else values
    update = value_of(as_operand(operand), array.dtype, kept)
    place = f"{[start for start, _, _ in bounds]} {counts} {[step for _, _, step in bounds]}"
    target = array._value
    parts: list[Any] = ["tensor.insert_slice ", update, " into ", target, f"{place} : {update.type} into {target.type}"]
    return Array(emit_one(parts, target.element, array.shape), array.dtype)
