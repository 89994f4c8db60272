"""What there is of numpy.linalg."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._language.reductions import norm

__all__ = ["norm"]


if not TYPE_CHECKING:  # Else every name would be there.

    def __getattr__(name: str) -> object:
        from .._language.missing import missing

        raise missing("gpuvm.numpy.linalg", name, __all__)
