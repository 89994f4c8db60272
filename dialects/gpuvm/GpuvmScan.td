//===- GpuvmScan.td - scans and their like -----------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: operations whose result at an element depends on all
// elements before it.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_SCAN
#define GPUVM_SCAN

class Gpuvm_ScanRoot<string mnemonic, list<Trait> traits>
    : Gpuvm_Op<mnemonic, [
        Pure, AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<Gpuvm_RootOpInterface,
          ["getRoot", "readsOnce", "getEpilogueShape", "isExact"]>,
        Gpuvm_InCode
      ] # traits>;

def Gpuvm_ScanOp : Gpuvm_ScanRoot<"scan", [SingleBlock]> {
  let summary = "Each element combined with all before it in its row.";
  let description = [{
    A row is what has the same index in all dimensions but `dimension`. Result
    element i of a row is input element 0 combined with 1, 2, ... and i by the
    region, which is given what comes before and the next element and yields both
    combined. It must be associative. If it does not round, the result is what a
    loop over the row computes. If it does (a sum of floats), the order in which
    elements are combined is that of docs/reduction-order.md, the same on every
    device. Several inputs are combined together, element by element: the region has
    an argument for each of them, twice.

    With `exclusive` result element i is the initial value combined with input
    elements 0 to i - 1, and the initial value if i is 0. With `segments` a row
    falls into segments that begin with it and wherever an element of that
    operand is true, and each is scanned as if it were a row. With `reverse`
    rows and segments are walked from their last element to their first.

    C1: the inputs have one shape, and result i the type of input i.
    C2: `dimension` is a dimension of the inputs.
    C3: there is an initial value for each input if there is one at all, a scalar
        of its elements.
    C4: `segments` has the shape of the inputs and elements of type i1.
    C5: the region has the arguments and yields the types that follow.
    C6: an element of all inputs together has at most 24 bytes.

    Examples:

    ```mlir
    %sums = gpuvm.scan %x dimension 0 : (tensor<1000xi32>) -> tensor<1000xi32> {
    ^bb0(%before: i32, %next: i32):
      %s = arith.addi %before, %next : i32
      gpuvm.yield %s : i32
    }
    %starts = gpuvm.scan %rows dimension 1 exclusive(%zero) segments(%heads)
        : (tensor<8x100xf32>, tensor<f32>, tensor<8x100xi1>) -> tensor<8x100xf32> {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      gpuvm.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Rows>:$inputs,
                       Variadic<Gpuvm_Tensor>:$initial,
                       Optional<Gpuvm_Rows>:$segments,
                       I64Attr:$dimension, UnitAttr:$reverse);
  let results = (outs Variadic<Gpuvm_Rows>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $inputs `dimension` $dimension (`exclusive` `(` $initial^ `)`)?
    (`segments` `(` $segments^ `)`)? (`reverse` $reverse^)? attr-dict
    `:` functional-type(operands, results) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Gpuvm_CompactOp : Gpuvm_Op<"compact", [
    Pure, DeclareOpInterfaceMethods<Gpuvm_RootOpInterface,
            ["getRoot", "readsOnce", "isExact"]>,
    Gpuvm_InCode]> {
  let summary = "The elements for which a condition holds, in their order.";
  let description = [{
    Result i begins with the elements of payload i whose `keep` is true, in
    order; what it holds after them is not said. `count` is how many `keep` are
    true. A result may be shorter than its payload: if `count` is more than its
    length, the rest is left out (and only then).

    C1: `keep` and the payloads have one dimension of one length, and `keep` has
        elements of type i1.
    C2: there is a result for each payload, with its elements, one dimension and
        no more length.

    Example:

    ```mlir
    %kept, %n = gpuvm.compact %x where %keep
        : (tensor<1000xf32>, tensor<1000xi1>) -> (tensor<1000xf32>, tensor<i32>)
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Rows>:$payloads, Gpuvm_Rows:$keep);
  let results = (outs Variadic<Gpuvm_Tensor>:$results, Gpuvm_Word:$count);
  let assemblyFormat = [{
    $payloads `where` $keep attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // GPUVM_SCAN
