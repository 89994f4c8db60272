"""Compares gpuvm's reader of GGUF files with other ones.

  check_gguf.py random FOLDER     with what a writer without packages wrote, into FOLDER
  check_gguf.py package FILE...   with the package gguf
"""

import pathlib
import random
import re
import struct
import subprocess
import sys

# gguf.md of ggml: name of the type -> its code, and the form of a number in struct.
VALUES = {"u8": (0, "B"), "i8": (1, "b"), "u16": (2, "H"), "i16": (3, "h"), "u32": (4, "I"), "i32": (5, "i"), "f32": (6, "f"),
          "bool": (7, "?"), "string": (8, None), "u64": (10, "Q"), "i64": (11, "q"), "f64": (12, "d")}
ARRAY = 9
# Some of ggml's types -> code, elements of a block, bytes of one.
TENSORS = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_1": (3, 32, 20), "Q8_0": (8, 32, 34), "Q6_K": (14, 256, 210), "I8": (24, 1, 1)}


def shown(value):
    """A value as GgufDump.cpp prints it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return f'"{value.hex()}"'
    if isinstance(value, float):
        return struct.pack(">d", value).hex()
    return str(value)


def keyLine(key, typeName, value):
    values = value if isinstance(value, list) else [value]
    return f"key {key} {typeName}{'[]' if isinstance(value, list) else ''} {' '.join(map(shown, values))}"


def tensorLine(name, typeName, shape, offset, data):
    return f"tensor {name} {typeName} {'x'.join(map(str, shape))} {offset} {len(data)} {data[-16:].hex()}"


def text(value):
    return struct.pack("<Q", len(value)) + value


class RandomFile:
    def __init__(self, seed):
        self.random = random.Random(seed)
        version, self.alignment = self.random.choice([2, 3]), 32
        keys = [self.key(f"{self.name()}.{i}") for i in range(self.random.randrange(12))]
        if self.random.random() < 0.5:
            self.alignment = 8 << self.random.randrange(9)
            place = self.random.randrange(len(keys) + 1)
            keys.insert(place, ("general.alignment", "u32", self.alignment))
        tensors = [self.tensor(f"{self.name()}.{i}") for i in range(self.random.randrange(6))]
        head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
        head += b"".join(text(key.encode()) + self.encoded(typeName, value) for key, typeName, value in keys)
        data = b""
        for place in self.random.sample(range(len(tensors)), len(tensors)):  # Descriptions may be in another order than data.
            tensors[place] += (len(data),)
            data += tensors[place][3]
            data += b"\xEE" * (-len(data) % self.alignment)
        for name, typeName, shape, _, offset in tensors:
            head += text(name.encode()) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *reversed(shape), TENSORS[typeName][0], offset)
        head += bytes(-len(head) % self.alignment)
        self.bytes = head + data
        self.lines = [f"file {version} {self.alignment}", *(keyLine(*key) for key in keys)]
        self.lines += [tensorLine(name, typeName, shape, len(head) + offset, data)
                       for name, typeName, shape, data, offset in tensors]

    def name(self):
        return "".join(self.random.choices("abcXYZ019_-. äé漢", k=self.random.randrange(1, 20)))

    def value(self, typeName):
        if typeName == "string":
            return self.random.randbytes(self.random.choice([0, 1, 7, 300]))
        if typeName == "bool":
            return self.random.random() < 0.5
        form = VALUES[typeName][1]
        value, = struct.unpack("<" + form, self.random.randbytes(struct.calcsize(form)))
        return 0.5 if value != value else value  # A NaN's payload is not kept in every conversion.

    def key(self, key):
        typeName = self.random.choice(list(VALUES))
        if self.random.random() < 0.5:
            value = self.value(typeName)
            return key, typeName, abs(value) // 2 if typeName[0] == "i" else value
        values = [self.value(typeName) for _ in range(self.random.choice([0, 1, 2, 100]))]
        return key, typeName, [value // 2 for value in values] if typeName == "u64" else values

    def encoded(self, typeName, value):
        code, form = VALUES[typeName]
        one = text if form is None else lambda number: struct.pack("<" + form, number)
        if isinstance(value, list):
            return struct.pack("<IIQ", ARRAY, code, len(value)) + b"".join(map(one, value))
        return struct.pack("<I", code) + one(value)

    def tensor(self, name):
        typeName = self.random.choice(list(TENSORS))
        _, elements, size = TENSORS[typeName]
        outer = [self.random.randrange(1, 5) for _ in range(self.random.randrange(4))]
        blocks = self.random.randrange(1, 4)
        count = blocks
        for extent in outer:
            count *= extent
        return name, typeName, [*outer, blocks * elements], self.random.randbytes(count * size)


def byPackage(path):
    import gguf
    reader = gguf.GGUFReader(path)
    names = {code: name for name, (code, _) in VALUES.items()}
    lines = [f"file {reader.fields['GGUF.version'].parts[0][0]} {reader.alignment}"]
    for key, field in reader.fields.items():
        if key.startswith("GGUF."):
            continue
        isArray = field.types[0] == gguf.GGUFValueType.ARRAY
        typeName = names[int(field.parts[3 if isArray else 2][0])]
        values = [field.parts[place].tobytes() if typeName == "string" else field.parts[place][0].item() for place in field.data]
        lines.append(keyLine(key, typeName, values if isArray else values[0]))
    for tensor in reader.tensors:
        lines.append(tensorLine(tensor.name, tensor.tensor_type.name, [int(extent) for extent in reversed(tensor.shape)],
                                tensor.data_offset, tensor.data.tobytes()))
    return lines


def checkTypes():
    """The types of the package are those of GgmlTypes.def, which may have newer ones."""
    import gguf
    table = pathlib.Path(__file__).parents[3] / "frontends/llm/gguf/GgmlTypes.def"
    found = re.findall(r"^GGML_TYPE\((\w+), (\d+), (\d+), (\d+)\)", table.read_text(), re.M)
    ours = {name: tuple(map(int, numbers)) for name, *numbers in found}
    for kind, sizes in gguf.GGML_QUANT_SIZES.items():
        if kind.name == "Q8_1":  # Not stored in files; the package 0.19 has it with 40 bytes, ggml-common.h with 36.
            continue
        if ours.get(kind.name) != (kind.value, *sizes):
            sys.exit(f"{kind.name}: {ours.get(kind.name)}, not {(kind.value, *sizes)}")


def check(paths, lines):
    dumped = subprocess.run(["gpuvm_gguf_dump", *paths], check=True, capture_output=True, text=True).stdout.splitlines()
    for ours, theirs in zip(dumped, lines):
        if ours != theirs:
            sys.exit(f"ours:   {ours[:400]}\ntheirs: {theirs[:400]}")
    if len(dumped) != len(lines):
        sys.exit(f"{len(dumped)} lines, not {len(lines)}")
    print(f"{len(paths)} files, {len(lines)} equal lines")


def main(mode, *names):
    if mode == "package":
        checkTypes()
        return check(names, [line for name in names for line in byPackage(name)])
    folder = pathlib.Path(*names)
    folder.mkdir(parents=True, exist_ok=True)
    files = [RandomFile(seed) for seed in range(300)]
    paths = [folder / f"{seed}.gguf" for seed in range(len(files))]
    for path, file in zip(paths, files):
        path.write_bytes(file.bytes)
    check(paths, [line for file in files for line in file.lines])


main(*sys.argv[1:])
