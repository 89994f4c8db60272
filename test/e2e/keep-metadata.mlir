// --keep-metadata: the host reads norm, max_abs, how often it ran and status of every
// message, of fused ones too, and the outputs stay what they are.

// RUN: gpuvm-compile %s --keep-metadata -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=1000xf32=-1.5 --output=double.metadata --output=flags.metadata --output=y --output_max_element_count=4 | FileCheck %s
// RUN: gpuvm-compile %s --keep-metadata --disable-fusion -o %t.unfused.gvplan
// RUN: gpuvm-run %t.unfused.gvplan --validate --input=x=1000xf32=-1.5 --output=double.metadata --output=flags.metadata --output=y --output_max_element_count=4 | FileCheck %s

// Without it there are none.
// RUN: gpuvm-compile %s -o %t.without.gvplan
// RUN: not gpuvm-run %t.without.gvplan --input=x=1000xf32=-1.5 --output=double.metadata 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: has no output, metric, global or control word named "double.metadata"

// norm 94.86833 (3 sqrt(1000)) and max_abs 3, as bits; it ran once; status 0.
// CHECK: double.metadata: 4xi32=1119730838 1077936128 1 0
// The norm of 1000 ones is 31.622776 (true counts as 1).
// CHECK: flags.metadata: 4xi32=1107098482 1065353216 1 0
// CHECK: y: 1000xi1=1 1 1 1...
gpuvm.program @p(%x: tensor<1000xf32>) -> (y: tensor<1000xi1>) {
  %a = gpuvm.stage @double(%in = %x : tensor<1000xf32>) -> tensor<1000xf32> {
    %r = arith.addf %in, %in : tensor<1000xf32>
    gpuvm.send %r : tensor<1000xf32>
  }
  %b = gpuvm.stage @flags(%in = %a : !gpuvm.message<tensor<1000xf32>>) -> tensor<1000xi1> {
    %zero = arith.constant dense<0.0> : tensor<1000xf32>
    %r = arith.cmpf olt, %in, %zero : tensor<1000xf32>
    gpuvm.send %r : tensor<1000xi1>
  }
  gpuvm.return %b : !gpuvm.message<tensor<1000xi1>>
}
