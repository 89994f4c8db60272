// Repeats are printed as they are read.

// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --mlir-print-op-generic | gpuvm-opt | FileCheck %s

// CHECK-LABEL: gpuvm.program @p
gpuvm.program @p(%x: tensor<8xf32>, %n: tensor<i32>) -> (y: tensor<8xf32>, k: tensor<i32>) {
  // CHECK: %[[LAST:.*]]:2 = repeat @outer up_to 20 (%[[V:.*]] = %x : tensor<8xf32>, %[[K:.*]] = %n : tensor<i32>) {
  %last:2 = gpuvm.repeat @outer up_to 20 (%v = %x : tensor<8xf32>, %k = %n : tensor<i32>) {
    // CHECK: %[[INNER:.*]] = repeat @inner up_to 3 (%[[W:.*]] = %[[V]] : !gpuvm.message<tensor<8xf32>>) {
    %inner = gpuvm.repeat @inner up_to 3 (%w = %v : !gpuvm.message<tensor<8xf32>>) {
      // CHECK: stage @twice(%{{.*}} = %[[W]] : !gpuvm.message<tensor<8xf32>>)
      %t = gpuvm.stage @twice(%a = %w : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {
        %r = arith.addf %a, %a : tensor<8xf32>
        gpuvm.send %r : tensor<8xf32>
      }
      // CHECK: next %{{.*}} : !gpuvm.message<tensor<8xf32>>
      // CHECK-NOT: until
      gpuvm.next %t : !gpuvm.message<tensor<8xf32>>
    }
    %done = gpuvm.stage @check(%c = %k : !gpuvm.message<tensor<i32>>) -> tensor<i1> {
      %zero = arith.constant dense<0> : tensor<i32>
      %d = arith.cmpi eq, %c, %zero : tensor<i32>
      gpuvm.send %d : tensor<i1>
    }
    // CHECK: next %[[INNER]], %[[K]] : !gpuvm.message<tensor<8xf32>>, !gpuvm.message<tensor<i32>> until %{{.*}} : !gpuvm.message<tensor<i1>>
    gpuvm.next %inner, %k : !gpuvm.message<tensor<8xf32>>, !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
  // CHECK: return %[[LAST]]#0, %[[LAST]]#1
  gpuvm.return %last#0, %last#1 : !gpuvm.message<tensor<8xf32>>, !gpuvm.message<tensor<i32>>
}
