// 0 or -1, as a condition says, is +0 where it is 0; its bits show it.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=c=4xi32=0,1,2,-1 > %t.out
// RUN: FileCheck %s < %t.out
// RUN: gpuvm-interpret %s --input=c=4xi32=0,1,2,-1 | diff - %t.out
// CHECK: a: 4xi32=0 -1082130432 -1082130432 -1082130432
// CHECK: b: 4xi32=-1082130432 0 0 0
gpuvm.program @p(%c: tensor<4xi32>) -> (a: tensor<4xi32>, b: tensor<4xi32>) {
  %a, %b = gpuvm.stage @s(%in = %c : tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
    %e = tensor.empty() : tensor<4xi32>
    %a, %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%in : tensor<4xi32>) outs(%e, %e : tensor<4xi32>, tensor<4xi32>) {
    ^bb0(%v: i32, %o0: i32, %o1: i32):
      %none = arith.constant 0 : i32
      %zero = arith.constant 0.0 : f32
      %minus = arith.constant -1.0 : f32
      %is = arith.cmpi eq, %v, %none : i32
      %x = arith.select %is, %zero, %minus : f32
      %y = scf.if %is -> f32 {
        scf.yield %minus : f32
      } else {
        scf.yield %zero : f32
      }
      %xb = arith.bitcast %x : f32 to i32
      %yb = arith.bitcast %y : f32 to i32
      linalg.yield %xb, %yb : i32, i32
    } -> (tensor<4xi32>, tensor<4xi32>)
    gpuvm.send %a, %b : tensor<4xi32>, tensor<4xi32>
  }
  gpuvm.return %a, %b : !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<4xi32>>
}
