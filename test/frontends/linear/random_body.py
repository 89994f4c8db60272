"""Instructions of random routines, of which every one ends (generate.py)."""

from random_layout import number

LINEAR = ["ADD", "SUB", "MOV", "SETI", "LOAD", "STORE", "COPY", "CLEAR", "NEG", "SCALE"]
BINARY = ["MUL", "DIV", "MOD", "CMP", "MIN", "MAX"]
UNARY = ["ABS", "SQRT", "SIN", "COS"]
WHOLE = ["SUB", "ADD", "MOV", "SETI", "LOAD", "STORE", "STORE", "COPY", "NEG", "SUB", "SETI", "CLEAR", "SCALE"]
IMMEDIATE = ["MULI", "DIVI", "MODI", "CMPI"]
BRANCHES = ["BRANCH_EQ", "BRANCH_NE", "BRANCH_LT", "BRANCH_GT", "BRANCH_LE", "BRANCH_GE"]
# Memory that no random instruction writes: counters of loops by depth, and a machine's place.
COUNTERS = ["m15", "m14", "m13"]
PLACE = "m12"
FREE_MEMORY = 12


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
