"""Differential test: what runs on the device is what the interpreter says.

Each case is a program made from a seed: stages of elementwise operations,
reductions over every set of axes, transposes, broadcasts, slices and reshapes on
odd sizes and all element types. It is compiled fused and unfused, runs on the
device (with validation) and on gpuvm-interpret with the same data, and all
outputs must have the same bits; only division, square root and exp may differ,
by 1e-5 relative. With --widths every plan runs once more for each width of
lavapipe's vectors, that is, with other subgroup sizes.

Usage: differential.py FOLDER [--seeds FIRST:LAST] [--sweep] [--widths 256,512]

Exits 1 and leaves the program and its data in FOLDER if anything differs.
"""

import argparse
import concurrent.futures
import itertools
import math
import os
import random
import struct
import subprocess
import sys

SIZES = [1, 3, 255, 1023, 1024, 1025, 4099, 70001]
MAX_ELEMENTS = 80000
TYPES = ["i1", "i8", "i16", "i32", "i64", "f16", "f32", "f64"]
NUMPY = {"i1": "|b1", "i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
         "f16": "<f2", "f32": "<f4", "f64": "<f8"}
FORMAT = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}


def is_float(dtype):
    return dtype.startswith("f")


def bits(dtype):
    return int(dtype[1:])


def tensor(shape, dtype):
    return "tensor<" + "".join(f"{n}x" for n in shape) + dtype + ">"


# --------------------------------------------------------------------- .npy


def write_npy(path, shape, dtype, values):
    text = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    header = f"{{'descr': '{NUMPY[dtype]}', 'fortran_order': False, 'shape': ({text}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{FORMAT[dtype]}", *values))


def read_npy(path, dtype):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:6] == b"\x93NUMPY" and NUMPY[dtype][1:].encode() in data[:64], path
    start = 10 + struct.unpack("<H", data[8:10])[0]
    size = struct.calcsize("<" + FORMAT[dtype])
    assert (len(data) - start) % size == 0, path
    return data[start:]


def random_values(rng, count, dtype):
    if dtype == "i1":
        return [rng.random() < 0.5 for _ in range(count)]
    if is_float(dtype):
        # Few bits for f16, all of them for the others; both signs.
        if dtype == "f16":
            return [rng.randint(-64, 64) / 32 for _ in range(count)]
        return [rng.uniform(-2, 2) for _ in range(count)]
    half = 1 << (bits(dtype) - 1)
    return [rng.randint(-half, half - 1) for _ in range(count)]


# ----------------------------------------------------------------- programs


class Value:
    """A tensor of the program: name inside its stage, shape, type, exactness."""

    def __init__(self, name, shape, dtype, exact=True):
        self.name, self.shape, self.dtype, self.exact = name, tuple(shape), dtype, exact

    @property
    def type(self):
        return tensor(self.shape, self.dtype)


class Program:
    """Text of a program, stage by stage; every stage sends one message."""

    def __init__(self, name):
        self.name = name
        self.inputs, self.messages, self.outputs = [], [], []
        self.stages, self.symbols, self.iterations = [], [], 1

    def input(self, shape, dtype):
        value = Value(f"in{len(self.inputs)}", shape, dtype)
        self.inputs.append(value)
        return value

    def symbol(self, kind, shape, dtype):
        value = Value(f"sym{len(self.symbols)}", shape, dtype)
        value.kind = kind
        self.symbols.append(value)
        return value

    def stage(self, build, *operands):
        """build(stage, operand values) -> the value that is sent, or None."""
        stage = Stage(f"s{len(self.stages)}")
        local, signature = [], []
        for i, value in enumerate(operands):
            message = value not in self.inputs
            kind = f"!gpuvm.message<{value.type}>" if message else value.type
            signature.append(f"%x{i} = %{value.name} : {kind}")
            local.append(Value(f"x{i}", value.shape, value.dtype, value.exact))
        sent = build(stage, *local)
        if sent is None:
            body = "\n".join("    " + line for line in stage.lines)
            self.stages.append(f"  gpuvm.stage @{stage.name}({', '.join(signature)}) {{\n{body}\n  }}")
            return None
        result = Value(f"m{len(self.stages)}", sent.shape, sent.dtype, sent.exact)
        body = "\n".join("    " + line for line in stage.lines)
        self.stages.append(
            f"  %{result.name} = gpuvm.stage @{stage.name}({', '.join(signature)}) -> {sent.type} {{\n"
            f"{body}\n    gpuvm.send %{sent.name} : {sent.type}\n  }}")
        self.messages.append(result)
        return result

    def text(self):
        arguments = ", ".join(f"%{v.name}: {v.type}" for v in self.inputs)
        results = ", ".join(f"o{i}: {v.type}" for i, v in enumerate(self.outputs))
        names = ", ".join("%" + v.name for v in self.outputs)
        types = ", ".join(f"!gpuvm.message<{v.type}>" for v in self.outputs)
        symbols = "".join(f"  gpuvm.{v.kind} @{v.name} : {v.type}\n" for v in self.symbols)
        signature = f"({arguments})" + (f" -> ({results})" if results else "")
        returned = f" {names} : {types}" if results else ""
        return (f"gpuvm.program @{self.name}{signature} {{\n" + symbols + "\n".join(self.stages) +
                f"\n  gpuvm.return{returned}\n}}\n")


class Stage:
    """The body of a stage; each method adds one operation."""

    def __init__(self, name):
        self.name, self.lines, self.count = name, [], 0

    def fresh(self, shape, dtype, exact=True):
        self.count += 1
        return Value(f"v{self.count}", shape, dtype, exact)

    def add(self, shape, dtype, text, exact=True):
        value = self.fresh(shape, dtype, exact)
        self.lines.append(f"%{value.name} = {text}")
        return value

    def constant(self, shape, dtype, number):
        if dtype == "i1":
            number = "true" if number else "false"
        elif is_float(dtype):
            number = f"{float(number)!r}"
        return self.add(shape, dtype, f"arith.constant dense<{number}> : {tensor(shape, dtype)}")

    def empty(self, shape, dtype):
        return self.add(shape, dtype, f"tensor.empty() : {tensor(shape, dtype)}")

    def binary(self, op, a, b, exact=True):
        return self.add(a.shape, a.dtype, f"{op} %{a.name}, %{b.name} : {a.type}", exact and a.exact and b.exact)

    def unary(self, op, a, exact=True):
        return self.add(a.shape, a.dtype, f"{op} %{a.name} : {a.type}", exact and a.exact)

    def compare(self, predicate, a, b):
        op = "arith.cmpf" if is_float(a.dtype) else "arith.cmpi"
        return self.add(a.shape, "i1", f"{op} {predicate}, %{a.name}, %{b.name} : {a.type}")

    def select(self, mask, a, b):
        return self.add(a.shape, a.dtype, f"arith.select %{mask.name}, %{a.name}, %{b.name} : {mask.type}, {a.type}",
                        a.exact and b.exact)

    def cast(self, op, a, dtype):
        return self.add(a.shape, dtype, f"{op} %{a.name} : {a.type} to {tensor(a.shape, dtype)}", a.exact)

    def reduce(self, op, a, axes, start):
        shape = [n for i, n in enumerate(a.shape) if i not in axes]
        init = self.constant(shape, a.dtype, start)
        return self.add(shape, a.dtype, f"linalg.reduce {{ {op} }} ins(%{a.name} : {a.type}) "
                        f"outs(%{init.name} : {init.type}) dimensions = {list(axes)}", a.exact)

    def transpose(self, a, order):
        init = self.empty([a.shape[i] for i in order], a.dtype)
        return self.add(init.shape, a.dtype, f"linalg.transpose ins(%{a.name} : {a.type}) "
                        f"outs(%{init.name} : {init.type}) permutation = {list(order)}", a.exact)

    def broadcast(self, a, shape, axes):
        init = self.empty(shape, a.dtype)
        return self.add(shape, a.dtype, f"linalg.broadcast ins(%{a.name} : {a.type}) "
                        f"outs(%{init.name} : {init.type}) dimensions = {list(axes)}", a.exact)

    def slice(self, a, offsets, sizes, strides):
        return self.add(sizes, a.dtype, f"tensor.extract_slice %{a.name}{offsets} {list(sizes)} {strides} : "
                        f"{a.type} to {tensor(sizes, a.dtype)}", a.exact)

    def collapse(self, a):
        shape = [math.prod(a.shape)]
        group = list(range(len(a.shape)))
        return self.add(shape, a.dtype, f"tensor.collapse_shape %{a.name} [{group}] : {a.type} into "
                        f"{tensor(shape, a.dtype)}", a.exact)

    def expand(self, a, shape):
        return self.add(shape, a.dtype, f"tensor.expand_shape %{a.name} [{list(range(len(shape)))}] output_shape "
                        f"{list(shape)} : {a.type} into {tensor(shape, a.dtype)}", a.exact)


COMBINERS = {
    "i1": [("arith.ori", 0), ("arith.andi", 1), ("arith.xori", 0)],
    "int": [("arith.addi", 0), ("arith.maxsi", 0), ("arith.minui", 77), ("arith.xori", 5), ("arith.muli", 1)],
    "float": [("arith.addf", 0.0), ("arith.maximumf", -1.0), ("arith.minimumf", 1.0), ("arith.addf", 0.5)],
}


def combiners(dtype):
    return COMBINERS["i1" if dtype == "i1" else "float" if is_float(dtype) else "int"]


def axis_sets(rank):
    return [axes for n in range(1, rank + 1) for axes in itertools.combinations(range(rank), n)]


def shapes(rng, rank):
    while True:
        shape = [rng.choice(SIZES + [2, 5, 7, 64]) for _ in range(rank)]
        if math.prod(shape) <= MAX_ELEMENTS:
            return shape


def sweep_program(dtype, shape, index):
    """Every axis set of one shape, and an elementwise chain over it."""
    p = Program(f"sweep_{dtype}_{index}")
    a, b = p.input(shape, dtype), p.input(shape, dtype)
    twice = p.stage(lambda s, x, y: elementwise(s, x, y), a, b)
    p.outputs.append(twice)
    for i, axes in enumerate(axis_sets(len(shape)) or [()]):
        op, start = combiners(dtype)[(i + index) % len(combiners(dtype))]
        source = [twice, a][i % 2]
        if axes:
            p.outputs.append(p.stage(lambda s, x: s.reduce(op, x, axes, start), source))
    return p


def elementwise(s, x, y):
    if x.dtype == "i1":
        return s.binary("arith.xori", x, s.binary("arith.andi", y, x))
    if is_float(x.dtype):
        product = s.binary("arith.mulf", x, y)
        return s.binary("arith.subf", s.binary("arith.addf", product, x), s.binary("arith.maximumf", x, y))
    product = s.binary("arith.muli", x, y)
    return s.binary("arith.subi", s.binary("arith.addi", product, x), s.binary("arith.maxsi", x, y))


def sweep():
    """Every type in every rank and every odd size."""
    rng = random.Random(1)
    for number, dtype in enumerate(TYPES):
        chosen = [(), (SIZES[number % 8],), (SIZES[(number + 3) % 8],)]
        chosen += [tuple(shapes(rng, 2)), (3, SIZES[(number + 2) % 6]), (SIZES[(number + 1) % 6], 5)]
        chosen += [tuple(shapes(rng, 3)), (2, 255, 7)]
        for index, shape in enumerate(chosen):
            yield sweep_program(dtype, shape, index), rng.randint(0, 1 << 30)


# ----------------------------------------------------------- random programs


def random_op(rng, s, pool):
    """Adds one random operation on values of the pool."""
    a = rng.choice(pool)
    same = [v for v in pool if v.shape == a.shape and v.dtype == a.dtype]
    b = rng.choice(same)
    rank = len(a.shape)
    kind = rng.choice(["binary", "binary", "binary", "unary", "compare", "cast", "reduce", "transpose",
                       "broadcast", "slice", "collapse", "expand"])
    if kind == "binary":
        if a.dtype == "i1":
            return s.binary(rng.choice(["arith.andi", "arith.ori", "arith.xori"]), a, b)
        if is_float(a.dtype):
            op = rng.choice(["addf", "subf", "mulf", "minimumf", "maximumf", "divf"])
            if op == "divf":
                one = s.constant(a.shape, a.dtype, 1)
                return s.binary("arith.divf", a, s.binary("arith.addf", s.unary("math.absf", b), one), exact=False)
            return s.binary("arith." + op, a, b)
        op = rng.choice(["addi", "subi", "muli", "minsi", "maxsi", "minui", "maxui", "andi", "ori", "xori", "divui",
                         "remui", "divsi", "remsi", "shli", "shrsi", "shrui"])
        if op[:3] in ("div", "rem"):
            b = s.binary("arith.andi", b, s.constant(a.shape, a.dtype, 63))
            b = s.binary("arith.ori", b, s.constant(a.shape, a.dtype, 1))
        elif op[:2] == "sh":
            b = s.binary("arith.andi", b, s.constant(a.shape, a.dtype, 7))
        return s.binary("arith." + op, a, b)
    if kind == "unary" and is_float(a.dtype):
        op = rng.choice(["arith.negf", "math.absf", "math.floor", "math.sqrt", "math.exp"])
        if op in ("math.sqrt", "math.exp") and a.dtype == "f64":
            op = "math.absf"
        if op == "math.floor" and not a.exact:
            op = "math.absf"
        if op == "math.sqrt":
            return s.unary(op, s.unary("math.absf", a), exact=False)
        if op == "math.exp":
            return s.unary(op, s.unary("arith.negf", s.unary("math.absf", a)), exact=False)
        return s.unary(op, a)
    if kind == "compare" and a.exact and b.exact:
        predicate = rng.choice(["oge", "olt", "une"] if is_float(a.dtype) else ["eq", "ne", "slt", "sge", "ult", "uge"])
        mask = s.compare(predicate, a, b)
        return rng.choice([mask, s.select(mask, a, b)])
    if kind == "cast" and a.exact:
        return random_cast(rng, s, a)
    if kind == "reduce" and rank:
        op, start = rng.choice(combiners(a.dtype))
        return s.reduce(op, a, rng.choice(axis_sets(rank)), start)
    if kind == "transpose" and rank > 1:
        return s.transpose(a, rng.sample(range(rank), rank))
    if kind == "broadcast" and rank < 3:
        axis = rng.randint(0, rank)
        size = rng.choice([n for n in (1, 3, 8, 255) if n * math.prod(a.shape) <= MAX_ELEMENTS] or [1])
        return s.broadcast(a, a.shape[:axis] + (size,) + a.shape[axis:], [axis])
    if kind == "slice" and rank:
        strides = [rng.choice([1, 1, 2]) for _ in a.shape]
        sizes = [rng.randint(1, (n + t - 1) // t) for n, t in zip(a.shape, strides)]
        offsets = [rng.randint(0, n - (m - 1) * t - 1) for n, m, t in zip(a.shape, sizes, strides)]
        return s.slice(a, offsets, sizes, strides)
    if kind == "collapse" and rank > 1:
        return s.collapse(a)
    if kind == "expand" and rank == 1:
        factor = next((f for f in (5, 3, 2, 1) if a.shape[0] % f == 0))
        return s.expand(a, [factor, a.shape[0] // factor])
    op = "arith.xori" if not is_float(a.dtype) else "arith.subf"
    return s.binary(op, a, b)


def random_cast(rng, s, a):
    target = rng.choice([t for t in TYPES if t != a.dtype])
    if is_float(a.dtype) and is_float(target):
        return s.cast("arith.extf" if bits(target) > bits(a.dtype) else "arith.truncf", a, target)
    if is_float(a.dtype):
        # Only what every target holds; NaN becomes 0 in the comparison.
        zero, top = s.constant(a.shape, a.dtype, 0), s.constant(a.shape, a.dtype, 100)
        a = s.select(s.compare("ogt", a, zero), a, zero)
        a = s.select(s.compare("olt", a, top), a, top)
        target = rng.choice(["i8", "i16", "i32", "i64"])
        return s.cast(rng.choice(["arith.fptosi", "arith.fptoui"]), a, target)
    if is_float(target):
        if target == "f16" and bits(a.dtype) > 8:
            a = s.cast("arith.trunci", a, "i8")
        return s.cast("arith.uitofp" if a.dtype == "i1" else rng.choice(["arith.sitofp", "arith.uitofp"]), a, target)
    if bits(target) < bits(a.dtype):
        return s.cast("arith.trunci", a, target)
    return s.cast(rng.choice(["arith.extui", "arith.extsi"]), a, target)


def random_program(seed):
    rng = random.Random(seed)
    p = Program(f"random_{seed}")
    shape = shapes(rng, rng.randint(0, 3))
    dtype = rng.choice(TYPES)
    values = [p.input(shape, dtype), p.input(shape, dtype)]
    if rng.random() < 0.3:
        values.append(p.input(shape, rng.choice(TYPES)))
    for _ in range(rng.randint(2, 6)):
        operands = rng.sample(values, min(len(values), rng.randint(1, 3)))

        def build(s, *received):
            pool = list(received)
            for _ in range(rng.randint(1, 4)):
                pool.append(random_op(rng, s, pool))
            return pool[-1]

        values.append(p.stage(build, *operands))
    p.outputs = [v for v in p.messages[:-1] if rng.random() < 0.4][:6] + [p.messages[-1]]
    return p, seed


def state_program(seed):
    """Stages that load, store and pass on symbols and halves of them."""
    rng = random.Random(seed)
    p = Program(f"state_{seed}")
    p.iterations = rng.randint(1, 3)
    dtype = rng.choice(["i8", "i32", "i64", "f32"])
    half = 256 // max(1, bits(dtype) // 8)
    sizes = {"half": (half,), "whole": (2 * half,)}
    values = [p.input(sizes["half"], dtype), p.input(sizes["whole"], dtype)]
    for kind in rng.sample(["register", "register", "global", "global", "metric"], rng.randint(1, 3)):
        p.symbol(kind, sizes["whole"], dtype)

    def access(s, pool):
        symbol = rng.choice(p.symbols)
        place = rng.choice(["", "[0]", f"[{half}]"])
        shape = sizes["half" if place else "whole"]
        if rng.random() < 0.5:
            pool.append(s.add(shape, dtype, f"gpuvm.load @{symbol.name}{place} : {tensor(shape, dtype)}"))
            return
        value = rng.choice([v for v in pool if v.shape == shape] or [s.constant(shape, dtype, 3)])
        s.lines.append(f"gpuvm.store %{value.name}, @{symbol.name}{place} : {value.type}")

    for _ in range(rng.randint(2, 6)):

        def build(s, *received):
            pool = list(received)
            for _ in range(rng.randint(1, 4)):
                if not pool or rng.random() < 0.6:
                    access(s, pool)
                    continue
                a = rng.choice(pool)
                b = rng.choice([v for v in pool if v.shape == a.shape])
                op = rng.choice(["addf", "subf", "maximumf"] if is_float(dtype) else ["addi", "subi", "xori"])
                pool.append(s.binary("arith." + op, a, b))
            return rng.choice(pool) if pool and rng.random() < 0.7 else None

        sent = p.stage(build, *rng.sample(values, min(len(values), rng.randint(0, 3))))
        if sent:
            values.append(sent)
    p.outputs = [v for v in p.messages if rng.random() < 0.5]
    return p, seed


# ------------------------------------------------------------------- running


class Mismatch(Exception):
    pass


def call(command, env=None):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                            env={**os.environ, **(env or {})})
    if result.returncode != 0:
        raise Mismatch(f"exit code {result.returncode}: {' '.join(command)}\n{result.stdout[-2000:]}")


def compare(value, expected, actual, where):
    if expected == actual:
        return
    size = struct.calcsize("<" + FORMAT[value.dtype])
    unpack = lambda data: struct.unpack(f"<{len(data) // size}{FORMAT[value.dtype]}", data)
    if len(expected) != len(actual):
        raise Mismatch(f"{where}: {len(actual)} bytes, expected {len(expected)}")
    tolerance = 2e-3 if value.dtype == "f16" else 1e-5
    for i, (e, a) in enumerate(zip(unpack(expected), unpack(actual))):
        if struct.pack(FORMAT[value.dtype], e) == struct.pack(FORMAT[value.dtype], a) or (e != e and a != a):
            continue
        if not value.exact and is_float(value.dtype) and abs(e - a) <= tolerance * max(1, abs(e)):
            continue
        raise Mismatch(f"{where}: element {i} of {value.type} is {a!r}, expected {e!r}")


def run_case(folder, program, seed, widths):
    base = os.path.join(folder, program.name)
    os.makedirs(base, exist_ok=True)
    path = lambda name: os.path.join(base, name)
    with open(path("program.mlir"), "w") as file:
        file.write(program.text())
    rng = random.Random(seed)
    inputs = []
    for value in program.inputs:
        write_npy(path(value.name + ".npy"), value.shape, value.dtype,
                  random_values(rng, math.prod(value.shape), value.dtype))
        inputs.append(f"--input={value.name}=@{path(value.name + '.npy')}")

    results = [(f"o{i}", value) for i, value in enumerate(program.outputs)]
    results += [(value.name, value) for value in program.symbols]

    def outputs(tag):
        return ([f"--iterations={program.iterations}"] +
                [f"--output={name}=@{path(f'{tag}-{name}.npy')}" for name, _ in results])

    try:
        call(["gpuvm-interpret", path("program.mlir")] + inputs + outputs("reference"))
        for tag, options in (("fused", []), ("unfused", ["--disable-fusion"])):
            plan = path(tag + ".gvplan")
            call(["gpuvm-compile", path("program.mlir"), "-o", plan] + options)
            for width in [None] + (widths if tag == "fused" else []):
                where = tag + (f"-{width}" if width else "")
                environment = {"LP_NATIVE_VECTOR_WIDTH": width} if width else None
                call(["gpuvm-run", plan, "--validate"] + inputs + outputs(where), environment)
                for name, value in results:
                    compare(value, read_npy(path(f"reference-{name}.npy"), value.dtype),
                            read_npy(path(f"{where}-{name}.npy"), value.dtype), f"{name} {where}")
    except (Mismatch, subprocess.TimeoutExpired) as failure:
        return f"{program.name}: {failure}"
    for name in os.listdir(base):
        os.remove(path(name))
    os.rmdir(base)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seeds", default="0:0")
    parser.add_argument("--state", default="0:0")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--widths", default="")
    arguments = parser.parse_args()
    between = lambda text: range(*map(int, text.split(":")))
    widths = [w for w in arguments.widths.split(",") if w]
    cases = list(sweep()) if arguments.sweep else []
    cases += [random_program(seed) for seed in between(arguments.seeds)]
    cases += [state_program(seed) for seed in between(arguments.state)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [f for f in pool.map(lambda case: run_case(arguments.folder, *case, widths), cases) if f]
    for failure in failures:
        print(failure)
    print(f"{len(cases)} cases, {len(failures)} failed")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
