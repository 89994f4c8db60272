// Loops of bodies of many elements that run a known, small number of times are
// written out, so that a lane takes several elements at once; others stay.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize))' | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-pipeline | FileCheck %s --check-prefix=PLAN

// CHECK-LABEL: gpuvm.program @neighbours
// CHECK-NOT: scf.for
// CHECK-COUNT-9: tensor.extract
// CHECK-NOT: tensor.extract
// A word of four elements a lane: 65,536 elements are 64 workgroups.
// PLAN-LABEL: plan.program @neighbours
// PLAN: plan.dispatch @sum_map groups [64, 1, 1]

gpuvm.program @neighbours(%x: tensor<256x256xi8>) -> (y: tensor<256x256xi8>) {
  %y = gpuvm.stage @sum(%a = %x : tensor<256x256xi8>) -> tensor<256x256xi8> {
    %r = tensor.generate {
    ^bb0(%i: index, %j: index):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %mask = arith.constant 255 : index
      %none = arith.constant 0 : i8
      %sum = scf.for %di = %c0 to %c3 step %c1 iter_args(%s = %none) -> i8 {
        %row = scf.for %dj = %c0 to %c3 step %c1 iter_args(%t = %s) -> i8 {
          %i1 = arith.addi %i, %di : index
          %i2 = arith.andi %i1, %mask : index
          %j1 = arith.addi %j, %dj : index
          %j2 = arith.andi %j1, %mask : index
          %v = tensor.extract %a[%i2, %j2] : tensor<256x256xi8>
          %u = arith.addi %t, %v : i8
          scf.yield %u : i8
        }
        scf.yield %row : i8
      }
      tensor.yield %sum : i8
    } : tensor<256x256xi8>
    gpuvm.send %r : tensor<256x256xi8>
  }
  gpuvm.return %y : !gpuvm.message<tensor<256x256xi8>>
}

// CHECK-LABEL: gpuvm.program @long
// CHECK: scf.for

gpuvm.program @long(%x: tensor<64xi32>) -> (y: tensor<65536xi32>) {
  %y = gpuvm.stage @sum(%a = %x : tensor<64xi32>) -> tensor<65536xi32> {
    %r = tensor.generate {
    ^bb0(%i: index):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %none = arith.constant 0 : i32
      %sum = scf.for %j = %c0 to %c64 step %c1 iter_args(%s = %none) -> i32 {
        %k = arith.addi %i, %j : index
        %m = arith.remui %k, %c64 : index
        %v = tensor.extract %a[%m] : tensor<64xi32>
        %u = arith.addi %s, %v : i32
        scf.yield %u : i32
      }
      tensor.yield %sum : i32
    } : tensor<65536xi32>
    gpuvm.send %r : tensor<65536xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<65536xi32>>
}

// CHECK-LABEL: gpuvm.program @few
// CHECK: scf.for

gpuvm.program @few(%x: tensor<64xi32>) -> (y: tensor<64xi32>) {
  %y = gpuvm.stage @sum(%a = %x : tensor<64xi32>) -> tensor<64xi32> {
    %r = tensor.generate {
    ^bb0(%i: index):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c63 = arith.constant 63 : index
      %none = arith.constant 0 : i32
      %sum = scf.for %j = %c0 to %c3 step %c1 iter_args(%s = %none) -> i32 {
        %k = arith.addi %i, %j : index
        %m = arith.andi %k, %c63 : index
        %v = tensor.extract %a[%m] : tensor<64xi32>
        %u = arith.addi %s, %v : i32
        scf.yield %u : i32
      }
      tensor.yield %sum : i32
    } : tensor<64xi32>
    gpuvm.send %r : tensor<64xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<64xi32>>
}
