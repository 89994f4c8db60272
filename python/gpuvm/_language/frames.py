"""The user's line: where an operation stands in Python, and what it is called there."""

from __future__ import annotations

import functools
import os
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from dis import Instruction

    from .ir import Value

_OURS: Final = tuple(os.path.dirname(os.path.abspath(path)) + os.sep for path in (os.path.dirname(__file__), np.__file__))
_STORES: Final = ("STORE_FAST", "STORE_NAME", "STORE_DEREF", "STORE_GLOBAL")


@dataclass(frozen=True)
class Place:
    """A line of Python."""

    file: str
    line: int
    column: int
    names: tuple[str, ...]
    """What is assigned there."""

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}, line {self.line}"


_RETURNED: Final = ("return",)
"""In the place of names: what is made is returned."""
NOWHERE: Final = Place("", 0, 0, ())


def is_ours(code: types.CodeType) -> bool:
    """Whether code belongs to this package or to NumPy, so that an error in it is one of its caller."""
    return code.co_filename.startswith((*_OURS, "<__array_function__"))


def _stored(instruction: Instruction) -> str:
    """The name that an instruction assigns, or ""."""
    if not instruction.opname.startswith(_STORES):
        return ""
    name = instruction.argval
    return str(name[0] if isinstance(name, tuple) else name)


@functools.lru_cache(maxsize=4096)
def _names(code: types.CodeType) -> dict[int, tuple[str, ...]]:
    """By the offset of an instruction, the names to which its result is assigned."""
    import dis  # Both take a while to import, and a program from the cache needs neither before its first call.

    instructions = [each for each in dis.get_instructions(code) if each.opname not in ("CACHE", "EXTENDED_ARG")]
    found: dict[int, tuple[str, ...]] = {}
    for index, each in enumerate(instructions[:-1]):
        follower = instructions[index + 1]
        count = follower.arg if follower.opname == "UNPACK_SEQUENCE" and follower.arg else 0
        targets = instructions[index + 2 : index + 2 + count] if count else [follower]
        names = _RETURNED if follower.opname == "RETURN_VALUE" else tuple(_stored(target) for target in targets)
        if any(names):
            # Of a call, the place of a frame is that of the instruction or of one of its cache entries.
            found |= dict.fromkeys(range(each.offset, follower.offset, 2), names)
    return found


@functools.lru_cache(maxsize=4096)
def _positions(code: types.CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


@functools.lru_cache(maxsize=16384)
def _place(code: types.CodeType, offset: int) -> Place:
    positions = _positions(code)
    line, _, column, _ = positions[offset // 2] if 0 <= offset // 2 < len(positions) else (None, None, None, None)
    return Place(code.co_filename, line or code.co_firstlineno, (column or 0) + 1, _names(code).get(offset, ()))


def place() -> Place:
    """Of the innermost frame that is the user's. What it returns at once has the name that its caller gives it."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    if frame is None:
        return NOWHERE
    found = _place(frame.f_code, frame.f_lasti)
    while found.names == _RETURNED and frame is not None and frame.f_back is not None and not is_ours(frame.f_back.f_code):
        frame = frame.f_back
        found = replace(found, names=_place(frame.f_code, frame.f_lasti).names)
    return found if found.names != _RETURNED else replace(found, names=())


def place_of(function: Callable[..., object]) -> Place:
    """Of a definition."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return NOWHERE
    return Place(code.co_filename, code.co_firstlineno, 1, ())


def name_arguments(function: object, values: Sequence[Value], skipped: int = 0) -> None:
    """Gives the values that a function takes the names that it has for them."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return
    names = code.co_varnames[skipped : code.co_argcount]
    if len(names) == len(values):
        for value, name in zip(values, names, strict=True):
            value.hint = name


def shortened(trace: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without the frames of this package."""
    if trace is None:
        return None
    rest = shortened(trace.tb_next)
    if is_ours(trace.tb_frame.f_code):
        return rest
    return types.TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
