"""Random programs of the linear-algebra VM.

    generate.py FOLDER [--count 100] [--seed 0] [--kind any|timing-free|spawning|straight|whole]

Program number i of seed s is a function of s, i and the kind alone; it is written to
FOLDER/KIND-i.lvm, with the data of its buffers in FOLDER/KIND-i.json (name: bits of each
word). Nearly every program ends within its budget.

any          every instruction, calls, loops, phases, flows, collisions, SPAWN, WAIT, YIELD,
             KILL and faults: only faithful mode has to agree with the reference
timing-free  what collides is ordered, so that every mode and every schedule agrees: machines
             read what is never written, what they wrote themselves, what others wrote before
             a YIELD that all passed or before a WAIT; some phases are `independent`
spawning     timing-free with SPAWN: which slot a machine got may differ
straight     timing-free without YIELD, WAIT and SPAWN, and with WRITEs outside of loops: what
             compiled mode takes
whole        straight, of small whole numbers, so that fused mode rounds nothing
"""

import argparse
import json
import os
import random
import struct

LINEAR = ["ADD", "SUB", "MOV", "SETI", "LOAD", "STORE", "COPY", "CLEAR", "NEG", "SCALE"]
BINARY = ["MUL", "DIV", "MOD", "CMP", "MIN", "MAX"]
UNARY = ["ABS", "SQRT", "SIN", "COS"]
WHOLE = ["SUB", "ADD", "MOV", "SETI", "LOAD", "STORE", "STORE", "COPY", "NEG", "SUB", "SETI", "CLEAR", "SCALE"]
IMMEDIATE = ["MULI", "DIVI", "MODI", "CMPI"]
BRANCHES = ["BRANCH_EQ", "BRANCH_NE", "BRANCH_LT", "BRANCH_GT", "BRANCH_LE", "BRANCH_GE"]
SPECIAL = ["0", "-0.0", "1", "-1", "inf", "-inf", "nan", "1.17549435e-38", "-1.2e-38", "3.4e38",
           "16777216", "-16777215", "0.5", "65504", "65520", "6e-8", "2.5e-8", "1e-20", "3.1415927",
           "1e22", "0.00024414062", "0.00024"]
# Memory that no random instruction writes: counters of loops by depth, and a machine's place.
COUNTERS = ["m15", "m14", "m13"]
PLACE = "m12"
FREE_MEMORY = 12


class Layout:
    """Buffers and their addresses."""

    def __init__(self, random):
        self.random = random
        self.buffers = []  # (name, size, kind)

    def add(self, name, size, kind):
        self.buffers.append((name, size, kind))

    def base(self, name):
        at = 0
        for is_input in (True, False):
            for other, size, kind in self.buffers:
                if (kind == "in") != is_input:
                    continue
                if other == name:
                    return at
                at += size
        raise KeyError(name)

    def size(self):
        return sum(size for _, size, _ in self.buffers)

    def lines(self):
        return [f".buffer {name} {size} {kind}" for name, size, kind in self.buffers]

    def data(self, integers):
        def word():
            if integers or self.random.random() < 0.6:
                return bits(float(self.random.randint(-20, 20)))
            if self.random.random() < 0.2:  # Subnormal numbers and all others.
                return self.random.choice([1, 0x80000001, 0x7fffff, 0x800000, 0x807fffff])
            return finite(self.random.getrandbits(32))
        return {name: [word() for _ in range(size)]
                for name, size, kind in self.buffers if kind in ("in", "inout")}


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def finite(word):
    return word if word & 0x7f800000 != 0x7f800000 else word & 0x80ffffff | 0x3f000000


def number(random):
    """A literal that no rounding makes subnormal."""
    kind = random.random()
    if kind < 0.45:
        return str(random.randint(-9, 9))
    if kind < 0.65:
        return random.choice(SPECIAL)
    if kind < 0.9:
        return f"{random.uniform(-10, 10):.5g}"
    return f"{random.choice('+-')}{random.uniform(1, 9):.6f}e{random.randint(-36, 37)}"


class Body:
    """Instructions of a routine that ends: loops count down, branches go forward."""

    def __init__(self, random, callees):
        self.random = random
        self.callees = callees  # Routines that do not lead back here.
        self.lines = []
        self.labels = 0
        self.loops = 0  # That this place is in.
        self.writes = 0
        self.whole = False  # Instructions that keep small whole numbers.

    def emit(self, text):
        self.lines.append("    " + text)

    def label(self):
        self.labels += 1
        return f"l{self.labels}"

    def place(self, label):
        self.lines.append(f"{label}:")

    def register(self):
        return f"r{self.random.randrange(4)}"

    def memory(self):
        return self.random.choice(("m", "")) + str(self.random.randrange(FREE_MEMORY))

    def step(self):
        r = self.random
        if self.whole:
            self.linear(r.choice(WHOLE)) if r.random() < 0.9 else self.oracle(r.choice(["MIN", "MAX", "ABS"]))
        elif r.random() < 0.55:
            self.linear(r.choice(LINEAR))
        else:
            self.oracle(r.choice(BINARY + UNARY + IMMEDIATE))

    def linear(self, name):
        r, reg = self.random, self.register
        operands = {"ADD": lambda: [reg(), reg(), reg()], "SUB": lambda: [reg(), reg(), reg()],
                    "MOV": lambda: [reg(), reg()], "NEG": lambda: [reg(), reg()],
                    "SETI": lambda: [reg(), self.literal()], "CLEAR": lambda: [reg()],
                    "LOAD": lambda: [reg(), self.memory()], "STORE": lambda: [reg(), self.memory()],
                    "COPY": lambda: [self.memory(), self.memory()],
                    "SCALE": lambda: [reg(), reg(), self.literal()]}[name]()
        self.emit(f"{name} " + ", ".join(operands))

    def literal(self):
        return str(self.random.randint(-2, 2)) if self.whole else number(self.random)

    def oracle(self, name):
        operands = [self.register(), self.register()]
        if name in BINARY:
            operands.append(self.register())
        if name in IMMEDIATE:
            operands.append(number(self.random))
        name = name.lower() if self.random.random() < 0.05 else name
        self.emit(f"{name} " + ", ".join(operands))

    def steps(self, most):
        for _ in range(self.random.randint(0, most)):
            self.step()

    def block(self, depth, leaf):
        """`leaf` emits whatever else the kind of program has."""
        r = self.random
        for _ in range(r.randint(1, 4)):
            what = r.random()
            if what < 0.35 or depth == len(COUNTERS):
                self.steps(5)
            elif what < 0.5:
                self.loop(depth, leaf)
            elif what < 0.65:
                self.branch(depth, leaf)
            elif what < 0.75 and self.callees:
                self.emit(f"CALL {r.choice(self.callees)}")
            else:
                leaf(self)

    def branch(self, depth, leaf):
        r = self.random
        other, end = self.label(), self.label()
        self.emit(f"{r.choice(BRANCHES)} {self.register()}, {other}")
        self.block(depth + 1, leaf)
        if r.random() < 0.5:
            self.emit(f"JUMP {end}")
        self.place(other)
        self.steps(3)
        self.place(end)

    def loop(self, depth, leaf):
        counter, again = COUNTERS[depth], self.label()
        register, one = self.random.sample(["r0", "r1", "r2", "r3"], 2)
        self.emit(f"SETI {register}, {self.random.randint(1, 4)}")
        self.emit(f"STORE {register}, {counter}")
        self.place(again)
        self.loops += 1
        self.block(depth + 1, leaf)
        self.loops -= 1
        self.emit(f"LOAD {register}, {counter}")
        self.emit(f"SETI {one}, 1")
        self.emit(f"SUB {register}, {register}, {one}")
        self.emit(f"STORE {register}, {counter}")
        self.emit(f"BRANCH_{self.random.choice(['GT', 'NE'])} {register}, {again}")


class Generator:
    def __init__(self, random):
        self.random = random
        self.layout = Layout(random)
        self.settings = []
        self.routines = []  # (name, lines)
        self.phases = []  # Lines.
        self.f16 = random.random() < 0.2

    def text(self):
        lines = list(self.settings) + self.layout.lines()
        if self.f16:
            lines.append(".state f16")
        for name, body in self.routines:
            lines += [f".routine {name}"] + body
        for phase in self.phases:
            lines += phase
        return "\n".join(lines) + "\n"

    def address(self, body, register, place):
        """An address that is known, as a number or from its buffer."""
        starts = [name for name, _, _ in self.layout.buffers if self.layout.base(name) == place]
        if starts and self.random.random() < 0.5:
            body.emit(f"SETI {register}, base({starts[0]})")
        else:
            body.emit(f"SETI {register}, {place}")


# --- any -----------------------------------------------------------------------------------------

class AnyProgram(Generator):
    def make(self):
        r = self.random
        self.settings = [f".budget {r.choice([60, 200, 400, 400])}", f".stack {r.choice([1, 2, 4, 16])}"]
        if r.random() < 0.3:
            self.settings.append(f".tolerance {r.choice(['0', '0.5', '1e-4', '2'])}")
        for i in range(r.randint(1, 4)):
            self.layout.add(f"b{i}", r.randint(1, 6), r.choice(["in", "out", "inout", "temp"]))
        names = [f"routine{i}" for i in range(r.randint(1, 4))]
        for i, name in enumerate(names):
            callees = names[i + 1:]
            if r.random() < 0.05:
                callees = names  # Recursion: the stack or the budget ends it.
            self.routines.append((name, self.routine(names, callees, is_leaf=i > 0)))
        for i in range(r.choice([1, 1, 1, 2, 3])):
            self.phases.append(self.phase(f"phase{i}", names))

    def routine(self, names, callees, is_leaf):
        r = self.random
        body = Body(r, callees)
        body.block(0, lambda body: self.input_output(body, names))
        end = r.random()
        if is_leaf and end < 0.75:
            registers = r.sample(["r0", "r1", "r2", "r3"], r.choice([0, 0, 1, 2, 4]))
            body.emit("RETURN " + ", ".join(registers))
        else:
            body.emit("KILL" if end > 0.93 else "RETURN" if end > 0.9 else "HALT")
        return body.lines

    def input_output(self, body, names):
        r = self.random
        a, b, c = r.sample(["r0", "r1", "r2", "r3"], 3)
        what = r.choice(["READ"] * 4 + ["WRITE"] * 5 + ["VMID"] * 2 + ["YIELD", "WAIT", "WAIT", "SPAWN",
                                                                      "SPAWN", "END", "OWN"])
        prefix = r.choice(["", "", "SYSCALL_"])
        if what in ("READ", "WRITE", "WAIT") and r.random() < 0.93:
            place = r.randrange(self.layout.size())
            if r.random() < 0.04:
                place += self.layout.size()
            self.address(body, a, place)
            if r.random() < 0.2:
                body.emit(f"SCALE {a}, {a}, {r.choice(['0.999', '1', '-0.01'])}")
        if what == "WAIT" and r.random() < 0.8:
            body.emit(f"SETI {b}, {r.choice(['-20', '0', '0', '1', '-inf', 'nan'])}")
        if what == "SPAWN":
            body.emit(f"{prefix}SPAWN {r.choice(names)}, {c}")
        elif what == "OWN":
            body.emit(f"VMID {a}")
            body.emit(f"WRITE {a}, {c}")
        elif what == "END":
            if r.random() < 0.3:
                body.emit(r.choice(["KILL", "HALT"]))
        elif what == "VMID":
            body.emit(f"{prefix}VMID {a}")
        elif what == "YIELD":
            body.emit(prefix + "YIELD")
        else:
            body.emit(f"{prefix}{what} {a}, {b}")

    def phase(self, name, names):
        r = self.random
        if r.random() < 0.15:
            lines = [f".flow {name}"]
            return lines + [self.launch(names, clauses=True) for _ in range(r.randint(1, 3))]
        options = f" spawn={r.randint(1, 3)}" if r.random() < 0.5 else ""
        options += f" budget={r.randint(1, 300)}" if r.random() < 0.2 else ""
        lines = [f".phase {name}{options}"]
        lines.append(self.launch(names, clauses=r.random() < 0.2))
        return lines + [self.launch(names, clauses=False) for _ in range(r.choice([0, 0, 1, 2]))]

    def launch(self, names, clauses):
        r = self.random
        first = names[0] if r.random() < 0.7 else r.choice(names)
        text = f"    run {first} {r.randint(1, 5)}"
        for place in r.sample(["r0", "r1", "r2", "r3", "m0", "m3", "7", "m11"], r.choice([0, 1, 3])):
            text += f" {place}={number(r)}"
        if clauses:
            for clause in r.choice([["reads"], ["writes"], ["reads", "writes"]]):
                buffers = [b[0] for b in self.layout.buffers]
                text += f" {clause}=" + ",".join(r.sample(buffers, r.randint(1, len(buffers))))
        return text


# --- timing-free ---------------------------------------------------------------------------------

class OrderedProgram(Generator):
    """Each machine has the words place * width .. of `own`, where place is its m12: its number plus
    what the launch gives. Others read them only when they are ordered."""

    def __init__(self, random, spawns):
        super().__init__(random)
        self.spawns = spawns

    def make(self):
        r = self.random
        self.width, self.machines = r.randint(1, 4), r.randint(1, 12)
        self.settings = [".budget 20000", f".stack {r.choice([4, 16])}"]
        if r.random() < 0.2:
            self.settings.append(f".tolerance {r.choice(['0.5', '1e-4'])}")
        self.layout.add("data", r.randint(1, 40), "in")
        self.layout.add("own", self.width * self.machines, r.choice(["out", "inout"]))
        self.layout.add("flags", self.machines, "temp")
        if r.random() < 0.5:
            self.layout.add("more", r.randint(1, 9), "in")
        for i in range(r.randint(0, 2)):
            self.routines.append((f"leaf{i}", self.leaf()))
        self.leaves = [name for name, _ in self.routines]
        for i in range(r.choice([1, 1, 2, 3])):
            self.add_phase(i)

    def leaf(self):
        body = Body(self.random, [])
        # With the counter that no caller is using.
        body.block(len(COUNTERS) - 1, lambda body: self.read_data(body))
        body.emit("RETURN " + self.random.choice(["", "r1", "r0, r3"]))
        return body.lines

    def read_data(self, body):
        a, b = self.random.sample(["r0", "r1", "r2", "r3"], 2)
        inputs = [(name, size) for name, size, kind in self.layout.buffers if kind == "in"]
        name, size = self.random.choice(inputs)
        self.address(body, a, self.layout.base(name) + self.random.randrange(size))
        body.emit(f"READ {b}, {a}")

    def own_address(self, body, register, column, shift=0):
        """Of a word of the machine `shift` places further, around."""
        other = next(x for x in ("r0", "r1", "r2", "r3") if x != register)
        body.emit(f"LOAD {register}, {PLACE}")
        if shift:
            body.emit(f"SETI {other}, {shift}")
            body.emit(f"ADD {register}, {register}, {other}")
            body.emit(f"MODI {register}, {register}, {self.machines}")
        body.emit(f"MULI {register}, {register}, {self.width}")
        body.emit(f"SETI {other}, {self.layout.base('own') + column}")
        body.emit(f"ADD {register}, {register}, {other}")
        return other

    def own(self, body):
        r = self.random
        register = body.register()
        other = self.own_address(body, register, r.randrange(self.width))
        if r.random() < 0.6:
            body.emit(f"LOAD {other}, {body.memory()}")
            body.emit(f"WRITE {register}, {other}")
        else:
            body.emit(f"READ {other}, {register}")

    def any_leaf(self, body):
        self.random.choice([self.own, self.own, self.read_data])(body)

    def add_phase(self, i):
        r = self.random
        shape = r.choice(["independent", "plain", "barriers", "chain"])
        if self.spawns and r.random() < 0.6:
            return self.add_spawning(i)
        name = f"main{i}"
        body = Body(r, self.leaves)
        body.emit("VMID r0")
        body.emit(f"STORE r0, {PLACE}")
        if shape == "barriers":
            self.barriers(body)
        elif shape == "chain":
            self.chain(body, i + 1)
        else:
            for _ in range(r.randint(1, 3)):
                body.block(0, self.any_leaf)
        self.fault(body)
        body.emit(r.choice(["HALT", "HALT", "KILL"]))
        self.routines.append((name, body.lines))
        self.phases.append(self.phase(f"phase{i}", name, shape == "independent"))

    def phase(self, name, routine, independent):
        r = self.random
        options = " independent" if independent or r.random() < 0.2 and "main" not in routine else ""
        parts = [self.machines]
        if self.machines > 1 and r.random() < 0.4:
            first = r.randrange(1, self.machines)
            parts = [first, self.machines - first]
        return [f".phase {name}{options}"] + [
            f"    run {routine} {count}" + "".join(
                f" {place}={number(r)}" for place in r.sample(["r1", "r2", "m0", "m5"], r.randint(0, 3)))
            for count in parts]

    def barriers(self, body):
        """Column g is written in generation g, and read in later ones."""
        r = self.random
        for generation in range(self.width):
            body.steps(6)
            register = body.register()
            other = self.own_address(body, register, generation)
            body.emit(f"LOAD {other}, {body.memory()}")
            body.emit(f"WRITE {register}, {other}")
            body.emit("YIELD")
            register = body.register()
            column = r.randrange(generation + 1)
            other = self.own_address(body, register, column, r.randrange(self.machines))
            body.emit(f"READ {other}, {register}")
            body.emit(f"STORE {other}, {body.memory()}")

    def chain(self, body, value):
        """Each machine waits for the flag of the one before, and reads what that wrote. In each
        phase the flags become another value."""
        flags, done = self.layout.base("flags"), body.label()
        body.emit(f"LOAD r0, {PLACE}")
        body.emit(f"BRANCH_EQ r0, {done}")
        body.emit(f"SETI r1, {flags - 1}")
        body.emit("ADD r1, r0, r1")
        body.emit(f"SETI r2, {value}")
        body.emit("WAIT r1, r2")
        other = self.own_address(body, "r3", self.random.randrange(self.width), self.machines - 1)
        body.emit(f"READ {other}, r3")
        body.emit(f"STORE {other}, {body.memory()}")
        body.place(done)
        body.block(1, self.any_leaf)
        body.emit(f"LOAD r0, {PLACE}")
        body.emit(f"SETI r1, {flags}")
        body.emit("ADD r1, r0, r1")
        body.emit(f"SETI r2, {value}")
        body.emit("WRITE r1, r2")

    def fault(self, body):
        r = self.random
        if r.random() > 0.12:
            return
        skip = body.label()
        body.emit(f"{r.choice(BRANCHES)} {body.register()}, {skip}")
        what = r.choice(["address", "forbidden", "underflow"])
        body.emit(f"SETI r1, {r.choice(['-1', 'nan', self.layout.size()]) if what == 'address' else 0}")
        body.emit({"address": "READ r0, r1", "forbidden": "WRITE r1, r0", "underflow": "RETURN"}[what])
        body.place(skip)

    def add_spawning(self, i):
        """One machine starts all others and gives each its place."""
        r = self.random
        child = Body(r, self.leaves)
        child.emit(f"STORE r0, {PLACE}")
        child.block(0, self.any_leaf)
        child.emit("HALT")
        parent, again = Body(r, []), "again"
        parent.place(again)
        parent.emit("LOAD r0, m15")
        parent.emit(f"SPAWN child{i}, r0")
        parent.emit("SETI r1, 1")
        parent.emit("ADD r0, r0, r1")
        parent.emit("STORE r0, m15")
        parent.emit(f"CMPI r2, r0, {self.machines}")
        parent.emit(f"BRANCH_LT r2, {again}")
        parent.emit("HALT")
        self.routines += [(f"child{i}", child.lines), (f"parent{i}", parent.lines)]
        self.phases.append([f".phase phase{i} spawn={self.machines + r.randint(0, 2)}",
                            f"    run parent{i} 1"])


class StraightProgram(OrderedProgram):
    """Machines that run to their ends by themselves."""

    def __init__(self, random, whole):
        super().__init__(random, False)
        self.whole = whole
        if whole:
            self.f16 = False

    def own(self, body):
        r = self.random
        register = body.register()
        other = self.own_address(body, register, r.randrange(self.width))
        if body.loops == 0 and body.writes < 8:
            body.writes += 1
            body.emit(f"LOAD {other}, {body.memory()}")
            body.emit(f"WRITE {register}, {other}")
        else:
            body.emit(f"READ {other}, {register}")

    def add_phase(self, i):
        r = self.random
        body = Body(r, self.leaves)
        body.whole = self.whole
        body.emit("VMID r0")
        body.emit(f"STORE r0, {PLACE}")
        for _ in range(r.randint(1, 3)):
            body.block(1 if self.whole else 0, self.any_leaf)
        if not self.whole:
            self.fault(body)
        body.emit(r.choice(["HALT", "HALT", "KILL"]))
        self.routines.append((f"main{i}", body.lines))
        self.phases.append(self.phase(f"phase{i}", f"main{i}", r.random() < 0.5))


def make(seed, index, kind):
    """The text of a program, and its data: {buffer: bits of each word}."""
    r = random.Random(f"{seed} {index} {kind}")
    if kind == "any":
        program = AnyProgram(r)
    elif kind in ("straight", "whole"):
        program = StraightProgram(r, kind == "whole")
    else:
        program = OrderedProgram(r, kind == "spawning")
    program.make()
    return program.text(), program.layout.data(kind == "whole" or r.random() < 0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=["any", "timing-free", "spawning", "straight", "whole"], default="any")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    for index in range(options.count):
        text, data = make(options.seed, index, options.kind)
        path = os.path.join(options.folder, f"{options.kind}-{index}")
        with open(path + ".lvm", "w") as file:
            file.write(text)
        with open(path + ".json", "w") as file:
            json.dump(data, file)


if __name__ == "__main__":
    main()
