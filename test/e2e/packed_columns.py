"""The packer of examples/tpch against the oracle of the codecs, which decodes what it makes.

    packed_columns.py

Random columns of all widths, those at the ends of their types, and of lengths that are
no multiples of blocks, through every codec that can hold them; each comes back. Says
which codecs `choose` takes for columns made for them.
"""

import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "tpch"))
import codec_oracle  # noqa: E402
import packing  # noqa: E402


def check(values, codec):
    data = packing.pack(values, codec).tobytes()
    if len(data) != codec.bytes(len(values), values.itemsize):
        sys.exit(f"{codec}: {len(data)} bytes of {len(values)} elements, not {codec.bytes(len(values), values.itemsize)}")
    parameters = [codec.width] + [codec.entries] * (codec.entries > 0)
    if codec_oracle.decode(codec.name, parameters, f"i{8 * values.itemsize}", len(values), data) != values.tobytes():
        sys.exit(f"{codec}: {len(values)} elements of {values.dtype} do not come back")


def layouts(values):
    """Every codec that can hold these integers."""
    if values.min() >= 0:
        yield packing.Codec("bits", packing.unsigned_width(values))
    yield packing.Codec("signed_bits", packing.signed_width(values))
    entries = packing.distinct(values)
    yield packing.Codec("dictionary", packing.unsigned_width(np.array(len(entries) - 1)), len(entries))
    width = packing.signed_width(np.diff(packing.in_blocks(values)))
    if width <= 32:
        yield packing.Codec("delta", width)


def main():
    random = np.random.default_rng(7)
    packing.PIECE = 256  # So that columns have several.
    for dtype in ("int8", "int16", "int32", "int64"):
        info = np.iinfo(dtype)
        for length in (1, 31, 32, 33, 256, 517):
            for bits in range(1, info.bits):
                low = int(random.choice([0, -(1 << (bits - 1)), info.min, info.max - (1 << bits) + 1]))
                values = random.integers(low, low + (1 << bits) - 1, length, np.int64, endpoint=True).astype(dtype)
                for codec in layouts(values):
                    check(values, codec)
            ends = random.choice(np.array([info.min, info.max], dtype), length)
            for codec in layouts(ends):
                check(ends, codec)
    for values in (np.arange(5000, dtype=np.int32) * 3, random.choice(np.array([-(10**6), 7, 10**9], np.int32), 5000),
                   random.integers(0, 2**20, 5000, np.int64), random.integers(-(2**20), 2**20, 5000, np.int64),
                   random.integers(-128, 128, 5000).astype(np.int8), np.zeros(10, np.int64)):
        codec = packing.choose(values)
        print(codec)
        if codec:
            check(values, codec)


main()
