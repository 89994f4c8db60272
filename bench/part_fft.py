"""Discrete Fourier transforms and convolutions with a filter by its spectrum.

Complex numbers are two f32 after one another; NumPy and torch see the same memory as
complex64. torch calls cuFFT: once for a transform, and for a convolution once there and
once back, with the product in between.
"""

import math

import numpy as np

import host
import programs
from model import Case, Target, Tensor

TITLE = "FFT"
BOUND = 5e-6  # of the largest number; torch rounds as often as we do


def spectrum(array):
    return array.view(np.complex64)[..., 0]


def parts(numbers):
    return np.ascontiguousarray(numbers.astype(np.complex64)).view(np.float32).reshape(*numbers.shape, 2)


def count(batch, length, complex_input=True):
    """Operations as FFTs are usually counted."""
    return round((5 if complex_input else 2.5) * batch * length * math.log2(length))


def plain(batch, shape, target=None, inverse=False):
    """Of one or two dimensions."""
    x = Tensor((batch, *shape, 2), "f32")
    word = "inverse " if inverse else ""
    last = len(shape)
    body = f"%y{last} = gpuvm.fft %x {word}: {x} -> {x}\n"
    for d in range(last - 1, 0, -1):
        body += f"%y{d} = gpuvm.fft %y{d + 1} {word}dimension {d} : {x} -> {x}\n"
    axes = tuple(range(1, last + 1))

    def numpy(d):
        return parts((np.fft.ifftn if inverse else np.fft.fftn)(spectrum(d["x"]), axes=axes))

    def torch(d):
        fft = d["torch"].fft
        made = (fft.ifftn if inverse else fft.fftn)(d["torch"].view_as_complex(d["x"]), dim=axes)
        return d["torch"].view_as_real(made)

    elements = math.prod(shape)
    return Case(f"{'inverse ' * inverse}{'x'.join(f'{n:,}' for n in shape)}, {batch:,} times",
                programs.gpuvm({"x": x}, "y1", x, body), {"x": x}, "y1", x,
                reference=numpy, torch={"fft": torch},
                host={"SciPy": lambda d: host.scipy_transform("ifftn" if inverse else "fftn", spectrum(d["x"]), axes=axes),
                      "FFTW": lambda d: host.fftw(spectrum(d["x"]), axes, inverse)},
                bytes=2 * x.bytes, operations=count(batch, elements), target=target, bound=BOUND)


def real(batch, length, target=None):
    x, y = Tensor((batch, length), "f32"), Tensor((batch, length // 2 + 1, 2), "f32")
    return Case(f"real {length:,}, {batch:,} times",
                programs.gpuvm({"x": x}, "y", y, f"%y = gpuvm.rfft %x : {x} -> {y}\n"), {"x": x}, "y", y,
                reference=lambda d: parts(np.fft.rfft(d["x"])),
                torch={"rfft": lambda d: d["torch"].view_as_real(d["torch"].fft.rfft(d["x"]))},
                host={"SciPy": lambda d: host.scipy_transform("rfft", d["x"]),
                      "FFTW": lambda d: host.fftw(d["x"], (1,), real=True)},
                bytes=x.bytes + y.bytes, operations=count(batch, length, False), target=target, bound=BOUND)


def convolution(batch, length, target=None):
    """With one filter, whose spectrum is there."""
    x, h = Tensor((batch, length, 2), "f32"), Tensor((length, 2), "f32")
    body = f"""
        %e = tensor.empty() : {x}
        %b = linalg.broadcast ins(%h : {h}) outs(%e : {x}) dimensions = [0]
        %y = gpuvm.convolve %x, %b : {x}
    """

    def torch(d):
        t = d["torch"]
        made = t.fft.ifft(t.fft.fft(t.view_as_complex(d["x"])) * t.view_as_complex(d["h"]))
        return t.view_as_real(made)

    return Case(f"convolution {length:,}, {batch:,} times",
                programs.gpuvm({"x": x, "h": h}, "y", x, body), {"x": x, "h": h}, "y", x,
                reference=lambda d: parts(np.fft.ifft(np.fft.fft(spectrum(d["x"])) * spectrum(d["h"]))),
                torch={"fft, product, ifft": torch},
                host={"SciPy": lambda d: host.scipy_convolution(spectrum(d["x"]), spectrum(d["h"]))}, bytes=2 * x.bytes + h.bytes,
                operations=2 * count(batch, length), target=target, bound=BOUND)


def cases(device, _):
    if device == "cpu":
        yield plain(64, (4096,))
        yield plain(4096, (64,))
        yield plain(1, (2 ** 18,))
        yield plain(4, (256, 256))
        yield real(64, 4096)
        yield convolution(64, 4096)
        yield convolution(512, 512)
        return
    yield plain(2 ** 18, (256,))
    yield plain(2 ** 16, (1000,))
    yield plain(2 ** 14, (4096,), Target(1.0, "torch"))
    yield plain(2 ** 14, (4096,), inverse=True)
    yield plain(64, (2 ** 20,))
    yield plain(16, (2 ** 22,))
    yield plain(4096, (10007,))
    yield plain(64, (1024, 1024))
    yield real(2 ** 14, 8192)
    yield convolution(2 ** 15, 2048, Target(1.5, "torch"))
    yield convolution(2 ** 14, 4096, Target(1.5, "torch"))
