"""machine.py PLAN LIBRARY: runs examples/hello.mlir through libgpuvm.so, as bench/ does."""

import array
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import machine  # noqa: E402  (bench/machine.py)

plan, library = sys.argv[1:]
vm = machine.Machine(machine.load_library(library))
vm.load(plan)
try:
    vm.execute()
except machine.Failure as failure:
    print("unbound:", failure)
try:
    vm.bind("x", array.array("f", [1.0] * 7))
except machine.Failure as failure:
    print("short:", failure)
vm.bind("x", array.array("f", range(1, 9)))
times = vm.execute()
answer = array.array("f", [0.0])
vm.read("sum", answer)
print("sum:", answer[0])
print("times:", all(times[key] > 0 for key in ("wall_us", "device_us")))
stats = vm.stats()
print("stats:", stats["executions"], stats["dispatches"], stats["upload_bytes"])
vm.close()
