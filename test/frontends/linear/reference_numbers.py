"""The numbers of the linear-algebra VM: binary32 with flush, on whole arrays (sections 1, 3 and 4).

Each function takes and returns float32 arrays and rounds once. SIN and COS follow section 4 in whole
numbers, so that no mathematical library decides a bit.
"""

import fractions
import functools
import re
import sys

import numpy as np

# A literal may have any number of digits.
sys.set_int_max_str_digits(0)
F32 = np.float32
LEAST_NORMAL = F32(2.0**-126)
ONE = F32(1)
# floor(2^256 2 / pi), of section 4.
TWO_OVER_PI = 0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561


def flush(values):
    """Subnormal numbers become zeros of their sign."""
    return np.where(np.abs(values) < LEAST_NORMAL, np.copysign(F32(0), values), values)


def add(a, b):
    return flush(a + b)


def subtract(a, b):
    return flush(a - b)


def multiply(a, b):
    return flush(a * b)


def divide(a, b):
    return flush(a / b)


def remainder(a, b):
    return flush(np.fmod(a, b))


def minimum(a, b):
    least = np.where((a < b) | ((a == b) & np.signbit(a)), a, b)
    return np.where(np.isnan(a) | np.isnan(b), F32(np.nan), least)


def maximum(a, b):
    return -minimum(-a, -b)


def sqrt(a):
    return flush(np.sqrt(a))


def half(values):
    """Rounded to the nearest binary16, as float32."""
    return values.astype(np.float16).astype(F32)


def from_bits(bits):
    return np.uint32(bits).view(F32)


SINE = [from_bits(bits) for bits in (0xBE2AAAA3, 0x3C0883A4, 0xB94CA3F3)]
COSINE = [from_bits(bits) for bits in (0x3D2AAAA5, 0xBAB60634, 0x37CCFC88)]


def significant(number, bits):
    """A positive whole number, rounded to that many significant bits, ties to even."""
    unit = max(number.bit_length() - bits, 0)
    return round(fractions.Fraction(number, 1 << unit)) << unit


@functools.lru_cache(maxsize=1 << 16)
def reduced(bits):
    """q and r of steps 1 to 3 for the |x| of these bits, which is finite and at least 2^-12."""
    m, e = bits & 0x7FFFFF | 0x800000, (bits >> 23) - 150
    f = m * ((TWO_OVER_PI >> (162 - e)) % 2**96) % 2**96
    q = ((f + 2**93) >> 94) % 4
    g = (f - q * 2**94) % 2**96
    g -= 2**96 if g >= 2**95 else 0
    size = abs(g).bit_length()
    high = (abs(g) << 32) >> size
    r = significant(high * 0xC90FDAA2, 24) * 2.0 ** (size - 157)
    return q, -r if g < 0 else r


def polynomials(r):
    """S and C of step 4."""
    z = multiply(r, r)
    s1, s2, s3 = SINE
    c1, c2, c3 = COSINE
    s = add(r, multiply(r, multiply(z, add(s1, multiply(z, add(s2, multiply(z, s3)))))))
    c = multiply(multiply(z, z), add(c1, multiply(z, add(c2, multiply(z, c3)))))
    return s, add(subtract(c, multiply(F32(0.5), z)), ONE)


def large_sine_cosine(x):
    """SIN and COS of finite x that are not small."""
    pairs = [reduced(int(bits)) for bits in np.abs(x).view(np.uint32)]
    q = np.array([pair[0] for pair in pairs], np.int64)
    s, c = polynomials(np.array([pair[1] for pair in pairs], F32))
    sine, cosine = np.choose(q, [s, c, -s, -c]), np.choose(q, [c, -s, -c, s])
    return np.where(x < 0, -sine, sine), cosine


def sine_cosine(x):
    small, large = np.abs(x) < F32(2.0**-12), np.isfinite(x) & (np.abs(x) >= F32(2.0**-12))
    sine = np.where(small, x, F32(np.nan))
    cosine = np.where(small, ONE, F32(np.nan))
    sine[large], cosine[large] = large_sine_cosine(x[large])
    return sine, cosine


LITERAL = re.compile(r"([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?", re.ASCII)


class OutOfRange(Exception):
    """A literal that no normal binary32 is nearest to."""


def exact(text):
    """The finite number that a literal names, as a Fraction."""
    sign, whole, places, only, exponent = LITERAL.fullmatch(text).groups()
    places = places or only or ""
    digits = ((whole or "") + places).lstrip("0")
    if not digits:
        return fractions.Fraction(0)
    power = int(exponent or 0) - len(places)
    if abs(len(digits) + power) > 60:
        raise OutOfRange
    value = fractions.Fraction(int(digits)) * fractions.Fraction(10) ** power
    return -value if sign == "-" else value


def nearest(value):
    """The binary32 nearest to a Fraction, ties to even; OutOfRange as section 1 has it."""
    if value == 0:
        return F32(0)
    size = abs(value)
    e = size.numerator.bit_length() - size.denominator.bit_length() - 24
    e = max(e + (size >= fractions.Fraction(2) ** (e + 24)), -149)
    rounded = round(size / fractions.Fraction(2) ** e) * fractions.Fraction(2) ** e
    if not fractions.Fraction(2) ** -126 <= rounded < 2**128:
        raise OutOfRange
    return F32(float(rounded if value > 0 else -rounded))


def literal(text):
    """The binary32 of a number of section 9."""
    if text.lstrip("+-") in ("inf", "nan"):
        return F32(text)
    value = exact(text)
    return -F32(0) if value == 0 and text[0] == "-" else nearest(value)
