// Loops are printed as they are read, at the level of stages and of dispatches, and
// run as they say.

// RUN: split-file %s %t
// RUN: gpuvm-opt %t/values.mlir | gpuvm-opt | FileCheck %t/values.mlir
// RUN: gpuvm-opt %t/values.mlir --mlir-print-op-generic | gpuvm-opt | FileCheck %t/values.mlir
// RUN: gpuvm-opt %t/messages.mlir | gpuvm-opt | FileCheck %t/messages.mlir
// RUN: gpuvm-opt %t/messages.mlir --mlir-print-op-generic | gpuvm-opt | FileCheck %t/messages.mlir
// RUN: gpuvm-interpret %t/values.mlir --input=x=2xi32=1,2 | FileCheck %s --check-prefix=END
// RUN: gpuvm-interpret %t/messages.mlir --input=x=2xi32=1,2 --input=first=i32=7 | FileCheck %s --check-prefix=END
// RUN: gpuvm-compile %t/messages.mlir -o %t/messages.gvplan
// RUN: gpuvm-run %t/messages.gvplan --validate --input=x=2xi32=1,2 --input=first=i32=7 | FileCheck %s --check-prefix=END

// The values of the last iteration, of which only an iteration value knows that
// it is the last one.
// END-DAG: y: 2xi32=8 16
// END-DAG: k: i32=2

//--- values.mlir
// CHECK-LABEL: gpuvm.program @values
gpuvm.program @values(%x: tensor<2xi32>) -> (y: tensor<2xi32>, k: tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %yes = arith.constant dense<true> : tensor<i1>
  // CHECK: %[[LAST:.*]]:3 = flow.loop @r 10 times (%[[V:.*]] = %x : tensor<2xi32>, %[[N:.*]] = %{{.*}} : tensor<i32>, %[[GO:.*]] = %{{.*}} : tensor<i1>) while %[[GO]] {
  %last:3 = flow.loop @r 10 times (%v = %x : tensor<2xi32>, %n = %zero : tensor<i32>, %go = %yes : tensor<i1>) while %go {
    %w:3 = flow.dispatch @step map ["step"] (%v, %n, %go) {
    ^bb0(%a: tensor<2xi32>, %i: tensor<i32>, %g: tensor<i1>):
      %one = arith.constant dense<1> : tensor<i32>
      %two = arith.constant dense<2> : tensor<i32>
      %b = arith.addi %a, %a : tensor<2xi32>
      %more = arith.cmpi ne, %i, %two : tensor<i32>
      %j = arith.addi %i, %one : tensor<i32>
      %k = arith.select %more, %j, %i : tensor<i1>, tensor<i32>
      gpuvm.yield %b, %k, %more : tensor<2xi32>, tensor<i32>, tensor<i1>
    } : (tensor<2xi32>, tensor<i32>, tensor<i1>) -> (tensor<2xi32>, tensor<i32>, tensor<i1>)
    // CHECK: flow.next %{{.*}}#0, %{{.*}}#1, %{{.*}}#2 : tensor<2xi32>, tensor<i32>, tensor<i1>
    flow.next %w#0, %w#1, %w#2 : tensor<2xi32>, tensor<i32>, tensor<i1>
  }
  // CHECK: return %[[LAST]]#0, %[[LAST]]#1
  gpuvm.return %last#0, %last#1 : tensor<2xi32>, tensor<i32>
}

//--- messages.mlir
// CHECK-LABEL: gpuvm.program @messages
gpuvm.program @messages(%x: tensor<2xi32>, %first: tensor<i32>) -> (y: tensor<2xi32>, k: tensor<i32>) {
  // CHECK: %[[LAST:.*]]:2 = flow.loop @r 3 times (%[[V:.*]] = %x : tensor<2xi32>, %[[N:.*]] = %first : tensor<i32>) -> (!gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<i32>>) {
  %last:2 = flow.loop @r 3 times (%v = %x : tensor<2xi32>, %n = %first : tensor<i32>) -> (!gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<i32>>) {
    %w, %m = gpuvm.stage @step(%a = %v : !gpuvm.message<tensor<2xi32>>) -> (tensor<2xi32>, tensor<i32>) {
      %two = arith.constant dense<2> : tensor<i32>
      %b = arith.addi %a, %a : tensor<2xi32>
      gpuvm.send %b, %two : tensor<2xi32>, tensor<i32>
    }
    // CHECK: flow.next %{{.*}}, %{{.*}} : !gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<i32>>
    flow.next %w, %m : !gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<i32>>
  }
  // CHECK: return %[[LAST]]#0, %[[LAST]]#1
  gpuvm.return %last#0, %last#1 : !gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<i32>>
}
