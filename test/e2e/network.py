"""Prints a decoder of a language model: the network that memory planning is judged by.

    network.py [--layers N] [--rows N] [--width N] [--heads N] [--hidden N]

Each layer is what today's decoders have: RMS norm, query, key and value projections,
masked attention over the rows, softmax, output projection and residual, RMS norm,
gated feed-forward and residual. A stage for each; the weights are heap symbols that
are bound at load, layer l's named `w_l<l>_query` and so on.
"""

import argparse
import collections

Network = collections.namedtuple("Network", "layers rows width heads hidden")


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def message(type):
    return f"!gpuvm.message<{type}>"


class Writer:
    """Writes stages; values are (name, type), inputs of the program and messages."""

    def __init__(self, network):
        self.n, self.lines, self.symbols, self.count = network, [], [], 0

    def heap(self, stage, *shape):
        name = "w_" + stage
        self.symbols.append((name, shape))
        return name, f"%{name} = gpuvm.load @{name} : {tensor(*shape)}"

    def stage(self, name, operands, type, body):
        """`body` sees operands as %a, %b, ... and makes %result."""
        self.count += 1
        result = f"m{self.count}"
        ports = ", ".join(f"%{letter} = %{value} : {t if value == 'x' else message(t)}"
                          for letter, (value, t) in zip("abc", operands))
        lines = "\n".join("    " + line for line in body)
        self.lines.append(f"  %{result} = gpuvm.stage @{name}({ports}) -> {type} {{\n{lines}\n"
                          f"    gpuvm.send %result : {type}\n  }}")
        return result, type


def generic(result, maps, loops, inputs, out, code, results=1):
    """A linalg.generic; `inputs` and `out` are (name, type), `code` ends with the yielded value's name."""
    names, types = zip(*inputs)
    kinds = ", ".join(f'"{"reduction" if loop == "r" else "parallel"}"' for loop in loops)
    arguments = ", ".join(f"%e{i}: f32" for i in range(len(inputs)))
    return ([f"%{result} = linalg.generic {{indexing_maps = [{', '.join(f'affine_map<{m}>' for m in maps)}], "
             f"iterator_types = [{kinds}]}} ins({', '.join('%' + n for n in names)} : {', '.join(types)}) "
             f"outs(%{out[0]} : {out[1]}) {{",
             f"^bb0({arguments}, %acc: f32):"] + ["  " + line for line in code[:-1]] +
            [f"  linalg.yield %{code[-1]} : f32", f"}} -> {out[1]}"])


def zeros(name, type, value="0.0"):
    return [f"%{name} = arith.constant dense<{value}> : {type}"]


def empty(name, type):
    return [f"%{name} = tensor.empty() : {type}"]


def norm(w, name, x):
    rows, width = w.n.rows, w.n.width
    matrix, column, row = tensor(rows, width), tensor(rows), tensor(width)
    weights, load = w.heap(name, width)
    body = [load] + zeros("zero", column)
    body += generic("squares", ["(i, j) -> (i, j)", "(i, j) -> (i)"], "pr", [("a", matrix)], ("zero", column),
                    ["%p = arith.mulf %e0, %e0 : f32", "%s = arith.addf %acc, %p : f32", "s"])
    body += empty("init", matrix)
    body += generic("result", ["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (j)", "(i, j) -> (i, j)"], "pp",
                    [("a", matrix), ("squares", column), (weights, row)], ("init", matrix),
                    [f"%count = arith.constant {float(width)} : f32", "%tiny = arith.constant 1.0e-5 : f32",
                     "%mean = arith.divf %e1, %count : f32", "%safe = arith.addf %mean, %tiny : f32",
                     "%scale = math.rsqrt %safe : f32", "%y = arith.mulf %e0, %scale : f32",
                     "%z = arith.mulf %y, %e2 : f32", "z"])
    return w.stage(name, [x], matrix, body)


def project(w, name, x, columns, residual=None):
    """x times a matrix of weights, plus the residual."""
    inner = int(x[1].split("x")[1])
    type = tensor(w.n.rows, columns)
    weights, load = w.heap(name, inner, columns)
    body = [load] + zeros("zero", type)
    product = "product" if residual else "result"
    body += [f"%{product} = linalg.matmul ins(%a, %{weights} : {x[1]}, {tensor(inner, columns)}) "
             f"outs(%zero : {type}) -> {type}"]
    if residual:
        body += [f"%result = arith.addf %b, %product : {type}"]
    return w.stage(name, [x] + ([residual] if residual else []), type, body)


def attend(w, layer, query, key, value):
    rows, heads = w.n.rows, w.n.heads
    each = w.n.width // heads
    split, scores = tensor(rows, heads, each), tensor(heads, rows, rows)
    expand = lambda to, name: (f"%{to} = tensor.expand_shape %{name} [[0], [1, 2]] output_shape "
                               f"[{rows}, {heads}, {each}] : {query[1]} into {split}")
    body = [expand("q", "a"), expand("k", "b")] + zeros("zero", scores) + empty("init", scores)
    body += generic("dots", ["(h, i, j, e) -> (i, h, e)", "(h, i, j, e) -> (j, h, e)", "(h, i, j, e) -> (h, i, j)"],
                    "pppr", [("q", split), ("k", split)], ("zero", scores),
                    ["%p = arith.mulf %e0, %e1 : f32", "%s = arith.addf %acc, %p : f32", "s"])
    body += generic("result", ["(h, i, j) -> (h, i, j)"] * 2, "ppp", [("dots", scores)], ("init", scores),
                    ["%i = linalg.index 1 : index", "%j = linalg.index 2 : index",
                     "%seen = arith.cmpi ule, %j, %i : index", f"%unit = arith.constant {each ** -0.5!r} : f32",
                     "%never = arith.constant -1.0e30 : f32", "%y = arith.mulf %e0, %unit : f32",
                     "%z = arith.select %seen, %y, %never : f32", "z"])
    masked = w.stage(f"l{layer}_scores", [query, key], scores, body)

    column = tensor(heads, rows)
    row, whole = "(h, i, j) -> (h, i)", "(h, i, j) -> (h, i, j)"
    body = zeros("low", column, "-1.0e38") + zeros("zero", column) + empty("init", scores)
    body += generic("most", [whole, row], "ppr", [("a", scores)], ("low", column),
                    ["%m = arith.maximumf %acc, %e0 : f32", "m"])
    body += generic("powers", [whole, row, whole], "ppp", [("a", scores), ("most", column)], ("init", scores),
                    ["%d = arith.subf %e0, %e1 : f32", "%p = math.exp %d : f32", "p"])
    body += generic("sums", [whole, row], "ppr", [("powers", scores)], ("zero", column),
                    ["%s = arith.addf %acc, %e0 : f32", "s"])
    body += generic("result", [whole, row, whole], "ppp", [("powers", scores), ("sums", column)], ("init", scores),
                    ["%q = arith.divf %e0, %e1 : f32", "q"])
    weights = w.stage(f"l{layer}_softmax", [masked], scores, body)

    body = [expand("v", "b")] + zeros("zero", split)
    body += generic("mixed", ["(i, h, e, j) -> (h, i, j)", "(i, h, e, j) -> (j, h, e)", "(i, h, e, j) -> (i, h, e)"],
                    "pppr", [("a", scores), ("v", split)], ("zero", split),
                    ["%p = arith.mulf %e0, %e1 : f32", "%s = arith.addf %acc, %p : f32", "s"])
    body += [f"%result = tensor.collapse_shape %mixed [[0], [1, 2]] : {split} into {query[1]}"]
    return w.stage(f"l{layer}_attend", [weights, value], query[1], body)


def layer(w, number, x):
    name = lambda part: f"l{number}_{part}"
    width, hidden = w.n.width, w.n.hidden
    normed = norm(w, name("norm"), x)
    query, key, value = (project(w, name(part), normed, width) for part in ("query", "key", "value"))
    mixed = attend(w, number, query, key, value)
    x = project(w, name("output"), mixed, width, residual=x)
    normed = norm(w, name("norm2"), x)
    gate, up = (project(w, name(part), normed, hidden) for part in ("gate", "up"))
    type = gate[1]
    body = zeros("one", type, "1.0") + [f"%n = arith.negf %a : {type}", f"%p = math.exp %n : {type}",
                                        f"%d = arith.addf %p, %one : {type}", f"%s = arith.divf %a, %d : {type}",
                                        f"%result = arith.mulf %s, %b : {type}"]
    gated = w.stage(name("gated"), [gate, up], type, body)
    return project(w, name("down"), gated, width, residual=x)


def write(network):
    """The program, and the names and shapes of its inputs."""
    w = Writer(network)
    type = tensor(network.rows, network.width)
    x = ("x", type)
    for number in range(network.layers):
        x = layer(w, number, x)
    heaps = "\n".join(f"  gpuvm.heap @{name} : {tensor(*shape)}" for name, shape in w.symbols)
    text = (f"gpuvm.program @network(%x: {type}) -> (y: {type}) {{\n{heaps}\n" + "\n".join(w.lines) +
            f"\n  gpuvm.return %{x[0]} : {message(type)}\n}}\n")
    return text, [("x", (network.rows, network.width))] + w.symbols


def add_arguments(parser):
    for name, default in Network(26, 16, 64, 4, 176)._asdict().items():
        parser.add_argument(f"--{name}", type=int, default=default)


def from_arguments(arguments):
    return Network(*(getattr(arguments, name) for name in Network._fields))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    print(write(from_arguments(parser.parse_args()))[0], end="")
