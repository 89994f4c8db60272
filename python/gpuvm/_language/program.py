"""Programs that are traced: a function, the shapes it was called with, the text, and what is compiled of it."""

from __future__ import annotations

import functools
import inspect
import linecache
import os
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt

from .._compile import Option
from .._compile import compile as compile_text
from .._program import Program
from .._tensors import Array as HostArray
from .._tensors import Tensor, as_host_array, convert
from ..errors import CompileError, Diagnostic, InputError, TraceError, UsageError
from .array import Array, as_array
from .build import Trace, tracing
from .control import Stage
from .dtypes import DType, as_dtype, element_of
from .frames import Place, is_ours, place_of, shortened
from .ir import Names, Value, Writer, remove_unused, use, write_ops
from .operations import PackedArray, packed_type
from .shapes import as_shape
from .trees import Rebuild, flatten

_STATIC: Final = (bool, int, float, complex, str, bytes, type(None), tuple, frozenset, np.dtype, type, types.FunctionType)


# --- Arguments ---------------------------------------------------------------------


@dataclass(frozen=True)
class Bounded:
    """Annotates an array with at most `rows` rows: each call gives as many as there are, and nothing is compiled again.

    `points: Annotated[gpuvm.Array, gpuvm.Bounded(1000)]`, or `points: gpuvm.Bounded(1000)` where no types are checked.
    """

    rows: int
    rows_of: str = ""
    """An argument before it that has the same rows, so that both can be combined."""


@dataclass(frozen=True)
class Packed:
    """Annotates packed data (docs/codecs.md): a call gives its bytes, and gpuvm.ops.decode makes an array of them."""

    codec: str
    shape: int | tuple[int, ...]
    dtype: npt.DTypeLike


@dataclass(frozen=True)
class _Kind:
    """What the annotation of a parameter says."""

    dtype: DType | None = None
    bound: Bounded | None = None
    packed: Packed | None = None

    @property
    def is_leaf(self) -> bool:
        return self != _Kind()


@dataclass(frozen=True)
class Argument:
    """An array that a call gives."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    form: str = "tensor"
    """Of values (ir.Value)."""
    rows_of: str = ""

    def array(self, value: Value) -> Any:
        """What the function is given."""
        if self.form.startswith("!gpuvm.packed"):
            return PackedArray(value, self.shape, self.dtype)
        return Array(value, self.dtype)


class _Signature:
    """Which parameters of a function are arrays: those without a default. The others are parts of the program."""

    def __init__(self, function: Callable[..., Any]) -> None:
        name = function.__name__
        self.name = name if name.isascii() and name.isidentifier() else "program"
        self._signature = inspect.signature(function)
        self.arrays: list[str] = []
        self.kinds: dict[str, _Kind] = {}
        annotations = _annotations(function)
        for parameter in self._signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                raise TraceError(f"The program {self.name} has **{parameter.name}: its inputs have names of their own.")
            self.kinds[parameter.name] = _kind(annotations.get(parameter.name))
            if parameter.kind is not parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
                self.arrays.append(parameter.name)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The values of all parameters."""
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}(): {error}") from None
        bound.apply_defaults()
        return dict(bound.arguments)

    def call(self, function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
        """Calls the function with these values."""
        args, kwargs = [], {}
        for name, parameter in self._signature.parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                args += values[name]
            elif parameter.kind is parameter.KEYWORD_ONLY:
                kwargs[name] = values[name]
            else:
                args.append(values[name])
        return function(*args, **kwargs)


def _kind(annotation: Any) -> _Kind:
    dtype, bound, packed = None, None, None
    for each in (annotation, *getattr(annotation, "__metadata__", ())):
        if isinstance(each, type) and issubclass(each, np.generic):
            dtype = as_dtype(each)
        bound = each if isinstance(each, Bounded) else bound
        packed = each if isinstance(each, Packed) else packed
    return _Kind(dtype, bound, packed)


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return inspect.get_annotations(function, eval_str=True)
    except Exception:  # noqa: BLE001 - whatever they hold, they need not be there
        return {}


def _argument(name: str, array: HostArray, kind: _Kind) -> Argument:
    """What a program is made for."""
    if kind.packed is not None:
        dtype, shape = as_dtype(kind.packed.dtype), as_shape(kind.packed.shape)
        return Argument(name, dtype, shape, packed_type(kind.packed.codec, shape, dtype))
    dtype, shape = as_dtype(array.dtype), tuple(array.shape)
    if kind.bound is None:
        return Argument(name, dtype, shape)
    if not shape or shape[0] > kind.bound.rows:
        rows = f"{shape[0]} rows" if shape else "no rows"
        raise InputError(name, f'Argument "{name}": the array has {rows}, and there is room for {kind.bound.rows}.')
    return Argument(name, dtype, (kind.bound.rows, *shape[1:]), "bounded", kind.bound.rows_of)


def _host(name: str, value: Any, kind: _Kind, program: str) -> HostArray:
    """What an argument is, as an array of NumPy: converted only if the parameter says to what."""
    if isinstance(value, Array):
        raise UsageError(
            f'"{program}" is a program, which cannot be called while another one is traced: call a function, or a gpuvm.stage.'
        )
    if kind.packed is not None:
        return _bytes(name, value, program)
    if kind.dtype is not None:
        return convert(value, Tensor(name, element_of(kind.dtype), np.shape(value), kind.dtype, "")).view(kind.dtype)
    if isinstance(value, (bool, int, float, complex)):
        raise InputError(
            name,
            f'Argument "{name}" of {program}: {value!r} has no type; pass np.float32({value!r}), annotate the parameter '
            f"({name}: np.float32), or give it a default, so that it is a part of the program.",
        )
    if isinstance(value, (str, bytes, type(None), types.FunctionType)):
        raise InputError(
            name,
            f'Argument "{name}" of {program}: {value!r} is no array; a parameter with a default takes it.',
        )
    return as_host_array(name, value)


def _bytes(name: str, value: Any, program: str) -> HostArray:
    array = np.frombuffer(value, np.int8) if isinstance(value, (bytes, bytearray)) else as_host_array(name, value)
    if array.dtype.itemsize != 1 or array.dtype.kind not in "iu":
        raise InputError(name, f'Argument "{name}" of {program}: packed data is bytes, not elements of {array.dtype}.')
    return array


def _leaves(name: str, value: Any, program: str) -> tuple[list[tuple[str, Any]], Rebuild]:
    """Arrays in a tuple, a dictionary or the like; a list of numbers has no type."""
    leaves, rebuild = flatten(value, name)
    if isinstance(value, (list, tuple)) and (not leaves or any(isinstance(leaf, (bool, int, float)) for _, leaf in leaves)):
        raise InputError(
            name,
            f'Argument "{name}" of {program}: the {type(value).__name__} of numbers has no type; pass np.array(..., dtype=...), '
            f"or annotate the parameter ({name}: np.float32).",
        )
    return leaves, rebuild


# --- What a function uses from outside -------------------------------------------------


class _Outside:
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


# --- What is traced -----------------------------------------------------------------


class Traced:
    """The text of a program for arrays of certain shapes."""

    name: str
    mlir: str
    """Readable: a line of Python stands above what it became."""
    located: str
    """What is compiled: the same, with the place of each operation."""

    def __init__(
        self, trace: Trace, arguments: list[Argument], outputs: list[tuple[str, DType]], rebuild: Rebuild, texts: tuple[str, str]
    ) -> None:
        self.name = trace.name
        self.mlir, self.located = texts
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


def _trace(
    function: Callable[..., Any],
    signature: _Signature,
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
    flat = [each for group in arguments.values() for each in group]
    outputs = _output_names([name for name, _ in arrays], results, [value.hint for value in inputs])
    shown, located = (
        _text(trace, inputs, flat, list(zip(outputs, results, strict=True)), with_places, place_of(function))
        for with_places in (False, True)
    )
    typed = [(name, array.dtype) for name, (_, array) in zip(outputs, arrays, strict=True)]
    return Traced(trace, flat, typed, _with_none(rebuild, [leaf is None for _, leaf in leaves]), (shown, located))


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
    with_places: bool,
    where: Place,
) -> str:
    writer, names = Writer(with_places), Names()
    results = [value for _, value in outputs]
    remove_unused(trace.program, {id(value) for value in results})
    given = ", ".join(
        f"{names.give(value)}: {value.type}" + (f" rows %{each.rows_of}" if each.rows_of else "")
        for value, each in zip(inputs, arguments, strict=True)
    )
    made = ", ".join(f"{name}: {value.type}" for name, value in outputs)
    arrow = f" -> ({made})" if made else ""
    writer.line(0, f"gpuvm.program @{trace.name}({given}){arrow} {{", where, opens=True)
    for symbol in trace.symbols.values():
        writer.line(1, symbol.declaration())
    write_ops(writer, trace.program, 1, names)
    listed = ", ".join(value.name for value in results)
    types_ = ", ".join(value.outer_type for value in results)
    writer.line(1, f"gpuvm.return{f' {listed} : {types_}' if results else ''}")
    writer.close(0, "}", where)
    return writer.text()


# --- Programs -----------------------------------------------------------------------


class TracedProgram:
    """A function that is traced and compiled for the shapes, types and static arguments of each call, once for each."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._signature = _Signature(function)
        self._options = dict(options)
        self._made: dict[Any, tuple[Traced, Program]] = {}
        self._lock = threading.Lock()
        self._outside: _Outside | None = None
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
            leaves, trees[name] = ([(name, given[name])], next) if kind.is_leaf else _leaves(name, given[name], signature.name)
            arguments[name] = []
            for path, leaf in leaves:
                inputs[path] = _host(path, leaf, kind, signature.name)
                arguments[name].append(_argument(path, inputs[path], kind))
            del given[name]
        for name, value in given.items():
            _check_static(name, value, signature.name)
        return given, inputs, arguments, trees

    def _compiled(
        self, given: dict[str, Any], arguments: dict[str, list[Argument]], trees: dict[str, Rebuild]
    ) -> tuple[Traced, Program]:
        with self._lock:
            if self._outside is None:
                self._outside = _Outside(self._function)
            static = tuple((name, type(value).__name__, value) for name, value in given.items())
            key = (tuple((name, *each) for name, each in arguments.items()), static, self._outside.values())
            found = self._made.get(key)
            if found is None or not found[0]._is_current():
                traced = self._traced(given, arguments, trees)
                found = self._made[key] = (traced, compile_traced(traced, self._options))
            self._last = found[0]
            return found

    def _traced(self, given: dict[str, Any], arguments: dict[str, list[Argument]], trees: dict[str, Rebuild]) -> Traced:
        try:
            self._last = _trace(self._function, self._signature, given, arguments, trees)
        except Exception as error:  # noqa: BLE001 - it goes on, with a shorter traceback
            raise error.with_traceback(shortened(error.__traceback__)) from error.__cause__
        return self._last


def _check_static(name: str, value: Any, program: str) -> None:
    if isinstance(value, (list, dict, set, np.ndarray, Array)):
        raise InputError(
            name,
            f'Argument "{name}" of {program}: a parameter with a default is fixed, and a {type(value).__name__} may change; '
            "pass a tuple, or take the default away, so that it is an array.",
        )
    try:
        hash(value)
    except TypeError:
        raise InputError(
            name, f'Argument "{name}" of {program}: {value!r} cannot be a part of a program: it has no hash.'
        ) from None


def compile_traced(traced: Traced, options: Mapping[str, Any]) -> Program:
    """Compiles the text; diagnostics show the lines of Python."""
    try:
        return compile_text(traced.located, name=f"{traced.name}.mlir", **options)
    except CompileError as error:
        raise _quoted(error) from None


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
