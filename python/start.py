"""Measures how long a program takes to begin: start.py [RUNS]. Medians of processes, in seconds.

Each process imports NumPy first, then gpuvm, compiles examples/hello.mlir and calls it. Cold: nothing is kept, neither plans
nor kernels of gpuvm and the driver. Warm: both are.
"""

from __future__ import annotations

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HELLO = pathlib.Path(__file__).resolve().parents[1] / "examples" / "hello.mlir"
TEXT = f"""
import time
times = [time.perf_counter()]
def lap(): times.append(time.perf_counter())
import numpy as np
lap()
import gpuvm
lap()
program = gpuvm.compile({str(HELLO)!r})
lap()
x = np.arange(8, dtype=np.float32)
assert program(x=x)["sum"] == 140
lap()
program(x=x)
lap()
for _ in range(100):
    program(x=x)
lap()
print(*(after - before for before, after in zip(times, times[1:])))
"""
LAPS = ("import numpy", "import gpuvm", "compile", "first call", "second call", "100 calls")


def run(folder: str) -> list[float]:
    names = ("GPUVM_CACHE_DIR", "XDG_CACHE_HOME", "MESA_SHADER_CACHE_DIR")
    environment = {**os.environ, **{name: os.path.join(folder, name) for name in names}}
    said = subprocess.run([sys.executable, "-c", TEXT], env=environment, check=True, capture_output=True, text=True).stdout
    return [float(word) for word in said.split()]


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        cold = [run(os.path.join(folder, str(i))) for i in range(runs)]
        warm = [run(os.path.join(folder, "0")) for _ in range(runs)]
    print(f"{'seconds':14}{'cold':>16}{'warm':>16}   median (least to most) of {runs} processes")
    for lap, name in enumerate(LAPS):
        for how in (cold, warm):
            values = sorted(each[lap] for each in how)
            text = f"{statistics.median(values):.4f} ({values[0]:.4f} to {values[-1]:.4f})"
            print(f"{name if how is cold else '':14}{'cold' if how is cold else 'warm':6}{text}")


main()
