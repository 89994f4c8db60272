"""Random programs of several ranks with exchanges, of integers, so that all of it is exact."""

import random

from program_text import Program
from programs_repeat import STEPS
from programs_when import PARKED, judge

# On lavapipe a dispatch takes long enough to run while an exchange does.
VARIANTS = {**PARKED, "chained": ["--chains=always"], "h200": ["--target=h200,lavapipe"], "lavapipe": ["--target=lavapipe"]}
RULES = ["add", "min", "max", "minu", "maxu", "and", "or", "xor"]


def add_rank(s, x):
    """Each rank something else."""
    rank = s.add((), "i32", "gpuvm.rank : tensor<i32>")
    return s.binary("arith.addi", x, s.broadcast(rank, x.shape, [0]))


class Exchanges:
    """Exchanges of a program whose values are vectors of one length, a multiple of the ranks; so are their results."""

    def __init__(self, program, length, rng):
        self.p, self.n, self.rng = program, length, rng
        self.kinds = [self.shift, self.all_to_all, self.all_reduce, self.all_gather, self.reduce_scatter, self.update_halo, self.counted]

    def any(self, value):
        return self.rng.choice(self.kinds)(value)

    def shift(self, x):
        offset = self.rng.choice([-1, 1]) * self.rng.randint(1, max(self.p.ranks - 1, 1))
        return self.p.exchange(f"shift %{x.name} offset({offset}){self.rng.choice(['', ' rotate'])}", x, x.shape)

    def all_to_all(self, x):
        return self.p.exchange(f"all_to_all %{x.name} split(0) concat(0)", x, x.shape)

    def all_reduce(self, x):
        return self.p.exchange(f"all_reduce %{x.name} {self.rng.choice(RULES)}", x, x.shape)

    def all_gather(self, x):
        """Every so-manieth element of all."""
        all = self.p.exchange(f"all_gather %{x.name} axis(0)", x, (self.n * self.p.ranks,))
        if self.rng.random() < 0.5:
            return self.p.stage(lambda s, y: s.slice(y, [0], [self.n], [self.p.ranks]), all)
        rows = self.p.stage(lambda s, y: s.expand(y, (self.p.ranks, self.n)), all)
        return self.p.stage(lambda s, y: s.reduce("arith.addi", y, [0], 0), rows)

    def reduce_scatter(self, x):
        part = self.p.exchange(f"reduce_scatter %{x.name} {self.rng.choice(RULES)} axis(0)", x, (self.n // self.p.ranks,))
        return self.p.exchange(f"all_gather %{part.name} axis(0)", part, x.shape)

    def update_halo(self, x):
        before, after = self.rng.randint(0, min(self.n, 3)), self.rng.randint(1, min(self.n, 3))
        whole = self.p.exchange(f"update_halo %{x.name} axis(0) halo({before}, {after}){self.rng.choice(['', ' rotate'])}", x,
                                (before + self.n + after,))
        return self.p.stage(lambda s, y: s.binary("arith.addi", s.slice(y, [0], [self.n], [1]),
                                                  s.slice(y, [before + after], [self.n], [1])), whole)

    def counted(self, x):
        """As many rows to each rank as its elements say."""
        room = self.n // self.p.ranks + 1
        counts = self.p.stage(lambda s, y: s.binary("arith.remui", s.slice(y, [0], [self.p.ranks], [1]),
                                                    s.constant((self.p.ranks,), "i32", room)), x)
        rows, came = self.p.exchange(f"all_to_all %{x.name} split(0) concat(0) counts(%{counts.name} : {self.p.kind(counts)})", x,
                                     x.shape, (self.p.ranks,))
        return self.p.stage(lambda s, y, c: s.binary("arith.addi", y, s.broadcast(s.reduce("arith.addi", c, [0], 0), y.shape, [0])),
                            rows, came)


def ranks_program(seed):
    rng = random.Random(f"ranks {seed}")
    p = Program(f"ranks_{seed}")
    p.ranks = rng.choice([1, 2, 2, 3, 3, 4])
    p.variants = VARIANTS
    p.iterations = rng.choice([1, 2])
    n = p.ranks * rng.choice([1, 3, 64, 333, 1031, 5000])
    exchanges = Exchanges(p, n, rng)
    given = [p.input((n,), "i32") for _ in range(rng.randint(1, 2))]
    state = p.symbol("global", (n,), "i32") if rng.random() < 0.4 else None

    def work_on(values, conditions):
        operands = rng.sample(values, rng.randint(1, min(2, len(values))))
        work = rng.choices(STEPS + [add_rank], k=rng.randint(1, 2))
        stores = state and rng.random() < 0.4

        def build(s, x, *others):
            for step in work:
                x = step(s, x)
            for other in others:
                x = s.binary("arith.addi", x, other)
            if stores:
                old = s.add(state.shape, "i32", f"gpuvm.load @{state.name} : {state.type}")
                new = s.binary("arith.addi", x, old)
                s.lines.append(f"gpuvm.store %{new.name}, @{state.name} : {state.type}")
            return x

        if conditions and rng.random() < 0.5:
            other = [rng.randrange(len(operands))] if rng.random() < 0.7 else []
            return p.stage(build, *operands, when=rng.choice(conditions), otherwise=other)
        return p.stage(build, *operands)

    def repeat(values, conditions, depth):
        """A repeat that carries a counter and some of `values`; ranks may want to end it at different times."""
        initial = rng.sample(values, rng.randint(1, min(3, len(values))))
        zero = p.stage(lambda s, x: s.reduce("arith.andi", x, [0], 0), values[0])
        times, most = rng.choice([1, 2, 3, 5]), rng.choice([None, 2, 3])
        if most and rng.random() < 0.3:
            times = 1000

        def body(carried):
            count, *own = carried
            known, tests = list(values) + own, list(conditions)
            count = p.stage(lambda s, c: s.binary("arith.addi", c, s.constant((), "i32", 1)), count)
            for _ in range(rng.randint(1, 4)):
                draw = rng.random()
                if draw < 0.2:
                    limit = rng.choice([n // 2, n // 2 + 1])
                    tests.append(p.stage(lambda s, x: judge(s, x, limit), rng.choice(known)))
                elif draw < 0.6:
                    known.append(exchanges.any(rng.choice(known)))
                elif depth and draw < 0.7:
                    known += repeat(known, tests, depth - 1)
                else:
                    known.append(work_on(known, tests))
            after = [rng.choice(known[-len(own) - 1:] if rng.random() < 0.6 else own) for _ in own]
            until = None
            if most:  # On some ranks earlier.
                last = lambda s, c: s.compare("sge", s.binary("arith.addi", c, s.add((), "i32", "gpuvm.rank : tensor<i32>")),
                                              s.constant((), "i32", most))
                until = p.stage(last, count)
                if tests and rng.random() < 0.3 and times < 1000:
                    until = p.stage(lambda s, a, b: s.binary("arith.andi", a, b), until, rng.choice(tests))
            return [count] + after, until

        return p.repeat(times, [zero] + initial, body)[1:]

    values = list(given)
    for _ in range(rng.randint(1, 3)):
        values.append(work_on(values, []))
        values += [exchanges.any(rng.choice(values)) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.5:
            values += repeat(values, [], 1)
    p.outputs = rng.sample(values, min(4, len(values)))
    if state:
        p.outputs.append(p.stage(lambda s: s.add(state.shape, "i32", f"gpuvm.load @{state.name} : {state.type}")))
    return p
