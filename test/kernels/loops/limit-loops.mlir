// Loops that end before a number of iterations is used up, and say so.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(gpuvm-limit-loops{total=1001}, canonicalize)))' | FileCheck %s
// RUN: not gpuvm-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(gpuvm-limit-loops{total=1})))' 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: cannot have its loops run less than 1 times

gpu.module @kernels {

// An scf.for is paid for when it begins: it costs nothing in a turn. What is
// left after it is no more than what was left before.
// CHECK-LABEL: gpu.func @counted
// CHECK: memref.load %[[left:.*]][%c0]
// CHECK: %[[fits:.*]] = arith.cmpi sle, %[[trips:.*]], %[[now:.*]] : i32
// CHECK: %[[price:.*]] = arith.select %[[fits]], %[[trips]], %c0_i32
// CHECK: arith.subi %[[now]], %[[price]]
// CHECK: %[[upper:.*]] = arith.select %[[fits]], %arg0, %c0 : index
// CHECK: scf.for %{{.*}} = %c0 to %[[upper]] step %c1 iter_args(%[[sum:.*]] = %c0_i32) -> (i32) {
// CHECK-NEXT: arith.addi %[[sum]], %c1_i32
// CHECK-NEXT: scf.yield
// CHECK: memref.store %{{.*}}, %arg2[%c0] : memref<1xi1>
gpu.func @counted(%n: index, %y: memref<1xi32>, %ended: memref<1xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> i32 {
    %b = arith.addi %a, %one : i32
    scf.yield %b : i32
  }
  memref.store %s, %y[%c0] : memref<1xi32>
  gpu.return
}

// One that runs a few times at most needs no price.
// CHECK-LABEL: gpu.func @few
// CHECK: %[[upper:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[upper]] step %c1
gpu.func @few(%n: i32, %y: memref<1xi32>, %ended: memref<1xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 60 : i32
  %smaller = arith.minsi %n, %most : i32
  %end = arith.index_cast %smaller : i32 to index
  %s = scf.for %i = %c0 to %end step %c1 iter_args(%a = %zero) -> i32 {
    %b = arith.addi %a, %one : i32
    scf.yield %b : i32
  }
  memref.store %s, %y[%c0] : memref<1xi32>
  gpu.return
}

// An scf.while pays in each turn. Each turn of the outer one pays for the last
// test of the inner one as well.
// CHECK-LABEL: gpu.func @tested
// CHECK: scf.while
// CHECK: %[[wants:.*]] = arith.cmpi slt
// CHECK: %[[rest:.*]] = arith.subi %{{.*}}, %c2_i32
// CHECK: %[[can:.*]] = arith.cmpi sge, %[[rest]], %c0_i32
// CHECK: %[[goes:.*]] = arith.andi %[[wants]], %[[can]]
// CHECK: arith.select %[[goes]], %[[rest]]
// CHECK: scf.condition(%[[goes]]) %{{.*}} : i32
// CHECK: scf.while
// CHECK: arith.subi %{{.*}}, %c1_i32
// CHECK: arith.cmpi slt, %{{.*}}, %c2_i32
gpu.func @tested(%n: i32, %y: memref<1xi32>, %ended: memref<1xi1>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = scf.while (%a = %zero) : (i32) -> i32 {
    %go = arith.cmpi slt, %a, %n : i32
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%a: i32):
    %t = scf.while (%b = %a) : (i32) -> i32 {
      %low = arith.andi %b, %one : i32
      %odd = arith.cmpi ne, %low, %zero : i32
      scf.condition(%odd) %b : i32
    } do {
    ^bb0(%b: i32):
      %half = arith.shrui %b, %one : i32
      scf.yield %half : i32
    }
    %next = arith.addi %t, %one : i32
    scf.yield %next : i32
  }
  memref.store %s, %y[%c0] : memref<1xi32>
  gpu.return
}

// A loop that is known to be short stays as it is.
// CHECK-LABEL: gpu.func @short
// CHECK: scf.for %{{.*}} = %c0 to %c10 step %c1
// CHECK-NEXT: arith.addi
// CHECK-NEXT: scf.yield
gpu.func @short(%n: i32, %y: memref<1xi32>, %ended: memref<1xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %s = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %n) -> i32 {
    %b = arith.addi %a, %a : i32
    scf.yield %b : i32
  }
  memref.store %s, %y[%c0] : memref<1xi32>
  gpu.return
}

}
