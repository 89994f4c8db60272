"""How far the functions of `math` are off, in units in the last place (ULP), against NumPy in a wider type.

    math_ulp.py prepare FOLDER [--elements=N] [--exhaustive=FUNCTION,...]  compiles the plans (gpuvm-compile on the PATH)
    math_ulp.py measure FOLDER --to=FILE [--device=D] [--run=PROGRAM]
    math_ulp.py measure FOLDER --to=FILE --exhaustive=FUNCTION,... [--slice=FIRST:END:STEP] [--workers=N]
    math_ulp.py check [--reference] FILE          fails if an error is above the bound of the device in docs/arithmetic.md
    math_ulp.py write [--page=FILE]               writes the table of docs/arithmetic.md from test/e2e/math-ulp/*.json

`measure` needs neither the compiler nor this repository, only gpuvm-run, Python and NumPy. FILE
gets what is measured, in the place of what it says of the same functions: one file a device.
It runs every f16 through the functions of one number, and of f32 and f64 a sample of each
sign and exponent, neighbours of the points where functions are computed in another way,
multiples of pi / 2, and zeros, infinities, NaNs and subnormal numbers; of two numbers the
powers of C's annex F.10.4.4, all that are exact, and random ones across the range of
results. --exhaustive takes every f32 instead, for functions of one number (`all` are all of
them), or with --slice a part of them, in the plans' numbers of elements: 3::8 is an eighth, from the
fourth on. FOLDER holds plans for that. What is measured of a part does not replace a greater error.
--run=gpuvm-interpret (with the program, PROGRAM.mlir) measures the reference, which has to
round correctly (`rsqrt` on f64, a root and a division, to 1.5).

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

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, FILES = ROOT / "docs" / "arithmetic.md", ROOT / "test" / "e2e" / "math-ulp"
BEGIN, END = "<!-- test/e2e/math_ulp.py write -->\n", "<!-- end -->\n"
TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64}
BITS = {"f32": np.uint32, "f16": np.uint16, "f64": np.uint64}
WIDER = {"f32": np.float64, "f16": np.float64, "f64": np.longdouble}


def elementwise(function, line):
    """One of Python's functions of a number, which is a `line` near 0 and constant far away."""

    def of_array(x):
        y = np.select([np.abs(x) <= 1e-9, x > 0, x < 0], [line(x), function(np.inf), function(-np.inf)], x)
        between = (np.abs(x) > 1e-9) & (np.abs(x) < 30)
        y[between] = [function(v) for v in x[between].tolist()]
        return y

    return of_array


SLOPE = 2 / math.sqrt(math.pi)
ONE = {"acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
       "atanh": np.arctanh, "cbrt": np.cbrt, "cos": np.cos, "cosh": np.cosh, "erf": elementwise(math.erf, lambda x: SLOPE * x),
       "erfc": elementwise(math.erfc, lambda x: 1 - SLOPE * x), "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log,
       "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin,
       "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh}
# Two operands of the type, or one and an i32.
TWO = {"atan2": np.arctan2, "divf": np.divide, "powf": np.power}
POWER = {"fpowi": np.power}
# The two results of one operation.
BOTH = {"sine": np.sin, "cosine": np.cos}
ON_F64 = ("rsqrt", "sqrt", "divf", "fma")

# ------------------------------------------------------------------- programs


def functions_of(kind, dtype):
    names = {"one": [*ONE], "two": [*TWO, *POWER], "three": ["fma"], "both": ["sincos"]}[kind]
    return [name for name in names if dtype != "f64" or name in ON_F64]


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
    if kind == "two" and dtype == "f64":
        del inputs["n"]
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
            compile_plan(options, f"all-{function}", exhaustive_program(function, options.elements))
        return
    for kind, dtype in itertools.product(("one", "two", "three", "both"), TYPES):
        if functions_of(kind, dtype):
            compile_plan(options, f"{kind}-{dtype}", program(kind, options.elements, dtype))


# -------------------------------------------------------------------- numbers


def fill(values, count, dtype):
    """The first `count` of the numbers, repeated if there are fewer."""
    return np.resize(np.asarray(values, TYPES[dtype]), count)


def sample(count):
    """f32 of all signs and exponents, and what is hard."""
    rng = np.random.default_rng(1)
    points = [0.25, 0.347, 0.41422, 0.5, 0.6, 0.70710678, 1, 1.4142135, 2, 10, 10.2, 16, 89, 91, 104, 127, 128, 3000,
              2.0**24, 2.0**26, 2.0**31, 1e30, 2.0**96, 2.0**127, 3.4028235e38]
    near = np.array(points, np.float32).view(np.int32)[:, None] + np.arange(-40, 41)
    special = np.concatenate([near.ravel(), [0, 1, 2, 0x7FFFFF, 0x800000, 0x7F800000, 0x7FC00000]]).astype(np.int32)
    turns = (np.arange(1, 2000) * (np.pi / 2)).astype(np.float32).view(np.int32)
    turns = (turns[:, None] + np.arange(-1, 2)).ravel().astype(np.int32)
    exponents = np.repeat(np.arange(256, dtype=np.int32) << 23, max(1, (count // 2 - special.size - turns.size) // 256))
    spread = exponents | rng.integers(0, 1 << 23, exponents.size, np.int32)
    positive = np.concatenate([special, turns, spread]).view(np.float32)
    return fill(np.stack([positive, -positive], 1).ravel(), count, "f32")


def anything(rng, shape, dtype):
    """Any bits but those of signaling NaNs, which C's functions do not take for NaNs."""
    bits = BITS[dtype]
    values = rng.integers(0, np.iinfo(bits).max, shape, bits, endpoint=True).view(TYPES[dtype])
    return np.where(np.isnan(values), TYPES[dtype](np.nan), values)


def one_operand(count, dtype):
    if dtype == "f32":
        return {"x": sample(count)}
    if dtype == "f64":
        return {"x": anything(np.random.default_rng(3), count, dtype)}
    return {"x": fill(np.arange(65536, dtype=np.uint16).view(np.float16), count, dtype)}


def edges_of(dtype):
    edges = [0, 1, 2, 3, 0.5, 1.1, 0.9999, 10, 16384, np.inf, np.finfo(TYPES[dtype]).tiny / 4,
             np.finfo(TYPES[dtype]).max, np.finfo(TYPES[dtype]).smallest_subnormal]
    return [s * v for v in edges for s in (1, -1)] + [np.nan]


def two_operands(count, dtype):
    rng = np.random.default_rng(2)
    edges = edges_of(dtype)
    pairs = list(itertools.product(edges, edges))
    pairs += [(b, e) for b in range(-40, 41) for e in range(-9, 20) if abs(b) ** abs(e) < 2**24]
    rest = count - len(pairs)
    any_pairs = anything(rng, (2, rest // 3), dtype)
    least, most = np.log2(WIDER[dtype](np.finfo(TYPES[dtype]).smallest_subnormal)), np.finfo(TYPES[dtype]).maxexp
    base = np.exp2(rng.uniform(float(least), most, rest))
    base[::2] = rng.uniform(0.5, 2, base[::2].size)
    base = base.astype(TYPES[dtype]).astype(np.float64)
    with np.errstate(divide="ignore"):
        exponent = rng.uniform(float(least) - 1, most + 1, rest) / np.log2(base)
    x, y = np.array(pairs, np.float64).T
    x = fill(np.concatenate([x, any_pairs[0], base]), count, dtype)
    y = fill(np.concatenate([y, any_pairs[1], exponent]), count, dtype)
    if dtype == "f64":
        return {"x": x, "y": y}
    whole = np.clip(np.rint(np.nan_to_num(y).astype(np.float64)), -(2**31), 2**31 - 1).astype(np.int32)
    return {"x": x, "y": y, "n": whole}


def three_operands(count, dtype):
    """Sums that cancel most of the product, and any numbers whose product is in the range."""
    rng = np.random.default_rng(4)
    type_, root = TYPES[dtype], 2.0 ** (np.finfo(TYPES[dtype]).maxexp // 3)
    x, y = (np.exp2(rng.uniform(-math.log2(root), math.log2(root), count)) * rng.choice([-1, 1], count) for _ in "xy")
    x, y = x.astype(type_), y.astype(type_)
    product = x.astype(WIDER[dtype]) * y.astype(WIDER[dtype])
    z = -(product * (1 + rng.integers(-3, 4, count) * float(np.finfo(type_).eps)))
    z[::3] = (product * np.exp2(rng.uniform(-30, 30, count)))[::3]
    with np.errstate(over="ignore"):
        return {"x": x, "y": y, "z": np.nan_to_num(z.astype(type_), posinf=1, neginf=-1)}


OPERANDS = {"one": one_operand, "both": one_operand, "two": two_operands, "three": three_operands}

# --------------------------------------------------------------------- errors


def distances(exact, dtype):
    """From the number of the type at `exact` to the next; subnormal ones are as far apart as the least normal ones."""
    information = np.finfo(TYPES[dtype])
    magnitude = np.clip(np.abs(exact), exact.dtype.type(information.tiny), exact.dtype.type(information.max))
    return np.ldexp(exact.dtype.type(1), np.frexp(magnitude)[1] - 1 - information.nmant)


def errors(got, exact, dtype):
    information = np.finfo(TYPES[dtype])
    past = np.ldexp(exact.dtype.type(1), information.maxexp)
    with np.errstate(all="ignore"):
        wide = got.astype(exact.dtype)
        near = np.where(np.isinf(wide), np.copysign(past, wide), wide)
        error = np.abs(near - np.clip(exact, -past, past)) / distances(exact, dtype)
        zeros = wide == 0
        if np.any(zeros):
            agrees = np.signbit(wide) == np.signbit(exact)
            error[zeros & agrees & (np.abs(exact) < information.tiny)] = 0
            error[zeros & ~agrees & (exact.astype(TYPES[dtype]) == 0)] = np.inf
        none = np.isnan(wide), np.isnan(exact)
        error[none[0] != none[1]] = np.inf
        error[none[0] & none[1]] = 0
    return error


def is_subnormal(x):
    return (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny) if x.dtype.kind == "f" else np.zeros(x.shape, bool)


def exact_results(function, operands, dtype):
    with np.errstate(all="ignore"):
        return function(*(x.astype(WIDER[dtype]) for x in operands)).astype(WIDER[dtype])


def errors_of(function, operands, got, exact, dtype):
    """Of a function of operands some of which may have been taken for zeros."""
    error = errors(got, exact, dtype)
    small = [is_subnormal(x) for x in operands]
    for flush in itertools.product((False, True), repeat=len(operands)):
        at = np.any([f & s for f, s in zip(flush, small)], 0)
        if np.any(at):
            chosen = [np.where(s, np.copysign(0, x), x)[at] if f else x[at] for f, s, x in zip(flush, small, operands)]
            error[at] = np.minimum(error[at], errors(got[at], exact_results(function, chosen, dtype), dtype))
    return error


def worst(function, operands, got, dtype):
    """The greatest error, and the operands and the result there."""
    exact = exact_results(function, operands, dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(TYPES[dtype])
    # What is rounded correctly, nearly all, is off by 0.5 at most: it counts only if the rest is no worse.
    rest = np.flatnonzero(got.view(BITS[dtype]) != rounded.view(BITS[dtype]))
    for part in (rest, np.arange(got.size)):
        error = errors_of(function, [x[part] for x in operands], got[part], exact[part], dtype)
        if np.any(error > 0.5):
            break
    i = int(np.argmax(error))
    return float(error[i]), [float(x[part[i]]) for x in operands], float(got[part[i]])


def rounded_product(dtype):
    """x y + z whose product is rounded to the type by itself."""
    narrow = TYPES[dtype]
    return lambda x, y, z: (x.astype(narrow) * y.astype(narrow)).astype(WIDER[dtype]) + z


def exact_sum(x, y, z):
    """x y + z of f64s in two parts: the product after Dekker, the sum after Knuth; the wider type rounds their sum."""
    split = lambda v: (v * 4294967297 - (v * 4294967297 - v), v - (v * 4294967297 - (v * 4294967297 - v)))
    (a, b), (c, d), p = split(x), split(y), x * y
    low = ((a * c - p) + a * d + b * c) + b * d
    total = p + z
    back = total - p
    return total + (((p - (total - back)) + (z - back)) + low)


def fma_errors(operands, got, dtype):
    """What `worst` says, of the rounding that fits."""
    once = worst((lambda x, y, z: x * y + z) if dtype != "f64" else exact_sum, operands, got, dtype)
    if once[0] <= 0.501:
        return {**entry(*once, got.size), "rounds": "once"}
    return {**entry(*worst(rounded_product(dtype), operands, got, dtype), got.size), "rounds": "twice"}


# ----------------------------------------------------------------- measuring


def entry(error, operands, result, elements):
    return {"error": round(error, 3), "operands": [repr(v) for v in operands], "result": repr(result),
            "elements": elements}


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
        if not names:
            continue
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


def columns():
    return [json.loads(path.read_text()) for path in sorted(FILES.glob("*.json"))]


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
        for dtype, known in types.items():
            found = measured["functions"].get(name, {}).get(dtype)
            most = bound(known) if not options.reference else 1.5 if (name, dtype) == ("rsqrt", "f64") else 0.501
            if not found:
                failed.append(f"{name} on {dtype} has not been measured.")
            elif found["error"] > most or (not options.reference and found.get("rounds") != known.get("rounds")):
                failed.append(f"{name} on {dtype}: {found}; the bound is {most}.")
    print("\n".join(failed) or f"{len(ours[0]['functions'])} functions are within their bounds.")
    return 1 if failed else 0


def cell(column, name, dtype):
    found = column["functions"].get(name, {}).get(dtype)
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
    prepares.add_argument("--elements", type=int, default=65536)
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
