"""The numbers, names of constants and addresses of buffers in a program of the linear-algebra VM (sections 1 and 9)."""

import numpy as np

import reference_numbers as numbers
from reference_program import Program
from reference_text import NO_NAMES, Follows


class Values:
    """Reads values at the place of a line; knows the names of a program."""

    def __init__(self):
        self.program = Program()
        self.names = {}  # of constants, buffers, routines and phases: (what, value)

    def literal(self, line, token):
        infinite = token.text.lstrip("+-") in ("inf", "nan")
        if not infinite and not numbers.LITERAL.fullmatch(token.text):
            raise line.error(token, "expected")
        try:
            return numbers.literal(token.text)
        except numbers.OutOfRange:
            raise line.error(token, "range") from None

    def integer(self, line, least, largest, sizes=True):
        token = line.take()
        value = self.buffer_in_parentheses(line).size if sizes and token.text == "size" else self.whole(line, token)
        if not least <= value <= largest:
            raise line.error(token, "range")
        return value

    def whole(self, line, token):
        if token.kind == "number":
            self.literal(line, token)
            if not token.text.isdecimal():
                raise line.error(token, "integer")
            return int(token.text)
        if token.kind != "word" or token.text in ("base", "size"):
            raise line.error(token, "expected")
        if token.text in NO_NAMES:
            raise line.error(token, "integer")
        value = self.constant(line, token)[1]
        if value is None or value.denominator != 1:
            raise line.error(token, "integer")
        return int(value)

    def constant(self, line, token):
        what, value = self.names.get(token.text, (None, None))
        if what != "constant":
            raise line.error(token, "constant")
        if value is None:
            raise Follows
        return value

    def buffer_in_parentheses(self, line):
        line.mark("(")
        buffer = self.buffer(line)
        line.mark(")")
        return buffer

    def buffer(self, line):
        token = line.word()
        if token.text not in self.program.buffers:
            raise line.error(token, "buffer")
        if not self.program.buffers[token.text].kind:
            raise Follows
        return self.program.buffers[token.text]

    def value(self, line):
        """An immediate or the start value of a register."""
        token = line.take()
        if token.kind == "number" or token.text in ("inf", "nan"):
            return self.literal(line, token)
        if token.text in ("base", "size"):
            buffer = self.buffer_in_parentheses(line)
            return np.float32(getattr(buffer, token.text))
        if token.kind != "word" or token.text in NO_NAMES:
            raise line.error(token, "expected")
        return self.constant(line, token)[0]
