// Results side by side in a lane. Of pairs, where an element is made of what is shared, there
// are eight; bits are those of the interpreter, for a number of results that no eight divides.
// Of four sums of f64 there are two: more would need more workgroup memory than devices have.

// RUN: rm -rf %t && split-file %s %t
// RUN: gpuvm-compile %t/pairs.mlir -o %t/pairs.gvplan
// RUN: gpuvm-interpret %t/pairs.mlir --input=scale=f32=0.7 --output=sum=@%t/wanted.npy
// RUN: gpuvm-run %t/pairs.gvplan --validate --input=scale=f32=0.7 --output=sum=@%t/sum.npy
// RUN: cmp %t/wanted.npy %t/sum.npy
// RUN: gpuvm-plan show %t/pairs.gvplan | FileCheck %s --check-prefix=PAIRS
// RUN: gpuvm-compile %t/powers.mlir -o %t/powers.gvplan
// RUN: gpuvm-run %t/powers.gvplan --validate --input=x=1024x2064xf64=0.5 | FileCheck %s

// PAIRS: groups 263x1x1
// CHECK: a: 1024xf64=1032 1032
// CHECK: b: 1024xf64=516 516
// CHECK: c: 1024xf64=258 258
// CHECK: d: 1024xf64=129 129

//--- pairs.mlir
gpuvm.program @pairs(%scale: tensor<f32>) -> (sum: tensor<2101xf32>) {
  %sum = gpuvm.stage @pairs(%s = %scale : tensor<f32>) -> tensor<2101xf32> {
    %init = tensor.empty() : tensor<2101xf32>
    %x = linalg.generic {
        indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%s : tensor<f32>) outs(%init : tensor<2101xf32>) {
    ^bb0(%f: f32, %unused: f32):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %number = arith.sitofp %n : i32 to f32
      %r = arith.mulf %number, %f : f32
      linalg.yield %r : f32
    } -> tensor<2101xf32>
    %y = tensor.extract_slice %x[3] [1200] [1] : tensor<2101xf32> to tensor<1200xf32>
    %zero = arith.constant dense<0.0> : tensor<2101xf32>
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%x, %y : tensor<2101xf32>, tensor<1200xf32>) outs(%zero : tensor<2101xf32>) {
    ^bb0(%a: f32, %b: f32, %total: f32):
      %d = arith.subf %b, %a : f32
      %square = arith.mulf %d, %d : f32
      %cube = arith.mulf %d, %square : f32
      %t = arith.addf %total, %cube : f32
      linalg.yield %t : f32
    } -> tensor<2101xf32>
    gpuvm.send %r : tensor<2101xf32>
  }
  gpuvm.return %sum : !gpuvm.message<tensor<2101xf32>>
}

//--- powers.mlir
gpuvm.program @powers(%x: tensor<1024x2064xf64>) -> (a: tensor<1024xf64>, b: tensor<1024xf64>, c: tensor<1024xf64>, d: tensor<1024xf64>) {
  %a, %b, %c, %d = gpuvm.stage @s(%v = %x : tensor<1024x2064xf64>) -> (tensor<1024xf64>, tensor<1024xf64>, tensor<1024xf64>, tensor<1024xf64>) {
    %zero = arith.constant dense<0.0> : tensor<1024xf64>
    %r:4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<1024x2064xf64>) outs(%zero, %zero, %zero, %zero : tensor<1024xf64>, tensor<1024xf64>, tensor<1024xf64>, tensor<1024xf64>) {
    ^bb0(%e: f64, %s0: f64, %s1: f64, %s2: f64, %s3: f64):
      %e2 = arith.mulf %e, %e : f64
      %e3 = arith.mulf %e, %e2 : f64
      %e4 = arith.mulf %e2, %e2 : f64
      %t0 = arith.addf %s0, %e : f64
      %t1 = arith.addf %s1, %e2 : f64
      %t2 = arith.addf %s2, %e3 : f64
      %t3 = arith.addf %s3, %e4 : f64
      linalg.yield %t0, %t1, %t2, %t3 : f64, f64, f64, f64
    } -> (tensor<1024xf64>, tensor<1024xf64>, tensor<1024xf64>, tensor<1024xf64>)
    gpuvm.send %r#0, %r#1, %r#2, %r#3 : tensor<1024xf64>, tensor<1024xf64>, tensor<1024xf64>, tensor<1024xf64>
  }
  gpuvm.return %a, %b, %c, %d : !gpuvm.message<tensor<1024xf64>>, !gpuvm.message<tensor<1024xf64>>, !gpuvm.message<tensor<1024xf64>>, !gpuvm.message<tensor<1024xf64>>
}
