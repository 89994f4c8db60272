"""Operations that NumPy does not have: those of the dialect gpuvm (docs/reference/gpuvm.md)."""

from __future__ import annotations

from ._language.operations import (
    PackedArray,
    attention,
    bounded,
    compact,
    count,
    decode,
    distinct,
    expand,
    filled,
    histogram2d,
    match,
    regulate,
    running_mean,
    scan,
    scatter,
    segment_reduce,
    sort,
)
from ._language.ordering import top_k

__all__ = [
    "PackedArray",
    "attention",
    "bounded",
    "compact",
    "count",
    "decode",
    "distinct",
    "expand",
    "filled",
    "histogram2d",
    "match",
    "regulate",
    "running_mean",
    "scan",
    "scatter",
    "segment_reduce",
    "sort",
    "top_k",
]
