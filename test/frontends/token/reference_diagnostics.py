#===- reference_diagnostics.py - what the reference finds wrong ------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The reference stops at the first error, so an error is an exception; warnings
# are collected. A place is (file, line, column), line 0 where it is not known.
#
#===------------------------------------------------------------------------===#

import re


class Problem(Exception):
    """An error of section 12: its code, a sentence, and its place."""

    def __init__(self, code, sentence, place=("", 0, 0)):
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.place = place

    def text(self):
        return as_line(self.place, "error", self.code, self.sentence)


class Warnings:
    """Warnings in the order found, as (code, place, sentence)."""

    def __init__(self):
        self.found = []

    def add(self, code, sentence, place=("", 0, 0)):
        self.found.append((code, place, sentence))

    def codes(self):
        return sorted({code for code, _, _ in self.found})

    def lines(self):
        return [as_line(place, "warning", code, sentence)
                for code, place, sentence in self.found]


def as_line(place, severity, code, sentence):
    file, line, column = place
    where = f"{file}:{line}:{column}" if line else file
    return f"{where}: {severity}: {sentence} [{code}]"


def find_place(file, text, key):
    """The first line that sets `key` or opens a table of that name."""
    name = re.escape(key)
    found = re.search(rf"^\s*\[{{0,2}}({name})\b", text, re.MULTILINE)
    if not found:
        return (file, 0, 0)
    line = text.count("\n", 0, found.start(1)) + 1
    start = text.rfind("\n", 0, found.start(1)) + 1
    return (file, line, found.start(1) - start + 1)


def is_integer(value):
    """A TOML boolean is no integer (section 5)."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_strings(value):
    return isinstance(value, list) and all(isinstance(x, str) for x in value)
