"""Tensors of a plan, and the arrays that become them: converted when that loses nothing, else refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .errors import InputError, PlanError

Array = npt.NDArray[Any]

_DTYPES: Final[Mapping[str, str]] = {
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "bf16": "uint16",  # The bits: NumPy has no such type.
}
_TRACED: Final = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
)
_KDLCPU: Final = 1  # DLDeviceType of dlpack.h
_KDLCUDA_HOST: Final = 3
_KDLROCM_HOST: Final = 11
_MAX_SHOWN: Final = 60


@dataclass(frozen=True)
class Tensor:
    """An input, output or symbol of a plan."""

    name: str
    element: str
    """The type of an element: "i1", "i8", ..., "f32", "f64", "bf16"."""
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    """Of its arrays. Integers of gpuvm have no sign: unsigned arrays of the same width are taken, too."""
    region: str
    """Where it is: "registers", "metrics", "globals", "control" or "heap"; or ""."""
    rows: str = ""
    """The symbol that counts the rows there are, of at most `shape[0]`: an input is given as many, an output is cut to them."""
    bound: int = 0
    """Of a symbol: more than this raises ExcessError; or 0."""

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"

    @property
    def type(self) -> str:
        """The shape and the element, "2x8xf32"."""
        return "".join(f"{size}x" for size in self.shape) + self.element

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array."""
        count = 1
        for size in self.shape:
            count *= size
        return count * self.dtype.itemsize


def dtype_of(element: str) -> np.dtype[Any]:
    """The dtype of arrays with elements of a type of gpuvm."""
    if element not in _DTYPES:
        raise PlanError(f'The plan has elements of type "{element}", which this package does not know: take a newer one.')
    return np.dtype(_DTYPES[element])


def suggest(name: str, known: Iterable[str]) -> str:
    """`; did you mean "x"?`, or ""."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def bfloat16_bits(values: npt.ArrayLike) -> npt.NDArray[np.uint16]:
    """The bits of bf16, rounded to the nearest, ties to even; what an input of bf16 takes."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    quiet = ((bits >> 16) | 0x40).astype(np.uint16)
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, quiet, rounded).reshape(np.shape(values))


def bfloat16_values(bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """The numbers that bits of bf16 are."""
    wide = np.ascontiguousarray(bits, dtype=np.uint16).astype(np.uint32) << 16
    return wide.view(np.float32).reshape(np.shape(bits))


def _subject(value: object) -> str:
    """How a sentence about a value begins: the number itself, or what kind of thing it is."""
    if isinstance(value, (bool, int, float, complex, np.generic)):
        text = str(value)
        return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
    return f"the {type(value).__name__}"


class _Refusal(Exception):  # noqa: N818 - it is no error until it has a name
    """Why a value is not taken, without its name."""


def _from_dlpack(value: Any) -> Array:
    device = value.__dlpack_device__()
    if int(device[0]) not in (_KDLCPU, _KDLCUDA_HOST, _KDLROCM_HOST):
        raise _Refusal(
            f"is on device {tuple(int(part) for part in device)} of DLPack, and arrays of the CPU ({_KDLCPU}, 0) are taken; "
            "move it there first"
        )
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        if (array := _from_array_method(value)) is not None:
            return array
        raise _Refusal(
            f"cannot be had through DLPack ({error}); of a type that NumPy does not have, such as bfloat16, "
            "give a view as uint16 or uint8"
        ) from error


def _from_array_method(value: object) -> Array | None:
    """What JAX has for types that DLPack has and NumPy has not."""
    if not hasattr(value, "__array__"):
        return None
    try:
        return np.asarray(value)
    except (BufferError, RuntimeError, TypeError, ValueError):
        return None


def _from_list(value: object) -> Array:
    try:
        array = np.array(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise _Refusal(f"is no rectangular array of numbers ({error})") from None
    return array


def _to_array(value: object, element: str) -> tuple[Array, bool]:
    """The array, and whether its numbers count rather than their types, as of a list or a scalar."""
    if isinstance(value, np.ma.MaskedArray):
        raise _Refusal("is a masked array, whose masked elements have no value; fill them (.filled(...))")
    if isinstance(value, np.ndarray):
        return value, value.ndim == 0
    if isinstance(value, (bool, int, float, np.generic)):
        return np.asarray(value), True
    if isinstance(value, (list, tuple, range)):
        return _from_list(value), True
    if isinstance(value, (bytes, bytearray)):
        if element != "i8":
            raise _Refusal(f"is {type(value).__name__}, which is an array of i8, not {element}")
        return np.frombuffer(value, dtype=np.int8), False
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _from_dlpack(value), False
    if isinstance(value, memoryview) or any(
        hasattr(value, name) for name in ("__array_interface__", "__array_struct__", "__array__", "__buffer__")
    ):
        return np.asarray(value), False
    try:
        return np.asarray(memoryview(value)), False  # type: ignore[arg-type]
    except TypeError:
        raise _Refusal("is not an array, a list or a number") from None


def _cast_integers(array: Array, wanted: np.dtype[Any], element: str) -> Array:
    low, high = (0, 1) if wanted.kind == "b" else (int(np.iinfo(wanted).min), int(np.iinfo(wanted).max))
    for worst in (int(array.min()), int(array.max())):
        if not low <= worst <= high:
            raise _Refusal(f"has {worst}, and {element} holds {low} to {high}")
    return array.astype(wanted)


def _cast_floats(array: Array, wanted: np.dtype[Any], element: str) -> Array:
    with np.errstate(over="ignore"):
        cast = array.astype(wanted)
    lost = np.isinf(cast) & np.isfinite(array)
    if lost.any():
        raise _Refusal(f"has {float(array[lost][0])!r}, and the largest {element} is {float(np.finfo(wanted).max)!r}")
    return cast


def _cast_exactly(array: Array, wanted: np.dtype[Any], element: str) -> Array:
    """Whole numbers as floats."""
    cast = _cast_floats(array.astype(np.float64), wanted, element)
    exact = 1 << (np.finfo(wanted).nmant + 1)
    if max(abs(int(array.min())), abs(int(array.max()))) <= exact:
        return cast
    for whole, real in zip(array.ravel().tolist(), cast.ravel().tolist(), strict=True):
        if int(real) != whole:
            raise _Refusal(f"has {whole}, which {element} does not hold exactly")
    return cast


def _cast_values(array: Array, wanted: np.dtype[Any], element: str) -> Array:
    """Of a list or scalar: each number becomes the nearest of the type, whole numbers themselves."""
    kind, target = array.dtype.kind, "f" if element == "bf16" else wanted.kind
    number = np.dtype(np.float32) if element == "bf16" else wanted
    if array.size == 0:
        return np.empty(array.shape, dtype=wanted)
    if kind == "b":
        cast = array.astype(number)
    elif kind in "iu" and target in "biu":
        cast = _cast_integers(array, wanted, element)
    elif kind in "iu" and target == "f":
        cast = _cast_exactly(array, number, element)
    elif kind == "f" and target == "f":
        cast = _cast_floats(array, number, element)
    else:
        raise _Refusal(f"has numbers of {array.dtype}, and {element} is wanted")
    return bfloat16_bits(cast) if element == "bf16" else cast


def _is_same(dtype: np.dtype[Any], wanted: np.dtype[Any], element: str) -> bool:
    """Whether the bytes are what is wanted: integers have no sign, and of bf16 there are bits."""
    if element == "bf16":
        return dtype.name == "bfloat16" or (dtype.itemsize == 2 and dtype.kind in "iuV")
    if wanted.kind == "i":
        return dtype.kind in "iu" and dtype.itemsize == wanted.itemsize
    return dtype == wanted


def _has_fewer_rows(array: Array, wanted: Tensor) -> bool:
    same_rank = bool(wanted.rows) and array.ndim == len(wanted.shape)
    return same_rank and array.shape[0] <= wanted.shape[0] and array.shape[1:] == wanted.shape[1:]


def _convert(value: object, wanted: Tensor) -> Array:
    array, is_values = _to_array(value, wanted.element)
    if array.dtype.kind not in "biufV" and array.dtype.name != "bfloat16":
        raise _Refusal(f"has elements of {array.dtype}, which are no numbers that gpuvm has: {wanted.element} is wanted")
    if array.shape != wanted.shape and not _has_fewer_rows(array, wanted):
        fewer = ", or fewer rows," if wanted.rows else ""
        raise _Refusal(f"has the shape {array.shape}, and {wanted.shape}{fewer} is wanted")
    native = array.dtype.newbyteorder("=")
    if _is_same(native, wanted.dtype, wanted.element):
        return np.ascontiguousarray(array, dtype=native).reshape(array.shape).view(wanted.dtype)
    if is_values:
        return _cast_values(array, wanted.dtype, wanted.element)
    if array.dtype.kind in "biuf" and wanted.element != "bf16" and np.can_cast(array.dtype, wanted.dtype, "safe"):
        return np.ascontiguousarray(array, dtype=wanted.dtype).reshape(array.shape)
    advice = "gpuvm.bfloat16_bits(x)" if wanted.element == "bf16" else f"x.astype(np.{wanted.dtype})"
    raise _Refusal(f"has elements of {array.dtype}, which can lose something as {wanted.element}; pass {advice} if that is meant")


def convert(value: object, wanted: Tensor, what: str = "Input") -> Array:
    """An array of exactly the dtype and shape of `wanted`, without gaps; the same one where it fits."""
    try:
        return _convert(value, wanted)
    except _Refusal as refusal:
        raise InputError(
            wanted.name, f'{what} "{wanted.name}" ({wanted.type}): {_subject(value)} {refusal}.'
        ) from refusal.__cause__


def as_host_array(name: str, value: object) -> Array:
    """An array as it is, for a program that is made for its type."""
    try:
        array = _to_array(value, "")[0]
        if array.dtype.newbyteorder("=").name not in _TRACED:
            raise _Refusal(f"has elements of {array.dtype}, which the device does not have ({', '.join(_TRACED)})")
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    except _Refusal as refusal:
        raise InputError(name, f'Argument "{name}": {_subject(value)} {refusal}.') from refusal.__cause__
