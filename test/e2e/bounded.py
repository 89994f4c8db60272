"""Random programs on rows whose number only the device knows, against Python lists.

    bounded.py FOLDER FIRST LAST

runs the programs with these numbers and those between, on the device and in the interpreter.
A program is a chain of stages that hand on one column, each with one to three steps; half of them
take the rows as an input with a bound, the others take all rows and a count. What
comes out, and what steps count on the way, must be what Python makes of the rows that are
there. Where rows are more than there is room for, both must say so with both numbers. Exits
1 if not.
"""

import bisect
import os
import random
import subprocess
import sys

from differential import call, read_npy, write_npy
from program_text import unpack

ROW = "affine_map<(i) -> (i)>"


def wrap(number):
    return (number + 2**31) % 2**32 - 2**31


def rows(bound, dtype="i32"):
    return f"tensor<?x{dtype}, #gpuvm.bound<{bound}>>"


class Column:
    def __init__(self, name, bound, values):
        self.name, self.bound, self.values = name, bound, values

    @property
    def type(self):
        return rows(self.bound)

    @property
    def all(self):
        return f"tensor<{self.bound}xi32>"


class Chain:
    """The text of a program and what it should put out."""

    def __init__(self, rng, values, is_given):
        self.rng, self.values = rng, values
        self.is_given = is_given  # The host gives the rows that there are.
        self.lines, self.outputs, self.stages, self.names = [], {}, 0, 0
        self.excess = []  # What is to be said where rows are more than there is room for.

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def line(self, text):
        self.lines.append("    " + text)

    def each(self, column, body, result="i32"):
        """One element for each row by `body` of %x, the row's element, and %i, its number."""
        made = self.name()
        to, out = rows(column.bound, result), column.name
        if result != "i32":
            empty, out = self.name(), self.name()
            self.line(f"{empty} = tensor.empty() : tensor<{column.bound}x{result}>")
            self.line(f"{out} = gpuvm.bounded {empty}[{self.count(column)}] : tensor<{column.bound}x{result}> -> {to}")
        self.line(f"{made} = linalg.generic {{indexing_maps = [{ROW}, {ROW}], iterator_types = [\"parallel\"]}}")
        self.line(f"    ins({column.name} : {column.type}) outs({out} : {to}) {{")
        self.line(f"^bb0(%x: i32, %o: {result}):")
        for text in ["%at = linalg.index 0 : index", "%i = arith.index_cast %at : index to i32", *body]:
            self.line("  " + text)
        self.line(f"}} -> {to}")
        return made

    def count(self, column):
        count = self.name()
        self.line(f"{count} = gpuvm.count {column.name} : {column.type}")
        return count

    def bounded(self, name, count, bound, values):
        if len(values) > bound:
            self.excess.append(f"is {len(values)}, but there is room for {bound} only")
        made = Column(self.name(), bound, values[:bound])
        self.line(f"{made.name} = gpuvm.bounded {name}[{count}] : {made.all} -> {made.type}")
        return made

    def send(self, name, kind, values):
        """An output of the program, from the stage that is being written."""
        self.sent.append((f"o{len(self.outputs)}", name, kind))
        self.outputs[self.sent[-1][0]] = values

    # Steps: each makes a column of one.

    def arithmetic(self, c):
        factor = self.rng.choice([1, 3, -5])
        made = self.each(c, [f"%f = arith.constant {factor} : i32", "%y = arith.muli %x, %f : i32",
                             "%z = arith.addi %y, %i : i32", "linalg.yield %z : i32"])
        return Column(made, c.bound, [wrap(x * factor + i) for i, x in enumerate(c.values)])

    def divide(self, c):
        """Not by zero where there are rows: the number of the row and one."""
        made = self.each(c, ["%one = arith.constant 1 : i32", "%by = arith.addi %i, %one : i32",
                             "%z = arith.divui %x, %by : i32", "linalg.yield %z : i32"])
        return Column(made, c.bound, [wrap(x % 2**32 // (i + 1)) for i, x in enumerate(c.values)])

    def keep(self, c):
        mask, wanted = self.rng.choice([(1, 1), (3, 2), (7, 7), (0, 0), (0, 1)])
        flags = self.each(c, [f"%m = arith.constant {mask} : i32", f"%w = arith.constant {wanted} : i32",
                              "%y = arith.andi %x, %m : i32", "%z = arith.cmpi eq, %y, %w : i32",
                              "linalg.yield %z : i1"], "i1")
        values, count = self.name(), self.name()
        self.line(f"{values}, {count} = gpuvm.compact {c.name} where {flags} : ({c.type}, {rows(c.bound, 'i1')}) "
                  f"-> ({c.all}, tensor<i32>)")
        return self.bounded(values, count, c.bound, [x for x in c.values if x & mask == wanted])

    def sort(self, c):
        way = self.rng.choice(["", " descending", " unsigned"])
        key = (lambda x: x % 2**32) if way == " unsigned" else (lambda x: -x) if way else (lambda x: x)
        order = sorted(range(len(c.values)), key=lambda i: key(c.values[i]))
        made, numbers = self.name(), self.name()
        self.line(f"{made}, {numbers} = gpuvm.sort {c.name}{way} numbers : {c.type}")
        if self.rng.random() < 0.5:
            return Column(numbers, c.bound, order)
        again = self.name()
        self.line(f"{again} = gpuvm.gather {c.name}[{numbers}] : {c.type}, {c.type} -> {c.type}")
        return Column(again, c.bound, [c.values[i] for i in order])

    def scan(self, c):
        made, total, sums = self.name(), 0, []
        self.line(f"{made} = gpuvm.scan {c.name} dimension 0 : ({c.type}) -> {c.type} {{")
        self.line("^bb0(%p: i32, %q: i32):")
        self.line("  %s = arith.addi %p, %q : i32")
        self.line("  gpuvm.yield %s : i32")
        self.line("}")
        for x in c.values:
            total = wrap(total + x)
            sums.append(total)
        return Column(made, c.bound, sums)

    def top(self, c):
        most = self.rng.randint(1, min(c.bound, 40))
        way = self.rng.choice(["", " smallest"])
        order = sorted(range(len(c.values)), key=lambda i: c.values[i] if way else -c.values[i])[:most]
        values, numbers = self.name(), self.name()
        self.line(f"{values}, {numbers} = gpuvm.top_k {c.name}{way} : {c.type} -> {rows(most)}, {rows(most)}")
        self.send(numbers, rows(most), order)
        return Column(values, most, [c.values[i] for i in order])

    def distinct(self, c):
        numbers, first, count = self.name(), self.name(), self.name()
        keys = sorted(set(c.values))
        self.line(f"{numbers}, {first}, {count} = gpuvm.distinct {c.name} : {c.type} -> {c.type}, {c.all}")
        self.send(numbers, c.type, [keys.index(x) for x in c.values])
        found = self.bounded(first, count, c.bound, [c.values.index(key) for key in keys])
        made = self.name()
        self.line(f"{made} = gpuvm.gather {c.name}[{found.name}] : {c.type}, {found.type} -> {found.type}")
        return Column(made, c.bound, keys)

    def match(self, c):
        """In what is kept of the same."""
        table = self.keep(c)
        first, counts, order = self.name(), self.name(), self.name()
        self.line(f"{first}, {counts}, {order} = gpuvm.match {c.name} in {table.name} : ({c.type}), ({table.type}) "
                  f"-> {c.type}, {c.type}, {table.all}")
        return Column(counts, c.bound, [table.values.count(x) for x in c.values])

    def search(self, c):
        table, ranks = self.name(), self.name()
        right = self.rng.choice(["", " right"])
        self.line(f"{table} = gpuvm.sort {c.name} : {c.type}")
        self.line(f"{ranks} = gpuvm.search_sorted {table}, {c.name}{right} : {c.type}, {c.type} -> {c.type}")
        find = bisect.bisect_right if right else bisect.bisect_left
        ordered = sorted(c.values)
        return Column(ranks, c.bound, [find(ordered, x) for x in c.values])

    def expand(self, c):
        """Up to three times each; now and then there is no room for them."""
        times = [x & 3 for x in c.values]
        room = max(1, sum(times) // 2) if self.rng.random() < 0.4 else 3 * c.bound
        counts = self.each(c, ["%m = arith.constant 3 : i32", "%y = arith.andi %x, %m : i32", "linalg.yield %y : i32"])
        of, ordinals, total = self.name(), self.name(), self.name()
        self.line(f"{of}, {ordinals}, {total} = gpuvm.expand {counts} : {c.type} -> tensor<{room}xi32>, tensor<{room}xi32>")
        self.send(total, "tensor<i32>", [sum(times)])
        return self.bounded(of, total, room, [i for i, n in enumerate(times) for _ in range(n)])

    def histogram(self, c):
        bins = self.each(c, ["%m = arith.constant 15 : i32", "%y = arith.andi %x, %m : i32", "linalg.yield %y : i32"])
        ones = self.each(c, ["%one = arith.constant 1 : i32", "linalg.yield %one : i32"])
        zeros, made = self.name(), self.name()
        self.line(f"{zeros} = arith.constant dense<0> : tensor<16xi32>")
        self.line(f"{made} = gpuvm.scatter add {ones} at {bins} into {zeros} : ({c.type}, {c.type}, tensor<16xi32>) "
                  "-> tensor<16xi32>")
        self.send(made, "tensor<16xi32>", [sum(x & 15 == i for x in c.values) for i in range(16)])
        return c

    def reduce(self, c):
        start, op, value = self.rng.choice([("0", "addi", sum), ("-2147483648", "maxsi", max), ("-1", "andi", None)])
        zero, made, result = self.name(), self.name(), int(start)
        self.line(f"{zero} = arith.constant dense<{start}> : tensor<i32>")
        self.line(f"{made} = linalg.reduce {{ arith.{op} }} ins({c.name} : {c.type}) outs({zero} : tensor<i32>) "
                  "dimensions = [0]")
        for x in c.values:
            result = result & x if value is None else wrap(value([result, x]))
        self.send(made, "tensor<i32>", [result])
        return c

    def segments(self, c):
        ends = sorted(self.rng.randint(0, c.bound) for _ in range(4))
        offsets, zero, made = self.name(), self.name(), self.name()
        self.line(f"{offsets} = arith.constant dense<{ends}> : tensor<4xi32>")
        self.line(f"{zero} = arith.constant dense<0> : tensor<i32>")
        self.line(f"{made} = gpuvm.segment_reduce {c.name} by {offsets} from {zero} "
                  f": ({c.type}, tensor<4xi32>, tensor<i32>) -> tensor<3xi32> {{")
        self.line("^bb0(%p: i32, %q: i32):")
        self.line("  %s = arith.addi %p, %q : i32")
        self.line("  gpuvm.yield %s : i32")
        self.line("}")
        self.send(made, "tensor<3xi32>", [wrap(sum(c.values[a:b])) for a, b in zip(ends, ends[1:])])
        return c

    STEPS = (arithmetic, divide, keep, sort, scan, top, distinct, match, search, expand, histogram, reduce, segments)

    def stage(self, before, steps):
        """The stage's text; what it sends on."""
        body, self.lines, self.sent = self.lines, [], []
        column = before and Column("%given", before.bound, before.values)
        for step in steps:
            if column is None:
                column = self.start()
            elif column.bound <= 6000 or step is not Chain.expand:
                column = step(self, column)
        results = [(column.name, column.type), *((name, kind) for _, name, kind in self.sent)]
        takes = f"%given = {before.name} : !gpuvm.message<{before.type}>" if before else \
            f"%all = %in : {rows(len(self.values))}" if self.is_given else \
            f"%all = %in : tensor<{len(self.values)}xi32>, %there = %count : tensor<i32>"
        kinds = ", ".join(kind for _, kind in results)
        made = Column(f"%s{self.stages}#0", column.bound, column.values)
        self.returned += [(key, f"%s{self.stages}#{i + 1}", kind) for i, (key, _, kind) in enumerate(self.sent)]
        self.lines = [*body, f"  %s{self.stages}:{len(results)} = gpuvm.stage @s{self.stages}({takes}) -> ({kinds}) {{",
                      *self.lines, f"    gpuvm.send {', '.join(name for name, _ in results)} : {kinds}", "  }"]
        self.stages += 1
        return made

    def start(self):
        if self.is_given:
            return Column("%all", len(self.values), self.values[:self.there])
        return self.bounded("%all", "%there", len(self.values), self.values[:self.there])

    def build(self, there):
        self.there, self.returned = there, []
        column = None
        for number in range(self.rng.randint(2, 4)):
            steps = [self.rng.choice(self.STEPS) for _ in range(self.rng.randint(1, 3))]
            column = self.stage(column, steps if number else [Chain.keep, *steps])
        self.outputs["last"] = column.values
        self.returned.append(("last", column.name, column.type))
        names = ", ".join(f"{key}: {kind}" for key, _, kind in self.returned)
        kinds = ", ".join(f"!gpuvm.message<{kind}>" for _, _, kind in self.returned)
        takes = rows(len(self.values)) if self.is_given else f"tensor<{len(self.values)}xi32>, %count: tensor<i32>"
        return "\n".join([f"gpuvm.program @chain(%in: {takes}) -> ({names}) {{",
                          *self.lines, f"  gpuvm.return {', '.join(name for _, name, _ in self.returned)} : {kinds}",
                          "}"]) + "\n"


def made(seed):
    """(program, inputs, outputs or the numbers of an excess)"""
    rng = random.Random(seed)
    length = rng.choice([1, 2, 7, 100, 1000, 5000])
    high = rng.choice([4, 100, 2**31])
    values = [rng.randrange(-high, high) for _ in range(length)]
    there = rng.choice([0, 1, length // 2, length, length])
    chain = Chain(rng, values, bool(seed & 1))
    return chain, values, there


def check(seed, folder):
    path = lambda name: os.path.join(folder, name)
    chain, values, there = made(seed)
    source, plan = path(f"{seed}.mlir"), path(f"{seed}.gvplan")
    with open(source, "w") as file:
        file.write(chain.build(there))
    given = values[:there] if chain.is_given else values
    write_npy(path("in.npy"), (len(given),), "i32", given)
    call(["gpuvm-compile", source, "-o", plan])
    for program in (["gpuvm-run", plan, "--validate"], ["gpuvm-interpret", source]):
        command = [*program, f"--input=in=@{path('in.npy')}", *([] if chain.is_given else [f"--input=count=i32={there}"]),
                   *(f"--output={name}=@{path(name)}.npy" for name in chain.outputs)]
        if chain.excess:
            refused = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if refused.returncode == 0 or not any(text in refused.stdout for text in chain.excess):
                sys.exit(f"bounded.py: {source}: {program[0]} does not say that {chain.excess[0]}: {refused.stdout}")
            continue
        call(command)
        for name, wanted in chain.outputs.items():
            got = list(unpack("i32", read_npy(path(f"{name}.npy"), "i32")))
            if got != wanted:
                sys.exit(f"bounded.py: {source}: {program[0]} has {got[:20]}... for {name}, not {wanted[:20]}...")
    return f"{there} of {len(values)} rows, {chain.stages} stages, {len(chain.outputs)} outputs, " \
           f"{len(chain.excess)} times no room"


def main():
    folder, first, last = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for seed in range(int(first), int(last) + 1):
        print(seed, check(seed, folder), flush=True)


if __name__ == "__main__":
    main()
