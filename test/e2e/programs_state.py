"""Random programs with state: stages that load, store and pass on symbols and slices of them that overlap, that hold on
to what a symbol held before a store and use it before and after, alone, on conditions and in repeats."""

import random

from program_text import Program, bits, is_float, tensor
from programs_when import PARKED

PARTS = 4  # Of a symbol: slices are so many of these next to each other.


class State:
    """Adds the stages of one program with state to `p`; it shares nothing with what is there."""

    def __init__(self, rng, p, rich):
        self.rng, self.p, self.rich = rng, p, rich
        self.dtype = rng.choice(["i8", "i32", "i32", "i64", "f32"])
        self.unit = 256 // (max(8, bits(self.dtype)) // 8) * rng.choice([1, 1, 1, 1, 3, 40])
        kinds = ["register", "global", "metric"]
        self.symbols = [p.symbol(rng.choice(kinds), self.shape(PARTS), self.dtype) for _ in range(rng.randint(1, 3))]
        self.conditions = []

    def shape(self, parts):
        return (parts * self.unit,)

    def parts(self, value):
        return value.shape[0] // self.unit

    def input(self, parts):
        return self.p.input(self.shape(parts), self.dtype)

    # ---------------------------------------------------------------- stages

    def place(self, parts):
        first = self.rng.randint(0, PARTS - parts)
        return "" if parts == PARTS and self.rng.random() < 0.7 else f"[{first * self.unit}]"

    def load(self, s):
        parts = self.rng.choice([1, 2, 3, PARTS, PARTS, PARTS])
        symbol, shape = self.rng.choice(self.symbols), self.shape(parts)
        return s.add(shape, self.dtype, f"gpuvm.load @{symbol.name}{self.place(parts)} : {tensor(shape, self.dtype)}")

    def store(self, s, pool):
        value = self.rng.choice(pool)
        s.lines.append(f"gpuvm.store %{value.name}, @{self.rng.choice(self.symbols).name}"
                       f"{self.place(self.parts(value))} : {value.type}")

    def move(self, s, a):
        """Another number of parts, or the same in another order."""
        parts = self.parts(a)
        if parts == 1 or self.rng.random() < 0.3:
            return s.concat(a, a, 0) if parts <= PARTS // 2 else s.transpose(a, [0])
        cut = self.rng.randint(1, parts - 1)
        low = s.slice(a, [0], self.shape(cut), [1])
        high = s.slice(a, [cut * self.unit], self.shape(parts - cut), [1])
        return self.rng.choice([low, high, s.concat(high, low, 0)])

    def compute(self, s, pool):
        """One value more, of those of the pool."""
        a = self.rng.choice(pool)
        b = self.rng.choice([v for v in pool if v.shape == a.shape])
        kind = self.rng.random()
        if kind < 0.2:
            return self.move(s, a)
        if kind < 0.3:  # Of all elements, to each.
            worst = s.reduce("arith.maximumf" if is_float(self.dtype) else "arith.xori", a, [0], 0)
            return s.binary(self.operation(), b, s.broadcast(worst, b.shape, [0]))
        return s.binary(self.operation(), a, b)

    def operation(self):
        return "arith." + self.rng.choice(
            ["addf", "subf", "maximumf"] if is_float(self.dtype) else ["addi", "subi", "xori", "andi"])

    def build(self, s, *received):
        pool = [v for v in received if v.shape]
        for _ in range(self.rng.randint(1, 5)):
            what = self.rng.random()
            if not pool or what < 0.3:
                pool.append(self.load(s))
            elif what < 0.6:
                self.store(s, pool)
            else:
                pool.append(self.compute(s, pool))
        return pool

    def hold(self):
        """What a symbol holds now, as a message that nobody has computed."""
        return self.p.stage(lambda s: self.load(s))

    def judge(self, known):
        """Whether some number is odd, or positive."""

        def build(s, x):
            one = s.constant(x.shape, self.dtype, 1)
            if is_float(self.dtype):
                mask = s.compare("oge", x, one)
            else:
                mask = s.compare("eq", s.binary("arith.andi", x, one), one)
            return s.reduce("arith.xori", mask, [0], 0)

        return self.p.stage(build, self.rng.choice(known))

    def stage(self, known):
        """One more stage, and what it sends."""
        rng = self.rng
        operands = rng.sample(known, min(len(known), rng.randint(0, 3)))
        if operands and self.conditions and rng.random() < 0.4:

            def build(s, *received):
                pool = self.build(s, *received)
                return rng.choice([v for v in pool if v.shape == received[0].shape])

            return [self.p.stage(build, *operands, when=rng.choice(self.conditions), otherwise=[0])]
        silent, several = rng.random() < 0.3, rng.random() < 0.2

        def build(s, *received):
            pool = self.build(s, *received)
            return None if silent else [rng.choice(pool), rng.choice(pool)] if several else rng.choice(pool)

        sent = self.p.stage(build, *operands)
        return [] if sent is None else sent if several else [sent]

    # -------------------------------------------------------------- programs

    def steps(self, known, count):
        known = list(known)
        for _ in range(count):
            what = self.rng.random()
            if what < 0.25:
                known.append(self.hold())
            elif self.rich and what < 0.35:
                self.conditions.append(self.judge(known))
            else:
                known += self.stage(known)
        return known

    def repeat(self, known):
        initial = self.rng.sample(known, self.rng.randint(1, min(2, len(known))))
        outside = list(self.conditions)

        def body(carried):
            own = self.steps(known + list(carried), self.rng.randint(1, 3))
            until = self.judge(own) if self.rng.random() < 0.5 else None
            return [self.rng.choice([v for v in own if v.shape == c.shape]) for c in carried], until

        results = self.p.repeat(self.rng.choice([1, 2, 3]), initial, body)
        self.conditions = outside
        return results

    def add(self):
        known = [self.input(1), self.input(PARTS)]
        before = len(self.p.messages)
        known = self.steps(known, self.rng.randint(2, 7))
        if self.rich and self.rng.random() < 0.3:
            known += self.repeat(known)
            known = self.steps(known, self.rng.randint(0, 2))
        sent = [v for v in self.p.messages[before:] if v.dtype == self.dtype and v.shape]
        self.p.outputs += [v for v in sent if self.rng.random() < 0.4][:6]


def add_state(rng, p):
    """Adds a random program with state to `p`, beside what it holds already."""
    p.iterations = 2
    State(rng, p, rich=rng.random() < 0.4).add()


def state_program(seed):
    rng = random.Random(f"state {seed}")
    p = Program(f"state_{seed}")
    add_state(rng, p)
    p.variants = PARKED if seed % 4 == 0 else {}
    return p
