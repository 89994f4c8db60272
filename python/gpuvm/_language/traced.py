"""From a function and what a call gives to the text of a program, and to a plan."""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from .._compile import compile as compile_text
from .._program import Program
from .._tensors import Array as HostArray
from ..errors import CompileError, Diagnostic, UsageError
from .arguments import Argument, Signature
from .array import as_array
from .dtypes import DType, element_of
from .emission import Trace, tracing
from .frames import NOWHERE, Place, place_of
from .ir import Names, Value, Writer, remove_unused, use, write_ops
from .trees import Rebuild, flatten

Write: TypeAlias = Callable[[bool, bool], str]
"""A text: with places, and with symbols."""


class Traced:
    """The text of a program for arrays of certain shapes."""

    name: str
    mlir: str
    """Readable: a line of Python stands above what it became."""
    located: str
    """What is compiled: the same, with the place of each operation."""

    def __init__(
        self, trace: Trace, arguments: list[Argument], outputs: list[tuple[str, DType]], rebuild: Rebuild, write: Write
    ) -> None:
        """Made by gpuvm only."""
        self.name = trace.name
        self.mlir, self.located = write(False, True).rstrip(), write(True, True)
        self._part = write(True, False)
        self._symbols = {name: symbol.declaration() for name, symbol in trace.symbols.items()}
        self.arguments = arguments
        self._outputs = outputs
        self._rebuild = rebuild
        self._captured = trace.captured

    def __str__(self) -> str:
        return self.mlir

    def __repr__(self) -> str:
        inputs = ", ".join(f"{each.name}: {each.dtype}{list(each.shape)}" for each in self.arguments)
        return f"<gpuvm.Traced {self.name}({inputs})>"

    def _is_current(self) -> bool:
        """Whether the arrays and lists that became constants are what they were."""
        return all(_equals(given, kept) for given, kept in self._captured)

    def _results(self, outputs: Mapping[str, HostArray]) -> Any:
        return self._rebuild(iter([outputs[name].view(dtype) for name, dtype in self._outputs]))


def _equals(given: Any, kept: Any) -> bool:
    if isinstance(given, np.ndarray):
        return bool(given.dtype == kept.dtype and given.tobytes() == kept.tobytes())
    return bool(list(given) == kept)


def trace_function(
    function: Callable[..., Any],
    signature: Signature,
    given: dict[str, Any],
    arguments: dict[str, list[Argument]],
    trees: dict[str, Rebuild],
) -> Traced:
    """Runs the function once."""
    trace = Trace(signature.name)
    inputs: list[Value] = []
    values: dict[str, Any] = dict(given)
    for name, each in arguments.items():
        made = [Value(trace.program, element_of(one.dtype), one.shape, one.form, one.name) for one in each]
        inputs += made
        values[name] = trees[name](iter([one.array(value) for value, one in zip(made, each, strict=True)]))
    with tracing(trace):
        made_tree = signature.call(function, values)
        trace.close_stage()
        leaves, rebuild = flatten(made_tree, "")
        arrays = [(name, as_array(leaf)) for name, leaf in leaves if leaf is not None]
        results = [use(array._value, trace.program) for _, array in arrays]
    trace.rename_stages()
    flat = [each for group in arguments.values() for each in group]
    outputs = _output_names([name for name, _ in arrays], results, [value.hint for value in inputs])
    named = list(zip(outputs, results, strict=True))

    def write(with_places: bool, with_symbols: bool) -> str:
        return _text(trace, inputs, flat, named, place_of(function) if with_places else None, with_symbols)

    typed = [(name, array.dtype) for name, (_, array) in zip(outputs, arrays, strict=True)]
    return Traced(trace, flat, typed, _with_none(rebuild, [leaf is None for _, leaf in leaves]), write)


def _with_none(rebuild: Rebuild, is_none: list[bool]) -> Rebuild:
    def with_none(values: Iterator[Any]) -> Any:
        return rebuild(iter([None if each else next(values) for each in is_none]))

    return with_none


def _output_names(paths: list[str], results: list[Value], inputs: list[str]) -> list[str]:
    """The keys of a dictionary, else what they are called in the function, else result."""
    names = Names()
    for name in inputs:
        names.fresh(name)
    wanted = [
        path if path and not path[0].isdigit() else value.hint or f"result{path}"
        for path, value in zip(paths, results, strict=True)
    ]
    return [
        names.fresh(name if name.isascii() and name.isidentifier() else f"result{index}") for index, name in enumerate(wanted)
    ]


def _text(
    trace: Trace,
    inputs: list[Value],
    arguments: list[Argument],
    outputs: list[tuple[str, Value]],
    where: Place | None,
    with_symbols: bool,
) -> str:
    """With places if there is one of the whole program."""
    writer, names = Writer(where is not None), Names()
    results = [value for _, value in outputs]
    remove_unused(trace.program, {id(value) for value in results})
    given = ", ".join(
        f"{names.give(value)}: {value.type}" + (f" rows %{each.rows_of}" if each.rows_of else "")
        for value, each in zip(inputs, arguments, strict=True)
    )
    made = ", ".join(f"{name}: {value.type}" for name, value in outputs)
    arrow = f" -> ({made})" if made else ""
    writer.line(0, f"gpuvm.program @{trace.name}({given}){arrow} {{", where or NOWHERE, opens=True)
    for symbol in trace.symbols.values() if with_symbols else ():
        writer.line(1, symbol.declaration())
    write_ops(writer, trace.program, 1, names)
    listed = ", ".join(value.name for value in results)
    types_ = ", ".join(value.outer_type for value in results)
    writer.line(1, f"gpuvm.return{f' {listed} : {types_}' if results else ''}")
    writer.close(0, "}", where or NOWHERE)
    return writer.text()


def compile_traced(traced: Sequence[Traced], options: Mapping[str, Any]) -> Program:
    """Compiles one program, or several over one memory; diagnostics show the lines of Python."""
    try:
        return compile_text(_joined(traced), name=f"{traced[0].name}.mlir", **options)
    except CompileError as error:
        raise _quoted(error) from None


def _joined(traced: Sequence[Traced]) -> str:
    """A text of all programs, with their symbols once."""
    if len(traced) == 1:
        return traced[0].located
    symbols: dict[str, str] = {}
    names: set[str] = set()
    for each in traced:
        if each.name in names:
            raise UsageError(f'There are two programs "{each.name}": give the functions different names.')
        names.add(each.name)
        for name, declaration in each._symbols.items():
            if symbols.setdefault(name, declaration) != declaration:
                raise UsageError(f'"{each.name}" has another symbol "{name}" than a program before it.')
    return "\n".join([*symbols.values(), *(each._part for each in traced)])


def _quoted(error: CompileError) -> CompileError:
    """With the user's lines: the compiler has only the text that was made of them."""
    diagnostics = [_with_line(each) for each in error.diagnostics]
    return CompileError(diagnostics, "\n".join(str(each) for each in diagnostics if each.text) or str(error))


def _with_line(diagnostic: Diagnostic) -> Diagnostic:
    source = linecache.getline(diagnostic.file, diagnostic.line).rstrip("\n") if diagnostic.file and diagnostic.line else ""
    if not source or not diagnostic.text or os.path.splitext(diagnostic.file)[1] == ".mlir":
        return diagnostic
    first, _, rest = diagnostic.text.partition("\n")
    caret = " " * max(diagnostic.column - 1, 0) + "^"
    lines = [first, source, caret] + ([rest] if rest.strip() else [])
    return Diagnostic(
        diagnostic.severity, diagnostic.file, diagnostic.line, diagnostic.column, diagnostic.message, "\n".join(lines)
    )
