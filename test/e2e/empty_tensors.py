"""Operations on tensors without elements, on the device and in gpuvm-interpret, against NumPy.

    empty_tensors.py FOLDER

Each case is a stage of one program, which takes its tensors from inputs, and in a second program from messages. Inputs
are read from .npy files and outputs written to them. Exits 1 and names the results that differ.
"""

import os
import sys

import numpy as np

from differential import call

TYPES = {"bool": "i1", "int8": "i8", "int32": "i32", "int64": "i64", "float32": "f32", "float64": "f64"}
INPUTS = {
    "e": np.zeros((0, 4), "f4"), "c": np.zeros((4, 0), "f4"), "v": np.zeros(0, "f4"), "n": np.zeros(0, "i4"),
    "l": np.zeros(0, "i8"), "b": np.zeros(0, "?"), "d": np.zeros((2, 0, 3), "f8"), "x": np.arange(12, dtype="f4").reshape(3, 4),
    "w": np.array([3, 1, 2], "f4"), "i": np.array([1, 0, 2], "i4"), "k": np.array([7, 9, 7], "i8"),
    "keep": np.array([True, False, True]),
}
CASES = []


def tensor(array):
    return "tensor<" + "".join(f"{n}x" for n in array.shape) + TYPES[array.dtype.name] + ">"


def case(name, takes, body, *expected):
    """`body` makes %r0, %r1, ... of the inputs in `takes`."""
    CASES.append((name, takes.split(), body, [np.asarray(array) for array in expected]))


def reduce(name, op, of, init, dimension, result):
    source, target = INPUTS[of], np.asarray(result)
    case(name, of, f"""%init = arith.constant dense<{init}> : {tensor(target)}
      %r0 = linalg.reduce {{ {op} }} ins(%{of} : {tensor(source)}) outs(%init : {tensor(target)}) dimensions = [{dimension}]""",
         target)


def combine(of):
    """The text of a region that adds two elements."""
    return f"""{{
      ^bb0(%before: {of}, %next: {of}):
        %s = arith.add{of[0]} %before, %next : {of}
        gpuvm.yield %s : {of}
      }}"""


e, c, v, n, l, b, d, x, w, i, k, keep = INPUTS.values()
F32 = np.float32

# Elements.
case("add", "e", "%r0 = arith.addf %e, %e : tensor<0x4xf32>", e + e)
case("exp", "c", "%r0 = math.exp %c : tensor<4x0xf32>", np.exp(c))
case("compare", "v", "%r0 = arith.cmpf olt, %v, %v : tensor<0xf32>", v < v)
case("select", "b v", "%r0 = arith.select %b, %v, %v : tensor<0xi1>, tensor<0xf32>", np.where(b, v, v))
case("convert", "n", "%r0 = arith.extsi %n : tensor<0xi32> to tensor<0xi64>", n.astype("i8"))
case("constant", "x", "%r0 = arith.constant dense<> : tensor<0x2xi32>", np.zeros((0, 2), "i4"))

# Reductions.
reduce("sum_rows", "arith.addf", "e", "0.0", 0, e.sum(0))
reduce("sum_columns", "arith.addf", "e", "0.0", 1, e.sum(1))
reduce("product", "arith.mulf", "e", "1.0", 0, e.prod(0))
reduce("max", "arith.maximumf", "e", "0xFF800000", 0, e.max(0, initial=-np.inf))
reduce("min", "arith.minimumf", "e", "0x7F800000", 0, e.min(0, initial=np.inf))
reduce("all", "arith.andi", "b", "true", 0, b.all())
reduce("any", "arith.ori", "b", "false", 0, b.any())
reduce("count", "arith.addi", "n", "0", 0, n.sum(dtype="i4"))
reduce("middle", "arith.addf", "d", "0.0", 1, d.sum(1))
case("mean", "e", """%zero = arith.constant dense<0.0> : tensor<4xf32>
      %sum = linalg.reduce { arith.addf } ins(%e : tensor<0x4xf32>) outs(%zero : tensor<4xf32>) dimensions = [0]
      %r0 = arith.divf %sum, %zero : tensor<4xf32>""", np.full(4, np.nan, "f4"))

# Products.
case("matmul", "c e", """%zero = arith.constant dense<0.0> : tensor<4x4xf32>
      %r0 = linalg.matmul ins(%c, %e : tensor<4x0xf32>, tensor<0x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>""", c @ e)
case("matmul_none", "e", """%zero = tensor.empty() : tensor<0x5xf32>
      %five = arith.constant dense<5.0> : tensor<4x5xf32>
      %r0 = linalg.matmul ins(%e, %five : tensor<0x4xf32>, tensor<4x5xf32>) outs(%zero : tensor<0x5xf32>) -> tensor<0x5xf32>""",
     e @ np.full((4, 5), F32(5)))
case("dot", "v", """%zero = arith.constant dense<0.0> : tensor<f32>
      %r0 = linalg.dot ins(%v, %v : tensor<0xf32>, tensor<0xf32>) outs(%zero : tensor<f32>) -> tensor<f32>""", v @ v)
case("outer", "v w", """%none = tensor.empty() : tensor<0x3xf32>
      %r0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                            iterator_types = ["parallel", "parallel"]}
          ins(%v, %w : tensor<0xf32>, tensor<3xf32>) outs(%none : tensor<0x3xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %p = arith.mulf %a, %c : f32
        linalg.yield %p : f32
      } -> tensor<0x3xf32>""", np.outer(v, w))
case("two_results", "e", """%none = tensor.empty() : tensor<0x4xf32>
      %zero = arith.constant dense<0.0> : tensor<4xf32>
      %r0, %r1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                                 iterator_types = ["reduction", "parallel"]}
          ins(%e : tensor<0x4xf32>) outs(%none, %zero : tensor<0x4xf32>, tensor<4xf32>) {
      ^bb0(%a: f32, %o: f32, %s: f32):
        %p = arith.addf %a, %s : f32
        linalg.yield %a, %p : f32, f32
      } -> (tensor<0x4xf32>, tensor<4xf32>)""", e, e.sum(0))

# Shapes.
case("transpose", "e", """%none = tensor.empty() : tensor<4x0xf32>
      %r0 = linalg.transpose ins(%e : tensor<0x4xf32>) outs(%none : tensor<4x0xf32>) permutation = [1, 0]""", e.T)
case("broadcast", "v", """%none = tensor.empty() : tensor<3x0xf32>
      %r0 = linalg.broadcast ins(%v : tensor<0xf32>) outs(%none : tensor<3x0xf32>) dimensions = [0]""", np.broadcast_to(v, (3, 0)))
case("concat", "e x", "%r0 = tensor.concat dim(0) %e, %x, %e : (tensor<0x4xf32>, tensor<3x4xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>",
     np.concatenate([e, x, e]))
case("concat_none", "v", "%r0 = tensor.concat dim(0) %v, %v : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>", np.concatenate([v, v]))
case("collapse", "d", "%r0 = tensor.collapse_shape %d [[0, 1, 2]] : tensor<2x0x3xf64> into tensor<0xf64>", d.reshape(0))
case("expand", "v", "%r0 = tensor.expand_shape %v [[0, 1]] output_shape [0, 7] : tensor<0xf32> into tensor<0x7xf32>", v.reshape(0, 7))
case("slice", "x", "%r0 = tensor.extract_slice %x[2, 0] [0, 4] [1, 1] : tensor<3x4xf32> to tensor<0x4xf32>", x[2:2])
case("insert", "e x", "%r0 = tensor.insert_slice %e into %x[1, 0] [0, 4] [1, 1] : tensor<0x4xf32> into tensor<3x4xf32>", x)
case("pad", "e", """%seven = arith.constant 7.0 : f32
      %r0 = tensor.pad %e low[1, 0] high[2, 0] {
      ^bb0(%p: index, %q: index):
        tensor.yield %seven : f32
      } : tensor<0x4xf32> to tensor<3x4xf32>""", np.pad(e, [(1, 2), (0, 0)], constant_values=7))
case("generate", "x", """%r0 = tensor.generate {
      ^bb0(%p: index, %q: index):
        %t = tensor.extract %x[%p, %q] : tensor<3x4xf32>
        tensor.yield %t : f32
      } : tensor<3x0xf32>""", x[:, :0])
case("length", "e", """%zero = arith.constant 0 : index
      %n = tensor.dim %e, %zero : tensor<0x4xf32>
      %word = arith.index_cast %n : index to i32
      %r0 = tensor.from_elements %word : tensor<i32>""", np.array(len(e), "i4"))

# Order.
case("sort", "v n", "%r0, %r1, %r2 = gpuvm.sort %v descending payloads(%n) numbers : tensor<0xf32>, tensor<0xi32>", np.sort(v), n,
     np.argsort(v).astype("i4"))
case("sort_rows", "c", "%r0 = gpuvm.sort %c : tensor<4x0xf32>", np.sort(c, axis=1))
case("top_k", "w", "%r0, %r1 = gpuvm.top_k %w : tensor<3xf32> -> tensor<0xf32>, tensor<0xi32>", w[:0], n)
case("merge", "v w n i", """%s = gpuvm.sort %w : tensor<3xf32>
      %r0, %r1 = gpuvm.merge %v, %s payloads(%n : tensor<0xi32>) with(%i : tensor<3xi32>)
          : tensor<0xf32>, tensor<3xf32> -> tensor<3xf32>, tensor<3xi32>
      %r2 = gpuvm.merge %s, %v : tensor<3xf32>, tensor<0xf32> -> tensor<3xf32>
      %r3 = gpuvm.merge %v, %v : tensor<0xf32>, tensor<0xf32> -> tensor<0xf32>""", np.sort(w), i, np.sort(w), v)
case("search", "v w", """%r0 = gpuvm.search_sorted %v, %w : tensor<0xf32>, tensor<3xf32> -> tensor<3xi32>
      %r1 = gpuvm.search_sorted %w, %v right : tensor<3xf32>, tensor<0xf32> -> tensor<0xi32>""",
     np.searchsorted(v, w).astype("i4"), n)
case("scan", "v", f"%r0 = gpuvm.scan %v dimension 0 : (tensor<0xf32>) -> tensor<0xf32> {combine('f32')}", np.cumsum(v))
case("scan_exclusive", "e", f"""%zero = arith.constant dense<0.0> : tensor<f32>
      %r0 = gpuvm.scan %e dimension 1 exclusive(%zero) : (tensor<0x4xf32>, tensor<f32>) -> tensor<0x4xf32> {combine('f32')}""",
     np.cumsum(e, axis=1))
case("compact", "v b w keep", """%r0, %r1 = gpuvm.compact %v where %b : (tensor<0xf32>, tensor<0xi1>) -> (tensor<0xf32>, tensor<i32>)
      %r2, %r3 = gpuvm.compact %w where %keep : (tensor<3xf32>, tensor<3xi1>) -> (tensor<0xf32>, tensor<i32>)
      %r4, %r5, %r6 = gpuvm.compact %w, %w where %keep
          : (tensor<3xf32>, tensor<3xf32>, tensor<3xi1>) -> (tensor<0xf32>, tensor<2xf32>, tensor<i32>)""",
     v[b], np.array(b.sum(), "i4"), v, np.array(keep.sum(), "i4"), v, w[keep], np.array(keep.sum(), "i4"))

# Tables and groups.
case("gather", "x n", "%r0 = gpuvm.gather %x[%n] : tensor<3x4xf32>, tensor<0xi32> -> tensor<0x4xf32>", x[n])
case("gather_columns", "c i", "%r0 = gpuvm.gather %c[%i] : tensor<4x0xf32>, tensor<3xi32> -> tensor<3x0xf32>", c[i])
case("scatter", "e n x", """%r0 = gpuvm.scatter add %e at %n into %x
          : (tensor<0x4xf32>, tensor<0xi32>, tensor<3x4xf32>) -> tensor<3x4xf32>""", x)
case("scatter_nowhere", "w i v", """%r0 = gpuvm.scatter last %w at %i into %v
          : (tensor<3xf32>, tensor<3xi32>, tensor<0xf32>) -> tensor<0xf32>""", v)
case("histogram", "n", """%zero = arith.constant dense<0> : tensor<5xi32>
      %one = arith.constant dense<1> : tensor<0xi32>
      %r0 = gpuvm.scatter add %one at %n into %zero : (tensor<0xi32>, tensor<0xi32>, tensor<5xi32>) -> tensor<5xi32>""",
     np.bincount(n, minlength=5).astype("i4"))
case("segments", "v e i", f"""%nine = arith.constant dense<9.0> : tensor<f32>
      %each = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
      %r0 = gpuvm.segment_reduce %v by %i from %nine : (tensor<0xf32>, tensor<3xi32>, tensor<f32>) -> tensor<2xf32> {combine('f32')}
      %r1 = gpuvm.segment_reduce %e by %i from %nine : (tensor<0x4xf32>, tensor<3xi32>, tensor<f32>) -> tensor<2x4xf32> {combine('f32')}
      %r2 = gpuvm.segment_reduce %e by %i from %each : (tensor<0x4xf32>, tensor<3xi32>, tensor<2x4xf32>) -> tensor<2x4xf32> {combine('f32')}""",
     np.full(2, F32(9)), np.full((2, 4), F32(9)), np.arange(1, 9, dtype="f4").reshape(2, 4))
case("repeat", "n i", """%r0, %o, %t = gpuvm.expand %i : tensor<3xi32> -> tensor<0xi32>, tensor<0xi32>
      %r1 = arith.addi %t, %t : tensor<i32>
      %p, %q, %r2 = gpuvm.expand %n : tensor<0xi32> -> tensor<7xi32>, tensor<7xi32>""",
     n, np.array(2 * i.sum(), "i4"), np.array(n.sum(), "i4"))
case("unique", "l k", """%r0, %r1, %r2 = gpuvm.distinct %l : tensor<0xi64> -> tensor<0xi32>, tensor<0xi32>
      %r3, %o, %r4 = gpuvm.distinct %k : tensor<3xi64> -> tensor<3xi32>, tensor<0xi32>""",
     n, n, np.array(len(np.unique(l)), "i4"), np.unique(k, return_inverse=True)[1].astype("i4"), np.array(len(np.unique(k)), "i4"))
case("join", "l k", """%f, %r0, %r1 = gpuvm.match %k in %l : (tensor<3xi64>), (tensor<0xi64>) -> tensor<3xi32>, tensor<3xi32>, tensor<0xi32>
      %r2, %r3, %order = gpuvm.match %l in %k : (tensor<0xi64>), (tensor<3xi64>) -> tensor<0xi32>, tensor<0xi32>, tensor<3xi32>
      %r4 = gpuvm.sort %order : tensor<3xi32>""", (k[:, None] == l).sum(1).astype("i4"), n, n, n, np.arange(3, dtype="i4"))
case("joined_rows", "l k v", """%first, %counts, %order = gpuvm.match %k in %l : (tensor<3xi64>), (tensor<0xi64>) -> tensor<3xi32>, tensor<3xi32>, tensor<0xi32>
      %rows, %ordinals, %total = gpuvm.expand %counts : tensor<3xi32> -> tensor<8xi32>, tensor<8xi32>
      %from = gpuvm.gather %first[%rows] : tensor<3xi32>, tensor<8xi32> -> tensor<8xi32>
      %place = arith.addi %from, %ordinals : tensor<8xi32>
      %row = gpuvm.gather %order[%place] : tensor<0xi32>, tensor<8xi32> -> tensor<8xi32>
      %value = gpuvm.gather %v[%row] : tensor<0xf32>, tensor<8xi32> -> tensor<8xf32>
      %some = gpuvm.bounded %value[%total] : tensor<8xf32> -> tensor<?xf32, #gpuvm.bound<8>>
      %zero = arith.constant dense<0.0> : tensor<f32>
      %r0 = linalg.reduce { arith.addf } ins(%some : tensor<?xf32, #gpuvm.bound<8>>) outs(%zero : tensor<f32>) dimensions = [0]""",
     F32(0))
case("bounded_rows", "w keep v l k", """%kept, %count = gpuvm.compact %w where %keep : (tensor<3xf32>, tensor<3xi1>) -> (tensor<3xf32>, tensor<i32>)
      %some = gpuvm.bounded %kept[%count] : tensor<3xf32> -> tensor<?xf32, #gpuvm.bound<3>>
      %at = gpuvm.search_sorted %v, %some : tensor<0xf32>, tensor<?xf32, #gpuvm.bound<3>> -> tensor<?xi32, #gpuvm.bound<3>>
      %of = gpuvm.gather %v[%at] : tensor<0xf32>, tensor<?xi32, #gpuvm.bound<3>> -> tensor<?xf32, #gpuvm.bound<3>>
      %one = arith.constant dense<1.0> : tensor<f32>
      %r0 = gpuvm.filled %of with %one : tensor<?xf32, #gpuvm.bound<3>>, tensor<f32> -> tensor<3xf32>""", np.array([0, 0, 1], "f4"))

# The rest.
case("random", "x", """%seed = arith.constant dense<[1, 2]> : tensor<2xi32>
      %r0 = gpuvm.random uniform seed(%seed : tensor<2xi32>) -> tensor<0x3xf32>""", np.random.default_rng(1).random((0, 3), "f4"))
case("fft", "x", """%none = tensor.empty() : tensor<0x8x2xf32>
      %r0 = gpuvm.fft %none : tensor<0x8x2xf32> -> tensor<0x8x2xf32>""",
     np.fft.fft(np.zeros((0, 8))).view("f8").astype("f4").reshape(0, 8, 2))
case("attention", "x", """%q = arith.constant dense<1.0> : tensor<2x3x4xf32>
      %none = tensor.empty() : tensor<2x0x4xf32>
      %r0 = gpuvm.attention %q, %none, %none scale 1.0 : tensor<2x3x4xf32>, tensor<2x0x4xf32>, tensor<2x0x4xf32> -> tensor<2x3x4xf32>
      %r1 = gpuvm.attention %none, %q, %q scale 1.0 : tensor<2x0x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x0x4xf32>""",
     np.zeros((2, 3, 4), "f4"), np.zeros((2, 0, 4), "f4"))
case("symbols", "e", """%g = gpuvm.load @table : tensor<0x4xf32>
      %r0 = arith.addf %g, %e : tensor<0x4xf32>
      gpuvm.store %r0, @table : tensor<0x4xf32>
      gpuvm.store %e, @state[0] : tensor<0x4xf32>
      %r1 = gpuvm.load @state : tensor<2x4xf32>""", e, np.ones((2, 4), "f4"))


def program(through_messages):
    """The text, and the outputs with what NumPy says of them."""
    lines, outputs, returned = [], {}, []
    sources = {name: (f"%{name}", tensor(array)) for name, array in INPUTS.items()}
    if through_messages:
        for name, array in INPUTS.items():
            kind = tensor(array)
            lines.append(f"  %m_{name} = gpuvm.stage @send_{name}(%t = %{name} : {kind}) -> {kind} {{ gpuvm.send %t : {kind} }}")
            sources[name] = f"%m_{name}", f"!gpuvm.message<{kind}>"
    for name, takes, body, expected in CASES:
        operands = ", ".join(f"%{t} = {sources[t][0]} : {sources[t][1]}" for t in takes)
        kinds = ", ".join(map(tensor, expected))
        values = ", ".join(f"%r{j}" for j in range(len(expected)))
        lines.append(f"  %{name}:{len(expected)} = gpuvm.stage @{name}_case({operands}) -> ({kinds}) {{\n"
                     f"      {body}\n      gpuvm.send {values} : {kinds}\n  }}")
        for j, array in enumerate(expected):
            outputs[f"{name}_{j}"] = array
            returned.append((f"%{name}#{j}", f"!gpuvm.message<{tensor(array)}>"))
    arguments = ", ".join(f"%{name}: {tensor(array)}" for name, array in INPUTS.items())
    results = ", ".join(f"{name}: {tensor(array)}" for name, array in outputs.items())
    text = [f"gpuvm.program @p({arguments}) -> ({results}) {{",
            "  gpuvm.global @table : tensor<0x4xf32> = dense<> : tensor<0x4xf32>",
            "  gpuvm.register @state : tensor<2x4xf32> = dense<1.0> : tensor<2x4xf32>", *lines,
            f"  gpuvm.return {', '.join(v for v, _ in returned)} : {', '.join(t for _, t in returned)}", "}"]
    return "\n".join(text) + "\n", outputs


def check(folder, through_messages):
    base = os.path.join(folder, "messages" if through_messages else "inputs")
    text, outputs = program(through_messages)
    with open(f"{base}.mlir", "w") as file:
        file.write(text)
    inputs = []
    for name, array in INPUTS.items():
        np.save(f"{base}-{name}.npy", array)
        inputs.append(f"--input={name}=@{base}-{name}.npy")
    call(["gpuvm-compile", f"{base}.mlir", "-o", f"{base}.gvplan"])
    wrong = []
    for tool, options in ("gpuvm-run", [f"{base}.gvplan", "--validate"]), ("gpuvm-interpret", [f"{base}.mlir"]):
        files = {name: f"{base}-{tool}-{name}.npy" for name in outputs}
        call([tool, *options, *inputs, *(f"--output={name}=@{path}" for name, path in files.items())])
        for name, expected in outputs.items():
            found = np.load(files[name])
            if found.dtype != expected.dtype or found.shape != expected.shape or not np.array_equal(found, expected, equal_nan=found.dtype.kind == "f"):
                wrong.append(f"{tool}: {name} is {found!r}, not {expected!r}")
    return wrong


def main():
    wrong = [line for through_messages in (False, True) for line in check(sys.argv[1], through_messages)]
    print("\n".join(wrong) or f"{len(CASES)} cases are those of NumPy")
    sys.exit(bool(wrong))


main()
