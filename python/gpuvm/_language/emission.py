"""Where operations go: the block that the user's code is in, and the few forms that most operations have."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from .dtypes import DType, Scalar, as_dtype, check_number, common, element_of, literal
from .frames import Place, place
from .ir import Block, ElementBlock, Op, Part, RepeatBlock, StageBlock, Value, tensor, use

if TYPE_CHECKING:
    from .array import Array
    from .symbols import Symbol

MAX_INLINE: Final = 1024
"""Elements of an array that are written into the text of a program where it is used."""
MAX_CONSTANT: Final = 1 << 20
"""Bytes of an array that a program holds as a constant."""


class Trace:
    """A program that is being made."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.program = Block("program", None, name)
        self.block: Block = self.program
        """Where the user's code is."""
        self.symbols: dict[str, Symbol] = {}
        self.captured: list[tuple[object, object]] = []
        """Arrays and lists that became constants, and what they were."""
        self.named: list[Block] = []
        """Stages and repeats."""
        self._names: set[str] = set()
        self._open: dict[int, StageBlock] = {}
        """Of a block of stages, the one that takes what stands between them."""

    def fresh_name(self, wanted: str) -> str:
        """Of a stage or a repeat."""
        wanted = wanted if wanted.isascii() and wanted.isidentifier() else "stage"
        name, count = wanted, 1
        while name in self._names:
            count += 1
            name = f"{wanted}_{count}"
        self._names.add(name)
        return name

    def rename_stages(self) -> None:
        """Those that are called as a symbol is."""
        self._names |= set(self.symbols)
        for block in self.named:
            if block.name in self.symbols:
                block.name = self.fresh_name(f"{block.name}_stage")

    def stage(self) -> StageBlock | Block:
        """The block in which an operation on arrays goes: where stages stand, one that is opened for it."""
        if self.block.kind not in ("program", "repeat"):
            return self.block
        if id(self.block) not in self._open:
            around = self.block
            name = self.fresh_name(around.name.removeprefix("repeat_"))
            stage = StageBlock(around, name)
            self.named.append(stage)
            around.add(Op([stage], [], place()))
            self._open[id(around)] = stage
        return self._open[id(self.block)]

    def close_stage(self) -> None:
        """What follows is in another stage."""
        stage = self._open.pop(id(self.block), None)
        if stage is not None:
            stage.is_over = True

    @contextlib.contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """The user's code is in this block."""
        if block.kind in ("stage", "repeat"):
            self.close_stage()
        around, self.block = self.block, block
        try:
            yield
        finally:
            self.close_stage()
            block.is_over = True
            self.block = around


_local = threading.local()


def current() -> Trace:
    """The program that this thread is making."""
    trace: Trace | None = getattr(_local, "trace", None)
    if trace is None:
        raise TraceError("This is an operation of a program: call it in a function with @gpuvm.program, not outside of one.")
    return trace


def is_tracing() -> bool:
    """Whether this thread is making a program."""
    return getattr(_local, "trace", None) is not None


@contextlib.contextmanager
def tracing(trace: Trace) -> Iterator[Trace]:
    """This thread makes a program."""
    around = getattr(_local, "trace", None)
    _local.trace = trace
    try:
        yield trace
    finally:
        _local.trace = around


# --- Operations -----------------------------------------------------------------


def form_of(block: Block) -> str:
    """Of values of an operation on elements."""
    return "scalar" if block.root().kind == "element" else "tensor"


def hint_of(where: Place, index: int = 0, count: int = 1) -> str:
    """What a result is called in Python."""
    names = where.names
    return names[index] if len(names) == count and index < len(names) else ""


def emit(
    parts: Sequence[Part], types: Sequence[tuple[str, tuple[int, ...]]], form: str = "", has_effects: bool = False
) -> list[Value]:
    """The results of an operation in the block of now; values in its parts are those of other blocks, too."""
    block = current().stage()
    where = place()
    used = [use(part, block) if isinstance(part, Value) else part for part in parts]
    results = [
        Value(block, element, shape, form or form_of(block), hint_of(where, index, len(types)))
        for index, (element, shape) in enumerate(types)
    ]
    return block.add(Op(used, results, where, has_effects))


def emit_one(parts: Sequence[Part], element: str, shape: tuple[int, ...], form: str = "") -> Value:
    """The result of an operation that has one."""
    return emit(parts, [(element, shape)], form)[0]


def constant(value: Scalar, dtype: DType, shape: tuple[int, ...]) -> Value:
    """A number, or a tensor of it, once in a stage or an element's body."""
    block = current().stage().root()
    element = element_of(dtype)
    text = literal(check_number(value, dtype), dtype)
    form = form_of(block)
    key = (text, element, shape, form)
    if key not in block.known:
        dense = f"{text}" if form == "scalar" else f"dense<{text}>"
        suffix = "" if element == "i1" or form == "scalar" else f" : {tensor(shape, element)}"
        suffix = f" : {element}" if form == "scalar" and element != "i1" else suffix
        if element == "i1" and form == "tensor":
            suffix = f" : {tensor(shape, element)}"
        block.known[key] = _add_constant(block, f"arith.constant {dense}{suffix}", element, shape, form, _constant_name(text))
    return block.known[key]


def _constant_name(text: str) -> str:
    """`c3`, `cm1`, `c0.5`, `true`; or `c` where the number is no word."""
    if text.isalpha():
        return text
    is_short = len(text) < 12 and not text.startswith("0x") and "e" not in text
    return "c" + text.replace("-", "m").removesuffix(".0") if is_short else "c"


def _add_constant(block: Block, text: str, element: str, shape: tuple[int, ...], form: str, name: str) -> Value:
    value = Value(block, element, shape, form, name)
    op = Op([text], [value], place())
    op.is_constant = True
    block.constants.append(op)
    return value


def empty(element: str, shape: tuple[int, ...]) -> Value:
    """What an operation of linalg writes its result to."""
    block = current().stage()
    key = ("empty", element, shape)
    if key not in block.known:
        block.known[key] = _add_constant(block, f"tensor.empty() : {tensor(shape, element)}", element, shape, "tensor", "empty")
    return block.known[key]


def index_constant(number: int) -> Value:
    """A number of type index, in the body for an element."""
    block = current().stage().root()
    key = ("index", number)
    if key not in block.known:
        block.known[key] = _add_constant(block, f"arith.constant {number} : index", "index", (), "scalar", f"i{number}")
    return block.known[key]


# --- Arrays of the host ---------------------------------------------------------


def dense(array: npt.NDArray[Any]) -> str:
    """The elements of an array, as MLIR writes them."""
    if array.size and (array == array.flat[0]).all() and not (array.dtype.kind == "f" and float(array.flat[0]) == 0.0):
        return f"dense<{literal(array.flat[0], array.dtype)}>"
    if array.size > MAX_INLINE and array.dtype.kind != "b":
        return f'dense<"0x{np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes().hex().upper()}">'
    return f"dense<{_nested(array)}>"


def _nested(array: npt.NDArray[Any]) -> str:
    if array.ndim == 0:
        return literal(array[()], array.dtype)
    return "[" + ", ".join(_nested(each) for each in array) + "]"


def host_array(array: npt.NDArray[Any], what: object = None) -> Value:
    """An array of NumPy, which the program holds as a constant from now on."""
    trace = current()
    dtype = as_dtype(array.dtype)
    if array.nbytes > MAX_CONSTANT:
        raise TraceError(
            f"An array of {array.nbytes} bytes would become a constant of the program, which may have {MAX_CONSTANT}: "
            "pass it as an argument, or hold it in a gpuvm.Heap."
        )
    trace.captured.append((array if what is None else what, array.copy() if what is None else list(what)))  # type: ignore[call-overload]
    element, shape = element_of(dtype), tuple(array.shape)
    stage: Block = current().stage()
    while stage.kind not in ("stage", "program") and stage.parent is not None:
        stage = stage.parent
    if array.size > MAX_INLINE:
        return _large_constant(array.astype(dtype), stage, element, shape)
    text = f"arith.constant {dense(array.astype(dtype))} : {tensor(shape, element)}"
    key = (text, "host")
    if key not in stage.known:
        stage.known[key] = _add_constant(stage, text, element, shape, "tensor", hint_of(place()) or "c")
    return use(stage.known[key], current().stage())


def _large_constant(array: npt.NDArray[Any], stage: Block, element: str, shape: tuple[int, ...]) -> Value:
    """As a symbol of the heap, which kernels read where it is."""
    from .symbols import heap_constant

    return heap_constant(array, stage, element, shape)


def numbers_and_arrays(items: Sequence[Any]) -> tuple[list[Array], list[Scalar]]:
    """What of the operands has a type, and what has none."""
    from .array import Array

    arrays = [item for item in items if isinstance(item, Array)]
    return arrays, [item for item in items if not isinstance(item, Array)]


def common_dtype(items: Sequence[Any]) -> DType:
    """The type that operands have in common."""
    arrays, numbers = numbers_and_arrays(items)
    return common([each.dtype for each in arrays], numbers)


__all__ = [
    "Block",
    "ElementBlock",
    "RepeatBlock",
    "StageBlock",
    "Trace",
    "constant",
    "current",
    "emit",
    "emit_one",
    "empty",
    "host_array",
    "is_tracing",
    "tracing",
    "use",
]
