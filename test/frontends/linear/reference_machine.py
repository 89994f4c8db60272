"""The machines of the linear-algebra VM, run by the letter of sections 5 to 8.

An epoch takes the RUNNING machines by their instruction and executes each instruction for all its
machines at once; what it does to shared memory and to FREE machines waits for the commit.
"""

import numpy as np

import reference_numbers as numbers
from reference_numbers import F32
from reference_program import MNEMONICS

RUNNING, BLOCKED, YIELDED, HALTED, FAULTED, FREE = range(6)
ADDRESS, FORBIDDEN, OVERFLOW, UNDERFLOW = 1, 2, 3, 4
FINISHED, WITH_FAULTS, DEADLOCK, OUT_OF_BUDGET = range(4)
IP, REGISTERS, MEMORY, ONE = 0, 1, 5, 21
WIDTH = 22
NUMBER = {name: entry[0] for name, entry in MNEMONICS.items()}
SPAWN = NUMBER["SPAWN"]

ORACLE = {
    "MUL": numbers.multiply, "DIV": numbers.divide, "MOD": numbers.remainder, "CMP": numbers.subtract,
    "MULI": numbers.multiply, "DIVI": numbers.divide, "MODI": numbers.remainder, "CMPI": numbers.subtract,
    "MIN": numbers.minimum, "MAX": numbers.maximum, "ABS": np.abs, "SQRT": numbers.sqrt,
    "SIN": lambda a: numbers.sine_cosine(a)[0], "COS": lambda a: numbers.sine_cosine(a)[1],
}
ORACLE = {NUMBER[name]: function for name, function in ORACLE.items()}
FIRST_IMMEDIATE = NUMBER["MULI"]

# Of a value and whether it counts as 0 for EQ and NE.
CONDITIONS = {
    "BRANCH_EQ": lambda a, zero: zero, "BRANCH_NE": lambda a, zero: ~zero, "BRANCH_LT": lambda a, zero: a < 0,
    "BRANCH_GT": lambda a, zero: a > 0, "BRANCH_LE": lambda a, zero: a <= 0, "BRANCH_GE": lambda a, zero: a >= 0,
}
CONDITIONS = {NUMBER[name]: function for name, function in CONDITIONS.items()}


def class_of(opcode):
    """0 linear, 1 oracle, 2 branch, 3 I/O: the order of `counts`."""
    return 0 if opcode < 10 else 1 if opcode < 30 else 3 if opcode < 50 else 2


def replaced_row(opcode, operands):
    """The number of the row that a linear instruction replaces, and the row as (column, coefficient) pairs."""
    def register(k):
        return REGISTERS + operands[k]

    def memory(k):
        return MEMORY + operands[k]

    return {
        "ADD": lambda: (register(0), [(register(1), 1), (register(2), 1)]),
        "SUB": lambda: (register(0), [(register(1), 1), (register(2), -1)]),
        "MOV": lambda: (register(0), [(register(1), 1)]),
        "SETI": lambda: (register(0), [(ONE, operands[1])]),
        "LOAD": lambda: (register(0), [(memory(1), 1)]),
        "STORE": lambda: (memory(1), [(register(0), 1)]),
        "COPY": lambda: (memory(0), [(memory(1), 1)]),
        "CLEAR": lambda: (register(0), []),
        "NEG": lambda: (register(0), [(register(1), -1)]),
        "SCALE": lambda: (register(0), [(register(1), operands[2])]),
    }[next(name for name, number in NUMBER.items() if number == opcode)]()


def matrix(instruction):
    """The 22 x 22 matrix of a linear instruction (section 5)."""
    result = np.eye(WIDTH, dtype=F32)
    result[IP, ONE] = 1
    row, pairs = replaced_row(instruction.opcode, instruction.operands)
    result[row] = 0
    for column, coefficient in pairs:
        result[row, column] += F32(coefficient)
    return result


def stored_rows(coefficients):
    """The rows that differ from the identity: (row, [(column, coefficient)]), without zeros."""
    identity = np.eye(WIDTH, dtype=F32)
    return [(row, [(j, coefficients[row, j]) for j in range(WIDTH) if coefficients[row, j] != 0])
            for row in range(WIDTH) if not np.array_equal(coefficients[row], identity[row])]


def product(terms, x):
    """One row of a matrix times vectors."""
    total = np.zeros(len(x), F32)
    for k, (column, coefficient) in enumerate(terms):
        term = numbers.multiply(coefficient, x[:, column])
        total = numbers.add(total, term) if k else term
    return total


class SharedMemory:
    """The words of all buffers, and which launch may do what to which of them."""

    def __init__(self, program, inputs):
        self.buffers = list(program.buffers.values())
        self.words = np.zeros(program.shared_words(), F32)
        self.buffer_of = np.repeat(np.arange(len(self.buffers)), [buffer.size for buffer in self.buffers])
        for buffer in self.buffers:
            if buffer.kind in ("in", "inout"):
                self.of(buffer)[:] = given(buffer, inputs)

    def of(self, buffer):
        return self.words[buffer.base:buffer.base + buffer.size]

    def rights(self, launches):
        """Whether a launch may read (0) and write (1) a buffer: bool[2, launches, buffers]."""
        rights = np.zeros((2, len(launches), len(self.buffers)), bool)
        for k, launch in enumerate(launches):
            for b, buffer in enumerate(self.buffers):
                writes = not launch.has_clauses() or buffer.name in (launch.writes or ())
                reads = writes or buffer.name in (launch.reads or ())
                rights[:, k, b] = reads, writes and buffer.kind != "in"
        return rights


def given(buffer, inputs):
    if buffer.name not in inputs:
        raise ValueError(f'Input "{buffer.name}" is missing: it is float32[{buffer.size}].')
    values = np.asarray(inputs[buffer.name])
    if values.dtype != F32 or values.shape != (buffer.size,):
        found = f"{values.dtype}{list(values.shape)}"
        raise ValueError(f'Input "{buffer.name}" is {found} instead of float32[{buffer.size}].')
    return values


class PhaseRun:
    """The machines of one phase."""

    def __init__(self, program, phase, shared):
        self.program, self.shared = program, shared
        self.instructions = program.instructions
        self.rows = [stored_rows(matrix(i)) if class_of(i.opcode) == 0 else None for i in self.instructions]
        self.rights = shared.rights(phase.launches)
        count = phase.machines()
        self.x = np.zeros((count, WIDTH), F32)
        self.x[:, ONE] = 1
        self.status = np.full(count, FREE, np.int32)
        self.fault = np.zeros(count, np.int32)
        self.launch = np.zeros(count, np.int64)
        self.sp = np.zeros(count, np.int64)
        self.frame_ip = np.zeros((count, program.stack), F32)
        self.frame_registers = np.zeros((count, program.stack, 4), F32)
        self.writes, self.spawns = [], []
        self.start(phase.launches)

    def start(self, launches):
        first = 0
        for k, launch in enumerate(launches):
            mine = np.arange(first, first + launch.count)
            first += launch.count
            self.status[mine] = RUNNING
            self.launch[mine] = k
            self.x[mine, IP] = launch.routine
            for element, value in launch.values.items():
                self.set(mine, element, np.full(len(mine), value, F32))

    def run(self, budget):
        """All epochs; the row of `counts`."""
        counts = np.zeros(6, np.int64)
        while True:
            self.wake()
            running = np.flatnonzero(self.status == RUNNING)
            if len(running) == 0:
                counts[5] = self.outcome()
                return counts
            if counts[0] == budget:
                counts[5] = OUT_OF_BUDGET
                return counts
            counts[0] += 1
            for ip, who in self.by_instruction(running):
                counts[1 + class_of(self.instructions[ip].opcode)] += len(who)
                self.execute(self.instructions[ip], ip, who)
            self.commit()

    def by_instruction(self, machines):
        """(instruction, its machines) of the machines, which stay in ascending order."""
        ips = self.x[machines, IP].astype(np.int64)
        if (ips == ips[0]).all():
            return [(int(ips[0]), machines)]
        order = np.argsort(ips, kind="stable")
        starts = np.flatnonzero(np.diff(ips[order])) + 1
        return [(int(self.x[who[0], IP]), who) for who in np.split(machines[order], starts)]

    def outcome(self):
        if (self.status == FAULTED).any():
            return WITH_FAULTS
        return DEADLOCK if (self.status == BLOCKED).any() else FINISHED

    def wake(self):
        blocked = np.flatnonzero(self.status == BLOCKED)
        if len(blocked):
            any_free = (self.status == FREE).any()
            for ip, who in self.by_instruction(blocked):
                instruction = self.instructions[ip]
                ready = any_free if instruction.opcode == SPAWN else self.passes(instruction.operands, who)
                self.status[who[ready & np.ones(len(who), bool)]] = RUNNING
        if not (self.status == RUNNING).any():
            yielded = np.flatnonzero(self.status == YIELDED)
            self.status[yielded] = RUNNING
            self.advance(yielded)

    # What an instruction does; `who` are the machines that stand at it.

    def execute(self, instruction, ip, who):
        opcode, operands = instruction.opcode, instruction.operands
        if opcode in ORACLE:
            self.oracle(opcode, operands, who)
        elif opcode in CONDITIONS:
            self.branch(opcode, operands, who)
        elif self.rows[ip] is not None:
            self.linear(self.rows[ip], who)
        else:
            ACTIONS[opcode](self, operands, who)

    def register(self, who, k):
        return self.x[who, REGISTERS + k]

    def set(self, who, element, values):
        self.x[who, element] = numbers.half(values) if self.program.half_state and element != IP else values

    def set_register(self, who, k, values):
        self.set(who, REGISTERS + k, values)

    def advance(self, who):
        self.x[who, IP] += F32(1)

    def fail(self, who, why):
        self.status[who] = FAULTED
        self.fault[who] = why

    def linear(self, rows, who):
        before = self.x[who]
        for row, terms in rows:
            self.set(who, row, product(terms, before))

    def oracle(self, opcode, operands, who):
        sources = [self.register(who, k) for k in operands[1:] if not isinstance(k, F32)]
        if opcode >= FIRST_IMMEDIATE:
            sources.append(operands[2])
        self.set_register(who, operands[0], ORACLE[opcode](*sources))
        self.advance(who)

    def branch(self, opcode, operands, who):
        a, target = self.register(who, operands[0]), operands[1]
        zero = (a == 0) | (np.abs(a) < self.program.tolerance)
        taken = CONDITIONS[opcode](a, zero)
        self.x[who, IP] = np.where(taken, F32(target), self.x[who, IP] + F32(1))

    def jump(self, operands, who):
        self.x[who, IP] = operands[0]

    def call(self, operands, who):
        full = self.sp[who] == self.program.stack
        self.fail(who[full], OVERFLOW)
        who = who[~full]
        self.frame_ip[who, self.sp[who]] = self.x[who, IP] + F32(1)
        self.frame_registers[who, self.sp[who]] = self.x[who, REGISTERS:MEMORY]
        self.sp[who] += 1
        self.x[who, IP] = operands[0]

    def give_back(self, operands, who):
        empty = self.sp[who] == 0
        self.fail(who[empty], UNDERFLOW)
        who = who[~empty]
        self.sp[who] -= 1
        self.x[who, IP] = self.frame_ip[who, self.sp[who]]
        for k in range(4):
            if operands[0] >> k & 1:
                self.set_register(who, k, self.frame_registers[who, self.sp[who], k])

    def addresses(self, who, k):
        """The addresses in a register, and which of them are in shared memory."""
        a = self.register(who, k)
        inside = (a > -1) & (a < len(self.shared.words))
        return np.where(inside, a, 0).astype(np.int64), inside

    def access(self, who, k, right):
        """The machines that may do it, and their addresses; the others fail."""
        at, inside = self.addresses(who, k)
        self.fail(who[~inside], ADDRESS)
        who, at = who[inside], at[inside]
        allowed = self.rights[right, self.launch[who], self.shared.buffer_of[at]]
        self.fail(who[~allowed], FORBIDDEN)
        return who[allowed], at[allowed]

    def read(self, operands, who):
        who, at = self.access(who, operands[1], 0)
        self.set_register(who, operands[0], numbers.flush(self.shared.words[at]))
        self.advance(who)

    def write(self, operands, who):
        who, at = self.access(who, operands[0], 1)
        self.writes.append((who, at, self.register(who, operands[1])))
        self.advance(who)

    def vm_id(self, operands, who):
        self.set_register(who, operands[0], who.astype(F32))
        self.advance(who)

    def wait(self, operands, who):
        who, _ = self.access(who, operands[0], 0)
        passes = self.passes(operands, who)
        self.status[who[~passes]] = BLOCKED
        self.advance(who[passes])

    def passes(self, operands, who):
        at, _ = self.addresses(who, operands[0])
        return numbers.flush(self.shared.words[at]) >= self.register(who, operands[1])

    def spawn(self, operands, who):
        self.spawns += [(spawner, operands) for spawner in who]

    # The commit.

    def commit(self):
        if self.writes:
            who, at, values = (np.concatenate(parts) for parts in zip(*self.writes))
            order = np.argsort(who)
            self.store(at[order], values[order])
            self.writes = []
        if self.spawns:
            self.commit_spawns()
            self.spawns = []

    def store(self, at, values):
        """Writes in order: of several to one address the last stays."""
        at, last = np.unique(at[::-1], return_index=True)
        self.shared.words[at] = values[::-1][last]

    def commit_spawns(self):
        free = list(np.flatnonzero(self.status == FREE))
        for spawner, (target, k) in sorted(self.spawns, key=lambda spawn: spawn[0]):
            if free:
                self.start_machine(free.pop(0), spawner, target, self.x[spawner, REGISTERS + k])
                self.advance(spawner)
            else:
                self.status[spawner] = BLOCKED

    def start_machine(self, machine, spawner, target, value):
        self.x[machine] = 0
        self.x[machine, [ONE, IP, REGISTERS]] = 1, target, value
        self.sp[machine] = 0
        self.launch[machine] = self.launch[spawner]
        self.status[machine] = RUNNING


def stop(status):
    def action(run, _, who):
        run.status[who] = status
    return action


ACTIONS = {
    "JUMP": PhaseRun.jump, "CALL": PhaseRun.call, "RETURN": PhaseRun.give_back, "READ": PhaseRun.read,
    "WRITE": PhaseRun.write, "VMID": PhaseRun.vm_id, "WAIT": PhaseRun.wait, "SPAWN": PhaseRun.spawn,
    "YIELD": stop(YIELDED), "HALT": stop(HALTED), "KILL": stop(FREE),
}
ACTIONS = {NUMBER[name]: action for name, action in ACTIONS.items()}


def execute(program, inputs, budget=None):
    """All outputs of section 11 of an assembled program, by name."""
    shared = SharedMemory(program, inputs)
    counts = np.zeros((len(program.phases), 6), np.int64)
    counts[:, 5] = -1
    for k, phase in enumerate(program.phases):
        last = PhaseRun(program, phase, shared)
        counts[k] = last.run(budget or phase.budget or program.budget)
        if counts[k, 5] > 0:
            break
    outputs = {buffer.name: shared.of(buffer).copy() for buffer in shared.buffers if buffer.kind in ("out", "inout")}
    return outputs | padded(last, program.most_machines()) | {"counts": counts}


def padded(last, machines):
    """`state`, `status` and `fault` of the last phase; after it FREE machines."""
    state = np.zeros((machines, WIDTH), F32)
    state[:, ONE] = 1
    status, fault = np.full(machines, FREE, np.int32), np.zeros(machines, np.int32)
    count = len(last.x)
    state[:count], status[:count], fault[:count] = last.x, last.status, last.fault
    return {"state": state, "status": status, "fault": fault}
