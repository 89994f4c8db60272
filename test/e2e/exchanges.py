"""Every kind of exchange between ranks, on odd sizes and all types, against NumPy.

    exchanges.py FOLDER RANKS [--device | --expanded]

Programs of RANKS ranks are interpreted (gpuvm-interpret --ranks), with --expanded after gpuvm-expand-exchanges, or with --device compiled and run
by so many processes of gpuvm-run, which mpirun starts, twice: with memory that they share, and without. Results must have the same bits: sums are in
the order of the ranks. Exits 1 and leaves program and data in FOLDER if anything differs.
"""

import argparse
import functools
import itertools
import pathlib
import random
import re
import subprocess
import sys

import numpy

TYPES = {"i1": numpy.bool_, "i8": numpy.int8, "i16": numpy.int16, "i32": numpy.int32, "i64": numpy.int64, "f16": numpy.float16,
         "f32": numpy.float32, "f64": numpy.float64}
RULES = {"add": numpy.add, "min": numpy.minimum, "max": numpy.maximum, "minu": numpy.minimum, "maxu": numpy.maximum,
         "and": numpy.bitwise_and, "or": numpy.bitwise_or, "xor": numpy.bitwise_xor}


def tensor(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def values(rng, shape, element):
    if element == "i1":
        return rng.integers(0, 2, shape).astype(numpy.bool_)
    if element[0] == "i":
        info = numpy.iinfo(TYPES[element])
        return rng.integers(info.min, info.max, shape, dtype=TYPES[element], endpoint=True)
    return rng.uniform(-100, 100, shape).astype(TYPES[element])


def combine(rule, element, parts):
    if rule in ("minu", "maxu"):
        unsigned = [part.view(f"u{part.dtype.itemsize}") for part in parts]
        return functools.reduce(RULES[rule], unsigned).view(parts[0].dtype)
    with numpy.errstate(over="ignore"):
        return functools.reduce(RULES[rule], parts)


class Cases:
    """Exchanges of one program: their text, the inputs of all ranks, and what all ranks get."""

    def __init__(self, ranks, seed):
        self.ranks, self.rng, self.random = ranks, numpy.random.default_rng(seed), random.Random(seed)
        self.inputs, self.lines, self.outputs = [], [], []  # (name, type, values by rank)

    def input(self, shape, element, made=None):
        name = f"x{len(self.inputs)}"
        self.inputs.append((name, tensor(shape, element), made or [values(self.rng, shape, element) for _ in range(self.ranks)]))
        return name, self.inputs[-1][2]

    def add(self, text, *results):
        names = [f"y{len(self.outputs) + i}" for i in range(len(results))]
        self.lines.append(f"{', '.join('%' + name for name in names)} = {text}")
        for name, (shape, element, wanted) in zip(names, results):
            self.outputs.append((name, tensor(shape, element), wanted))

    def all_gather(self, shape, axis, element):
        name, x = self.input(shape, element)
        whole = numpy.concatenate(x, axis)
        self.add(f"gpuvm.all_gather %{name} axis({axis}) : {tensor(shape, element)} -> {tensor(whole.shape, element)}",
                 (whole.shape, element, [whole] * self.ranks))

    def all_reduce(self, shape, rule, element):
        name, x = self.input(shape, element)
        self.add(f"gpuvm.all_reduce %{name} {rule} : {tensor(shape, element)}", (shape, element, [combine(rule, element, x)] * self.ranks))

    def reduce_scatter(self, shape, axis, rule, element):
        name, x = self.input(shape, element)
        parts = numpy.split(combine(rule, element, x), self.ranks, axis)
        self.add(f"gpuvm.reduce_scatter %{name} {rule} axis({axis}) : {tensor(shape, element)} -> {tensor(parts[0].shape, element)}",
                 (parts[0].shape, element, parts))

    def all_to_all(self, shape, split, concat, element):
        name, x = self.input(shape, element)
        blocks = [numpy.split(own, self.ranks, split) for own in x]
        wanted = [numpy.concatenate([own[r] for own in blocks], concat) for r in range(self.ranks)]
        self.add(f"gpuvm.all_to_all %{name} split({split}) concat({concat}) : {tensor(shape, element)} -> {tensor(wanted[0].shape, element)}",
                 (wanted[0].shape, element, wanted))

    def all_to_all_counted(self, shape, element):
        name, x = self.input(shape, element)
        capacity = shape[0] // self.ranks
        counts = [self.rng.integers(0, capacity + 1, self.ranks, dtype=numpy.int32) for _ in range(self.ranks)]
        sent, _ = self.input((self.ranks,), "i32", counts)
        wanted, came = [], []
        for r in range(self.ranks):
            rows = numpy.zeros_like(x[r])
            came.append(numpy.array([own[r] for own in counts], numpy.int32))
            for i, count in enumerate(came[r]):
                rows[i * capacity:i * capacity + count] = x[i][r * capacity:r * capacity + count]
            wanted.append(rows)
        self.add(f"gpuvm.all_to_all %{name} split(0) concat(0) counts(%{sent} : {tensor((self.ranks,), 'i32')})"
                 f" : {tensor(shape, element)} -> {tensor(shape, element)}, {tensor((self.ranks,), 'i32')}",
                 (shape, element, wanted), ((self.ranks,), "i32", came))

    def source(self, rank, offset, rotate):
        source = rank - offset
        return source % self.ranks if rotate else source if 0 <= source < self.ranks else None

    def shift(self, shape, offset, rotate, element):
        name, x = self.input(shape, element)
        sources = [self.source(r, offset, rotate) for r in range(self.ranks)]
        wanted = [numpy.zeros_like(x[0]) if source is None else x[source] for source in sources]
        self.add(f"gpuvm.shift %{name} offset({offset}) {'rotate' * rotate} : {tensor(shape, element)}", (shape, element, wanted))

    def update_halo(self, shape, axis, before, after, rotate, element):
        name, x = self.input(shape, element)
        wanted = []
        for r in range(self.ranks):
            parts = [x[r]]
            for place, offset, begin, count in ((0, 1, shape[axis] - before, before), (2, -1, 0, after)):
                source = self.source(r, offset, rotate)
                rows = numpy.take(x[r if source is None else source], range(begin, begin + count), axis)
                parts.insert(place, numpy.zeros_like(rows) if source is None else rows)
            wanted.append(numpy.concatenate(parts, axis))
        self.add(f"gpuvm.update_halo %{name} axis({axis}) halo({before}, {after}) {'rotate' * rotate}"
                 f" : {tensor(shape, element)} -> {tensor(wanted[0].shape, element)}", (wanted[0].shape, element, wanted))

    def text(self):
        inputs = ", ".join(f"%{name}: {type}" for name, type, _ in self.inputs)
        outputs = ", ".join(f"{name}: {type}" for name, type, _ in self.outputs)
        lines = "\n".join("  " + line for line in self.lines)
        names = ", ".join("%" + name for name, _, _ in self.outputs)
        types = ", ".join(type for _, type, _ in self.outputs)
        return f"gpuvm.program @exchanges({inputs}) -> ({outputs}) ranks({self.ranks}) {{\n{lines}\n  gpuvm.return {names} : {types}\n}}\n"


def make(ranks):
    """Programs with every kind of exchange."""
    moves = Cases(ranks, 1)
    for element, shape in zip(TYPES, itertools.cycle([(5,), (3, 7), (2, 3, 5), (1,), (1031,)])):
        moves.all_gather(shape, len(shape) - 1, element)
        moves.all_gather(shape, 0, element)
        most = max(ranks - 1, 1)
        moves.shift(shape, moves.random.randint(1, most), False, element)
        moves.shift(shape, -moves.random.randint(1, most), True, element)
        moves.shift(shape, -moves.random.randint(1, most), False, element)
    yield moves
    blocks = Cases(ranks, 2)
    for element, (a, b, c) in zip(TYPES, itertools.cycle([(1, 2, 3), (3, 1, 1), (2, 5, 1), (7, 1, 2)])):
        shape = (a * ranks, b * ranks, c)
        blocks.all_to_all(shape, blocks.random.randint(0, 1), blocks.random.randint(0, 2), element)
        blocks.all_to_all(shape, 0, 0, element)
        blocks.all_to_all_counted((a * ranks, b), element)
        blocks.all_to_all_counted((3 * ranks,), element)
    yield blocks
    halos = Cases(ranks, 3)
    for element, shape in zip(TYPES, itertools.cycle([(5,), (3, 7), (2, 3, 5), (1,)])):
        for axis in range(len(shape)):
            before = halos.random.randint(0, shape[axis])
            halos.update_halo(shape, axis, before, halos.random.randint(0 if before else 1, shape[axis]), halos.random.random() < 0.5, element)
    yield halos
    sums = Cases(ranks, 4)
    for element in TYPES:
        allowed = ["and", "or", "xor"] if element == "i1" else list(RULES) if element[0] == "i" else ["add", "min", "max"]
        for rule in allowed:
            shape = sums.random.choice([(), (7,), (3, 5), (129,)])
            sums.all_reduce(shape, rule, element)
            shape = sums.random.choice([(2 * ranks, 3), (ranks,), (3, ranks, 2)])
            sums.reduce_scatter(shape, 1 if len(shape) == 3 else 0, rule, element)
    yield sums
    large = Cases(ranks, 5)
    large.all_reduce((1 << 18,), "add", "f32")
    large.all_reduce((517, 1031), "add", "f32")
    large.all_gather((65537,), 0, "f32")
    large.shift((131, 1001), 1 if ranks < 3 else 2, True, "f64")
    yield large


#: By what carries exchanges, the options of gpuvm-run, and whether --stats names it. With one rank nothing does.
WAYS = {"shared memory": (["--shared-bytes=1"], True), "messages": ([f"--shared-bytes={1 << 62}"], False)}


def differences(folder, cases, where):
    wrong = 0
    for line, (name, type, wanted) in zip(cases.lines if len(cases.lines) == len(cases.outputs) else itertools.repeat(""), cases.outputs):
        for rank, own in enumerate(wanted):
            got = numpy.load(folder / f"{name}.{rank}.npy")
            if got.shape != own.shape or got.tobytes() != numpy.ascontiguousarray(own).tobytes():
                print(f"{where}: {name} ({type}) of rank {rank} of {cases.ranks} differs: {line}")
                wrong += 1
    return wrong


def run(folder, number, cases, device, expanded):
    path = folder / f"program{number}.mlir"
    path.write_text(cases.text())
    if expanded:
        path = folder / f"expanded{number}.mlir"
        subprocess.run(["gpuvm-opt", folder / f"program{number}.mlir", "--gpuvm-link", "--gpuvm-expand-exchanges", "-o", path], check=True)
    for name, _, made in cases.inputs:
        for rank, own in enumerate(made):
            numpy.save(folder / f"{name}.{rank}.npy", own)
    given = [f"--input={name}=@{folder}/{name}.{{rank}}.npy" for name, _, _ in cases.inputs]
    taken = [f"--output={name}=@{folder}/{name}.{{rank}}.npy" for name, _, _ in cases.outputs]
    if not device:
        subprocess.run(["gpuvm-interpret", path, "--quiet", *given, *taken], check=True)
        return differences(folder, cases, path.name)
    plan = folder / f"program{number}.gvplan"
    subprocess.run(["gpuvm-compile", path, "-o", plan], check=True)
    start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(cases.ranks)] if cases.ranks > 1 else []
    wrong = 0
    for way, (options, isNamed) in list(WAYS.items())[:2 if cases.ranks > 1 else 1]:
        for name, _, _ in cases.outputs:
            for rank in range(cases.ranks):
                (folder / f"{name}.{rank}.npy").unlink(missing_ok=True)
        done = subprocess.run([*start, "gpuvm-run", plan, "--quiet", "--stats", *options, *given, *taken], check=True, stdout=subprocess.PIPE, text=True)
        by = re.findall(r"exchanges +\d+ by (.*)", done.stdout)
        if cases.ranks > 1 and (len(by) != cases.ranks or any(one.startswith("shared memory and MPI") != isNamed for one in by)):
            print(f"{path.name}: {way} of {cases.ranks} ranks is by {by}")
            wrong += 1
        wrong += differences(folder, cases, f"{path.name} by {way}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("ranks", type=int)
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--expanded", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    wrong = exchanges = 0
    for number, cases in enumerate(make(options.ranks)):
        exchanges += len(cases.lines)
        wrong += run(options.folder, number, cases, options.device, options.expanded)
    print(f"{exchanges} exchanges of {options.ranks} ranks, {wrong} results differ.")
    sys.exit(wrong != 0)


main()
