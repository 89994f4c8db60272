"""What packed data decodes to, written from the formats' descriptions alone.

The oracle of codecs.py; shares nothing with codecs/. Numbers of ggml's formats are
rounded to f32 after every operation, in the order of ggml's dequantize_row_*.

    codec_oracle.py    compares it with digests of what the Python package gguf 0.19.0
                       (gguf.quants.dequantize, ggml's own) makes of the same bytes
    codec_oracle.py --gguf    prints those digests; needs the package
"""

import hashlib
import math
import random
import struct
import sys

from program_text import bits, to_brain

FLOATS = {"f16": "e", "f32": "f", "f64": "d"}


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def half(data, at):
    return struct.unpack_from("<e", data, at)[0]


def pack(x, element):
    if element == "bf16":
        return struct.pack("<H", to_brain(x))
    try:
        return struct.pack("<" + FLOATS[element], x)
    except OverflowError:  # Of f16, which has infinities for that.
        return struct.pack("<" + FLOATS[element], math.copysign(math.inf, x))


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) else value


# ------------------------------------------------------------- ggml's blocks


def q4_0(block):
    d, low, high = half(block, 0), [], []
    for byte in block[2:]:
        low.append(f32((byte % 16 - 8) * d))
        high.append(f32((byte // 16 - 8) * d))
    return low + high


def q4_1(block):
    d, m = half(block, 0), half(block, 2)
    return [f32(f32(q * d) + m) for q in q4_1_quants(block)]


def q4_1_quants(block):
    return [byte % 16 for byte in block[4:]] + [byte // 16 for byte in block[4:]]


def q8_0(block):
    d = half(block, 0)
    return [f32(signed(byte, 8) * d) for byte in block[2:]]


def q5_quants(fifths, nibbles):
    """Numbers of 5 bits, whose upper ones stand in a stream of bits."""
    stream = int.from_bytes(fifths, "little")
    low = [byte % 16 for byte in nibbles] + [byte // 16 for byte in nibbles]
    return [q + 16 * (stream >> j & 1) for j, q in enumerate(low)]


def q5_0_quants(block):
    return [q - 16 for q in q5_quants(block[2:6], block[6:])]


def q5_0(block):
    return [f32(q * half(block, 0)) for q in q5_0_quants(block)]


def q5_1_quants(block):
    return q5_quants(block[4:8], block[8:])


def q5_1(block):
    return [f32(f32(q * half(block, 0)) + half(block, 2)) for q in q5_1_quants(block)]


def q2_k_scales(block):
    """16 pairs of a scale and a minimum of 4 bits each, times d and dmin."""
    d, dmin = half(block, 80), half(block, 82)
    return [(f32(d * (s % 16)), f32(dmin * (s // 16))) for s in block[:16]]


def q2_k_quants(block):
    chunks = block[16:48], block[48:80]
    return [byte >> shift & 3 for chunk in chunks for shift in (0, 2, 4, 6) for byte in chunk]


def q2_k(block):
    scales = q2_k_scales(block)
    return [k_element(scales[e // 16], q) for e, q in enumerate(q2_k_quants(block))]


def q3_k_scales(block):
    low = [b % 16 for b in block[96:104]] + [b // 16 for b in block[96:104]]
    high = [b >> shift & 3 for shift in (0, 2, 4, 6) for b in block[104:108]]
    return [f32(half(block, 108) * (16 * h + l - 32)) for l, h in zip(low, high)]


def q3_k_quants(block):
    chunks = block[32:64], block[64:96]
    low = [byte >> shift & 3 for chunk in chunks for shift in (0, 2, 4, 6) for byte in chunk]
    is_less = [not byte >> bit & 1 for bit in range(8) for byte in block[:32]]
    return [q - 4 * less for q, less in zip(low, is_less)]


def q3_k(block):
    scales = q3_k_scales(block)
    return [f32(scales[e // 16] * q) for e, q in enumerate(q3_k_quants(block))]


IQ4_NL_TABLE = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)


def iq4_nl_quants(block):
    return [IQ4_NL_TABLE[byte % 16] for byte in block[2:]] + [IQ4_NL_TABLE[byte // 16] for byte in block[2:]]


def iq4_nl(block):
    return [f32(q * half(block, 0)) for q in iq4_nl_quants(block)]


def mxfp4_quants(block):
    """Twice the floats of a sign, 2 bits of exponent and 1 of fraction."""
    nibbles = [byte % 16 for byte in block[1:]] + [byte // 16 for byte in block[1:]]
    return [(-1) ** (n >> 3) * (n & 1 if n & 6 == 0 else (2 + (n & 1)) << (n >> 1 & 3) - 1) for n in nibbles]


def mxfp4(block):
    return [q * 2.0 ** (block[0] - 128) for q in mxfp4_quants(block)]  # Exact, but for what is too large.


def k_scales(block):
    """8 pairs of a scale and a minimum of 6 bits each, times d and dmin."""
    d, dmin, packed = half(block, 0), half(block, 2), block[4:16]
    scales = [b % 64 for b in packed[0:4]] + [c % 16 + a // 64 * 16 for a, c in zip(packed[0:4], packed[8:12])]
    mins = [b % 64 for b in packed[4:8]] + [c // 16 + b // 64 * 16 for b, c in zip(packed[4:8], packed[8:12])]
    return [(f32(d * s), f32(dmin * m)) for s, m in zip(scales, mins)]


def k_element(scale, q):
    return f32(f32(scale[0] * q) - scale[1])


def q4_k(block):
    scales, result = k_scales(block), []
    for i in range(4):
        chunk = block[16 + 32 * i:48 + 32 * i]
        result += [k_element(scales[2 * i], byte % 16) for byte in chunk]
        result += [k_element(scales[2 * i + 1], byte // 16) for byte in chunk]
    return result


def q5_k(block):
    scales, high, result = k_scales(block), block[16:48], []
    for i in range(4):
        chunk = block[48 + 32 * i:80 + 32 * i]
        for odd in (0, 1):
            nibbles = [byte // 16 if odd else byte % 16 for byte in chunk]
            fifth = [byte >> (2 * i + odd) & 1 for byte in high]
            result += [k_element(scales[2 * i + odd], q + 16 * h) for q, h in zip(nibbles, fifth)]
    return result


def q6_k(block):
    d, result = half(block, 208), [0.0] * 256
    for n in range(2):
        low, high, scales = block[64 * n:64 * n + 64], block[128 + 32 * n:160 + 32 * n], block[192 + 8 * n:200 + 8 * n]
        for j in range(32):
            nibbles = [low[j] % 16, low[j + 32] % 16, low[j] // 16, low[j + 32] // 16]
            for i, nibble in enumerate(nibbles):
                q = nibble + (high[j] >> (2 * i)) % 4 * 16 - 32
                scale = f32(d * signed(scales[j // 16 + 2 * i], 8))
                result[128 * n + 32 * i + j] = f32(scale * q)
    return result


def small_float(byte, exponent_bits, has_infinities):
    """A float of 8 bits: with infinities or, in their place, numbers up to one NaN of each sign."""
    fraction_bits = 7 - exponent_bits
    exponent, fraction = byte >> fraction_bits & (1 << exponent_bits) - 1, byte & (1 << fraction_bits) - 1
    sign, bias = (-1.0) ** (byte >> 7), (1 << exponent_bits - 1) - 1
    if has_infinities and exponent == (1 << exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if not has_infinities and byte & 127 == 127:
        return math.nan
    whole = fraction / (1 << fraction_bits) + (exponent > 0)
    return sign * whole * 2.0 ** (max(exponent, 1) - bias)


BLOCKS = {"q4_0": (q4_0, 32, 18, (0,)), "q4_1": (q4_1, 32, 20, (0, 2)), "q8_0": (q8_0, 32, 34, (0,)), "q4_k": (q4_k, 256, 144, (0, 2)),
          "q5_k": (q5_k, 256, 176, (0, 2)),
          "q6_k": (q6_k, 256, 210, (208,)), "q5_0": (q5_0, 32, 22, (0,)), "q5_1": (q5_1, 32, 24, (0, 2)),
          "q2_k": (q2_k, 256, 84, (80, 82)), "q3_k": (q3_k, 256, 110, (108,)),
          "iq4_nl": (iq4_nl, 32, 18, (0,)), "mxfp4": (mxfp4, 32, 17, ())}
"""Decoder, elements and bytes of a block, and where its halves are."""


# ------------------------------------------------------------- their parts


def k_quants(block, codec):
    """The integers of a block of q4_k or q5_k."""
    low, high = (block[16:], bytes(32)) if codec == "q4_k" else (block[48:], block[16:48])
    return [(low[e // 64 * 32 + e % 32] >> (e // 32 % 2 * 4)) % 16 + (high[e % 32] >> (e // 32)) % 2 * 16
            for e in range(256)]


def q6_k_quants(block):
    """The integers of a block, one after the other."""
    result = []
    for e in range(256):
        half, quarter, place = e // 128, e // 32 % 4, e % 32
        nibbles = block[64 * half + 32 * (quarter % 2) + place] >> (quarter // 2 * 4)
        result.append(nibbles % 16 + (block[128 + 32 * half + place] >> (2 * quarter)) % 4 * 16 - 32)
    return result


def k_part(codec):
    return {"quants": lambda b: k_quants(b, codec), "scales": lambda b: [s for s, _ in k_scales(b)],
            "offsets": lambda b: [-m for _, m in k_scales(b)]}


PARTS = {"q4_0": {"quants": lambda b: [x % 16 - 8 for x in b[2:]] + [x // 16 - 8 for x in b[2:]],
                  "scales": lambda b: [half(b, 0)]},
         "q4_1": {"quants": q4_1_quants, "scales": lambda b: [half(b, 0)], "offsets": lambda b: [half(b, 2)]},
         "q8_0": {"quants": lambda b: [signed(x, 8) for x in b[2:]], "scales": lambda b: [half(b, 0)]},
         "q4_k": k_part("q4_k"), "q5_k": k_part("q5_k"),
         "q6_k": {"quants": q6_k_quants,
                  "scales": lambda b: [f32(half(b, 208) * signed(s, 8)) for s in b[192:208]]},
         "q5_0": {"quants": q5_0_quants, "scales": lambda b: [half(b, 0)]},
         "q5_1": {"quants": q5_1_quants, "scales": lambda b: [half(b, 0)], "offsets": lambda b: [half(b, 2)]},
         "q2_k": {"quants": q2_k_quants, "scales": lambda b: [s for s, _ in q2_k_scales(b)],
                  "offsets": lambda b: [-m for _, m in q2_k_scales(b)]},
         "q3_k": {"quants": q3_k_quants, "scales": q3_k_scales},
         "iq4_nl": {"quants": iq4_nl_quants, "scales": lambda b: [half(b, 0)]},
         "mxfp4": {"quants": mxfp4_quants, "scales": lambda b: [2.0 ** (b[0] - 128)]}}
"""What the elements of a block are made of: integers, and numbers that they share."""

# ------------------------------------------------------------------ the rest


def fields(data, width, count):
    stream = int.from_bytes(data, "little")
    return [stream >> (width * i) & ((1 << width) - 1) for i in range(count)]


def integers(values, element):
    width = int(element[1:])
    if width == 1:
        return bytes(value % 2 for value in values)
    return b"".join((value % (1 << width)).to_bytes(width // 8, "little") for value in values)


def delta(data, parameters, element, count):
    width, base = parameters[0], 8 if element == "i64" else 4
    size, values = base + 4 * width, []
    for start in range(0, count, 32):
        block = data[start // 32 * size:(start // 32 + 1) * size]
        values.append(int.from_bytes(block[:base], "little"))
        for field in fields(block[base:], width, 32)[1:]:
            values.append(values[-1] + signed(field, width))
    return integers(values[:count], element)


def dictionary(data, parameters, element, count):
    width, entries = parameters
    size = bits(element) // 8
    table = [data[i * size:(i + 1) * size] for i in range(entries)]
    codes = fields(data[(entries * size + 3) // 4 * 4:], width, count)
    return b"".join(table[min(code, entries - 1)] for code in codes)


def run_length(data, parameters, element, count):
    runs, size, result, start = parameters[0], int(element[1:]) // 8, b"", 0
    for k, end in enumerate(struct.unpack_from(f"<{runs}I", data)):
        result += data[4 * runs + k * size:4 * runs + (k + 1) * size] * (end - start)
        start = end
    return result


def decode(codec, parameters, element, count, data):
    """The elements as bytes."""
    if codec in BLOCKS:
        decoder, _, size, _ = BLOCKS[codec]
        values = [x for at in range(0, len(data), size) for x in decoder(data[at:at + size])]
        return b"".join(pack(x, element) for x in values)
    whole, _, part = codec.rpartition("_")
    if whole in PARTS:
        size = BLOCKS[whole][2]
        values = [x for at in range(0, len(data), size) for x in PARTS[whole][part](data[at:at + size])]
        return integers(values, "i8") if part == "quants" else b"".join(pack(x, "f32") for x in values)
    if codec in ("f8e4m3fn", "f8e5m2"):
        exponent_bits = 4 if codec == "f8e4m3fn" else 5
        return b"".join(pack(small_float(byte, exponent_bits, codec == "f8e5m2"), element) for byte in data)
    if codec == "f16":
        return data if element == "f16" else struct.pack(f"<{count}f", *struct.unpack(f"<{count}e", data))
    if codec == "bf16":
        return data if element == "bf16" else b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))
    if codec == "bits":
        return integers(fields(data, parameters[0], count), element)
    if codec == "signed_bits":
        return integers([signed(x, parameters[0]) for x in fields(data, parameters[0], count)], element)
    return {"delta": delta, "dictionary": dictionary, "run_length": run_length}[codec](data, parameters, element, count)


# ----------------------------------------------------------------- ggml's own

SPECIAL_HALVES = [0x0000, 0x8000, 0x0001, 0x03FF, 0x83FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01]


def random_blocks(codec, count, seed):
    """Any bytes, but scales of all kinds: zeros, subnormal, extreme and infinite
    numbers and NaNs in every other block, ordinary ones in the rest."""
    rng = random.Random(f"{codec} {seed}")
    _, _, size, halves = BLOCKS[codec]
    blocks = []
    for i in range(count):
        block = bytearray(rng.randbytes(size))
        for at in halves:
            special = rng.choice(SPECIAL_HALVES)
            ordinary = struct.unpack("<H", struct.pack("<e", rng.uniform(-1, 1)))[0]
            struct.pack_into("<H", block, at, special if i % 2 else ordinary)
        blocks.append(bytes(block))
    return b"".join(blocks)


def digest(values):
    """Of f32s, all NaNs alike."""
    packed = struct.pack(f"<{len(values)}f", *(math.nan if x != x else x for x in values))
    return hashlib.sha256(packed).hexdigest()[:32]


GGUF_DIGESTS = {
    "q4_0": "595374d70dfa9c769604d4016d94979d",
    "q4_1": "cfc4908693c862424d7988da948d5b41",
    "q8_0": "43a21b0d2c5c1d40d359c50c24acdd63",
    "q4_k": "a9feb786d4c6102310d5e2b5669b2967",
    "q5_k": "051a908425ec5a06402f9397f51a08e0",
    "q6_k": "111de33ca95548a8a97654327391ea84",
    "q5_0": "d9b5cca86d4b2b72ffc4fb832f6258c5",
    "q5_1": "96175e92c69a8f57c8255b7d411401a1",
    "q2_k": "afa4308b7b097b814ae4786107b59fbc",
    "q3_k": "5cb66f7b1624d580f4e37448dcd2a35e",
    "iq4_nl": "31a97c78b9fb6b0341bb301c51d066e1",
    "mxfp4": "85f89d26b5972baad9a934a0d170bc83",
}


def main():
    for codec in BLOCKS:
        data = random_blocks(codec, 64, "digest")
        if "--gguf" in sys.argv:
            import gguf
            import numpy
            kind = gguf.GGMLQuantizationType[codec.upper()]
            rows = numpy.frombuffer(data, dtype=numpy.uint8).reshape(64, -1)
            print(f'    "{codec}": "{digest(gguf.quants.dequantize(rows, kind).flatten().tolist())}",')
            continue
        _, elements, _, _ = BLOCKS[codec]
        values = struct.unpack(f"<{64 * elements}f", decode(codec, [], "f32", 64 * elements, data))
        assert digest(values) == GGUF_DIGESTS[codec], codec
    return 0


if __name__ == "__main__":
    sys.exit(main())
