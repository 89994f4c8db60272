"""The text of a program, built stage by stage, and the element types in it."""

import math
import struct

TYPES = ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"]
NUMPY = {"i1": "|b1", "i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
         "f16": "<f2", "bf16": "<V2", "f32": "<f4", "f64": "<f8"}
FORMAT = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "bf16": "H", "f32": "f", "f64": "d"}


def is_float(dtype):
    return dtype.startswith(("f", "bf"))


def bits(dtype):
    return int(dtype.lstrip("ibf"))


def to_brain(number):
    """The bits of a number as bf16, rounded to nearest even."""
    word = struct.unpack("<I", struct.pack("<f", number))[0]
    return word >> 16 | 0x40 if number != number else word + 0x7fff + (word >> 16 & 1) >> 16


def pack(dtype, values):
    if dtype == "bf16":
        values = [to_brain(v) for v in values]
    return struct.pack(f"<{len(values)}{FORMAT[dtype]}", *values)


def unpack(dtype, data):
    values = struct.unpack(f"<{len(data) * 8 // max(8, bits(dtype))}{FORMAT[dtype]}", data)
    if dtype == "bf16":
        return struct.unpack(f"<{len(values)}f", struct.pack(f"<{len(values)}I", *(v << 16 for v in values)))
    return values


def tensor(shape, dtype):
    return "tensor<" + "".join(f"{n}x" for n in shape) + dtype + ">"


class Value:
    """A tensor of the program: name inside its stage, shape, type, exactness."""

    def __init__(self, name, shape, dtype, exact=True):
        self.name, self.shape, self.dtype, self.exact = name, tuple(shape), dtype, exact
        self.fill = None  # Of an input: what kind of numbers it gets (differential.py), if not the program's.

    @property
    def type(self):
        return tensor(self.shape, self.dtype)


class Inner:
    """The stages of a repeat, numbered behind those outside."""

    def __init__(self, outside):
        self.outside, self.own = outside, []

    def __len__(self):
        return 100 * (len(self.outside) + 1) + len(self.own)

    def append(self, text):
        self.own.append(text)


class Program:
    """Text of a program, stage by stage; every stage sends one message.

    It is run `iterations` times, with --exact if `exact`, and on infinities, NaNs and
    zeros, too, if `special`; on few different numbers if `few`, on numbers of every magnitude if `wide`.
    `variants` are further ways to compile it: options by name."""

    def __init__(self, name):
        self.name, self.exact, self.special, self.few, self.wide = name, False, False, False, False
        self.sums = False  # Devices may round the sums in it differently.
        self.inputs, self.messages, self.outputs = [], [], []
        self.stages, self.symbols, self.iterations = [], [], 1
        self.ranks, self.exchanged = 0, []  # How many ranks run it, if it says so, and what they exchange.
        self.variants = {}

    def input(self, shape, dtype):
        value = Value(f"in{len(self.inputs)}", shape, dtype)
        self.inputs.append(value)
        return value

    def symbol(self, kind, shape, dtype):
        value = Value(f"sym{len(self.symbols)}", shape, dtype)
        value.kind = kind
        self.symbols.append(value)
        return value

    def kind(self, value):
        """The type of a value of the program: inputs and what is exchanged are tensors, all others messages."""
        return value.type if value in self.inputs or value in self.exchanged else f"!gpuvm.message<{value.type}>"

    def exchange(self, text, value, *shapes):
        """An exchange of `value`: its operation and operands, and in {} the types of both. The results, of these shapes, of
        which all but the first are i32."""
        name = f"e{len(self.exchanged)}"
        names = [f"{name}_{i}" for i in range(len(shapes))]
        results = [Value(own, shape, value.dtype if i == 0 else "i32", value.exact) for i, (own, shape) in enumerate(zip(names, shapes))]
        arrow = "" if "all_reduce" in text or "shift" in text else " -> " + ", ".join(result.type for result in results)
        self.stages.append(f"  {', '.join('%' + own for own in names)} = gpuvm.{text} : {self.kind(value)}{arrow}")
        self.exchanged += results
        return results if len(results) > 1 else results[0]

    def stage(self, build, *operands, instances=None, shared=(), when=None, otherwise=()):
        """build(stage, operand values) -> the value that is sent, or None; or a list of values, the fields of one
        message, and so is the result.

        With `instances` the body is for one of them, and operands in `shared` arrive whole. With `when` the stage runs
        if that message is true, and else sends the operands numbered `otherwise`."""
        stage = Stage(f"s{len(self.stages)}")
        local, signature = [], []
        for i, value in enumerate(operands):
            whole = instances is None or value in shared
            mark = "shared " if instances and whole else ""
            signature.append(f"%x{i} = {mark}%{value.name} : {self.kind(value)}")
            local.append(Value(f"x{i}", value.shape if whole else value.shape[1:], value.dtype, value.exact))
        sent = build(stage, *local)
        if sent is None:
            body = "\n".join("    " + line for line in stage.lines)
            self.stages.append(f"  gpuvm.stage @{stage.name}({', '.join(signature)}) {{\n{body}\n  }}")
            return None
        fields = list(sent) if isinstance(sent, (list, tuple)) else [sent]
        name = f"m{len(self.stages)}"
        results = [Value(f"{name}#{i}" if len(fields) > 1 else name, ((instances,) if instances else ()) + value.shape,
                         value.dtype, value.exact) for i, value in enumerate(fields)]
        types = ", ".join(value.type for value in results)
        count = f" instances({instances}) " if instances else ""
        if when:
            mark = "shared " if instances and when in shared else ""
            count += f" when({mark}%{when.name} : !gpuvm.message<{when.type}>) "
        other = [local[i] for i in otherwise]
        rest = (f" else {', '.join('%' + value.name for value in other)} : {', '.join(value.type for value in other)}"
                if other else "")
        body = "\n".join("    " + line for line in stage.lines)
        self.stages.append(
            f"  %{name}{f':{len(fields)}' if len(fields) > 1 else ''} = gpuvm.stage @{stage.name}{count}"
            f"({', '.join(signature)}) -> {f'({types})' if len(fields) > 1 else types} {{\n{body}\n    gpuvm.send "
            f"{', '.join('%' + value.name for value in fields)} : {', '.join(value.type for value in fields)}{rest}\n  }}")
        self.messages += results
        return results if isinstance(sent, (list, tuple)) else results[0]

    def repeat(self, times, initial, build, turn=False):
        """build(messages that are carried) -> what they are the next time, and a message that ends it, or None. The
        result is what they are when it is over. With `turn` the number of the time is the last of the messages."""
        outside, known = self.stages, list(self.messages)
        name = f"r{len(outside)}_{len(known)}"
        carried = [Value(f"{name}_{i}", value.shape, value.dtype, value.exact) for i, value in enumerate(initial)]
        kind = self.kind
        self.stages = Inner(outside)
        number = Value(f"{name}_turn", (), "i32", True)
        after, until = build(carried + [number] if turn else carried)
        body, self.stages, self.messages = "\n".join(self.stages.own), outside, known
        signature = ", ".join(f"%{c.name} = %{v.name} : {kind(v)}" for c, v in zip(carried, initial))
        text = (f"  %{name}:{len(initial)} = gpuvm.repeat @{name} up_to {times} {f'turn %{number.name} ' if turn else ''}({signature}) {{\n{body}\n    gpuvm.next "
                f"{', '.join('%' + v.name for v in after)} : {', '.join(kind(v) for v in after)}")
        if until:
            text += f" until %{until.name} : {kind(until)}"
        self.stages.append(text + "\n  }")
        results = [Value(f"{name}#{i}", value.shape, value.dtype, value.exact) for i, value in enumerate(initial)]
        self.messages += results
        return results

    @property
    def programs(self):
        return [self]

    @property
    def is_plain(self):
        """Whether it is one stage, which nothing can be fused with."""
        return len(self.stages) == 1 and "gpuvm.repeat" not in self.stages[0]

    def results(self):
        """(name, value) of each output."""
        return [(f"o{i}", value) for i, value in enumerate(self.outputs)]

    def body(self):
        return "".join(f"  gpuvm.{v.kind} @{v.name} : {v.type}\n" for v in self.symbols) + "\n".join(self.stages)

    def text(self):
        arguments = ", ".join(f"%{v.name}: {v.type}" for v in self.inputs)
        results = ", ".join(f"{name}: {v.type}" for name, v in self.results())
        names = ", ".join("%" + v.name for _, v in self.results())
        types = ", ".join(self.kind(v) for _, v in self.results())
        signature = f"({arguments})" + (f" -> ({results})" if results else "") + (f" ranks({self.ranks})" if self.ranks else "")
        returned = f" {names} : {types}" if results else ""
        return f"gpuvm.program @{self.name}{signature} {{\n{self.body()}\n  gpuvm.return{returned}\n}}\n"


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

    def fold(self, inputs, inits, axes, body, results, attrs=""):
        """A reduction over `axes` whose body is text: inputs are %e0, %e1, ..., accumulators %a0, %a1, ...; it yields
        `results`. Returns its values."""
        loops = [f"d{i}" for i in range(len(inputs[0].shape))]
        kept = [d for i, d in enumerate(loops) if i not in axes]
        maps = [f"affine_map<({', '.join(loops)}) -> ({', '.join(dims)})>"
                for dims in [loops] * len(inputs) + [kept] * len(inits)]
        kinds = ["reduction" if i in axes else "parallel" for i in range(len(loops))]
        arguments = [f"%e{i}: {v.dtype}" for i, v in enumerate(inputs)] + [f"%a{i}: {v.dtype}" for i, v in enumerate(inits)]
        listed = lambda values: (", ".join(f"%{v.name}" for v in values) + " : " + ", ".join(v.type for v in values))
        self.count += 1
        name = f"v{self.count}"
        self.lines.append(
            f"%{name}:{len(inits)} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = {str(kinds).replace(chr(39), chr(34))}}} ins({listed(inputs)}) outs({listed(inits)}) "
            f"{'attrs = {' + attrs + '} ' if attrs else ''}{{\n^bb0({', '.join(arguments)}):\n{body}\n"
            f"linalg.yield {', '.join(results)} : {', '.join(v.dtype for v in inits)}\n}} -> "
            f"({', '.join(v.type for v in inits)})")
        exact = all(v.exact for v in [*inputs, *inits])
        return [Value(f"{name}#{i}", v.shape, v.dtype, exact) for i, v in enumerate(inits)]

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

    def concat(self, a, b, axis):
        shape = [n + (b.shape[i] if i == axis else 0) for i, n in enumerate(a.shape)]
        return self.add(shape, a.dtype, f"tensor.concat dim({axis}) %{a.name}, %{b.name} : ({a.type}, {b.type}) -> "
                        f"{tensor(shape, a.dtype)}", a.exact and b.exact)

    def pad(self, a, low, high, number):
        shape = [n + p + q for n, p, q in zip(a.shape, low, high)]
        self.count += 1
        text = ("true" if number else "false") if a.dtype == "i1" else f"{float(number)!r} : {a.dtype}" if is_float(
            a.dtype) else f"{number} : {a.dtype}"
        self.lines.append(f"%p{self.count} = arith.constant {text}")
        indices = ", ".join(f"%i{i}: index" for i in range(len(shape)))
        return self.add(shape, a.dtype, f"tensor.pad %{a.name} low{list(low)} high{list(high)} {{\n^bb0({indices}):\n"
                        f"tensor.yield %p{self.count} : {a.dtype}\n}} : {a.type} to {tensor(shape, a.dtype)}", a.exact)

    def insert(self, a, b, offsets, strides):
        return self.add(b.shape, a.dtype, f"tensor.insert_slice %{a.name} into %{b.name}{list(offsets)} "
                        f"{list(a.shape)} {list(strides)} : {a.type} into {b.type}", a.exact and b.exact)

    def iota(self, shape, dtype):
        """1000000 d0 + 1000 d1 + d2, by tensor.generate."""
        indices = [f"%j{i}" for i in range(len(shape))]
        lines = []
        total = None
        for i, index in enumerate(indices):
            lines += [f"%k{i} = arith.index_cast {index} : index to i32",
                      f"%f{i} = arith.constant {1000 ** (2 - i)} : i32", f"%g{i} = arith.muli %k{i}, %f{i} : i32"]
            lines += [f"%h{i} = arith.addi {total}, %g{i} : i32"] if total else []
            total = f"%h{i}" if total else "%g0"
        if dtype != "i32":
            lines.append(f"%y = arith.sitofp {total} : i32 to {dtype}")
            total = "%y"
        body = "\n".join(lines + [f"tensor.yield {total} : {dtype}"])
        return self.add(shape, dtype, f"tensor.generate {{\n^bb0({', '.join(f'{i}: index' for i in indices)}):\n{body}\n"
                        f"}} : {tensor(shape, dtype)}")

    def collapse(self, a):
        shape = [math.prod(a.shape)]
        group = list(range(len(a.shape)))
        return self.add(shape, a.dtype, f"tensor.collapse_shape %{a.name} [{group}] : {a.type} into "
                        f"{tensor(shape, a.dtype)}", a.exact)

    def expand(self, a, shape):
        return self.add(shape, a.dtype, f"tensor.expand_shape %{a.name} [{list(range(len(shape)))}] output_shape "
                        f"{list(shape)} : {a.type} into {tensor(shape, a.dtype)}", a.exact)
