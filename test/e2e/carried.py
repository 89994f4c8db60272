"""State that takes turns in its places, against NumPy.

    carried.py FOLDER
"""

import json
import os
import random
import subprocess
import sys

import numpy as np

FOLDER = sys.argv[1]
N = 64

LIFE = """!grid = tensor<64x64xi8>
#id = affine_map<(y, x) -> (y, x)>
gpuvm.program @life(%start: !grid) -> (end: !grid) {
  %end = gpuvm.repeat @turn up_to TIMES (%g = %start : !grid) {
    %next = gpuvm.stage @step(%old = %g : !gpuvm.message<!grid>) -> !grid {
      %n = tensor.generate {
      ^bb0(%y: index, %x: index):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %mask = arith.constant 63 : index
        %none = arith.constant 0 : i8
        %sum = scf.for %dy = %c0 to %c3 step %c1 iter_args(%s = %none) -> i8 {
          %row = scf.for %dx = %c0 to %c3 step %c1 iter_args(%t = %s) -> i8 {
            %y1 = arith.addi %y, %dy : index
            %y2 = arith.addi %y1, %mask : index
            %y3 = arith.andi %y2, %mask : index
            %x1 = arith.addi %x, %dx : index
            %x2 = arith.addi %x1, %mask : index
            %x3 = arith.andi %x2, %mask : index
            %v = tensor.extract %old[%y3, %x3] : !grid
            %u = arith.addi %t, %v : i8
            scf.yield %u : i8
          }
          scf.yield %row : i8
        }
        %alive = tensor.extract %old[%y, %x] : !grid
        %three = arith.constant 3 : i8
        %four = arith.constant 4 : i8
        %is3 = arith.cmpi eq, %sum, %three : i8
        %is4 = arith.cmpi eq, %sum, %four : i8
        %was = arith.trunci %alive : i8 to i1
        %stays = arith.andi %is4, %was : i1
        %is = arith.ori %is3, %stays : i1
        %r = arith.extui %is : i1 to i8
        tensor.yield %r : i8
      } : !grid
      gpuvm.send %n : !grid
    }
    gpuvm.next %next : !gpuvm.message<!grid>
  }
  gpuvm.return %end : !gpuvm.message<!grid>
}
"""

LEVENSHTEIN = """!text = tensor<64xi8>
!diag = tensor<65xi32>
gpuvm.program @levenshtein(%a: !text, %b: !text) -> (distance: tensor<i32>) {
  %zeros = arith.constant dense<0> : !diag
  %ones = arith.constant dense<1> : !diag
  %x, %last = gpuvm.repeat @turn up_to 127 (%before = %zeros : !diag, %prev = %ones : !diag) {
    %cur = gpuvm.stage @step(%p2 = %before : !gpuvm.message<!diag>, %p1 = %prev : !gpuvm.message<!diag>,
        %s = %a : !text, %t = %b : !text) -> !diag {
      %r = tensor.generate {
      ^bb0(%i: index):
        %one = arith.constant 1 : i32
        %zero = arith.constant 0 : i32
        %c1 = arith.constant 1 : index
        %c0 = arith.constant 0 : index
        %left = tensor.extract %p1[%i] : !diag
        %d0 = tensor.extract %p1[%c0] : !diag
        %d = arith.addi %d0, %one : i32
        %i1 = arith.subi %i, %c1 : index
        %ii = arith.index_cast %i : index to i32
        %j = arith.subi %d, %ii : i32
        %j1 = arith.subi %j, %one : i32
        %jx = arith.index_cast %j1 : i32 to index
        %top = arith.cmpi eq, %ii, %zero : i32
        %side = arith.cmpi sle, %j, %zero : i32
        %far = arith.constant 64 : i32
        %beyond = arith.cmpi sgt, %j, %far : i32
        %edge0 = arith.ori %top, %side : i1
        %edge = arith.ori %edge0, %beyond : i1
        %r = scf.if %edge -> i32 {
          scf.yield %d : i32
        } else {
          %up = tensor.extract %p1[%i1] : !diag
          %corner = tensor.extract %p2[%i1] : !diag
          %u = tensor.extract %s[%i1] : !text
          %v = tensor.extract %t[%jx] : !text
          %ne = arith.cmpi ne, %u, %v : i8
          %cost = arith.extui %ne : i1 to i32
          %m0 = arith.minsi %left, %up : i32
          %m1 = arith.addi %m0, %one : i32
          %m2 = arith.addi %corner, %cost : i32
          %m = arith.minsi %m1, %m2 : i32
          scf.yield %m : i32
        }
        tensor.yield %r : i32
      } : !diag
      gpuvm.send %r : !diag
    }
    gpuvm.next %prev, %cur : !gpuvm.message<!diag>, !gpuvm.message<!diag>
  }
  %distance = gpuvm.stage @corner(%l = %last : !gpuvm.message<!diag>) -> tensor<i32> {
    %m = arith.constant 64 : index
    %v = tensor.extract %l[%m] : !diag
    %r = tensor.from_elements %v : tensor<i32>
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %distance : !gpuvm.message<tensor<i32>>
}
"""

# Three values and a fourth place: (a, b, c) <- (b, c, a + b + 2 c mirrored).
ROTATION = """    %new, %count, %done = gpuvm.stage @INNERstep(%x = %INNERa : !gpuvm.message<!v>, %y = %INNERb : !gpuvm.message<!v>,
        %z = %INNERc : !gpuvm.message<!v>, %k = %INNERn : !gpuvm.message<tensor<i32>>, %most = %limit : tensor<i32>)
        -> (!v, tensor<i32>, tensor<i1>) {
      %r = tensor.generate {
      ^bb0(%i: index):
        %last = arith.constant 63 : index
        %j = arith.subi %last, %i : index
        %p = tensor.extract %x[%i] : !v
        %q = tensor.extract %y[%i] : !v
        %w = tensor.extract %z[%j] : !v
        %w2 = arith.addi %w, %w : i32
        %s = arith.addi %p, %q : i32
        %t = arith.addi %s, %w2 : i32
        tensor.yield %t : i32
      } : !v
      %one = arith.constant dense<1> : tensor<i32>
      %more = arith.addi %k, %one : tensor<i32>
      %is = arith.cmpi sge, %more, %most : tensor<i32>
      gpuvm.send %r, %more, %is : !v, tensor<i32>, tensor<i1>
    }
    gpuvm.next %INNERb, %INNERc, %new, %count : !m, !m, !m, !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
"""

UNTIL = """!v = tensor<64xi32>
!m = !gpuvm.message<!v>
gpuvm.program @until(%x: !v, %y: !v, %z: !v, %limit: tensor<i32>) -> (a: !v, b: !v, c: !v, n: tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:4 = gpuvm.repeat @turn up_to TIMES (%a = %x : !v, %b = %y : !v, %c = %z : !v, %n = %zero : tensor<i32>) {
""" + ROTATION.replace("INNER", "") + """  gpuvm.return %r#0, %r#1, %r#2, %r#3 : !m, !m, !m, !gpuvm.message<tensor<i32>>
}
"""

NEST = """!v = tensor<64xi32>
!m = !gpuvm.message<!v>
gpuvm.program @nest(%x: !v, %y: !v, %z: !v, %limit: tensor<i32>) -> (a: !v, b: !v, c: !v) {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:3 = gpuvm.repeat @outer up_to 5 (%oa = %x : !v, %ob = %y : !v, %oc = %z : !v) {
  %i:4 = gpuvm.repeat @turn up_to TIMES (%a = %oa : !m, %b = %ob : !m, %c = %oc : !m, %n = %zero : tensor<i32>) {
""" + ROTATION.replace("INNER", "") + """    gpuvm.next %i#2, %i#0, %ob : !m, !m, !m
  }
  gpuvm.return %r#0, %r#1, %r#2 : !m, !m, !m
}
"""


def compile_program(name, text):
    source, plan = (os.path.join(FOLDER, name + end) for end in (".mlir", ".gvplan"))
    with open(source, "w") as file:
        file.write(text)
    subprocess.run(["gpuvm-compile", source, "-o", plan], check=True)
    return plan


def run(plan, inputs, outputs):
    """Of the second of two executions: each starts anew."""
    command = ["gpuvm-run", plan, "--validate", "--iterations=2"]
    for name, value in inputs.items():
        path = os.path.join(FOLDER, name + ".npy")
        np.save(path, value)
        command.append(f"--input={name}=@{path}")
    for name in outputs:
        command.append(f"--output={name}=@{os.path.join(FOLDER, name + '.out.npy')}")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [np.load(os.path.join(FOLDER, name + ".out.npy")) for name in outputs]


def a_turn(plan):
    """How many commands of each kind the repeat of a plan has."""
    text = subprocess.run(["gpuvm-plan", "show", plan, "--format=json"], check=True, capture_output=True, text=True).stdout
    commands = json.loads(text)["commands"]
    at = next(i for i, c in enumerate(commands) if c["op"] == "repeat")
    kinds = [c["op"] for c in commands[at + 1:at + 1 + commands[at]["commands"]]]
    return f"{kinds.count('dispatch')} kernels, {kinds.count('barrier')} barriers and {kinds.count('copy')} copies a turn"


def verdict(equal):
    return "equal" if equal else "DIFFERENT"


def life(times):
    plan = compile_program("life", LIFE.replace("TIMES", str(times)))
    start = np.random.default_rng(1).integers(0, 2, (N, N), dtype=np.int8)
    grid = start
    for _ in range(times):
        around = sum(np.roll(grid, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1))
        grid = ((around == 3) | ((around == 4) & (grid == 1))).astype(np.int8)
    end, = run(plan, {"start": start}, ["end"])
    print(f"life: {a_turn(plan)}, {times} turns {verdict((end == grid).all())}")


def levenshtein():
    plan = compile_program("levenshtein", LEVENSHTEIN)
    rng = random.Random(1)
    a, b = ([rng.randrange(4) for _ in range(N)] for _ in range(2))
    row = list(range(N + 1))
    for i in range(N):
        new = [i + 1]
        for j in range(N):
            new.append(min(row[j + 1] + 1, new[j] + 1, row[j] + (a[i] != b[j])))
        row = new
    distance, = run(plan, {"a": np.array(a, np.int8), "b": np.array(b, np.int8)}, ["distance"])
    print(f"levenshtein: {a_turn(plan)}, distance {verdict(distance == row[-1])}")


def rotate(state, turns):
    for _ in range(turns):
        a, b, c = state
        state = b, c, a + b + 2 * c[::-1]
    return state


def until(times):
    plan = compile_program("until", UNTIL.replace("TIMES", str(times)))
    rng = np.random.default_rng(2)
    given = tuple(rng.integers(-9, 9, N, dtype=np.int32) for _ in range(3))
    good = True
    for limit in range(1, times + 2):
        *state, turns = run(plan, {**dict(zip("xyz", given)), "limit": np.int32(limit)},
                            "abcn")
        good &= turns == min(limit, times)
        good &= all((got == want).all() for got, want in zip(state, rotate(given, min(limit, times))))
    print(f"until: 1 to {times + 1} turns of {times} {verdict(good)}")


def nest(times):
    plan = compile_program("nest", NEST.replace("TIMES", str(times)))
    rng = np.random.default_rng(3)
    given = tuple(rng.integers(-9, 9, N, dtype=np.int32) for _ in range(3))
    good = True
    for limit in range(1, 6):
        state = given
        for _ in range(5):
            inner = rotate(state, limit)
            state = inner[2], inner[0], state[1]
        got = run(plan, {**dict(zip("xyz", given)), "limit": np.int32(limit)}, "abc")
        good &= all((a == b).all() for a, b in zip(got, state))
    print(f"nest: 1 to 5 turns of {times} {verdict(good)}")


life(300)
life(301)
levenshtein()
until(8)
nest(7)
