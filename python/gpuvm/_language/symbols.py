"""What a program remembers and what the host can see while it runs: globals, registers, metrics, control words, the heap."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from .array import Array, ArrayLike, as_operand
from .dtypes import PLACE, as_dtype, element_of
from .elementwise import value_of
from .emission import current, dense, emit, emit_one, hint_of
from .frames import place
from .ir import Block, Op, StageBlock, Value, tensor, use
from .operations import PackedArray, packed_type

if TYPE_CHECKING:
    from .arguments import Packed

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


class Symbol:
    """A tensor with a name that outlives a stage. Programs that are compiled together share it."""

    _region = ""

    def __init__(
        self,
        name: str,
        initial: npt.ArrayLike | None = None,
        *,
        shape: int | tuple[int, ...] | None = None,
        dtype: npt.DTypeLike = None,
    ) -> None:
        """name: as the host finds it (vm.read, vm.write).
        initial: what it holds first; without, zeros of `shape` (one number, if there is none) and `dtype`.
        """
        if not _NAME.fullmatch(name):
            raise TraceError(f'"{name}" is no name of a symbol: letters, digits, _ and dots.')
        self.name = name
        if initial is None:
            if dtype is None:
                raise TraceError(f'The symbol "{name}" has neither a value nor a dtype.')
            self.initial = None
            self.dtype = as_dtype(dtype)
            self.shape = (shape,) if isinstance(shape, int) else tuple(shape or ())
            return
        array = np.array(initial, dtype=None if dtype is None else as_dtype(dtype))
        self.initial = np.broadcast_to(array, array.shape if shape is None else shape)
        self.dtype, self.shape = as_dtype(array.dtype), tuple(self.initial.shape)

    def __repr__(self) -> str:
        return f'<gpuvm.{type(self).__name__} "{self.name}": {self.dtype}, shape {self.shape}>'

    def load(self, *, own: bool = False) -> Array:
        """What it holds; `own`: in a stage with instances, the slice of the instance."""
        stage = self._stage("load")
        key = f"own {self.name}" if own else self.name
        if self.name in stage.stored and key not in stage.loaded:
            raise TraceError(f'A part of "{self.name}" has been stored in this stage: load it in another one.')
        if key not in stage.loaded:
            shape, element = self._shape_of(stage, own), element_of(self.dtype)
            text = f"gpuvm.load {'own ' if own else ''}@{self.name} : {tensor(shape, element)}"
            stage.loaded[key] = emit_one([text], element, shape, "tensor")
        return Array(stage.loaded[key], self.dtype)

    def store(self, value: ArrayLike, *, own: bool = False, at: ArrayLike | None = None) -> None:
        """Sets it; `own`: the slice of the instance; `at`: rows from a place on, which the device may compute."""
        if self._region == "heap":
            raise TraceError(f'"{self.name}" is in the heap, which does not change: take a gpuvm.Global.')
        stage = self._stage("store")
        shape = self._shape_of(stage, own)
        operand = as_operand(value)
        if at is not None:
            shape = (operand.shape[0] if isinstance(operand, Array) and operand.ndim else 1, *shape[1:])
        if isinstance(operand, Array) and operand.dtype != self.dtype:
            raise TraceError(
                f'"{self.name}" holds {self.dtype}, and {operand.dtype} is stored: write .astype where that is meant.'
            )
        stored = value_of(operand, self.dtype, shape)
        where: list[Any] = []
        if at is not None:
            position = value_of(as_operand(at), PLACE, ())
            where = ["[", position, "]"]
        emit(
            [f"gpuvm.store {'own ' if own else ''}", stored, f", @{self.name}", *where, f" : {stored.type}"], [], has_effects=True
        )
        for key in (self.name, f"own {self.name}"):
            stage.loaded.pop(key, None)
        if at is None:
            stage.loaded[f"own {self.name}" if own else self.name] = use(stored, stage)
        stage.stored.add(self.name)

    def _stage(self, what: str) -> StageBlock:
        trace = current()
        known = trace.symbols.setdefault(self.name, self)
        if known is not self:
            raise TraceError(f'There are two symbols "{self.name}" in the program "{trace.name}".')
        stage = trace.stage()
        if isinstance(stage, StageBlock) and self.name in stage.stored and what == "load" and trace.block is not stage:
            trace.close_stage()
            stage = trace.stage()
        if not isinstance(stage, StageBlock):
            raise TraceError(
                f'"{self.name}" is of stages: {what} it outside of the function of gpuvm.map, which can index what was loaded.'
            )
        return stage

    def _shape_of(self, stage: StageBlock, own: bool) -> tuple[int, ...]:
        if not own:
            return self.shape
        if not stage.instances or not self.shape or self.shape[0] != stage.instances:
            raise TraceError(
                f'"{stage.name}" has {stage.instances} instances, and "{self.name}" the shape {self.shape}: no own slice.'
            )
        return self.shape[1:]

    def declaration(self) -> str:
        """The operation that declares it."""
        type_ = self._type()
        initial = "" if self.initial is None else f" = {dense(np.asarray(self.initial))} : {type_}"
        return f"gpuvm.{self._region} @{self.name} : {type_}{initial}"

    def _type(self) -> str:
        return tensor(self.shape, element_of(self.dtype))


class Global(Symbol):
    """Lives until the VM is closed."""

    _region = "global"


class Register(Symbol):
    """Is kept from one execution to the next, in the memory of registers."""

    _region = "register"


class Metric(Symbol):
    """The host can read it at any time."""

    _region = "metric"


class Control(Symbol):
    """Words of int32 that the host can write while the program runs."""

    _region = "control"

    def __init__(
        self, name: str, initial: npt.ArrayLike | None = None, *, shape: int | tuple[int, ...] | None = None, up_to: int = 0
    ) -> None:
        """up_to: a word that is more when an execution has ended raises ExcessError."""
        super().__init__(name, initial, shape=shape, dtype=np.int32)
        self.up_to = up_to

    def declaration(self) -> str:
        return super().declaration() + (f" up_to {self.up_to}" if self.up_to else "")


class Heap(Symbol):
    """Does not change: in the plan, or without a value, an input that is bound once (vm.bind)."""

    _region = "heap"

    def __init__(
        self,
        name: str,
        initial: npt.ArrayLike | None = None,
        *,
        shape: int | tuple[int, ...] | None = None,
        dtype: npt.DTypeLike = None,
        packed: Packed | None = None,
    ) -> None:
        """packed: it holds packed data, of which gpuvm.ops.decode makes an array."""
        if packed is None:
            super().__init__(name, initial, shape=shape, dtype=dtype)
        else:
            super().__init__(name, shape=packed.shape, dtype=packed.dtype)
        self.packed = packed

    def load_packed(self) -> PackedArray:
        """Its packed data."""
        if self.packed is None:
            raise TraceError(f'"{self.name}" holds no packed data: load() is its array.')
        stage = self._stage("load")
        key = f"packed {self.name}"
        if key not in stage.loaded:
            text = self._type()
            stage.loaded[key] = emit_one([f"gpuvm.load @{self.name} : {text}"], element_of(self.dtype), self.shape, text)
        return PackedArray(stage.loaded[key], self.shape, self.dtype)

    def _type(self) -> str:
        return super()._type() if self.packed is None else packed_type(self.packed.codec, self.shape, self.dtype)


def heap_constant(array: npt.NDArray[Any], stage: Block, element: str, shape: tuple[int, ...]) -> Value:
    """An array of the host that is too large for the text of a stage."""
    trace = current()
    wanted = hint_of(place()) or "constant"
    name, count = wanted, 1
    while name in trace.symbols:
        count += 1
        name = f"{wanted}_{count}"
    trace.symbols[name] = Heap(name, array)
    value = Value(stage, element, shape, "tensor", wanted)
    stage.constants.append(Op([f"gpuvm.load @{name} : {tensor(shape, element)}"], [value], place()))
    return use(value, trace.stage())
