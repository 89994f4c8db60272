// Philox 4x32-10 against the vectors of Random123 that a tensor can begin with,
// and what is made of its words. The rest is in test/e2e/draws.py.

// RUN: gpuvm-interpret %s --program=words --input=seed=2xi32=0,0 --input=stream=2xi32=0,0 | FileCheck %s --check-prefix=ZERO
// RUN: gpuvm-interpret %s --program=numbers --input=seed=2xi32=0,0 --input=limit=i64=0 | FileCheck %s --check-prefix=NUMBERS

// 6627e8d5 e169c58d bc57ac4c 9b00dbd8
// ZERO: narrow: 4xi32=1713891541 -513161843 -1135104948 -1694442536
// ZERO: wide: 2xi64=-2204013331526194987 -7277575273911440308
gpuvm.program @words(%seed: tensor<2xi32>, %stream: tensor<2xi32>) -> (narrow: tensor<4xi32>, wide: tensor<2xi64>) {
  %m = gpuvm.stage @narrow(%s = %seed : tensor<2xi32>, %t = %stream : tensor<2xi32>) -> tensor<4xi32> {
    %r = gpuvm.random bits seed(%s : tensor<2xi32>) stream(%t : tensor<2xi32>) -> tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  %n = gpuvm.stage @wide(%s = %seed : tensor<2xi32>, %t = %stream : tensor<2xi32>) -> tensor<2xi64> {
    %r = gpuvm.random bits seed(%s : tensor<2xi32>) stream(%t : tensor<2xi32>) -> tensor<2xi64>
    gpuvm.send %r : tensor<2xi64>
  }
  gpuvm.return %m, %n : !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<2xi64>>
}

// NUMBERS: uniform: 2x2xf32=[0.3990{{[0-9]*}} 0.8805{{[0-9]*}}][0.7357{{[0-9]*}} 0.6054{{[0-9]*}}]
// NUMBERS: nothing: 3xi64=0 0 0
// NUMBERS: one: i32=0
gpuvm.program @numbers(%seed: tensor<2xi32>, %limit: tensor<i64>) -> (uniform: tensor<2x2xf32>, nothing: tensor<3xi64>, one: tensor<i32>) {
  %u = gpuvm.stage @uniform(%s = %seed : tensor<2xi32>) -> tensor<2x2xf32> {
    %r = gpuvm.random uniform seed(%s : tensor<2xi32>) -> tensor<2x2xf32>
    gpuvm.send %r : tensor<2x2xf32>
  }
  %b = gpuvm.stage @below(%s = %seed : tensor<2xi32>, %n = %limit : tensor<i64>) -> tensor<3xi64> {
    %r = gpuvm.random below limit(%n : tensor<i64>) seed(%s : tensor<2xi32>) -> tensor<3xi64>
    gpuvm.send %r : tensor<3xi64>
  }
  %p = gpuvm.stage @permute(%s = %seed : tensor<2xi32>) -> tensor<i32> {
    %r = gpuvm.random permutation seed(%s : tensor<2xi32>) -> tensor<i32>
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %u, %b, %p : !gpuvm.message<tensor<2x2xf32>>, !gpuvm.message<tensor<3xi64>>, !gpuvm.message<tensor<i32>>
}
