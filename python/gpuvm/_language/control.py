"""Stages, conditions, loops, and bodies of elements."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar, overload

import numpy as np

from ..errors import TraceError
from .array import Array, ArrayLike, as_array, as_operand
from .dtypes import element_of
from .elements import Until, carried, in_element, map_elements
from .elements import repeat as element_repeat
from .elements import while_loop as element_while_loop
from .elementwise import broadcast_shapes, value_of
from .emission import current, emit_one
from .frames import name_arguments, place
from .ir import Op, RepeatBlock, StageBlock, Value, use
from .shapes import Shape, as_shape
from .trees import flatten

P = ParamSpec("P")
R = TypeVar("R")


# --- Stages -----------------------------------------------------------------------


class Stage(Generic[P, R]):
    """A function that is a stage of the programs that call it."""

    def __init__(self, function: Callable[P, R], instances: int = 0) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._instances = instances

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        made: R = run_stage(self._function, args, kwargs, self._instances)
        return made

    def __repr__(self) -> str:
        return f"<gpuvm.stage {self._function.__name__}>"


@overload
def stage(function: Callable[P, R], /) -> Stage[P, R]: ...
@overload
def stage(*, instances: int) -> Callable[[Callable[P, R]], Stage[P, R]]: ...


def stage(
    function: Callable[P, R] | None = None, /, *, instances: int = 0
) -> Stage[P, R] | Callable[[Callable[P, R]], Stage[P, R]]:
    """Makes a function a stage: its arguments are received, what it returns is sent.

    In another stage it is an ordinary function. With `instances` its body is written for one of so many: arguments and
    results have a leading dimension more outside of it, but those that are gpuvm.shared.
    """
    if instances < 0:
        raise TraceError(f"A stage has {instances} instances.")
    if function is None:
        return lambda each: Stage(each, instances)
    return Stage(function, instances)


@dataclass(frozen=True)
class Shared:
    """An argument that is the same for all instances."""

    value: ArrayLike


def shared(value: ArrayLike) -> Any:
    """An argument of a stage with instances that is the same for all of them."""
    return Shared(value)


@dataclass(frozen=True)
class Sent:
    """What a stage returns, with the status of its message."""

    values: Any
    status: Array


def send(*values: Any, status: ArrayLike) -> Any:
    """What a stage returns with the status of its message, a number of int32: 0 is OK (gpuvm.status reads it)."""
    return Sent(values[0] if len(values) == 1 else values, as_array(status).astype(np.int32))


def run_stage(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    instances: int = 0,
    condition: ArrayLike | None = None,
    otherwise: Any = None,
) -> Any:
    """A stage of the program that is being made; results as the function gives them."""
    trace = current()
    name = getattr(function, "__name__", "stage")
    if trace.block.kind not in ("program", "repeat"):
        if instances or condition is not None:
            raise TraceError(f'The stage "{name}" has instances or a condition, and cannot stand in another stage.')
        return function(*args, **kwargs)
    where = place()
    trace.close_stage()
    around = trace.block
    block = StageBlock(around, trace.fresh_name(name), instances)
    trace.named.append(block)
    received = _receive(block, args, kwargs)
    if len(received[0]) == len(block.inputs):
        name_arguments(function, [argument for argument, _, _ in block.inputs])
    test = None if condition is None else as_array(condition)
    with trace.inside(block):
        made = function(*received[0], **received[1])
        sent = made if isinstance(made, Sent) else None
        leaves, rebuild = flatten(sent.values if sent else made, "")
        results = _send(block, [leaf for _, leaf in leaves], where.names)
        block.status = use(sent.status._value, block) if sent else None
    if test is not None:
        _set_condition(block, test, otherwise, [message for _, message in block.sent])
    around.add(Op([block], [], where))
    return rebuild(iter(results))


def _receive(block: StageBlock, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments as the stage has them."""

    def one(leaf: Any) -> Any:
        value = leaf.value if isinstance(leaf, Shared) else leaf
        if isinstance(leaf, Shared) or (block.instances and isinstance(value, np.ndarray)):
            value = as_array(value)
        if not isinstance(value, Array):
            return value
        around = use(as_array(value)._value, _around(block))
        return Array(block.receive(around, is_shared=isinstance(leaf, Shared)), value.dtype)

    def each(tree: Any) -> Any:
        leaves, rebuild = flatten(tree, "") if not isinstance(tree, Shared) else ([("", tree)], next)
        return rebuild(iter([one(leaf) for _, leaf in leaves]))

    return [each(tree) for tree in args], {key: each(tree) for key, tree in kwargs.items()}


def _around(block: StageBlock) -> Any:
    return block.parent


def _send(block: StageBlock, leaves: Sequence[Any], names: tuple[str, ...]) -> list[Any]:
    results: list[Any] = []
    for index, leaf in enumerate(leaves):
        if leaf is None:
            results.append(None)
            continue
        array = as_array(leaf)
        message = block.send(use(array._value, block))
        if len(names) == len(leaves):
            message.hint = names[index] or message.hint
        results.append(Array(message, array.dtype))
    return results


def _set_condition(block: StageBlock, test: Array, otherwise: Any, messages: list[Value]) -> None:
    if test.dtype.kind != "b" or test.shape not in ((), (block.instances,)):
        raise TraceError(f'The condition of "{block.name}" is a bool, not {test.dtype} of the shape {test.shape}.')
    around = block.parent
    assert around is not None
    block.condition = use(test._value, around)
    block.condition_is_shared = bool(block.instances) and not test.shape
    if otherwise is None:
        return
    leaves = [as_array(leaf) for _, leaf in flatten(otherwise, "")[0]]
    if len(leaves) != len(messages):
        raise TraceError(f'"{block.name}" sends {len(messages)} values, and otherwise has {len(leaves)}.')
    for leaf, message in zip(leaves, messages, strict=True):
        if (element_of(leaf.dtype), leaf.shape) != (message.element, message.shape):
            raise TraceError(
                f'"{block.name}" sends {message.type}, otherwise has {leaf.dtype} of the shape {leaf.shape}: make them alike.'
            )
        block.otherwise.append(block.receive(use(leaf._value, around), is_shared=False))


def when(condition: ArrayLike, function: Callable[..., R], *args: Any, otherwise: Any = None, **kwargs: Any) -> R:
    """Runs a stage if the device finds the condition true; else its results are `otherwise`, or zeros, and it stores nothing.

    What is computed for `otherwise` only is not computed in vain. With instances the condition is one for each, or for all.
    """
    instances = function._instances if isinstance(function, Stage) else 0
    body = function._function if isinstance(function, Stage) else function
    if in_element():
        raise TraceError("In a function of gpuvm.map use gnp.where.")
    made: R = run_stage(body, args, kwargs, instances, condition, otherwise)
    return made


# --- Messages ---------------------------------------------------------------------


def _metadata(field: str, message: Array, dtype: Any, each: bool = False) -> Array:
    """A word of the message that brought an array, or one for each instance of its sender."""
    trace = current()
    if trace.block.kind in ("program", "repeat"):
        trace.close_stage()
    block = trace.stage()
    if not isinstance(block, StageBlock):
        raise TraceError(f"gpuvm.{field} is of messages: call it outside of the function of gpuvm.map.")
    value = use(as_array(message)._value, block)
    outer = next((outer for argument, outer, _ in block.inputs if argument is value), None)
    if outer is None or outer.sender is None:
        raise TraceError(f"gpuvm.{field} is of what another stage has sent: {message!r} was not.")
    if outer.sender.sent[0][1] is not outer:
        raise TraceError(
            f'gpuvm.{field} is of the first value that a stage sends: {message!r} is another one of "{outer.sender.name}".'
        )
    if each and not outer.sender.instances:
        raise TraceError(f'"{outer.sender.name}" has no instances: its message has one {field}.')
    shape = (outer.sender.instances,) if each else ()
    found = np.dtype(dtype)
    parts: list[Any] = [f"gpuvm.metadata {field} of ", value, f" : {value.type} -> {Value(block, element_of(found), shape).type}"]
    return Array(emit_one(parts, element_of(found), shape), found)


def norm(message: Array, each: bool = False) -> Array:
    """The root of the sum of squares of a message, as its sender found it, of float32; `each`: of the slice of each instance."""
    return _metadata("norm", message, np.float32, each)


def max_abs(message: Array, each: bool = False) -> Array:
    """The greatest magnitude of a message, as its sender found it, of float32; `each`: of the slice of each instance."""
    return _metadata("max_abs", message, np.float32, each)


def ticks(message: Array) -> Array:
    """When the message was there: nanoseconds of the device since the execution began, of int64."""
    return _metadata("ticks", message, np.int64)


def status(message: Array, each: bool = False) -> Array:
    """The status that the sender gave its message (gpuvm.send), of int32; `each`: that of each instance."""
    return _metadata("status", message, np.int32, each)


# --- Loops ------------------------------------------------------------------------


def until(condition: ArrayLike, *state: Any) -> Any:
    """What the body of gpuvm.repeat returns: its state, and whether this was the last iteration."""
    return Until(condition, state)


def repeat(times: int, body: Callable[..., Any], *state: Any, iteration: bool = False) -> Any:
    """Runs `body` `times` times on the device: it takes the state, and returns that of the next iteration.

    The first state is `state`; what it returns in the end is the result: one value, or a tuple. `gpuvm.until(done, ...)`
    around it ends the loop after an iteration. `iteration`: the body takes the number of the iteration, from 0, first.
    In a program the body consists of stages; in a function of gpuvm.map it is a loop over numbers.
    """
    times = _times(times)
    if in_element():
        return _single(element_repeat(times, body, carried(state), iteration))
    trace = current()
    if trace.block.kind == "stage":
        raise TraceError("gpuvm.repeat is made of stages: it stands in a program, or in a function of gpuvm.map, not in a stage.")
    return _repeat_stages(times, body, state, iteration)


def _times(times: Any) -> int:
    if isinstance(times, Array) or not hasattr(times, "__index__"):
        raise TraceError(
            "gpuvm.repeat takes a number of Python, at least 1: a loop that ends earlier returns gpuvm.until(done, ...)."
        )
    count = int(times.__index__())
    if not 1 <= count < 1 << 31:
        raise TraceError(f"gpuvm.repeat takes 1 to 2147483647 iterations, not {count}.")
    return count


def _single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


def _repeat_stages(times: int, body: Callable[..., Any], state: tuple[Any, ...], iteration: bool) -> Any:
    trace = current()
    where = place()
    leaves, rebuild = flatten(state, "")
    arrays = [as_array(leaf) for _, leaf in leaves]
    trace.close_stage()
    around = trace.block
    name = getattr(body, "__name__", "repeat")
    block = RepeatBlock(around, trace.fresh_name(f"repeat_{name}" if name.isidentifier() else "repeat"), times)
    trace.named.append(block)
    block.initial = [use(array._value, around) for array in arrays]
    if any(value.form != "tensor" for value in block.initial):
        raise TraceError("The state of gpuvm.repeat has a fixed number of rows: gpuvm.ops.filled(x) has all.")
    block.args = [_carried(block, value) for value in block.initial]
    name_arguments(body, block.args, int(iteration))
    arguments = rebuild(iter([Array(value, array.dtype) for value, array in zip(block.args, arrays, strict=True)]))
    with trace.inside(block):
        numbers = []
        if iteration:
            block.iteration = Value(block, "i32", (), "tensor", "iteration")
            block.iteration.is_message = True
            numbers = [Array(block.iteration, np.dtype(np.int32))]
        made = body(*numbers, *arguments)
        _set_next(block, made, arrays, state)
    block.results = [_carried(around, value) for value in block.args]
    for index, result in enumerate(block.results):
        result.hint = where.names[index] if len(where.names) == len(block.results) else ""
    around.add(Op([block], block.results, where))
    return _single(list(rebuild(iter([Array(value, array.dtype) for value, array in zip(block.results, arrays, strict=True)]))))


def _carried(block: Any, like: Value) -> Value:
    value = Value(block, like.element, like.shape, "tensor", like.hint)
    value.is_message = True
    return value


def _set_next(block: RepeatBlock, made: Any, arrays: list[Array], state: tuple[Any, ...]) -> None:
    condition = None
    if isinstance(made, Until):
        condition = as_array(made.condition)
        if condition.dtype.kind != "b" or condition.shape:
            raise TraceError(f"gpuvm.until takes a bool, not {condition.dtype} of the shape {condition.shape}.")
        made = made.state
    elif len(state) == 1:
        made = (made,)
    leaves = [leaf for _, leaf in flatten(made, "")[0]]
    if len(leaves) != len(arrays):
        raise TraceError(
            f'The body "{block.name}" of gpuvm.repeat returns {len(leaves)} values, and the state has {len(arrays)}.'
        )
    for leaf, old in zip(leaves, arrays, strict=True):
        operand = as_operand(leaf)
        if isinstance(operand, Array) and (operand.dtype, operand.shape) != (old.dtype, old.shape):
            name = f' "{old._value.hint}"' if old._value.hint else ""
            raise TraceError(
                f"The state{name} of gpuvm.repeat begins as {old.dtype} of the shape {old.shape}, and its body returns "
                f"{operand.dtype} of the shape {operand.shape}."
            )
        block.next.append(use(value_of(operand, old.dtype, old.shape), block))
    block.until = use(condition._value, block) if condition is not None else None


def while_loop(condition: Callable[..., Any], body: Callable[..., Any], *state: ArrayLike) -> Any:
    """In a function of gpuvm.map: runs `body` as long as `condition` of the state is true, which may be never."""
    if not in_element():
        raise TraceError("gpuvm.while_loop is of functions of gpuvm.map: a loop of stages is gpuvm.repeat with gpuvm.until.")
    return _single(element_while_loop(condition, body, carried(state)))


# --- Bodies of elements --------------------------------------------------------------


def map(function: Callable[..., Any], *arrays: ArrayLike, shape: Shape | None = None) -> Any:  # noqa: A001 - as Python's
    """Arrays of what `function` computes for each element: one, or a tuple if it returns several numbers.

    It takes an element of each of `arrays`, which are broadcast to `shape`; without arrays, the places of the element.
    Other arrays that it uses are tables, which it reads at any place inside of them: `table[i, j]`. It may loop
    (gpuvm.repeat, gpuvm.while_loop).
    """
    if not arrays and shape is None:
        raise TraceError("gpuvm.map needs arrays or a shape.")
    found = [as_array(each) for each in arrays]
    target = broadcast_shapes(*(each.shape for each in found), *([] if shape is None else [as_shape(shape)]))
    if found:
        return _single(map_elements(function, found, target))

    @functools.wraps(function)
    def of_places() -> Any:
        return function(*(at(axis) for axis in range(len(target))))

    return _single(map_elements(of_places, [], target))


def at(axis: int) -> Array:
    """In a function of gpuvm.map, the place of the element along an axis, of int32."""
    from .dtypes import PLACE
    from .elements import place_of_element

    if not in_element():
        raise TraceError("gpuvm.at is of functions of gpuvm.map.")
    return Array(place_of_element(axis), PLACE)
