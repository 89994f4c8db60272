// Rows of several symbols that are stored at the same index are one scatter,
// unless one of them needs what another makes.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize,canonicalize,cse,gpuvm-join-scatters))' | FileCheck %s --check-prefix=SCATTERS
// RUN: gpuvm-compile %s -o %t.gvplan --statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: gpuvm-run %t.gvplan --validate --input=x=8xf32=0.5 --input=at=i32=3 > %t.out
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: gpuvm-interpret %s --input=x=8xf32=0.5 --input=at=i32=3 | diff - %t.out
// An index outside of the rows stores nothing.
// RUN: gpuvm-run %t.gvplan --validate --input=x=8xf32=0.5 --input=at=i32=4096 > %t.none
// RUN: gpuvm-interpret %s --input=x=8xf32=0.5 --input=at=i32=4096 | diff - %t.none

// COUNT: 3 gpuvm-join-scatters

// SCATTERS-LABEL: @record
// SCATTERS: scatter last, last, last {{.*}} {distinct}
// SCATTERS-SAME: -> (tensor<32768xf32>, tensor<32768xi32>, tensor<32768xf32>)
// SCATTERS-NOT: scatter
// SCATTERS-LABEL: @after
// SCATTERS: scatter last
// SCATTERS-SAME: -> tensor<32768xf32>
// SCATTERS: scatter last
// SCATTERS-SAME: -> tensor<32768xf32>

// OUT: sum: f32=4

!v = tensor<8xf32>
!row = tensor<1x8xf32>
!rows = tensor<4096x8xf32>
!some = tensor<6x8xf32>
!word = tensor<i32>

gpuvm.global @a : !rows
gpuvm.global @b : tensor<4096x8xi32>
gpuvm.global @c : !rows
gpuvm.global @d : !rows
gpuvm.global @e : !rows

gpuvm.program @p(%x: !v, %at: !word) -> (a: !some, b: tensor<6x8xi32>, c: !some, d: !some, e: !some, sum: tensor<f32>) {
  %n = gpuvm.stage @record(%v = %x : !v, %i = %at : !word) -> !word {
    %two = arith.constant dense<2.0> : !v
    %w = arith.mulf %v, %two : !v
    %k = arith.fptosi %w : !v to tensor<8xi32>
    %va = tensor.expand_shape %v [[0, 1]] output_shape [1, 8] : !v into !row
    %vb = tensor.expand_shape %k [[0, 1]] output_shape [1, 8] : tensor<8xi32> into tensor<1x8xi32>
    %vc = tensor.expand_shape %w [[0, 1]] output_shape [1, 8] : !v into !row
    gpuvm.store %va, @a[%i] : !row
    gpuvm.store %vb, @b[%i] : tensor<1x8xi32>
    gpuvm.store %vc, @c[%i] : !row
    gpuvm.send %i : !word
  }
  %sum = gpuvm.stage @after(%v = %x : !v, %i = %n : !gpuvm.message<!word>) -> tensor<f32> {
    %va = tensor.expand_shape %v [[0, 1]] output_shape [1, 8] : !v into !row
    gpuvm.store %va, @d[%i] : !row
    // Of what has just been stored.
    %d = gpuvm.load @d : !rows
    %zero = arith.constant dense<0.0> : tensor<f32>
    %none = arith.constant dense<0.0> : !v
    %columns = linalg.reduce { arith.addf } ins(%d : !rows) outs(%none : !v) dimensions = [0]
    %eight = arith.constant dense<8.0> : !v
    %more = arith.addf %columns, %eight : !v
    %ve = tensor.expand_shape %more [[0, 1]] output_shape [1, 8] : !v into !row
    gpuvm.store %ve, @e[%i] : !row
    %all = linalg.reduce { arith.addf } ins(%d : !rows) outs(%zero : tensor<f32>) dimensions = [0, 1]
    gpuvm.send %all : tensor<f32>
  }
  // The rows that were stored, and those beside them.
  %a, %b, %c, %d, %e = gpuvm.stage @end(%w = %sum : !gpuvm.message<tensor<f32>>) -> (!some, tensor<6x8xi32>, !some, !some, !some) {
    %a = gpuvm.load @a[0] : !some
    %b = gpuvm.load @b[0] : tensor<6x8xi32>
    %c = gpuvm.load @c[0] : !some
    %d = gpuvm.load @d[0] : !some
    %e = gpuvm.load @e[0] : !some
    gpuvm.send %a, %b, %c, %d, %e : !some, tensor<6x8xi32>, !some, !some, !some
  }
  gpuvm.return %a, %b, %c, %d, %e, %sum : !gpuvm.message<!some>, !gpuvm.message<tensor<6x8xi32>>, !gpuvm.message<!some>, !gpuvm.message<!some>, !gpuvm.message<!some>, !gpuvm.message<tensor<f32>>
}
