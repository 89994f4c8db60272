"""Plans that need more memory than the budget: what only kernels read lies in host memory, and results are the same.

    host_memory.py FOLDER model | table | refused

`model`: a language model with a budget of half of its weights. `table`: a query over a table with a budget that the table alone is
more than. `refused`: budgets that are too small even so. Exits 1 and says what differs.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np

import gguf_models


class Large(gguf_models.Model):
    """Weights of 44 MB: many times what the rest of the plan takes."""

    layers, width, inner, heads, caches, size, vocabulary = 3, 512, 2560, 8, 2, 64, 10000

    def __init__(self, kind, seed=0):
        super().__init__(kind, seed)
        self.tensors["token_embd.weight"] /= 8


def run(*arguments, code=0):
    """What a program says on standard output, and as a warning or an error."""
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != code:
        sys.exit(f"{' '.join(arguments[:3])}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def saved(folder, name, array, dtype):
    path = os.path.join(folder, name + ".npy")
    np.save(path, np.asarray(array, dtype))
    return "@" + path


def host_bytes(text):
    found = re.search(r"^host_bytes +(\d+)$", text, re.M)
    return int(found[1])


def model(folder):
    path = lambda name: os.path.join(folder, name)
    own = Large("llama", seed=3)
    places = own.write(path("model.gguf"))
    run("gpuvm-compile", path("model.gguf"), "-o", path("model.gvplan"), "--program=prefill,generate", "--llm-context=64",
        "--llm-chunk=16", "--llm-tokens=8", "--llm-candidates=40")
    prompt = np.zeros(64, "i4")
    prompt[:20] = np.random.default_rng(1).integers(0, own.vocabulary, 20)
    arguments = ["gpuvm-run", path("model.gvplan"), "--run=prefill,generate",
                 *(f"--input={name}=@{path('model.gguf')}+{place}" for name, place in places.items()),
                 f"--input=prompt={saved(folder, 'prompt', prompt, 'i4')}", "--input=length=i32=20", "--input=prefill.from=i32=0",
                 "--input=limit=i32=8", f"--input=ends={saved(folder, 'ends', np.full(8, -1), 'i4')}", "--input=temperature=f32=0",
                 "--input=top_k=i32=40", "--input=top_p=f32=0.95", "--input=min_p=f32=0.05",
                 f"--input=seed={saved(folder, 'seed', [1, 2], 'i4')}", "--stats", "--output=count"]
    weights = sum(array.nbytes for array in own.tensors.values())

    def tokens(name, *options):
        """The tokens, how many bytes lie in host memory, and the warning."""
        out, error = run(*arguments, f"--output=tokens=@{path(name)}.npy", f"--output=keys.0=@{path(name)}-keys.npy", *options)
        assert "count: i32=8" in out and host_bytes(out) == int(("0 " + error).split(" bytes")[0].split()[-1]), (out, error)
        return [*np.load(path(name) + ".npy")[:8]], np.load(path(name) + "-keys.npy").tobytes(), host_bytes(out), error

    wanted, keys, none, silence = tokens("whole")
    assert none == 0 and silence == "", (none, silence)
    got, same, moved, warning = tokens("half", f"--vram-budget={weights // 2}")
    assert got == wanted and same == keys, (got, wanted)
    # The rest of the plan has its place in the budget, too: a bit more than half moves.
    assert weights // 2 < moved < weights, (moved, weights)
    assert warning.startswith(f"gpuvm-run: warning: {moved} bytes of the plan lie in host memory"), warning
    # What the programs remember is the same file.
    for name, options in (("all", []), ("part", [f"--vram-budget={weights // 2}"])):
        run(*arguments, *options, f"--save={path(name)}")
    states = [open(path(name), "rb").read() for name in ("all", "part")]
    assert states[0] == states[1], "states differ"
    run(*arguments, f"--vram-budget={weights // 2}", f"--restore={path('all')}")
    print(f"model: the same tokens and keys with half of its weights' bytes ({len(wanted)} tokens)")


def q6(folder):
    """Query 6 of TPC-H over made-up rows: its arguments of gpuvm-run, the answer, the table's bytes and the largest column's."""
    rows = 2_000_000
    random = np.random.default_rng(2)
    columns = {"l_shipdate": random.integers(8036, 10562, rows, "i4"), "l_discount": random.integers(0, 11, rows, "i1"),
               "l_quantity": random.integers(1, 51, rows, "i1"), "l_extendedprice": random.integers(90000, 10494951, rows, "i8")}
    source = pathlib.Path(__file__).resolve().parents[2] / "examples/tpch/q6.mlir"
    plan = os.path.join(folder, "q6.gvplan")
    run("gpuvm-compile", str(source), f"--set=lines={rows}", "-o", plan)
    ship, discount, quantity, price = columns.values()
    kept = (ship >= 8766) & (ship < 9131) & (discount >= 5) & (discount <= 7) & (quantity < 24)
    answer = int((price[kept] * discount[kept]).sum())
    arguments = ["gpuvm-run", plan, "--stats",
                 *(f"--input={name}={saved(folder, name, column, column.dtype)}" for name, column in columns.items())]
    return arguments, answer, sum(column.nbytes for column in columns.values()), price.nbytes


def refusal(arguments):
    """What the plan needs, and how much of it can lie in host memory, as the refusal of a budget of a byte says."""
    _, error = run(*arguments, "--vram-budget=1", code=6)
    needed, _, movable = re.findall(r"\d+", error.split("takes")[1].split(" - ")[0])
    return int(needed), int(movable)


def table(folder):
    arguments, answer, table_bytes, price_bytes = q6(folder)
    # The second budget has room for nothing of the table.
    needed, movable = refusal(arguments)
    for budget, moved in ((needed - price_bytes, price_bytes), (needed - movable, table_bytes)):
        out, _ = run(*arguments, f"--vram-budget={budget}", "--iterations=3")
        assert f"revenue: i64={answer}\n" in out, (out, answer)
        assert moved <= host_bytes(out) < moved + 4096, (host_bytes(out), moved)
        assert re.search(r"^submits +1$", out, re.M), out
    profile, _ = run(*arguments, f"--vram-budget={needed - movable}", "--profile=json", "--quiet")
    assert json.loads(profile.splitlines()[-1])["host_bytes"] == host_bytes(profile), profile
    print("table: the same answer with less memory than the table has bytes")


def refused(folder):
    arguments, _, table_bytes, _ = q6(folder)
    needed, movable = refusal(arguments)
    assert table_bytes <= movable < table_bytes + 4096 and movable < needed, (needed, movable)
    _, error = run(*arguments, f"--vram-budget={needed - movable - 1}", code=6)
    print(error.strip())


def main():
    folder, what = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    {"model": model, "table": table, "refused": refused}[what](folder)


main()
