"""Packs columns of integers for codecs of gpuvm, and programs to read them.

Layouts are those of docs/codecs.md: bits and signed_bits (fields of W bits), delta (32
elements: a base and 31 differences) and dictionary (entries, then codes). `choose` takes
the one with the fewest bytes; a column that none makes smaller stays a plain tensor.
`packed_program` puts packed types in the place of a program's heap symbols, and a
gpuvm.decode behind each gpuvm.load of one: the text of the program stays one.

    packing.py --columns FOLDER [NAME ...]    packs columns into FOLDER/packed
"""

import argparse
import dataclasses
import pathlib
import re

import numpy as np

import schema
from columns import write

BLOCK = 32              # elements of a delta block
PIECE = 1 << 20         # elements packed at once; a multiple of BLOCK
MOST_ENTRIES = 1 << 16  # of a dictionary
LEAST_BYTES = 1024      # Smaller columns stay as they are.


@dataclasses.dataclass(frozen=True)
class Codec:
    """How a column is packed: the name in !gpuvm.packed, a width in bits, the entries of a dictionary."""

    name: str
    width: int
    entries: int = 0

    def __str__(self):
        return f"{self.name}<{self.width}{f', {self.entries}' if self.entries else ''}>"

    def bytes(self, rows, item):
        """How many bytes `rows` elements of `item` bytes take."""
        if self.name == "delta":
            return -(-rows // BLOCK) * (4 * self.width + max(item, 4))
        table = -(-self.entries * item // 4) * 4
        return table + -(-rows * self.width // 8)


def unsigned_width(values):
    return max(1, int(values.max()).bit_length())


def signed_width(values):
    low, high = int(values.min()), int(values.max())
    return max(low.bit_length() if low >= 0 else (-low - 1).bit_length(), high.bit_length() if high >= 0 else 0) + 1


def in_blocks(values):
    """The elements as i64 in rows of a block, the last row filled up with its last element."""
    missing = -len(values) % BLOCK
    return np.pad(values.astype(np.int64), (0, missing), mode="edge").reshape(-1, BLOCK)


def pieces(values):
    return (values[start:start + PIECE] for start in range(0, len(values), PIECE))


def distinct(values):
    """The distinct elements in order; None if they are too many for a dictionary."""
    found = np.empty(0, values.dtype)
    for piece in pieces(values):
        found = np.union1d(found, piece)
        if len(found) > MOST_ENTRIES:
            return None
    return found


def choose(values, in_order=True):
    """The codec that packs these integers into the fewest bytes; None if they stay as they are. Without `in_order`
    it is none that adds up neighbours."""
    if values.nbytes < LEAST_BYTES:
        return None
    codecs = [Codec("bits", unsigned_width(values)) if values.min() >= 0 else Codec("signed_bits", signed_width(values))]
    entries = distinct(values)
    if entries is not None:
        codecs.append(Codec("dictionary", unsigned_width(np.array(len(entries) - 1)), len(entries)))
    width = max(signed_width(np.diff(in_blocks(piece))) for piece in pieces(values))
    if in_order and width <= 32:
        codecs.append(Codec("delta", width))
    best = min(codecs, key=lambda codec: codec.bytes(len(values), values.itemsize))
    return best if best.bytes(len(values), values.itemsize) < values.nbytes else None


def pack_bits(fields, width):
    """A stream of fields of `width` bits, the lowest bits of these integers; bytes."""
    octets = np.ascontiguousarray(fields, "<i8").view(np.uint8).reshape(-1, 8)[:, :-(-width // 8)]
    bits = np.unpackbits(octets, axis=1, bitorder="little")[:, :width]
    return np.packbits(bits.reshape(-1), bitorder="little")


def pack_deltas(values, width):
    """Blocks of a base and the differences of neighbours."""
    blocks = in_blocks(values)
    fields = np.diff(blocks, prepend=blocks[:, :1])
    base = blocks[:, :1].astype("<i8" if values.itemsize == 8 else "<i4").view(np.uint8)
    return np.concatenate([base, pack_bits(fields, width).reshape(len(blocks), -1)], axis=1).reshape(-1)


def pack(values, codec):
    """The bytes of these integers, as u8."""
    if codec.name == "delta":
        return np.concatenate([pack_deltas(piece, codec.width) for piece in pieces(values)])
    parts = []
    if codec.name == "dictionary":
        entries = distinct(values)
        table = entries.astype(values.dtype.newbyteorder("<")).view(np.uint8)
        parts.append(np.pad(table, (0, -len(table) % 4)))
    for piece in pieces(values):
        parts.append(pack_bits(np.searchsorted(entries, piece) if codec.name == "dictionary" else piece, codec.width))
    return np.concatenate(parts)


def pack_column(folder, name, in_order=True):
    """(the codec of a column, the file of its bytes); (None, its own file) if it stays as it is."""
    source, packed = folder / f"{name}.npy", folder / "packed" / f"{name}{'' if in_order else '-looked-up'}.npy"
    text = packed.with_suffix(".codec")
    if not text.exists() or text.stat().st_mtime < source.stat().st_mtime:
        packed.parent.mkdir(exist_ok=True)
        values = np.load(source, mmap_mode="r")
        codec = choose(values, in_order)
        if codec:
            write(packed, lambda file: np.save(file, pack(values, codec)))
        write(text, lambda file: file.write(f"{codec or 'plain'}\n".encode()))
    codec = parse(text.read_text())
    return codec, packed if codec else source


def pack_query(folder, query):
    """(the codecs of the query's columns that are packed, a file for each of its columns), by name"""
    looked_up = schema.LOOKED_UP.get(query, [])
    packed = {name: pack_column(folder, name, name not in looked_up) for name in schema.QUERIES[query]}
    return {name: codec for name, (codec, _) in packed.items() if codec}, {name: file for name, (_, file) in packed.items()}


def parse(text):
    found = re.fullmatch(r"(\w+)<(\d+)(?:, (\d+))?>\s*", text)
    return Codec(found[1], int(found[2]), int(found[3] or 0)) if found else None


def packed_program(text, codecs):
    """The program with its heap symbols packed as `codecs` (by name) says, and decoded where they are loaded."""
    aliases = dict(re.findall(r"^(!\w+)\s*= (tensor<[^>]*>)", text, re.MULTILINE))
    types = {}

    def declare(found):
        codec = codecs.get(found[2])
        if not codec:
            return found[0]
        elements = aliases.get(found[3], found[3]).removeprefix("tensor<")
        types[found[2]] = f"!gpuvm.packed<{codec}, {elements}"
        return f"{found[1]}{types[found[2]]}"

    def load(found):
        if found[3] not in types:
            return found[0]
        indent, value, name, tensor = found.groups()
        return (f"{indent}{value}_packed = gpuvm.load @{name} : {types[name]}\n"
                f"{indent}{value} = gpuvm.decode {value}_packed : {types[name]} -> {tensor}")

    text = re.sub(r"(gpuvm\.heap @(\w+) : )(\S+)", declare, text)
    return re.sub(r"( *)(%\w+) = gpuvm\.load @(\w+) : (\S+)", load, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--columns", type=pathlib.Path, required=True)
    args = parser.parse_args()
    for name in args.names or schema.columns_of(schema.QUERIES):
        values = np.load(args.columns / f"{name}.npy", mmap_mode="r")
        codec, _ = pack_column(args.columns, name)
        print(name, values.nbytes, codec.bytes(len(values), values.itemsize) if codec else values.nbytes, codec or "plain")


if __name__ == "__main__":
    main()
