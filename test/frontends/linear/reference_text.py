"""The lines and tokens of the text of a program of the linear-algebra VM (section 9), and its errors (section 14)."""

import dataclasses
import re

REGISTERS = {f"r{k}": k for k in range(4)}
MEMORY = {f"m{k}": k for k in range(16)}
NO_NAMES = {*REGISTERS, *MEMORY, "inf", "nan", "base", "size"}
TOKEN = re.compile(r"""[ \t\r]*(?:
    (?P<directive>\.[A-Za-z_]\w*) | (?P<word>[A-Za-z_]\w*)
  | (?P<number>[+-]?(?:\d|\.\d)(?:(?<=[eE])[+-]|[\w.])*|[+-]inf\b)
  | (?P<mark>[:,=()]) | (?P<bad>[^ \t\r]))""", re.VERBOSE | re.ASCII)


class Error(Exception):
    """The first error of a text: `line`, `column`, the `word` of section 14 and what is wrong."""

    def __init__(self, line, column, word, quoted):
        super().__init__(f"{line}:{column}: error: {word}: {quoted!r}")
        self.line, self.column, self.word = line, column, word


class Follows(Exception):
    """An error that only follows from another one, which is reported instead."""


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    column: int

    def is_mark(self, mark):
        return self.kind == "mark" and self.text == mark


class Line:
    """The tokens of one line and a place among them."""

    def __init__(self, number, text):
        self.number = number
        self.tokens = [Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup) + 1)
                       for match in TOKEN.finditer(text.split("#")[0])]
        self.tokens.append(Token("end", "", len(text.split("#")[0].rstrip()) + 1))
        self.at = 0
        self.routine = self.phase = self.instruction = self.label = None
        if self.tokens[0].kind == "word" and len(self.tokens) > 1 and self.tokens[1].is_mark(":"):
            self.label = self.take()
            self.take()
        self.head = self.take()

    def peek(self):
        return self.tokens[self.at]

    def take(self):
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def error(self, token, word):
        return Error(self.number, token.column, word, token.text)

    def mark(self, mark):
        token = self.take()
        if not token.is_mark(mark):
            raise self.error(token, "expected")

    def accepts(self, mark):
        found = self.peek().is_mark(mark)
        if found:
            self.take()
        return found

    def word(self):
        token = self.take()
        if token.kind != "word":
            raise self.error(token, "expected")
        return token

    def name(self):
        token = self.word()
        if token.text in NO_NAMES:
            raise self.error(token, "reserved")
        return token

    def finish(self):
        if self.peek().kind != "end":
            raise self.error(self.peek(), "expected")
