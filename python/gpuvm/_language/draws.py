"""gpuvm.random: numbers of a seed, a stream and their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from .array import Array, ArrayLike, as_array
from .dtypes import PLACE, as_dtype, element_of
from .elementwise import astype
from .emission import emit_one
from .ir import tensor
from .shapes import Shape, as_shape


def _words(value: ArrayLike, what: str) -> Array:
    if isinstance(value, (int, np.integer)):
        value = np.asarray(value)
    array = as_array(value)
    if array.dtype.kind not in "iu" or array.shape not in ((), (2,)):
        raise TraceError(f"A {what} is two whole numbers of int32, not {array.dtype} of the shape {array.shape}.")
    return astype(array, PLACE)


def _draw(kind: str, seed: ArrayLike, shape: Shape, stream: ArrayLike | None, dtype: npt.DTypeLike, limit: list[Any]) -> Array:
    found, size = as_dtype(dtype), as_shape(shape)
    words = _words(seed, "seed")
    if words.shape != (2,):
        raise TraceError(f"A seed is two whole numbers, not an array of the shape {words.shape}.")
    parts: list[Any] = [f"gpuvm.random {kind}", *limit, " seed(", words._value, f" : {words._value.type})"]
    if stream is not None:
        numbers = _words(stream, "stream")
        parts += [" stream(", numbers._value, f" : {numbers._value.type})"]
    return Array(emit_one([*parts, f" -> {tensor(size, element_of(found))}"], element_of(found), size), found)


def bits(seed: ArrayLike, shape: Shape = (), stream: ArrayLike | None = None, dtype: npt.DTypeLike = np.uint32) -> Array:
    """Random words, of 32 or 64 bits."""
    return _draw("bits", seed, shape, stream, dtype, [])


def uniform(seed: ArrayLike, shape: Shape = (), stream: ArrayLike | None = None, dtype: npt.DTypeLike = np.float32) -> Array:
    """In [0, 1), of float32 or float64."""
    return _draw("uniform", seed, shape, stream, dtype, [])


def normal(seed: ArrayLike, shape: Shape = (), stream: ArrayLike | None = None) -> Array:
    """Of mean 0 and variance 1, of float32."""
    return _draw("normal", seed, shape, stream, np.float32, [])


def integers(
    seed: ArrayLike, below: ArrayLike, shape: Shape = (), stream: ArrayLike | None = None, dtype: npt.DTypeLike = np.int32
) -> Array:
    """Whole numbers in [0, below), which the device may compute, of 32 or 64 bits."""
    if isinstance(below, (int, np.integer)):
        return _draw("below", seed, shape, stream, dtype, [f"({int(below)})"])
    limit = astype(below, dtype)
    return _draw("below", seed, shape, stream, dtype, [" limit(", limit._value, f" : {limit._value.type})"])


def permutation(seed: ArrayLike, n: int, stream: ArrayLike | None = None) -> Array:
    """0, 1, ..., n - 1 in an order by chance, of int32: x[permutation(seed, len(x))] shuffles x."""
    return _draw("permutation", seed, n, stream, PLACE, [])
