"""Sums of the rows that are there, of few, many, all and none: bounded-sums.mlir in NumPy."""

import subprocess
import sys

import numpy as np

prefix, *plans = sys.argv[1:]
N = 20011
rng = np.random.default_rng(17)
inputs = {"wide": rng.integers(-(2**31), 2**31, (N, 64), np.int32), "narrow": rng.integers(-(2**31), 2**31, (N, 3), np.int32),
          "x": rng.integers(-100, 100, N).astype(np.float32), "few": rng.integers(-9, 9, 40, np.int32)}
for name, value in inputs.items():
    np.save(f"{prefix}.{name}.npy", value)

for count in (0, 1, 3, 255, 256, 257, 1024, 4095, 4096, 8193, N - 1, N):
    less = min(count, 40)
    there = {name: value[: less if name == "few" else count] for name, value in inputs.items()}
    total = int(there["wide"].sum(dtype=np.int64))
    want = {"columns": there["wide"].sum(0, dtype=np.int32), "all": np.int32((total + 2**31) % 2**32 - 2**31),
            "three": there["narrow"].sum(0, dtype=np.int32), "sum": there["x"].sum(dtype=np.float64),
            "most": there["x"].max(initial=-1000), "short": there["few"].sum(dtype=np.int32)}
    for plan in plans:
        command = ["gpuvm-run", plan, "--validate", f"--input=count=i32={count}", f"--input=less=i32={less}"]
        command += [f"--input={name}=@{prefix}.{name}.npy" for name in inputs]
        command += [f"--output={name}=@{prefix}.out.{name}.npy" for name in want]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for name, value in want.items():
            found = np.load(f"{prefix}.out.{name}.npy")
            if not np.array_equal(found, value):
                sys.exit(f"{plan}, {count} rows, {name}: {found}, not {value}")
