"""All pairs: the gravity of bodies on each other, the program of examples/nbody.

An interaction is counted as 20 operations, as by Nyland, Harris and Prins (Fast N-body
simulation with CUDA, GPU Gems 3, chapter 31); rounded one by one they are 19.
"""

import numpy as np

from model import PEAK, Case, Target, Tensor

TITLE = "All pairs"
NOTES = ("An interaction counts as 20 operations.",)
OPERATIONS = 20
WANTED = 1.2e12  # interactions per second of one H200
SOFTENING = 1e-4
PLACES = ("x", "y", "z")
NUMPY_ROWS, TORCH_ROWS = 64, 8192  # whose forces are computed at a time

BODY = """
    ^bb0(%xi: f32, %yi: f32, %zi: f32, %xj: f32, %yj: f32, %zj: f32, %mj: f32, %sx: f32, %sy: f32, %sz: f32):
      %softening = arith.constant 1.0e-4 : f32
      %dx = arith.subf %xj, %xi : f32
      %dy = arith.subf %yj, %yi : f32
      %dz = arith.subf %zj, %zi : f32
      %z2 = math.fma %dz, %dz, %softening : f32
      %yz2 = math.fma %dy, %dy, %z2 : f32
      %square = math.fma %dx, %dx, %yz2 : f32
      %inverse = math.rsqrt %square : f32
      %mass1 = arith.mulf %mj, %inverse : f32
      %inverse2 = arith.mulf %inverse, %inverse : f32
      %pull = arith.mulf %mass1, %inverse2 : f32
      %fx = arith.mulf %pull, %dx : f32
      %fy = arith.mulf %pull, %dy : f32
      %fz = arith.mulf %pull, %dz : f32
      %tx = arith.addf %sx, %fx : f32
      %ty = arith.addf %sy, %fy : f32
      %tz = arith.addf %sz, %fz : f32
      linalg.yield %tx, %ty, %tz : f32, f32, f32
"""


def program(tensor, result):
    def several(text, count):
        return ", ".join([str(text)] * count)

    lines = ["gpuvm.program @bench() {"]
    lines += [f"  gpuvm.heap @{name} : {tensor}" for name in (*PLACES, "m")]
    lines += [f"  gpuvm.global @a : {result}", "  gpuvm.stage @bench() {"]
    lines += [f"    %{name} = gpuvm.load @{name} : {tensor}" for name in (*PLACES, "m")]
    lines += [f"    %zero = arith.constant dense<0.0> : {tensor}",
              "    %a:3 = linalg.generic {indexing_maps = [",
              "        " + several("affine_map<(i, j) -> (i)>", 3) + ",",
              "        " + several("affine_map<(i, j) -> (j)>", 4) + ",",
              "        " + several("affine_map<(i, j) -> (i)>", 3) + "],",
              '        iterator_types = ["parallel", "reduction"]}',
              f"        ins(%x, %y, %z, %x, %y, %z, %m : {several(tensor, 7)})",
              f"        outs({several('%zero', 3)} : {several(tensor, 3)}) {{", BODY.strip("\n"),
              f"    }} -> ({several(tensor, 3)})"]
    lines += [f"    gpuvm.store %a#{axis}, @a[{axis * tensor.elements}] : {tensor}" for axis in range(3)]
    return "\n".join([*lines, "  }", "  gpuvm.return", "}"]) + "\n"


def forces(d, rows, inverse_root):
    """What acts on the bodies `rows`, in each direction."""
    away = [d[name][None, :] - d[name][rows, None] for name in PLACES]
    inverse = inverse_root(sum(a * a for a in away) + SOFTENING)
    pull = d["m"] * inverse * inverse * inverse
    return [(pull * a).sum(1) for a in away]


def accelerations(d, count, inverse_root, join):
    """What acts on all of them, `count` at a time: all in x, all in y, all in z."""
    parts = [forces(d, slice(first, first + count), inverse_root) for first in range(0, d["m"].shape[0], count)]
    return join([part[axis] for axis in range(3) for part in parts])


def gravity(n, target=None):
    x, a = Tensor((n,), "f32", -1, 1), Tensor((3 * n,), "f32")
    inputs = {**{name: x for name in PLACES}, "m": Tensor((n,), "f32", 0.5 / n, 1.5 / n)}

    def numpy(d):
        return accelerations(d, NUMPY_ROWS, lambda square: 1 / np.sqrt(square), np.concatenate)

    def torch(rows):
        return lambda d: accelerations(d, rows, d["torch"].rsqrt, d["torch"].cat)

    return Case(f"{n:,} bodies", program(x, a), inputs, "a", a, reference=numpy,
                torch={"all rows": torch(n), f"{TORCH_ROWS} rows at a time": torch(TORCH_ROWS)},
                compiled=True, bytes=7 * x.bytes, operations=OPERATIONS * n * n, target=target,
                counts=(n * n, "interactions"))


def cases(device, _):
    if device == "cpu":
        yield gravity(4096)
        yield gravity(8192)
        return
    share = round(WANTED * OPERATIONS / PEAK["H200"]["f32"], 3)
    for n in (65536, 131072, 262144):
        yield gravity(n, Target(share))
