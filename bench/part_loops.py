"""Loops whose iterations depend on each other: Life, lattice Boltzmann, an edit distance.

One execution is all iterations. torch's step is compiled, and all of its steps are one CUDA graph.
"""

import numpy as np

from model import Case, Target, Tensor

TITLE = "Loops"
NOTES = ("Times for one stage are times for one turn.",)


def program(inputs, output, result, body):
    """`body` from messages of the names of `inputs` to a message `%last`."""
    lines = ["gpuvm.program @bench() {"]
    for name, tensor in inputs.items():
        lines += [f"  gpuvm.heap @{name} : {tensor}",
                  f"  %{name} = gpuvm.stage @read_{name}() -> {tensor} {{",
                  f"    %v = gpuvm.load @{name} : {tensor}",
                  f"    gpuvm.send %v : {tensor}", "  }"]
    lines += [f"  gpuvm.global @{output} : {result}", body,
              f"  gpuvm.stage @keep(%v = %last : !gpuvm.message<{result}>) {{",
              f"    gpuvm.store %v, @{output} : {result}", "  }", "  gpuvm.return", "}"]
    return "\n".join(lines) + "\n"


def stepped(step, turns):
    """torch's form: `step` compiled, as often as there are iterations."""
    def call(state, torch):
        compiled = torch.compile(step, dynamic=False)
        for _ in range(turns):
            state = compiled(*state)
        return state
    return call


def life(size, turns):
    grid = Tensor((size, size), "i8", 0, 2)
    body = f"""
  %last = gpuvm.repeat @generations up_to {turns} (%g = %start : !gpuvm.message<{grid}>) {{
    %next = gpuvm.stage @step(%old = %g : !gpuvm.message<{grid}>) -> {grid} {{
      %empty = tensor.empty() : {grid}
      %n = linalg.generic {{indexing_maps = [affine_map<(y, x) -> (y, x)>, affine_map<(y, x) -> (y, x)>],
                           iterator_types = ["parallel", "parallel"]}}
          ins(%old : {grid}) outs(%empty : {grid}) {{
      ^bb0(%alive: i8, %unused: i8):
        %y = linalg.index 0 : index
        %x = linalg.index 1 : index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %back = arith.constant {size - 1} : index
        %none = arith.constant 0 : i8
        %sum = scf.for %dy = %c0 to %c3 step %c1 iter_args(%s = %none) -> i8 {{
          %row = scf.for %dx = %c0 to %c3 step %c1 iter_args(%t = %s) -> i8 {{
            %y1 = arith.addi %y, %dy : index
            %y2 = arith.addi %y1, %back : index
            %y3 = arith.andi %y2, %back : index
            %x1 = arith.addi %x, %dx : index
            %x2 = arith.addi %x1, %back : index
            %x3 = arith.andi %x2, %back : index
            %v = tensor.extract %old[%y3, %x3] : {grid}
            %u = arith.addi %t, %v : i8
            scf.yield %u : i8
          }}
          scf.yield %row : i8
        }}
        // The sum has the cell itself: 3, or 4 if it is alive.
        %three = arith.constant 3 : i8
        %four = arith.constant 4 : i8
        %is3 = arith.cmpi eq, %sum, %three : i8
        %is4 = arith.cmpi eq, %sum, %four : i8
        %was = arith.trunci %alive : i8 to i1
        %stays = arith.andi %is4, %was : i1
        %is = arith.ori %is3, %stays : i1
        %r = arith.extui %is : i1 to i8
        linalg.yield %r : i8
      }} -> {grid}
      gpuvm.send %n : {grid}
    }}
    gpuvm.next %next : !gpuvm.message<{grid}>
  }}"""

    def around(roll, g):
        rows = g + roll(g, 1, 0) + roll(g, -1, 0)
        return rows + roll(rows, 1, 1) + roll(rows, -1, 1)

    def numpy(d):
        g = d["start"]
        for _ in range(turns):
            total = around(np.roll, g)
            g = ((total == 3) | ((total == 4) & (g == 1))).astype(np.int8)
        return g

    def torch(d):
        t = d["torch"]

        def step(g):
            total = around(t.roll, g)
            return (((total == 3) | ((total == 4) & (g == 1))).to(t.int8),)
        return stepped(step, turns)((d["start"],), t)[0]

    return Case(f"Life, {size}x{size}, {turns} generations", program({"start": grid}, "end", grid, body),
                {"start": grid}, "end", grid, reference=numpy, torch={"compiled step": torch}, bound=0, stages=turns,
                bytes=2 * grid.bytes * turns, target=Target(1.0, "torch"))


# Directions of D2Q9 (dy, dx), their weights, and which one is opposite.
DIRECTIONS = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]
WEIGHTS = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
RELAXATION = 1.2


def equilibrium(density, uy, ux):
    """Of each direction; arrays of any library."""
    square = 1.5 * (ux * ux + uy * uy)
    for (dy, dx), weight in zip(DIRECTIONS, WEIGHTS):
        along = 3.0 * (dx * ux + dy * uy)
        yield weight * density * (1.0 + along + 0.5 * along * along - square)


def collided(arrived):
    """A step's last half, of the nine arrays that have arrived."""
    density = sum(arrived[1:], arrived[0])
    uy = sum(dy * f for (dy, _), f in zip(DIRECTIONS, arrived)) / density
    ux = sum(dx * f for (_, dx), f in zip(DIRECTIONS, arrived)) / density
    return [f + RELAXATION * (e - f) for f, e in zip(arrived, equilibrium(density, uy, ux))]


class Scalars:
    """Scalar code in MLIR, for the same arithmetic."""

    def __init__(self, indent):
        self.lines, self.indent, self.count = [], indent, 0

    def add(self, text):
        self.count += 1
        self.lines.append(f"{self.indent}%e{self.count} = {text}")
        return Scalar(self, f"%e{self.count}")


class Scalar:
    def __init__(self, code, name):
        self.code, self.name = code, name

    def _with(self, operation, other):
        if not isinstance(other, Scalar):
            other = self.code.add(f"arith.constant {float(other):.9e} : f32")
        return self.code.add(f"arith.{operation} {self.name}, {other.name} : f32")

    def __add__(self, other):
        return self._with("addf", other)

    def __sub__(self, other):
        return self._with("subf", other)

    def __mul__(self, other):
        return self._with("mulf", other)

    def __truediv__(self, other):
        return self._with("divf", other)

    __rmul__ = __mul__
    __radd__ = __add__


def boltzmann(size, turns):
    grid = Tensor((size, size), "f32", 0.9, 1.1)
    names = [f"f{i}" for i in range(9)]
    whole = Tensor((9, size, size), "f32")
    inputs = {name: grid for name in names}
    code = Scalars("        ")
    arrived = []
    for i, (dy, dx) in enumerate(DIRECTIONS):
        places = []
        for axis, shift in (("y", dy), ("x", dx)):
            if shift == 0:
                places.append(f"%{axis}")
                continue
            by = code.add(f"arith.constant {(size - shift) % size} : index").name
            moved = code.add(f"arith.addi %{axis}, {by} : index").name
            places.append(code.add(f"arith.andi {moved}, %back : index").name)
        arrived.append(code.add(f"tensor.extract %o{i}[{', '.join(places)}] : {grid}"))
    made = [value.name for value in collided(arrived)]
    message, nine = f"!gpuvm.message<{grid}>", lambda text: ", ".join(text.format(i=i) for i in range(9))
    body = f"""
  %l:9 = gpuvm.repeat @steps up_to {turns} ({nine("%g{i} = %f{i} : " + message)}) {{
    %n:9 = gpuvm.stage @step({nine("%o{i} = %g{i} : " + message)}) -> ({nine(str(grid))}) {{
      %empty = tensor.empty() : {grid}
      %r:9 = linalg.generic {{indexing_maps = [{nine("affine_map<(y, x) -> (y, x)>")}],
                           iterator_types = ["parallel", "parallel"]}}
          outs({nine("%empty")} : {nine(str(grid))}) {{
      ^bb0({nine("%u{i}: f32")}):
        %y = linalg.index 0 : index
        %x = linalg.index 1 : index
        %back = arith.constant {size - 1} : index
""" + "\n".join(code.lines) + f"""
        linalg.yield {", ".join(made)} : {nine("f32")}
      }} -> ({nine(str(grid))})
      gpuvm.send {nine("%r#{i}")} : {nine(str(grid))}
    }}
    gpuvm.next {nine("%n#{i}")} : {nine(message)}
  }}
  %last = gpuvm.stage @together({nine("%v{i} = %l#{i} : " + message)}) -> {whole} {{
""" + "\n".join(f"    %t{i} = tensor.expand_shape %v{i} [[0, 1], [2]] output_shape [1, {size}, {size}] : {grid} into tensor<1x{size}x{size}xf32>"
                for i in range(9)) + f"""
    %all = tensor.concat dim(0) {nine("%t{i}")} : ({nine(f"tensor<1x{size}x{size}xf32>")}) -> {whole}
    gpuvm.send %all : {whole}
  }}"""

    def step(roll, populations):
        return collided([roll(f, (dy, dx), (0, 1)) for f, (dy, dx) in zip(populations, DIRECTIONS)])

    def numpy(d):
        state = [d[name] for name in names]
        for _ in range(turns):
            state = [f.astype(np.float32) for f in step(np.roll, state)]
        return np.stack(state)

    def torch(d):
        t = d["torch"]
        last = stepped(lambda *state: step(t.roll, state), turns)([d[name] for name in names], t)
        return t.stack(list(last))

    return Case(f"lattice Boltzmann, {size}x{size}, {turns} steps", program(inputs, "end", whole, body), inputs, "end",
                whole, answer=numpy, torch={"compiled step": torch}, bound=2e-3, stages=turns,
                bytes=2 * whole.bytes * turns, target=Target(3.0, "torch"))


def levenshtein(size):
    """Diagonals of the table of two texts of one length."""
    text, diagonal, number = Tensor((size,), "i8", 0, 4), Tensor((size + 1,), "i32"), Tensor((), "i32")
    turns = 2 * size - 1
    message = f"!gpuvm.message<{diagonal}>"
    body = f"""
  %zeros = arith.constant dense<0> : {diagonal}
  %ones = arith.constant dense<1> : {diagonal}
  // Diagonal d = i + j of the table, by i.
  %x, %l = gpuvm.repeat @diagonal up_to {turns} (%before = %zeros : {diagonal}, %prev = %ones : {diagonal}) {{
    %cur = gpuvm.stage @step(%p2 = %before : {message}, %p1 = %prev : {message},
        %s = %a : !gpuvm.message<{text}>, %t = %b : !gpuvm.message<{text}>) -> {diagonal} {{
      %empty = tensor.empty() : {diagonal}
      %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
          ins(%p1 : {diagonal}) outs(%empty : {diagonal}) {{
      ^bb0(%left: i32, %unused: i32):
        %i = linalg.index 0 : index
        %one = arith.constant 1 : i32
        %zero = arith.constant 0 : i32
        %c1 = arith.constant 1 : index
        %c0 = arith.constant 0 : index
        %d0 = tensor.extract %p1[%c0] : {diagonal}
        %d = arith.addi %d0, %one : i32
        %i1 = arith.subi %i, %c1 : index
        %ii = arith.index_cast %i : index to i32
        %j = arith.subi %d, %ii : i32
        %j1 = arith.subi %j, %one : i32
        %jx = arith.index_cast %j1 : i32 to index
        %up = tensor.extract %p1[%i1] : {diagonal}
        %corner = tensor.extract %p2[%i1] : {diagonal}
        %u = tensor.extract %s[%i1] : {text}
        %v = tensor.extract %t[%jx] : {text}
        %ne = arith.cmpi ne, %u, %v : i8
        %cost = arith.extui %ne : i1 to i32
        %m0 = arith.minsi %left, %up : i32
        %m1 = arith.addi %m0, %one : i32
        %m2 = arith.addi %corner, %cost : i32
        %m = arith.minsi %m1, %m2 : i32
        %top = arith.cmpi eq, %ii, %zero : i32
        %side = arith.cmpi eq, %j, %zero : i32
        %edge = arith.ori %top, %side : i1
        %r = arith.select %edge, %d, %m : i32
        linalg.yield %r : i32
      }} -> {diagonal}
      gpuvm.send %r : {diagonal}
    }}
    gpuvm.next %prev, %cur : {message}, {message}
  }}
  %last = gpuvm.stage @corner(%w = %l : {message}) -> {number} {{
    %m = arith.constant {size} : index
    %v = tensor.extract %w[%m] : {diagonal}
    %r = tensor.from_elements %v : {number}
    gpuvm.send %r : {number}
  }}"""

    def numpy(d):
        a, b = d["a"], d["b"]
        row = np.arange(size + 1, dtype=np.int32)
        for i in range(size):
            # What comes from the left is a running minimum.
            best = np.minimum(row[1:] + 1, row[:-1] + (b != a[i]))
            row = np.concatenate(([i + 1], best)).astype(np.int32)
            row = np.minimum.accumulate(row - np.arange(size + 1)) + np.arange(size + 1)
        return np.int32(row[-1])

    def torch(d):
        t = d["torch"]
        a, b = d["a"], d["b"]
        i = t.arange(size + 1, device=a.device)

        def step(before, previous, turn):
            d_ = turn + 2
            j = d_ - i
            left, up, corner = previous, previous.roll(1), before.roll(1)
            u, v = a[(i - 1).clamp(0, size - 1)], b[(j - 1).clamp(0, size - 1)]
            m = t.minimum(t.minimum(left, up) + 1, corner + (u != v).to(t.int32))
            return previous, t.where((i == 0) | (j == 0), d_, m).to(t.int32), turn + 1

        state = (t.zeros_like(i, dtype=t.int32), t.ones_like(i, dtype=t.int32), t.zeros((), dtype=t.int64, device=a.device))
        return stepped(step, turns)(state, t)[1][size]

    return Case(f"edit distance of {size} and {size}", program({"a": text, "b": text}, "end", number, body),
                {"a": text, "b": text}, "end", number, reference=numpy, torch={"compiled step": torch}, bound=0,
                stages=turns, bytes=(3 * diagonal.bytes + 2 * text.bytes) * turns)


SIZES = {"gpu": ((1024, 500), (128, 1000), 2000), "cpu": ((256, 100), (64, 200), 500)}


def cases(device, _):
    grid, lattice, texts = SIZES[device]
    yield life(*grid)
    yield boltzmann(*lattice)
    if device == "gpu":
        yield boltzmann(1024, 200)
    yield levenshtein(texts)
