"""Bodies that are run for each element: linalg.generic, with tables that are read at any place, and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import TraceError
from .array import Array, ArrayLike, as_operand
from .dtypes import PLACE, DType, Scalar, element_of
from .elementwise import astype, bounded_of, value_of
from .emission import common_dtype, constant, current, emit, emit_one, empty, form_of, index_constant
from .frames import name_arguments, place
from .ir import Block, Definition, ElementBlock, Op, Value, use


def _letter(axis: int) -> str:
    """Of a dimension in maps, and of the place along it."""
    return "ijklmnopq"[axis] if axis < 9 else f"d{axis}"


def _identity(ndim: int) -> str:
    return "(" + ", ".join(_letter(axis) for axis in range(ndim)) + ")"


def _map_of(shape: tuple[int, ...], target: tuple[int, ...]) -> str:
    """How an operand lies in the elements, by NumPy's rule."""
    skipped = len(target) - len(shape)
    at = [_letter(axis + skipped) if size != 1 or target[axis + skipped] == 1 else "0" for axis, size in enumerate(shape)]
    return "(" + ", ".join(at) + ")"


def in_element() -> bool:
    """Whether the user's code is run for an element."""
    return form_of(current().stage()) == "scalar"


def map_elements(
    function: Callable[..., Any], arrays: Sequence[Array], shape: tuple[int, ...], dtypes: Sequence[DType] | None = None
) -> list[Array]:
    """Arrays of what `function` makes of the places of an element (where there are `dtypes`) or of elements of `arrays`."""
    trace = current()
    if in_element():
        raise TraceError("A function of gpuvm.map is run for each element already: gpuvm.map cannot stand in it.")
    outer = trace.stage()
    block = ElementBlock(outer, getattr(function, "__name__", "map"))
    where = place()
    inputs = [use(array._value, outer) for array in arrays]
    elements = [
        Array(block.add_input(value, _map_of(value.shape, shape)), array.dtype)
        for array, value in zip(arrays, inputs, strict=True)
    ]
    name_arguments(function, [each._value for each in elements])
    finished = _run(block, function, elements, shape, dtypes)
    results = [element_of(each.dtype) for each in finished]
    like = bounded_of(arrays)
    outs = [_rows_like(like, each.dtype) if like else empty(element_of(each.dtype), shape) for each in finished]
    block.args = [argument for argument, _, _ in block.inputs] + [
        Value(block, element, (), "scalar", "unused") for element in results
    ]
    dims = _identity(len(shape))
    maps = [f"affine_map<{dims} -> {map_}>" for _, _, map_ in block.inputs] + [f"affine_map<{dims} -> {dims}>"] * len(outs)
    kinds = ", ".join(['"parallel"'] * len(shape))
    parts: list[Any] = [f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}"]
    if block.inputs:
        parts += [" ins(", *_listed([outer for _, outer, _ in block.inputs]), ")"]
    parts += [" outs(", *_listed(outs), ") ", block, f" -> {_tuple([out.type for out in outs])}"]
    values = emit(parts, [(element, shape) for element in results], "bounded" if like else "tensor")
    for value in values:
        value.hint = value.hint or (where.names[0] if len(where.names) == 1 == len(values) else "")
    return [Array(value, each.dtype) for value, each in zip(values, finished, strict=True)]


def _rows_like(like: Array, dtype: DType) -> Value:
    """Something of the type of a result with as many rows."""
    return astype(like, dtype)._value


def _listed(values: Sequence[Value]) -> list[Any]:
    parts: list[Any] = []
    for index, value in enumerate(values):
        parts += [", ", value] if index else [value]
    return [*parts, " : " + ", ".join(value.type for value in values)]


def _tuple(types: Sequence[str]) -> str:
    return types[0] if len(types) == 1 else f"({', '.join(types)})"


def _run(
    block: ElementBlock,
    function: Callable[..., Any],
    elements: list[Array],
    shape: tuple[int, ...],
    dtypes: Sequence[DType] | None,
) -> list[Array]:
    """The body, and what it yields."""
    with current().inside(block):
        made = function(*_places(len(shape))) if dtypes is not None else function(*elements)
        listed = list(made) if isinstance(made, (tuple, list)) else [made]
        if dtypes is not None:
            finished = [astype(each, dtype) for each, dtype in zip(listed, dtypes, strict=True)]
        else:
            finished = [_as_number(each) for each in listed]
        yielded = [use(each._value, block) for each in finished]
        block.add(Op(["linalg.yield ", *_listed(yielded)], [], place(), has_effects=True))
    return finished


def _as_number(value: Any) -> Array:
    operand = as_operand(value)
    if isinstance(operand, Array):
        if operand.shape:
            raise TraceError(
                f"A function of gpuvm.map gives a number for each element, not an array of the shape {operand.shape}."
            )
        return operand
    dtype = common_dtype([operand])
    return Array(constant(operand, dtype, ()), dtype)


def _places(count: int) -> list[Array]:
    """Of the element, along each dimension."""
    return [Array(place_of_element(axis), PLACE) for axis in range(count)]


def place_of_element(axis: int) -> Value:
    block = current().block.root()
    key = ("place", axis)
    if key not in block.known:
        index = Value(block, "index", (), "scalar", "")
        number = Value(block, element_of(PLACE), (), "scalar", _letter(axis))
        block.constants.append(Op([f"linalg.index {axis} : index"], [index], place()))
        block.constants.append(Op(["arith.index_cast ", index, " : index to i32"], [number], place()))
        block.known[key] = number
        block.known[("index of", id(number))] = index
    return block.known[key]


# --- Reading a tensor at a place ---------------------------------------------------------


def index_of(item: Array | Scalar) -> Value:
    """A place, as a number of type index."""
    if not isinstance(item, Array):
        return index_constant(int(item))
    root = current().block.root()
    known = root.known.get(("index of", id(item._value)))
    if known is not None:
        return known
    if item.dtype.kind not in "iu":
        raise TraceError(f"An index is a whole number, not one of {item.dtype}.")
    op = "arith.index_castui" if item.dtype.kind == "u" else "arith.index_cast"
    return emit_one([f"{op} ", item._value, f" : {item._value.type} to index"], "index", ())


def extract(table: Array, at: Sequence[Array | Scalar]) -> Array:
    """An element of a tensor, in the body for an element."""
    places = [index_of(each) for each in at]
    value = table._value
    parts: list[Any] = ["tensor.extract ", value, "["]
    for index, each in enumerate(places):
        parts += [", ", each] if index else [each]
    return Array(emit_one([*parts, f"] : {value.type}"], value.element, ()), table.dtype)


# --- Loops ------------------------------------------------------------------------------


def carried(state: Sequence[ArrayLike]) -> list[Array]:
    """Numbers that a loop begins with."""
    return [_as_number(each) for each in state]


def _next(made: Any, state: Sequence[Array], what: str) -> list[Array]:
    """What a body gives, in the types with which the loop began."""
    listed = list(made) if isinstance(made, (tuple, list)) else [made]
    if len(listed) != len(state):
        raise TraceError(f"The body of {what} gives {len(listed)} values, and the loop has {len(state)}.")
    found = []
    for each, old in zip(listed, state, strict=True):
        operand = as_operand(each)
        if isinstance(operand, Array) and operand.dtype != old.dtype:
            name = f' "{old._value.hint}"' if old._value.hint else ""
            raise TraceError(f"The value{name} of {what} begins as {old.dtype}, and its body gives {operand.dtype} (see astype).")
        found.append(Array(value_of(operand, old.dtype, old.shape), old.dtype))
    return found


@dataclass(frozen=True)
class Until:
    """What the body of a loop returns when it may end it."""

    condition: ArrayLike
    state: tuple[Any, ...]


def repeat(times: int, body: Callable[..., Any], state: list[Array], with_iteration: bool) -> list[Array]:
    """scf.for over the numbers below `times`, or scf.while if the body may end it."""
    around = current().block
    block = Block("loop", around, "gpuvm.repeat")
    counter, number = Value(block, "index", (), "scalar", "k"), Value(block, "i32", (), "scalar", "iteration")
    block.root().known[("index of", id(number))] = counter
    arguments = [_like(block, each) for each in state]
    name_arguments(body, [each._value for each in arguments], int(with_iteration))
    with current().inside(block):
        made = body(*([Array(number, PLACE)] if with_iteration else []), *arguments)
        values = _next(made.state if isinstance(made, Until) else made, state, "gpuvm.repeat")
        next_ = [use(each._value, block) for each in values]
        if not isinstance(made, Until):
            _end(block, next_)
        else:
            goes = _not(_as_number(made.condition))
            one = use(constant(1, PLACE, ()), block)
            more = emit_one(["arith.addi ", number, ", ", one, " : i32"], "i32", ())
            _end(block, [more, use(goes._value, block), *next_])
    if isinstance(made, Until):
        block.ops.insert(0, Op(["arith.index_cast ", number, " : i32 to index"], [counter], place()))
        return _emit_until(block, number, times, arguments, state)
    if with_iteration:
        block.ops.insert(0, Op(["arith.index_cast ", counter, " : index to i32"], [number], place()))
    return _emit_for(block, counter, times, arguments, state)


def _like(block: Block, array: Array) -> Array:
    return Array(Value(block, array._value.element, (), "scalar", array._value.hint), array.dtype)


def _end(block: Block, values: Sequence[Value]) -> None:
    block.add(Op(["scf.yield ", *_listed(values)], [], place(), has_effects=True))


def _not(test: Array) -> Array:
    if test.dtype.kind != "b":
        raise TraceError(f"gpuvm.until takes a bool, not {test.dtype}.")
    return ~test


def _emit_for(block: Block, counter: Value, times: int, arguments: list[Array], state: list[Array]) -> list[Array]:
    zero, end, step = index_constant(0), index_constant(times), index_constant(1)
    parts: list[Any] = ["scf.for ", Definition(counter), " = ", zero, " to ", end, " step ", step, " iter_args("]
    for index, (argument, initial) in enumerate(zip(arguments, state, strict=True)):
        parts += [", " if index else "", Definition(argument._value), " = ", initial._value]
    types = ", ".join(each._value.type for each in state)
    parts += [f") -> ({types}) ", block]
    values = emit(parts, [(each._value.element, ()) for each in state])
    return [Array(value, each.dtype) for value, each in zip(values, state, strict=True)]


def _emit_until(block: Block, number: Value, times: int, arguments: list[Array], state: list[Array]) -> list[Array]:
    """With the number of the iteration, and whether there is another one, before the state."""
    boolean = np.dtype(np.bool_)
    whole = [Array(constant(0, PLACE, ()), PLACE), Array(constant(True, boolean, ()), boolean), *state]
    block.args = [number, Value(block, "i1", (), "scalar", "goes"), *(each._value for each in arguments)]
    before = Block("loop", current().block, "gpuvm.repeat")
    passed = [_like(before, each) for each in whole]
    with current().inside(before):
        goes = passed[1] & (passed[0] < times)
        before.add(
            Op(["scf.condition(", use(goes._value, before), ") ", *_listed([each._value for each in passed])], [], place(), True)
        )
    before.args = [each._value for each in passed]
    return _emit_while(before, block, whole)[2:]


def while_loop(condition: Callable[..., Any], body: Callable[..., Any], state: list[Array]) -> list[Array]:
    """scf.while"""
    around = current().block
    before, after = Block("loop", around, "gpuvm.while_loop"), Block("loop", around, "gpuvm.while_loop")
    before.args = [Value(before, each._value.element, (), "scalar", each._value.hint) for each in state]
    after.args = [Value(after, each._value.element, (), "scalar", each._value.hint) for each in state]
    for each in (before, after):
        name_arguments(body, each.args)
    with current().inside(before):
        test = _as_number(condition(*(Array(each, old.dtype) for each, old in zip(before.args, state, strict=True))))
        if test.dtype.kind != "b":
            raise TraceError(f"The condition of gpuvm.while_loop is a bool, not {test.dtype}.")
        before.add(Op(["scf.condition(", use(test._value, before), ") ", *_listed(before.args)], [], place(), has_effects=True))
    with current().inside(after):
        made = body(*(Array(each, old.dtype) for each, old in zip(after.args, state, strict=True)))
        values = _next(made, state, "gpuvm.while_loop")
        after.add(Op(["scf.yield ", *_listed([use(each._value, after) for each in values])], [], place(), has_effects=True))
    return _emit_while(before, after, state)


def _emit_while(before: Block, after: Block, state: list[Array]) -> list[Array]:
    parts: list[Any] = ["scf.while ("]
    types = ", ".join(each._value.type for each in state)
    for index, (argument, initial) in enumerate(zip(before.args, state, strict=True)):
        parts += [", " if index else "", Definition(argument), " = ", initial._value]
    before.args = []  # The operation names them.
    parts += [f") : ({types}) -> ({types}) ", before, " do ", after]
    values = emit(parts, [(each._value.element, ()) for each in state])
    return [Array(value, each.dtype) for value, each in zip(values, state, strict=True)]
