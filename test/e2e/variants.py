"""Runs the variants that kernels give way to on devices that can do more, on one that cannot.

    variants.py FOLDER [--device=D]

A case is a program, the kind of variant that its plan must have, and how to run that: what
gpuvm-run takes the device to have, and how many lanes the subgroups are for that ballots are
taken in. The profile says whether the variant was what ran; the results are the interpreter's.
Every form of a launch (dialects/gpuvm/GpuvmBase.td) but those that any device can run has a case, or
a reason why it cannot have one. Exits 1 if a case fails, or a kind has neither.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys

import attentions
import differential
import programs_control
import programs_groups
import programs_inner
import programs_reduce
import programs_scan
import programs_sort
from program_text import Program, Value

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "kernels"

# Kinds that no device without the hardware can run.
REASONS = {"matrices": "llvmpipe has no VK_KHR_cooperative_matrix, whose instructions its compiler does not know"}

ASSUMED = {"subgroups": "subgroup_32,subgroup_operations", "unlimited_loops": "unlimited_loops",
           "int64_atomics": "int64_atomics", "dot_products": "integer_dot_product", "wide": "int64", "lanes": "int64"}


def scans():
    scan = programs_scan
    for shape, dimension, dtype in (((20001,), 0, "f32"), ((9, 1030), 1, "i64"), ((3000, 5), 1, "i8"),
                                    ((33, 40, 17), 1, "f32"), ((5, 9000), 1, "f16")):
        yield scan.plain(shape, dimension, dtype)
    yield scan.plain((20003,), 0, "i32", "arith.maxsi", reverse=True)
    yield scan.segmented((20000,), 0, "i32", exclusive=7)
    yield scan.pairs((5000,), "i32")
    yield scan.melted((6, 5000), "i32")
    yield scan.compact(20001, "f32")


def sorts():
    sort = programs_sort
    yield sort.one("run", (4096,), "f32", "descending", "signed")
    yield sort.one("rows", (300, 33), "i32", "unsigned", None, ["f32"])
    yield sort.one("long_rows", (2, 30001), "i16", "descending", "few", ["i8"])
    yield sort.one("wide", (70001,), "i64", "", None, ["f64"])
    yield sort.largest("few", (5, 1000), 7, "f32", fill="signed")


def short_sorts():
    """Runs of few lanes: each subgroup of 8 has counters, and workgroup memory is for no more."""
    yield programs_sort.one("8_lanes", (300, 33), "i32", "unsigned", None, ["f32"])
    yield programs_sort.one("8_lanes_run", (1001,), "f32", "descending", "signed")


def few_rows():
    """Attention of few query rows: of one split of the keys and several, of short and long rows, with masks."""
    names = {"one", "decode", "decode_long", "decode_first", "decode_some", "decode_counted", "window", "odd",
             "sequences", "sequences_prefix", "melted", "melted_odd", "first", "first_window", "first_sequences"}
    for program in attentions.attentions(None):
        if program.name.removeprefix("attention_") in names:
            yield program


def scatters():
    groups = programs_groups
    yield groups.scattered("add", ["add"], ["i64"], 5000, 37)
    yield groups.scattered("max", ["max", "add"], ["i64", "i64"], 3000, 1000, rest=(3,))


def dots():
    yield programs_inner.bytes_program(64, 64, 32)
    yield programs_inner.bytes_program(7, 24, 16, flat=True)


def loops():
    """Short ones: the device ends long ones."""
    def program(name, build, *inputs):
        p = Program(f"loops_{name}")
        p.outputs = [p.stage(lambda s, *values: build(s, *values), *(p.input(*i) for i in inputs))]
        return p
    control = programs_control
    yield program("collatz", control.collatz, ((5000,), "i32"))
    yield program("gcd", control.gcd, ((70, 33), "i64"), ((70, 33), "i64"))
    yield program("nested", control.nested, ((1000,), "i32"))
    yield program("power", control.power, ((3001,), "i32"), ((3001,), "i32"))


def wide():
    """Large enough for a kernel of its own, in each way a lane goes through its elements."""
    rows = programs_reduce.row_program
    yield programs_reduce.sweep_program("f32", (300, 77), 0)
    yield rows("wide_short", (1000, 50), [1], "f32")
    yield rows("wide_long", (20, 4096), [1], "f32")
    yield rows("wide_all", (70001,), [0], "f32")
    for name, shape, dtype in (("columns", (576, 256), "f32"), ("columns_halves", (2048, 528), "f16"), ("columns_parts", (2048, 168), "i32")):
        yield rows(f"wide_{name}", shape, [0], dtype)
    yield programs_reduce.softmax_program("wide_softmax", (40, 2560), "f32")


# (kind, programs, options of gpuvm-compile, LP_NATIVE_VECTOR_WIDTH: 32 bits for each lane of a subgroup)
CASES = [("subgroups", scans, [], None),
         ("subgroups", sorts, ["--subgroup-lanes=16"], "512"),
         ("subgroups", short_sorts, ["--subgroup-lanes=8"], "256"),
         ("subgroups", few_rows, ["--subgroup-lanes=8", "--target=generic"], "256"),
         ("lanes", few_rows, [], None),
         ("int64_atomics", scatters, [], None),
         ("dot_products", dots, [], None),
         ("unlimited_loops", loops, [], None),
         ("wide", wide, [], None)]


def known_kinds():
    """The forms that not every device can run."""
    texts = (path.read_text() for path in KERNELS.glob("*/*") if path.suffix in (".h", ".cpp"))
    names = {name for text in texts for name in re.findall(r'StringLiteral k\w+Form = "(\w+)";', text)}
    return names - {"plain", "limited", "resuming"}


def kernels_of(plan, kind):
    """The variants of a kind in a plan."""
    text = subprocess.run(["gpuvm-plan", "show", plan], check=True, capture_output=True, text=True).stdout
    return set(re.findall(rf"gives way to (\S*_{kind}(?:_\d+)?) where", text))


def check(folder, case, program, device):
    """Runs a program; how many variants ran. Raises differential.Mismatch."""
    kind, _, options, width = case
    base = os.path.join(folder, program.name)
    rng = random.Random(program.name)
    fill = lambda value: differential.FILLS.get(value.fill, differential.random_values)
    inputs = [fill(value)(rng, math.prod(value.shape), value.dtype) for value in program.inputs]
    run = differential.write_program(base, program, [inputs])
    differential.call(["gpuvm-interpret", os.path.join(base, "program.mlir"), *differential.data_flags(base, run, "reference")])
    differential.compile_program(base, "variant", options)
    plan = os.path.join(base, "variant.gvplan")
    expected = kernels_of(plan, kind)
    if not expected:
        raise differential.Mismatch(f"the plan has no variant of the kind {kind}")
    command = ["gpuvm-run", plan, "--validate", f"--assume-features={ASSUMED[kind]}", "--profile=json",
               *([f"--device={device}"] if device else []), *differential.data_flags(base, run, "variant")]
    output = differential.call(command, differential.wide(width))
    profile = json.loads([line for line in output.splitlines() if line.startswith("{")][-1])
    missing = expected - {kernel["name"] for kernel in profile["kernels"]}
    if missing:
        raise differential.Mismatch(f"{', '.join(sorted(missing))} did not run")
    for name, *description in run["results"]:
        value = Value(name, *description)
        read = lambda tag: differential.read_npy(os.path.join(base, f"{tag}-{name}.npy"), value.dtype)
        differential.compare(value, read("reference"), read("variant"), name, run["sums"], run["flushes"])
    return len(expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--device")
    arguments = parser.parse_args()
    failures, ran = [], {}

    def try_one(task):
        try:
            return task[0][0], check(arguments.folder, *task, arguments.device)
        except differential.Mismatch as failure:
            failures.append(f"{task[0][0]}: {task[1].name}: {failure}")
            return task[0][0], 0

    tasks = [(case, program) for case in CASES for program in case[1]()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kind, count in pool.map(try_one, tasks):
            ran[kind] = ran.get(kind, 0) + count
    for kind in sorted(known_kinds()):
        if kind in REASONS:
            print(f"{kind}: not run, since {REASONS[kind]}")
        elif kind in ran:
            print(f"{kind}: {ran[kind]} kernels ran")
        else:
            failures.append(f"{kind}: a variant that nothing runs, for no stated reason")
    failures += [f"{kind}: no kind of variant" for kind in sorted((ran.keys() | REASONS.keys()) - known_kinds())]
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
