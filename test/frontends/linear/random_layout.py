"""Buffers and numbers of random programs (generate.py)."""

import struct

SPECIAL = ["0", "-0.0", "1", "-1", "inf", "-inf", "nan", "1.17549435e-38", "-1.2e-38", "3.4e38",
           "16777216", "-16777215", "0.5", "65504", "65520", "6e-8", "2.5e-8", "1e-20", "3.1415927",
           "1e22", "0.00024414062", "0.00024"]


class Layout:
    """Buffers and their addresses."""

    def __init__(self, random):
        self.random = random
        self.buffers = []  # (name, size, kind)

    def add(self, name, size, kind):
        self.buffers.append((name, size, kind))

    def base(self, name):
        at = 0
        for is_input in (True, False):
            for other, size, kind in self.buffers:
                if (kind == "in") != is_input:
                    continue
                if other == name:
                    return at
                at += size
        raise KeyError(name)

    def size(self):
        return sum(size for _, size, _ in self.buffers)

    def lines(self):
        return [f".buffer {name} {size} {kind}" for name, size, kind in self.buffers]

    def data(self, integers):
        def word():
            if integers or self.random.random() < 0.6:
                return bits(float(self.random.randint(-20, 20)))
            if self.random.random() < 0.2:  # Subnormal numbers and all others.
                return self.random.choice([1, 0x80000001, 0x7fffff, 0x800000, 0x807fffff])
            return finite(self.random.getrandbits(32))
        return {name: [word() for _ in range(size)]
                for name, size, kind in self.buffers if kind in ("in", "inout")}


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def finite(word):
    return word if word & 0x7f800000 != 0x7f800000 else word & 0x80ffffff | 0x3f000000


def number(random):
    """A literal that no rounding makes subnormal."""
    kind = random.random()
    if kind < 0.45:
        return str(random.randint(-9, 9))
    if kind < 0.65:
        return random.choice(SPECIAL)
    if kind < 0.9:
        return f"{random.uniform(-10, 10):.5g}"
    return f"{random.choice('+-')}{random.uniform(1, 9):.6f}e{random.randint(-36, 37)}"
