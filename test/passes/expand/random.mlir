// RUN: gpuvm-opt %s --gpuvm-generalize | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-make-exact -o /dev/null
// RUN: gpuvm-compile %s --program=draw --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-plan disassemble %t.gvplan | grep -c OpUMulExtended | FileCheck %s --check-prefix=SHARED

// A map of its indices and of the elements of the seed.
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0, d1) -> (0)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0, d1) -> (1)>
// CHECK-LABEL: gpuvm.program @draw
// CHECK:         linalg.generic {indexing_maps = [#[[$FIRST]], #[[$SECOND]], #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[S:.*]], %[[S]] : tensor<2xi32>, tensor<2xi32>) outs(%{{.*}} : tensor<16x256xf32>) attrs =  {gpuvm.shares_blocks}
// CHECK-COUNT-20:  arith.mului_extended
// CHECK-NOT:       arith.mului_extended
// CHECK:         arith.addf

// It is drawn and doubled by one kernel, in which a lane takes 16 numbers of 4
// blocks: 20 products each, but for those of words that are constant.
// ONE: 1 gpuvm-form-kernels{{ +}}- Kernels formed
// SHARED: {{^7[0-9]$}}
gpuvm.program @draw(%seed: tensor<2xi32>) -> (y: tensor<16x256xf32>) {
  %m = gpuvm.stage @s(%s = %seed : tensor<2xi32>) -> tensor<16x256xf32> {
    %r = gpuvm.random uniform seed(%s : tensor<2xi32>) -> tensor<16x256xf32>
    %h = arith.addf %r, %r : tensor<16x256xf32>
    gpuvm.send %h : tensor<16x256xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<16x256xf32>>
}

// Of a power of two no try fails; of other bounds there is a loop.
// CHECK-LABEL: gpuvm.program @dice
// CHECK:         linalg.generic
// CHECK-NOT:       scf.while
// CHECK:         linalg.generic
// CHECK:           scf.while
gpuvm.program @dice(%seed: tensor<2xi32>) -> (a: tensor<8xi32>, b: tensor<8xi32>) {
  %m = gpuvm.stage @s(%s = %seed : tensor<2xi32>) -> tensor<8xi32> {
    %r = gpuvm.random below(64) seed(%s : tensor<2xi32>) -> tensor<8xi32>
    gpuvm.send %r : tensor<8xi32>
  }
  %n = gpuvm.stage @t(%s = %seed : tensor<2xi32>) -> tensor<8xi32> {
    %r = gpuvm.random below(6) seed(%s : tensor<2xi32>) -> tensor<8xi32>
    gpuvm.send %r : tensor<8xi32>
  }
  gpuvm.return %m, %n : !gpuvm.message<tensor<8xi32>>, !gpuvm.message<tensor<8xi32>>
}
