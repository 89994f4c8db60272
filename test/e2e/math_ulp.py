"""How far the functions of `math` are off, in units in the last place (ULP), against NumPy in a wider type.

    math_ulp.py prepare FOLDER [--elements=N] [--exhaustive=FUNCTION,...]  compiles the plans (gpuvm-compile on the PATH)
    math_ulp.py measure FOLDER --to=FILE [--device=D] [--run=PROGRAM]
    math_ulp.py measure FOLDER --to=FILE --exhaustive=FUNCTION,... [--slice=FIRST:END:STEP] [--workers=N]
    math_ulp.py check [--reference] FILE          fails if an error is above the bound of the device in docs/arithmetic.md
    math_ulp.py write [--page=FILE]               writes the table of docs/arithmetic.md from test/e2e/math-ulp/*.json

`measure` needs neither the compiler nor more of this repository than this folder, only gpuvm-run, Python and NumPy. FILE
gets what is measured, in the place of what it says of the same functions: one file a device.
It runs every f16 through the functions of one number, and of f32 and f64 a sample of each
sign and exponent, neighbours of the points where functions are computed in another way,
multiples of pi / 2, and zeros, infinities, NaNs and subnormal numbers; of two numbers the
powers of C's annex F.10.4.4, all that are exact, and random ones across the range of
results. --exhaustive takes every f32 instead, for functions of one number (`all` are all of
them), or with --slice a part of them, in the plans' numbers of elements: 3::8 is an eighth, from the
fourth on. FOLDER holds plans for that, of 2^25 elements if not given. What is measured of a part does not replace a greater error.
--run=gpuvm-interpret (with the program, PROGRAM.mlir) measures the reference, which has to
round correctly (f64 where `long double` is wider).

The error of a result is its distance to the exact one, by the distance between the numbers
of the type there. A subnormal operand may be taken for a zero of its sign and a subnormal
result may be one, as devices may flush (docs/arithmetic.md); past the greatest number,
infinity counts as the next. A wrong sign of zero, a number for a NaN or a NaN for a number
is infinitely wrong. `fma` may round the product by itself: then its error is the distance to
that, and `rounds` says `twice`.
"""

import argparse
import datetime
import itertools
import json
import math
import multiprocessing
import os
import pathlib
import subprocess
import sys

import numpy as np

from math_erf import erf, erfc
from math_errors import entry, fma_errors, worst
from math_numbers import OPERANDS, TYPES, columns

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "arithmetic.md"
BEGIN, END = "<!-- test/e2e/math_ulp.py write -->\n", "<!-- end -->\n"


def elementwise(function, line, wide):
    """One of Python's functions of a number, which is a `line` near 0 and constant far away; `wide` of `longdouble`."""

    def of_array(x):
        if x.dtype == np.longdouble:
            return wide(x)
        y = np.select([np.abs(x) <= 1e-9, x > 0, x < 0], [line(x), function(np.inf), function(-np.inf)], x)
        between = (np.abs(x) > 1e-9) & (np.abs(x) < 30)
        y[between] = [function(v) for v in x[between].tolist()]
        return y

    return of_array


SLOPE = 2 / math.sqrt(math.pi)
ONE = {"acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
       "atanh": np.arctanh, "cbrt": np.cbrt, "cos": np.cos, "cosh": np.cosh, "erf": elementwise(math.erf, lambda x: SLOPE * x, erf),
       "erfc": elementwise(math.erfc, lambda x: 1 - SLOPE * x, erfc), "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log,
       "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin,
       "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh}
# Two operands of the type, or one and an i32.
TWO = {"atan2": np.arctan2, "divf": np.divide, "powf": np.power}
POWER = {"fpowi": np.power}
# The two results of one operation.
BOTH = {"sine": np.sin, "cosine": np.cos}
# ------------------------------------------------------------------- programs


def functions_of(kind, dtype):
    return {"one": [*ONE], "two": [*TWO, *POWER], "three": ["fma"], "both": ["sincos"]}[kind]


def stage(name, text, operands, results):
    arguments = ", ".join(f"%{a} = %{n} : {t}" for a, n, t in operands)
    types = ", ".join(results)
    names = "%r" if len(results) == 1 else "%r, %s"
    return (f"  %{name}{':2' if len(results) > 1 else ''} = gpuvm.stage @{name}({arguments}) -> "
            f"{types if len(results) == 1 else f'({types})'} {{\n    {names} = {text}\n"
            f"    gpuvm.send {names} : {types}\n  }}\n")


def program(kind, count, dtype):
    """Each function in a stage of its own, which `--disable-fusion` makes a kernel."""
    t, n = f"tensor<{count}x{dtype}>", f"tensor<{count}xi32>"
    inputs = {"one": {"x": t}, "both": {"x": t}, "two": {"x": t, "y": t, "n": n}, "three": {"x": t, "y": t, "z": t}}[kind]
    operands = {"one": "x", "both": "x", "two": "xy", "three": "xyz"}[kind]
    stages, outputs = [], {}
    for name in functions_of(kind, dtype):
        own = "xn" if name in POWER else operands
        values = ", ".join("%" + v for v in "abc"[:len(own)])
        types = f"{t}, {n}" if name in POWER else t
        text = f"{'arith' if name == 'divf' else 'math'}.{name} {values} : {types}"
        results = [name] if kind != "both" else [*BOTH]
        stages.append(stage(name, text, [(a, v, inputs[v]) for a, v in zip("abc", own)], [t] * len(results)))
        outputs |= {result: f"%{name}" + (f"#{i}" if len(results) > 1 else "") for i, result in enumerate(results)}
    listed = ", ".join(f"%{k}: {v}" for k, v in inputs.items())
    results = ", ".join(f"{f}: {t}" for f in outputs)
    types = ", ".join(f"!gpuvm.message<{t}>" for _ in outputs)
    return (f"gpuvm.program @{kind}({listed}) -> ({results}) {{\n{''.join(stages)}"
            f"  gpuvm.return {', '.join(outputs.values())} : {types}\n}}\n")


def exhaustive_program(function, count):
    """The function of the f32s whose bits are `first` and the following numbers."""
    t = f"tensor<{count}xf32>"
    return f"""gpuvm.program @all(%first: tensor<i32>) -> ({function}: {t}) {{
  %y = gpuvm.stage @{function}(%a = %first : tensor<i32>) -> {t} {{
    %e = tensor.empty() : {t}
    %r = linalg.generic {{indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
        ins(%a : tensor<i32>) outs(%e : {t}) {{
    ^bb0(%f: i32, %o: f32):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %b = arith.addi %n, %f : i32
      %x = arith.bitcast %b : i32 to f32
      %z = math.{function} %x : f32
      linalg.yield %z : f32
    }} -> {t}
    gpuvm.send %r : {t}
  }}
  gpuvm.return %y : !gpuvm.message<{t}>
}}
"""


def names_of(text):
    return [*ONE] if text == "all" else text.split(",") if text else []


def compile_plan(options, name, text):
    path = os.path.join(options.folder, name)
    with open(path + ".mlir", "w") as file:
        file.write(text)
    subprocess.run(["gpuvm-compile", path + ".mlir", "--disable-fusion", "-o", path + ".gvplan"], check=True)


def prepare(options):
    os.makedirs(options.folder, exist_ok=True)
    if options.exhaustive:
        for function in names_of(options.exhaustive):
            compile_plan(options, f"all-{function}", exhaustive_program(function, options.elements or 2**25))
        return
    for kind, dtype in itertools.product(("one", "two", "three", "both"), TYPES):
        compile_plan(options, f"{kind}-{dtype}", program(kind, options.elements or 65536, dtype))


# ----------------------------------------------------------------- measuring


def run(options, name, operands, outputs, tag=""):
    """The results, and what gpuvm-run says of the device."""
    path = os.path.join(options.folder, name)
    reference = options.run.endswith("interpret")
    command = [options.run, path + (".mlir" if reference else ".gvplan"), *([] if reference else ["--stats=json"])]
    if options.device:
        command.append(f"--device={options.device}")
    for key, values in operands.items():
        np.save(f"{path}{tag}.{key}.npy", values)
        command.append(f"--input={key}=@{path}{tag}.{key}.npy")
    files = {f: f"{path}{tag}.{f}.npy" for f in outputs}
    command += [f"--output={f}=@{file}" for f, file in files.items()]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    about = {"device": options.run, "driver": ""} if reference else json.loads(text.splitlines()[-1])
    results = {f: np.load(file) for f, file in files.items()}
    for file in files.values():
        os.remove(file)
    return results, about


def elements_of(options, name):
    with open(os.path.join(options.folder, name + ".mlir")) as file:
        return int(file.readline().split("tensor<")[-1].split("x")[0])


def measure_chunk(task):
    options, name, count, chunk = task
    first = np.uint32(chunk * count)
    results, about = run(options, f"all-{name}", {"first": first.view(np.int32)}, [name], f"-{os.getpid()}")
    x = np.arange(chunk * count, (chunk + 1) * count, dtype=np.uint64).astype(np.uint32).view(np.float32)
    return worst(ONE[name], [x], results[name], "f32"), about


def measure_exhaustively(options, measured):
    part = slice(*(int(bound) if bound else None for bound in options.slice.split(":")))
    with multiprocessing.Pool(options.workers) as pool:
        for name in names_of(options.exhaustive):
            count = elements_of(options, f"all-{name}")
            tasks = [(options, name, count, chunk) for chunk in range(2**32 // count)[part]]
            greatest, about = None, None
            for found, about in pool.imap_unordered(measure_chunk, tasks):
                greatest = max(greatest or found, found, key=lambda f: f[0])
            yield about, name, "f32", entry(*greatest, count * len(tasks))


def measure_samples(options, measured):
    for kind, dtype in itertools.product(("one", "two", "three", "both"), TYPES):
        names = functions_of(kind, dtype)
        count = elements_of(options, f"{kind}-{dtype}")
        operands = OPERANDS[kind](count, dtype)
        results, about = run(options, f"{kind}-{dtype}", operands, BOTH if kind == "both" else names)
        if kind == "both":
            halves = [worst(f, [operands["x"]], results[r], dtype) for r, f in BOTH.items()]
            yield about, "sincos", dtype, entry(*max(halves), count)
            continue
        for name in names:
            own = [operands["x"]] if kind == "one" else [operands["x"], operands["n" if name in POWER else "y"]]
            yield about, name, dtype, (fma_errors([*operands.values()], results[name], dtype) if kind == "three" else
                                       entry(*worst({**ONE, **TWO, **POWER}[name], own, results[name], dtype), count))


def merged(known, found):
    """Of both parts of the numbers."""
    if not known:
        return found
    return max(known, found, key=lambda f: f["error"]) | {"elements": known["elements"] + found["elements"]}


def measure(options):
    file = pathlib.Path(options.to)
    measured = json.loads(file.read_text()) if file.exists() else {"functions": {}}
    for about, name, dtype, found in (measure_exhaustively if options.exhaustive else measure_samples)(options, measured):
        measured.pop("note", None)
        measured |= {"device": about["device"], "driver": about["driver"], "date": str(datetime.date.today())}
        types = measured["functions"].setdefault(name, {})
        types[dtype] = merged(types.get(dtype), found) if options.slice != ":" else found
        measured["functions"] = dict(sorted(measured["functions"].items()))
        file.write_text(json.dumps(measured, indent=1) + "\n")


# ------------------------------------------------------------------ the tables


def title(measured):
    return measured["device"].split(" (")[0]


def known(column, name, dtype):
    """What was measured of a function; `sincos` is one of `sin` and one of `cos`, of which more numbers may have been."""
    names = ["sincos", "sin", "cos"] if name == "sincos" else [name]
    found = [types[dtype] for types in map(column["functions"].get, names) if types and dtype in types]
    return max(found, key=lambda f: f["error"], default=None)


def bound(found):
    return math.ceil(found["error"] * 10) / 10


def check(options):
    measured = json.loads(pathlib.Path(options.file).read_text())
    ours = [column for column in columns() if options.reference or title(column) == title(measured)]
    if not ours:
        print(f"docs/arithmetic.md has no column for {title(measured)}.")
        return 1
    failed = []
    for name, types in ours[0]["functions"].items():
        for dtype in types:
            before = known(ours[0], name, dtype)
            found = measured["functions"].get(name, {}).get(dtype)
            most = bound(before) if not options.reference else 0.505 if dtype == "f64" else 0.501
            if not found:
                failed.append(f"{name} on {dtype} has not been measured.")
            elif found["error"] > most or (not options.reference and found.get("rounds") != before.get("rounds")):
                failed.append(f"{name} on {dtype}: {found}; the bound is {most}.")
    print("\n".join(failed) or f"{len(ours[0]['functions'])} functions are within their bounds.")
    return 1 if failed else 0


def cell(column, name, dtype):
    found = known(column, name, dtype)
    return "" if not found else "twice" if found.get("rounds") == "twice" else f"{bound(found):.1f}"


def describe(column):
    """What was measured, and where."""
    if "note" in column:
        return f"- {title(column)}, {column['date']}: {column['note']}.\n"
    every = sorted(n for n, types in column["functions"].items() if types.get("f32", {}).get("elements") == 2**32)
    sizes = sorted({t["elements"] for n, types in column["functions"].items() for t in types.values()} - {2**32})
    listed = f"; every f32 for {', '.join(f'`{n}`' for n in every)}" if every else ""
    return (f"- {title(column)}: {column['driver']}, {column['date']}; every f16, "
            f"{' or '.join(f'{s:,}' for s in sizes)} numbers of the other types{listed}.\n")


def write(options):
    page = pathlib.Path(options.page)
    text, all_ = page.read_text(), columns()
    before, rest = text.split(BEGIN)
    heads = [(column, dtype) for dtype in TYPES for column in all_]
    table = f"| function | {' | '.join(f'{dtype}, {title(c)}' for c, dtype in heads)} |\n"
    table += "|---" * (len(heads) + 1) + "|\n"
    for name in sorted({n for column in all_ for n in column["functions"]}):
        table += f"| `{name}` | {' | '.join(cell(c, name, dtype) for c, dtype in heads)} |\n"
    page.write_text(before + BEGIN + table + "\n" + "".join(map(describe, all_)) + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    prepares, measures = commands.add_parser("prepare"), commands.add_parser("measure")
    for command in (prepares, measures):
        command.add_argument("folder")
        command.add_argument("--exhaustive", default="")
    prepares.add_argument("--elements", type=int)
    measures.add_argument("--device")
    measures.add_argument("--run", default="gpuvm-run")
    measures.add_argument("--slice", default=":")
    measures.add_argument("--workers", type=int, default=1)
    measures.add_argument("--to", required=True)
    checks = commands.add_parser("check")
    checks.add_argument("--reference", action="store_true")
    checks.add_argument("file")
    commands.add_parser("write").add_argument("--page", default=PAGE)
    options = parser.parse_args()
    return {"prepare": prepare, "measure": measure, "check": check, "write": write}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
