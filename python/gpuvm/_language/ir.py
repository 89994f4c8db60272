"""Blocks, operations and values, and the text that they are.

A value stands in one block. What a block uses of others comes to it as the dialect has it: a stage receives what it uses,
and sends what others use of it (`use`).
"""

from __future__ import annotations

import contextlib
import itertools
import linecache
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from ..errors import TraceError
from .frames import NOWHERE, Place

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.$-]*")


class Value:
    """A value of MLIR."""

    __slots__ = ("base", "block", "element", "form", "hint", "is_message", "name", "op", "sender", "shape")

    def __init__(self, block: Block, element: str, shape: tuple[int, ...], form: str = "tensor", hint: str = "") -> None:
        """form: "tensor", "bounded" (as many rows as a count says, at most shape[0]), "scalar" (within a body that is
        run for each element), or the whole type of another form.
        """
        self.block = block
        self.element = element
        self.shape = shape
        self.form = form
        self.hint = hint
        self.is_message = False
        self.op: Op | None = None
        self.base: Value | None = None
        """What has the same elements in another shape."""
        self.sender: StageBlock | None = None
        self.name = ""

    @property
    def type(self) -> str:
        """Of the payload, if it is a message."""
        return type_text(self.shape, self.element, self.form)

    @property
    def outer_type(self) -> str:
        """As it is where stages stand."""
        return f"!gpuvm.message<{self.type}>" if self.is_message else self.type


def type_text(shape: tuple[int, ...], element: str, form: str) -> str:
    """A type of MLIR, of a form that values have."""
    if form == "scalar":
        return element
    if form == "bounded":
        return f"tensor<?{''.join(f'x{size}' for size in shape[1:])}x{element}, #gpuvm.bound<{shape[0]}>>"
    return tensor(shape, element) if form == "tensor" else form


def tensor(shape: Iterable[int], element: str) -> str:
    """A type of MLIR."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


class Definition:
    """A value that an operation names for its regions."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


Part: TypeAlias = "str | Value | Block | Definition"


class Op:
    """An operation: its text, with values and regions where they stand."""

    __slots__ = ("has_effects", "is_constant", "parts", "place", "results")

    def __init__(self, parts: Sequence[Part], results: list[Value], place: Place, has_effects: bool = False) -> None:
        self.parts = parts
        self.results = results
        self.place = place
        self.has_effects = has_effects
        self.is_constant = False
        for result in results:
            result.op = self

    def operands(self) -> Iterator[Value]:
        """Of it and of its regions."""
        for part in self.parts:
            if isinstance(part, Value):
                yield part
            elif isinstance(part, Block):
                yield from part.operands()


class Block:
    """A sequence of operations: of a program, a stage, a repeat, or of a body that is run for each element."""

    def __init__(self, kind: str, parent: Block | None, name: str = "") -> None:
        self.kind = kind
        self.parent = parent
        self.name = name
        self.constants: list[Op] = []
        self.known: dict[object, Value] = {}
        """Constants and the like, which need to be there once."""
        self.ops: list[Op] = []
        self.args: list[Value] = []
        self.is_over = False

    def operands(self) -> Iterator[Value]:
        """What is used in it."""
        for op in itertools.chain(self.constants, self.ops):
            yield from op.operands()

    def root(self) -> Block:
        """The block of an element's body that holds this one, or itself."""
        block = self
        while block.kind == "loop" and block.parent is not None:
            block = block.parent
        return block

    def add(self, op: Op) -> list[Value]:
        """The results of an operation at its end."""
        self.ops.append(op)
        return op.results

    def receive(self, value: Value) -> Value:
        """A value of a block around, as it is here."""
        return value

    def export(self, value: Value) -> Value:
        """A value of this block, as it is around it."""
        what = {"element": "gpuvm.map", "loop": "a loop", "repeat": "gpuvm.repeat"}.get(self.kind, f'"{self.name}"')
        name = f' "{value.hint}"' if value.hint else ""
        raise TraceError(f"The value{name} of the body of {what} is used outside of it: return it from there.")


class StageBlock(Block):
    """A stage, or one of `instances` of them."""

    def __init__(self, parent: Block, name: str, instances: int = 0) -> None:
        super().__init__("stage", parent, name)
        self.instances = instances
        self.inputs: list[tuple[Value, Value, bool]] = []
        """Its argument, what comes, and whether all instances share it."""
        self.sent: list[tuple[Value, Value]] = []
        """A value, and the message around."""
        self.condition: Value | None = None
        self.condition_is_shared = False
        self.otherwise: list[Value] = []
        self.status: Value | None = None
        self.loaded: dict[str, Value] = {}
        """What symbols hold, as far as it is known."""
        self.stored: set[str] = set()
        """Symbols of which a part has been stored."""

    def receive(self, value: Value, is_shared: bool = True) -> Value:
        for argument, outer, _ in self.inputs:
            if outer is value:
                return argument
        shape = value.shape
        if self.instances and not is_shared:
            if not shape or shape[0] != self.instances:
                raise TraceError(
                    f'"{self.name}" has {self.instances} instances, and its argument has the shape {shape}: '
                    "its leading dimension is that of the instances; gpuvm.shared(x) is the same for all."
                )
            shape = shape[1:]
        argument = Value(self, value.element, shape, value.form, value.hint)
        self.inputs.append((argument, value, is_shared and bool(self.instances)))
        return argument

    def export(self, value: Value) -> Value:
        for inner, message in self.sent:
            if inner is value:
                return message
        if value.op is not None and value.op.is_constant and value.form == "tensor":
            return self._constant_around(value)
        if self.is_over and (self.instances or self.condition is not None):
            raise TraceError(f'A value of the stage "{self.name}" is used outside of it: return it from there.')
        return self.send(value)

    def _constant_around(self, value: Value) -> Value:
        """A constant needs no message."""
        assert value.op is not None
        program: Block = self
        while program.parent is not None:
            program = program.parent
        text = str(value.op.parts[0])
        if text not in program.known:
            known = Value(program, value.element, value.shape, "tensor", value.hint)
            program.constants.append(Op([text], [known], value.op.place))
            program.known[text] = known
        return program.known[text]

    def send(self, value: Value) -> Value:
        """One more field of its message."""
        shape = (self.instances, *value.shape) if self.instances else value.shape
        message = Value(self._around(), value.element, shape, value.form, value.hint)
        message.is_message, message.sender = True, self
        self.sent.append((value, message))
        return message

    def _around(self) -> Block:
        assert self.parent is not None
        return self.parent

    def operands(self) -> Iterator[Value]:
        for _, outer, _ in self.inputs:
            yield outer
        if self.condition is not None:
            yield self.condition

    def used(self) -> Iterator[Value]:
        """Within it, at its end."""
        yield from (inner for inner, _ in self.sent)
        yield from self.otherwise
        if self.status is not None:
            yield self.status


class RepeatBlock(Block):
    """A loop of stages."""

    def __init__(self, parent: Block, name: str, times: int) -> None:
        super().__init__("repeat", parent, name)
        self.times = times
        self.initial: list[Value] = []
        self.iteration: Value | None = None
        self.next: list[Value] = []
        self.until: Value | None = None
        self.results: list[Value] = []

    def operands(self) -> Iterator[Value]:
        yield from self.initial
        yield from super().operands()
        yield from self.next
        if self.until is not None:
            yield self.until


class ElementBlock(Block):
    """What a linalg.generic does for an element: tensors without dimensions come as one of its operands."""

    def __init__(self, parent: Block, name: str) -> None:
        super().__init__("element", parent, name)
        self.inputs: list[tuple[Value, Value, str]] = []
        """Its argument, the tensor, and the map."""

    def receive(self, value: Value) -> Value:
        if value.form != "tensor" or value.shape:
            return value
        for argument, outer, _ in self.inputs:
            if outer is value:
                return argument
        return self.add_input(value, "()")

    def add_input(self, value: Value, map_: str) -> Value:
        """An operand, and how it lies in the elements."""
        argument = Value(self, value.element, (), "scalar", value.hint)
        self.inputs.append((argument, value, map_))
        self.args.append(argument)
        return argument

    def operands(self) -> Iterator[Value]:
        yield from (outer for _, outer, _ in self.inputs)
        yield from super().operands()


def use(value: Value, into: Block) -> Value:
    """A value where it is needed."""
    path = []
    block: Block | None = into
    while block is not None and block is not value.block:
        path.append(block)
        block = block.parent
    if block is None:
        return use(value.block.export(value), into)
    for each in reversed(path):
        value = each.receive(value)
    return value


# --- Text ------------------------------------------------------------------------


class Writer:
    """The text of a program, line by line."""

    def __init__(self, with_places: bool) -> None:
        self._with_places = with_places
        self._lines: list[str] = []
        self._shown = NOWHERE
        self._quotes = True

    @contextlib.contextmanager
    def without_quotes(self) -> Iterator[None]:
        """For what no line of Python says, such as constants."""
        self._quotes = False
        yield
        self._quotes = True

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def line(self, depth: int, text: str, place: Place = NOWHERE, opens: bool = False) -> None:
        """One line; of an operation with its place, which has to wait for its end where it `opens` a region."""
        if place is not NOWHERE and not self._with_places:
            self._quote(depth, place)
        located = self._with_places and place is not NOWHERE and not opens
        self._lines.append("  " * depth + text + (location(place) if located else ""))

    def close(self, depth: int, text: str, place: Place) -> None:
        """The last line of an operation with regions."""
        self._lines.append("  " * depth + text + (location(place) if self._with_places else ""))

    def _quote(self, depth: int, place: Place) -> None:
        """The line of Python, above the first operation that it makes."""
        if not self._quotes or (place.file, place.line) == (self._shown.file, self._shown.line):
            return
        self._shown = place
        if source := linecache.getline(place.file, place.line).strip():
            self._lines.append("  " * depth + "// " + source)


def location(place: Place) -> str:
    """The place of an operation, as MLIR writes it."""
    file = "".join(c if c.isprintable() and c.isascii() and c not in '"\\' else _escaped(c) for c in place.file)
    return f' loc("{file}":{place.line}:{place.column})'


def _escaped(character: str) -> str:
    return "".join(f"\\{byte:02X}" for byte in character.encode(errors="surrogateescape"))


class Names:
    """The names of a scope: those of Python where there are, numbers else."""

    def __init__(self, taken: Names | None = None) -> None:
        self._taken: set[str] = set(taken._taken) if taken else set()
        self._numbers: itertools.count[int] = taken._numbers if taken else itertools.count()

    def give(self, value: Value) -> str:
        """A name that no other value has."""
        value.name = f"%{self.fresh(value.hint) if _WORD.fullmatch(value.hint) else next(self._numbers)}"
        return value.name

    def fresh(self, wanted: str) -> str:
        """`wanted`, or with a number."""
        name = wanted
        for count in itertools.count(1):
            if name not in self._taken:
                break
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name


def _names_of(values: Sequence[Value], names: Names) -> str:
    return ", ".join(names.give(value) for value in values)


def write_ops(writer: Writer, block: Block, depth: int, names: Names) -> None:
    """What stands in a block."""
    _name_well(block)
    with writer.without_quotes():
        for op in block.constants:
            _write_op(writer, op, depth, names)
    for op in block.ops:
        _write_op(writer, op, depth, names)


def _name_well(block: Block) -> None:
    """Of several operations of one assignment the last one makes what is assigned."""
    for op, follower in itertools.pairwise(block.ops):
        if op.place == follower.place and op.place.names and follower.results:
            for result in op.results:
                if result.hint in op.place.names:
                    result.hint = ""


def _write_op(writer: Writer, op: Op, depth: int, names: Names) -> None:
    region = op.parts[0]
    if isinstance(region, StageBlock):
        _write_stage(writer, region, op, depth, names)
    elif isinstance(region, RepeatBlock):
        _write_repeat(writer, region, op, depth, names)
    else:
        _write_plain(writer, op, depth, names)


def _write_plain(writer: Writer, op: Op, depth: int, names: Names) -> None:
    """An operation whose regions, if there are any, stand where they do in its parts."""
    results = _names_of(op.results, names)
    inner = Names(names)
    text = f"{results} = " if results else ""
    regions = 0
    for part in op.parts:
        if isinstance(part, Block):
            writer.line(depth, text + "{", op.place, opens=True)
            _write_region(writer, part, depth, Names(inner))
            text, regions = "}", regions + 1
        else:
            text += _part_text(part, inner)
    if regions:
        writer.close(depth, text, op.place)
    else:
        writer.line(depth, text, op.place)


def _part_text(part: str | Value | Definition, names: Names) -> str:
    if isinstance(part, str):
        return part
    return names.give(part.value) if isinstance(part, Definition) else part.name


def _write_region(writer: Writer, region: Block, depth: int, names: Names) -> None:
    if region.args:
        arguments = ", ".join(f"{names.give(argument)}: {argument.type}" for argument in region.args)
        writer.line(depth, f"^bb0({arguments}):")
    write_ops(writer, region, depth + 1, names)


def _typed(values: Sequence[Value]) -> str:
    return ", ".join(value.name for value in values) + " : " + ", ".join(value.type for value in values)


def _write_stage(writer: Writer, stage: StageBlock, op: Op, depth: int, names: Names) -> None:
    inner = Names()
    when = ""
    if stage.condition is not None:
        shared = "shared " if stage.condition_is_shared else ""
        when = f" when({shared}{stage.condition.name} : {stage.condition.outer_type})"
    instances = f" instances({stage.instances})" if stage.instances else ""
    inputs = ", ".join(
        f"{inner.give(argument)} = {'shared ' if is_shared else ''}{outer.name} : {outer.outer_type}"
        for argument, outer, is_shared in stage.inputs
    )
    sent = [value for value, _ in stage.sent]
    results = _names_of([message for _, message in stage.sent], names)
    types = [message.type for _, message in stage.sent]
    arrow = f" -> {types[0] if len(types) == 1 else '(' + ', '.join(types) + ')'}" if types else ""
    head = f"{results} = " if results else ""
    space = " " if when or instances else ""
    writer.line(depth, f"{head}gpuvm.stage @{stage.name}{instances}{when}{space}({inputs}){arrow} {{", op.place, opens=True)
    write_ops(writer, stage, depth + 1, inner)
    if sent:
        otherwise = f" else {_typed(stage.otherwise)}" if stage.otherwise else ""
        status = f" status({_typed([stage.status])})" if stage.status else ""
        writer.line(depth + 1, f"gpuvm.send {_typed(sent)}{otherwise}{status}")
    writer.close(depth, "}", op.place)


def _write_repeat(writer: Writer, repeat: RepeatBlock, op: Op, depth: int, names: Names) -> None:
    results = _names_of(repeat.results, names)
    inner = Names(names)
    carried = ", ".join(
        f"{inner.give(argument)} = {initial.name} : {initial.outer_type}"
        for argument, initial in zip(repeat.args, repeat.initial, strict=True)
    )
    iteration = f" turn {inner.give(repeat.iteration)}" if repeat.iteration else ""
    head = f"{results} = " if results else ""
    writer.line(depth, f"{head}gpuvm.repeat @{repeat.name} up_to {repeat.times}{iteration} ({carried}) {{", op.place, opens=True)
    write_ops(writer, repeat, depth + 1, inner)
    values = ", ".join(value.name for value in repeat.next)
    types = ", ".join(value.outer_type for value in repeat.next)
    until = f" until {repeat.until.name} : {repeat.until.outer_type}" if repeat.until else ""
    writer.line(depth + 1, f"gpuvm.next{f' {values} : {types}' if values else ''}{until}")
    writer.close(depth, "}", op.place)


# --- What nothing uses -----------------------------------------------------------


def remove_unused(block: Block, used: set[int]) -> None:
    """Operations whose results nothing uses; `used` are values that are used after the block."""
    kept = []
    for op in reversed(block.ops):
        region = op.parts[0]
        if isinstance(region, StageBlock):
            _remove_in_stage(region, used)
            op.has_effects = any(each.has_effects for each in region.ops)
        elif isinstance(region, RepeatBlock):
            remove_unused(region, used | {id(value) for value in (*region.next, region.until)})
            op.has_effects = any(each.has_effects for each in region.ops)
        results = [message for _, message in region.sent] if isinstance(region, StageBlock) else op.results
        if op.has_effects or any(id(result) in used for result in results):
            used.update(id(value) for value in op.operands())
            kept.append(op)
    block.ops = kept[::-1]
    block.constants = [op for op in block.constants if any(id(result) in used for result in op.results)]


def _remove_in_stage(stage: StageBlock, used: set[int]) -> None:
    if stage.condition is None:
        stage.sent = [pair for pair in stage.sent if id(pair[1]) in used]
    inner = {id(value) for value in stage.used()}
    remove_unused(stage, inner)
    stage.inputs = [each for each in stage.inputs if id(each[0]) in inner]
