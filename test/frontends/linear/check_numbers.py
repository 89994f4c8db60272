"""Checks of numbers: that arithmetic is rounded once, that sines are near, how literals are read."""

import decimal
import fractions
import random

import numpy as np

import reference_numbers as numbers
from check_support import F32, INF, NAN, check, operation, same, straight

decimal.getcontext().prec = 100
# From the integer of section 4: right to 77 digits, of which the largest x takes 39.
HALF_PI = decimal.Decimal(2) ** 256 / numbers.TWO_OVER_PI


def rounded(value):
    """fl of section 1 of a finite Fraction that does not overflow, in whole numbers."""
    size, e = abs(value), -149
    while size >= fractions.Fraction(2) ** (e + 24):
        e += 1
    result = round(size / fractions.Fraction(2) ** e) * fractions.Fraction(2) ** e
    return F32(0) if result < fractions.Fraction(2) ** -126 else F32(float(result if value > 0 else -result))


def random_float(source):
    bits = source.choice([0x80000000, 0]) | source.randrange(0x00800000, 0x7F800000)
    if source.random() < 0.5:
        bits = bits & 0x81FFFFFF | 0x3E000000
    return numbers.from_bits(bits)


@check
def arithmetic_is_rounded_once():
    source, compared = random.Random(0), 0
    for _ in range(1500):
        a, b = random_float(source), random_float(source)
        x, y = fractions.Fraction(float(a)), fractions.Fraction(float(b))
        whole = abs(x) // abs(y)
        exact = {"add": x + y, "subtract": x - y, "multiply": x * y, "divide": x / y,
                 "remainder": (abs(x) - abs(y) * whole) * (1 if x > 0 else -1)}
        for name, value in exact.items():
            got = getattr(numbers, name)(np.array([a]), np.array([b]))[0]
            if abs(value) < 2**127:
                compared += 1
                assert got == rounded(value), f"{name} {a!r} {b!r}: {got!r}"
    assert compared > 5000


@check
def roots_are_rounded_once():
    source = random.Random(1)
    for _ in range(3000):
        a = abs(random_float(source))
        root = fractions.Fraction(float(numbers.sqrt(np.array([a]))[0]))
        unit = fractions.Fraction(float(np.spacing(F32(float(root))))) / 2
        assert (root - unit) ** 2 < fractions.Fraction(float(a)) < (root + unit) ** 2


@check
def special_numbers():
    for text, values, want in [
            ("DIV r0, r0, r1", (1, 0), INF), ("DIV r0, r0, r1", (1, -0.0), -INF), ("DIV r0, r0, r1", (0, 0), NAN),
            ("MOD r0, r0, r1", (-6, 3), -0.0), ("MOD r0, r0, r1", (5.5, -2), 1.5), ("MOD r0, r0, r1", (5, 0), NAN),
            ("MOD r0, r0, r1", (INF, 2), NAN), ("MOD r0, r0, r1", (-5, INF), -5), ("MODI r0, r0, 3e38", (1e38,), 1e38),
            ("MIN r0, r0, r1", (0.0, -0.0), -0.0), ("MIN r0, r0, r1", (-0.0, 0.0), -0.0),
            ("MAX r0, r0, r1", (-0.0, 0.0), 0.0), ("MAX r0, r0, r1", (NAN, 1), NAN), ("MIN r0, r0, r1", (1, NAN), NAN),
            ("MIN r0, r1, r0", (3, -INF), -INF), ("ABS r0, r0", (-0.0,), 0.0), ("SQRT r0, r0", (-0.0,), -0.0),
            ("SQRT r0, r0", (-1,), NAN), ("SIN r0, r0", (-0.0,), -0.0),
            ("COS r0, r0", (0,), 1), ("SIN r0, r0", (INF,), NAN),
            ("MUL r0, r0, r1", (-1e-20, 1e-20), -0.0), ("MULI r0, r0, 0.5", (2.0**-126,), 0.0),
            ("CMP r0, r0, r1", (1.5 * 2.0**-126, 2.0**-126), 0.0), ("CMP r0, r0, r0", (INF,), NAN),
            ("SUB r0, r0, r0", (NAN,), 0.0), ("SCALE r0, r0, 0", (INF,), 0.0), ("SETI r0, -0.0", (1,), 0.0),
            ("ADD r0, r0, r0", (3e38,), INF), ("ADD r0, r0, r1", (-0.0, -0.0), -0.0), ("NEG r0, r0", (0.0,), -0.0),
            ("SCALE r0, r0, -1e-30", (1e-10,), -0.0), ("MOV r0, r1", (1, -0.0), -0.0)]:
        same(operation(text, *values), want)


def exact_sine_cosine(x):
    """SIN and COS of a float to 40 digits, by the series."""
    turns = int((decimal.Decimal(x) / HALF_PI).to_integral_value())
    r = decimal.Decimal(x) - turns * HALF_PI
    parts, term = [decimal.Decimal(0), decimal.Decimal(0)], decimal.Decimal(1)
    for k in range(1, 42):
        parts[(k + 1) % 2] += term * (-1) ** ((k - 1) // 2)
        term *= r / k
    c, s = parts
    return [(s, c), (c, -s), (-s, -c), (-c, s)][turns % 4]


@check
def sines_are_near():
    # Half an ulp of r is one of S just below 1/2, where cos r is 0.87; 0.5 of the last sum, 0.2 of the others.
    source = random.Random(2)
    x = np.array([source.randrange(0x39800000, 0x7F800000) for _ in range(2000)], np.uint32).view(F32)
    x[::2] *= -1
    for value, *pair in zip(x, *numbers.sine_cosine(x)):
        for got, want in zip(pair, exact_sine_cosine(float(value))):
            unit = decimal.Decimal(float(np.spacing(F32(abs(float(want))))))
            assert abs(decimal.Decimal(float(got)) - want) < unit * decimal.Decimal("1.6"), (value, got, want)


@check
def half_precision_state():
    same(operation("MULI r0, r0, 1", 2049, head=".state f16"), 2048)
    same(operation("MULI r0, r0, 2", 65504, head=".state f16"), INF)
    same(operation("MULI r0, r0, 0.5", 2.0**-23, head=".state f16"), 2.0**-24)
    same(operation("SETI r0, 65520", 0, head=".state f16"), INF)
    same(straight([], options="m0=0.1", head=".state f16")["state"][0, 5], float(np.float16(0.1)))


@check
def literals_are_rounded_once():
    for text, bits in [("16777217", 0x4B800000), ("16777219", 0x4B800002), ("1.00000005960464477540", 0x3F800001),
                       ("1.17549435e-38", 0x00800000), ("3.4028235677973366e38", 0x7F7FFFFF),
                       ("3.4028235677973367e38", None), ("3.4028235e38", 0x7F7FFFFF),
                       (".5", 0x3F000000), ("1.e1", 0x41200000), ("-0", 0x80000000), ("0e999999999", 0),
                       ("1e-999999999", None)]:
        try:
            assert numbers.literal(text).view(np.uint32) == bits, text
        except numbers.OutOfRange:
            assert bits is None, text
