#!/usr/bin/env python3
"""Writes a model file with a vocabulary alone: a token for each byte, "he", "hel", "lo", "hello" and the control token <|end|>.

write_vocabulary.py FILE [TYPE]   TYPE: tokenizer.ggml.model (gpt2)
"""

import pathlib
import struct
import sys


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def strings(values):
    return struct.pack("<IIQ", 9, 8, len(values)) + b"".join(map(text, values))


def alphabet():
    """GPT-2's character for each byte."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return [chr(byte) if byte in seen else chr(256 + hidden.index(byte)) for byte in range(256)]


tokens = [*alphabet(), "he", "hel", "lo", "hello", "<|end|>"]
keys = {
    "general.architecture": struct.pack("<I", 8) + text("llama"),
    "tokenizer.ggml.model": struct.pack("<I", 8) + text(sys.argv[2] if len(sys.argv) > 2 else "gpt2"),
    "tokenizer.ggml.pre": struct.pack("<I", 8) + text("gpt-2"),
    "tokenizer.ggml.tokens": strings(tokens),
    "tokenizer.ggml.token_type": struct.pack("<IIQ", 9, 5, len(tokens)) + struct.pack(f"<{len(tokens)}i", *[1] * 260, 3),
    "tokenizer.ggml.merges": strings(["h e", "he l", "l o", "hel lo"]),
}
head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(keys))
pathlib.Path(sys.argv[1]).write_bytes(head + b"".join(text(key) + value for key, value in keys.items()))
