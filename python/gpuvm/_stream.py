"""The callbacks of vm_stream: chunks of an iterator go in, dictionaries of arrays come out."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._tensors import Array, Tensor, convert
from .errors import InputError

if TYPE_CHECKING:
    from ._vm import Vm


def _rows_of(value: object, tensor: Tensor, chunk: int) -> int:
    """Rows of a chunk, of which an input has room for some."""
    size = len(value) if hasattr(value, "__len__") else -1
    room = tensor.shape[0]
    if not 1 <= size <= room:
        what = f"has {size} rows" if size >= 0 else f"is a {type(value).__name__} without rows"
        raise InputError(tensor.name, f'Input "{tensor.name}" ({tensor.type}): chunk {chunk} {what}, and 1 to {room} are taken.')
    return size


class Stream:
    """One stream, whose first chunk says which inputs are streamed."""

    def __init__(
        self,
        vm: Vm,
        chunks: Iterable[Mapping[str, object]],
        take: Callable[[dict[str, Array]], object],
        outputs: Iterable[str] | None,
    ) -> None:
        self._chunks = iter(chunks)
        self._take = take
        self._next: Mapping[str, object] | None = next(self._chunks, None)
        self._number = 0  # Of the chunk that `_next` is.
        self._taken: dict[str, Array] = {}
        self.error: BaseException | None = None
        self.is_stopped = False
        first = self._next or {}
        self.inputs = {name: vm._find(name, vm.inputs, "input") for name in first}
        for name, tensor in self.inputs.items():
            if not tensor.shape:
                raise InputError(name, f'Input "{name}" ({tensor.type}) has no rows: it cannot be streamed, but bound.')
        owners = {tensor.name.partition(".")[0] for tensor in self.inputs.values()} & set(vm.programs)
        program = owners.pop() if len(owners) == 1 else vm.programs[0]
        known = vm._names_of(program, vm.outputs)
        wanted = [name for name, tensor in known.items() if tensor.shape] if outputs is None else list(outputs)
        self.outputs = {name: known[name] if name in known else vm._find(name, vm.outputs, "output") for name in wanted}
        self._by_name = {tensor.name.encode(): tensor for tensor in self.inputs.values()}
        self._keys = {tensor.name.encode(): name for name, tensor in (*self.inputs.items(), *self.outputs.items())}

    def _guard(self, function: Callable[[], None]) -> int:
        """What is raised in a callback stops the stream, and is raised where it was begun."""
        if self.is_stopped:
            return 1
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - raised by Vm.stream
            self.error = error
            return 1
        return 0

    def _advance(self, chunk: int) -> None:
        while self._number < chunk:
            self._next = next(self._chunks, None)
            self._number += 1
            if self._next is not None and set(self._next) != set(self.inputs):
                raise InputError(
                    next(iter(set(self._next) ^ set(self.inputs))),
                    f"Chunk {chunk} has the inputs {', '.join(self._next)}, and the first one {', '.join(self.inputs)}.",
                )

    def _fill(self, name: bytes, chunk: int, data: int, rows: Any) -> None:
        self._advance(chunk)
        if self._next is None:
            rows[0] = 0
            return
        tensor, value = self._by_name[name], self._next[self._keys[name]]
        count = _rows_of(value, tensor, chunk)
        array = convert(value, dataclasses.replace(tensor, shape=(count, *tensor.shape[1:])))
        ctypes.memmove(data, array.ctypes.data, array.nbytes)
        rows[0] = count

    def _drain(self, name: bytes, data: int, size: int) -> None:
        key = self._keys[name]
        tensor = self.outputs[key]
        row = dataclasses.replace(tensor, shape=tensor.shape[1:]).nbytes
        array: Array = np.empty((size // row if row else tensor.shape[0], *tensor.shape[1:]), dtype=tensor.dtype)
        ctypes.memmove(array.ctypes.data, data, array.nbytes)
        self._taken[key] = array
        if len(self._taken) == len(self.outputs):
            taken, self._taken = self._taken, {}
            self._take(taken)

    def struct(self) -> _native.StreamStruct:
        """What C takes; ctypes keeps what it points to."""
        refill = _native.Refill(
            lambda _user, name, chunk, data, _size, rows, _last: self._guard(lambda: self._fill(name, chunk, data, rows))
        )
        drain = _native.Drain(lambda _user, name, _chunk, data, size: self._guard(lambda: self._drain(name, data, size)))
        inputs = _native.strings([tensor.name.encode() for tensor in self.inputs.values()])
        outputs = _native.strings([tensor.name.encode() for tensor in self.outputs.values()])
        return _native.StreamStruct(
            struct_bytes=ctypes.sizeof(_native.StreamStruct),
            inputs=inputs,
            num_inputs=len(self.inputs),
            refill=refill,
            outputs=outputs,
            num_outputs=len(self.outputs),
            drain=drain,
        )
