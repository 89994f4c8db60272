"""What gpuvm.numpy does not have, and what there is instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .._tensors import suggest
from ..errors import TraceError

_INSTEAD: Final = {
    "nonzero": "gpuvm.ops.compact has as many rows as the device finds",
    "argwhere": "gpuvm.ops.compact has as many rows as the device finds",
    "flatnonzero": "gpuvm.ops.compact has as many rows as the device finds",
    "compress": "gpuvm.ops.compact has as many rows as the device finds",
    "extract": "gpuvm.ops.compact has as many rows as the device finds",
    "unique": "gpuvm.ops.distinct numbers equal keys",
    "histogram": "gnp.bincount, with minlength, of the numbers of the bins",
    "histogram2d": "gpuvm.ops.histogram2d",
    "vectorize": "gpuvm.map",
    "apply_along_axis": "gpuvm.map, or a stage with instances",
    "put": "x.at[places].set(values)",
    "copyto": "gnp.where",
    "partition": "gnp.sort, or gpuvm.ops.top_k",
    "argpartition": "gnp.argsort, or gpuvm.ops.top_k",
    "convolve": "gnp.fft.convolve, or a sum of slices",
    "logaddexp": "gnp.log1p and gnp.exp",
    "nansum": "gnp.where(gnp.isnan(x), 0, x)",
    "nanmean": "gnp.where(gnp.isnan(x), 0, x)",
    "nanmax": "gnp.where(gnp.isnan(x), -gnp.inf, x)",
    "nanmin": "gnp.where(gnp.isnan(x), gnp.inf, x)",
    "empty": "gnp.zeros",
    "empty_like": "gnp.zeros_like",
    "add.reduce": "gnp.sum",
    "multiply.reduce": "gnp.prod",
    "maximum.reduce": "gnp.max",
    "minimum.reduce": "gnp.min",
    "add.accumulate": "gnp.cumsum",
    "add.at": "x.at[places].add(values)",
    "complex64": "a complex number is two floats (gnp.fft)",
    "complex128": "a complex number is two floats (gnp.fft)",
}


class MissingError(TraceError, AttributeError):
    """A name of NumPy that gpuvm.numpy does not have."""


def missing(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error."""
    if name.startswith("__"):
        return AttributeError(name)
    instead = f"; instead: {_INSTEAD[name]}" if name in _INSTEAD else suggest(name, known)
    return MissingError(f'{module} has no "{name}"{instead}.')
