"""Random programs of phases that compiled mode takes, and of those beside others (generate.py)."""

from random_body import COUNTERS, PLACE, Body
from random_ordered import OrderedProgram


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
        body.emit("VMID r0")
        self.body(body, 1 if self.whole else 0)
        self.routines.append((f"main{i}", body.lines))
        self.phases.append(self.phase(f"phase{i}", f"main{i}", r.random() < 0.5))

    def body(self, body, depth):
        """What a machine does whose place is r0."""
        r = self.random
        body.whole = self.whole
        body.emit(f"STORE r0, {PLACE}")
        for _ in range(r.randint(1, 3)):
            body.block(depth, self.any_leaf)
        if not self.whole:
            self.fault(body)
        body.emit(r.choice(["HALT", "HALT", "KILL"]))


class MixedProgram(StraightProgram):
    """Phases of both kinds, each of as many machines as it likes: what one leaves in shared memory the next ones
    read. The last one may end with a fault, in a deadlock or with its budget."""

    def __init__(self, random, whole):
        super().__init__(random, whole)
        self.launched = 1  # And of another number in each phase.

    def make(self):
        super().make()
        for i in range(len(self.phases), self.random.randint(2, 5)):
            self.add_phase(i)
        if self.random.random() < 0.25:
            self.add_bad_end(len(self.phases))
            self.add_phase(len(self.phases))

    def add_phase(self, i):
        r = self.random
        self.launched = r.randint(1, self.machines)
        shape = r.choice(["straight", "straight", "straight", "barriers", "chain", "spawning"])
        if shape == "straight":
            StraightProgram.add_phase(self, i)
        elif shape == "spawning":
            self.add_spawning(i)
        else:
            self.add_shape(i, shape)

    def add_bad_end(self, i):
        """A phase that never gets what it waits for, or runs for ever."""
        body = Body(self.random, [])
        body.emit(f"SETI r1, {self.layout.base('flags')}")
        if self.random.random() < 0.5:
            body.emit("SETI r2, 1000000")
            body.emit("WAIT r1, r2")
        else:
            again = body.label()
            body.place(again)
            body.emit("YIELD")
            body.emit("ADD r3, r3, r1")
            body.emit(f"JUMP {again}")
        body.emit("HALT")
        self.routines.append((f"bad{i}", body.lines))
        self.phases.append([f".phase end{i} budget={self.random.randint(1, 40)}", f"    run bad{i} {self.launched}"])


class BatchProgram(StraightProgram):
    """Launches that have nothing to do with each other: routines, buffers and machines of their own, in one phase."""

    def __init__(self, random, whole, size):
        super().__init__(random, whole)
        self.size = size

    def make(self):
        r = self.random
        self.settings = [".budget 20000", f".stack {r.choice([4, 16])}"]
        shapes = [(r.randint(1, 4), r.randint(1, 6)) for _ in range(self.size)]  # Width, machines.
        for i, (width, machines) in enumerate(shapes):
            self.layout.add(f"data{i}", r.randint(1, 20), "in")
            self.layout.add(f"own{i}", width * machines, r.choice(["out", "inout"]))
        self.phases.append([".phase all independent"])
        first = 0
        for i, (self.width, self.machines) in enumerate(shapes):
            self.add_launch(i, first)
            first += self.machines

    def inputs(self):
        return [buffer for buffer in super().inputs() if buffer[0] == self.own_name.replace("own", "data")]

    def add_launch(self, i, first):
        r = self.random
        self.own_name = f"own{i}"
        leaves = [f"leaf{i}"] if r.random() < 0.5 else []
        self.routines += [(leaf, self.leaf()) for leaf in leaves]
        body = Body(r, leaves)
        body.emit("VMID r0")
        body.emit(f"SETI r1, {first}")
        body.emit("SUB r0, r0, r1")
        self.body(body, len(COUNTERS) - 1)  # No loops in loops.
        self.routines.append((f"main{i}", body.lines))
        clauses = f" reads=data{i} writes=own{i}" if r.random() < 0.5 else ""
        self.phases[0].append(f"    run main{i} {self.machines}{self.initial()}{clauses}")
