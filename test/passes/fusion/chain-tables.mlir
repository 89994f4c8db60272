// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-form-chains | FileCheck %s

// A chain that looks up 64 elements of a table reads these, not the table.

!v = tensor<64xf32>
!i = tensor<64xi32>

// CHECK-LABEL: gpuvm.program @run
// CHECK:         flow.dispatch @a_and_1_more_chain chain ["a", "b"]
// CHECK-NOT:     dispatch
gpuvm.heap @table : tensor<1000000xf32>
gpuvm.program @run(%places: !i, %x: !v) -> (b: !v, a: !v) {
  %a = gpuvm.stage @a(%p = %places : !i, %v = %x : !v) -> !v {
    %t = gpuvm.load @table : tensor<1000000xf32>
    %g = gpuvm.gather %t[%p] : tensor<1000000xf32>, !i -> !v
    %r = arith.addf %g, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !gpuvm.message<!v>) -> !v {
    %f = tensor.extract_slice %v[1] [63] [1] : !v to tensor<63xf32>
    %l = tensor.extract_slice %v[0] [1] [1] : !v to tensor<1xf32>
    %s = tensor.concat dim(0) %f, %l : (tensor<63xf32>, tensor<1xf32>) -> !v
    %r = arith.addf %v, %s : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %b, %a : !gpuvm.message<!v>, !gpuvm.message<!v>
}
