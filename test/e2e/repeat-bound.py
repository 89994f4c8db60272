"""Repeats with bounds that no execution reaches, against NumPy.

    repeat-bound.py FOLDER
"""

import json
import os
import subprocess
import sys

import numpy as np

FOLDER = sys.argv[1]

# Counts to a number, and adds what it counted to a symbol afterwards, once.
UNTIL = """gpuvm.program @until(%end: tensor<i32>) -> (count: tensor<i32>, total: tensor<i32>) {
  gpuvm.global @sum : tensor<i32>
  %zero = arith.constant dense<0> : tensor<i32>
  %n = gpuvm.repeat @count up_to BOUND (%i = %zero : tensor<i32>) {
    %m, %done = gpuvm.stage @more(%c = %i : !gpuvm.message<tensor<i32>>, %e = %end : tensor<i32>) -> (tensor<i32>, tensor<i1>) {
      %one = arith.constant dense<1> : tensor<i32>
      %next = arith.addi %c, %one : tensor<i32>
      %is = arith.cmpi sge, %next, %e : tensor<i32>
      gpuvm.send %next, %is : tensor<i32>, tensor<i1>
    }
    gpuvm.next %m : !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
  %t = gpuvm.stage @add(%c = %n : !gpuvm.message<tensor<i32>>) -> tensor<i32> {
    %s = gpuvm.load @sum : tensor<i32>
    %r = arith.addi %s, %c : tensor<i32>
    gpuvm.store %r, @sum : tensor<i32>
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %n, %t : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}
"""

# Each turn moves the elements by one place and adds 1 to the first.
CARRIED = """!v = tensor<4096xi32>
gpuvm.program @carried(%start: !v, %end: tensor<i32>) -> (v: !v, count: tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %v, %n = gpuvm.repeat @turn up_to BOUND (%a = %start : !v, %i = %zero : tensor<i32>) {
    %b = gpuvm.stage @move(%old = %a : !gpuvm.message<!v>) -> !v {
      %r = tensor.generate {
      ^bb0(%k: index):
        %c4095 = arith.constant 4095 : index
        %one = arith.constant 1 : index
        %j = arith.addi %k, %c4095 : index
        %l = arith.andi %j, %c4095 : index
        %x = tensor.extract %old[%l] : !v
        %first = arith.constant 0 : index
        %is = arith.cmpi eq, %k, %first : index
        %add = arith.extui %is : i1 to i32
        %y = arith.addi %x, %add : i32
        tensor.yield %y : i32
      } : !v
      gpuvm.send %r : !v
    }
    %m, %done = gpuvm.stage @more(%c = %i : !gpuvm.message<tensor<i32>>, %e = %end : tensor<i32>) -> (tensor<i32>, tensor<i1>) {
      %one = arith.constant dense<1> : tensor<i32>
      %next = arith.addi %c, %one : tensor<i32>
      %is = arith.cmpi sge, %next, %e : tensor<i32>
      gpuvm.send %next, %is : tensor<i32>, tensor<i1>
    }
    gpuvm.next %b, %m : !gpuvm.message<!v>, !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %v, %n : !gpuvm.message<!v>, !gpuvm.message<tensor<i32>>
}
"""

# Turn k of the outer repeat has k turns of the inner one.
NEST = """gpuvm.program @nest(%end: tensor<i32>) -> (outer: tensor<i32>, inner: tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %o, %t = gpuvm.repeat @outer up_to 1000000 (%i = %zero : tensor<i32>, %sum = %zero : tensor<i32>) {
    %m, %done = gpuvm.stage @more(%c = %i : !gpuvm.message<tensor<i32>>, %e = %end : tensor<i32>) -> (tensor<i32>, tensor<i1>) {
      %one = arith.constant dense<1> : tensor<i32>
      %next = arith.addi %c, %one : tensor<i32>
      %is = arith.cmpi sge, %next, %e : tensor<i32>
      gpuvm.send %next, %is : tensor<i32>, tensor<i1>
    }
    %z = gpuvm.stage @none() -> tensor<i32> {
      %0 = arith.constant dense<0> : tensor<i32>
      gpuvm.send %0 : tensor<i32>
    }
    %s, %k = gpuvm.repeat @inner up_to 1000000 (%u = %sum : !gpuvm.message<tensor<i32>>, %j = %z : !gpuvm.message<tensor<i32>>) {
      %u2, %j2, %over = gpuvm.stage @add(%a = %u : !gpuvm.message<tensor<i32>>, %b = %j : !gpuvm.message<tensor<i32>>,
          %c = %m : !gpuvm.message<tensor<i32>>) -> (tensor<i32>, tensor<i32>, tensor<i1>) {
        %one = arith.constant dense<1> : tensor<i32>
        %x = arith.addi %a, %one : tensor<i32>
        %y = arith.addi %b, %one : tensor<i32>
        %is = arith.cmpi sge, %y, %c : tensor<i32>
        gpuvm.send %x, %y, %is : tensor<i32>, tensor<i32>, tensor<i1>
      }
      gpuvm.next %u2, %j2 : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>> until %over : !gpuvm.message<tensor<i1>>
    }
    gpuvm.next %m, %s : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %o, %t : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}
"""


def compile(name, text):
    source, plan = (os.path.join(FOLDER, name + end) for end in (".mlir", ".gvplan"))
    with open(source, "w") as file:
        file.write(text)
    subprocess.run(["gpuvm-compile", source, "-o", plan], check=True)
    assert os.path.getsize(plan) < 100_000
    return plan


def run(plan, outputs, *options, **inputs):
    """The outputs as arrays, and what was printed."""
    command = ["gpuvm-run", plan, "--validate", "--quiet", *options]
    for name, value in inputs.items():
        path = os.path.join(FOLDER, name + ".npy")
        np.save(path, value)
        command.append(f"--input={name}=@{path}")
    paths = [os.path.join(FOLDER, name + ".out.npy") for name in outputs]
    command += [f"--output={name}=@{path}" for name, path in zip(outputs, paths)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    assert ran.returncode == 0, command
    return *(np.load(path) for path in paths), ran.stdout


plan = compile("until", UNTIL.replace("BOUND", "2000000000"))
ends = [1, 2, 3, 63, 64, 65, 200, 1000, 4095, 5000, 30000]
for end in ends:
    count, total, _ = run(plan, ["count", "total"], end=np.int32(end))
    assert (count, total) == (end, end), (end, count, total)
print(f"until: {len(ends)} numbers of turns equal")
count, total, text = run(plan, ["count", "total"], "--warmup=3", "--stats=json", end=np.int32(30000))
assert count == 30000 and total == 4 * 30000, total
stats = json.loads(text)
assert 30000 <= stats["dispatches"] < 1.2 * 30000, stats["dispatches"]
print("the same again:", {name: stats[name] for name in ("submits",)})

plan = compile("carried", CARRIED.replace("BOUND", "2000000000"))
start = np.random.default_rng(0).integers(-1000, 1000, 4096, dtype=np.int32)
ends = [1, 2, 3, 4, 129, 130, 999, 5001]


def carried(turns):
    want = start.copy()
    for _ in range(turns):
        want = np.roll(want, 1)
        want[0] += 1
    return want


for end in ends:
    v, count, _ = run(plan, ["v", "count"], start=start, end=np.int32(end))
    assert count == end and np.array_equal(v, carried(end)), end
print(f"carried: {len(ends)} numbers of turns equal")

plan = compile("nest", NEST)
ends = [1, 2, 7, 30, 45]
for end in ends:
    outer, inner, _ = run(plan, ["outer", "inner"], end=np.int32(end))
    assert (outer, inner) == (end, end * (end + 1) // 2), (end, outer, inner)
print(f"nest: {len(ends)} numbers of turns equal")

# Where nothing ends it, all turns run.
plan = compile("bound", CARRIED.replace("BOUND", "10001"))
v, count, _ = run(plan, ["v", "count"], start=start, end=np.int32(2**31 - 1))
assert count == 10001 and np.array_equal(v, carried(10001)), count
print("bound: 10001 turns of 10001 equal")
fixed = CARRIED.replace("BOUND", "30001").replace(" until %done : !gpuvm.message<tensor<i1>>", "")
v, count, text = run(compile("fixed", fixed), ["v", "count"], "--stats=json", start=start, end=np.int32(0))
assert count == 30001 and np.array_equal(v, carried(30001)), count
print("fixed: 30001 turns equal,", {name: json.loads(text)[name] for name in ("submits", "copies")})

# Only turns that ran count.
_, _, text = run(compile("timed", UNTIL.replace("BOUND", "2000000000")), ["count", "total"], "--profile=json", end=np.int32(37))
calls = {kernel["name"]: kernel["calls"] for kernel in json.loads(text)["kernels"]}
print("profile:", calls["more_count.next_map"], "calls")
