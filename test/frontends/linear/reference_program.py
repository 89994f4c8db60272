"""What a program of the linear-algebra VM says: instructions, routines, buffers and phases (sections 3, 8 and 9)."""

import dataclasses

import numpy as np

LARGEST = 2**24
# Letters: d a register, m a memory address, i an immediate, t and c the targets of a branch and of a call.
MNEMONICS = {
    "ADD": (0, "ddd"), "SUB": (1, "ddd"), "MOV": (2, "dd"), "SETI": (3, "di"), "LOAD": (4, "dm"),
    "STORE": (5, "dm"), "COPY": (6, "mm"), "CLEAR": (7, "d"), "NEG": (8, "dd"), "SCALE": (9, "ddi"),
    "MUL": (10, "ddd"), "DIV": (11, "ddd"), "MOD": (12, "ddd"), "CMP": (13, "ddd"), "MIN": (14, "ddd"),
    "MAX": (15, "ddd"), "ABS": (16, "dd"), "SQRT": (17, "dd"), "SIN": (18, "dd"), "COS": (19, "dd"),
    "MULI": (20, "ddi"), "DIVI": (21, "ddi"), "MODI": (22, "ddi"), "CMPI": (23, "ddi"),
    "READ": (30, "dd"), "WRITE": (31, "dd"), "VMID": (32, "d"), "YIELD": (33, ""), "HALT": (34, ""),
    "WAIT": (35, "dd"), "SPAWN": (36, "cd"), "KILL": (37, ""),
    "BRANCH_EQ": (50, "dt"), "BRANCH_NE": (51, "dt"), "BRANCH_LT": (52, "dt"), "BRANCH_GT": (53, "dt"),
    "BRANCH_LE": (54, "dt"), "BRANCH_GE": (55, "dt"), "JUMP": (56, "t"), "CALL": (60, "c"), "RETURN": (61, ""),
}
MNEMONICS |= {f"SYSCALL_{name}": entry for name, entry in MNEMONICS.items() if 30 <= entry[0] <= 37}
RETURN = MNEMONICS["RETURN"][0]
ENDINGS = [MNEMONICS[name][0] for name in ("JUMP", "RETURN", "HALT", "KILL")]


@dataclasses.dataclass
class Buffer:
    name: str
    kind: str
    size: int = 0
    base: int = 0


@dataclasses.dataclass
class Instruction:
    opcode: int = None
    operands: tuple = ()


@dataclasses.dataclass
class Routine:
    line: object
    first: int
    labels: dict = dataclasses.field(default_factory=dict)
    lines: list = dataclasses.field(default_factory=list)

    def end(self):
        return self.first + len(self.lines)


@dataclasses.dataclass
class Launch:
    routine: int = 0
    count: int = 0
    values: dict = dataclasses.field(default_factory=dict)
    reads: set = None
    writes: set = None

    def has_clauses(self):
        return self.reads is not None or self.writes is not None

    def depends_on(self, other):
        mine, theirs = self.writes or set(), other.writes or set()
        return bool(theirs & (mine | (self.reads or set())) or mine & (other.reads or set()))


@dataclasses.dataclass
class Phase:
    name: str
    line: object = None
    flow: bool = False
    spawn: int = 0
    budget: int = None
    independent: bool = False
    launches: list = dataclasses.field(default_factory=list)
    runs: int = 0

    def machines(self):
        return self.spawn + sum(launch.count for launch in self.launches)


@dataclasses.dataclass
class Program:
    instructions: list = dataclasses.field(default_factory=list)
    routines: dict = dataclasses.field(default_factory=dict)
    buffers: dict = dataclasses.field(default_factory=dict)
    phases: list = dataclasses.field(default_factory=list)
    half_state: bool = False
    stack: int = 16
    budget: int = 10000
    tolerance: np.float32 = np.float32(0)
    threshold: float = 0.15

    def shared_words(self):
        return sum(buffer.size for buffer in self.buffers.values())

    def most_machines(self):
        return max(phase.machines() for phase in self.phases)


def levels(phase):
    """The phases that a flow stands for; a phase itself."""
    if not phase.flow:
        return [phase]
    depths, phases = [], []
    for k, launch in enumerate(phase.launches):
        depths.append(1 + max((depths[j] for j in range(k) if launch.depends_on(phase.launches[j])), default=-1))
    for depth in range(max(depths, default=-1) + 1):
        launches = [launch for launch, own in zip(phase.launches, depths) if own == depth]
        name = f"{phase.name}.{depth}"
        phases.append(dataclasses.replace(phase, name=name, launches=launches))
    return phases
