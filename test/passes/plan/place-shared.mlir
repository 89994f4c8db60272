// Symbols of the module are in one place for all programs that use them, at the
// start of their region; what programs do not keep is where the others have it.

// RUN: gpuvm-opt %s --gpuvm-link | FileCheck %s --check-prefix=LINK
// RUN: gpuvm-opt %s --gpuvm-link | gpuvm-opt | FileCheck %s --check-prefix=LINK
// RUN: gpuvm-opt %s --gpuvm-pipeline | FileCheck %s --check-prefix=PLAN
// RUN: gpuvm-opt %s --gpuvm-pipeline | gpuvm-opt | FileCheck %s --check-prefix=PLAN

gpuvm.global @sum : tensor<4xi32>
gpuvm.global @unused : tensor<4xi32>
gpuvm.heap @weights : tensor<100xi32>
gpuvm.global @count : tensor<i32>

// A private program is called; it uses what the module has, and keeps a count.
// LINK-NOT: gpuvm.global
// LINK-NOT: @more
gpuvm.program private @more() -> (n: tensor<i32>) {
  gpuvm.register @own : tensor<i32>
  %n = gpuvm.stage @add() -> tensor<i32> {
    %one = arith.constant dense<1> : tensor<i32>
    %c = gpuvm.load @count : tensor<i32>
    %o = gpuvm.load @own : tensor<i32>
    %d = arith.addi %c, %one : tensor<i32>
    %e = arith.addi %d, %o : tensor<i32>
    gpuvm.store %e, @count : tensor<i32>
    gpuvm.store %d, @own : tensor<i32>
    gpuvm.send %d : tensor<i32>
  }
  gpuvm.return %n : !gpuvm.message<tensor<i32>>
}

// LINK-LABEL: gpuvm.program @add
// LINK-NEXT:    global shared @sum : tensor<4xi32>
// LINK-NEXT:    global shared @count : tensor<i32>
// LINK-NEXT:    register @near.own : tensor<i32>
// LINK:         stage @near.add
// LINK:           load @count
// LINK:           load @near.own
// LINK-LABEL: gpuvm.program @get
// LINK-NEXT:    global shared @sum : tensor<4xi32>
// LINK-NEXT:    heap shared @weights : tensor<100xi32>

// What is shared comes first in each region, then what each program keeps, then what one of them has while it runs.
// PLAN-LABEL: plan.module @module regions [{{[0-9]+}}, 0, 512, 0, 512] instances 3
// PLAN-LABEL: plan.program @add {
// PLAN-DAG:     plan.input "add.x" : tensor<4xi32> at <registers, 256, 16> on execution
// PLAN-DAG:     plan.symbol "sum" : tensor<4xi32> at <globals, 0, 16>
// PLAN-DAG:     plan.symbol "count" : tensor<i32> at <globals, 256, 4>
// PLAN-DAG:     plan.symbol "add.near.own" : tensor<i32> at <registers, 0, 4>
// PLAN-DAG:     plan.stage "add.near.add" instance 1
// PLAN-LABEL: plan.program @get {
// PLAN-DAG:     plan.input "weights" : tensor<100xi32> at <heap, 0, 400> on load
// PLAN-DAG:     plan.symbol "sum" : tensor<4xi32> at <globals, 0, 16>
// PLAN-DAG:     plan.output "get.y" : tensor<4xi32> at <registers, 256, 16>
// PLAN-DAG:     plan.stage "get.read" instance 2
gpuvm.program @add(%x: tensor<4xi32>) {
  gpuvm.stage @into(%a = %x : tensor<4xi32>) {
    %s = gpuvm.load @sum : tensor<4xi32>
    %r = arith.addi %s, %a : tensor<4xi32>
    gpuvm.store %r, @sum : tensor<4xi32>
  }
  %n = gpuvm.call @more as @near () : () -> !gpuvm.message<tensor<i32>>
  gpuvm.return
}

gpuvm.program @get() -> (y: tensor<4xi32>) {
  %y = gpuvm.stage @read() -> tensor<4xi32> {
    %s = gpuvm.load @sum : tensor<4xi32>
    %w = gpuvm.load @weights : tensor<100xi32>
    %f = tensor.extract_slice %w[0] [4] [1] : tensor<100xi32> to tensor<4xi32>
    %p = arith.muli %s, %f : tensor<4xi32>
    gpuvm.send %p : tensor<4xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4xi32>>
}
