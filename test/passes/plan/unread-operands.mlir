// Only when the code of a kernel is emitted is it known that it does not read an operand. Barriers are placed for what is
// read: none for the message of "order", of which "pick" takes nothing.
// RUN: gpuvm-compile %s --disable-reuse -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s

// CHECK: commands
// CHECK-NEXT: 0 dispatch for stage "order"
// CHECK: 1 dispatch for stage "pick"
// CHECK-NOT: barrier

gpuvm.program @main(%x: tensor<4096xi32>, %z: tensor<4096xi32>) -> (y: tensor<4096xi32>, s: tensor<4096xi32>) {
  %s = gpuvm.stage @order(%v = %x : tensor<4096xi32>) -> tensor<4096xi32> {
    %r = gpuvm.sort %v : tensor<4096xi32>
    gpuvm.send %r : tensor<4096xi32>
  }
  %y = gpuvm.stage @pick(%a = %z : tensor<4096xi32>, %b = %s : !gpuvm.message<tensor<4096xi32>>) -> tensor<4096xi32> {
    %both = tensor.concat dim(0) %a, %b : (tensor<4096xi32>, tensor<4096xi32>) -> tensor<8192xi32>
    %empty = tensor.empty() : tensor<4096xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (17)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%both, %a : tensor<8192xi32>, tensor<4096xi32>) outs(%empty : tensor<4096xi32>) {
    ^bb0(%p: i32, %q: i32, %o: i32):
      %e = arith.addi %p, %q : i32
      linalg.yield %e : i32
    } -> tensor<4096xi32>
    gpuvm.send %r : tensor<4096xi32>
  }
  gpuvm.return %y, %s : !gpuvm.message<tensor<4096xi32>>, !gpuvm.message<tensor<4096xi32>>
}
