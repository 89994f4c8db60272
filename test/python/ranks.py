"""One of the ranks that mpirun starts, in Python: ranks.py PLAN OTHER_PLAN."""

import sys

import gpuvm
import numpy as np

with gpuvm.Ranks() as ranks:
    with gpuvm.Vm(sys.argv[1], ranks=ranks) as vm:
        x = np.arange(18, dtype=np.int32).reshape(6, 3) + 100 * ranks.rank
        for _ in range(2):
            out = vm.run(x=x)
        right = np.array_equal(out["sum"], x * 4) and out["times"] == 2
    print(f"{ranks.rank} of {ranks.size}: {'right' if right else out}", flush=True)
    try:
        with gpuvm.Vm(sys.argv[1 if ranks.rank else 2], ranks=ranks):
            print("loaded", flush=True)
    except gpuvm.RankError as error:
        print(f"{ranks.rank}: {error}", flush=True)
