"""Operations that NumPy does not have: those of the dialect gpuvm (docs/reference/gpuvm.md)."""

from __future__ import annotations

from ._language.ordering import top_k

__all__ = ["top_k"]
