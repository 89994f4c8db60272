"""What a plan has: asked of a VM, or of the plan itself, without a device."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from . import _native
from ._html import table
from ._tensors import Tensor, dtype_of, suggest
from .errors import UsageError

_CODE: Final = {"glsl": _native.PAGE_GLSL, "spirv": _native.PAGE_SPIRV}


@dataclass(frozen=True)
class Stage:
    """A stage of a plan."""

    name: str
    instance: int
    location: str
    """"file.mlir:12:5", or ""."""


@dataclass(frozen=True)
class Description:
    """In the order in which the program declares them."""

    inputs: Mapping[str, Tensor]
    """By name; in a plan of several programs with the program and a dot before it."""
    outputs: Mapping[str, Tensor]
    symbols: Mapping[str, Tensor]
    """Metrics, globals, control words and constants."""
    parameters: Mapping[str, int | float]
    """The values that the plan was compiled for."""
    programs: tuple[str, ...]
    stages: tuple[Stage, ...]

    def check_program(self, program: str | None) -> str:
        """The program of this name; None: the only one."""
        names = ", ".join(self.programs)
        if program is None:
            if len(self.programs) == 1:
                return self.programs[0]
            raise UsageError(f"The plan has {len(self.programs)} programs, and none is named: {names}.")
        if program in self.programs:
            return program
        raise UsageError(f'There is no program "{program}"{suggest(program, self.programs)} (programs: {names}).')

    def __str__(self) -> str:
        """Programs, parameters, inputs, outputs and symbols, one a line."""
        lines = [f"program {name}" for name in self.programs]
        lines += [f"parameter {name} = {value}" for name, value in self.parameters.items()]
        for what, tensors in (("input", self.inputs), ("output", self.outputs), ("symbol", self.symbols)):
            for tensor in tensors.values():
                place = f" in {tensor.region}" if what == "symbol" else ""
                rows = f", rows counted by {tensor.rows}" if tensor.rows else ""
                lines.append(f"{what} {tensor}{place}{rows}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows: list[tuple[str, ...]] = [("program", name, "", "", "") for name in self.programs]
        for what, tensors in (("input", self.inputs), ("output", self.outputs), ("symbol", self.symbols)):
            rows += [
                (what, each.name, each.type, each.region, f"rows: {each.rows}" if each.rows else "") for each in tensors.values()
            ]
        rows += [("stage", stage.name, "", "", stage.location) for stage in self.stages]
        return table(("", "name", "type", "region", ""), rows)


Ask = Callable[..., None]
"""A function of C by its name, with what follows the VM or the plan; raises what it says."""


def _items(ask: Ask, prefix: str, kind: int) -> Iterator[_native.Item]:
    count = ctypes.c_size_t()
    ask(f"{prefix}count", kind, ctypes.byref(count))
    for index in range(count.value):
        item = _native.Item(struct_bytes=ctypes.sizeof(_native.Item))
        ask(f"{prefix}describe", kind, index, ctypes.byref(item))
        yield item


def _tensor(item: _native.Item) -> Tensor:
    element = item.element.decode()
    return Tensor(
        name=item.name.decode(),
        element=element,
        shape=tuple(item.shape[axis] for axis in range(item.rank)),
        dtype=dtype_of(element),
        region=_native.REGIONS[item.region] if item.region >= 0 else "",
        rows=item.rows.decode(),
        bound=item.bound,
    )


def _number(text: str) -> int | float:
    """Of a parameter: a float has a point or an exponent."""
    return int(text) if text.lstrip("-").isdecimal() else float(text)


def describe(ask: Ask, prefix: str = "vm_") -> Description:
    """All that a plan has."""

    def tensors(kind: int) -> dict[str, Tensor]:
        found = [_tensor(item) for item in _items(ask, prefix, kind)]
        return {tensor.name: tensor for tensor in found}

    return Description(
        inputs=tensors(_native.INPUT),
        outputs=tensors(_native.OUTPUT),
        symbols=tensors(_native.SYMBOL),
        parameters={item.name.decode(): _number(item.value.decode()) for item in _items(ask, prefix, _native.PARAMETER)},
        programs=tuple(item.name.decode() for item in _items(ask, prefix, _native.PROGRAM)),
        stages=tuple(
            Stage(item.name.decode(), item.instance, item.location.decode()) for item in _items(ask, prefix, _native.STAGE)
        ),
    )


def _check(status: int) -> None:
    if status:
        raise _native.error_of(status, _native.runtime().vm_last_error(None).decode(errors="replace"))


def plan_page(plan: bytes, title: str | None, profile: str | None, code: Iterable[str]) -> str:
    """The page that gpuvm-plan html writes."""
    wanted = 0
    for each in code:
        if each not in _CODE:
            raise UsageError(f'There is no text "{each}" of kernels{suggest(each, _CODE)} (texts: {", ".join(_CODE)}).')
        wanted |= _CODE[each]
    library = _native.runtime()
    page, size = ctypes.c_void_p(), ctypes.c_size_t()
    name = None if title is None else _native.text_bytes(title)
    times = None if profile is None else profile.encode()
    _check(library.vm_plan_page(plan, len(plan), name, times, wanted, ctypes.byref(page), ctypes.byref(size)))
    try:
        return ctypes.string_at(page, size.value).decode(errors="replace")
    finally:
        library.vm_page_free(page)


def describe_plan(plan: bytes) -> Description:
    """The same without a VM: the plan is checked, and no device is opened."""
    library = _native.runtime()
    handle = ctypes.c_void_p()

    def ask(name: str, *arguments: Any) -> None:
        _check(getattr(library, name)(handle, *arguments))

    _check(library.vm_plan_read(plan, len(plan), ctypes.byref(handle)))
    try:
        return describe(ask, "vm_plan_")
    finally:
        library.vm_plan_free(handle)
