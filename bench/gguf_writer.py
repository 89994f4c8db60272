"""Writes GGUF files of version 3."""

import struct

U32, I32, F32, STRING, ARRAY = 4, 5, 6, 8, 9
# ggml's numbers of types.
TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q8_0": 8, "q4_k": 12, "q6_k": 14, "bf16": 30}
ALIGNMENT = 32


def _string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value):
    if isinstance(value, str):
        return struct.pack("<I", STRING) + _string(value)
    if isinstance(value, list):
        texts = bool(value) and isinstance(value[0], str)
        items = [_string(item) if texts else struct.pack("<i", item) for item in value]
        return struct.pack("<IIQ", ARRAY, STRING if texts else I32, len(value)) + b"".join(items)
    if isinstance(value, float):
        return struct.pack("<If", F32, value)
    return struct.pack("<II", U32, value)


def padded(size):
    return size + -size % ALIGNMENT


def head(keys, tensors):
    """What precedes the data. `tensors`: {name: (type, shape with the outermost dimension first, bytes)}, in the order of the data."""
    data, at = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)), 0
    for key, value in keys.items():
        data += _string(key) + _value(value)
    for name, (kind, shape, size) in tensors.items():
        data += _string(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        data += struct.pack("<IQ", TYPES[kind], at)
        at += padded(size)
    return data + b"\0" * (-len(data) % ALIGNMENT)


def places(first, tensors):
    """{name: (first byte, bytes)} in a file whose data begins at byte `first`."""
    result, at = {}, first
    for name, (_, _, size) in tensors.items():
        result[name] = at, size
        at += padded(size)
    return result


def write(path, keys, tensors, make):
    """Writes a file; make(name) gives the bytes of a tensor. Without it the file has holes where data are. Returns the places."""
    first = head(keys, tensors)
    found = places(len(first), tensors)
    with open(path, "wb") as file:
        file.write(first)
        for name, (at, size) in found.items():
            file.seek(at)
            if make:
                file.write(make(name))
        file.truncate(max(padded(at + size) for at, size in found.values()))
    return found
