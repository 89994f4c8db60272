"""Random numbers that depend on a seed, a stream and their place only (docs/random.md).

`seed` is two numbers of int32, an argument of the program or a tuple; `stream` one or two. Two results with the same seed and
stream are made of the same words: independent numbers need another stream, such as the number of an iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._language.draws import bits, integers, normal, permutation, uniform

__all__ = ["bits", "integers", "normal", "permutation", "uniform"]


if not TYPE_CHECKING:  # Else every name would be there.

    def __getattr__(name: str) -> object:
        from .._language.missing import missing

        raise missing("gpuvm.numpy.random", name, __all__)
