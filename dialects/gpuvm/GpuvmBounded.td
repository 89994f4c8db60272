//===- GpuvmBounded.td - as many rows as the device finds --*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: bounded tensors, `tensor<?x4xf32, #gpuvm.bound<1000>>`.
// Only the device knows how many rows one has; the program knows how many there
// are at most. docs/bounded.md says what can be done with them.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_BOUNDED
#define GPUVM_BOUNDED

def Gpuvm_BoundedOp : Gpuvm_Op<"bounded", [
    Pure, HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "The first rows of a tensor, as many as a count says.";
  let description = [{
    The count is kept in Control, as a symbol named after the stage, where the
    host can read it. If it is more than `data` has rows, the execution ends with
    the error EXCESS, which says both numbers; below zero it is zero.

    C1: `data` has at least one dimension.
    C2: the result has the shape and elements of `data`, but for its leading
        dimension, which is dynamic and bounded by that of `data`.

    Example:

    ```mlir
    %v, %n = gpuvm.compact %x where %keep
        : (tensor<1000xf32>, tensor<1000xi1>) -> (tensor<1000xf32>, tensor<i32>)
    %kept = gpuvm.bounded %v[%n] : tensor<1000xf32> -> tensor<?xf32, #gpuvm.bound<1000>>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$data, Gpuvm_Word:$count);
  let results = (outs Gpuvm_Rows:$result);
  let assemblyFormat = [{
    $data `[` $count `]` attr-dict `:` type($data) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Gpuvm_CountOp : Gpuvm_Op<"count", [
    Pure, HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "How many rows a bounded tensor has.";
  let description = [{
    C1: the operand is a bounded tensor.

    Example:

    ```mlir
    %kept = gpuvm.bounded %v[%rows] : tensor<1000xf32> -> tensor<?xf32, #gpuvm.bound<1000>>
    %n = gpuvm.count %kept : tensor<?xf32, #gpuvm.bound<1000>>
    ```
  }];
  let arguments = (ins Gpuvm_Rows:$source);
  let results = (outs Gpuvm_Word:$count);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Gpuvm_FilledOp : Gpuvm_Op<"filled", [
    Pure, HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "A bounded tensor with as many rows as it may have.";
  let description = [{
    After the rows of `source` all elements are `element`.

    C1: `source` is a bounded tensor, and `element` a scalar of its elements.
    C2: the result has the shape of `source`, but for its leading dimension,
        which is the bound.

    Example:

    ```mlir
    %kept = gpuvm.bounded %v[%rows] : tensor<1000xf32> -> tensor<?xf32, #gpuvm.bound<1000>>
    %all = gpuvm.filled %kept with %zero : tensor<?xf32, #gpuvm.bound<1000>>, tensor<f32> -> tensor<1000xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Rows:$source, Gpuvm_Tensor:$element);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $source `with` $element attr-dict `:` type($source) `,` type($element) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // GPUVM_BOUNDED
