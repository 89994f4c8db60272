"""From the text of a program of the linear-algebra VM to what it says (sections 8, 9 and 14).

`assemble` reads a text in two rounds: the first finds what each line is and which names it defines,
the second reads the operands. It raises an `Error` with the first error of the text.
"""

import numpy as np

import reference_numbers as numbers
from reference_program import (ENDINGS, LARGEST, MNEMONICS, RETURN, Buffer, Instruction, Launch, Phase, Routine,
                               levels)
from reference_text import MEMORY, NO_NAMES, REGISTERS, Error, Follows, Line
from reference_values import Values

OUTPUTS = ("state", "status", "fault", "counts")
ONCE = (".program", ".state", ".stack", ".budget", ".tolerance", ".threshold")
DIRECTIVES = (*ONCE, ".const", ".buffer", ".routine", ".phase", ".flow")
LARGEST_BUDGET = 2**31 - 1
KINDS = ("in", "out", "inout", "temp")


class Assembler(Values):
    def __init__(self, text):
        super().__init__()
        lines = text.split("\n")
        self.last_line = max(len(lines) - (lines[-1] == ""), 1)
        self.lines = [Line(number, line) for number, line in enumerate(lines, 1)]
        self.errors = []
        self.once = set()
        self.label_names = set()
        self.routine = self.phase = None

    def assemble(self):
        for line in self.lines:
            self.guard(self.scan, line)
        self.each(self.read_constant, ".const")
        self.each(self.read_buffer, ".buffer")
        self.place_buffers()
        self.read_rest()
        self.check_routines()
        self.check_phases()
        if self.errors:
            raise min(self.errors, key=lambda error: error.line)
        self.program.phases = [level for phase in self.program.phases for level in levels(phase)]
        return self.program

    def guard(self, action, *arguments):
        """Does an action and keeps its error, the first of a line."""
        try:
            action(*arguments)
        except Follows:
            pass
        except Error as error:
            self.errors.append(error)

    def faulty(self, line):
        return any(error.line == line.number for error in self.errors)

    def each(self, action, *heads):
        for line in self.lines:
            if line.head.text in heads and not self.faulty(line):
                self.guard(action, line)

    # The first round.

    def scan(self, line):
        head = line.head
        if head.kind == "directive":
            self.guard(self.scan_label, line)
            self.scan_directive(line)
        elif head.kind == "word" and head.text == "run":
            self.guard(self.scan_label, line)
            self.scan_run(line)
        elif head.kind != "end":
            self.scan_instruction(line)
        else:
            self.scan_label(line)

    def scan_label(self, line):
        label = line.label
        if label is None:
            return
        if label.text in NO_NAMES:
            raise line.error(label, "reserved")
        if self.routine is None:
            raise line.error(label, "outside")
        self.label_names.add(label.text)
        if label.text in self.routine.labels or label.text in self.program.routines:
            raise line.error(label, "defined")
        self.routine.labels[label.text] = (self.routine.end(), line)

    def scan_directive(self, line):
        directive = line.head.text
        if directive not in DIRECTIVES:
            raise line.error(line.head, "directive")
        if directive in ONCE:
            if directive in self.once:
                raise line.error(line.head, "defined")
            self.once.add(directive)
        elif directive == ".routine":
            self.scan_routine(line)
        elif directive in (".phase", ".flow"):
            self.scan_phase(line)
        elif directive == ".buffer":
            self.scan_buffer(line)
        else:
            self.define(line, "constant", None)

    def define(self, line, what, value):
        name = line.name()
        if name.text in self.names or (what == "routine" and name.text in self.label_names):
            raise line.error(name, "defined")
        self.names[name.text] = (what, value)
        return name.text

    def scan_routine(self, line):
        self.routine = Routine(line, len(self.program.instructions))
        name = self.define(line, "routine", self.routine)
        self.program.routines[name] = self.routine
        line.finish()

    def scan_phase(self, line):
        self.phase = Phase("", line, line.head.text == ".flow")
        self.program.phases.append(self.phase)
        self.phase.name = self.define(line, "phase", self.phase)

    def scan_buffer(self, line):
        token, buffer = line.peek(), Buffer(line.peek().text, None)
        self.define(line, "buffer", buffer)
        self.program.buffers[buffer.name] = buffer
        if token.text in OUTPUTS:
            raise line.error(token, "reserved")

    def scan_run(self, line):
        if self.phase is None:
            raise line.error(line.head, "outside")
        line.phase = self.phase
        self.phase.runs += 1

    def scan_instruction(self, line):
        line.routine, line.instruction = self.routine, Instruction()
        self.guard(self.scan_label, line)
        self.program.instructions.append(line.instruction)
        if self.routine:
            self.routine.lines.append(line)
        if line.head.kind != "word":
            raise line.error(line.head, "expected")
        if self.routine is None:
            raise line.error(line.head, "outside")
        if line.head.text.upper() not in MNEMONICS:
            raise line.error(line.head, "mnemonic")
        line.instruction.opcode = MNEMONICS[line.head.text.upper()][0]

    # The second round.

    def read_constant(self, line):
        name = line.tokens[line.at - 1].text
        token = line.take()
        if token.kind != "number" and token.text not in ("inf", "nan"):
            raise line.error(token, "expected")
        value = self.literal(line, token)
        line.finish()
        whole = numbers.exact(token.text) if np.isfinite(value) else None
        self.names[name] = ("constant", (value, whole))

    def read_buffer(self, line):
        buffer = self.program.buffers[line.tokens[line.at - 1].text]
        size = self.integer(line, 1, LARGEST, sizes=False)
        kind = line.take()
        if kind.text not in KINDS:
            raise line.error(kind, "kind")
        line.finish()
        buffer.size, buffer.kind = size, kind.text
        if self.program.shared_words() > LARGEST:
            raise line.error(kind, "range")

    def place_buffers(self):
        """The bases, and the buffers in the order of their bases."""
        buffers = sorted(self.program.buffers.values(), key=lambda buffer: buffer.kind != "in")
        base = 0
        for buffer in buffers:
            buffer.base = base
            base += buffer.size
        self.program.buffers = {buffer.name: buffer for buffer in buffers}

    def read_rest(self):
        self.each(lambda line: (line.name(), line.finish()), ".program")
        self.each(self.read_state, ".state")
        self.each(self.read_number, ".tolerance", ".threshold")
        self.each(self.read_whole, ".stack", ".budget")
        self.each(self.read_phase, ".phase", ".flow")
        for line in self.lines:
            if line.instruction and not self.faulty(line):
                self.guard(self.read_instruction, line)
            if line.phase and not self.faulty(line):
                self.guard(self.read_run, line)

    def read_state(self, line):
        kind = line.take()
        if kind.text not in ("f32", "f16"):
            raise line.error(kind, "state")
        line.finish()
        self.program.half_state = kind.text == "f16"

    def read_number(self, line):
        token = line.take()
        if token.kind != "number" and token.text not in ("inf", "nan"):
            raise line.error(token, "expected")
        value = self.literal(line, token)
        if not np.isfinite(value) or value < 0:
            raise line.error(token, "range")
        line.finish()
        if line.head.text == ".tolerance":
            self.program.tolerance = value
        else:
            self.program.threshold = float(token.text)

    def read_whole(self, line):
        largest = 256 if line.head.text == ".stack" else LARGEST_BUDGET
        setattr(self.program, line.head.text[1:], self.integer(line, 1, largest))
        line.finish()

    # Instructions.

    def read_instruction(self, line):
        letters = MNEMONICS[line.head.text.upper()][1]
        written = sum(token.is_mark(",") for token in line.tokens) + (line.peek().kind != "end")
        if line.instruction.opcode == RETURN:
            letters = "d" * min(written, 4)
        if written != len(letters):
            raise line.error(line.head, "operands")
        operands = []
        for k, letter in enumerate(letters):
            if k:
                line.mark(",")
            operands.append(self.operand(line, letter))
        line.finish()
        if line.instruction.opcode == RETURN:
            operands = [sum({1 << k for k in operands})]
        line.instruction.operands = tuple(operands)

    def operand(self, line, letter):
        if letter == "i":
            return self.value(line)
        token = line.take()
        if token.kind == "bad":
            raise line.error(token, "expected")
        if letter in "tc":
            return self.target(line, token, letter)
        return self.register(line, token) if letter == "d" else self.memory(line, token)

    def register(self, line, token):
        if token.text not in REGISTERS:
            raise line.error(token, "register")
        return REGISTERS[token.text]

    def memory(self, line, token):
        address = MEMORY.get(token.text, MEMORY.get("m" + token.text))
        if address is None:
            raise line.error(token, "memory")
        return address

    def target(self, line, token, letter):
        routine = line.routine
        if token.text.isdecimal():
            first, end = (routine.first, routine.end()) if letter == "t" else (0, len(self.program.instructions))
            if first <= int(token.text) < end:
                return int(token.text)
        elif token.text in routine.labels:
            return routine.labels[token.text][0]
        elif letter == "c" and token.text in self.program.routines:
            return self.program.routines[token.text].first
        raise line.error(token, "target")

    def check_routines(self):
        for routine in self.program.routines.values():
            self.guard(self.check_routine, routine)

    def check_routine(self, routine):
        if not routine.lines:
            raise routine.line.error(routine.line.head, "empty")
        last = routine.lines[-1]
        if last.instruction.opcode is not None and last.instruction.opcode not in ENDINGS:
            raise last.error(last.head, "end")
        for at, line in routine.labels.values():
            if at == routine.end():
                raise line.error(line.label, "end")

    # Phases.

    def read_phase(self, line):
        phase, given = self.names[line.tokens[line.at - 1].text][1], set()
        while line.peek().kind != "end":
            token = line.word()
            if token.text not in ("budget", "independent", *(() if phase.flow else ("spawn",))):
                raise line.error(token, "option")
            if token.text in given:
                raise line.error(token, "twice")
            given.add(token.text)
            self.read_phase_option(line, phase, token.text)

    def read_phase_option(self, line, phase, option):
        if option == "independent":
            phase.independent = True
            return
        line.mark("=")
        least, largest = (1, LARGEST_BUDGET) if option == "budget" else (0, LARGEST)
        setattr(phase, option, self.integer(line, least, largest))

    def read_run(self, line):
        routine = line.word()
        if routine.text not in self.program.routines:
            raise line.error(routine, "routine")
        launch = Launch(self.program.routines[routine.text].first)
        token = line.peek()
        launch.count = self.integer(line, 1, LARGEST)
        while line.peek().kind != "end":
            self.read_run_option(line, launch)
        self.check_launch(line, line.phase, launch, token)
        line.phase.launches.append(launch)

    def read_run_option(self, line, launch):
        token = line.take()
        if token.text in ("reads", "writes"):
            if getattr(launch, token.text) is not None:
                raise line.error(token, "twice")
            line.mark("=")
            setattr(launch, token.text, self.buffer_names(line))
            return
        element = self.element(line, token)
        if element in launch.values:
            raise line.error(token, "twice")
        line.mark("=")
        launch.values[element] = self.value(line)

    def element(self, line, token):
        """The element of a vector that a start value is for."""
        if token.text in REGISTERS:
            return 1 + REGISTERS[token.text]
        if token.text in MEMORY or token.kind == "number":
            return 5 + self.memory(line, token)
        raise line.error(token, "option" if token.kind == "word" else "expected")

    def buffer_names(self, line):
        buffers = {self.buffer(line).name}
        while line.accepts(","):
            buffers.add(self.buffer(line).name)
        return buffers

    def check_launch(self, line, phase, launch, count):
        if phase.flow and not launch.has_clauses():
            raise line.error(line.head, "reads")
        if phase.flow:
            return
        if phase.machines() + launch.count > LARGEST:
            raise line.error(count, "range")
        if any(launch.depends_on(other) for other in phase.launches):
            raise line.error(line.head, "depends")

    def check_phases(self):
        for phase in self.program.phases:
            if phase.runs == 0:
                self.errors.append(phase.line.error(phase.line.head, "empty"))
            for level in levels(phase):
                if level.machines() > LARGEST:
                    self.errors.append(phase.line.error(phase.line.head, "range"))
        if not self.program.phases:
            self.errors.append(Error(self.last_line, 1, "empty", "no phase"))


def assemble(text):
    return Assembler(text).assemble()
