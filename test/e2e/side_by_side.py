"""Programs of the differential test side by side in one, since starting processes costs more than a small program.

They share nothing. Inputs, outputs, stages and symbols of the first are called p0_..., those of the second p1_...
"""

import copy
import math
import re

from program_text import Program, bits

MOST_BYTES = 1 << 21  # Of all values of programs that are put together: the time of larger ones is their own.


class SideBySide(Program):
    """Programs that are run as often and compiled alike."""

    def __init__(self, programs):
        super().__init__(f"{programs[0].name}_and_{len(programs) - 1}")
        self.parts = programs
        for name in ("iterations", "exact", "sums", "variants"):
            setattr(self, name, getattr(programs[0], name))
        known = {}  # An output may be an input.
        for name in ("inputs", "messages", "outputs", "symbols"):
            setattr(self, name, [known.setdefault(id(value), renamed(value, i)) for i, p in enumerate(programs) for value in getattr(p, name)])

    @property
    def programs(self):
        return self.parts

    @property
    def is_plain(self):
        return self.parts[0].is_plain

    def results(self):
        names = [f"p{i}_{name}" for i, p in enumerate(self.parts) for name, _ in p.results()]
        return list(zip(names, self.outputs))

    def body(self):
        return "\n".join(re.sub(r"([%@])(\w)", rf"\g<1>p{i}_\2", p.body()) for i, p in enumerate(self.parts))


def renamed(value, number):
    result = copy.copy(value)
    result.name = f"p{number}_{value.name}"
    return result


def value_bytes(program):
    values = program.inputs + program.messages + program.symbols
    return sum(math.prod(value.shape) * max(bits(value.dtype), 8) // 8 for value in values)


def batches(programs, most):
    """The programs, small ones of a kind together, at most so many."""
    groups = {}
    for program in programs:
        key = (program.is_plain, program.iterations, program.exact, program.sums, repr(program.variants),
               program.ranks and program.name)  # One process runs one rank.
        group, size = groups.setdefault(key, ([], 0)), value_bytes(program)
        if len(group[0]) == most or group[1] + size > MOST_BYTES and group[0]:
            yield together(group[0])
            group = ([], 0)
        groups[key] = (group[0] + [program], group[1] + size)
    yield from (together(group) for group, _ in groups.values())


def together(group):
    return group[0] if len(group) == 1 else SideBySide(group)
