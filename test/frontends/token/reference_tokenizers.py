#===- reference_tokenizers.py - text to ids and back -----------------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Section 9: `bytes` and `greedy:FILE`; section 8: a text is cut at patterns,
# so that a forced pattern is always the tokens that are listened for.
#
#===------------------------------------------------------------------------===#

import os

from reference_diagnostics import Problem, is_strings
from reference_prompts import read_toml
from reference_scan import occurrences

PADDING = 256


class Tokenizer:
    """The bytes of a text, or the longest of the pieces that match."""

    def __init__(self, pieces=()):
        self.pieces = [piece.encode() for piece in pieces]
        self.ids = {piece: 257 + i for i, piece in enumerate(self.pieces)}
        self.longest = max(map(len, self.pieces), default=0)
        self.vocabulary = 257 + len(self.pieces)

    def encode(self, text):
        data, at, ids = text.encode(), 0, []
        while at < len(data):
            for length in range(self.longest, 0, -1):
                piece = data[at:at + length]
                if len(piece) == length and piece in self.ids:
                    break
            else:
                piece = data[at:at + 1]
            ids.append(self.ids.get(piece, piece[0]))
            at += len(piece)
        return ids

    def bytes_of(self, token):
        if token < 256:
            return bytes([token])
        if token == PADDING:
            return b""
        if token < self.vocabulary:
            return self.pieces[token - 257]
        return "\ufffd".encode()

    def decode_parts(self, parts):
        """Of (token, how many of its bytes)."""
        return b"".join(self.bytes_of(token)[:count] for token, count in parts).decode(
            "utf-8", "replace")

    def decode(self, ids):
        return b"".join(map(self.bytes_of, ids)).decode("utf-8", "replace")

    def encode_cut(self, text, patterns):
        """Each pattern by itself, and what lies between by itself."""
        ids, at = [], 0
        for start, pattern in occurrences(text, patterns):
            ids += self.encode(text[at:start]) + self.encode(pattern)
            at = start + len(pattern)
        return ids + self.encode(text[at:])


def read_tokenizer(name):
    """`bytes` or `greedy:FILE`: P03."""
    if name == "bytes":
        return Tokenizer()
    kind, _, file = name.partition(":")
    if kind != "greedy" or not file:
        raise Problem("P03", f"there is no tokenizer {name!r}")
    _, table = read_toml(file, "P02", "P02")
    pieces = table.get("pieces")
    if set(table) != {"pieces"} or not is_strings(pieces) or "" in pieces or \
            len(set(pieces)) != len(pieces):
        raise Problem("P03", f"pieces of {file} are no distinct texts", (file, 0, 0))
    return Tokenizer(pieces)
