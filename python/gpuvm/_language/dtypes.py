"""Element types, and which one operands have in common: the rules of NumPy 2, whatever NumPy there is."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import TraceError

DType: TypeAlias = "np.dtype[Any]"
Scalar: TypeAlias = bool | int | float | np.generic

_ELEMENTS: Final = {
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "i8",
    "uint16": "i16",
    "uint32": "i32",
    "uint64": "i64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
}
_RANKS: Final = {"b": 0, "i": 1, "u": 1, "f": 2}
PLACE: Final = np.dtype(np.int32)
"""Of places: a tensor has fewer than 2^31 elements."""


def element_of(dtype: DType) -> str:
    """The type of MLIR: integers have no sign there."""
    name = dtype.newbyteorder("=").name
    if name not in _ELEMENTS:
        raise TraceError(f"There are no arrays of {name} on the device (there are: {', '.join(_ELEMENTS)}).")
    return _ELEMENTS[name]


def as_dtype(dtype: npt.DTypeLike) -> DType:
    """One that the device has."""
    found = np.dtype(dtype)
    element_of(found)
    return found.newbyteorder("=")


def weak_rank(value: Scalar) -> int:
    """Of a number, which has no type that its writer has chosen: what it takes for granted."""
    if isinstance(value, (bool, np.bool_)):
        return 0
    return 1 if isinstance(value, (int, np.integer)) else 2


def common(dtypes: Iterable[DType], numbers: Iterable[Scalar] = ()) -> DType:
    """The type of a result of these arrays and numbers."""
    strong, weak = list(dtypes), list(numbers)
    most = max((weak_rank(number) for number in weak), default=0)
    if not strong:
        strong = [number.dtype for number in weak if isinstance(number, np.generic)]
    if not strong:
        return np.dtype((np.bool_, np.int64, np.float64)[most])
    found = functools.reduce(np.promote_types, strong)
    if most <= _RANKS[found.kind]:
        return found
    return np.dtype(np.int64 if most == 1 else np.float64)


def as_float(dtype: DType) -> DType:
    """What quotients and means are computed in."""
    return dtype if dtype.kind == "f" else np.dtype(np.float64)


def as_real(dtype: DType) -> DType:
    """What functions of real numbers compute in: float16 of integers of 8 bits, float32 of 16, float64 of others."""
    if dtype.kind == "f":
        return dtype
    return np.dtype({1: np.float16, 2: np.float32}.get(dtype.itemsize, np.float64))


def check_number(value: Scalar, dtype: DType) -> Scalar:
    """A number that an array of this type can hold."""
    if dtype.kind in "iu" and not isinstance(value, (bool, np.bool_)):
        limits = np.iinfo(dtype)
        if not limits.min <= int(value) <= limits.max:
            raise TraceError(f"{value} is out of bounds for {dtype} ({limits.min} to {limits.max}).")
    return value


def literal(value: Any, dtype: DType) -> str:
    """One element, as MLIR writes it."""
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        signed = np.asarray(int(value), dtype=dtype).view(np.dtype(f"i{dtype.itemsize}"))
        return str(int(signed))
    with np.errstate(over="ignore"):
        number = np.asarray(value, dtype=dtype)
    if not math.isfinite(float(number)):
        return f"0x{int(number.view(np.dtype(f'u{dtype.itemsize}'))):0{2 * dtype.itemsize}X}"
    text = repr(float(str(number))) if dtype.itemsize < 8 else repr(float(number))
    mantissa, exponent, power = text.partition("e")
    return (mantissa if "." in mantissa else mantissa + ".0") + exponent + power
