"""Every operation on integers in gpuvm-interpret, against Python's integers.

    integer_ops.py FOLDER

A program for each width applies all of them to tensors of 1, 7, 8 and 64 elements: compilers make code of
their own for 8 elements at a time and more. Exits 1 and says which element of which operation is wrong.
"""

import os
import random
import sys

from differential import call, read_npy, write_npy
from program_text import Program, unpack

WIDTHS = (1, 8, 16, 32, 64)
SIZES = (1, 7, 8, 64)


class Integers:
    """What operations compute of numbers of `width` bits, which are given, and returned, without a sign."""

    def __init__(self, width):
        self.width, self.mask = width, (1 << width) - 1

    def signed(self, x):
        return x - (x >> self.width - 1 << self.width)

    def truncated(self, x, y):
        """x / y towards zero."""
        return abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1)

    def power(self, x, n):
        """A negative exponent gives the integer part of the inverse. In i1 the number -1 is also 1."""
        if n >= 0:
            return pow(x, n, self.mask + 1)
        return 0 if abs(x) != 1 else 1 if n % 2 == 0 or self.width == 1 else x

    def shift(self, x, by, right):
        """The amount has no sign. Python shifts everything out, too, but takes the time and the memory for it."""
        by = min(by & self.mask, self.width)
        return x >> by if right else x << by

    def bits(self, x):
        return f"{x:0{self.width}b}"

    def operations(self):
        """Name: what it is of signed numbers, and what it is of unsigned ones; one of the two is None."""
        quotients = {} if self.width == 1 else {
            "divsi": (lambda x, d: self.truncated(x, d), None),
            "ceildivsi": (lambda x, d: -(-x // d), None),
            "floordivsi": (lambda x, d: x // d, None)}
        return {
            "addi": (lambda x, y: x + y, None), "subi": (lambda x, y: x - y, None), "muli": (lambda x, y: x * y, None),
            "andi": (lambda x, y: x & y, None), "ori": (lambda x, y: x | y, None), "xori": (lambda x, y: x ^ y, None),
            "maxsi": (max, None), "minsi": (min, None), "maxui": (None, max), "minui": (None, min),
            "shli": (None, lambda x, y: self.shift(x, y, False)), "shrui": (None, lambda x, y: self.shift(x, y, True)),
            "shrsi": (lambda x, y: self.shift(x, y, True), None),
            **quotients,
            "remsi": (lambda x, d: x - d * self.truncated(x, d), None),
            "divui": (None, lambda x, d: x // d), "remui": (None, lambda x, d: x % d),
            "ceildivui": (None, lambda x, d: -(-x // d)),
            "mulsi_extended": (lambda x, y: (x * y, x * y >> self.width), None),
            "mului_extended": (None, lambda x, y: (x * y, x * y >> self.width)),
            "addui_extended": (None, lambda x, y: (x + y, x + y > self.mask)),
            "cmpi eq": (None, lambda x, y: x == y), "cmpi ne": (None, lambda x, y: x != y),
            "cmpi slt": (lambda x, y: x < y, None), "cmpi sle": (lambda x, y: x <= y, None),
            "cmpi sgt": (lambda x, y: x > y, None), "cmpi sge": (lambda x, y: x >= y, None),
            "cmpi ult": (None, lambda x, y: x < y), "cmpi ule": (None, lambda x, y: x <= y),
            "cmpi ugt": (None, lambda x, y: x > y), "cmpi uge": (None, lambda x, y: x >= y),
            "absi": (lambda x: abs(x), None), "ctpop": (None, lambda x: self.bits(x).count("1")),
            "ctlz": (None, lambda x: len(self.bits(x)) - len(self.bits(x).lstrip("0"))),
            "cttz": (None, lambda x: len(self.bits(x)) - len(self.bits(x).rstrip("0"))),
            "ipowi": (self.power, None)}

    def operands(self, count):
        """Two lists of any numbers, and one of divisors for the first one."""
        rng = random.Random(self.width * 1000 + count)
        least = 1 << self.width - 1
        edges = [v & self.mask for v in (-5, 3, 0, 1, -1, least, least - 1, least + 1, 2, 7)]
        x, y = ([rng.choice([rng.choice(edges), rng.getrandbits(self.width)]) for _ in range(count)] for _ in "xy")
        x[0], y[0] = edges[:2]
        divisors = [d if d and not (a == least and d == self.mask) else 1 if self.width == 1 else 3 for a, d in zip(x, y)]
        return x, y, divisors

    def expected(self, name, x, y, divisors):
        of_signed, of_unsigned = self.operations()[name]
        if "div" in name or "rem" in name:
            y = divisors
        if name == "ipowi":  # Zero has no inverse.
            x = divisors
        rows = zip(x) if name in ("absi", "ctpop", "ctlz", "cttz") else zip(x, y)
        results = [of_signed(*map(self.signed, row)) if of_signed else of_unsigned(*row) for row in rows]
        return [list(part) for part in zip(*results)] if isinstance(results[0], tuple) else [results]


def apply(stage, name, x, y, divisors):
    """The values that an operation gives, each with its type."""
    t = x.type
    if name in ("absi", "ctpop", "ctlz", "cttz"):
        return [stage.unary("math." + name, x)]
    if name == "ipowi":
        return [stage.binary("math.ipowi", divisors, y)]
    if name.startswith("cmpi"):
        return [stage.compare(name.split()[1], x, y)]
    if "div" in name or "rem" in name:
        return [stage.binary("arith." + name, x, divisors)]
    if not name.endswith("_extended"):
        return [stage.binary("arith." + name, x, y)]
    carries = name == "addui_extended"
    low, high = stage.fresh(x.shape, x.dtype), stage.fresh(x.shape, "i1" if carries else x.dtype)
    stage.lines.append(f"%{low.name}, %{high.name} = arith.{name} %{x.name}, %{y.name} : {t}{', ' + high.type if carries else ''}")
    return [low, high]


def joined(stage, values):
    """The elements of all values, one after the other."""
    shape = (sum(v.shape[0] for v in values),)
    types = f"({', '.join(v.type for v in values)})"
    result = stage.fresh(shape, values[0].dtype)
    stage.lines.append(f"%{result.name} = tensor.concat dim(0) {', '.join('%' + v.name for v in values)} : {types} -> {result.type}")
    return result


def check(folder, width):
    """Numbers and truths are sent apart, those of one size in one message."""
    integers, dtype, failures = Integers(width), f"i{width}", []
    program, data, order = Program(f"integers_{width}"), [], []
    for count in SIZES:
        inputs = [program.input((count,), dtype) for _ in range(3)]
        data += integers.operands(count)
        numbers, truths = [], []

        def build(stage, *operands):
            values, flags = [], []
            for name in integers.operations():
                for i, value in enumerate(apply(stage, name, *operands)):
                    is_truth = name.startswith("cmpi") or (name == "addui_extended" and i == 1)
                    (flags if is_truth else values).append(value)
                    (truths if is_truth else numbers).append((count, name, i))
            return joined(stage, values), joined(stage, flags)

        program.outputs += program.stage(build, *inputs)
        order += [numbers, truths]
    path = lambda name: os.path.join(folder, f"{dtype}-{name}")
    with open(path("program.mlir"), "w") as file:
        file.write(program.text())
    flags = []
    for value, words in zip(program.inputs, data):
        file = path(value.name + ".npy")
        write_npy(file, value.shape, dtype, [bool(w) if width == 1 else integers.signed(w) for w in words])
        flags.append(f"--input={value.name}=@{file}")
    flags += [f"--output={name}=@{path(name + '.npy')}" for name, _ in program.results()]
    call(["gpuvm-interpret", path("program.mlir"), *flags])
    for (output, value), entries in zip(program.results(), order):
        got = unpack(value.dtype, read_npy(path(output + ".npy"), value.dtype))
        mask = integers.mask if value.dtype == dtype else 1
        for n, (count, name, i) in enumerate(entries):
            at = 3 * SIZES.index(count)
            expected = [int(v) & mask for v in integers.expected(name, *data[at:at + 3])[i]]
            found = [int(v) & mask for v in got[n * count:(n + 1) * count]]
            failures += [f"{name} on {count} x {dtype}, result {i}, element {k}: {f:#x}, expected {e:#x}"
                         for k, (f, e) in enumerate(zip(found, expected)) if f != e][:1]
    return failures


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    failures = [failure for width in WIDTHS for failure in check(folder, width)]
    print("\n".join(failures) or f"{len(WIDTHS)} widths, {len(Integers(8).operations())} operations: all right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
