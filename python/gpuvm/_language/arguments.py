"""Parameters of a program: which are arrays, what a call gives for them, and what the program is made for."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._tensors import Array as HostArray
from .._tensors import Tensor, as_host_array, convert
from ..errors import InputError, TraceError, UsageError
from .array import Array
from .dtypes import DType, as_dtype, element_of
from .ir import Value
from .operations import PackedArray, packed_type
from .shapes import as_shape
from .trees import Rebuild, flatten


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
class Kind:
    """What the annotation of a parameter says."""

    dtype: DType | None = None
    bound: Bounded | None = None
    packed: Packed | None = None

    @property
    def is_leaf(self) -> bool:
        return self != Kind()


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


class Signature:
    """Which parameters of a function are arrays: those without a default. The others are parts of the program."""

    def __init__(self, function: Callable[..., Any]) -> None:
        name = function.__name__
        self.name = name if name.isascii() and name.isidentifier() else "program"
        self._signature = inspect.signature(function)
        self.arrays: list[str] = []
        self.kinds: dict[str, Kind] = {}
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


def _kind(annotation: Any) -> Kind:
    dtype, bound, packed = None, None, None
    for each in (annotation, *getattr(annotation, "__metadata__", ())):
        if isinstance(each, type) and issubclass(each, np.generic):
            dtype = as_dtype(each)
        bound = each if isinstance(each, Bounded) else bound
        packed = each if isinstance(each, Packed) else packed
    return Kind(dtype, bound, packed)


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return inspect.get_annotations(function, eval_str=True)
    except Exception:  # noqa: BLE001 - whatever they hold, they need not be there
        return {}


def argument_of(name: str, array: HostArray, kind: Kind) -> Argument:
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


def host_array(name: str, value: Any, kind: Kind, program: str) -> HostArray:
    """What an argument is, as an array of NumPy: converted only if the parameter says to what."""
    if isinstance(value, Array):
        raise UsageError(
            f'"{program}" is a program, which cannot be called while another one is traced: call a function, or a gpuvm.stage.'
        )
    if kind.packed is not None:
        return _bytes(name, value, program)
    if kind.dtype is not None:
        return convert(value, Tensor(name, element_of(kind.dtype), np.shape(value), kind.dtype, "")).view(kind.dtype)
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
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


def _is_number(value: Any) -> bool:
    """Without a type that its writer has chosen."""
    return isinstance(value, (bool, int, float)) and not isinstance(value, np.generic)


def leaves_of(name: str, value: Any, program: str) -> tuple[list[tuple[str, Any]], Rebuild]:
    """Arrays in a tuple, a dictionary or the like; a list of numbers has no type."""
    leaves, rebuild = flatten(value, name)
    if isinstance(value, (list, tuple)) and (not leaves or any(_is_number(leaf) for _, leaf in leaves)):
        raise InputError(
            name,
            f'Argument "{name}" of {program}: the {type(value).__name__} of numbers has no type; pass np.array(..., dtype=...), '
            f"or annotate the parameter ({name}: np.float32).",
        )
    return leaves, rebuild


def check_static(name: str, value: Any, program: str) -> None:
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
