"""Random programs of stages that run on conditions, of integers, so that all of it is exact."""

import random

from program_text import Program

PARKED = {"parked": ["--park=always", "--chains=never", "--fusion=stages"], "parked_fused": ["--park=always"]}


def judge(s, x, limit):
    """Whether the number of odd elements is more than `limit`."""
    odd = s.binary("arith.andi", x, s.constant(x.shape, x.dtype, 1))
    count = s.reduce("arith.addi", odd, range(len(x.shape)), 0)
    return s.compare("sgt", count, s.constant((), "i32", limit))


def scan(s, x):
    return s.add(x.shape, x.dtype, f"gpuvm.scan %{x.name} dimension 0 : ({x.type}) -> {x.type} {{\n"
                 "^bb0(%a: i32, %b: i32):\n%c = arith.addi %a, %b : i32\ngpuvm.yield %c : i32\n}")


def centre(s, x):
    """Less its sum."""
    return s.binary("arith.subi", x, s.broadcast(s.reduce("arith.addi", x, [0], 0), x.shape, [0]))


def divide(s, x):
    """By numbers that may be zero where the stage does not run: then nobody divides."""
    body = "%q = arith.divui %e0, %e1 : i32"
    positive = s.binary("arith.ori", x, s.constant(x.shape, "i32", 1))
    return s.fold([x, positive], [s.empty(x.shape, "i32")], (), body, ["%q"])[0]


WORK = [scan, centre, divide,
        lambda s, x: s.binary("arith.addi", x, s.constant(x.shape, "i32", 3)),
        lambda s, x: s.binary("arith.muli", x, x),
        lambda s, x: s.binary("arith.xori", x, s.constant(x.shape, "i32", 0x5555))]


def when_program(seed):
    rng = random.Random(f"when {seed}")
    p = Program(f"when_{seed}")
    p.variants = PARKED
    p.iterations = rng.choice([1, 3])
    n = rng.choice([1, 7, 256, 1000, 4099, 20000])
    values = [p.input((n,), "i32") for _ in range(rng.randint(1, 3))]
    state = p.symbol("global", (n,), "i32") if rng.random() < 0.5 else None
    conditions = []
    for _ in range(rng.randint(3, 9)):
        if not conditions or rng.random() < 0.35:
            limit = rng.choice([-1, n // 2, n // 2 + 1, n])
            conditions.append(p.stage(lambda s, x: judge(s, x, limit), rng.choice(values)))
            continue
        operands = rng.sample(values, rng.randint(1, min(2, len(values))))
        work = rng.choices(WORK, k=rng.randint(1, 3))
        stores = state and rng.random() < 0.5

        def build(s, x, *others):
            for step in work:
                x = step(s, x)
            for other in others:
                x = s.binary("arith.addi", x, other)
            if stores:
                old = s.add(state.shape, "i32", f"gpuvm.load @{state.name} : {state.type}")
                s.lines.append(f"gpuvm.store %{x.name}, @{state.name} : {state.type}")
                x = s.binary("arith.addi", x, old)
            return x

        if rng.random() < 0.8:
            values.append(p.stage(build, *operands, when=rng.choice(conditions), otherwise=[rng.randrange(len(operands))]))
        else:
            values.append(p.stage(build, *operands))
    p.outputs = [v for v in rng.sample(p.messages, min(3, len(p.messages)))]
    if state:
        p.outputs.append(p.stage(lambda s: s.add(state.shape, "i32", f"gpuvm.load @{state.name} : {state.type}")))
    return p
