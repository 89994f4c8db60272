// An embedding and the projection behind it are one kernel; a number that is no
// row is the nearest one. What a cache holds grows with every execution.

// RUN: gpuvm-compile %s --program=embed --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-run %t.gvplan --validate --input=tokens=4xi32=1,-5,2,9 | FileCheck %s --check-prefix=EMBED
// RUN: gpuvm-interpret %s --program=embed --input=tokens=4xi32=1,-5,2,9 | FileCheck %s --check-prefix=EMBED
// RUN: gpuvm-compile %s --program=append -o %t.append.gvplan
// RUN: gpuvm-plan show %t.append.gvplan | FileCheck %s --check-prefix=PLACE
// RUN: gpuvm-run %t.append.gvplan --validate --iterations=3 --input=row=2xf32=1,2 --output=cache | FileCheck %s --check-prefix=APPEND
// RUN: gpuvm-interpret %s --program=append --iterations=3 --input=row=2xf32=1,2 --output=cache | FileCheck %s --check-prefix=APPEND
// RUN: gpuvm-run %t.append.gvplan --validate --iterations=9 --input=row=2xf32=1,2 --output=cache | FileCheck %s --check-prefix=FULL

// ONE: 1 gpuvm-form-kernels{{ +}}- Kernels formed

// EMBED: y: 4xf32=7 3 11 11
gpuvm.program @embed(%tokens: tensor<4xi32>) -> (y: tensor<4xf32>) {
  gpuvm.heap @table : tensor<3x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %e = gpuvm.stage @embed(%t = %tokens : tensor<4xi32>) -> tensor<4x2xf32> {
    %table = gpuvm.load @table : tensor<3x2xf32>
    %rows = gpuvm.gather %table[%t] : tensor<3x2xf32>, tensor<4xi32> -> tensor<4x2xf32>
    gpuvm.send %rows : tensor<4x2xf32>
  }
  %y = gpuvm.stage @project(%rows = %e : !gpuvm.message<tensor<4x2xf32>>) -> tensor<4xf32> {
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    %sum = linalg.reduce { arith.addf } ins(%rows : tensor<4x2xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
    gpuvm.send %sum : tensor<4xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// The cache is updated in its place: no copy.
// PLACE:     commands
// PLACE-NOT: copy
// PLACE:     reads and writes globals[0..32)
// PLACE-NOT: copy
// APPEND: cache: 4x2xf32=[1 2][1 2][1 2][0 0]
// FULL:   cache: 4x2xf32=[1 2][1 2][1 2][1 2]
gpuvm.program @append(%row: tensor<2xf32>) {
  gpuvm.global @cache : tensor<4x2xf32>
  gpuvm.register @next : tensor<i32>
  gpuvm.stage @keep(%r = %row : tensor<2xf32>) {
    %rows = tensor.expand_shape %r [[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
    %at = gpuvm.load @next : tensor<i32>
    gpuvm.store %rows, @cache[%at] : tensor<1x2xf32>
    %one = arith.constant dense<1> : tensor<i32>
    %after = arith.addi %at, %one : tensor<i32>
    gpuvm.store %after, @next : tensor<i32>
  }
  gpuvm.return
}
