// The longest Collatz chain of a start below 10^6: lanes loop as long as their
// number takes, and a reduction chooses. Published: 837799, with 525 terms.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate | FileCheck %s
// RUN: sed s/1000000/10000/g %s > %t.small.mlir
// RUN: gpuvm-compile %t.small.mlir -o %t.small.gvplan
// RUN: gpuvm-run %t.small.gvplan --validate | FileCheck %s --check-prefix=SMALL
// RUN: gpuvm-interpret %t.small.mlir | FileCheck %s --check-prefix=SMALL

// CHECK: start: i64=837799
// CHECK-NEXT: terms: i32=525
// SMALL: start: i64=6171
// SMALL-NEXT: terms: i32=262

gpuvm.program @collatz() -> (start: tensor<i64>, terms: tensor<i32>) {
  %terms = gpuvm.stage @walk() -> tensor<1000000xi32> {
    %e = tensor.empty() : tensor<1000000xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%e : tensor<1000000xi32>) {
    ^bb0(%o: i32):
      %one = arith.constant 1 : i64
      %three = arith.constant 3 : i64
      %count = arith.constant 1 : i32
      %i = linalg.index 0 : index
      %i64 = arith.index_cast %i : index to i64
      %start = arith.addi %i64, %one : i64
      %n:2 = scf.while (%x = %start, %t = %count) : (i64, i32) -> (i64, i32) {
        %goes = arith.cmpi ne, %x, %one : i64
        scf.condition(%goes) %x, %t : i64, i32
      } do {
      ^bb0(%x: i64, %t: i32):
        %bit = arith.andi %x, %one : i64
        %odd = arith.cmpi eq, %bit, %one : i64
        %p = arith.muli %x, %three : i64
        %up = arith.addi %p, %one : i64
        %down = arith.shrui %x, %one : i64
        %next = arith.select %odd, %up, %down : i64
        %more = arith.addi %t, %count : i32
        scf.yield %next, %more : i64, i32
      }
      linalg.yield %n#1 : i32
    } -> tensor<1000000xi32>
    gpuvm.send %r : tensor<1000000xi32>
  }
  %start, %most = gpuvm.stage @longest(%t = %terms : !gpuvm.message<tensor<1000000xi32>>) -> (tensor<i64>, tensor<i32>) {
    %none = arith.constant dense<0> : tensor<i32>
    %first = arith.constant dense<0> : tensor<i64>
    %m:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                           iterator_types = ["reduction"]}
        ins(%t : tensor<1000000xi32>) outs(%none, %first : tensor<i32>, tensor<i64>) {
    ^bb0(%a: i32, %best: i32, %where: i64):
      %one = arith.constant 1 : i64
      %i = linalg.index 0 : index
      %i64 = arith.index_cast %i : index to i64
      %n = arith.addi %i64, %one : i64
      %more = arith.cmpi sgt, %a, %best : i32
      %b = arith.select %more, %a, %best : i32
      %w = arith.select %more, %n, %where : i64
      linalg.yield %b, %w : i32, i64
    } -> (tensor<i32>, tensor<i64>)
    gpuvm.send %m#1, %m#0 : tensor<i64>, tensor<i32>
  }
  gpuvm.return %start, %most : !gpuvm.message<tensor<i64>>, !gpuvm.message<tensor<i32>>
}
