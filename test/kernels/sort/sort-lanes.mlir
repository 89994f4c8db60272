// A device that ranks by ballots sorts one row with more lanes, of which each has fewer elements to wait for; many rows
// with few.

// RUN: gpuvm-compile %s --target=h200 --program=one -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-compile %s --target=h200 --program=many -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=MANY
// ONE: s_sort {{ *}}local size 512x1x1
// MANY: s_sort {{ *}}local size 128x1x1

gpuvm.program @one(%x: tensor<1536xf32>) -> (y: tensor<1536xf32>) {
  %m = gpuvm.stage @s(%a = %x : tensor<1536xf32>) -> tensor<1536xf32> {
    %o = gpuvm.sort %a : tensor<1536xf32>
    gpuvm.send %o : tensor<1536xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1536xf32>>
}

gpuvm.program @many(%x: tensor<1000x1536xf32>) -> (y: tensor<1000x1536xf32>) {
  %m = gpuvm.stage @s(%a = %x : tensor<1000x1536xf32>) -> tensor<1000x1536xf32> {
    %o = gpuvm.sort %a : tensor<1000x1536xf32>
    gpuvm.send %o : tensor<1000x1536xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1000x1536xf32>>
}
