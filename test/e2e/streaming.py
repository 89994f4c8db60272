"""Files that stream through examples/streaming/totals.mlir, against NumPy.

    streaming.py PLAN FOLDER

PLAN was compiled with --keep-metadata. Also: that memory does not grow with the file.
Prints what was checked; exits 1 at the first thing that is wrong.
"""

import os
import re
import subprocess
import sys

import numpy as np

CHUNK = 16384
ENDLESS = 1 << 62


def stream(plan, folder, readings, wanted=ENDLESS, name="readings.npy", raw=False):
    """Streams an array; returns what was kept, the sums of the chunks, total and rows."""
    path = os.path.join(folder, name)
    if raw:
        readings.tofile(path)
    else:
        np.save(path, readings)
    outputs = {key: os.path.join(folder, key + ".bin") for key in ("kept", "sums")}
    command = ["gpuvm-run", plan, f"--input=wanted=i64={wanted}", f"--stream=readings={path}",
               *(f"--stream-output={key}={file}" for key, file in outputs.items()), "--output=total", "--output=rows"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    total = [int(x) for x in re.search(r"^total: 2xi64=(\S+) (\S+)$", printed, re.M).groups()]
    rows = int(re.search(r"^rows: i64=(\S+)$", printed, re.M).group(1))
    return np.fromfile(outputs["kept"], np.int32), np.fromfile(outputs["sums"], np.int64).reshape(-1, 2), total, rows


def check(what, actual, expected):
    if not np.array_equal(actual, expected):
        sys.exit(f"{what}: {actual}, but NumPy has {expected}.")


def compare(plan, folder, readings, chunks=None, **how):
    """The first `chunks` chunks of `readings` (all of them unless given) must have gone through."""
    kept, sums, total, rows = stream(plan, folder, readings, **how)
    real = readings if chunks is None else readings[:chunks * CHUNK]
    parts = [part[part > 5].astype(np.int64) for part in np.split(real, range(CHUNK, len(real), CHUNK))]
    check("kept", kept, real[real > 5])
    check("sums", sums, [[part.sum(), len(part)] for part in parts])
    check("total", total, [sum(part.sum() for part in parts), sum(len(part) for part in parts)])
    check("rows", rows, len(real))
    print(f"{len(readings)} rows, {len(parts)} chunks, {total[1]} kept")


def peak_bytes(plan, folder, chunks):
    """Peak memory of a run on a file of so many chunks of zeros, which takes no room on the disk."""
    path = os.path.join(folder, "zeros.bin")
    with open(path, "wb") as file:
        file.truncate(chunks * CHUNK * 4)
    command = ["gpuvm-run", plan, f"--input=wanted=i64={ENDLESS}", f"--stream=readings={path}", "--output=rows"]
    child = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{command} fails.")
    return usage.ru_maxrss * 1024


def main():
    plan, folder = sys.argv[1:]
    random = np.random.default_rng(7)
    batches = [np.zeros(CHUNK, np.int32) for _ in range(3)]  # Conformance case 9.
    batches[0][:8] = range(2, 18, 2)
    batches[1][-8:] = range(100, 900, 100)
    batches[2][:5] = range(1, 6)
    compare(plan, folder, np.concatenate(batches))
    many = random.integers(-1000, 1000, 9 * CHUNK + 12345, dtype=np.int32)
    compare(plan, folder, many)
    compare(plan, folder, many[:3 * CHUNK], raw=True, name="readings.bin")
    compare(plan, folder, many[:1])
    found = np.cumsum([(part > 5).sum() for part in np.split(many, range(CHUNK, len(many), CHUNK))])
    compare(plan, folder, many, chunks=4, wanted=found[3])
    compare(plan, folder, many, chunks=5, wanted=found[3] + 1)
    few, more = peak_bytes(plan, folder, 2), peak_bytes(plan, folder, 160)
    if more - few > 4 << 20:
        sys.exit(f"160 chunks take {more} bytes of memory, but 2 take {few}.")
    print("memory does not grow with the file")


if __name__ == "__main__":
    main()
