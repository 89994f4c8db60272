"""Stages and operations with more operands than there are registers in the seed, or windows in a kernel."""

from program_text import Program, tensor

COUNT = 40


def total(s, values):
    x = values[0]
    for y in values[1:]:
        x = s.binary("arith.addi", x, y)
    return x


def operands(p, count):
    """Beside as many messages."""
    inputs = [p.input((5,), "i32") for _ in range(count)]
    messages = [p.stage(lambda s, v: s.binary("arith.muli", v, v), x) for x in inputs]
    p.outputs = [p.stage(lambda s, *v: total(s, v), *inputs), p.stage(lambda s, *v: total(s, v), *messages),
                 p.stage(lambda s, *v: total(s, v), *inputs, *messages)]


def put_together(p, count):
    """By one operation, and by one for each, of several shapes and types."""
    inputs = [p.input((1 + i % 3, 4), ["i32", "i8"][i % 2]) for i in range(count)]
    rows = [sum(x.shape[0] for x in inputs[first::2]) for first in (0, 1)]

    def concat(s, *v):
        return s.add((rows[0], 4), "i32", f"tensor.concat dim(0) {', '.join('%' + x.name for x in v)} : "
                     f"({', '.join(x.type for x in v)}) -> {tensor((rows[0], 4), 'i32')}")

    def insert(s, *v):
        whole, row = s.constant((rows[1] + 2, 4), "i8", 7), 1
        for x in v:
            whole, row = s.insert(x, whole, [row, 0], [1, 1]), row + x.shape[0]
        return whole

    p.outputs = [p.stage(concat, *inputs[::2]), p.stage(insert, *inputs[1::2])]


def one_operation(p, count):
    inputs = [p.input((3, 5), "i32") for _ in range(count)]
    body = "%s1 = arith.addi %e0, %e1 : i32\n" + "\n".join(
        f"%s{i} = arith.addi %s{i - 1}, %e{i} : i32" for i in range(2, count))

    def build(s, *v):
        return s.fold(v, [s.empty((3, 5), "i32")], (), body, [f"%s{count - 1}"])[0]

    def reduce(s, *v):
        return s.fold(v, [s.constant((3,), "i32", 0)], (1,), body + f"\n%t = arith.xori %a0, %s{count - 1} : i32",
                      ["%t"])[0]

    p.outputs = [p.stage(build, *inputs), p.stage(reduce, *inputs)]


def computed_again(p, count):
    """Cheap values that are read at other indices, of two tensors each."""
    inputs = [p.input((5,), "i32") for _ in range(count)]

    def build(s, *v):
        parts = [s.broadcast(s.binary("arith.xori", a, b), (3, 5), [0]) for a, b in zip(v[::2], v[1::2])]
        return total(s, parts)

    p.outputs = [p.stage(build, *inputs)]


def many(_):
    for make, count in ((operands, 31), (operands, COUNT), (put_together, 2 * COUNT), (one_operation, COUNT),
                        (computed_again, 2 * COUNT)):
        p = Program(f"many_{make.__name__}_{count}")
        make(p, count)
        yield p
