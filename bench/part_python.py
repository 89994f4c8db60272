"""Programs in Python: the same three in gpuvm's language, in tinygrad and in Warp, and in NumPy, on this machine's
processor. How many lines they are, how long a process takes that has nothing in its caches, one that has, and a call."""

import ast
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
from gpuvm import ROOT, Missing
from measure import interleave, spread

HERE = pathlib.Path(__file__).resolve().parent / "python_peers"
WANTED = HERE / "requirements.txt"
PROGRAMS = {"life": "Game of Life, 1,024 x 1,024, 100 steps", "mandelbrot": "Mandelbrot set, 1,024 x 1,024, at most 200 steps",
            "kmeans": "k-means, 100,000 points of 8 numbers, 16 groups, 20 iterations"}
PEERS = ("gpuvm", "tinygrad", "warp", "numpy")
REPEATS, CALLS = 5, 5
TOLERANCE = 0.01  # Of centres: points between two groups go where rounding sends them.


def install(cache):
    """The Python of a venv with the peers, made once."""
    venv = cache / "python-peers"
    python, stamp = venv / "bin" / "python", venv / WANTED.name
    if stamp.exists() and stamp.read_bytes() == WANTED.read_bytes():
        return python
    print("installing tinygrad and Warp ...", file=sys.stderr, flush=True)
    for command in ([sys.executable, "-m", "venv", "--clear", venv],
                    [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes",
                     "-r", WANTED]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(f"the peers cannot be installed here ({(done.stderr.strip().splitlines() or ['no message'])[-1]})")
    stamp.write_bytes(WANTED.read_bytes())
    return python


def lines_of(peer, program):
    """Lines of a program's function, and of those that it names, without blank ones and texts for readers."""
    path = ROOT / "examples" / "python" / f"{program}.py" if peer == "gpuvm" else HERE / f"{peer}_programs.py"
    text = path.read_text()
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    wanted, found = [program], set()
    while wanted:
        name = wanted.pop()
        if name in functions and name not in found:
            found.add(name)
            wanted += [node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)]
    numbers = set()
    for node in map(functions.get, found):
        numbers |= set(range(min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.end_lineno + 1))
        if ast.get_docstring(node):
            numbers -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    rows = text.splitlines()
    return sum(1 for number in numbers if rows[number - 1].strip())


def environment(folder):
    """All caches in one folder."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "GPUVM_LIBRARY_DIR": str(ROOT / "build" / "lib"),
            "GPUVM_CACHE_DIR": str(folder / "gpuvm"), "XDG_CACHE_HOME": str(folder), "WARP_CACHE_PATH": str(folder / "warp"),
            "CACHEDB": str(folder / "tinygrad.db"), "DEV": "CPU", "CC": shutil.which("clang-22") or "clang"}


def subject(python, folder, peer, program):
    """A process without caches, and the same again."""
    caches, result = folder / f"{peer}-{program}", folder / f"{peer}-{program}.npy"

    def process(calls):
        command = [python, "-B", HERE / "start.py", peer, program, result, str(calls)]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=environment(caches))
        if done.returncode:
            raise RuntimeError(f"{peer}, {program}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
        return json.loads(done.stdout.splitlines()[-1])

    def sample():
        shutil.rmtree(caches, ignore_errors=True)
        caches.mkdir()
        cold, warm = process(0), process(CALLS)
        return {"cold_s": cold["import"] + cold["first"], "warm_s": warm["import"] + warm["first"],
                "call_ms": 1e3 * sorted(warm["calls"])[CALLS // 2]}

    return sample, result


def run(vm, options):
    if vm.bundle or options.device not in ("", "cpu"):
        raise Missing("its peers run on the processor")
    folder = pathlib.Path(vm.scratch.name)
    names = ("gpuvm", "numpy") if options.no_peers else PEERS
    python = install(options.cache)
    rows = []
    for program, title in PROGRAMS.items():
        if options.case not in title:
            continue
        subjects = {peer: subject(python, folder, peer, program) for peer in names}
        samples = interleave({peer: sample for peer, (sample, _) in subjects.items()}, min(REPEATS, options.repeats), program)
        wanted = np.load(subjects["numpy"][1])
        for peer in names:
            found = np.load(subjects[peer][1])
            if found.shape != wanted.shape or np.abs(found - wanted).max() > (TOLERANCE if program == "kmeans" else 0):
                raise RuntimeError(f"{title}: {peer} differs from NumPy by {np.abs(found - wanted).max()}")
            rows.append({"what": title, "in": peer, "lines": lines_of(peer, program),
                         **{key: spread(values) for key, values in samples[peer].items()}})
    return {"title": "Programs in Python", "left_out": [], "rows": rows, "notes": [
        "cold: a process with empty caches from the import to the first result, NumPy's import left out; warm: the next process.",
        "call: with arrays of NumPy in and out. Warp's threads on a processor are one."]}
