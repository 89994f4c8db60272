"""What a replay costs the host: chains of 1 to 1,000 stages, one submit each."""

import numpy as np

from model import Case, Tensor

TITLE = "Replay of a recorded chain"
NOTES = ("Each stage adds 1 to 1,024 f32; fusion is off, so every stage is a dispatch.",
         "host us: wall time less the device's time for copies and commands.",
         "IREE's program has as many dispatch regions, which are dispatches of one command buffer; "
         "its process measures itself, from the call to the result.")
STAGES = (1, 10, 100, 1000)
ELEMENTS = 1024


def program(stages):
    """A chain in which each stage adds one to its message."""
    tensor = f"tensor<{ELEMENTS}xf32>"
    lines = [f"gpuvm.program @chain(%x: {tensor}) -> (y: {tensor}) {{"]
    for i in range(stages):
        source = "%x" if i == 0 else f"%m{i - 1}"
        kind = tensor if i == 0 else f"!gpuvm.message<{tensor}>"
        lines += [f"  %m{i} = gpuvm.stage @s{i}(%in = {source} : {kind}) -> {tensor} {{",
                  f"    %one = arith.constant dense<1.0> : {tensor}",
                  f"    %next = arith.addf %in, %one : {tensor}",
                  f"    gpuvm.send %next : {tensor}",
                  "  }"]
    lines += [f"  gpuvm.return %m{stages - 1} : !gpuvm.message<{tensor}>", "}", ""]
    return "\n".join(lines)


def iree(stages):
    """The same for IREE: as many dispatches of one command buffer."""
    tensor = f"tensor<{ELEMENTS}xf32>"
    lines = [f"func.func @bench(%m0: {tensor}) -> {tensor} {{",
             f"  %one = arith.constant dense<1.0> : {tensor}"]
    for i in range(stages):
        lines += [f"  %m{i + 1} = flow.dispatch.region -> ({tensor}) {{",
                  f"    %next = arith.addf %m{i}, %one : {tensor}",
                  f"    flow.return %next : {tensor}",
                  "  }"]
    return "\n".join([*lines, f"  return %m{stages} : {tensor}", "}", ""])


def cases(device, options):
    x = Tensor((ELEMENTS,), "f32")
    for stages in STAGES:
        yield Case(f"{stages:,} stages", program(stages), {"x": x}, "y", x,
                   reference=lambda d, n=stages: d["x"] + np.float32(n),
                   iree=iree(stages), iree_on_gpu=True, options=("--disable-fusion",), stages=stages, bound=1e-4)
