"""Results of reductions that are stored at positions of the device, or next to each other, against NumPy.

    place_results.py FOLDER
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
ROWS, WIDTH, DEPTH = 40, 48, 96
RANDOM = np.random.default_rng(7)

MAPS = {
    "matvec": ("(n, k)", ["(n, k)", "(k)"], "(n)", [(WIDTH, DEPTH), (DEPTH,)], (WIDTH,)),
    "vecmat": ("(n, k)", ["(k, n)", "(k)"], "(n)", [(DEPTH, WIDTH), (DEPTH,)], (WIDTH,)),
    "matmul": ("(r, n, k)", ["(n, k)", "(r, k)"], "(r, n)", [(WIDTH, DEPTH), (24, DEPTH)], (24, WIDTH)),
}
NUMPY = {"matvec": lambda w, x: w @ x, "vecmat": lambda w, x: x @ w, "matmul": lambda w, x: x @ w.T}


def tensor(shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}{'x' if shape else ''}{element}>"


def product(kind, results):
    """Sums of products with each of two matrices."""
    loops, inputs, output, shapes, shape = MAPS[kind]
    matrices = [f"%w{i}" for i in range(results)]
    operands = ", ".join(matrices + ["%v"])
    types = ", ".join([tensor(shapes[0])] * results + [tensor(shapes[1])])
    maps = [inputs[0]] * results + [inputs[1]] + [output] * results
    iterators = ", ".join('"reduction"' if x == "k" else '"parallel"' for x in loops if x.isalpha())
    names = ", ".join(f"%a{i}: f32" for i in range(results))
    sums = ", ".join(f"%s{i}: f32" for i in range(results))
    body = "\n".join(f"      %p{i} = arith.mulf %a{i}, %b : f32\n      %t{i} = arith.addf %s{i}, %p{i} : f32"
                     for i in range(results))
    out = ", ".join([tensor(shape)] * results)
    return f"""    %zero = arith.constant dense<0.0> : {tensor(shape)}
    %y:{results} = linalg.generic {{indexing_maps = [{", ".join(f"affine_map<{loops} -> {m}>" for m in maps)}], iterator_types = [{iterators}]}}
        ins({operands} : {types}) outs({", ".join(["%zero"] * results)} : {out}) {{
    ^bb0({names}, %b: f32, {sums}):
{body}
      linalg.yield {", ".join(f"%t{i}" for i in range(results))} : {", ".join(["f32"] * results)}
    }} -> ({out})"""


def append(kind, element, when):
    """A stage that appends rows of products to a symbol."""
    _, _, _, shapes, shape = MAPS[kind]
    convert = ("    %c = arith.truncf %y#0 : {} to {}".format(tensor(shape), tensor(shape, "f16")) if element == "f16"
               else "")
    value = "%c" if convert else "%y#0"
    rows = (shape if len(shape) == 2 else (1, *shape))
    expand = (f"    %rows = tensor.expand_shape {value} [[0, 1]] output_shape {list(rows)} : {tensor(shape, element)} "
              f"into {tensor(rows, element)}" if len(shape) == 1 else "")
    stored = "%rows" if expand else value
    condition = " when(%flag : tensor<i1>)" if when else ""
    cache = tensor((ROWS, WIDTH), element)
    return f"""gpuvm.program @append(%m: {tensor(shapes[0])}, %x: {tensor(shapes[1])}, %at: tensor<i32>, %flag: tensor<i1>) -> (rows: {cache}) {{
  gpuvm.register @cache : {tensor((ROWS, WIDTH), element)}
  gpuvm.stage @a{condition} (%w0 = %m : {tensor(shapes[0])}, %v = %x : {tensor(shapes[1])}, %p = %at : tensor<i32>) {{
{product(kind, 1)}
{convert}
{expand}
    gpuvm.store {stored}, @cache[%p] : {tensor(rows, element)}
  }}
  %rows = gpuvm.stage @read() -> {cache} {{
    %r = gpuvm.load @cache : {cache}
    gpuvm.send %r : {cache}
  }}
  gpuvm.return %rows : !gpuvm.message<{cache}>
}}
"""


def pieces(kind, dim):
    """A stage that sends two products next to each other."""
    _, _, _, shapes, shape = MAPS[kind]
    own = list(shape)
    own.insert(dim, 1)
    whole = list(own)
    whole[dim] = 2
    groups = [[i] for i in range(len(shape))]
    for i in range(dim, len(shape)):
        groups[i] = [i + 1]
    groups[min(dim, len(shape) - 1)] = [dim, dim + 1] if dim < len(shape) else [dim - 1, dim]
    expands = "\n".join(f"    %e{i} = tensor.expand_shape %y#{i} {groups} output_shape {own} : {tensor(shape)} into "
                        f"{tensor(own)}" for i in range(2))
    return f"""gpuvm.program @pieces(%m: {tensor(shapes[0])}, %o: {tensor(shapes[0])}, %x: {tensor(shapes[1])}) -> (y: {tensor(whole)}) {{
  %y = gpuvm.stage @a(%w0 = %m : {tensor(shapes[0])}, %w1 = %o : {tensor(shapes[0])}, %v = %x : {tensor(shapes[1])}) -> {tensor(whole)} {{
{product(kind, 2)}
{expands}
    %both = tensor.concat dim({dim}) %e0, %e1 : ({tensor(own)}, {tensor(own)}) -> {tensor(whole)}
    gpuvm.send %both : {tensor(whole)}
  }}
  gpuvm.return %y : !gpuvm.message<{tensor(whole)}>
}}
"""


def compile_program(name, text):
    source, plan = FOLDER / f"{name}.mlir", FOLDER / f"{name}.gvplan"
    source.write_text(text)
    subprocess.run(["gpuvm-compile", source, "-o", plan], check=True)
    shown = subprocess.run(["gpuvm-plan", "show", plan], check=True, capture_output=True, text=True).stdout
    return plan, sum(" dispatch" in line and line.lstrip()[:1].isdigit() for line in shown.splitlines())


def run(plan, inputs, *options):
    arguments = []
    for name, value in inputs.items():
        np.save(FOLDER / f"{name}.npy", value)
        arguments.append(f"--input={name}=@{FOLDER / name}.npy")
    subprocess.run(["gpuvm-run", plan, *arguments, *options], check=True, stdout=subprocess.DEVNULL)


def whole(shape):
    return RANDOM.integers(-8, 9, shape).astype(np.float32)


def main():
    for kind in MAPS:
        shapes = MAPS[kind][3]
        for element in ("f32", "f16"):
            for when in (False, True):
                plan, dispatches = compile_program(f"{kind}-{element}-{when}", append(kind, element, when))
                for at in (0, 7, ROWS - 3, ROWS, -2):
                    for flag in ((True, False) if when else (True,)):
                        m, x = whole(shapes[0]), whole(shapes[1])
                        run(plan, {"m": m, "x": x, "at": np.int32(at), "flag": np.bool_(flag)},
                            f"--output=rows=@{FOLDER / 'cache'}.npy")
                        got = np.load(FOLDER / "cache.npy")
                        expected = np.zeros((ROWS, WIDTH), got.dtype)
                        for i, row in enumerate(np.atleast_2d(NUMPY[kind](m, x))):
                            if flag and 0 <= at + i < ROWS:
                                expected[at + i] = row
                        assert np.array_equal(got, expected), (kind, element, when, at, flag)
                print(f"{kind}, {element}{', when' if when else ''}: {dispatches} dispatches, equal")
    for kind in MAPS:
        shapes, shape = MAPS[kind][3:]
        for dim in range(len(shape) + 1):
            plan, dispatches = compile_program(f"pieces-{kind}-{dim}", pieces(kind, dim))
            m, o, x = whole(shapes[0]), whole(shapes[0]), whole(shapes[1])
            run(plan, {"m": m, "o": o, "x": x}, f"--output=y=@{FOLDER / 'y'}.npy")
            expected = np.stack([NUMPY[kind](m, x), NUMPY[kind](o, x)], dim)
            assert np.array_equal(np.load(FOLDER / "y.npy"), expected), (kind, dim)
            print(f"{kind}, pieces in dimension {dim}: {dispatches} dispatches, equal")


if __name__ == "__main__":
    main()
