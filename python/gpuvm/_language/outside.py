"""What a function reads from around: numbers there are parts of a program, too."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .control import Stage
from .frames import is_ours


class Outside:
    """Numbers, texts and the like that a function and those it calls read from around: parts of the program, too."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._cells: list[tuple[str, types.CellType]] = []
        self._globals: list[tuple[str, dict[str, Any]]] = []
        self._seen: set[int] = set()
        self._visit(function)

    def _visit(self, function: Any) -> None:
        function = function._function if isinstance(function, Stage) else function
        if not isinstance(function, types.FunctionType) or is_ours(function.__code__) or id(function) in self._seen:
            return
        self._seen.add(id(function))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._cells.append((name, cell))
            self._visit(_content(cell))
        for name in sorted(_global_names(function.__code__)):
            if name in function.__globals__:
                self._globals.append((name, function.__globals__))
                self._visit(function.__globals__[name])

    def values(self) -> tuple[Any, ...]:
        """As they are now."""
        found = [_content(cell) for _, cell in self._cells] + [names.get(name) for name, names in self._globals]
        return tuple(_frozen(each) for each in found)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None  # Not yet.


def _global_names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _global_names(constant)
    return names


def _frozen(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str, np.generic)):
        return type(value).__name__, value
    if isinstance(value, tuple):
        return tuple(_frozen(each) for each in value)
    return None
