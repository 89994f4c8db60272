"""A table and keys of few, many, all and no rows: bounded-inputs.mlir in NumPy; and how many bytes are copied."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

folder, source, *plans = sys.argv[1:]
N, KEYS = 50_000, 300
rng = np.random.default_rng(5)
table = {"price": rng.integers(-50, 50, N, np.int32), "amount": rng.integers(0, 9, N, np.int32)}
keys = rng.integers(-60, 60, KEYS, np.int32)


def run(command: list[str], rows: int, asked: int) -> str:
    given = {**{name: column[:rows] for name, column in table.items()}, "key": keys[:asked]}
    for name, array in given.items():
        np.save(f"{folder}/{name}.npy", array)
    worth = given["price"] * given["amount"]
    want = {"worth": worth, "same": given["key"], "found": (given["key"][:, None] == given["price"]).sum(1, dtype=np.int32),
            "total": worth.sum(dtype=np.int64), "dear": worth[worth > 100], "n": np.int32(rows)}
    inputs = [f"--input={name}=@{folder}/{name}.npy" for name in given]
    outputs = [f"--output={name}=@{folder}/out.{name}.npy" for name in want]
    done = subprocess.run([*command, *inputs, *outputs], check=True, capture_output=True, text=True)
    for name, value in want.items():
        found = np.load(f"{folder}/out.{name}.npy")
        if found.shape != np.shape(value) or not np.array_equal(found, value):
            sys.exit(f"{command}, {rows} rows, {asked} keys, {name}: {found}, not {value}")
    return done.stdout


run(["gpuvm-interpret", source], 70, 9)
copied = {}
for rows, asked in ((0, 0), (0, 3), (1, 300), (255, 1), (16_384, 16), (16_385, 17), (20_480, 0), (49_999, 299), (N, KEYS)):
    for plan in plans:
        stats = json.loads(run(["gpuvm-run", plan, "--validate", "--stats=json"], rows, asked))
        assert stats["submits"] == 1, stats
        copied[rows, asked] = stats["upload_bytes"]
        # All rows, at most a quarter more, and 64 KiB of each table.
        least = 8 * rows + 4 * asked
        if not least <= copied[rows, asked] <= least * 1.25 + 2 * 65536:
            sys.exit(f"{rows} rows, {asked} keys: {copied[rows, asked]} bytes are copied, {least} are given")
assert copied[0, 0] == 0 and copied[N, KEYS] == 8 * N + 4 * KEYS, copied

# As raw bytes of a file, to its end.
Path(folder, "raw").write_bytes(b"head" + table["price"][:1000].tobytes())
for plan in plans:
    command = ["gpuvm-run", plan, "--validate", f"--input=price=@{folder}/raw+4", "--input=amount=1000xi32=1", "--input=key=0xi32=",
               f"--output=total=@{folder}/total.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert np.load(f"{folder}/total.npy") == table["price"][:1000].sum(dtype=np.int64)
