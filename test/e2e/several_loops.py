"""Long loops that the device ends, one after the other, in one submit, against Python's integers.

    several_loops.py FOLDER LOOPS

Each execution runs every loop another number of times, from a table. Iterations that ran too often, too early or not at all
change the numbers that are carried on. Prints how many submits executions take at the end, when all are alike.
"""

import json
import os
import subprocess
import sys

import numpy as np

ROUNDS = 12

HEAD = """!v = tensor<64xi32>
!i = tensor<i32>
!mv = !gpuvm.message<!v>
!mi = !gpuvm.message<!i>
!mt = !gpuvm.message<tensor<LOOPSxi32>>
gpuvm.global @log : tensor<ROUNDSxLOOPSxi32>
gpuvm.global @round : !i
gpuvm.program @p(%x: !v, %table: tensor<ROUNDSxLOOPSxi32>) -> (y: !v) {
  %zero = arith.constant dense<0> : !i
  %limits = gpuvm.stage @begin(%t = %table : tensor<ROUNDSxLOOPSxi32>) -> tensor<LOOPSxi32> {
    %r = gpuvm.load @round : !i
    %row = gpuvm.gather %t[%r] : tensor<ROUNDSxLOOPSxi32>, !i -> tensor<LOOPSxi32>
    gpuvm.send %row : tensor<LOOPSxi32>
  }
"""

LOOP = """  %v{k}, %n{k} = gpuvm.repeat @r{k} up_to 1000000 (%a = {x}, %i = %zero : !i) {{
    %b, %more, %done = gpuvm.stage @step{k}(%u = %a : !mv, %j = %i : !mi, %l = %limits : !mt) -> (!v, !i, tensor<i1>) {{
      %one = arith.constant dense<1> : !i
      %m = arith.addi %j, %one : !i
      %own = tensor.extract_slice %l[{k}] [1] [1] : tensor<LOOPSxi32> to !i
      %d = arith.cmpi sge, %m, %own : !i
      %init = tensor.empty() : !v
      %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (63 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}} ins(%u : !v) outs(%init : !v) {{
      ^bb0(%p: i32, %o: i32):
        %three = arith.constant 3 : i32
        %own1 = arith.constant {k} : i32
        %q = arith.muli %p, %three : i32
        %s = arith.addi %q, %own1 : i32
        linalg.yield %s : i32
      }} -> !v
      gpuvm.send %r, %m, %d : !v, !i, tensor<i1>
    }}
    gpuvm.next %b, %more : !mv, !mi until %done : !gpuvm.message<tensor<i1>>
  }}
"""

TAIL = """  gpuvm.stage @end({parts}) {{
    %r = gpuvm.load @round : !i
    %one = arith.constant dense<1> : !i
    %next = arith.addi %r, %one : !i
    gpuvm.store %next, @round : !i
{reshapes}    %row = tensor.concat dim(1) {rows} : ({types}) -> tensor<1xLOOPSxi32>
    gpuvm.store %row, @log[%r] : tensor<1xLOOPSxi32>
    gpuvm.send
  }}
  gpuvm.return %v{last} : !mv
}}
"""


def program(loops):
    text, x = HEAD, "%x : !v"
    for k in range(loops):
        text += LOOP.format(k=k, x=x)
        x = f"%v{k} : !mv"
    numbers = range(loops)
    text += TAIL.format(parts=", ".join(f"%c{k} = %n{k} : !mi" for k in numbers), last=loops - 1, rows=", ".join(f"%e{k}" for k in numbers),
                        types=", ".join(["tensor<1x1xi32>"] * loops),
                        reshapes="".join(f"    %e{k} = tensor.expand_shape %c{k} [] output_shape [1, 1] : !i into tensor<1x1xi32>\n" for k in numbers))
    return text.replace("LOOPS", str(loops)).replace("ROUNDS", str(ROUNDS))


def expected(x, limits):
    with np.errstate(over="ignore"):
        for k, limit in enumerate(limits):
            for _ in range(limit):
                x = x[::-1] * np.int32(3) + np.int32(k)
    return x


def main():
    folder, loops = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    path = lambda name: os.path.join(folder, f"{loops}-{name}")
    with open(path("p.mlir"), "w", encoding="utf-8") as file:
        file.write(program(loops))
    subprocess.run(["gpuvm-compile", path("p.mlir"), "-o", path("plan")], check=True)
    random = np.random.default_rng(loops)
    x = random.integers(0, 1000, 64).astype("i4")
    table = random.choice([1, 2, 40, 90, 150, 600, 1100], (ROUNDS, loops)).astype("i4")
    table[-4:] = table[-5]
    np.save(path("x.npy"), x)
    np.save(path("table.npy"), table)
    for rounds in (2, 5, ROUNDS):
        done = subprocess.run(["gpuvm-run", path("plan"), f"--input=x=@{path('x.npy')}", f"--input=table=@{path('table.npy')}", "--stats=json",
                               f"--warmup={rounds - 1}", f"--output=y=@{path('y.npy')}", f"--output=log=@{path('log.npy')}"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        log = np.load(path("log.npy"))
        if not np.array_equal(log[:rounds], table[:rounds]):
            sys.exit(f"{loops} loops, {rounds} rounds: iterations {log[:rounds].tolist()}, not {table[:rounds].tolist()}")
        if not np.array_equal(np.load(path("y.npy")), expected(x, table[rounds - 1])):
            sys.exit(f"{loops} loops, {rounds} rounds: other numbers")
    stats = json.loads(done.stdout.splitlines()[-1])
    print(f"{loops} loops: right, {stats['submits']} submits at the end")


main()
