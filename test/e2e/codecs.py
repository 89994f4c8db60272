"""Packed data on the device, on the interpreter and by the oracle (codec_oracle.py).

    codecs.py FOLDER CODEC... [--every N]

For each layout of the codec: the whole tensor, a transposed one (whose neighbours are
none), a slice with strides, rows picked by number, which elements are positive (16
neighbours at once), a sum of products along the rows (of floats with --exact, too), a sum of
f32 in f64 (two neighbours at once) and, if there are many rows, a product of matrices. The sums have the interpreter's bits,
everything else the oracle's. --every takes each so-manieth layout only. Exits 1 and
says which elements differ.
"""

import argparse
import math
import os
import random
import re
import struct
import sys

sys.dont_write_bytecode = True
from codec_oracle import BLOCKS, PARTS, decode, random_blocks
from differential import Mismatch, call, compare, read_npy, try_all
from program_text import FORMAT, Value, bits, is_float, tensor, unpack


TOGETHER = 6  # Layouts whose programs are one.


class Case:
    """A packed tensor: its codec with parameters, its shape, what it decodes to, its bytes."""

    def __init__(self, codec, parameters, shape, element, data):
        self.codec, self.parameters, self.shape, self.element, self.data = codec, parameters, shape, element, data
        rows, columns = shape
        self.expected = decode(codec, parameters, element, rows * columns, data)

    @property
    def type(self):
        parameters = f"<{', '.join(map(str, self.parameters))}>" if self.parameters else ""
        return f"!gpuvm.packed<{self.codec}{parameters}, {self.shape[0]}x{self.shape[1]}x{self.element}>"

    @property
    def name(self):
        return "-".join(map(str, [self.codec, *self.parameters, *self.shape, self.element]))


# ------------------------------------------------------------------ programs

STAGE = """  %{name} = gpuvm.stage @{name}(%in = %packed : {packed}) -> {type} {{
    %w = gpuvm.decode %in : {packed} -> {whole}
{body}
    gpuvm.send %r : {type}
  }}
"""

TURN = """    %empty = tensor.empty() : {type}
    %r = linalg.transpose ins(%w : {whole}) outs(%empty : {type}) permutation = [1, 0]"""
SLICE = """    %r = tensor.extract_slice %w[1, 3] [{rows}, {columns}] [2, 5] : {whole} to {type}"""
PICK = """    %n = arith.constant dense<{numbers}> : tensor<{count}xi32>
    %r = gpuvm.gather %w[%n] : {whole}, tensor<{count}xi32> -> {type}"""
SIGNS = """    %zero = arith.constant dense<{zero}> : {whole}
    %r = arith.{compare}, %w, %zero : {whole}"""


def slice_sizes(shape):
    return [(shape[0] - 1 + 1) // 2, (shape[1] - 3 + 4) // 5]


def picks(shape):
    """Numbers of rows, some of which are none."""
    return [shape[0] - 1, 0, -1, shape[0] // 2, shape[0]]


def elements_text(case):
    """The program whose outputs the oracle knows."""
    whole = tensor(case.shape, case.element)
    turned = tensor(case.shape[::-1], case.element)
    rows, columns = slice_sizes(case.shape)
    sliced = tensor((rows, columns), case.element)
    numbers = picks(case.shape)
    picked = tensor((len(numbers), case.shape[1]), case.element)
    flat = tensor([case.shape[0] * case.shape[1]], case.element)
    stage = lambda name, type, body: STAGE.format(name=name, type=type, packed=case.type, whole=whole, body=body)
    send = f"    %r = tensor.collapse_shape %w [[0, 1]] : {whole} into {flat}"
    outputs = {"whole": flat, "turned": turned, "sliced": sliced, "picked": picked}
    return (f"gpuvm.program @elements(%packed: {case.type}) -> "
            f"({', '.join(f'{name}: {type}' for name, type in outputs.items())}) {{\n" +
            stage("whole", flat, send) +
            stage("turned", turned, TURN.format(type=turned, whole=whole)) +
            stage("sliced", sliced, SLICE.format(rows=rows, columns=columns, type=sliced, whole=whole)) +
            stage("picked", picked, PICK.format(numbers=numbers, count=len(numbers), whole=whole, type=picked)) +
            f"  gpuvm.return {', '.join('%' + name for name in outputs)} : "
            f"{', '.join(f'!gpuvm.message<{type}>' for type in outputs.values())}\n}}\n")


def signs_text(case):
    """Which elements are positive, in a kernel that writes bytes only."""
    whole, signs = tensor(case.shape, case.element), tensor(case.shape, "i1")
    zero, compare = ("0.0", "cmpf ogt") if is_float(case.element) else ("0", "cmpi sgt")
    body = SIGNS.format(whole=whole, zero=zero, compare=compare)
    return (f"gpuvm.program @signs(%packed: {case.type}) -> (signs: {signs}) {{\n" +
            STAGE.format(name="signs", type=signs, packed=case.type, whole=whole, body=body) +
            f"  gpuvm.return %signs : !gpuvm.message<{signs}>\n}}\n")


def sums_text(case):
    """Sums of products along the rows, of the packed data as a heap symbol."""
    whole, x, sums = (tensor(s, case.element) for s in (case.shape, case.shape[1:], case.shape[:1]))
    return f"""gpuvm.program @sums(%x: {x}) -> (sums: {sums}) {{
  gpuvm.heap @packed : {case.type}
  %sums = gpuvm.stage @multiply(%v = %x : {x}) -> {sums} {{
    %in = gpuvm.load @packed : {case.type}
    %w = gpuvm.decode %in : {case.type} -> {whole}
    %zero = arith.constant dense<{"0.0" if is_float(case.element) else "0"}> : {sums}
    %r = linalg.matvec ins(%w, %v : {whole}, {x}) outs(%zero : {sums}) -> {sums}
    gpuvm.send %r : {sums}
  }}
  gpuvm.return %sums : !gpuvm.message<{sums}>
}}
"""


COLUMNS = 32  # From so many on a product of matrices is tiled.


def products_text(case):
    """Products of the packed matrix with the columns of another one, in tiles."""
    (rows, elements), whole = case.shape, tensor(case.shape, "f32")
    flat, columns, products = (tensor(s, "f32") for s in ([elements * COLUMNS], (elements, COLUMNS), (rows, COLUMNS)))
    return f"""gpuvm.program @products(%columns: {flat}) -> (products: {products}) {{
  gpuvm.heap @packed : {case.type}
  %products = gpuvm.stage @multiply(%v = %columns : {flat}) -> {products} {{
    %in = gpuvm.load @packed : {case.type}
    %w = gpuvm.decode %in : {case.type} -> {whole}
    %m = tensor.expand_shape %v [[0, 1]] output_shape [{elements}, {COLUMNS}] : {flat} into {columns}
    %zero = arith.constant dense<0.0> : {products}
    %r = linalg.matmul ins(%w, %m : {whole}, {columns}) outs(%zero : {products}) -> {products}
    gpuvm.send %r : {products}
  }}
  gpuvm.return %products : !gpuvm.message<{products}>
}}
"""


def total_text(case):
    """The sum of all elements, of type f32, in f64."""
    whole, wide = (tensor(case.shape, element) for element in ("f32", "f64"))
    return f"""gpuvm.program @total(%packed: {case.type}) -> (total: tensor<f64>) {{
  %total = gpuvm.stage @add(%in = %packed : {case.type}) -> tensor<f64> {{
    %w = gpuvm.decode %in : {case.type} -> {whole}
    %wide = arith.extf %w : {whole} to {wide}
    %zero = arith.constant dense<0.0> : tensor<f64>
    %r = linalg.reduce ins(%wide : {wide}) outs(%zero : tensor<f64>) dimensions = [0, 1] (%x: f64, %sum: f64) {{
      %next = arith.addf %sum, %x : f64
      linalg.yield %next : f64
    }}
    gpuvm.send %r : tensor<f64>
  }}
  gpuvm.return %total : !gpuvm.message<tensor<f64>>
}}
"""


# ------------------------------------------------------------------- running


def write_bytes(path, descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


class Programs:
    """Programs of several layouts side by side in one, since starting processes costs more than they do. Without fusion
    each stage has kernels of its own, as in a program of its own."""

    def __init__(self, base, flags):
        self.base, self.flags = base, flags
        self.inputs, self.outputs, self.arguments, self.results, self.body, self.returned = [], [], [], [], [], []

    def add(self, layout, text, inputs, outputs):
        """One more, whose names then begin with those of its layout and of itself; {own name of an output: that}."""
        name = re.match(r"gpuvm\.program @(\w+)\(", text)[1]
        prefix = f"l{layout}_{name}_"
        header, body = text.split("\n", 1)
        body, returned = re.fullmatch(r"(.*)  gpuvm\.return (.*)\n}\n", body, re.S).groups()
        arguments, results = re.fullmatch(r"gpuvm\.program @\w+\((.*)\) -> \((.*)\) {", header).groups()
        rename = lambda text: re.sub(r"([%@])(?=\w)", rf"\1{prefix}", text)
        values, types = returned.split(" : ", 1)
        self.arguments.append(rename(arguments))
        self.results.append(re.sub(r"(\w+)(?=: tensor)", rf"{prefix}\1", results))
        self.body.append(rename(body))
        self.returned.append((rename(values), types))
        self.inputs += [(prefix + own, f"l{layout}_{own}") for own in inputs]
        self.outputs += [(prefix + own, dtype) for own, dtype in outputs.items()]
        return {own: prefix + own for own in outputs}

    def run(self):
        """The outputs on the interpreter and on the device, as {tag: {name: bytes}}."""
        path = lambda name: os.path.join(self.base, name)
        values, types = (", ".join(each[i] for each in self.returned) for i in (0, 1))
        with open(path("programs.mlir"), "w") as file:
            file.write(f"gpuvm.program @programs({', '.join(self.arguments)}) -> ({', '.join(self.results)}) {{\n"
                       f"{''.join(self.body)}  gpuvm.return {values} : {types}\n}}\n")
        call(["gpuvm-compile", path("programs.mlir"), "-o", path("programs.gvplan"), "--fusion=stages", "--chains=never", *self.flags])
        results = {}
        for tag, command in [("interpreter", ["gpuvm-interpret", path("programs.mlir"), *self.flags]),
                             ("device", ["gpuvm-run", path("programs.gvplan"), "--validate"])]:
            call(command + [f"--input={name}=@{path(file + '.npy')}" for name, file in self.inputs] +
                 [f"--output={name}=@{path(f'{tag}-{name}.npy')}" for name, _ in self.outputs])
            results[tag] = {name: read_npy(path(f"{tag}-{name}.npy"), dtype) for name, dtype in self.outputs}
        return results


def expected_elements(case):
    """What the outputs of elements_text must be."""
    rows, columns = case.shape
    size = len(case.expected) // (rows * columns)
    at = lambda i, j: case.expected[(i * columns + j) * size:(i * columns + j + 1) * size]
    slice_rows, slice_columns = slice_sizes(case.shape)
    return {"whole": case.expected,
            "turned": b"".join(at(i, j) for j in range(columns) for i in range(rows)),
            "picked": b"".join(at(min(max(i, 0), rows - 1), j) for i in picks(case.shape) for j in range(columns)),
            "sliced": b"".join(at(1 + 2 * i, 3 + 5 * j) for i in range(slice_rows) for j in range(slice_columns))}


def check(folder, layouts):
    """What is wrong with some layouts, or None."""
    base = os.path.join(folder, layouts[0].name)
    os.makedirs(base, exist_ok=True)
    programs = {flags: Programs(base, flags) for flags in ((), ("--exact",))}
    try:
        checks = [check for number, case in enumerate(layouts) for check in add_layout(programs, number, case)]
        results = {flags: each.run() for flags, each in programs.items() if each.outputs}
        for each in checks:
            each(results)
    except Mismatch as failure:
        return f"{', '.join(case.name for case in layouts)}: {failure}"
    return None


def same_as(case, names, dtype, expected):
    """A check of outputs without flags against the oracle's bytes."""
    def check(results):
        for tag, outputs in results[()].items():
            for own, name in names.items():
                compare(Value(own, (len(outputs[name]),), dtype), expected[own], outputs[name], f"{case.name} {own} {tag}")
    return check


def as_interpreted(case, names, flags, dtype, shape):
    """A check of the device's outputs against the interpreter's."""
    def check(results):
        for own, name in names.items():
            compare(Value(own, shape, dtype), *(results[flags][tag][name] for tag in ("interpreter", "device")),
                    f"{case.name} {own} {flags}")
    return check


def add_layout(programs, number, case):
    """Adds the programs of a layout and writes their inputs; what to check of the results."""
    path = lambda name: os.path.join(programs[()].base, f"l{number}_{name}.npy")
    write_bytes(path("packed"), "|i1",  # Outputs of i8 have signs, then.
                len(case.data), case.data)
    expected = expected_elements(case)
    names = programs[()].add(number, elements_text(case), ["packed"], {name: case.element for name in expected})
    yield same_as(case, names, case.element, expected)
    if case.element == "i1":
        return
    signs = bytes(x > 0 for x in unpack(case.element, case.expected))
    names = programs[()].add(number, signs_text(case), ["packed"], {"signs": "i1"})
    yield same_as(case, names, "i1", {"signs": signs})
    if case.element in ("f16", "bf16", "f64"):
        return
    rng = random.Random(case.name)
    x = [rng.choice([-1, 0, 1, 2]) for _ in range(case.shape[1])]
    packed_x = struct.pack(f"<{len(x)}{FORMAT[case.element]}", *x)
    write_bytes(path("x"), "<f4" if case.element == "f32" else "|i1" if case.element == "i8"
                else f"<i{int(case.element[1:]) // 8}", len(x), packed_x)
    if case.element == "f32":
        names = programs[()].add(number, total_text(case), ["packed"], {"total": "f64"})
        yield as_interpreted(case, names, (), "f64", ())
    if case.element == "f32" and case.shape[0] >= COLUMNS:
        count = case.shape[1] * COLUMNS
        # Products with these are exact, so that it does not matter whether they are rounded before they are added.
        write_bytes(path("columns"), "<f4", count, struct.pack(f"<{count}f", *(rng.choice([-1, 0, 1, 2]) for _ in range(count))))
        names = programs[()].add(number, products_text(case), ["packed", "columns"], {"products": "f32"})
        yield as_interpreted(case, names, (), "f32", (case.shape[0], COLUMNS))
    is_exact = case.element == "f32" and case.codec != "mxfp4"
    for flags in [(), ("--exact",)] if is_exact else [()]:
        names = programs[flags].add(number, sums_text(case), ["packed", "x"], {"sums": case.element})
        yield as_interpreted(case, names, flags, case.element, case.shape[:1])


# --------------------------------------------------------------------- cases


def block_cases(codec):
    _, elements, _, _ = BLOCKS[codec]
    for shape, element in [((3, elements), "f32"), ((5, 3 * elements), "f32"), ((2, 2 * elements), "f16"),
                           ((3, 2 * elements), "bf16"), ((64, 2048), "f32")]:
        blocks = shape[0] * shape[1] // elements
        yield Case(codec, [], shape, element, random_blocks(codec, blocks, shape))


def part_cases(codec):
    """What the elements of blocks are made of, as codecs of the same bytes."""
    whole, _, part = codec.rpartition("_")
    own = len(PARTS[whole][part](random_blocks(whole, 1, "one")))
    for rows, columns in [(3, 8), (5, 24), (64, 128)]:
        blocks = -(-columns // own)
        data = random_blocks(whole, rows * blocks, (rows, blocks))
        yield Case(codec, [], (rows, blocks * own), "i8" if part == "quants" else "f32", data)


def half_cases(codec):
    for shape, element in [((3, 7), "f32"), ((8, 64), "f32"), ((33, 129), "f32")] + (
            [((4, 24), codec)]):
        rng = random.Random(f"{codec} {shape}")
        yield Case(codec, [], shape, element, rng.randbytes(2 * shape[0] * shape[1]))


def small_float_cases(codec):
    for shape, element in [((3, 7), "f32"), ((8, 64), "f32"), ((33, 129), "f32"), ((4, 256), "f16"), ((4, 256), "bf16")]:
        rng = random.Random(f"{codec} {shape}")
        data = bytes(range(256)) + rng.randbytes(shape[0] * shape[1])  # All there are, if there is room.
        yield Case(codec, [], shape, element, data[:shape[0] * shape[1]])


def bit_cases(codec):
    widths = range(1, 65) if codec == "bits" else (1, 2, 5, 8, 11, 16, 23, 31, 32, 33, 47, 63, 64)
    for width in widths:
        wide = min(w for w in (8, 16, 32, 64) if w >= width)
        for element in sorted({f"i{wide}", "i64" if width in (5, 32) else f"i{wide}"}) + ["i1"] * (width == 1):
            rng = random.Random(f"{codec} {width} {element}")
            rows, columns = rng.choice([(3, 7), (4, 64), (7, 33), (5, 96)])
            yield Case(codec, [width], (rows, columns), element, rng.randbytes((rows * columns * width + 7) // 8))


def delta_cases(codec):
    for width, element, shape in [(1, "i8", (3, 7)), (5, "i16", (3, 50)), (8, "i32", (4, 64)), (13, "i32", (5, 77)),
                                  (32, "i32", (2, 48)), (17, "i64", (3, 65)), (32, "i64", (4, 32))]:
        blocks = (shape[0] * shape[1] + 31) // 32
        rng = random.Random(f"{codec} {width} {element}")
        yield Case(codec, [width], shape, element, rng.randbytes(blocks * (4 * width + (8 if element == "i64" else 4))))


def dictionary_cases(codec):
    for width, entries, element, shape in [(3, 5, "i8", (3, 7)), (4, 16, "f32", (4, 64)), (9, 300, "i16", (5, 77)),
                                           (12, 4096, "f32", (8, 128)), (7, 100, "i64", (3, 50)), (1, 1, "i32", (3, 9)),
                                           (32, 7, "i32", (2, 30)), (6, 33, "f16", (6, 40)), (5, 20, "f64", (6, 40)),
                                           (6, 50, "bf16", (6, 40))]:
        size = bits(element) // 8
        rng = random.Random(f"{codec} {width} {element}")
        table = rng.randbytes((entries * size + 3) // 4 * 4)
        yield Case(codec, [width, entries], shape, element, table + rng.randbytes((shape[0] * shape[1] * width + 7) // 8))


def run_length_cases(codec):
    for runs, element, shape in [(1, "i32", (3, 7)), (2, "f32", (4, 64)), (21, "i8", (3, 7)), (100, "i16", (9, 77)),
                                 (5, "i64", (5, 50)), (1000, "f32", (16, 128)), (37, "f64", (6, 40))]:
        rng = random.Random(f"{codec} {runs} {element}")
        count = shape[0] * shape[1]
        ends = sorted(rng.sample(range(1, count), runs - 1)) + [count]
        data = struct.pack(f"<{runs}I", *ends) + rng.randbytes(runs * (int(element[1:]) // 8))
        yield Case(codec, [runs], shape, element, data)


def check_unsorted_runs(folder):
    """Run ends in no order give elements of some runs, nothing else."""
    rng = random.Random("unsorted")
    runs, shape = 50, (8, 64)
    values = [1000 + k for k in range(runs)]
    ends = [rng.choice([0, 7, 300, 512, 2**31, 2**32 - 1]) for _ in range(runs)]
    data = struct.pack(f"<{runs}I{runs}i", *ends, *values)
    case = Case("run_length", [runs], shape, "i32", struct.pack(f"<{runs}I", *range(1, runs), 512) + data[4 * runs:])
    base = os.path.join(folder, "unsorted-" + case.name)
    os.makedirs(base, exist_ok=True)
    write_bytes(os.path.join(base, "l0_packed.npy"), "|i1", len(data), data)
    programs = Programs(base, ())
    names = programs.add(0, elements_text(case), ["packed"], {"whole": "i32"})
    for tag, outputs in programs.run().items():
        whole = struct.unpack("<512i", outputs[names["whole"]])
        if not set(whole) <= set(values):
            raise Mismatch(f"{tag}: an element is no value of a run: {whole}")


def cases(codec):
    kinds = {"f16": half_cases, "bf16": half_cases, "f8e4m3fn": small_float_cases, "f8e5m2": small_float_cases, "bits": bit_cases, "signed_bits": bit_cases, "delta": delta_cases,
             "dictionary": dictionary_cases, "run_length": run_length_cases}
    kind = part_cases if codec.rpartition("_")[0] in PARTS else block_cases
    return list(kinds.get(codec, kind)(codec))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("codecs", nargs="+")
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    layouts = [case for codec in arguments.codecs for case in cases(codec)][::arguments.every]
    if "run_length" in arguments.codecs:
        check_unsorted_runs(arguments.folder)
    together = [layouts[i:i + TOGETHER] for i in range(0, len(layouts), TOGETHER)]
    return try_all("programs of layouts", together, lambda some: check(arguments.folder, some))


if __name__ == "__main__":
    sys.exit(main())
