"""Programs whose inputs and outputs have shardings, against the interpreter, which runs them on whole tensors.

    sharded.py FOLDER [--seeds FIRST:LAST] [--device] [--kinds KIND,...]

Programs of 1 to 4 ranks are drawn from seeds: own ones, or with --kinds those of differential.py, with shardings wherever a dimension has as many
blocks as there are ranks. The program of one rank that gpuvm-partition makes is interpreted by all of them, and must give the same bits. With
--device the program is compiled and run by so many processes, too. Exits 1 and leaves program and data in FOLDER if anything differs.
"""

import argparse
import itertools
import os
import random
import shutil
import sys

import numpy

import differential
import mpirun
import programs
import programs_repeat
from program_text import NUMPY, Program, tensor


def signature_with(program, ranks, axes):
    """The text of a program with `axes` of inputs and outputs by name."""
    mark = lambda name: f" {{gpuvm.sharding = #gpuvm.sharding<{axes[name]}>}}" if name in axes else ""
    text = program.text()
    start, end = text.index("("), text.index(" {\n")
    inputs = ", ".join(f"%{v.name}: {v.type}{mark(v.name)}" for v in program.inputs)
    outputs = ", ".join(f"{name}: {v.type}{mark(name)}" for name, v in program.results())
    return f"{text[:start]}({inputs}) -> ({outputs}) ranks({ranks}){text[end:]}"


class Blocks:
    """A random program on matrices of i32 and f32 whose dimensions are multiples of the ranks."""

    def __init__(self, seed):
        self.rng = random.Random(f"sharded {seed}")
        self.ranks = self.rng.choice([1, 2, 2, 3, 3, 4])
        self.p = Program(f"sharded_{seed}")
        self.shape = (self.ranks * self.rng.choice([1, 2, 5, 16]), self.ranks * self.rng.choice([1, 3, 8, 33]))
        self.kinds = [self.map, self.map, self.scale, self.rows, self.columns, self.total, self.product, self.number, self.sort, self.places, self.transposed,
                      self.sums, self.moved, self.flat, self.running, self.reversed, self.around, self.around, self.rolled, self.window, self.near,
                      self.near, self.put, self.running, self.pairs, self.scattered, self.counted, self.picked, self.searched, self.matched,
                      self.largest, self.sorted_rows]

    def matrix(self, values):
        return self.rng.choice([v for v in values if v.shape == self.shape])

    def step(self, values):
        return self.rng.choice(self.kinds)(values)

    def map(self, values):
        op = self.rng.choice(["arith.addi", "arith.muli", "arith.xori", "arith.minsi"])
        return self.p.stage(lambda s, a, b: s.binary(op, a, b), self.matrix(values), self.matrix(values))

    def scale(self, values):
        return self.p.stage(lambda s, a: s.binary("arith.muli", a, s.constant(a.shape, "i32", 3)), self.matrix(values))

    def reduced(self, s, a, axis):
        op, start = self.rng.choice([("arith.addi", 0), ("arith.addi", 5), ("arith.maxsi", -7), ("arith.xori", 3), ("arith.andi", -1)])
        return s.broadcast(s.reduce(op, a, [axis], start), a.shape, [axis])

    def rows(self, values):
        return self.p.stage(lambda s, a: s.binary("arith.addi", a, self.reduced(s, a, 1)), self.matrix(values))

    def columns(self, values):
        return self.p.stage(lambda s, a: s.binary("arith.xori", a, self.reduced(s, a, 0)), self.matrix(values))

    def total(self, values):
        return self.p.stage(lambda s, a: s.binary("arith.addi", a, s.broadcast(s.reduce("arith.addi", a, [0, 1], 1), a.shape, [0, 1])),
                            self.matrix(values))

    def product(self, values):
        """a (b^T c)."""
        def build(s, a, b, c):
            square = (b.shape[1], c.shape[1])
            first = s.add(square, "i32", f"linalg.matmul ins(%{s.transpose(b, [1, 0]).name}, %{c.name} : {tensor(b.shape[::-1], 'i32')}, {c.type}) "
                          f"outs(%{s.constant(square, 'i32', 0).name} : {tensor(square, 'i32')}) -> {tensor(square, 'i32')}")
            return s.add(a.shape, "i32", f"linalg.matmul ins(%{a.name}, %{first.name} : {a.type}, {first.type}) "
                         f"outs(%{s.constant(a.shape, 'i32', 2).name} : {a.type}) -> {a.type}")
        return self.p.stage(build, self.matrix(values), self.matrix(values), self.matrix(values))

    def number(self, values):
        """Elements and their places."""
        return self.p.stage(lambda s, a: s.binary("arith.addi", a, s.iota(a.shape, "i32")), self.matrix(values))

    def sort(self, values):
        return self.p.stage(lambda s, a: s.add(a.shape, "i32", f"gpuvm.sort %{a.name}{self.rng.choice(['', ' descending', ' unsigned'])} : {a.type}"),
                            self.matrix(values))

    def places(self, values):
        """Keys with many equal ones, what moves with them, and where all were; of rows or of all elements."""
        def build(s, a, b):
            if self.rng.random() < 0.5:
                count = a.shape[0] * a.shape[1]
                a, b = (s.add((count,), "i32", f"tensor.collapse_shape %{x.name} [[0, 1]] : {x.type} into tensor<{count}xi32>") for x in (a, b))
            few = s.binary("arith.andi", a, s.constant(a.shape, "i32", 3))
            s.lines.append(f"%sorted:3 = gpuvm.sort %{few.name} payloads(%{b.name}) numbers : {a.type}, {b.type}")
            sums = [s.add(a.shape, "i32", f"arith.addi %sorted#{i}, %sorted#{j} : {a.type}") for i, j in ((0, 1), (1, 2))]
            both = s.binary("arith.xori", *sums)
            if len(both.shape) == 1:
                both = s.add(self.shape, "i32", f"tensor.expand_shape %{both.name} [[0, 1]] output_shape [{self.shape[0]}, {self.shape[1]}] : {both.type} into {tensor(self.shape, 'i32')}")
            return both
        return self.p.stage(build, self.matrix(values), self.matrix(values))

    def running(self, values):
        axis = self.rng.randrange(2)
        reverse = self.rng.choice(["", " reverse"])
        op = self.rng.choice(["arith.addi", "arith.maxsi", "arith.muli", "arith.xori"])

        def build(s, a):
            exclusive = self.rng.random() < 0.25
            start = s.constant((), "i32", 2)
            first = f" exclusive(%{start.name})" if exclusive else ""
            types = f"({a.type}, tensor<i32>)" if exclusive else f"({a.type})"
            s.lines.append("%around = arith.constant 3 : i32")
            more = "%u = arith.xori %t, %around : i32\n%y = arith.xori %u, %around : i32\n" if self.rng.random() < 0.3 else "%y = arith.ori %t, %t : i32\n"
            return s.add(a.shape, "i32", f"gpuvm.scan %{a.name} dimension {axis}{first}{reverse} : {types} -> {a.type} {{\n"
                         f"^bb0(%l: i32, %r: i32):\n%t = {op} %l, %r : i32\n{more}gpuvm.yield %y : i32\n}}")
        return self.p.stage(build, self.matrix(values))

    def pairs(self, values):
        """A scan of affine functions, which do not commute."""
        axis = self.rng.randrange(2)
        reverse = self.rng.choice(["", " reverse"])

        def build(s, a, b):
            name = s.fresh(a.shape, "i32").name
            s.lines.append(f"%{name}:2 = gpuvm.scan %{a.name}, %{b.name} dimension {axis}{reverse} : ({a.type}, {b.type}) -> ({a.type}, {b.type}) {{\n"
                           "^bb0(%f: i32, %g: i32, %h: i32, %k: i32):\n%m = arith.muli %f, %h : i32\n%n = arith.muli %g, %h : i32\n"
                           "%o = arith.addi %n, %k : i32\ngpuvm.yield %m, %o : i32, i32\n}")
            return s.add(a.shape, "i32", f"arith.xori %{name}#0, %{name}#1 : {a.type}")
        return self.p.stage(build, self.matrix(values), self.matrix(values))

    def numbers(self, s, a, most):
        """Elements as numbers of which some are just out of range."""
        rest = s.binary("arith.remui", a, s.constant(a.shape, "i32", most + 2))
        return s.binary("arith.subi", rest, s.constant(a.shape, "i32", 1))

    def scattered(self, values):
        def build(s, a, b):
            rule = self.rng.choice(["add", "min", "max", "minu", "maxu", "and", "or", "xor", "last"])
            groups = self.rng.choice([1, 4, 9])
            start = s.constant((groups,), "i32", self.rng.choice([0, 5]))
            sums = s.add((groups,), "i32", f"gpuvm.scatter {rule} %{a.name} at %{self.numbers(s, b, groups).name} into %{start.name} : "
                         f"({a.type}, {b.type}, {start.type}) -> {start.type}")
            whole = s.reduce("arith.addi", sums, [0], 0)
            return s.binary("arith.addi", a, s.broadcast(whole, a.shape, [0, 1]))
        return self.p.stage(build, self.matrix(values), self.matrix(values))

    def counted(self, values):
        def build(s, a, b):
            n = self.rng.choice([2, 5])
            counts = s.add((n, 3), "i32", f"gpuvm.histogram2d %{self.numbers(s, a, n).name}, %{self.numbers(s, b, 3).name} : {a.type} -> tensor<{n}x3xi32>")
            return s.binary("arith.xori", a, s.broadcast(s.reduce("arith.maxsi", counts, [0, 1], 0), a.shape, [0, 1]))
        return self.p.stage(build, self.matrix(values), self.matrix(values))

    def picked(self, values):
        """Rows of one matrix by numbers of another one, or elements of a column."""
        def build(s, a, b):
            if self.rng.random() < 0.5:
                column = s.reduce("arith.addi", b, [0], 1)
                return s.add(a.shape, "i32", f"gpuvm.gather %{column.name}[%{self.numbers(s, a, column.shape[0]).name}] : {column.type}, {a.type} -> {a.type}")
            rows = self.numbers(s, s.reduce("arith.maxsi", b, [1], -9), a.shape[0])
            return s.add(a.shape, "i32", f"gpuvm.gather %{a.name}[%{rows.name}] : {a.type}, {rows.type} -> {a.type}")
        return self.p.stage(build, self.matrix(values), self.matrix(values))

    def searched(self, values):
        def build(s, a, b):
            table = s.add((b.shape[0],), "i32", f"gpuvm.sort %{s.reduce('arith.addi', b, [1], 0).name} : tensor<{b.shape[0]}xi32>")
            return s.add(a.shape, "i32", f"gpuvm.search_sorted %{table.name}, %{a.name} : {table.type}, {a.type} -> {a.type}")
        return self.p.stage(build, self.matrix(values), self.matrix(values))

    def matched(self, values):
        def build(s, a, b):
            keys = s.binary("arith.remui", s.reduce("arith.addi", a, [1], 0), s.constant((a.shape[0],), "i32", 7))
            table = s.binary("arith.remui", s.reduce("arith.addi", b, [0], 0), s.constant((b.shape[1],), "i32", 7))
            name = s.fresh(keys.shape, "i32").name
            s.lines.append(f"%{name}:3 = gpuvm.match %{keys.name} in %{table.name} : ({keys.type}), ({table.type}) -> {keys.type}, {keys.type}, {table.type}")
            found = s.add(keys.shape, "i32", f"arith.addi %{name}#0, %{name}#1 : {keys.type}")
            order = s.add(table.shape, "i32", f"arith.addi %{name}#2, %{table.name} : {table.type}")
            return s.binary("arith.addi", s.broadcast(found, a.shape, [1]), s.broadcast(order, a.shape, [0]))
        return self.p.stage(build, self.matrix(values), self.matrix(values))

    def largest(self, values):
        def build(s, a):
            k = self.rng.randint(1, a.shape[1])
            name = s.fresh((a.shape[0], k), "i32").name
            kept = tensor((a.shape[0], k), "i32")
            s.lines.append(f"%{name}:2 = gpuvm.top_k %{a.name}{self.rng.choice(['', ' smallest'])} : {a.type} -> {kept}, {kept}")
            both = s.add((a.shape[0], k), "i32", f"arith.muli %{name}#0, %{name}#1 : {kept}")
            return s.binary("arith.addi", a, s.broadcast(s.reduce("arith.addi", both, [1], 0), a.shape, [1]))
        return self.p.stage(build, self.matrix(values))

    def sorted_rows(self, values):
        """With payloads and numbers."""
        def build(s, a, b):
            name = s.fresh(a.shape, "i32").name
            keys = s.binary("arith.remsi", a, s.constant(a.shape, "i32", 5))
            s.lines.append(f"%{name}:3 = gpuvm.sort %{keys.name} {self.rng.choice(['', 'descending '])}payloads(%{b.name}) numbers : {a.type}, {b.type}")
            both = s.add(a.shape, "i32", f"arith.addi %{name}#1, %{name}#2 : {a.type}")
            return s.add(a.shape, "i32", f"arith.xori %{name}#0, %{both.name} : {a.type}")
        return self.p.stage(build, self.matrix(values), self.matrix(values))

    def transposed(self, values):
        """Half of the matrix is turned, by way of a shape that is."""
        return self.p.stage(lambda s, a: s.transpose(s.unary("math.absi", s.transpose(a, [1, 0])), [1, 0]), self.matrix(values))

    def sums(self, values):
        """Of floats, which are rounded, or their maxima."""
        def build(s, a):
            f = s.cast("arith.sitofp", s.binary("arith.remsi", a, s.constant(a.shape, "i32", 1001)), "f32")
            f = s.binary("arith.divf", f, s.constant(a.shape, "f32", 7))
            axis = self.rng.randrange(2)
            f = s.broadcast(s.reduce(self.rng.choice(["arith.addf", "arith.maximumf"]), f, [axis], 0), a.shape, [axis])
            return s.cast("arith.bitcast", f, "i32")

        def claimed(s, a):
            """Sums that are exact in any order."""
            f = s.cast("arith.sitofp", s.binary("arith.remsi", a, s.constant(a.shape, "i32", 1001)), "f32")
            axis = self.rng.randrange(2)
            rest = a.shape[1 - axis]
            start = s.constant((rest,), "f32", self.rng.choice([0, 5]))
            total = s.add((rest,), "f32", f"linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d{1 - axis})>], "
                          f'iterator_types = [{", ".join(["reduction", "parallel"][i != axis].join(chr(34) * 2) for i in range(2))}]}} '
                          f"ins(%{f.name} : {f.type}) outs(%{start.name} : {start.type}) attrs = {{gpuvm.associative}} {{\n"
                          f"^bb0(%e: f32, %o: f32):\n%q = arith.addf %o, %e : f32\nlinalg.yield %q : f32\n}} -> {start.type}")
            return s.cast("arith.fptosi", s.broadcast(total, a.shape, [axis]), "i32")
        if self.rng.random() < 0.4:
            return self.p.stage(claimed, self.matrix(values))
        return self.p.stage(build, self.matrix(values))

    def moved(self, values):
        """Put together again along one axis, elsewhere."""
        axis = self.rng.randrange(2)

        def build(s, a):
            cut = self.rng.randrange(a.shape[axis] + 1) or 1
            rest = a.shape[axis] - cut
            if not rest:
                return a
            sizes = lambda n: [n if i == axis else m for i, m in enumerate(a.shape)]
            offsets = [cut if i == axis else 0 for i in range(2)]
            return s.concat(s.slice(a, offsets, sizes(rest), [1, 1]), s.slice(a, [0, 0], sizes(cut), [1, 1]), axis)
        return self.p.stage(build, self.matrix(values))

    def flat(self, values):
        return self.p.stage(lambda s, a: s.expand(s.unary("math.absi", s.collapse(a)), a.shape), self.matrix(values))

    def reversed(self, values):
        """By rows, as a table says."""
        def build(s, a):
            last = a.shape[0] - 1
            return s.add(a.shape, "i32", f"tensor.generate {{\n^bb0(%i: index, %j: index):\n%c = arith.constant {last} : index\n"
                         f"%k = arith.subi %c, %i : index\n%t = tensor.extract %{a.name}[%k, %j] : {a.type}\ntensor.yield %t : i32\n}} : {a.type}")
        return self.p.stage(build, self.matrix(values))

    def around(self, values):
        """Neighbours along one axis or both, behind a border of equal numbers."""
        def build(s, a):
            border = [self.rng.choice([0, 1, 1, 2]), self.rng.choice([0, 1, 1, 3])]
            after = [self.rng.choice([b, b, 0]) for b in border]
            shape = [n + b + c for n, b, c in zip(a.shape, border, after)]
            wide = s.pad(a, border, after, self.rng.choice([0, 0, 7]))
            total = a
            for _ in range(self.rng.randint(1, 3)):
                offsets = [self.rng.randint(0, n - m) for n, m in zip(shape, a.shape)]
                total = s.binary(self.rng.choice(["arith.addi", "arith.muli"]), total, s.slice(wide, offsets, list(a.shape), [1, 1]))
            return total
        return self.p.stage(build, self.matrix(values))

    def rolled(self, values):
        """What leaves at one end comes in at the other, as often as that is done."""
        def roll(s, a, axis, by):
            sizes = lambda n: [n if i == axis else m for i, m in enumerate(a.shape)]
            last = s.slice(a, [a.shape[axis] - by if i == axis else 0 for i in range(2)], sizes(by), [1, 1])
            return s.concat(last, s.slice(a, [0, 0], sizes(a.shape[axis] - by), [1, 1]), axis)

        def build(s, a):
            total = a
            for _ in range(self.rng.randint(1, 3)):
                axis = self.rng.randrange(2)
                if a.shape[axis] > 1:
                    far = self.rng.choice([1, 1, a.shape[axis] - 1, self.rng.randint(1, a.shape[axis] - 1)])
                    total = s.binary("arith.addi", roll(s, self.rng.choice([a, total]), axis, far), total)
            return total
        return self.p.stage(build, self.matrix(values))

    def put(self, values):
        """Some rows or columns of one matrix in another one."""
        axis = self.rng.randrange(2)

        def build(s, a, b):
            n = self.rng.randint(1, a.shape[axis])
            sizes = [n if i == axis else m for i, m in enumerate(a.shape)]
            place = lambda: [self.rng.randint(0, a.shape[axis] - n) if i == axis else 0 for i in range(2)]
            return s.insert(s.slice(a, place(), sizes, [1, 1]), b, place(), [1, 1])
        return self.p.stage(build, self.matrix(values), self.matrix(values))

    def window(self, values):
        """A convolution with dilated windows of a padded matrix."""
        def build(s, a):
            sizes, steps = [self.rng.choice([1, 2, 3]) for _ in range(2)], [self.rng.choice([1, 1, 2]) for _ in range(2)]
            more = [(n - 1) * m for n, m in zip(sizes, steps)]
            low = [self.rng.randint(0, n) for n in more]
            wide = s.pad(a, low, [n - l for n, l in zip(more, low)], self.rng.choice([0, 3]))
            taps = s.constant(sizes, "i32", 3)
            place = [f"d{i} + d{i + 2}" if m == 1 else f"d{i} + d{i + 2} * {m}" for i, m in enumerate(steps)]
            return s.add(a.shape, "i32", f"linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2, d3) -> ({place[0]}, {place[1]})>, "
                         "affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], "
                         'iterator_types = ["parallel", "parallel", "reduction", "reduction"]} '
                         f"ins(%{wide.name}, %{taps.name} : {wide.type}, {taps.type}) outs(%{s.constant(a.shape, 'i32', 1).name} : {a.type}) {{\n"
                         "^bb0(%e: i32, %t: i32, %o: i32):\n%m = arith.muli %e, %t : i32\n%q = arith.addi %o, %m : i32\nlinalg.yield %q : i32\n"
                         f"}} -> {a.type}")
        return self.p.stage(build, self.matrix(values))

    def near(self, values):
        """Rows and columns near the own ones, or at an end or the other one where there are none."""
        def build(s, a):
            lines = []

            def index(axis, k):
                n = a.shape[axis]
                far = self.rng.choice([0, 1, 1, 2]) % n
                lines.append(f"%c{k} = arith.constant {far} : index\n%n{k} = arith.constant {n} : index\n%z{k} = arith.constant 0 : index\n"
                             f"%l{k} = arith.constant {n - 1} : index\n%i{k} = linalg.index {axis} : index")
                kind = self.rng.choice(["own", "least", "most", "round", "choose", "back"])
                lines.append({"own": f"%k{k} = arith.addi %i{k}, %z{k} : index",
                              "least": f"%m{k} = arith.subi %i{k}, %c{k} : index\n%k{k} = arith.maxsi %m{k}, %z{k} : index",
                              "most": f"%m{k} = arith.addi %i{k}, %c{k} : index\n%k{k} = arith.minsi %m{k}, %l{k} : index",
                              "round": f"%m{k} = arith.addi %i{k}, %c{k} : index\n%k{k} = arith.remui %m{k}, %n{k} : index",
                              "choose": f"%u{k} = arith.constant 1 : index\n%m{k} = arith.addi %i{k}, %u{k} : index\n"
                                        f"%t{k} = arith.cmpi eq, %i{k}, %l{k} : index\n%k{k} = arith.select %t{k}, %z{k}, %m{k} : index",
                              "back": f"%m{k} = arith.subi %i{k}, %c{k} : index\n%t{k} = arith.cmpi slt, %m{k}, %z{k} : index\n"
                                      f"%a{k} = arith.addi %m{k}, %n{k} : index\n%w{k} = arith.select %t{k}, %a{k}, %m{k} : index\n"
                                      f"%k{k} = arith.remui %w{k}, %n{k} : index"}[kind])
                return f"%k{k}"
            lines.append("%s0 = arith.constant 1 : i32")
            for k in range(self.rng.randint(1, 3)):
                row, column = index(0, 2 * k), index(1, 2 * k + 1)
                lines.append(f"%e{k} = tensor.extract %{a.name}[{row}, {column}] : {a.type}\n%s{k + 1} = arith.addi %s{k}, %e{k} : i32")
            count = k + 1
            return s.add(a.shape, "i32", f"linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], "
                         f'iterator_types = ["parallel", "parallel"]}} outs(%{s.constant(a.shape, "i32", 0).name} : {a.type}) {{\n'
                         "^bb0(%o: i32):\n" + "\n".join(lines) + f"\nlinalg.yield %s{count} : i32\n}} -> {a.type}")
        return self.p.stage(build, self.matrix(values))

    def repeat(self, values):
        """Carries one or two matrices; half of the time its steps read neighbours, so that one exchange may do for several of them."""
        initial = [self.matrix(values) for _ in range(self.rng.randint(1, 2))]
        if self.rng.random() < 0.5:
            kinds = [self.map, self.scale, self.number, self.around, self.around, self.rolled, self.window, self.near, self.near]

            def steps(carried):
                known = list(carried) + [self.matrix(values)]
                for _ in range(self.rng.randint(1, 2)):
                    known.append(self.rng.choice(kinds)(known))
                return [known[-1 - i] for i in range(len(carried))], None
            return self.p.repeat(self.rng.choice([2, 4, 5, 6, 12]), initial, steps)

        def body(carried):
            known = list(values) + carried
            for _ in range(self.rng.randint(1, 3)):
                known.append(self.step(known))
            return [self.matrix(known[-2:]) for _ in carried], None
        return self.p.repeat(self.rng.choice([1, 2, 3]), initial, body)

    def stencils(self):
        """Repeats alone, most of which read neighbours."""
        self.shape = tuple(self.ranks * self.rng.choice([4, 8, 12]) for _ in range(2))
        values = [self.p.input(self.shape, "i32") for _ in range(self.rng.randint(1, 2))]
        for _ in range(self.rng.randint(1, 2)):
            values += self.repeat(values)
        self.p.outputs = values[-2:]
        return self.p, self.ranks

    def program(self):
        values = [self.p.input(self.shape, "i32") for _ in range(self.rng.randint(1, 3))]
        for _ in range(self.rng.randint(1, 4)):
            values.append(self.step(values))
            if self.rng.random() < 0.4:
                values += self.repeat(values)
        self.p.outputs = [self.rng.choice(values[-4:]) for _ in range(self.rng.randint(1, 3))]
        return self.p, self.ranks


def draw_axes(rng, program, ranks):
    """At least one sharding, if there is a place for one."""
    places = [(v.name, v) for v in program.inputs] + program.results()
    can = {name: [i for i, n in enumerate(v.shape) if n % ranks == 0] for name, v in places}
    axes = {name: rng.choice(axes) for name, axes in can.items() if axes and rng.random() < 0.7}
    first = next((name for name, axes in can.items() if axes), None)
    return axes or ({first: can[first][0]} if first else {})


def check(folder, program, ranks, axes, device):
    base = os.path.join(folder, program.name)
    os.makedirs(base, exist_ok=True)
    path = lambda name: os.path.join(base, name)
    with open(path("program.mlir"), "w") as file:
        file.write(signature_with(program, ranks, axes))
    for value, numbers in zip(program.inputs, differential.draw_inputs(program)):
        differential.write_npy(path(value.name + ".npy"), value.shape, value.dtype, numbers)
        if value.name in axes:
            for r, block in enumerate(numpy.split(numpy.load(path(value.name + ".npy")), ranks, axes[value.name])):
                numpy.save(path(f"{value.name}.{r}.npy"), block)
    names = [name for name, _ in program.results()]
    count = f"--iterations={program.iterations}"
    inputs = lambda ranked: [f"--input={v.name}=@{path(v.name)}{'.{rank}' if ranked and v.name in axes else ''}.npy" for v in program.inputs]
    outputs = lambda way, rank: [f"--output={name}=@{path(way)}-{name}{rank}.npy" for name in names]
    differential.call(["gpuvm-interpret", path("program.mlir"), count, *inputs(False), *outputs("whole", "")])
    differential.call(["gpuvm-opt", path("program.mlir"), "--gpuvm-link", "--gpuvm-partition", "-o", path("rank.mlir")])
    differential.call(["gpuvm-interpret", path("rank.mlir"), count, *inputs(True), *outputs("ranks", ".{rank}")])
    ways = ["ranks"]
    if device:
        differential.call(["gpuvm-compile", path("program.mlir"), "-o", path("rank.gvplan")])
        differential.call([*mpirun.MPIRUN, "-n", str(ranks), "gpuvm-run", path("rank.gvplan"), "--validate", count, *inputs(True),
                           *outputs("device", ".{rank}")])
        ways.append("device")
    for way, (name, value) in itertools.product(ways, program.results()):
        whole = differential.read_npy(path(f"whole-{name}.npy"), value.dtype)
        blocks = [path(f"{way}-{name}.{r}.npy") for r in range(ranks)]
        if name in axes:
            joined = numpy.concatenate([numpy.load(block) for block in blocks], axes[name])
            numpy.save(path(f"{way}-{name}.npy"), joined)
            blocks = [path(f"{way}-{name}.npy")]
        for block in blocks:
            differential.compare(value, whole, differential.read_npy(block, value.dtype), f"{program.name}: {name} {way}")
    shutil.rmtree(base)


def cases(arguments):
    first, last = map(int, arguments.seeds.split(":"))
    seeds = range(first, last)
    if not arguments.kinds:
        for seed in seeds:
            yield Blocks(seed).stencils() if seed % 4 == 3 else Blocks(seed).program()
        return
    for kind in arguments.kinds.split(","):
        for program in programs.KINDS[kind](seeds):
            if len(program.programs) == 1 and program.inputs and program.outputs and not program.exact:
                yield program, random.Random(program.name).choice([2, 3, 4])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seeds", default="0:10")
    parser.add_argument("--kinds")
    parser.add_argument("--device", action="store_true")
    arguments = parser.parse_args()
    done = wrong = 0
    for program, ranks in cases(arguments):
        axes = draw_axes(random.Random(f"axes {program.name}"), program, ranks)
        if not axes:
            continue
        done += 1
        try:
            check(arguments.folder, program, ranks, axes, arguments.device)
        except differential.Mismatch as failure:
            wrong += 1
            print(f"{program.name}: {failure}")
    print(f"{done} programs, {wrong} differ.")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
