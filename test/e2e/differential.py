"""Differential test: what runs on the device is what the interpreter says.

A case is a program of stages (programs.py). It is compiled fused and unfused,
runs on the device (with validation) and on gpuvm-interpret with the same data,
and all outputs must have the same bits; only division and functions of math may
differ, by 2e-5 relative. With --widths plans also run with one of these widths of
lavapipe's vectors, that is, with other subgroups (widths_of); with which one depends
on the case (give one to run all cases with it). lavapipe has 256 of its own, which are
8 lanes in step. With 128 there are fewer of them, so that more of what a barrier is
for can go wrong; 512 and 1024 are for kernels that ask how large a subgroup is, and take
lavapipe's compiler up to four times as long. With --split the windows
that kernels bind are so short that the longest value takes several, about as many
as it says; with --target launches are chosen for that one, with --bindings for a device that binds so few. Small programs run side by side in one (side_by_side.py), and once more
alone if that fails. --every takes each so-manieth case only. The kinds of case:

  sweep   every type in every rank on odd sizes, reduced over every set of axes
  long    reductions of millions of elements, with short and long bodies
  columns reductions whose neighbouring elements belong to neighbouring results
  rows    elementwise operations on rows and on reductions of them
  whole   the same over other dimensions
  combine several accumulators that depend on each other: arg-min, arg-max, claims
  attention  one and many query rows, masks, counts
  products   matrix products and their like, and what is computed around them
  functions  every operation of math, on special numbers, too
  random  elementwise operations, reductions, transposes, broadcasts, slices,
          reshapes and casts, from a seed
  state   stages that load and store symbols and slices of them that overlap, from a seed
  exact   arithmetic of --exact on subnormal numbers, from a seed
  chains  dependent stages that one workgroup can run, alone and in instances
  families  dependent stages of several families that one workgroup can run, from a seed, too
  gather  rows picked by their numbers, and rows stored at positions of the device
  many    more operands than registers of the seed, or windows of a kernel
  fft     discrete Fourier transforms and convolutions
  halo    stencils over what takes some computing
  inner   short reductions inside others, such as products of bytes
  control bodies that branch and loop
  draws   random numbers of every kind
  scan    scans, in segments and in reverse, and what is kept of a tensor
  when    stages that run on conditions
  repeat  stages that run again and again
  ranks   programs of 1 to 4 ranks with exchanges of every kind, also in repeats, from a seed
  update  symbols of which a few elements change
  sort    every type of key, one and several of them, rows short and long, the largest, search

    differential.py FOLDER KIND [--seeds FIRST:LAST] [--widths 128,512] [--widths-of NAME,...] [--split N] [--bindings N] [--every N]

For a machine that has only gpuvm-run, prepare the cases here and run them there:

    differential.py FOLDER KIND [--seeds FIRST:LAST] --prepare
    differential.py FOLDER prepared --run-options=--device=gpu

Exits 1 and leaves the program and its data in FOLDER if anything differs.
"""

import argparse
import concurrent.futures
import filecmp
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import zlib

import attentions
import processes
import products
import programs as kinds
import side_by_side
from program_text import NUMPY, Value, bits, is_float, pack, unpack

KINDS = {**kinds.KINDS, "products": products.products,
         "attention": attentions.attentions}
TAGS = {"fused": [], "unfused": ["--fusion=stages", "--chains=never"]}
KERNELS_ALONE = ["--fusion=stages"]  # Of stages, as if each were the only one.

# --------------------------------------------------------------------- .npy


def write_npy(path, shape, dtype, values):
    text = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    header = f"{{'descr': '{NUMPY[dtype]}', 'fortran_order': False, 'shape': ({text}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(pack(dtype, values))


def read_npy(path, dtype):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:6] == b"\x93NUMPY" and NUMPY[dtype][1:].encode() in data[:64], path
    start = 10 + struct.unpack("<H", data[8:10])[0]
    assert (len(data) - start) % (max(8, bits(dtype)) // 8) == 0, path
    return data[start:]


MOST_DRAWN = 65537  # Floats of an input; longer ones repeat them, in no step with rows or workgroups.


def random_values(rng, count, dtype):
    if dtype == "i1":
        return rng.choices([False, True], k=count)
    if dtype in ("f16", "bf16"):  # Few bits, so that most sums are not rounded.
        return rng.choices([i / 32 for i in range(-64, 65)], k=count)
    if is_float(dtype):
        drawn = [rng.uniform(-2, 2) for _ in range(min(count, MOST_DRAWN))]
        return (drawn * (count // MOST_DRAWN + 1))[:count]
    return unpack(dtype, rng.randbytes(count * bits(dtype) // 8))


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1.5, 3.0, 100.0, -100.0, math.inf, -math.inf, math.nan]


def special_values(rng, count, dtype):
    """Special numbers in any order, and random ones."""
    return [rng.choice(SPECIAL) for _ in range(count // 2)] + list(random_values(rng, count - count // 2, dtype))


def few_values(rng, count, dtype):
    """Small whole numbers, most of them many times, and a NaN here and there."""
    whole = [1.0, 2.0, -1.0, -0.0, 0.0] if is_float(dtype) else [1, 2, 0, 5, 3] + ([] if dtype == "i1" else [-1, -7])
    return [math.nan if is_float(dtype) and rng.random() < 0.0002 else rng.choice(whole) for _ in range(count)]


def wide_values(rng, count, dtype):
    """Numbers of every magnitude, and next to the limits of the integers."""
    if dtype == "i1":
        return random_values(rng, count, dtype)
    if is_float(dtype):
        top = {"f16": 6.5e4, "f64": 1e300}.get(dtype, 3e38)
        edges = [s * 2.0 ** e * f for s in (1, -1) for e in (0, 7, 8, 15, 16, 31, 32, 63, 64) for f in (1, 0.99, 1.01)]
        make = lambda: rng.choice([-1, 1]) * 2.0 ** rng.uniform(-3, 66)
        chosen = [rng.choice([*SPECIAL, *edges, make()]) for _ in range(count)]
        return [v if v != v or abs(v) == math.inf or abs(v) < top else math.copysign(top, v) for v in chosen]
    width = bits(dtype)
    words = [rng.getrandbits(width) >> rng.randrange(width) for _ in range(count)]
    ties = [rng.getrandbits(9) << max(0, width - 9) | rng.choice([0, 1, 1 << max(0, width - 12)]) for _ in range(count)]
    words = [rng.choice(pair) ^ rng.choice([0, (1 << width) - 1]) for pair in zip(words, ties)]
    return unpack(dtype, b"".join((w % (1 << width)).to_bytes(width // 8, "little") for w in words))


def tiny_values(rng, count, dtype):
    """Subnormal numbers, zeros, and what is next to them, of both signs."""
    mantissa = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[dtype]
    choose = [lambda: 0, lambda: rng.randrange(1 << mantissa), lambda: rng.randrange(1 << mantissa + 1),
              lambda: rng.randrange(1 << mantissa + 2), lambda: rng.randrange(3 << bits(dtype) - 4)]
    words = [rng.choice(choose)() | rng.randrange(2) << bits(dtype) - 1 for _ in range(count)]
    return unpack(dtype, b"".join(word.to_bytes(bits(dtype) // 8, "little") for word in words))


def ordered_values(rng, count, dtype):
    return sorted(random_values(rng, count, dtype))


def reversed_values(rng, count, dtype):
    return ordered_values(rng, count, dtype)[::-1]


def equal_values(rng, count, dtype):
    return random_values(rng, 1, dtype) * count


def signed_values(rng, count, dtype):
    """Special numbers and NaNs of both signs, so that the order of all of them can be seen."""
    numbers = [*SPECIAL, -math.nan, 1e-40]
    return [rng.choice(numbers) for _ in range(count)]


def wide(width):
    """The environment in which llvmpipe's vectors have so many bits, 32 for each lane of a subgroup; its cache of
    compiled kernels does not tell widths apart, so that it compiles in every run, without LLVM's optimisations."""
    own = {"LP_NATIVE_VECTOR_WIDTH": width, "MESA_SHADER_CACHE_DISABLE": "true", "GALLIVM_PERF": "nopt"}
    return own if width else None


FILLS = {"ordered": ordered_values, "reversed": reversed_values, "equal": equal_values, "signed": signed_values,
         "few": few_values, "special": special_values, "wide": wide_values, "random": random_values}

# ------------------------------------------------------------------- running


class Mismatch(Exception):
    pass


def call(command, env=None):
    result = processes.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           env={**os.environ, **(env or {})})
    if result.returncode != 0:
        raise Mismatch(f"exit code {result.returncode}: {' '.join(command)}\n{result.stdout[-2000:]}")
    return result.stdout


def compare(value, expected, actual, where, sums=False, flushes=False):
    """`flushes`: subnormal numbers may be any others of them, as docs/arithmetic.md allows without --exact."""
    if expected == actual:
        return
    if len(expected) != len(actual):
        raise Mismatch(f"{where}: {len(actual)} bytes, expected {len(expected)}")
    # Of f16: ten roundings in sums whose products a device may leave unrounded.
    tolerance = {"f16": 5e-3 if sums else 2e-3, "bf16": 2e-2}.get(value.dtype, 2e-5)
    # What sums rounded on the way differ by depends on the largest of them, not on the result.
    least = 1
    if sums and is_float(value.dtype):
        least = max([1] + [abs(e) for e in unpack(value.dtype, expected) if math.isfinite(e)])
    is_near = not value.exact and is_float(value.dtype)
    for i, (e, a) in enumerate(zip(unpack(value.dtype, expected), unpack(value.dtype, actual))):
        if is_near and abs(e) != math.inf and abs(e - a) <= tolerance * max(least, abs(e)):
            continue
        if (e == a and e != 0) or pack(value.dtype, [e]) == pack(value.dtype, [a]) or (e != e and a != a):
            continue
        if flushes and value.dtype == "f32" and abs(e) < 2**-126 and abs(a) < 2**-126:
            continue
        raise Mismatch(f"{where}: element {i} of {value.type} is {a!r}, expected {e!r}")


def split_flags(program, pieces):
    """Options that make the longest value of `program` take about so many windows."""
    if not pieces:
        return []
    values = program.inputs + program.messages + program.outputs + program.symbols
    longest = max(math.prod(value.shape) * max(bits(value.dtype), 8) // 8 for value in values)
    return [f"--max-window-bytes={max(256, longest // pieces)}"]


def text_of(program, bindings=0):
    """The program, in a module for a device that binds so few windows."""
    if not bindings:
        return program.text()
    return ("module attributes {gpuvm.targets = [#gpuvm.target<name = \"few\", kind = any, units = 132, subgroup = 32, "
            "workgroup_bytes = 32768, dispatch_ns = 2070, bytes_per_us = 4200000, "
            f"bindings = {bindings}, features = [], closed = false>]}} {{\n{program.text()}\n}}\n")


def write_program(base, program, inputs, bindings=0):
    """Makes folder `base` with a program and its inputs, which are lists of numbers, of each rank; what running it needs."""
    os.makedirs(base, exist_ok=True)
    with open(os.path.join(base, "program.mlir"), "w") as file:
        file.write(text_of(program, bindings))
    ranks = [rank_of(rank) for rank in range(program.ranks)] or [""]
    for rank, own in zip(ranks, inputs, strict=True):
        for value, numbers in zip(program.inputs, own, strict=True):
            write_npy(os.path.join(base, value.name + rank + ".npy"), value.shape, value.dtype, numbers)
    results = program.results() + [(value.name, value) for value in program.symbols]
    return {"inputs": [value.name for value in program.inputs], "iterations": program.iterations,
            "ranks": program.ranks, "sums": program.sums, "flushes": not program.exact,
            "results": [(name, value.shape, value.dtype, value.exact) for name, value in results]}


def compile_program(base, tag, options, prefix=""):
    path = lambda name: os.path.join(base, prefix + name)
    call(["gpuvm-compile", path("program.mlir"), "-o", path(tag + ".gvplan"), *options])


def run_program(base, case, tag):
    """The results on the device, as lists of numbers."""
    call(["gpuvm-run", os.path.join(base, tag + ".gvplan"), "--validate", *data_flags(base, case, tag)])
    return [unpack(dtype, read_npy(os.path.join(base, f"{tag}-{name}.npy"), dtype))
            for name, _, dtype, _ in case["results"]]


def ways(program):
    """How a program is compiled and run: (tag, options, whose names begin with this). Of programs side by side, the
    compiler would fuse stages that have nothing to do with each other: where they have one stage each, none fuse,
    their kernels are those that each has alone, and that is all there is to compile; else what is fused is compiled for each alone ("p0_")."""
    all = {**TAGS, **program.variants}
    if len(program.programs) == 1:
        return [(tag, options, "") for tag, options in all.items()]
    together = [(tag, options, "") for tag, options in all.items() if "--fusion=stages" in options]
    fused = [(tag, options) for tag, options in all.items() if "--fusion=stages" not in options]
    if program.is_plain:
        return [(tag, options + KERNELS_ALONE, "") for tag, options in fused]
    return [(tag, options, f"p{i}_") for i in range(len(program.programs)) for tag, options in fused] + together


def rank_of(rank):
    """What the files of a rank have in their names."""
    return f".{rank}"


def draw_inputs(program, rank=0):
    rng = random.Random(program.name if rank == 0 else f"{program.name} of rank {rank}")
    default = (tiny_values if program.exact else few_values if program.few else wide_values if program.wide
               else special_values if program.special else random_values)
    return [FILLS.get(value.fill, default)(rng, math.prod(value.shape), value.dtype) for value in program.inputs]


def prepare(folder, program, pieces=0, target=None, bindings=0):
    """Makes FOLDER/<name>/ with everything that running the program needs."""
    base = os.path.join(folder, program.name)
    path = lambda name: os.path.join(base, name)
    inputs = [[numbers for part in program.programs for numbers in draw_inputs(part, rank)] for rank in range(max(program.ranks, 1))]
    case = write_program(base, program, inputs, bindings)
    exact = ["--exact"] if program.exact else []
    split = split_flags(program, pieces) + ([f"--target={target}"] if target else [])
    call(["gpuvm-interpret", path("program.mlir")] + exact + data_flags(base, case, "reference"))
    case["plans"] = [(tag, prefix) for tag, _, prefix in ways(program)]
    for tag, options, prefix in ways(program):
        if prefix:
            with open(path(prefix + "program.mlir"), "w") as file:
                file.write(text_of(program.programs[int(prefix[1:-1])], bindings))
        compile_program(base, tag, exact + split + options, prefix)
    with open(path("case.json"), "w") as file:
        json.dump(case, file)
    return base


def processes_of(case):
    """What starts a process for each rank."""
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(case["ranks"])] if case["ranks"] > 1 else []


def data_flags(base, case, tag, prefix=""):
    """What the program, or the one whose names begin with `prefix`, is run with."""
    path = lambda name: os.path.join(base, name + (rank_of("{rank}") if case["ranks"] else "") + ".npy")
    own = lambda names: [(name[len(prefix):], name) for name in names if name.startswith(prefix)]
    return ([f"--iterations={case['iterations']}"] +
            [f"--input={name}=@{path(file)}" for name, file in own(case["inputs"])] +
            [f"--output={name}=@{path(f'{tag}-{file}')}" for name, file in own(r[0] for r in case["results"])])


def is_same_plan(base, tag, prefix=""):
    """Whether a plan is the fused one, and need not run again."""
    fused, other = (os.path.join(base, prefix + name + ".gvplan") for name in ("fused", tag))
    return tag != "fused" and os.path.exists(fused) and filecmp.cmp(fused, other, shallow=False)


def widths_of(tag, prefix, other):
    """The widths to run a plan with: None is the device's own, which all fused plans run with. With another one run fused
    plans (of small programs every fourth), and what is not fused runs with that one only."""
    if not other or tag not in TAGS or (prefix and int(prefix[1:-1]) % 4):
        return [None]
    return [other] if tag == "unfused" else [None, other]


def check(base, run_options, other_width=None):
    with open(os.path.join(base, "case.json")) as file:
        case = json.load(file)
    for tag, prefix in case["plans"]:
        if is_same_plan(base, tag, prefix):
            continue
        for width in widths_of(tag, prefix, other_width):
            where = tag + (f"-{width}" if width else "")
            call([*processes_of(case), "gpuvm-run", os.path.join(base, f"{prefix}{tag}.gvplan"), *run_options,
                  *data_flags(base, case, where, prefix)], wide(width))
            for name, *description in case["results"]:
                if not name.startswith(prefix):
                    continue
                value = Value(name, *description)
                for rank in [rank_of(rank) for rank in range(case["ranks"])] or [""]:
                    read = lambda tag: read_npy(os.path.join(base, f"{tag}-{name}{rank}.npy"), value.dtype)
                    compare(value, read("reference"), read(where), f"{name}{rank} {where}", case["sums"], case["flushes"])


def run_case(case, arguments):
    """What is wrong with a program, or with one prepared in a folder; or None."""
    widths = arguments.widths.split(",") if arguments.widths and case in arguments.with_widths else []
    failure = try_case(case, arguments, widths)
    if not failure or isinstance(case, str) or len(case.programs) == 1:
        return failure
    alone = [said for program in case.programs if (said := try_case(program, arguments, widths))]
    return "\n".join(alone) or f"{failure}\n(none of its programs fails alone)"


def try_case(case, arguments, widths):
    name = case if isinstance(case, str) else case.name
    try:
        base = os.path.join(arguments.folder, name) if isinstance(case, str) else prepare(
            arguments.folder, case, arguments.split, arguments.target, arguments.bindings)
        if not arguments.prepare:
            check(base, arguments.run_options.split(), widths and widths[zlib.crc32(name.encode()) % len(widths)])
            shutil.rmtree(base)
    except Mismatch as failure:
        return f"{name}: {failure}"
    return None


def try_all(what, cases, run):
    """Runs all cases, prints what `run` says is wrong with them; the exit code."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(run, cases) if failure]
    for failure in failures:
        print(failure)
    print(f"{len(cases)} {what}, {len(failures)} failed")
    return 1 if failures or not cases else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("kind", choices=[*KINDS, "prepared"])
    parser.add_argument("--seeds", default="0:0")
    parser.add_argument("--widths", default="")
    parser.add_argument("--widths-of", default="", help="the programs that run with them, not all")
    parser.add_argument("--split", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--batch", type=int, default=8, help="programs side by side in one, if they are small")
    parser.add_argument("--prepare", action="store_true", help="run nothing on the device")
    parser.add_argument("--run-options", default="--validate", help="of gpuvm-run")
    parser.add_argument("--target", help="as gpuvm-compile's")
    parser.add_argument("--bindings", type=int, default=0, help="for a device that binds so many windows")
    arguments = parser.parse_args()
    if arguments.kind == "prepared":
        cases = arguments.with_widths = sorted(os.listdir(arguments.folder))
    else:
        programs = list(KINDS[arguments.kind](range(*map(int, arguments.seeds.split(":")))))
        names = set(arguments.widths_of.split(",")) - {""}
        if unknown := names - {program.name for program in programs}:
            parser.error(f"--widths-of: {arguments.kind} has no {', '.join(sorted(unknown))}")
        rest = [program for program in programs if program.name not in names][::arguments.every]
        named = [program for program in programs if program.name in names]
        batches = lambda programs: list(side_by_side.batches(programs, 1 if arguments.split else arguments.batch))
        named_cases, others = batches(named), batches(rest)
        arguments.with_widths, cases = named_cases or others, named_cases + others
        print(f"{len(named) + len(rest)} programs", end=": ")
    return try_all("cases", cases, lambda case: run_case(case, arguments))


if __name__ == "__main__":
    sys.exit(main())
