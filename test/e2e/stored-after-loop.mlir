// What is stored after a long loop that the device ends, and what it carries in the end, is stored by kernels: they can
// be submitted before the host knows how often the loop runs. With few turns one submit is enough.

// RUN: rm -rf %t && mkdir %t
// RUN: gpuvm-compile %s -o %t/plan
// RUN: gpuvm-plan show %t/plan | FileCheck %s --check-prefix=PLAN
// RUN: gpuvm-run %t/plan --validate --input=x=1000xi32=1 --input=limit=i32=3 --iterations=2 --output=kept --output=before --stats=json \
// RUN:   | FileCheck %s --check-prefixes=CHECK,FEW
// RUN: gpuvm-run %t/plan --validate --input=x=1000xi32=1 --input=limit=i32=20001 --iterations=2 --output=kept --output=before | FileCheck %s
// A short loop is recorded turn by turn, with the copies after it.
// RUN: sed 's/up_to 1000000/up_to 50/' %s | gpuvm-compile - -o %t/short
// RUN: gpuvm-plan show %t/short | FileCheck %s --check-prefix=SHORT
// RUN: gpuvm-run %t/short --validate --input=x=1000xi32=1 --input=limit=i32=3 --iterations=2 --output=kept --output=before | FileCheck %s

// PLAN: repeat
// PLAN: while
// PLAN: dispatch for stage "keep"
// PLAN-NOT: copy
// PLAN: dispatch for stage "r"
// PLAN-NOT: copy

// SHORT: repeat
// SHORT: copy for stage "keep"
// SHORT: dispatch for stage "r"

// CHECK: kept: 1000xi32=4 4 4
// CHECK: before: 1000xi32=4 4 4
// FEW: "submits":1,

!v = tensor<1000xi32>
!m = !gpuvm.message<!v>

gpuvm.program @p(%x: !v, %limit: tensor<i32>) -> (y: !v) {
  gpuvm.global @kept : !v
  gpuvm.global @before : !v
  %zero = arith.constant dense<0> : tensor<i32>
  // After an odd number of turns 4.
  %y, %n = gpuvm.repeat @r up_to 1000000 (%a = %x : !v, %i = %zero : tensor<i32>) {
    %b, %more, %done = gpuvm.stage @step(%u = %a : !m, %j = %i : !gpuvm.message<tensor<i32>>, %l = %limit : tensor<i32>) -> (!v, tensor<i32>, tensor<i1>) {
      %one = arith.constant dense<1> : tensor<i32>
      %k = arith.addi %j, %one : tensor<i32>
      %d = arith.cmpi sge, %k, %l : tensor<i32>
      %init = tensor.empty() : !v
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (999 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%u : !v) outs(%init : !v) {
      ^bb0(%p: i32, %o: i32):
        %five = arith.constant 5 : i32
        %s = arith.subi %five, %p : i32
        linalg.yield %s : i32
      } -> !v
      gpuvm.send %r, %k, %d : !v, tensor<i32>, tensor<i1>
    }
    gpuvm.next %b, %more : !m, !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.stage @keep(%u = %y : !m) {
    %old = gpuvm.load @kept : !v
    gpuvm.store %old, @before : !v
    gpuvm.store %u, @kept : !v
    gpuvm.send
  }
  gpuvm.return %y : !m
}
