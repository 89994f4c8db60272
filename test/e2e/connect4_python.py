"""examples/connect4/search.py has the plan of search.mlir, and does the same.

Commands, their stages, kernels and sizes of workgroups are compared, and what two moves of all boards leave behind. Windows
may be in other places, and the loop has another name.

    connect4_python.py GPUVM-PLAN FOLDER
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

import gpuvm

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "connect4"))
import search  # noqa: E402

BOARDS, ITERATIONS = 20, 3
SYMBOLS = ("boards", "tree.visits", "tree.wins", "tree.children", "exploration", "history", "submits", "temper", "chance", "spread")


def commands(tool, plan):
    """One line for each: what it is, of which stages, how large, and which kernel."""
    text = subprocess.run([tool, "show", str(plan)], capture_output=True, text=True, check=True).stdout
    text = text[text.index("\ncommands\n") :].replace("repeat_iterate", "search")
    lines = []
    for line in text.splitlines()[2:]:
        if re.match(r" {1,4}\d+ ", line):
            lines.append(line.split(None, 1)[1])
        elif re.match(r"     (groups|kernel) ", line):
            lines[-1] += ", " + line.strip()
    return lines


def main(tool, folder):
    given, seed, budget = np.zeros((BOARDS, 2), np.uint64), np.array([1, 2], np.int32), np.int64(10**12)
    styles = np.array([[1, ITERATIONS, 2], [1, ITERATIONS, 0]], np.float32)
    by_hand = gpuvm.compile(ROOT / "examples" / "connect4" / "search.mlir", cache=False)
    traced = search.search.compile(given, styles, seed, budget)
    plans = []
    for name, program in (("hand", by_hand), ("python", traced)):
        program.save(folder / f"{name}.gvplan")
        plans.append(commands(tool, folder / f"{name}.gvplan"))
    assert plans[0] == plans[1], "\n".join(f"{a} | {b}" for a, b in zip(*plans) if a != b)
    assert len(plans[0]) > 30

    for _ in range(2):
        got = search.search(given, styles, seed, budget)
        wanted = by_hand(given=given, styles=styles, seed=seed, budget=budget)
        for name in set(wanted) - {"time"}:
            assert np.array_equal(got[name], wanted[name]), name
        assert got["turns"] == ITERATIONS and (got["moves"] >= 0).all()
        given = np.full((BOARDS, 2), 0xFFFFFFFFFFFFFFFF, np.uint64)
    for name in SYMBOLS:
        assert np.array_equal(traced.vm.read(name), by_hand.vm.read(name)), name
    print("the same plan of", len(plans[0]), "commands, and the same trees")


main(sys.argv[1], pathlib.Path(sys.argv[2]))
