"""Programs of several ranks, under mpirun, against NumPy on whole tensors.

    run.py [NAME...] [--ranks 2 4] [--numbers N] [--columns FOLDER] [--work FOLDER]

Each program runs on each number of ranks, whose devices are those that gpuvm-run finds. Without a NAME machines.py runs,
too, and with columns of TPC-H shards.py. --numbers is for sort: how many all ranks have.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


class Run:
    """One program on some ranks, in a folder of its own."""

    def __init__(self, work, name, ranks, numbers=None):
        self.folder, self.name, self.ranks, self.numbers = work / f"{name}.{ranks}", name, ranks, numbers
        self.folder.mkdir(parents=True, exist_ok=True)
        self.inputs, self.outputs = [], []

    def room(self, name, shape, dtype):
        """An input of which each rank has its part of the rows, to be filled: a file, which need not fit into memory."""
        self.inputs.append(f"--input={name}=@{self.folder}/{name}.npy[{{rank}}/{{ranks}}]")
        return np.lib.format.open_memmap(self.folder / f"{name}.npy", "w+", dtype, shape)

    def whole(self, name, array):
        """An input of which each rank has its part of the rows."""
        self.room(name, array.shape, array.dtype)[...] = array

    def parts(self, name, arrays):
        """An input that each rank has for itself."""
        for rank, array in enumerate(arrays):
            np.save(self.folder / f"{name}.{rank}.npy", array)
        self.inputs.append(f"--input={name}=@{self.folder}/{name}.{{rank}}.npy")

    def execute(self, outputs, **sets):
        """The outputs' arrays, a list with one of each rank by name."""
        plan = self.folder / "plan.gvplan"
        subprocess.run(["gpuvm-compile", HERE / f"{self.name}.mlir", "-o", plan] +
                       [part for name, value in {"ranks": self.ranks, **sets}.items() for part in ("--set", f"{name}={value}")],
                       check=True)
        start = ["mpirun", "-n", str(self.ranks), "--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
        files = [f"--output={name}=@{self.folder}/{name}.out.{{rank}}.npy" for name in outputs]
        subprocess.run(start + ["gpuvm-run", plan, "--quiet", "--timeout=900"] + self.inputs + files, check=True)
        return {name: [np.load(self.folder / f"{name}.out.{rank}.npy", mmap_mode="r") for rank in range(self.ranks)]
                for name in outputs}


def heat(run):
    start = np.random.default_rng(1).random((256, 256), dtype=np.float32)
    run.whole("start", start)
    end = np.concatenate(run.execute(["end"], n=256, deep=4, rounds=25)["end"])
    whole = start
    for _ in range(100):
        around = (np.roll(whole, 1, 0) + np.roll(whole, -1, 0)) + (np.roll(whole, 1, 1) + np.roll(whole, -1, 1))
        whole = whole + (around - whole * np.float32(4)) * np.float32(0.125)
    assert np.array_equal(end, whole)
    return "100 iterations of 256 x 256, each bit as on one rank"


def life(run):
    start = np.random.default_rng(3).integers(0, 2, (192, 256), dtype=np.int8)
    run.whole("start", start)
    result = run.execute(["end", "alive"], rows=192, width=256, generations=200)
    whole = start
    for _ in range(200):
        three = np.roll(whole, 1, 0) + whole + np.roll(whole, -1, 0)
        nine = np.roll(three, 1, 1) + three + np.roll(three, -1, 1)
        whole = ((nine == 3) | ((nine == 4) & (whole == 1))).astype(np.int8)
    assert np.array_equal(np.concatenate(result["end"]), whole)
    assert all(alive == whole.sum() for alive in result["alive"])
    return f"200 generations of 192 x 256, {whole.sum()} cells live"


def lattice(run):
    ways = np.array([(y, x) for x in (0, 1, -1) for y in (0, 1, -1)])
    weights = np.array([(4 / 9, 1 / 9, 1 / 36)[abs(y) + abs(x)] for y, x in ways])[:, None, None]
    start = (weights * (1 + 0.1 * np.random.default_rng(7).random((9, 96, 128)))).astype(np.float32)
    run.parts("start", np.split(start, run.ranks, 1))
    end = np.concatenate(run.execute(["end"], rows=96, width=128, steps=100)["end"], 1)
    whole = start.astype(np.float64)
    for _ in range(100):
        whole = np.stack([np.roll(part, way, (0, 1)) for part, way in zip(whole, ways)])
        mass = whole.sum(0)
        flow = np.tensordot(ways.T, whole, 1) / mass
        along = 3 * np.tensordot(ways, flow, 1)
        whole += 1.2 * (weights * mass * (1 + along + along * along / 2 - 1.5 * (flow * flow).sum(0)) - whole)
    error = np.abs(end - whole).max() / whole.max()
    assert error < 1e-5, error
    return f"100 steps of 96 x 128 cells, {error:.1e} of the largest from NumPy in f64"


def pagerank(run):
    vertices, edges = 4096, 40000
    random = np.random.default_rng(2)
    source = (vertices * random.random(edges) ** 2).astype(np.int32)
    target = random.integers(0, vertices, edges)
    degree = np.bincount(source, minlength=vertices).astype(np.int32)
    own = vertices // run.ranks
    blocks = []
    for rank in range(run.ranks):
        mine = np.flatnonzero(target // own == rank)
        mine = mine[np.argsort(target[mine], kind="stable")]
        offsets = np.searchsorted(target[mine] - rank * own, np.arange(own + 1))
        blocks.append((source[mine], offsets.astype(np.int32)))
    most = max(len(sources) for sources, _ in blocks)
    run.parts("source", [np.pad(sources, (0, most - len(sources))) for sources, _ in blocks])
    run.parts("offsets", [offsets for _, offsets in blocks])
    run.whole("degree", degree)
    rank = np.concatenate(run.execute(["rank"], vertices=vertices, edges=most)["rank"])
    whole = np.full(vertices, 1 / vertices)
    for _ in range(20):
        arrived = np.bincount(target, weights=(whole / np.maximum(degree, 1))[source], minlength=vertices)
        whole = 0.15 / vertices + 0.85 * (arrived + whole[degree == 0].sum() / vertices)
    error = np.abs(rank - whole).max() / whole.max()
    assert error < 1e-6, error
    return f"20 iterations, {vertices} vertices, {edges} edges, {error:.1e} of the largest rank from NumPy in f64"


def is_sorted(parts, x):
    """Whether `parts`, one after the other, are the numbers of `x` in order; some 2^25 of them are in memory at a time."""
    edges = np.linspace(-2**31, 2**31, (len(x) >> 25) + 2).astype(np.int64)
    at = 0
    for low, high in zip(edges, edges[1:]):
        chunks = (x[begin:begin + (1 << 24)] for begin in range(0, len(x), 1 << 24))
        right = np.sort(np.concatenate([chunk[(chunk >= low) & (chunk < high)] for chunk in chunks]))
        begins = at - np.cumsum([0] + [len(part) for part in parts[:-1]])
        found = [part[max(begin, 0):max(begin + len(right), 0)] for part, begin in zip(parts, begins)]
        if not np.array_equal(np.concatenate(found), right):
            return False
        at += len(right)
    return at == sum(len(part) for part in parts)


def sort(run):
    block = 65536
    sets = {}
    if run.numbers:  # More samples, and less room for what they cannot say.
        block = run.numbers // run.ranks // 4096 * 4096
        sets = {"samples": 4096, "spare": 32}
    x = run.room("x", (block * run.ranks,), np.int32)
    random = np.random.default_rng(4)
    for begin in range(0, len(x), 1 << 24):
        x[begin:begin + (1 << 24)] = random.integers(-2**31, 2**31, min(1 << 24, len(x) - begin), dtype=np.int32)
    result = run.execute(["sorted", "count"], block=block, **sets)
    parts = [rows[:count] for rows, count in zip(result["sorted"], result["count"])]
    assert is_sorted(parts, x)
    return f"{len(x)} numbers, ranks have " + ", ".join(str(len(part)) for part in parts)


def transformer(run):
    tokens, model, heads, depth, hidden = 64, 128, 8, 32, 512
    random = np.random.default_rng(5)

    def normal(*shape):
        return (random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
    x, g1, g2 = normal(tokens, model), 1 + normal(model), 1 + normal(model)
    wq, wk, wv, w1, w3 = (normal(model, size) for size in (heads * depth,) * 3 + (hidden,) * 2)
    wo, w2 = normal(heads * depth, model), normal(hidden, model)
    for name, array in (("x", x), ("g1", g1), ("g2", g2)):
        run.parts(name, [array] * run.ranks)
    for name, array, axis in (("wq", wq, 1), ("wk", wk, 1), ("wv", wv, 1), ("w1", w1, 1), ("w3", w3, 1), ("wo", wo, 0), ("w2", w2, 0)):
        run.parts(name, [np.ascontiguousarray(part) for part in np.split(array, run.ranks, axis)])
    outputs = run.execute(["y"])["y"]

    def norm(v, gain):
        return v / np.sqrt((v * v).mean(1, keepdims=True) + 1e-5) * gain
    v = x.astype(np.float64)
    q, k, values = (np.moveaxis((norm(v, g1) @ w).reshape(tokens, heads, depth), 1, 0) for w in (wq, wk, wv))
    scores = q @ np.moveaxis(k, 1, 2) / np.sqrt(depth) + np.triu(np.full((tokens, tokens), -np.inf), 1)
    weights = np.exp(scores - scores.max(2, keepdims=True))
    heads_out = np.moveaxis(weights / weights.sum(2, keepdims=True) @ values, 0, 1).reshape(tokens, -1)
    v = v + heads_out @ wo
    n = norm(v, g2)
    v = v + ((n @ w1) * (n @ w3) / (1 + np.exp(-(n @ w3)))) @ w2
    assert all(np.array_equal(outputs[0], one) for one in outputs)
    error = np.abs(outputs[0] - v).max() / np.abs(v).max()
    assert error < 1e-5, error
    return f"one layer with {heads // run.ranks} heads and {hidden // run.ranks} hidden units a rank, {error:.1e} of the largest from NumPy in f64"


def pipeline(run):
    batches, rows, model, hidden = 8, 16, 128, 512
    random = np.random.default_rng(6)
    x = random.standard_normal((batches, rows, model), dtype=np.float32)
    weights = [[(random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32) for shape in ((model, hidden), (hidden, model))]
               for _ in range(run.ranks)]
    run.parts("inputs", [x] * run.ranks)
    run.parts("w1", [own[0] for own in weights])
    run.parts("w2", [own[1] for own in weights])
    got = run.execute(["outputs"], batches=batches)["outputs"][-1]
    v = x.astype(np.float64)
    for w1, w2 in weights:
        v = v + np.maximum(v @ w1, 0) @ w2
    error = np.abs(got - v).max() / np.abs(v).max()
    assert error < 1e-5, error
    return f"{batches} batches through a block a rank, {error:.1e} of the largest from NumPy in f64"


PROGRAMS = {program.__name__: program for program in (heat, life, lattice, pagerank, sort, transformer, pipeline)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)}; all if none is given")
    parser.add_argument("--ranks", nargs="+", type=int, default=[2, 4])
    parser.add_argument("--numbers", type=int, help="for sort: of all ranks")
    parser.add_argument("--columns", type=pathlib.Path, help="of ../tpch/columns.py: shards.py on them, too")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("ranks"))
    options = parser.parse_args()
    work = options.work.resolve()
    for name in options.names or PROGRAMS:
        if name not in PROGRAMS:
            sys.exit(f"run.py: there is no program \"{name}\" ({', '.join(PROGRAMS)}).")
        for ranks in options.ranks:
            print(f"{name} on {ranks} ranks: {PROGRAMS[name](Run(work, name, ranks, options.numbers))}", flush=True)
    for ranks in options.ranks if not options.names else ():
        others = [["machines.py"]] + ([["shards.py", "q1", "q3", "q5", "q6", "--columns", options.columns]] if options.columns else [])
        for other in others:
            subprocess.run([sys.executable, HERE / other[0], *other[1:], "--work", work / other[0], "--ranks", str(ranks)], check=True)


if __name__ == "__main__":
    main()
