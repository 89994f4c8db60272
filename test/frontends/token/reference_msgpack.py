#===- reference_msgpack.py - msgpack in its smallest encodings -------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the wire form needs of msgpack (section 8): nil, booleans, integers,
# numbers, strings, lists and maps. A map is a list of pairs when read strictly,
# here a dict, whose order is kept.
#
#===------------------------------------------------------------------------===#

import struct

from reference_diagnostics import Problem

DEEPEST = 64


def pack_integer(value):
    if value >= 0:
        if value < 128:
            return bytes([value])
        forms = ((1 << 8, "B", 0xCC), (1 << 16, ">H", 0xCD),
                 (1 << 32, ">I", 0xCE), (1 << 64, ">Q", 0xCF))
        _, code, head = next(f for f in forms if value < f[0])
    else:
        if value >= -32:
            return struct.pack("b", value)
        forms = ((1 << 7, "b", 0xD0), (1 << 15, ">h", 0xD1),
                 (1 << 31, ">i", 0xD2), (1 << 63, ">q", 0xD3))
        _, code, head = next(f for f in forms if value >= -f[0])
    return bytes([head]) + struct.pack(code, value)


def pack_number(value):
    """A single where it is the same number, else a double."""
    try:
        single = struct.pack(">f", value)
        if struct.unpack(">f", single)[0] == value:
            return b"\xCA" + single
    except OverflowError:
        pass
    return b"\xCB" + struct.pack(">d", value)


def pack_head(length, fixed, most, heads):
    if length <= most:
        return bytes([fixed | length])
    for head, code, limit in heads:
        if length < limit:
            return bytes([head]) + struct.pack(code, length)
    raise ValueError("too long for msgpack")


STRING = ((0xD9, "B", 1 << 8), (0xDA, ">H", 1 << 16), (0xDB, ">I", 1 << 32))
LIST = ((0xDC, ">H", 1 << 16), (0xDD, ">I", 1 << 32))
MAP = ((0xDE, ">H", 1 << 16), (0xDF, ">I", 1 << 32))


def pack(value):
    if value is None:
        return b"\xC0"
    if isinstance(value, bool):
        return b"\xC3" if value else b"\xC2"
    if isinstance(value, int):
        return pack_integer(value)
    if isinstance(value, float):
        return pack_number(value)
    if isinstance(value, str):
        data = value.encode()
        return pack_head(len(data), 0xA0, 31, STRING) + data
    if isinstance(value, (list, tuple)):
        return pack_head(len(value), 0x90, 15, LIST) + b"".join(map(pack, value))
    return pack_head(len(value), 0x80, 15, MAP) + b"".join(
        pack(key) + pack(item) for key, item in value.items())


class Unpacker:
    SCALARS = {0xCA: ">f", 0xCB: ">d", 0xCC: "B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
               0xD0: "b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
    LENGTHS = {0xD9: ("B", "text"), 0xDA: (">H", "text"), 0xDB: (">I", "text"),
               0xDC: (">H", "list"), 0xDD: (">I", "list"),
               0xDE: (">H", "map"), 0xDF: (">I", "map")}

    def __init__(self, data):
        self.data, self.at = data, 0

    def fail(self, sentence):
        raise Problem("X02", f"{sentence} at byte {self.at}")

    def take(self, count):
        if self.at + count > len(self.data):
            self.fail("the data end")
        self.at += count
        return self.data[self.at - count:self.at]

    def scalar(self, code):
        return struct.unpack(code, self.take(struct.calcsize(code)))[0]

    def all(self):
        value = self.value(0)
        if self.at != len(self.data):
            self.fail("there is more than one value")
        return value

    def value(self, depth):
        if depth > DEEPEST:
            self.fail("the nesting is too deep")
        head = self.take(1)[0]
        if head < 0x80:
            return head
        if head >= 0xE0:
            return head - 256
        if head < 0xC0:
            return self.short(head, depth)
        if head in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[head]
        if head in self.SCALARS:
            return self.scalar(self.SCALARS[head])
        if head not in self.LENGTHS:
            self.fail("the type has no use here")
        code, kind = self.LENGTHS[head]
        return self.many(kind, self.scalar(code), depth)

    def short(self, head, depth):
        if head < 0x90:
            return self.many("map", head & 15, depth)
        if head < 0xA0:
            return self.many("list", head & 15, depth)
        return self.many("text", head & 31, depth)

    def many(self, kind, count, depth):
        if kind == "text":
            try:
                return self.take(count).decode()
            except UnicodeDecodeError:
                self.fail("a string is no UTF-8")
        if kind == "list":
            return [self.value(depth + 1) for _ in range(count)]
        return self.map(count, depth)

    def map(self, count, depth):
        made = {}
        for _ in range(count):
            key = self.value(depth + 1)
            if isinstance(key, (list, dict)) or key in made:
                self.fail("a key is no scalar or is there twice")
            made[key] = self.value(depth + 1)
        return made
