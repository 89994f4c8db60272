"""How far the functions of `math` on f32 and f16 are off, in units in the last place (ULP), against NumPy in float64.

    math_ulp.py prepare FOLDER [--elements=N]     compiles the plans (gpuvm-compile on the PATH)
    math_ulp.py measure FOLDER [--device=D] [--run=PROGRAM] [--all=FUNCTION,...] [--slice=I/N] [--to=FILE]
    math_ulp.py check [--reference] FILE...       fails if a measured error is above its bound in docs/arithmetic.md
    math_ulp.py write FILE...                     writes the table of docs/arithmetic.md from measurements

`measure` needs neither the compiler nor this repository, only gpuvm-run, Python and NumPy.
It runs every f16 through the functions of one number, and of f32 a sample of each sign
and exponent, neighbours of the points where functions are computed in another way,
multiples of pi / 2, and zeros, infinities, NaNs and subnormal numbers; of two numbers the
powers of C's annex F.10.4.4, all that are exact, and random ones across the range of
results. --all takes every f32 instead, for functions of one number, or with --slice one of
N parts of them. --run=gpuvm-interpret (with the program, PROGRAM.mlir) measures the
reference, which has to round correctly.

The error of a result is its distance to the exact one, by the distance between the numbers
of the type there. A subnormal operand may be taken for a zero of its sign and a subnormal
result may be one, as devices may flush (docs/arithmetic.md); past the greatest number,
infinity counts as the next. A wrong sign of zero, a number for a NaN or a NaN for a number
is infinitely wrong.
"""

import argparse
import itertools
import math
import os
import pathlib
import subprocess
import sys

import numpy as np

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "arithmetic.md"
BEGIN, END = "<!-- test/e2e/math_ulp.py write -->\n", "<!-- end -->\n"
TYPES = {"f32": np.float32, "f16": np.float16}


def elementwise(function):
    return lambda x: np.array([function(v) for v in x.tolist()], np.float64)


ONE = {"acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
       "atanh": np.arctanh, "cbrt": np.cbrt, "cos": np.cos, "cosh": np.cosh, "erf": elementwise(math.erf),
       "erfc": elementwise(math.erfc), "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log,
       "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin,
       "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh}
# Two operands of the type, or one and an i32.
TWO = {"atan2": np.arctan2, "divf": np.divide, "powf": np.power}
POWER = {"fpowi": np.power}

# ------------------------------------------------------------------- programs


def stage(name, text, operands, result):
    arguments = ", ".join(f"%{a} = %{n} : {t}" for a, n, t in operands)
    return (f"  %{name} = gpuvm.stage @{name}({arguments}) -> {result} {{\n    %r = {text}\n"
            f"    gpuvm.send %r : {result}\n  }}\n")


def program(name, count, dtype):
    """Each function in a stage of its own, which `--disable-fusion` makes a kernel."""
    t, n = f"tensor<{count}x{dtype}>", f"tensor<{count}xi32>"
    if name == "one":
        inputs = f"%x: {t}"
        stages = {f: stage(f, f"math.{f} %a : {t}", [("a", "x", t)], t) for f in ONE}
    else:
        inputs = f"%x: {t}, %y: {t}, %n: {n}"
        stages = {f: stage(f, f"{'arith' if f == 'divf' else 'math'}.{f} %a, %b : {t}", [("a", "x", t), ("b", "y", t)],
                           t) for f in TWO}
        stages["fpowi"] = stage("fpowi", f"math.fpowi %a, %b : {t}, {n}", [("a", "x", t), ("b", "n", n)], t)
    results = ", ".join(f"{f}: {t}" for f in stages)
    values = ", ".join(f"%{f}" for f in stages)
    types = ", ".join(f"!gpuvm.message<{t}>" for _ in stages)
    return (f"gpuvm.program @{name}({inputs}) -> ({results}) {{\n{''.join(stages.values())}"
            f"  gpuvm.return {values} : {types}\n}}\n")


def prepare(options):
    os.makedirs(options.folder, exist_ok=True)
    for name, dtype in itertools.product(("one", "two"), TYPES):
        path = os.path.join(options.folder, f"{name}-{dtype}")
        with open(path + ".mlir", "w") as file:
            file.write(program(name, options.elements, dtype))
        subprocess.run(["gpuvm-compile", path + ".mlir", "--disable-fusion", "-o", path + ".gvplan"], check=True)


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


def one_operand(count, dtype):
    if dtype == "f32":
        return {"x": sample(count)}
    return {"x": fill(np.arange(65536, dtype=np.uint16).view(np.float16), count, dtype)}


def two_operands(count, dtype):
    rng = np.random.default_rng(2)
    edges = [0, 1, 2, 3, 0.5, 1.1, 0.9999, 10, 16384, np.inf, np.finfo(TYPES[dtype]).tiny / 4,
             np.finfo(TYPES[dtype]).max, np.finfo(TYPES[dtype]).smallest_subnormal]
    edges = [s * v for v in edges for s in (1, -1)] + [np.nan]
    pairs = list(itertools.product(edges, edges))
    pairs += [(b, e) for b in range(-40, 41) for e in range(-9, 20) if abs(b) ** abs(e) < 2**24]
    rest = count - len(pairs)
    bits = np.uint32 if dtype == "f32" else np.uint16
    anything = rng.integers(0, np.iinfo(bits).max, (2, rest // 3), bits, endpoint=True).view(TYPES[dtype])
    least, most = np.log2(float(np.finfo(TYPES[dtype]).smallest_subnormal)), np.finfo(TYPES[dtype]).maxexp
    base = np.exp2(rng.uniform(least, most, rest))
    base[::2] = rng.uniform(0.5, 2, base[::2].size)
    base = base.astype(TYPES[dtype]).astype(np.float64)
    with np.errstate(divide="ignore"):
        exponent = rng.uniform(least - 1, most + 1, rest) / np.log2(base)
    x, y = np.array(pairs, np.float64).T
    x = fill(np.concatenate([x, anything[0], base]), count, dtype)
    y = fill(np.concatenate([y, anything[1], exponent]), count, dtype)
    whole = np.clip(np.rint(np.nan_to_num(y).astype(np.float64)), -(2**31), 2**31 - 1).astype(np.int32)
    return {"x": x, "y": y, "n": whole}


# --------------------------------------------------------------------- errors


def distances(exact, dtype):
    """From the number of the type at `exact` to the next; subnormal ones are as far apart as the least normal ones."""
    information = np.finfo(TYPES[dtype])
    magnitude = np.clip(np.abs(exact), float(information.tiny), float(information.max))
    return np.exp2(np.floor(np.log2(magnitude)) - information.nmant)


def errors(got, exact, dtype):
    information = np.finfo(TYPES[dtype])
    past = 2.0 ** information.maxexp
    with np.errstate(all="ignore"):
        rounded = exact.astype(TYPES[dtype])
        wide = got.astype(np.float64)
        near = np.where(np.isinf(wide), np.copysign(past, wide), wide)
        bounded = np.clip(exact, -past, past)
        error = np.abs(near - bounded) / distances(exact, dtype)
        flushed = (np.abs(exact) < float(information.tiny)) & (wide == 0) & (np.signbit(wide) == np.signbit(exact))
        error = np.where(flushed, 0, error)
        wrong_sign = (wide == 0) & (rounded == 0) & (np.signbit(wide) != np.signbit(exact))
        error = np.where(wrong_sign | (np.isnan(wide) != np.isnan(exact)), np.inf, error)
    return np.where(np.isnan(wide) & np.isnan(exact), 0, error)


def is_subnormal(x):
    return (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny) if x.dtype.kind == "f" else np.zeros(x.shape, bool)


def exact_results(function, operands):
    with np.errstate(all="ignore"):
        return function(*(x.astype(np.float64) for x in operands))


def worst(function, operands, got, dtype):
    """The greatest error, and the operands and the result there."""
    error = errors(got, exact_results(function, operands), dtype)
    for flush in itertools.product((False, True), repeat=len(operands)):
        chosen = [np.where(is_subnormal(x), np.copysign(0, x), x) if f else x for f, x in zip(flush, operands)]
        at = np.any([f & is_subnormal(x) for f, x in zip(flush, operands)], 0)
        if np.any(at):
            there = errors(got[at], exact_results(function, [x[at] for x in chosen]), dtype)
            error[at] = np.minimum(error[at], there)
    i = int(np.argmax(error))
    return float(error[i]), [float(x[i]) for x in operands], float(got[i])


# ----------------------------------------------------------------- measuring


def run(options, name, dtype, operands, outputs):
    path = os.path.join(options.folder, f"{name}-{dtype}")
    command = [options.run, path + (".mlir" if options.run.endswith("interpret") else ".gvplan")]
    if options.device:
        command.append(f"--device={options.device}")
    for key, values in operands.items():
        np.save(f"{path}.{key}.npy", values)
        command.append(f"--input={key}=@{path}.{key}.npy")
    command += [f"--output={f}=@{path}.{f}.npy" for f in outputs]
    subprocess.run(command, check=True)
    return {f: np.load(f"{path}.{f}.npy") for f in outputs}


def elements_of(options):
    with open(os.path.join(options.folder, "one-f32.mlir")) as file:
        return int(file.readline().split("tensor<")[1].split("x")[0])


def measure_all(options, results):
    """Every f32, or a part of them."""
    count, (part, parts) = elements_of(options), map(int, options.slice.split("/"))
    names = options.all.split(",")
    for chunk in range(part, 2**32 // count, parts):
        x = np.arange(chunk * count, (chunk + 1) * count, dtype=np.uint64).astype(np.uint32).view(np.float32)
        for name, got in run(options, "one", "f32", {"x": x}, names).items():
            results.append((name, "f32", *worst(ONE[name], [x], got, "f32")))


def measure_samples(options, results):
    count = elements_of(options)
    for dtype in TYPES:
        operands = one_operand(count, dtype)
        for name, got in run(options, "one", dtype, operands, ONE).items():
            results.append((name, dtype, *worst(ONE[name], list(operands.values()), got, dtype)))
        operands = two_operands(count, dtype)
        for name, got in run(options, "two", dtype, operands, {**TWO, **POWER}).items():
            second = operands["n" if name in POWER else "y"]
            function = {**TWO, **POWER}[name]
            results.append((name, dtype, *worst(function, [operands["x"], second], got, dtype)))


def measure(options):
    results = []
    (measure_all if options.all else measure_samples)(options, results)
    greatest = {}
    for name, dtype, error, operands, got in results:
        if error >= greatest.get((name, dtype), (-1,))[0]:
            greatest[name, dtype] = error, operands, got
    lines = [f"{name} {dtype} {error:.3f} at {' '.join(map(repr, operands))} which gives {got!r}\n"
             for (name, dtype), (error, operands, got) in sorted(greatest.items())]
    if options.to:
        pathlib.Path(options.to).write_text("".join(lines))
    else:
        sys.stdout.writelines(lines)


# ------------------------------------------------------------------- the table


def read_measurements(paths):
    """(function, type) -> the greatest error of all files, and its line."""
    greatest = {}
    for line in itertools.chain.from_iterable(pathlib.Path(p).read_text().splitlines() for p in paths):
        name, dtype, error, *_ = line.split()
        if float(error) >= greatest.get((name, dtype), (-1, ""))[0]:
            greatest[name, dtype] = float(error), line
    return greatest


def read_bounds():
    table = PAGE.read_text().split(BEGIN)[1].split(END)[0]
    bounds = {}
    for row in table.splitlines()[2:]:
        name, single, half = (cell.strip(" `") for cell in row.strip("|").split("|"))
        bounds[name, "f32"], bounds[name, "f16"] = float(single), float(half)
    return bounds


def check(options):
    bounds = dict.fromkeys(read_bounds(), 0.501) if options.reference else read_bounds()
    measured = read_measurements(options.files)
    failed = [f"{line}: the bound is {bounds[key]}." for key, (error, line) in sorted(measured.items())
              if error > bounds[key]]
    failed += [f"{name} on {dtype} has not been measured." for name, dtype in sorted(bounds.keys() - measured.keys())]
    print("\n".join(failed) or f"{len(measured)} functions are within their bounds.")
    return 1 if failed else 0


def write(options):
    measured = read_measurements(options.files)
    up = lambda key: f"{math.ceil(measured[key][0] * 10) / 10:.1f}"
    rows = [f"| `{name}` | {up((name, 'f32'))} | {up((name, 'f16'))} |\n" for name in sorted({n for n, _ in measured})]
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    header = "| function | f32 | f16 |\n|---|---|---|\n"
    PAGE.write_text(before + BEGIN + header + "".join(rows) + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    prepares, measures = commands.add_parser("prepare"), commands.add_parser("measure")
    for command in (prepares, measures):
        command.add_argument("folder")
    prepares.add_argument("--elements", type=int, default=65536)
    measures.add_argument("--device")
    measures.add_argument("--run", default="gpuvm-run")
    measures.add_argument("--all", default="")
    measures.add_argument("--slice", default="0/1")
    measures.add_argument("--to")
    checks, writes = commands.add_parser("check"), commands.add_parser("write")
    checks.add_argument("--reference", action="store_true")
    for command in (checks, writes):
        command.add_argument("files", nargs="+")
    options = parser.parse_args()
    return {"prepare": prepare, "measure": measure, "check": check, "write": write}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
