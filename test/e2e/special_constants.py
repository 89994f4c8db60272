"""Binary operations on floats with zeros, infinities, NaNs and other constants, on the device and in gpuvm-interpret.

    special_constants.py FOLDER [TYPE...]

Each operation has each of the numbers as a constant on either side, where compilers and drivers know rules for
it, and every pair of them at run time; without and with --exact. Results agree to the bit, but for the sign and payload
of a NaN, for subnormal numbers without --exact (docs/arithmetic.md), and for the last places of divisions.
Exits 1 and says where they do not.
"""

import math
import os
import sys

from differential import Mismatch, call, read_npy, try_all, write_npy
from program_text import Program, bits, pack, unpack

INFINITY, NAN = float("inf"), float("nan")
LIMITS = {"f16": (65504.0, 2.0 ** -14), "bf16": (2.0 ** 127 * 1.9921875, 2.0 ** -126),
          "f32": (2.0 ** 127 * (2 - 2.0 ** -23), 2.0 ** -126), "f64": (sys.float_info.max, sys.float_info.min)}
UNIT = {"f16": 2.0 ** -10, "bf16": 2.0 ** -7, "f32": 2.0 ** -23, "f64": 2.0 ** -52}
PREDICATES = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"]
SUMS = ["arith.addf", "arith.subf", "arith.mulf"]
EXACT = ["arith.remf", "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf", "math.copysign", "cmpf"]


def constants(dtype):
    most, least = LIMITS[dtype]
    return [0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, least / 4, most]


def numbers(dtype):
    most, least = LIMITS[dtype]
    return [*constants(dtype), -least / 4, -most, least, 2.0, -0.5, 3.0, 0.75]


def operations(dtype, exact):
    if exact:
        return EXACT + (SUMS if dtype in ("f32", "f64") else [])
    return SUMS + ["arith.divf"] + EXACT


def constant(stage, shape, dtype, number):
    value = stage.fresh(shape, dtype)
    word = pack(dtype, [number])[::-1].hex()
    stage.lines.append(f"%{value.name} = arith.constant dense<0x{word.upper()}> : {value.type}")
    return value


def apply(stage, op, x, y):
    """Of comparisons all predicates, one a bit."""
    if op != "cmpf":
        return stage.binary(op, x, y)
    total = None
    for i, predicate in enumerate(PREDICATES):
        bit = stage.cast("arith.extui", stage.compare(predicate, x, y), "i32")
        bit = stage.binary("arith.shli", bit, stage.constant(x.shape, "i32", i))
        total = stage.binary("arith.ori", total, bit) if total else bit
    return total


def build(dtype, exact):
    """The program, and for each output what it is: operation, constant on the left, constant on the right."""
    known, fixed_numbers = numbers(dtype), constants(dtype)
    program, about = Program(f"special_{dtype}{'_exact' if exact else ''}"), []
    x = program.input((len(known),), dtype)
    pairs = [program.input((len(known) ** 2,), dtype) for _ in "ab"]
    for op in operations(dtype, exact):
        def with_constants(stage, value, side):
            for number in fixed_numbers:
                fixed = constant(stage, value.shape, dtype, number)
                yield apply(stage, op, *((fixed, value) if side == 0 else (value, fixed)))

        for side in (0, 1):
            program.outputs += program.stage(lambda s, v: list(with_constants(s, v, side)), x)
            about += [(op, number, None) if side == 0 else (op, None, number) for number in fixed_numbers]
        program.outputs.append(program.stage(lambda s, a, b: apply(s, op, a, b), *pairs))
        about.append((op, None, None))
    return program, about


def is_near(dtype, found, expected):
    """Of a quotient, which Vulkan lets be off by 2.5 last places."""
    return found == expected or abs(found - expected) <= 3 * UNIT[dtype] * abs(expected)


def is_right(op, dtype, found, choices, exact):
    """Of bits, against those of the references."""
    if found in choices:
        return True
    value, *expected = [unpack(dtype, word)[0] for word in (found, *choices)]
    if any(value != value and e != e for e in expected):
        return True
    is_tiny = lambda v: abs(v) < LIMITS[dtype][1]
    # NVIDIA takes 0 and a subnormal number for equal, and either for the less.
    if not exact and dtype in LIMITS and is_tiny(value) and any(
            is_tiny(e) and math.copysign(1, e) == math.copysign(1, value) for e in expected):
        return True
    return op == "arith.divf" and any(is_near(dtype, value, e) and e != 0 for e in expected)


def elements(path, dtype):
    size, data = max(8, bits(dtype)) // 8, read_npy(path, dtype)
    return [data[i:i + size] for i in range(0, len(data), size)]


def check(folder, dtype, exact):
    program, about = build(dtype, exact)
    base, known = os.path.join(folder, program.name), numbers(dtype)
    path = lambda name: f"{base}-{name}"
    with open(path("program.mlir"), "w") as file:
        file.write(program.text())
    flags = []
    left, right = [a for a in known for _ in known], known * len(known)
    for value, filled in zip(program.inputs, (known, left, right)):
        write_npy(path(value.name + ".npy"), value.shape, dtype, filled)
        flags.append(f"--input={value.name}=@{path(value.name + '.npy')}")

    def run(command, tag):
        files = {name: path(f"{tag}-{name}.npy") for name, _ in program.results()}
        call([*command, *flags, *(f"--output={name}=@{file}" for name, file in files.items())])
        return [elements(files[name], value.dtype) for name, value in program.results()]

    call(["gpuvm-compile", path("program.mlir"), "-o", path("plan.gvplan"), *(["--exact"] if exact else [])])
    device = run(["gpuvm-run", path("plan.gvplan")], "device")
    references = [run(["gpuvm-interpret", path("program.mlir"), "--exact"], "exact")]
    if not exact:
        references.append(run(["gpuvm-interpret", path("program.mlir")], "ieee"))
    for (_, output), (op, a, b), found, *expected in zip(program.results(), about, device, *references):
        for i, (word, *choices) in enumerate(zip(found, *expected)):
            if is_right(op, output.dtype if op != "cmpf" else "i32", word, choices, exact):
                continue
            x, y = (left[i], right[i]) if a is None and b is None else (known[i] if a is None else a, known[i] if b is None else b)
            where = "" if a is None and b is None else " (the first is a constant)" if b is None else " (the second is a constant)"
            show = lambda w: unpack(output.dtype, w)[0]
            yield f"{op} {x!r}, {y!r} : {dtype}{where}: {show(word)!r}, expected {' or '.join(repr(show(c)) for c in choices)}"


def run_case(folder, case):
    try:
        failures = list(check(folder, *case))
    except Mismatch as failure:
        failures = [str(failure)]
    name = f"{case[0]}{' --exact' if case[1] else ''}"
    return "\n".join(f"{name}: {failure}" for failure in failures[:20]) or None


def main():
    folder, *types = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    cases = [(dtype, exact) for dtype in types or LIMITS for exact in (False, True)]
    return try_all("programs", cases, lambda case: run_case(folder, case))


if __name__ == "__main__":
    sys.exit(main())
