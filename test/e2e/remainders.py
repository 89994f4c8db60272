"""Remainders of floats, on the device and in gpuvm-interpret, against Python's, which are exact.

    remainders.py FOLDER

Pairs of numbers of every magnitude, whose quotients are near whole numbers or have thousands of bits, with --exact and
without. Subnormal numbers are zeros with --exact, and may be without (docs/arithmetic.md). Exits 1 and says which
remainder is wrong.
"""

import math
import os
import random
import sys

from differential import Mismatch, call, read_npy, try_all, write_npy
from program_text import Program, bits, pack, unpack

COUNT = 4096
DIGITS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
LEAST = {"f16": 2.0 ** -14, "bf16": 2.0 ** -126, "f32": 2.0 ** -126, "f64": sys.float_info.min}


def operands(dtype):
    """Any bits, whole numbers, and what is next to a multiple."""
    rng = random.Random(dtype)
    rounded = lambda v: unpack(dtype, pack(dtype, [v]))[0]
    any_bits = lambda: unpack(dtype, rng.getrandbits(bits(dtype)).to_bytes(bits(dtype) // 8, "little"))[0]
    whole = lambda: float(rng.choice([-1, 1]) * rng.randrange(1, 1 << rng.randrange(1, DIGITS[dtype] + 2)))

    def near_multiple():
        y = any_bits()
        x = y * rng.randrange(1, 1 << rng.randrange(1, 2 * DIGITS[dtype]))
        if not math.isfinite(x) or (dtype == "f16" and abs(x) > 65000) or (dtype != "f64" and abs(x) > 3e38):
            return y, y
        word = int.from_bytes(pack(dtype, [x]), "little") + rng.randrange(-1, 2)
        return unpack(dtype, (word % (1 << bits(dtype))).to_bytes(bits(dtype) // 8, "little"))[0], y

    kinds = [lambda: (any_bits(), any_bits()), lambda: (whole(), whole()), near_multiple]
    pairs = [kinds[i % 3]() for i in range(COUNT)]
    pairs[:4] = [(5.5, math.inf), (-7.0, -math.inf), (0.0, math.inf), (-0.0, math.inf)]
    return [[rounded(v) for v in column] for column in zip(*pairs)]


def remainder(x, y):
    if x != x or y != y or math.isinf(x) or y == 0:
        return math.nan
    return math.fmod(x, y)


def is_right(found, x, y, flush, exact):
    """Of any of the choices that a device has."""
    for own in ([(True, True, True)] if exact else [(a, b, c) for a in (False, True) for b in (False, True) for c in (False, True)]):
        expected = remainder(*(flush(v) if f else v for v, f in zip((x, y), own)))
        expected = flush(expected) if own[2] else expected
        if (found != found and expected != expected) or (found == expected and math.copysign(1, found) == math.copysign(1, expected)):
            return True
    return False


def check(folder, dtype, exact):
    program = Program(f"remainders_{dtype}{'_exact' if exact else ''}")
    x, y = (program.input((COUNT,), dtype) for _ in "xy")
    program.outputs = [program.stage(lambda s, a, b: s.binary("arith.remf", a, b), x, y)]
    path = lambda name: os.path.join(folder, f"{program.name}-{name}")
    with open(path("program.mlir"), "w") as file:
        file.write(program.text())
    columns = operands(dtype)
    for value, numbers in zip((x, y), columns):
        write_npy(path(value.name), (COUNT,), dtype, numbers)
    flags = [f"--input={v.name}=@{path(v.name)}" for v in (x, y)]
    option = ["--exact"] if exact else []
    call(["gpuvm-compile", path("program.mlir"), "-o", path("plan.gvplan"), *option])
    flush = lambda v: math.copysign(0.0, v) if abs(v) < LEAST[dtype] else v
    for command in (["gpuvm-interpret", path("program.mlir"), *option], ["gpuvm-run", path("plan.gvplan")]):
        call([*command, *flags, f"--output=o0=@{path('o0')}"])
        for a, b, found in zip(*columns, unpack(dtype, read_npy(path("o0"), dtype))):
            if not is_right(found, a, b, flush, exact):
                return f"{command[0]}: {a!r} mod {b!r} : {dtype}{' --exact' if exact else ''} is {found!r}, not {remainder(a, b)!r}"
    return None


def run_case(folder, case):
    try:
        return check(folder, *case)
    except Mismatch as failure:
        return str(failure)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    cases = [(dtype, exact) for dtype in DIGITS for exact in (False, True)]
    return try_all("programs", cases, lambda case: run_case(folder, case))


if __name__ == "__main__":
    sys.exit(main())
