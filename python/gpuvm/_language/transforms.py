"""gpuvm.fft and its kin."""

from __future__ import annotations

from typing import Any

from ..errors import TraceError
from .array import Array, ArrayLike, as_array
from .emission import emit_one
from .ir import tensor
from .shapes import axis_of


def _complex(a: ArrayLike) -> Array:
    array = as_array(a)
    if array.dtype.name not in ("float32", "float64") or array.ndim < 2 or array.shape[-1] != 2:
        raise TraceError(f"A complex number is two floats in the last dimension, not {array.dtype} of the shape {array.shape}.")
    return array


def _emit(text: list[Any], source: Array, shape: tuple[int, ...]) -> Array:
    value = source._value
    types = f" : {value.type} -> {tensor(shape, value.element)}"
    return Array(emit_one([*text, types], value.element, shape), source.dtype)


def fft(a: ArrayLike, axis: int = -1) -> Array:
    """numpy.fft.fft along an axis of the numbers, that is, of all dimensions but the last one."""
    array = _complex(a)
    return _emit(["gpuvm.fft ", array._value, f" dimension {axis_of(axis, array.ndim - 1)}"], array, array.shape)


def ifft(a: ArrayLike, axis: int = -1) -> Array:
    """numpy.fft.ifft along an axis of the numbers, that is, of all dimensions but the last one."""
    array = _complex(a)
    return _emit(["gpuvm.fft ", array._value, f" inverse dimension {axis_of(axis, array.ndim - 1)}"], array, array.shape)


def rfft(a: ArrayLike) -> Array:
    """numpy.fft.rfft of the last dimension: n / 2 + 1 complex numbers of n real ones."""
    array = as_array(a)
    if array.dtype.name not in ("float32", "float64") or not array.ndim:
        raise TraceError(f"rfft takes an array of float32 or float64, not {array.dtype} of the shape {array.shape}.")
    return _emit(["gpuvm.rfft ", array._value], array, (*array.shape[:-1], array.shape[-1] // 2 + 1, 2))


def irfft(a: ArrayLike, n: int | None = None) -> Array:
    """numpy.fft.irfft: n real numbers of n / 2 + 1 complex ones."""
    array = _complex(a)
    count = 2 * (array.shape[-2] - 1) if n is None else n
    if count // 2 + 1 != array.shape[-2]:
        raise TraceError(f"irfft of {array.shape[-2]} complex numbers does not give {count} real ones.")
    return _emit(["gpuvm.irfft ", array._value], array, (*array.shape[:-2], count))


def convolve(a: ArrayLike, spectrum: ArrayLike) -> Array:
    """Circular convolution of complex numbers with what has this spectrum (gpuvm.convolve)."""
    array, other = _complex(a), _complex(spectrum)
    if array.shape != other.shape or array.dtype != other.dtype:
        raise TraceError(f"convolve takes two arrays of one type, not {array.dtype}{array.shape} and {other.dtype}{other.shape}.")
    parts: list[Any] = ["gpuvm.convolve ", array._value, ", ", other._value, f" : {array._value.type}"]
    return Array(emit_one(parts, array._value.element, array.shape), array.dtype)
