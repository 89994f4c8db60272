// RUN: gpuvm-opt %s --canonicalize | FileCheck %s

// A stage without receivers and stores goes, and then the one that fed it.
// CHECK-LABEL: @unused_stages
// CHECK-NOT:     stage @feeds
// CHECK-NOT:     stage @unused
// CHECK:         stage @stores
gpuvm.program @unused_stages(%x: tensor<8xf32>) {
  gpuvm.metric @seen : tensor<8xf32>
  %a = gpuvm.stage @feeds(%in = %x : tensor<8xf32>) -> tensor<8xf32> {
    %r = arith.negf %in : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  %b = gpuvm.stage @unused(%in = %a : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {
    %r = arith.negf %in : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.stage @stores(%in = %x : tensor<8xf32>) {
    gpuvm.store %in, @seen : tensor<8xf32>
  }
  gpuvm.return
}

// CHECK-LABEL: @unused_operands
// CHECK:         stage @work(%{{.*}} = %a : tensor<8xf32>, %{{.*}} = %b : tensor<8xf32>) -> tensor<8xf32> {
gpuvm.program @unused_operands(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %m = gpuvm.stage @other(%in = %a : tensor<8xf32>) -> tensor<8xf32> {
    gpuvm.send %in : tensor<8xf32>
  }
  // %0 is unused, but without it %1 would be another register.
  %r = gpuvm.stage @work(%0 = %a : tensor<8xf32>, %1 = %b : tensor<8xf32>,
                         %2 = %m : !gpuvm.message<tensor<8xf32>>, %3 = %c : tensor<8xf32>) -> tensor<8xf32> {
    %s = arith.negf %1 : tensor<8xf32>
    gpuvm.send %s : tensor<8xf32>
  }
  gpuvm.return %r : !gpuvm.message<tensor<8xf32>>
}

// CHECK-LABEL: @identical_operands
// CHECK:         stage @square(%[[A:.*]] = %a : tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:      arith.mulf %[[A]], %[[A]]
gpuvm.program @identical_operands(%a: tensor<8xf32>) -> tensor<8xf32> {
  %r = gpuvm.stage @square(%0 = %a : tensor<8xf32>, %1 = %a : tensor<8xf32>) -> tensor<8xf32> {
    %s = arith.mulf %0, %1 : tensor<8xf32>
    gpuvm.send %s : tensor<8xf32>
  }
  gpuvm.return %r : !gpuvm.message<tensor<8xf32>>
}

// A stage that only forwards is a VM instance the host can look at.
// CHECK-LABEL: @forward
// CHECK:         stage @first
// CHECK:         stage @second
gpuvm.program @forward(%a: tensor<8xf32>) -> tensor<8xf32> {
  %m = gpuvm.stage @first(%0 = %a : tensor<8xf32>) -> tensor<8xf32> {
    gpuvm.send %0 : tensor<8xf32>
  }
  %r = gpuvm.stage @second(%0 = %m : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {
    gpuvm.send %0 : tensor<8xf32>
  }
  gpuvm.return %r : !gpuvm.message<tensor<8xf32>>
}

// CHECK-LABEL: @loads
gpuvm.program @loads() -> (tensor<4xf32>, tensor<64xf32>, tensor<4xf32>, tensor<4xf32>) {
  gpuvm.heap @splat : tensor<4xf32> = dense<2.0> : tensor<4xf32>
  gpuvm.heap @wide : tensor<128xf32> = dense<3.0> : tensor<128xf32>
  gpuvm.heap @table : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  gpuvm.global @mutable : tensor<4xf32> = dense<2.0> : tensor<4xf32>
  // CHECK: stage @load_splat
  // CHECK-NEXT: arith.constant dense<2.000000e+00> : tensor<4xf32>
  %a = gpuvm.stage @load_splat() -> tensor<4xf32> {
    %v = gpuvm.load @splat : tensor<4xf32>
    gpuvm.send %v : tensor<4xf32>
  }
  // CHECK: stage @load_slice
  // CHECK-NEXT: arith.constant dense<3.000000e+00> : tensor<64xf32>
  %b = gpuvm.stage @load_slice() -> tensor<64xf32> {
    %v = gpuvm.load @wide[64] : tensor<64xf32>
    gpuvm.send %v : tensor<64xf32>
  }
  // Other tables stay in the heap.
  // CHECK: load @table
  %c = gpuvm.stage @load_table() -> tensor<4xf32> {
    %v = gpuvm.load @table : tensor<4xf32>
    gpuvm.send %v : tensor<4xf32>
  }
  // CHECK: load @mutable
  %d = gpuvm.stage @load_mutable() -> tensor<4xf32> {
    %v = gpuvm.load @mutable : tensor<4xf32>
    gpuvm.send %v : tensor<4xf32>
  }
  gpuvm.return %a, %b, %c, %d : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<64xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>
}

// A load nobody reads has no effect.
// CHECK-LABEL: @unused_load
// CHECK-NOT:     load
gpuvm.program @unused_load() -> tensor<i64> {
  gpuvm.metric @count : tensor<i64>
  %r = gpuvm.stage @zero() -> tensor<i64> {
    %old = gpuvm.load @count : tensor<i64>
    %zero = arith.constant dense<0> : tensor<i64>
    gpuvm.send %zero : tensor<i64>
  }
  gpuvm.return %r : !gpuvm.message<tensor<i64>>
}
