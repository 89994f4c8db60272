"""Discrete Fourier transforms. A complex number is two floats, which are the last dimension of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._language.transforms import convolve, fft, ifft, irfft, rfft

__all__ = ["convolve", "fft", "ifft", "irfft", "rfft"]


if not TYPE_CHECKING:  # Else every name would be there.

    def __getattr__(name: str) -> object:
        from .._language.missing import missing

        raise missing("gpuvm.numpy.fft", name, __all__)
