//===- GpuvmScalarCode.td - what regions of scalar code hold -*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: the end of a region of an operation, and arithmetic that
// passes add to one.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_SCALAR_CODE
#define GPUVM_SCALAR_CODE

def Gpuvm_YieldOp : Gpuvm_Op<"yield", [
    Terminator, Pure]> {
  let summary = "The values that a dispatch, or a region of an operation, computes.";
  let description = [{
    In a region of an operation of this dialect that holds scalar code, such as
    the one that combines two elements of a scan, the values are scalars.

    C1: it is in a dispatch or in a region of another operation of this dialect.

    Example:

    ```mlir
    %sums = gpuvm.scan %x dimension 0 : (tensor<1000xi32>) -> tensor<1000xi32> {
    ^bb0(%before: i32, %next: i32):
      %s = arith.addi %before, %next : i32
      gpuvm.yield %s : i32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Gpuvm_FlushOp : Gpuvm_Op<"flush", [Pure, SameOperandsAndResultType]> {
  let summary = "A number, or a zero of its sign if it is subnormal.";
  let description = [{
    Scalar code, for the body of a `linalg` operation. `gpuvm-make-exact` puts
    it around arithmetic.

    Example: `%y = gpuvm.flush %x : f32`
  }];
  let arguments = (ins AnyTypeOf<[F16, BF16, F32, F64]>:$number);
  let results = (outs AnyTypeOf<[F16, BF16, F32, F64]>:$result);
  let assemblyFormat = "$number attr-dict `:` type($result)";
  let hasFolder = 1;
}

#endif // GPUVM_SCALAR_CODE
