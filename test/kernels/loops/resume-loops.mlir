// Code with loops as a machine of states, whose one loop runs so many turns.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(gpuvm-resume-loops{turns=500}, canonicalize, cse)))' | FileCheck %s

gpu.module @kernels {

// What comes before the loop is state 0, its test and its body are state 1, and
// what comes after it state 2; -1 is the end. The sum and the counter lie in
// memory between turns.
// CHECK-LABEL: gpu.func @sum
// CHECK-DAG: %[[start:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[header:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[end:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[done:.*]] = arith.constant -1 : i32
// CHECK: memref.store %[[start]], %[[state:.*]][%c0]
// CHECK: scf.while
// CHECK: arith.cmpi ult, %{{.*}}, %c500 : index
// CHECK: scf.condition
// CHECK: arith.cmpi eq, %{{.*}}, %[[header]]
// CHECK: scf.if
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: scf.if
// CHECK: memref.store %[[header]], %[[state]][%c0]
// CHECK: } else {
// CHECK: memref.store %[[end]], %[[state]][%c0]
// CHECK: scf.yield
// CHECK: arith.cmpi eq, %{{.*}}, %[[end]]
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %arg2[%arg0] : memref<?xi32>
// CHECK: memref.store %[[done]], %[[state]][%c0]
// CHECK-NOT: scf.for
gpu.func @sum(%i: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = memref.load %x[%i] : memref<?xi32>
  %end = arith.index_cast %n : i32 to index
  %s = scf.for %k = %c0 to %end step %c1 iter_args(%a = %zero) -> i32 {
    %b = arith.addi %a, %n : i32
    scf.yield %b : i32
  }
  memref.store %s, %y[%i] : memref<?xi32>
  gpu.return
}

// A short loop is no state of its own.
// CHECK-LABEL: gpu.func @inner
// CHECK: scf.while
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1
gpu.func @inner(%i: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = memref.load %x[%i] : memref<?xi32>
  %s = scf.while (%a = %n) : (i32) -> i32 {
    %go = arith.cmpi slt, %a, %n : i32
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%a: i32):
    %t = scf.for %k = %c0 to %c3 step %c1 iter_args(%b = %a) -> i32 {
      %d = arith.addi %b, %b : i32
      scf.yield %d : i32
    }
    scf.yield %t : i32
  }
  memref.store %s, %y[%i] : memref<?xi32>
  gpu.return
}

}
