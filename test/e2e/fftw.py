"""Transforms on the device against FFTW in float64.

    fftw.py FOLDER [long]

The interpreter has no part in this: FFTW (libfftw3) transforms the same numbers, and the
results may be off by as much as the reference of gpuvm.fft says, in the L2 norm. With
`long` it takes transforms of 2^20 points and more: two kernels as from 8,193 on, with longer tables. Prints
for each case how much of its bound it takes; exits 1 if any takes more than all of it.
"""

import array
import ctypes
import math
import os
import random
import sys
import threading

from differential import Mismatch, compile_program, run_program, try_all, write_program
from program_text import Program, pack, unpack
from programs_fft import convolve, irfft, rfft, transform

ESTIMATE = 64  # fftw3.h
FFTW = ctypes.CDLL("libfftw3.so.3")
FFTW.fftw_plan_dft.restype = ctypes.c_void_p
FFTW.fftw_plan_dft.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.c_void_p, ctypes.c_void_p,
                               ctypes.c_int, ctypes.c_uint]
PLANNER = threading.Lock()  # Of all of FFTW only fftw_execute may run on several threads at once.
FFTW.fftw_execute.argtypes = FFTW.fftw_destroy_plan.argtypes = [ctypes.c_void_p]


def dft(numbers, shape, inverse=False):
    """Of complex numbers, real and imaginary parts in turn, along all of `shape`; repeated for what there is."""
    count = math.prod(shape)
    source, made = ((ctypes.c_double * (2 * count))() for _ in range(2))
    with PLANNER:
        plan = FFTW.fftw_plan_dft(len(shape), (ctypes.c_int * len(shape))(*shape), source, made, 1 if inverse else -1,
                                  ESTIMATE)
    numbers, result = array.array("d", numbers), array.array("d")
    for first in range(0, len(numbers), 2 * count):
        ctypes.memmove(source, numbers.buffer_info()[0] + 8 * first, 16 * count)
        FFTW.fftw_execute(plan)
        result.frombytes(bytes(made))
    result = array.array("d", (value / count for value in result)) if inverse else result
    with PLANNER:
        FFTW.fftw_destroy_plan(plan)
    return result


def is_smooth(n):
    for prime in (2, 3, 5, 7, 11, 13):
        while n % prime == 0:
            n //= prime
    return n == 1


def bound(dtype, lengths):
    """What the reference says."""
    unit = {"f32": 4e-8, "f64": 1e-16}[dtype]
    return sum(unit * math.log2(2 * n) * (1 if is_smooth(n) else 2) for n in lengths)


class Case:
    """`expected(numbers)` is what FFTW makes of the first input."""

    def __init__(self, name, shapes, build, expected, lengths, dtype="f32"):
        self.program = p = Program(f"fftw_{name}")
        p.outputs = [p.stage(build, *(p.input(shape, dtype) for shape in shapes))]
        self.expected, self.bound, self.dtype = expected, bound(dtype, lengths), dtype


def plain(batch, length, inverse=False, dtype="f32"):
    return Case(f"{batch}x{length}_{'inverse_' * inverse}{dtype}", [(batch, length, 2)],
                lambda s, x: transform(s, x, "inverse" * inverse), lambda x: dft(x, [length], inverse), [length], dtype)


def image(batch, rows, columns):
    return Case(f"image_{batch}x{rows}x{columns}", [(batch, rows, columns, 2)],
                lambda s, x: transform(s, transform(s, x), "dimension 1"), lambda x: dft(x, [rows, columns]),
                [rows, columns])


def with_zeros(x):
    return [part for value in x for part in (value, 0.0)]


def real(batch, length):
    def expected(x):
        made = dft(with_zeros(x), [length])
        return [v for b in range(batch) for v in made[2 * b * length:2 * b * length + 2 * (length // 2 + 1)]]

    return Case(f"real_{batch}x{length}", [(batch, length)], rfft, expected, [length])


def there_and_back(batch, length):
    return Case(f"back_{batch}x{length}", [(batch, length)], lambda s, x: irfft(s, rfft(s, x), length), lambda x: x,
                [length, length])


def identity(batch, length):
    """Convolution with one delayed impulse: a rotation."""
    turns = [f(-2 * math.pi * 3 * k / length) for k in range(length) for f in (math.cos, math.sin)]

    def expected(x):
        rows = [x[2 * length * b:2 * length * (b + 1)] for b in range(batch)]
        return [v for row in rows for v in row[-6:] + row[:-6]]

    case = Case(f"convolve_{batch}x{length}", [(batch, length, 2), (batch, length, 2)], convolve, expected,
                [length, length, 1])
    case.spectrum = turns * batch
    return case


def cases():
    for length in (2, 3, 5, 7, 11, 13, 30, 243, 1000, 2048, 2310, 2401, 4096, 8192):
        yield plain(max(1, 512 // length), length, inverse=length % 3 == 0)
    for length in (5000, 3 ** 10, 2 ** 18):
        yield plain(1, length)
    yield plain(1, 2 ** 17, inverse=True)
    for length in (17, 1021, 10007):
        yield plain(1, length, inverse=length == 1021)
    for length in (105, 4096, 8192, 101):
        yield plain(2, length, dtype="f64")
    yield image(3, 24, 50)
    yield image(1, 256, 1024)
    for length in (64, 99, 4096, 65536):
        yield real(2, length)
        yield there_and_back(2, length)
    for length in (64, 4096, 10000):
        yield identity(2, length)


def long_cases():
    yield plain(1, 2 ** 21, inverse=True)
    yield there_and_back(1, 2 ** 20)


def run(folder, case):
    p = case.program
    base = os.path.join(folder, p.name)
    rng = random.Random(p.name)
    count = math.prod(p.inputs[0].shape)
    inputs = [[word / 2 ** 31 for word in unpack("i32", rng.randbytes(4 * count))]]
    if len(p.inputs) > 1:
        inputs.append(case.spectrum)
    expected = case.expected(unpack(case.dtype, pack(case.dtype, inputs[0])))
    try:
        written = write_program(base, p, [inputs])
        compile_program(base, "fused", [])
        [actual] = run_program(base, written, "fused")
    except Mismatch as failure:
        return str(failure)
    off = math.dist(actual, expected) / math.hypot(*expected)
    print(f"{p.name}: {off:.2g}, {off / case.bound:.2f} of the bound")
    if off <= case.bound:
        return None
    return f"{p.name} is off by {off:.3g} (at most {case.bound:.3g})"


if __name__ == "__main__":
    chosen = long_cases() if sys.argv[2:] == ["long"] else cases()
    sys.exit(try_all("cases", list(chosen), lambda case: run(sys.argv[1], case)))
