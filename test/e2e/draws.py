"""gpuvm.random against Philox and docs/random.md once more, in Python, and against statistics.

    draws.py FOLDER

Exits 1 if a number differs, or if a statistic is further from what it should be than five of its deviations.
"""

import functools
import math
import os
import statistics
import struct
import subprocess
import sys

from differential import read_npy
from program_text import tensor, unpack

MASK = 0xFFFFFFFF
SEED, STREAM = (0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344)
# Counter, key, block (Random123, kat_vectors, philox4x32 10).
KNOWN = [((0, 0, 0, 0), (0, 0), (0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8)),
         ((MASK,) * 4, (MASK,) * 2, (0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd)),
         ((0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), (0xa4093822, 0x299f31d0),
          (0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1))]
COUNT = 40000

# ------------------------------------------------------------- docs/random.md


@functools.cache  # A block is four words, and all checks begin with the same.
def philox(counter, key):
    c, k = counter, key
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = (q >> 32 ^ c[1] ^ k[0], q & MASK, p >> 32 ^ c[3] ^ k[1], p & MASK)
        k = (k[0] + 0x9E3779B9 & MASK, k[1] + 0xBB67AE85 & MASK)
    return c


def word(i, attempt=0, seed=SEED, stream=STREAM):
    return philox((i // 4, attempt, *stream), seed)[i % 4]


def wide(i, attempt=0):
    block = philox((i // 2, attempt, *STREAM), SEED)
    return block[i % 2 * 2] | block[i % 2 * 2 + 1] << 32


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bits_of(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def hexadecimals(text):
    return [float.fromhex(number) for number in text.split()]


L = hexadecimals("0x1.fffffep-1 -0x1.00007ap-1 0x1.5559dcp-2 -0x1.ff623cp-3 0x1.978e2ep-3 -0x1.614c08p-3 0x1.4c3d0ap-3 "
                 "-0x1.9dfa74p-4")
C = hexadecimals("0x1.3b7c66p+1 0x1.54d5d4p-2 -0x1.3746f8p-7 -0x1.64bd14p-11 0x1.d666f0p-13 -0x1.78a76ep-16 "
                 "-0x1.2f03c2p-21 0x1.00c430p-21 -0x1.9fcbeap-25 -0x1.d72808p-29 0x1.bbfed4p-31")
D = hexadecimals("0x1.46fa8ep+2 0x1.82fe1ep-3 -0x1.ac22d4p-9 0x1.cfe40ep-14 -0x1.34b710p-18 0x1.b10cdep-23 "
                 "-0x1.22140cp-27 0x1.1b010ep-31 -0x1.9a3dfep-36 -0x1.1d0c9ap-38 0x1.c85528p-42")


def horner(coefficients, t):
    """In f32: doubles hold products and sums of two f32 well enough to be rounded once more."""
    total = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = f32(f32(total * t) + coefficient)
    return total


def normal(bits):
    negative = bits >> 31
    u = 2 * (bits ^ MASK if negative else bits) + 1
    x, y = f32(u) * 2.0 ** -32, f32(2 ** 32 - u) * 2.0 ** -32
    q = bits_of(f32(y * f32(x + 1))) + 0x3F800000 - 0x3F3504F3
    f = f32(struct.unpack("<f", struct.pack("<I", (q & 0x7FFFFF) + 0x3F3504F3))[0] - 1)
    w = -f32(f32(((q >> 23) - 127) * float.fromhex("0x1.62e430p-1")) + f32(f * horner(L, f)))
    r = horner(C, f32(w - 3.5)) if w < 7 else horner(D, f32(w - 14.25))
    return -f32(x * r) if negative else f32(x * r)


def below(n, width, bits):
    for attempt in range(1000):
        product = n * bits(attempt)
        if product % 2 ** width >= 2 ** width % n:
            return product >> width
    raise AssertionError("a thousand tries have failed")


def permuted(i, count, stream=STREAM):
    bits = max(2, (count - 1).bit_length())
    low_bits = bits // 2
    keys = philox((0, 0, *stream), SEED)
    while True:
        low, high = i & (1 << low_bits) - 1, i >> low_bits
        for r in range(12):
            y = (high if r % 2 else low) * 0x9E3779B9 + keys[r % 4] + r * 0x9E3779B9 & MASK
            y = (y ^ y >> 16) * 0x85EBCA6B & MASK
            y = (y ^ y >> 13) * 0xC2B2AE35 & MASK
            y ^= y >> 16
            if r % 2:
                low ^= y & (1 << low_bits) - 1
            else:
                high ^= y & (1 << bits - low_bits) - 1
        i = high << low_bits | low
        if i < count:
            return i


# ------------------------------------------------------------------- drawing


def signed(value, width):
    return value - (1 << width) if value >> width - 1 else value


def draw(folder, name, kind, shape, dtype, seed=SEED, streams=STREAM, instances=None):
    """What the device draws; the interpreter has to draw the same. Of instances, each has a stream."""
    path = lambda suffix: os.path.join(folder, f"{name}.{suffix}")
    of = f"{len(streams)}xi32" if not instances else f"{instances}xi32"
    all_of = tensor((instances, *shape) if instances else shape, dtype)
    own = "tensor<i32>" if instances else f"tensor<{of}>"
    count, shared = (f" instances({instances})", "shared ") if instances else ("", "")
    with open(path("mlir"), "w") as file:
        file.write(f"""gpuvm.program @{name}(%seed: tensor<2xi32>, %stream: tensor<{of}>) -> (r: {all_of}) {{
  %m = gpuvm.stage @draw{count} (%s = {shared}%seed : tensor<2xi32>, %t = %stream : tensor<{of}>) -> {all_of} {{
    %r = gpuvm.random {kind} seed(%s : tensor<2xi32>) stream(%t : {own}) -> {tensor(shape, dtype)}
    gpuvm.send %r : {tensor(shape, dtype)}
  }}
  gpuvm.return %m : !gpuvm.message<{all_of}>
}}
""")
    listed = lambda words: ",".join(str(signed(w, 32)) for w in words)
    data = [f"--input=seed=2xi32={listed(seed)}", f"--input=stream={of}={listed(streams)}"]
    subprocess.run(["gpuvm-compile", path("mlir"), "-o", path("gvplan")], check=True)
    subprocess.run(["gpuvm-run", path("gvplan"), "--validate", f"--output=r=@{path('npy')}", *data], check=True)
    subprocess.run(["gpuvm-interpret", path("mlir"), f"--output=r=@{path('reference.npy')}", *data], check=True)
    drawn = read_npy(path("npy"), dtype)
    assert drawn == read_npy(path("reference.npy"), dtype), f"{name}: the device and the interpreter differ"
    return unpack(dtype, drawn)


def check_equal(name, drawn, expected):
    for i, (a, e) in enumerate(zip(drawn, expected)):
        assert a == e, f"{name}: element {i} is {a!r}, expected {e!r}"


def check_near(name, value, expected, deviation):
    assert abs(value - expected) <= 5 * deviation, f"{name} is {value}, expected {expected} +- {deviation}"


def check_counts(name, counts, total):
    """Chi-square of equally probable outcomes."""
    expected = total / len(counts)
    chi = sum((c - expected) ** 2 / expected for c in counts)
    freedom = len(counts) - 1
    check_near(f"chi-square of {name}", chi, freedom, math.sqrt(2 * freedom))


def correlation(a, b):
    am, bm = statistics.fmean(a), statistics.fmean(b)
    covariance = sum((x - am) * (y - bm) for x, y in zip(a, b)) / len(a)
    return covariance / (statistics.pstdev(a) * statistics.pstdev(b))


# -------------------------------------------------------------------- checks


def check_bits(folder):
    for counter, key, block in KNOWN:
        assert philox(counter, key) == block
    drawn = draw(folder, "zeros", "bits", (4,), "i32", (0, 0), (0, 0))
    check_equal("zeros", drawn, [signed(w, 32) for w in KNOWN[0][2]])
    drawn = draw(folder, "words", "bits", (COUNT,), "i32")
    check_equal("words", drawn, (signed(word(i), 32) for i in range(COUNT)))
    text = struct.pack(f"<{COUNT}i", *drawn)
    check_counts("words' bytes", [text.count(b) for b in range(256)], 4 * COUNT)
    drawn = draw(folder, "wide", "bits", (1000,), "i64")
    check_equal("wide", drawn, (signed(wide(i), 64) for i in range(1000)))


def check_uniform(folder):
    drawn = draw(folder, "uniform", "uniform", (COUNT,), "f32")
    check_equal("uniform", drawn, ((word(i) >> 8) * 2.0 ** -24 for i in range(COUNT)))
    check_near("mean of uniform", statistics.fmean(drawn), 0.5, math.sqrt(1 / 12 / COUNT))
    check_near("variance of uniform", statistics.pvariance(drawn), 1 / 12, math.sqrt(1 / 180 / COUNT))
    check_near("correlation of neighbours", correlation(drawn[:-1], drawn[1:]), 0, 1 / math.sqrt(COUNT))
    for name, other in (("stream", {"streams": (STREAM[0] + 1, STREAM[1])}), ("seed", {"seed": (SEED[0] ^ 1, SEED[1])})):
        next_drawn = draw(folder, f"next_{name}", "uniform", (COUNT,), "f32", **other)
        check_near(f"correlation with the next {name}", correlation(drawn, next_drawn), 0, 1 / math.sqrt(COUNT))
    drawn = draw(folder, "double", "uniform", (1000,), "f64")
    check_equal("double", drawn, ((wide(i) >> 11) * 2.0 ** -53 for i in range(1000)))


def check_normal(folder):
    drawn = draw(folder, "normal", "normal", (COUNT,), "f32")
    check_equal("normal", drawn, (normal(word(i)) for i in range(COUNT)))
    check_near("mean of normal", statistics.fmean(drawn), 0, 1 / math.sqrt(COUNT))
    check_near("variance of normal", statistics.pvariance(drawn), 1, math.sqrt(2 / COUNT))
    check_near("kurtosis of normal", statistics.fmean([x ** 4 for x in drawn]), 3, math.sqrt(96 / COUNT))
    for limit in (1, 2, 3):
        share = 2 * statistics.NormalDist().cdf(-limit)
        check_near(f"share beyond {limit}", sum(abs(x) > limit for x in drawn) / COUNT, share,
                   math.sqrt(share / COUNT))
    # Against f64, the ends and the words around 0 as well.
    edges = [*range(200), *range(2 ** 31 - 200, 2 ** 31), *(1 << k for k in range(31)), *(2 ** 31 - (1 << k) for k in range(31))]
    for bits in [word(i) for i in range(COUNT)] + edges + [e ^ MASK for e in edges]:
        units = abs(2 * signed(bits, 32) + 1)
        tail = statistics.NormalDist().inv_cdf((2 ** 32 - units) / 2 ** 33)
        exact = math.copysign(tail if units > 2 ** 20 else math.sqrt(math.pi / 2) * units / 2 ** 32, signed(bits, 32) + 0.5)
        assert abs(normal(bits) - exact) < 2.0 ** -21.6 * abs(exact), f"normal of {bits:#x} is {normal(bits)}, not {exact}"
    assert abs(normal(0x7FFFFFFF) - 6.338) < 1e-3 and normal(0) == -normal(MASK) > 0


def check_below(folder):
    for n in (6, 2 ** 30 + 1):
        drawn = draw(folder, f"below_{n}", f"below({n})", (COUNT,), "i32")
        check_equal(f"below {n}", drawn, (below(n, 32, lambda k: word(i, k)) for i in range(COUNT)))
        parts = [0] * 6
        for x in drawn:
            parts[x * 6 // n] += 1
        check_counts(f"below {n}", parts, COUNT)
    n = 2 ** 62 + 1
    drawn = draw(folder, "below_wide", f"below({n})", (1000,), "i64")
    check_equal("below_wide", drawn, (below(n, 64, lambda k: wide(i, k)) for i in range(1000)))


def check_permutation(folder):
    for count in (1, 2, 1000, 1025):
        drawn = draw(folder, f"order_{count}", "permutation", (count,), "i32")
        assert sorted(drawn) == list(range(count)), f"{count}: no permutation"
        check_equal(f"order {count}", drawn, (permuted(i, count) for i in range(count)))
    streams = 6000
    drawn = draw(folder, "orders", "permutation", (3,), "i32", streams=range(streams), instances=streams)
    orders = [drawn[3 * i:3 * i + 3] for i in range(streams)]
    check_equal("orders", orders[7], (permuted(i, 3, (7, 0)) for i in range(3)))
    check_counts("orders of 3", [orders.count(order) for order in set(orders)], streams)
    assert len(set(orders)) == 6
    drawn = draw(folder, "places", "permutation", (100,), "i32", streams=range(streams), instances=streams)
    for i in (0, 50, 99):
        places = drawn[i::100]
        check_counts(f"places of {i}", [places.count(p) for p in range(100)], streams)


def main():
    folder = sys.argv[1]
    for check in (check_bits, check_uniform, check_normal, check_below, check_permutation):
        check(folder)
        print(check.__name__, "passed")


if __name__ == "__main__":
    main()
