"""Agents that walk, tire, rest and wake again: instances.mlir in NumPy."""

import subprocess
import sys

import numpy as np

prefix, program, count, how = sys.argv[1:]
count = int(count)
terrain = np.array([0.25, 0.5, 0.25, 1.0, 2.0, 1.5, 0.25, 0.75], np.float32)
outputs = ("active", "worst", "tired", "farthest")

rng = np.random.default_rng(11)
start = np.zeros((count, 4), np.float32)
start[:, 0] = rng.integers(0, 8, count)
start[:, 1] = rng.integers(0, 13, count) / 4
np.save(f"{prefix}.start.npy", start)

x, energy = start[:, 0].copy(), start[:, 1].copy()
rest = np.zeros(count, np.int32)
want = {"active": [], "worst": [], "tired": 0, "farthest": 0.0}
for _ in range(12):
    awake = rest == 0
    price = terrain[x.astype(int) & 7]
    energy = np.where(awake, np.where(energy < 1, 3, energy) - price, energy)
    x = x + awake
    tired = awake & (energy < 1)
    want["active"].append(int(awake.sum()))
    want["worst"].append(2 * int(tired.any()))
    want["tired"] += 2 * int(tired.sum())
    want["farthest"] = max(want["farthest"], float(x[awake].max(initial=0)))
    rest = np.where(tired, 3, np.maximum(rest - 1, 0))
assert min(want["active"]) < count / 2 < max(want["active"]) and want["tired"] > count


def check(command):
    options = [f"--input=start=@{prefix}.start.npy"] + [f"--output={o}=@{prefix}.{o}.npy" for o in outputs]
    subprocess.run(command + options, check=True, stdout=subprocess.DEVNULL)
    for name in outputs:
        found = np.load(f"{prefix}.{name}.npy")
        if not np.array_equal(found, want[name]):
            sys.exit(f"{' '.join(command)}, {name}: {found}, not {want[name]}")


if how == "interpret":
    check(["gpuvm-interpret", program])
for options in ([], ["--fusion=stages", "--chains=never", "--park=always"]):
    plan = f"{prefix}.{how}.gvplan"
    subprocess.run(["gpuvm-compile", program, "-o", plan] + options, check=True)
    check(["gpuvm-run", plan, "--validate", "--iterations=2"])
