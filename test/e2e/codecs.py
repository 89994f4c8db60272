"""Packed data on the device, on the interpreter and by the oracle (codec_oracle.py).

    codecs.py FOLDER CODEC... [--every N]

For each layout of the codec: the whole tensor, a transposed one (whose neighbours are
none), a slice with strides, rows picked by number, which elements are positive (16
neighbours at once), a sum of products along the rows (of floats with --exact, too) and a
sum of f32 in f64 (two neighbours at once). The sums have the interpreter's bits,
everything else the oracle's. --every takes each so-manieth layout only. Exits 1 and
says which elements differ.
"""

import argparse
import math
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
from codec_oracle import BLOCKS, PARTS, decode, random_blocks
from differential import Mismatch, call, compare, read_npy, try_all
from program_text import FORMAT, Value, bits, is_float, tensor, unpack


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


def run(base, text, inputs, outputs, flags=()):
    """The outputs of a program on the interpreter and on the device, as {tag: {name: bytes}}."""
    path = lambda name: os.path.join(base, name)
    with open(path("program.mlir"), "w") as file:
        file.write(text)
    call(["gpuvm-compile", path("program.mlir"), "-o", path("program.gvplan"), *flags])
    results = {}
    for tag, command in [("interpreter", ["gpuvm-interpret", path("program.mlir"), *flags]),
                         ("device", ["gpuvm-run", path("program.gvplan"), "--validate"])]:
        call(command + [f"--input={name}=@{path(name + '.npy')}" for name in inputs] +
             [f"--output={name}=@{path(f'{tag}-{name}.npy')}" for name in outputs])
        results[tag] = {name: read_npy(path(f"{tag}-{name}.npy"), dtype) for name, dtype in outputs.items()}
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


def check(folder, case):
    """What is wrong with a case, or None."""
    try:
        run_case(folder, case)
    except Mismatch as failure:
        return f"{case.name}: {failure}"
    return None


def run_case(folder, case):
    base = os.path.join(folder, case.name)
    os.makedirs(base, exist_ok=True)
    write_bytes(os.path.join(base, "packed.npy"), "|i1",  # Outputs of i8 have signs, then.
                len(case.data), case.data)
    expected = expected_elements(case)
    results = run(base, elements_text(case), ["packed"], {name: case.element for name in expected})
    for tag, outputs in results.items():
        for name, data in outputs.items():
            compare(Value(name, (len(data),), case.element), expected[name], data, f"{case.name} {name} {tag}")
    if case.element == "i1":
        return
    signs = bytes(x > 0 for x in unpack(case.element, case.expected))
    for tag, outputs in run(base, signs_text(case), ["packed"], {"signs": "i1"}).items():
        compare(Value("signs", case.shape, "i1"), signs, outputs["signs"], f"{case.name} signs {tag}")
    if case.element in ("f16", "bf16", "f64"):
        return
    rng = random.Random(case.name)
    x = [rng.choice([-1, 0, 1, 2]) for _ in range(case.shape[1])]
    packed_x = struct.pack(f"<{len(x)}{FORMAT[case.element]}", *x)
    write_bytes(os.path.join(base, "x.npy"), "<f4" if case.element == "f32" else "|i1" if case.element == "i8"
                else f"<i{int(case.element[1:]) // 8}", len(x), packed_x)
    if case.element == "f32":
        results = run(base, total_text(case), ["packed"], {"total": "f64"})
        compare(Value("total", (), "f64"), results["interpreter"]["total"], results["device"]["total"],
                f"{case.name} total")
    for flags in [(), ("--exact",)] if case.element == "f32" else [()]:
        results = run(base, sums_text(case), ["packed", "x"], {"sums": case.element}, flags)
        compare(Value("sums", case.shape[:1], case.element), results["interpreter"]["sums"],
                results["device"]["sums"], f"{case.name} sums {flags}")


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
    write_bytes(os.path.join(base, "packed.npy"), "|i1", len(data), data)
    for tag, outputs in run(base, elements_text(case), ["packed"], {"whole": "i32"}).items():
        whole = struct.unpack("<512i", outputs["whole"])
        if not set(whole) <= set(values):
            raise Mismatch(f"{tag}: an element is no value of a run: {whole}")


def cases(codec):
    kinds = {"f16": half_cases, "bf16": half_cases, "bits": bit_cases, "signed_bits": bit_cases, "delta": delta_cases,
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
    return try_all("layouts", layouts, lambda case: check(arguments.folder, case))


if __name__ == "__main__":
    sys.exit(main())
