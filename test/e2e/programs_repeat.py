"""Random programs of stages that run again and again, of integers, so that all of it is exact."""

import random

from program_text import Program
from programs_when import PARKED, WORK, judge

ALWAYS = {**PARKED, "chained": ["--chains=always"]}


def mirrored(s, x):
    """Each element and the one as far from the other end: what is carried cannot be made where it is."""
    n, = x.shape
    return s.add(x.shape, "i32", f"""tensor.generate {{
^bb0(%j: index):
%last = arith.constant {n - 1} : index
%k = arith.subi %last, %j : index
%a = tensor.extract %{x.name}[%j] : {x.type}
%b = tensor.extract %{x.name}[%k] : {x.type}
%c = arith.addi %b, %b : i32
%y = arith.addi %a, %c : i32
tensor.yield %y : i32
}} : {x.type}""")


STEPS = WORK + [mirrored, mirrored]


def repeat_program(seed):
    rng, counting = random.Random(f"repeat {seed}"), random.Random(f"turn {seed}")
    p = Program(f"repeat_{seed}")
    p.variants = ALWAYS
    p.iterations = rng.choice([1, 2])
    n = rng.choice([1, 7, 256, 1000, 4099])
    given = [p.input((n,), "i32") for _ in range(rng.randint(1, 2))]
    state = p.symbol("global", (n,), "i32") if rng.random() < 0.5 else None

    def work_on(values, conditions):
        operands = rng.sample(values, rng.randint(1, min(2, len(values))))
        work = rng.choices(STEPS, k=rng.randint(1, 2))
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
                x = s.binary("arith.xori", x, old)
            return x

        if conditions and rng.random() < 0.5:
            other = [rng.randrange(len(operands))] if rng.random() < 0.7 else []
            return p.stage(build, *operands, when=rng.choice(conditions), otherwise=other)
        return p.stage(build, *operands)

    def repeat(values, conditions, depth):
        """A repeat that carries a counter and some of `values`."""
        initial = rng.sample(values, rng.randint(1, min(3, len(values))))
        zero = p.stage(lambda s, x: s.reduce("arith.andi", x, [0], 0), values[0])
        times = rng.choice([1, 2, 3, 5, 9])
        most = rng.choice([None, 1, 2, 3, 100])
        counts = counting.random() < 0.5
        if counts and most:  # Ends after few times, whatever the bound.
            times = counting.choice([times, 1000, 10**6, 2**31 - 1])

        def body(carried):
            count, *own = carried
            turn = own.pop() if counts else None
            known, tests = values + own, list(conditions)
            count = p.stage(lambda s, c: s.binary("arith.addi", c, s.constant((), "i32", 1)), count)
            if turn and counting.random() < 0.7:
                known.append(p.stage(lambda s, x, t: s.binary("arith.addi", x, s.broadcast(t, x.shape, [0])),
                                     counting.choice(known), turn))
            for _ in range(rng.randint(1, 4)):
                if rng.random() < 0.25:
                    limit = rng.choice([n // 2, n // 2 + 1])
                    tests.append(p.stage(lambda s, x: judge(s, x, limit), rng.choice(known)))
                elif depth and rng.random() < 0.25:
                    known += repeat(known, tests, depth - 1)
                else:
                    known.append(work_on(known, tests))
            # Values may change their places, and stay what they are.
            after = [rng.choice(known[-len(own) - 1:] if rng.random() < 0.6 else own) for _ in own]
            until = most and p.stage(lambda s, c: s.compare("sge", c, s.constant((), "i32", most)), turn or count)
            if tests and most and rng.random() < 0.3:
                until = p.stage(lambda s, a, b: s.binary("arith.ori", a, b), until, rng.choice(tests))
            return [count] + after, until

        return p.repeat(times, [zero] + initial, body, turn=counts)[1:]

    values = list(given)
    for _ in range(rng.randint(1, 2)):
        values.append(work_on(values, []))
        values += repeat(values, [], 1)
    p.outputs = rng.sample(p.messages, min(4, len(p.messages)))
    if state:
        p.outputs.append(p.stage(lambda s: s.add(state.shape, "i32", f"gpuvm.load @{state.name} : {state.type}")))
    return p
