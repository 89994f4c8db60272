"""Operations of the dialect that NumPy does not have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from .array import Array, ArrayLike, as_array, as_operand
from .dtypes import PLACE, as_dtype, element_of
from .elementwise import astype, value_of
from .emission import emit, emit_one
from .ir import Value, tensor
from .ordering import sort_together
from .reductions import combine, scan_rows
from .shapes import axis_of, moveaxis


def _listed(values: Sequence[Value]) -> list[Any]:
    parts: list[Any] = []
    for index, value in enumerate(values):
        parts += [", ", value] if index else [value]
    return parts


def _types(values: Sequence[Value]) -> str:
    return ", ".join(value.type for value in values)


def _places(x: ArrayLike) -> Array:
    """Whole numbers, as int32."""
    array = as_array(x)
    if array.dtype.kind not in "iu":
        raise TraceError(f"Whole numbers are wanted, not {array.dtype}.")
    return astype(array, PLACE)


# --- Rows whose number the device finds -------------------------------------------------


def compact(*arrays: ArrayLike, where: ArrayLike, size: int | None = None) -> tuple[Array, ...]:
    """The elements for which `where` is true, in their order: the first ones of an array, and how many they are.

    The arrays have one dimension and the length of `where`, results that length or `size`; what they hold after the
    count is not said. `bounded` makes an array of the count of rows of them.
    """
    found = [as_array(each) for each in arrays]
    mask = as_array(where)
    if mask.dtype.kind != "b" or mask.ndim != 1:
        raise TraceError(f"compact is where a bool of one dimension is true, not {mask.dtype} of the shape {mask.shape}.")
    count = mask.shape[0] if size is None else size
    values = [each._value for each in found]
    results = [(value.element, (count,)) for value in values]
    types = ", ".join(tensor(shape, element) for element, shape in results)
    text = f" : ({_types([*values, mask._value])}) -> ({types}, tensor<i32>)"
    made = emit(["gpuvm.compact ", *_listed(values), " where ", mask._value, text], [*results, ("i32", ())], "tensor")
    return (*(Array(value, each.dtype) for value, each in zip(made, found, strict=False)), Array(made[-1], PLACE))


def bounded(x: ArrayLike, count: ArrayLike) -> Array:
    """The first `count` rows of an array. More than it has end the execution with ExcessError."""
    array = as_array(x)
    if not array.ndim:
        raise TraceError("An array without dimensions has no rows.")
    number = value_of(as_operand(count), PLACE, ())
    value = array._value
    made = Value(value.block, value.element, value.shape, "bounded")
    text = f"] : {value.type} -> {made.type}"
    return Array(emit_one(["gpuvm.bounded ", value, "[", number, text], value.element, value.shape, "bounded"), array.dtype)


def count(x: ArrayLike) -> Array:
    """How many rows a bounded array has, of int32."""
    value = _bounded(x)._value
    return Array(emit_one(["gpuvm.count ", value, f" : {value.type}"], "i32", (), "tensor"), PLACE)


def filled(x: ArrayLike, element: ArrayLike = 0) -> Array:
    """A bounded array with as many rows as it may have: `element` is after those that are there."""
    array = _bounded(x)
    value = array._value
    fill = value_of(as_operand(element), array.dtype, ())
    made = tensor(value.shape, value.element)
    text = f" : {value.type}, {fill.type} -> {made}"
    return Array(emit_one(["gpuvm.filled ", value, " with ", fill, text], value.element, value.shape, "tensor"), array.dtype)


def _bounded(x: ArrayLike) -> Array:
    array = as_array(x)
    if array._value.form != "bounded":
        raise TraceError("The array has a fixed number of rows: this is of what gpuvm.ops.bounded gives, and of gpuvm.Bounded.")
    return array


def expand(counts: ArrayLike, size: int) -> tuple[Array, Array, Array]:
    """Each row as often as its count says: rows, the number within the row, and how many places that are; of `size` places."""
    value = _places(counts)._value
    made = tensor((size,), "i32")
    results = [("i32", (size,)), ("i32", (size,)), ("i32", ())]
    rows, ordinals, total = emit(["gpuvm.expand ", value, f" : {value.type} -> {made}, {made}"], results, "tensor")
    return Array(rows, PLACE), Array(ordinals, PLACE), Array(total, PLACE)


def distinct(*keys: ArrayLike, size: int | None = None) -> tuple[Array, Array, Array]:
    """Equal keys, numbered in their order: the number of each row, for each number its first row, and how many there are."""
    values = [as_array(key)._value for key in keys]
    shape = values[0].shape
    few = (shape[0] if size is None else size,)
    text = f" : {_types(values)} -> {tensor(shape, 'i32')}, {tensor(few, 'i32')}"
    results = [("i32", shape), ("i32", few), ("i32", ())]
    numbers, rows, total = emit(["gpuvm.distinct ", *_listed(values), text], results, "tensor")
    return Array(numbers, PLACE), Array(rows, PLACE), Array(total, PLACE)


def match(keys: ArrayLike | tuple[ArrayLike, ...], table: ArrayLike | tuple[ArrayLike, ...]) -> tuple[Array, Array, Array]:
    """For each key the rows of a table that have it: order[first[i]] to order[first[i] + counts[i] - 1]."""
    left = [as_array(key)._value for key in (keys if isinstance(keys, tuple) else (keys,))]
    right = [as_array(key)._value for key in (table if isinstance(table, tuple) else (table,))]
    shapes = [left[0].shape, left[0].shape, right[0].shape]
    types = ", ".join(tensor(shape, "i32") for shape in shapes)
    text = f" : ({_types(left)}), ({_types(right)}) -> {types}"
    made = emit(["gpuvm.match ", *_listed(left), " in ", *_listed(right), text], [("i32", shape) for shape in shapes], "tensor")
    first, counts, order = (Array(value, PLACE) for value in made)
    return first, counts, order


# --- Combining rows ---------------------------------------------------------------------


def scan(
    function: Callable[..., Any],
    *arrays: ArrayLike,
    axis: int = 0,
    exclusive: ArrayLike | Sequence[ArrayLike] | None = None,
    segments: ArrayLike | None = None,
    reverse: bool = False,
) -> Any:
    """Each element combined with all before it along an axis.

    `function` takes what comes before and the next element, of each array, and is associative. `exclusive`: what comes
    before the first one, of each array; element i is then without itself. `segments`: a bool for each element, true where
    another row begins. `reverse`: from the last one on.
    """
    found = [as_array(each) for each in arrays]
    options: list[Any] = []
    if exclusive is not None:
        starts = list(exclusive) if isinstance(exclusive, (tuple, list)) else [exclusive]
        values = [value_of(as_operand(each), array.dtype, ()) for each, array in zip(starts, found, strict=True)]
        options += [" exclusive(", *_listed(values), ")"]
    if segments is not None:
        options += [" segments(", as_array(segments)._value, ")"]
    if reverse:
        options.append(" reverse")
    made = scan_rows(found, axis_of(axis, found[0].ndim), function, options)
    return made[0] if len(made) == 1 else tuple(made)


def segment_reduce(
    function: Callable[..., Any], *arrays: ArrayLike, offsets: ArrayLike, initial: ArrayLike | Sequence[ArrayLike]
) -> Any:
    """Segment i of rows, offsets[i] to offsets[i + 1] - 1, combined by an associative function, beginning with `initial`."""
    found = [as_array(each) for each in arrays]
    bounds = _places(offsets)._value
    starts = list(initial) if isinstance(initial, (tuple, list)) else [initial]
    first = [value_of(as_operand(each), array.dtype, ()) for each, array in zip(starts, found, strict=True)]
    values = [each._value for each in found]
    results = [(value.element, (bounds.shape[0] - 1, *value.shape[1:])) for value in values]
    arrow = ", ".join(tensor(shape, element) for element, shape in results)
    region = combine([each.dtype for each in found], function)
    text = f" : ({_types([*values, bounds, *first])}) -> {arrow if len(results) == 1 else f'({arrow})'} "
    parts = ["gpuvm.segment_reduce ", *_listed(values), " by ", bounds, " from ", *_listed(first), text, region]
    made = emit(parts, results, "tensor")
    arrays_ = [Array(value, each.dtype) for value, each in zip(made, found, strict=True)]
    return arrays_[0] if len(arrays_) == 1 else tuple(arrays_)


def scatter(positions: ArrayLike, *updates: tuple[str, ArrayLike, ArrayLike]) -> Any:
    """Several updates of rows at the same positions: a rule, the updates, and the array that is updated, each.

    Rules: "add", "min", "max", "and", "or", "xor", "last". `x.at[positions].add(values)` is one of them.
    """
    places = _places(positions)
    rules, values, initials = [], [], []
    for rule, update, initial in updates:
        target = as_array(initial)
        rules.append(rule + ("u" if rule in ("min", "max") and target.dtype.kind == "u" else ""))
        initials.append(target)
        values.append(value_of(as_operand(update), target.dtype, places.shape + target.shape[1:]))
    kept = [each._value for each in initials]
    operands = [*values, places._value, *kept]
    arrow = _types(kept)
    text = f" : ({_types(operands)}) -> {arrow if len(kept) == 1 else f'({arrow})'}"
    parts = [f"gpuvm.scatter {', '.join(rules)} ", *_listed(values), " at ", places._value, " into ", *_listed(kept), text]
    made = emit(parts, [(value.element, value.shape) for value in kept], "tensor")
    arrays = [Array(value, each.dtype) for value, each in zip(made, initials, strict=True)]
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def histogram2d(rows: ArrayLike, columns: ArrayLike, shape: tuple[int, int]) -> Array:
    """How often each pair of two numbers occurs, of int32; pairs outside are not counted."""
    left, right = _places(rows)._value, _places(columns)._value
    text = f" : {left.type} -> {tensor(shape, 'i32')}"
    return Array(emit_one(["gpuvm.histogram2d ", left, ", ", right, text], "i32", tuple(shape), "tensor"), PLACE)


def sort(
    *keys: ArrayLike,
    payloads: Sequence[ArrayLike] = (),
    descending: bool | Sequence[bool] = False,
    places: bool = False,
    axis: int = -1,
) -> Any:
    """Rows in the order of several keys, stable, with what moves with them: keys, payloads, and where they came from."""
    columns = [as_array(key) for key in keys]
    at = axis_of(axis, columns[0].ndim)
    moved = [moveaxis(each, at, -1) for each in columns]
    others = [moveaxis(as_array(each), at, -1) for each in payloads]
    flags = [descending] * len(columns) if isinstance(descending, bool) else list(descending)
    made = [moveaxis(each, -1, at) for each in sort_together(moved, others, flags, places)]
    return made[0] if len(made) == 1 else tuple(made)


# --- Attention, packed data, regulators ---------------------------------------------------


def attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    keys: ArrayLike | None = None,
    first: ArrayLike | None = None,
    scale: float | None = None,
    cap: float | None = None,
    causal: bool = False,
    window: int | None = None,
) -> Array:
    """Softmax of scaled products of queries (H x Q x D) and keys (G x S x D), times values (G x S x E); H is a multiple of G.

    keys: how many of the S rows are keys. first: the position of the first query; without, the queries are the last keys.
    scale: 1 / sqrt(D), if none is given. cap: scores s become cap * tanh(s / cap). causal: a query sees keys up to its
    position; window: and only so many.
    """
    arrays = [as_array(each) for each in (query, key, value)]
    if any(each.ndim != 3 for each in arrays):
        shapes = ", ".join(str(each.shape) for each in arrays)
        raise TraceError(f"attention takes arrays of three dimensions, not of the shapes {shapes}.")
    values = [each._value for each in arrays]
    parts: list[Any] = ["gpuvm.attention ", *_listed(values)]
    types = list(values)
    if keys is not None:
        many = value_of(as_operand(keys), PLACE, as_array(keys).shape if isinstance(keys, Array) else ())
        parts += [" keys(", many, ")"]
        types.append(many)
    if first is not None:
        start = value_of(as_operand(first), PLACE, as_array(first).shape if isinstance(first, Array) else ())
        parts += [" first(", start, f" : {start.type})"]
    factor = 1 / math.sqrt(arrays[0].shape[2]) if scale is None else scale
    parts.append(f" scale {_real(factor)}" + ("" if cap is None else f" cap {_real(cap)}") + (" causal" if causal else ""))
    shape = (*arrays[0].shape[:2], arrays[2].shape[2])
    made = tensor(shape, values[0].element)
    parts.append(("" if window is None else f" window {window}") + f" : {_types(types)} -> {made}")
    return Array(emit_one(parts, values[0].element, shape, "tensor"), arrays[0].dtype)


def _real(number: float) -> str:
    return f"{float(number):.17e}"


def regulate(measure: ArrayLike, towards: float, between: tuple[float, float]) -> tuple[Array, Array]:
    """By how much to scale what is outside of two bounds so that it comes to a target, and 1 where it is inside."""
    array = as_array(measure)
    value = array._value
    stable = tensor(array.shape, "i32")
    low, high = between
    text = f" towards {_real(towards)} between {_real(low)} and {_real(high)} : {value.type}, {stable}"
    factor, is_stable = emit(["gpuvm.regulate ", value, text], [(value.element, array.shape), ("i32", array.shape)], "tensor")
    return Array(factor, array.dtype), Array(is_stable, PLACE)


def running_mean(mean: ArrayLike, seen: ArrayLike, value: ArrayLike) -> tuple[Array, Array]:
    """The mean of one value more, and of how many it is; a value that is no number is left out."""
    old = as_array(mean)
    number = value_of(as_operand(seen), PLACE, old.shape)
    new = value_of(as_operand(value), old.dtype, old.shape)
    text = f" : {old._value.type}, {number.type}"
    parts: list[Any] = ["gpuvm.running_mean ", old._value, ", ", number, " with ", new, text]
    made, count_ = emit(parts, [(old._value.element, old.shape), ("i32", old.shape)], "tensor")
    return Array(made, old.dtype), Array(count_, PLACE)


class PackedArray:
    """Packed data of a program, which `decode` makes an array of, element by element where it is read."""

    def __init__(self, value: Value, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        """Made by gpuvm only."""
        self._value = value
        self.shape = shape
        self.dtype = dtype


def decode(packed: PackedArray) -> Array:
    """The array that packed data stands for."""
    if not isinstance(packed, PackedArray):
        raise TraceError("decode takes packed data: an argument that is annotated with gpuvm.Packed(...).")
    element = element_of(packed.dtype)
    text = f" : {packed._value.type} -> {tensor(packed.shape, element)}"
    return Array(emit_one(["gpuvm.decode ", packed._value, text], element, packed.shape, "tensor"), packed.dtype)


def packed_type(codec: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> str:
    """As MLIR writes it."""
    return f"!gpuvm.packed<{codec}, {'x'.join(map(str, shape))}x{element_of(as_dtype(dtype))}>"
