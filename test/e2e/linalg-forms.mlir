// Forms in which upstream tools print programs, on a device and in the interpreter.

// DEFINE: %{compile} = gpuvm-compile %s -o %t.gvplan --program
// DEFINE: %{run} = gpuvm-run %t.gvplan --validate
// DEFINE: %{interpret} = gpuvm-interpret %s --program

// A reduction that keeps its dimension, and one of all dimensions that does.
// RUN: %{compile}=kept
// RUN: %{run} --input=x=2x3xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=KEPT
// RUN: %{interpret}=kept --input=x=2x3xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=KEPT
// KEPT: sums: 2x1xf32=[6][15]
// KEPT: share: 2x3xf32=[0.5 1 1.5][0.8 1 1.2]
// KEPT: all: 1x1xf32={{\[?}}21
gpuvm.program @kept(%x: tensor<2x3xf32>) -> (sums: tensor<2x1xf32>, share: tensor<2x3xf32>, all: tensor<1x1xf32>) {
  %sums, %share, %all = gpuvm.stage @s(%x = %x : tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>, tensor<1x1xf32>) {
    %zero = arith.constant 0.0 : f32
    %three = arith.constant 3.0 : f32
    %empty = tensor.empty() : tensor<2x1xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x1xf32>) -> tensor<2x1xf32>
    %sums = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x3xf32>) outs(%fill : tensor<2x1xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<2x1xf32>
    %wide = tensor.empty() : tensor<2x3xf32>
    %share = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %sums : tensor<2x3xf32>, tensor<2x1xf32>) outs(%wide : tensor<2x3xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %e = arith.mulf %a, %three : f32
      %f = arith.divf %e, %b : f32
      linalg.yield %f : f32
    } -> tensor<2x3xf32>
    %none = tensor.empty() : tensor<1x1xf32>
    %start = linalg.fill ins(%zero : f32) outs(%none : tensor<1x1xf32>) -> tensor<1x1xf32>
    %all = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, 0)>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<2x3xf32>) outs(%start : tensor<1x1xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<1x1xf32>
    gpuvm.send %sums, %share, %all : tensor<2x1xf32>, tensor<2x3xf32>, tensor<1x1xf32>
  }
  gpuvm.return %sums, %share, %all : !gpuvm.message<tensor<2x1xf32>>, !gpuvm.message<tensor<2x3xf32>>, !gpuvm.message<tensor<1x1xf32>>
}

// Scalars as operands, captured, splatted, around a tensor, and of two tensors one.
// RUN: %{compile}=scalars
// RUN: %{run} --input=x=3xf32=1,2,3 --input=s=f32=10 --input=c=i1=1 | FileCheck %s --check-prefix=YES
// RUN: %{run} --input=x=3xf32=1,2,3 --input=s=f32=10 --input=c=i1=0 | FileCheck %s --check-prefix=NO
// RUN: %{interpret}=scalars --input=x=3xf32=1,2,3 --input=s=f32=10 --input=c=i1=1 | FileCheck %s --check-prefix=YES
// RUN: %{interpret}=scalars --input=x=3xf32=1,2,3 --input=s=f32=10 --input=c=i1=0 | FileCheck %s --check-prefix=NO
// YES: sum: 3xf32=31 32 33
// YES: pad: 6xf32=10 1 2 3 40 50
// YES: chosen: 3xf32=10 10 10
// YES: number: f32=20
// NO: chosen: 3xf32=1 4 9
// NO: number: f32=11
gpuvm.program @scalars(%x: tensor<3xf32>, %s: tensor<f32>, %c: tensor<i1>) -> (sum: tensor<3xf32>, pad: tensor<6xf32>, chosen: tensor<3xf32>, number: tensor<f32>) {
  %y:4 = gpuvm.stage @s(%x = %x : tensor<3xf32>, %s = %s : tensor<f32>, %c = %c : tensor<i1>) -> (tensor<3xf32>, tensor<6xf32>, tensor<3xf32>, tensor<f32>) {
    %e = tensor.extract %s[] : tensor<f32>
    %twice = arith.addf %e, %e : f32
    %empty = tensor.empty() : tensor<3xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %e : tensor<3xf32>, f32) outs(%empty : tensor<3xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %1 = arith.addf %a, %b : f32
      %2 = arith.addf %1, %twice : f32
      linalg.yield %2 : f32
    } -> tensor<3xf32>
    %pad = tensor.pad %x low[1] high[2] {
    ^bb0(%i: index):
      %w = arith.index_cast %i : index to i32
      %f = arith.sitofp %w : i32 to f32
      %p = arith.mulf %f, %e : f32
      %m = arith.maximumf %p, %e : f32
      tensor.yield %m : f32
    } : tensor<3xf32> to tensor<6xf32>
    %condition = tensor.extract %c[] : tensor<i1>
    %chosen, %number = scf.if %condition -> (tensor<3xf32>, f32) {
      %splat = tensor.splat %e : tensor<3xf32>
      scf.yield %splat, %twice : tensor<3xf32>, f32
    } else {
      %square = arith.mulf %x, %x : tensor<3xf32>
      %one = arith.constant 1.0 : f32
      %next = arith.addf %e, %one : f32
      scf.yield %square, %next : tensor<3xf32>, f32
    }
    %n = tensor.from_elements %number : tensor<f32>
    gpuvm.send %sum, %pad, %chosen, %n : tensor<3xf32>, tensor<6xf32>, tensor<3xf32>, tensor<f32>
  }
  gpuvm.return %y#0, %y#1, %y#2, %y#3 : !gpuvm.message<tensor<3xf32>>, !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<3xf32>>, !gpuvm.message<tensor<f32>>
}

// RUN: %{compile}=shapes
// RUN: %{run} --input=x=3x4xi32=1,2,3,4,5,6,7,8,9,10,11,12 | FileCheck %s --check-prefix=SHAPES
// RUN: %{interpret}=shapes --input=x=3x4xi32=1,2,3,4,5,6,7,8,9,10,11,12 | FileCheck %s --check-prefix=SHAPES
// SHAPES: reshaped: 2x6xi32=[1 2 3 4 5 6][7 8 9 10 11 12]
// SHAPES: packed: 2x2x3x2xi32={{[[][[][[]1 5[]][[]2 6[]][[]3 7[]][]][[][[]9 7[]][[]10 7[]][[]11 7[]][]][]][[][[][[]4 8[]][[]7 7[]][[]7 7[]][]][[][[]12 7[]][[]7 7[]][[]7 7[]][]][]]}}
// SHAPES: unpacked: 3x4xi32=[1 2 3 4][5 6 7 8][9 10 11 12]
gpuvm.program @shapes(%x: tensor<3x4xi32>) -> (reshaped: tensor<2x6xi32>, packed: tensor<2x2x3x2xi32>, unpacked: tensor<3x4xi32>) {
  %y:3 = gpuvm.stage @s(%x = %x : tensor<3x4xi32>) -> (tensor<2x6xi32>, tensor<2x2x3x2xi32>, tensor<3x4xi32>) {
    %shape = arith.constant dense<[2, 6]> : tensor<2xindex>
    %reshaped = tensor.reshape %x(%shape) : (tensor<3x4xi32>, tensor<2xindex>) -> tensor<2x6xi32>
    %seven = arith.constant 7 : i32
    %tiles = tensor.empty() : tensor<2x2x3x2xi32>
    %packed = linalg.pack %x padding_value(%seven : i32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %tiles : tensor<3x4xi32> -> tensor<2x2x3x2xi32>
    %whole = tensor.empty() : tensor<3x4xi32>
    %unpacked = linalg.unpack %packed outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %whole : tensor<2x2x3x2xi32> -> tensor<3x4xi32>
    gpuvm.send %reshaped, %packed, %unpacked : tensor<2x6xi32>, tensor<2x2x3x2xi32>, tensor<3x4xi32>
  }
  gpuvm.return %y#0, %y#1, %y#2 : !gpuvm.message<tensor<2x6xi32>>, !gpuvm.message<tensor<2x2x3x2xi32>>, !gpuvm.message<tensor<3x4xi32>>
}
