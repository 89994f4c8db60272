"""The user's line: where an operation stands in Python, and what it is called there."""

from __future__ import annotations

import dis
import functools
import inspect
import os
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

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


NOWHERE: Final = Place("", 0, 0, ())


def is_ours(code: types.CodeType) -> bool:
    """Whether code belongs to this package or to NumPy, so that an error in it is one of its caller."""
    return code.co_filename.startswith((*_OURS, "<__array_function__"))


def _stored(instruction: dis.Instruction) -> str:
    """The name that an instruction assigns, or ""."""
    if not instruction.opname.startswith(_STORES):
        return ""
    name = instruction.argval
    return str(name[0] if isinstance(name, tuple) else name)


@functools.lru_cache(maxsize=4096)
def _names(code: types.CodeType) -> dict[int, tuple[str, ...]]:
    """By the offset of an instruction, the names to which its result is assigned."""
    instructions = [each for each in dis.get_instructions(code) if each.opname not in ("CACHE", "EXTENDED_ARG")]
    found: dict[int, tuple[str, ...]] = {}
    for index, each in enumerate(instructions[:-1]):
        follower = instructions[index + 1]
        count = follower.arg if follower.opname == "UNPACK_SEQUENCE" and follower.arg else 0
        targets = instructions[index + 2 : index + 2 + count] if count else [follower]
        names = tuple(_stored(target) for target in targets)
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
    """Of the innermost frame that is the user's."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    return _place(frame.f_code, frame.f_lasti) if frame is not None else NOWHERE


def place_of(function: Callable[..., object]) -> Place:
    """Of a definition."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if not isinstance(code, types.CodeType):
        return NOWHERE
    return Place(code.co_filename, code.co_firstlineno, 1, ())


def shortened(trace: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without the frames of this package."""
    if trace is None:
        return None
    rest = shortened(trace.tb_next)
    if is_ours(trace.tb_frame.f_code):
        return rest
    return types.TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
