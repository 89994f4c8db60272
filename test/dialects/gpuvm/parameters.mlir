// RUN: gpuvm-opt %s --split-input-file | FileCheck %s
// RUN: gpuvm-opt %s --split-input-file --mlir-print-op-generic | gpuvm-opt --split-input-file | FileCheck %s
// RUN: gpuvm-opt %s --split-input-file --set lanes=2 --set scale=1.0e-05 | FileCheck %s --check-prefix=SET

// CHECK: gpuvm.parameter @lanes = 4096 in 1 to 65536 "boards"
// CHECK: gpuvm.parameter @twice = 8192
// CHECK: gpuvm.parameter @scale = 5.000000e-01
// CHECK: gpuvm.parameter @shift = -3 in -8 to -1
// CHECK: tensor<8192xf32>) -> (y: tensor<8192xf32>)
// CHECK: dense<5.000000e-01> : tensor<4096x2xf32>
// SET: gpuvm.parameter @lanes = 2 in 1 to 65536 "boards"
// SET: gpuvm.parameter @twice = 4
// SET: gpuvm.parameter @scale = 1.000000e-05
// SET: dense<9.99999974E-6> : tensor<2x2xf32>
gpuvm.parameter @lanes = 4096 in 1 to 65536 "boards"
gpuvm.parameter @twice = @2 * lanes@
gpuvm.parameter @scale = 0.5
gpuvm.parameter @shift = -3 in -8 to @1 - 2@
gpuvm.program @p(%x: tensor<@twice@xf32>) -> (y: tensor<@twice@xf32>) {
  %y = gpuvm.stage @s(%a = %x : tensor<@twice@xf32>) -> tensor<@twice@xf32> {
    %c = arith.constant dense<@scale@> : tensor<@lanes@x@twice / lanes@xf32>
    %d = tensor.collapse_shape %c [[0, 1]] : tensor<@lanes@x2xf32> into tensor<@twice@xf32>
    %e = arith.mulf %a, %d : tensor<@twice@xf32>
    gpuvm.send %e : tensor<@twice@xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<@twice@xf32>>
}

// -----

// Each part of a file has its own, and they are no symbols.
// CHECK: gpuvm.parameter @lanes = 7
// CHECK: gpuvm.heap @scale : tensor<7xf32>
gpuvm.parameter @lanes = 7
gpuvm.parameter @scale = 1.0
gpuvm.heap @scale : tensor<@lanes@xf32> = dense<@scale@> : tensor<@lanes@xf32>
