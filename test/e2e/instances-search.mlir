// Instances scan rows of their own, and look for elements of their own in a
// table that all share.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=2x4xi32=1,2,3,4,9,-9,0,7 --input=t=5xi32=0,2,4,6,8 | FileCheck %s
// RUN: gpuvm-interpret %s --input=x=2x4xi32=1,2,3,4,9,-9,0,7 --input=t=5xi32=0,2,4,6,8 | FileCheck %s
// CHECK: sums: 2x4xi32=[1 3 6 10][9 0 0 7]
// CHECK: places: 2x4xi32=[1 1 2 2][5 0 0 4]

!all = tensor<2x4xi32>
!own = tensor<4xi32>
gpuvm.program @p(%x: !all, %t: tensor<5xi32>) -> (sums: !all, places: !all) {
  %sums, %places = gpuvm.stage @look instances(2) (%v = %x : !all, %table = shared %t : tensor<5xi32>) -> (!all, !all) {
    %s = gpuvm.scan %v dimension 0 : (!own) -> !own {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      gpuvm.yield %c : i32
    }
    %n = gpuvm.search_sorted %table, %v : tensor<5xi32>, !own -> !own
    gpuvm.send %s, %n : !own, !own
  }
  gpuvm.return %sums, %places : !gpuvm.message<!all>, !gpuvm.message<!all>
}
