"""Random programs of phases in which all that collides is ordered (generate.py)."""

from random_any import Generator
from random_body import BRANCHES, COUNTERS, PLACE, Body
from random_layout import number


class OrderedProgram(Generator):
    """Each machine has the words place * width .. of `own`, where place is its m12: its number plus
    what the launch gives. Others read them only when they are ordered."""

    def __init__(self, random, spawns):
        super().__init__(random)
        self.spawns = spawns
        self.whole = False  # All numbers are small and whole.
        self.own_name = "own"
        self.launched = None  # Machines of a phase, where they are not all.

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
        body.whole = self.whole
        # With the counter that no caller is using.
        body.block(len(COUNTERS) - 1, lambda body: self.read_data(body))
        body.emit("RETURN " + self.random.choice(["", "r1", "r0, r3"]))
        return body.lines

    def inputs(self):
        return [(name, size) for name, size, kind in self.layout.buffers if kind == "in"]

    def read_data(self, body):
        a, b = self.random.sample(["r0", "r1", "r2", "r3"], 2)
        name, size = self.random.choice(self.inputs())
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
        body.emit(f"SETI {other}, {self.layout.base(self.own_name) + column}")
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
        self.add_shape(i, shape)

    def add_shape(self, i, shape):
        r = self.random
        name = f"main{i}"
        body = Body(r, self.leaves)
        body.whole = self.whole
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
        parts = [self.launched or self.machines]
        if parts[0] > 1 and r.random() < 0.4:
            first = r.randrange(1, parts[0])
            parts = [first, parts[0] - first]
        return [f".phase {name}{options}"] + [f"    run {routine} {count}{self.initial()}" for count in parts]

    def initial(self):
        r = self.random
        return "".join(f" {place}={r.randint(-9, 9) if self.whole else number(r)}"
                       for place in r.sample(["r1", "r2", "m0", "m5"], r.randint(0, 3)))

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
        child.whole = self.whole
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
