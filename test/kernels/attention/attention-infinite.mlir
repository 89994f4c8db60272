// A row whose scores are all minus infinity is zeros, as one that sees no key; a single such score is a key of no weight.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=q=1x2x1xf32=1,2 --input=k=1x3x1xf32=-inf,-inf,-inf --input=v=1x3x2xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=ALL
// RUN: gpuvm-interpret %s --input=q=1x2x1xf32=1,2 --input=k=1x3x1xf32=-inf,-inf,-inf --input=v=1x3x2xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=ALL
// RUN: gpuvm-run %t.gvplan --validate --input=q=1x2x1xf32=1,1 --input=k=1x3x1xf32=-inf,2,-inf --input=v=1x3x2xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-interpret %s --input=q=1x2x1xf32=1,1 --input=k=1x3x1xf32=-inf,2,-inf --input=v=1x3x2xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=ONE

// ALL: o: 1x2x2xf32={{\[?\[?}}0 0{{.*}}0 0
// ONE: o: 1x2x2xf32={{\[?\[?}}3 4{{.*}}3 4
gpuvm.program @infinite(%q: tensor<1x2x1xf32>, %k: tensor<1x3x1xf32>, %v: tensor<1x3x2xf32>) -> (o: tensor<1x2x2xf32>) {
  %m = gpuvm.stage @s(%query = %q : tensor<1x2x1xf32>, %key = %k : tensor<1x3x1xf32>, %value = %v : tensor<1x3x2xf32>) -> tensor<1x2x2xf32> {
    %o = gpuvm.attention %query, %key, %value scale 1.0 : tensor<1x2x1xf32>, tensor<1x3x1xf32>, tensor<1x3x2xf32> -> tensor<1x2x2xf32>
    gpuvm.send %o : tensor<1x2x2xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x2x2xf32>>
}
