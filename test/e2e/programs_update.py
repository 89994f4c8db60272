"""Random programs that update a few elements of symbols, of integers, so that all of it is exact: alone, in repeats, on
conditions, while others read what was there, several symbols at once, and one symbol twice."""

import random

from program_text import Program
from programs_groups import modulo, scatter
from programs_when import PARKED, judge

RULES = ["add", "add", "max", "min", "and", "or", "xor", "last"]


def update_program(seed):
    rng = random.Random(f"update {seed}")
    p = Program(f"update_{seed}")
    p.variants = PARKED
    p.iterations = rng.choice([1, 2, 3])
    n = rng.choice([1, 7, 256, 1000])
    rows = rng.choice([1, 5, 300, 5000, 20000])
    width = rng.choice([1, 3, 64]) if 300 <= rows <= 5000 else 1
    dtype = rng.choice(["i32", "i32", "i64"])
    tables = [p.symbol("global", (rows, width) if width > 1 else (rows,), dtype) for _ in range(rng.randint(1, 2))]
    values = [p.input((n,), "i32") for _ in range(2)]

    def load(s, table):
        return s.add(table.shape, dtype, f"gpuvm.load @{table.name} : {table.type}")

    def store(s, value, table):
        s.lines.append(f"gpuvm.store %{value.name}, @{table.name} : {table.type}")

    def look(s, x, table):
        """x and what all of the table comes to."""
        all_ = s.reduce("arith.xori", table, range(len(table.shape)), 0)
        word = all_ if dtype == "i32" else s.cast("arith.trunci", all_, "i32")
        return s.binary("arith.addi", x, s.broadcast(word, x.shape, [0]))

    def wide(s, x):
        """Rows of the tables' type, one for each element of x."""
        x = x if dtype == "i32" else s.cast("arith.extsi", x, dtype)
        return x if width == 1 else s.broadcast(x, (n, width), [1])

    def update(s, x, chosen, rules, reads):
        old = [load(s, table) for table in chosen]
        updates = [wide(s, x) for _ in chosen]
        sent = look(s, x, old[0]) if "old" in reads else x
        if "itself" in reads:  # What is added depends on all that was there.
            updates[0] = wide(s, look(s, x, old[-1]))
        new = scatter(s, rules, updates, modulo(s, x, rows), old)
        if "twice" in reads:
            new = scatter(s, rules[::-1], updates[::-1], modulo(s, sent, rows), new[::-1])[::-1]
        for value, table in zip(new, chosen):
            store(s, value, table)
        if "new" in reads:
            sent = look(s, sent, new[-1])
        return sent

    def put(s, x, table):
        """Some equal rows, at a position that may lie outside."""
        word = s.reduce("arith.xori", x, [0], 0)
        bound, two = s.constant((), "i32", rows + 4), s.constant((), "i32", 2)
        place = s.binary("arith.subi", s.binary("arith.remui", word, bound), two)
        shape = (min(rng.choice([1, 2]), rows), *table.shape[1:])
        row = s.broadcast(word if dtype == "i32" else s.cast("arith.extsi", word, dtype), shape, range(len(shape)))
        s.lines.append(f"gpuvm.store %{row.name}, @{table.name}[%{place.name}] : {row.type}")
        return x

    def replace(s, x, table):
        store(s, s.binary("arith.addi", load(s, table), s.constant(table.shape, dtype, 5)), table)
        return x

    def work_on(known, conditions):
        x = rng.choice(known)
        what = rng.random()
        chosen = rng.sample(tables, rng.randint(1, len(tables)))
        rules = [rng.choice(RULES) for _ in chosen]
        reads = [word for word in ("old", "new", "itself", "twice") if rng.random() < 0.25]
        if what < 0.55:
            build = lambda s, x: update(s, x, chosen, rules, reads)
        elif what < 0.7:
            build = lambda s, x: put(s, x, chosen[0])
        elif what < 0.75:
            build = lambda s, x: replace(s, x, chosen[0])
        elif what < 0.85:  # A value that is no symbol.
            rule = rng.choice(RULES)
            build = lambda s, x: scatter(s, [rule], [x], modulo(s, x, n), [x])[0]
        else:
            build = lambda s, x: look(s, x, load(s, chosen[0]))
        if conditions and rng.random() < 0.4:
            return p.stage(build, x, when=rng.choice(conditions), otherwise=[0])
        return p.stage(build, x)

    def test(known):
        limit = rng.choice([-1, n // 2, n])
        return p.stage(lambda s, x: judge(s, x, limit), rng.choice(known))

    def repeat(known, conditions):
        initial = rng.sample(known, rng.randint(1, min(2, len(known))))

        def body(carried):
            own, tests = known + list(carried), list(conditions)
            for _ in range(rng.randint(1, 4)):
                if rng.random() < 0.25:
                    tests.append(test(own))
                else:
                    own.append(work_on(own, tests))
            until = test(own) if rng.random() < 0.6 else None
            return [rng.choice(own[-3:]) for _ in carried], until

        return p.repeat(rng.choice([1, 2, 5]), initial, body)

    conditions = [test(values)] if rng.random() < 0.5 else []
    for _ in range(rng.randint(1, 3)):
        values.append(work_on(values, conditions))
        if rng.random() < 0.6:
            values += repeat(values, conditions)
    p.outputs = rng.sample([m for m in p.messages if m.dtype == "i32"], 1)
    return p
