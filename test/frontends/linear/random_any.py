"""Random programs with everything that a machine can do (generate.py)."""

from random_body import Body
from random_layout import Layout, number


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
