"""Programs of the linear-algebra VM (.lvm) whose machines differ by their numbers, and the same for torch.

An instruction is a tuple of the words that it is written with.
"""

import dataclasses

# Elements of a state: r0 is 1, m0 is 5.
ELEMENTS, FIRST_REGISTER, FIRST_MEMORY = 22, 1, 5
SMALL = "1e-7"  # times a machine's number


@dataclasses.dataclass(frozen=True)
class Program:
    """`start`, then `body`, as often as there are iterations if r3 counts them; then HALT."""
    name: str
    start: tuple
    body: tuple
    turns: int = 0

    def instructions(self):
        """In the order of their numbers."""
        lines = list(self.start)
        if self.turns:
            lines.append(("SETI", "r3", str(self.turns)))
        again = len(lines)
        lines += self.body
        if self.turns:
            lines += [("CMPI", "r3", "r3", "1"), ("BRANCH_GT", "r3", str(again))]
        return [*lines, ("HALT",)]

    def executed(self):
        """By each machine; as many epochs are executed."""
        once = len(self.instructions())
        return once + (self.turns - 1) * (len(self.body) + 2) if self.turns else once

    def text(self, machines):
        """A budget of what is executed: a recorded plan is no longer than that."""
        lines = [f".program {self.name}", f".budget {self.executed()}", ".routine main"]
        lines += [f"  {words[0]} {', '.join(words[1:])}".rstrip() for words in self.instructions()]
        return "\n".join([*lines, ".phase only independent", f"  run main {machines}"]) + "\n"


MIXED = (("LOAD", "r1", "m0"), ("ADD", "r0", "r0", "r1"), ("SCALE", "r2", "r0", "0.5"), ("MUL", "r3", "r2", "r1"),
         ("STORE", "r3", "m1"), ("SUB", "r1", "r0", "r2"), ("MAX", "r2", "r2", "r1"), ("SETI", "r3", "0.25"),
         ("ADD", "r2", "r2", "r3"), ("MULI", "r0", "r2", "0.5"), ("NEG", "r1", "r1"), ("COPY", "m2", "m1"),
         ("MIN", "r3", "r3", "r1"), ("STORE", "r0", "m0"), ("MOV", "r2", "r3"), ("BRANCH_GE", "r1", "next"))


def mixed(length):
    """So many instructions in a row; of 16, 11 are linear, 4 are not and 1 is a branch to the next one."""
    lines = [("VMID", "r0"), ("SCALE", "r0", "r0", SMALL)]
    while len(lines) < length - 1:
        words = MIXED[len(lines) % len(MIXED)]
        lines.append(tuple(str(len(lines) + 1) if word == "next" else word for word in words))
    return Program(f"mixed{length}", (), tuple(lines))


SHEAR = 0.1


def rotation(turns):
    """A loop of 32 instructions of arithmetic, each of which waits for the one before: shears that turn the point (r0, r1)."""
    body = []
    for moved, by, factor in 8 * (("r0", "r1", SHEAR), ("r1", "r0", -SHEAR)):
        body += [("MULI", "r2", by, str(factor)), ("ADD", moved, moved, "r2")]
    start = (("VMID", "r0"), ("SCALE", "r0", "r0", SMALL), ("SETI", "r1", "0.5"))
    return Program("rotation", start, tuple(body), turns)


def linear_run(turns=0):
    """A run of 32 linear instructions, after some that are not."""
    body = []
    for k in range(4):
        body += [("STORE", "r0", f"m{k}"), ("SCALE", "r1", "r1", "0.5"), ("ADD", "r0", "r0", "r1"), ("SCALE", "r0", "r0", "0.5"),
                 ("SETI", "r1", "0.25"), ("ADD", "r0", "r0", "r1"), ("LOAD", "r1", f"m{k}"), ("SUB", "r2", "r1", "r2")]
    start = (("VMID", "r0"), ("MULI", "r0", "r0", SMALL), ("MUL", "r1", "r0", "r0"), ("MUL", "r2", "r1", "r0"))
    return Program("run", start, tuple(body), turns)


#===--- For torch ---===#

def element(word):
    return {"r": FIRST_REGISTER, "m": FIRST_MEMORY}[word[0]] + int(word[1:])


# What an instruction computes from two elements a, b and an immediate f; all others, which have no result, keep the 1.
KINDS = ("a", "a + b", "a - b", "a * f", "a * b", "max", "min", "number")


def decoded(words):
    """(kind, a, b, f, element written): the numbers of elements, and of KINDS."""
    name, one = words[0], ELEMENTS - 1
    if name in ("ADD", "SUB", "MUL", "MAX", "MIN"):
        kind = {"ADD": 1, "SUB": 2, "MUL": 4, "MAX": 5, "MIN": 6}[name]
        return kind, element(words[2]), element(words[3]), 0.0, element(words[1])
    if name in ("SCALE", "MULI"):
        return 3, element(words[2]), one, float(words[3]), element(words[1])
    if name == "SETI":
        return 3, one, one, float(words[2]), element(words[1])
    if name == "NEG":
        return 3, element(words[2]), one, -1.0, element(words[1])
    if name in ("MOV", "LOAD", "COPY"):
        return 0, element(words[2]), one, 0.0, element(words[1])
    if name == "STORE":
        return 0, element(words[1]), one, 0.0, element(words[2])
    return (7 if name == "VMID" else 0), one, one, 0.0, element(words[1]) if name == "VMID" else one


def matrix(words):
    """Its matrix, rows of lists; of an instruction that has none, one that counts. (MULI is a SCALE here.)"""
    rows = [[float(i == j) for j in range(ELEMENTS)] for i in range(ELEMENTS)]
    rows[0][ELEMENTS - 1] += 1.0
    kind, a, b, f, written = decoded(words)
    if kind <= 3 and written != ELEMENTS - 1:
        rows[written] = [0.0] * ELEMENTS
        rows[written][a] += f if kind == 3 else 1.0
        if kind in (1, 2):
            rows[written][b] += 1.0 if kind == 1 else -1.0
    return rows


def machines_of(torch, count, device):
    """(numbers, states at the start)"""
    numbers = torch.arange(count, device=device, dtype=torch.float32)
    state = torch.zeros((count, ELEMENTS), device=device)
    state[:, ELEMENTS - 1] = 1.0
    return numbers, state


class Interpreter:
    """A step of all machines at once, each at its own instruction."""

    def __init__(self, torch, program, count, device):
        self.torch = torch
        self.numbers, self.state = machines_of(torch, count, device)
        lines = program.instructions()
        self.steps = len(lines) - 1  # HALT keeps all.
        kinds, *places, written = zip(*map(decoded, lines))
        a, b, self.factors = places
        self.factors = torch.tensor(self.factors, device=device)
        self.kinds, self.a, self.b, self.written = (torch.tensor(list(column), device=device) for column in (kinds, a, b, written))
        self.matrices = torch.tensor([matrix(words) for words in lines], device=device)

    def result(self, state, ip):
        """What each machine writes, of whatever kind its instruction is."""
        where, kind = self.torch.where, self.kinds[ip]
        a = state.gather(1, self.a[ip].unsqueeze(1)).squeeze(1)
        b = state.gather(1, self.b[ip].unsqueeze(1)).squeeze(1)
        values = (a + b, a - b, a * self.factors[ip], a * b, self.torch.maximum(a, b), self.torch.minimum(a, b), self.numbers)
        result = a
        for number, value in enumerate(values, 1):
            result = where(kind == number, value, result)
        return result

    def step(self, state):
        """By cases."""
        ip = state[:, 0].long()
        result = self.result(state, ip)
        state = state.scatter(1, self.written[ip].unsqueeze(1), result.unsqueeze(1))
        return self.torch.cat([(ip + 1).float().unsqueeze(1), state[:, 1:]], 1),

    def matrix_step(self, state):
        """By the matrix of each machine's instruction, and by cases where it is not linear."""
        ip = state[:, 0].long()
        product = self.torch.bmm(self.matrices[ip], state.unsqueeze(2)).squeeze(2)
        written = self.written[ip].unsqueeze(1)
        isLinear = (self.kinds[ip] <= 3).unsqueeze(1)
        result = self.torch.where(isLinear, product.gather(1, written), self.result(state, ip).unsqueeze(1))
        return product.scatter(1, written, result),
