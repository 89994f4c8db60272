"""Programs: functions that are traced, compiled and called."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, overload

from .._compile import Option
from .._program import Program
from .._tensors import Array as HostArray
from ..errors import UsageError
from .arguments import Argument, Signature, argument_of, check_static, host_array, leaves_of
from .frames import shortened
from .outside import Outside
from .traced import Traced, compile_traced, trace_function
from .trees import Rebuild


class TracedProgram:
    """A function that is traced and compiled for the shapes, types and static arguments of each call, once for each."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._signature = Signature(function)
        self._options = dict(options)
        self._made: dict[Any, tuple[Traced, Program]] = {}
        self._lock = threading.RLock()
        self._outside: Outside | None = None
        self._last: Traced | None = None

    def __repr__(self) -> str:
        return f"<gpuvm.program {self._signature.name}: {len(self._made)} compiled>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program; results as the function returns them. What it remembers stays, for each of its shapes."""
        given, inputs, arguments, trees = self._prepare(args, kwargs)
        traced, program = self._compiled(given, arguments, trees)
        return traced._results(program(**inputs))

    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """The program for such arguments, neither compiled nor run."""
        given, _, arguments, trees = self._prepare(args, kwargs)
        return self._traced(given, arguments, trees)

    def compile(self, *args: Any, **kwargs: Any) -> Program:
        """The compiled program for such arguments, which is that of calls; nothing is run."""
        given, _, arguments, trees = self._prepare(args, kwargs)
        return self._compiled(given, arguments, trees)[1]

    def clear(self) -> None:
        """Forgets what was compiled, and with it the memory of these programs."""
        with self._lock:
            self._made.clear()

    @property
    def mlir(self) -> str:
        """The text of the last call, or of `trace`."""
        if self._last is None:
            raise UsageError(
                f'"{self._signature.name}" has not been called: {self._signature.name}.trace(...).mlir takes its arguments.'
            )
        return self._last.mlir

    def _prepare(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, HostArray], dict[str, list[Argument]], dict[str, Rebuild]]:
        """Static values, arrays by name, what these are, and how they lie in the arguments."""
        signature = self._signature
        given = signature.bind(args, kwargs)
        inputs: dict[str, HostArray] = {}
        arguments: dict[str, list[Argument]] = {}
        trees: dict[str, Rebuild] = {}
        for name in signature.arrays:
            kind = signature.kinds[name]
            leaves, trees[name] = ([(name, given[name])], next) if kind.is_leaf else leaves_of(name, given[name], signature.name)
            arguments[name] = []
            for path, leaf in leaves:
                inputs[path] = host_array(path, leaf, kind, signature.name)
                arguments[name].append(argument_of(path, inputs[path], kind))
            del given[name]
        for name, value in given.items():
            check_static(name, value, signature.name)
        return given, inputs, arguments, trees

    def _compiled(
        self, given: dict[str, Any], arguments: dict[str, list[Argument]], trees: dict[str, Rebuild]
    ) -> tuple[Traced, Program]:
        with self._lock:
            if self._outside is None:
                self._outside = Outside(self._function)
            static = tuple((name, type(value).__name__, value) for name, value in given.items())
            key = (tuple((name, *each) for name, each in arguments.items()), static, self._outside.values())
            found = self._made.get(key)
            if found is None or not found[0]._is_current():
                traced = self._traced(given, arguments, trees)
                found = self._made[key] = (traced, compile_traced([traced], self._options))
            self._last = found[0]
            return found

    def _traced(self, given: dict[str, Any], arguments: dict[str, list[Argument]], trees: dict[str, Rebuild]) -> Traced:
        try:
            self._last = trace_function(self._function, self._signature, given, arguments, trees)
        except Exception as error:  # noqa: BLE001 - it goes on, with a shorter traceback
            raise error.with_traceback(shortened(error.__traceback__)) from error.__cause__
        return self._last


@overload
def program(function: Callable[..., Any], /) -> TracedProgram: ...
@overload
def program(
    *, device: str = "", cache: str | os.PathLike[str] | bool | None = None, **options: Option
) -> Callable[[Callable[..., Any]], TracedProgram]: ...


def program(
    function: Callable[..., Any] | None = None, /, **options: Any
) -> TracedProgram | Callable[[Callable[..., Any]], TracedProgram]:
    """Makes a function on arrays a program: each call runs it on the device.

    A parameter without a default is an array, or a tuple or dictionary of arrays; one with a default, or after `*`, is a
    part of the program: a number, a text, a tuple. The program is traced and compiled once for the shapes, types and
    static arguments of a call. options: of gpuvm.compile.
    """
    if function is None:
        return lambda each: TracedProgram(each, options)
    return TracedProgram(function, options)
