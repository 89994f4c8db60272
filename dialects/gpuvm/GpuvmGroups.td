//===- GpuvmGroups.td - elements that belong together ------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: the operations that groups, joins, histograms and graphs
// are written with. `distinct` numbers equal keys and `match` finds them;
// `scatter` and `segment_reduce` combine rows of one number or that are side by
// side; `expand` repeats a row as often as there is work for it.
// docs/irregular.md writes GROUP BY, joins, sparse matrices and searches in
// graphs with them.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_GROUPS
#define GPUVM_GROUPS

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

def Gpuvm_ScatterOp : Gpuvm_Op<"scatter", [
    Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Gpuvm_RootOpInterface,
      ["getRoot", "readsOnce", "getUpdatedOperands", "isExact"]>,
    Gpuvm_InCode]> {
  let summary = "Elements put, or added, to places that the device computes.";
  let description = [{
    A result begins as its initial value. Then each row of its updates goes to the
    row of the result that `positions` names: update [i..., j...] is combined with
    the element [positions [i...], j...]. A row whose position lies outside of the
    result, or is negative, is left out. The rules say how elements meet:

    - `add`: the sum. Floats are added up as `gpuvm.segment_reduce` adds up those
      of one position, in the order of their numbers.
    - `min`, `max`: the least and the greatest, as `arith.minsi`, `maxsi`,
      `minimumf` and `maximumf` say; `minu`, `maxu`: of unsigned integers.
    - `and`, `or`, `xor`: of the bits of integers.
    - `last`: the update with the greatest number i, and nothing of the initial
      value if there is one.

    With `distinct` the positions inside of the results all differ, as the program
    claims: each update is the last one of its position.

    The result is the same on every device. Integers of 32 bits, and `add`, `and`
    and `or` of those with 64, are combined where they are with atomic operations;
    other updates are sorted by their positions first.

    C1: there are updates, and for each of them an initial value, a rule and a
        result.
    C2: `positions` has elements of type i32.
    C3: updates have the dimensions of `positions` and after them those of their
        initial value but for the leading one, of which there is one; both have the
        elements, and the initial value the type, of the result.
    C4: `minu`, `maxu`, `and`, `or` and `xor` combine integers; on i1 there are
        `and`, `or`, `xor` and `last` only.
    C5: all initial values have as many rows.

    Examples:

    ```mlir
    %counts = gpuvm.scatter add %ones at %bins into %zeros
        : (tensor<1000xi32>, tensor<1000xi32>, tensor<64xi32>) -> tensor<64xi32>
    %sum, %least = gpuvm.scatter add, min %a, %b at %group into %none, %large
        : (tensor<50xi64>, tensor<50xi32>, tensor<50xi32>, tensor<4xi64>, tensor<4xi32>)
        -> (tensor<4xi64>, tensor<4xi32>)
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Rows>:$updates, Gpuvm_Rows:$positions,
                       Variadic<Gpuvm_Tensor>:$initial,
                       Gpuvm_RuleArrayAttr:$rules, UnitAttr:$distinct);
  let results = (outs Variadic<Gpuvm_Tensor>:$results);
  let assemblyFormat = [{
    custom<Rules>($rules) $updates `at` $positions `into` $initial attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::gpuvm::Rule getRule(unsigned i) {
      return ::llvm::cast<::mlir::gpuvm::RuleAttr>(getRules()[i]).getValue();
    }
  }];
}

def Gpuvm_Histogram2dOp : Gpuvm_Op<"histogram2d", [
    Pure, AllTypesMatch<["rows", "columns"]>,
    HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "How often each pair of two numbers occurs.";
  let description = [{
    Element [i, j] of the result is the number of places at which `rows` is i and
    `columns` is j: a contingency table, a confusion matrix, or an image of points.
    Places at which one of them lies outside of the result, or is negative, are not
    counted. Counts wrap around.

    C1: `rows` and `columns` have elements of type i32.
    C2: the result has two dimensions and elements of type i32.

    Example:

    ```mlir
    %counts = gpuvm.histogram2d %label, %guess : tensor<1000xi32> -> tensor<10x10xi32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$rows, Gpuvm_Tensor:$columns);
  let results = (outs Gpuvm_Tensor:$counts);
  let assemblyFormat = [{
    $rows `,` $columns attr-dict `:` type($rows) `->` type($counts)
  }];
  let hasVerifier = 1;
}

def Gpuvm_SegmentReduceOp : Gpuvm_Op<"segment_reduce", [
    Pure, AttrSizedOperandSegments, SingleBlock,
    HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "A reduction of each segment of rows.";
  let description = [{
    Segment i is the rows offsets [i] to offsets [i + 1] - 1 of the inputs, as in a
    sparse matrix by rows (CSR). Result row i is the initial value combined with
    them, in order, by the region. The region gets the value so far and the next
    element of each input and yields both combined. It must be associative. An
    empty segment has the initial value. Rows have several elements if the inputs
    have further dimensions: each is combined for itself.

    Producers of the inputs are fused, so a product of a sparse matrix is this
    operation after a `linalg.generic` over the matrix's elements that reads rows of
    the other factor as a table. Long segments are split into pieces that different
    workgroups take: docs/reduction-order.md says how, and so in which order floats
    are added.

    Offsets are clamped to 0 and the number of rows; a segment that ends before it
    begins is empty.

    C1: there are inputs, and for each a result and an initial value: a scalar of
        the input's elements, or one for each element of the result.
    C2: `offsets` has one dimension, elements of type i32 and at least two of them.
    C3: inputs have one shape, of at least one dimension, and results that of the
        inputs but for the leading dimension, which is one less than that of
        `offsets`; both have the same elements.
    C4: the region has the arguments and yields the types that follow.

    Example:

    ```mlir
    %y = gpuvm.segment_reduce %products by %offsets from %zero
        : (tensor<5000x64xf32>, tensor<101xi32>, tensor<f32>) -> tensor<100x64xf32> {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      gpuvm.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Rows>:$inputs, Gpuvm_Tensor:$offsets,
                       Variadic<Gpuvm_Tensor>:$initial);
  let results = (outs Variadic<Gpuvm_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $inputs `by` $offsets `from` $initial attr-dict
    `:` functional-type(operands, results) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

def Gpuvm_ExpandOp : Gpuvm_Op<"expand", [
    Pure, HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "Each row as often as its count says.";
  let description = [{
    Row i stands counts [i] times side by side, in order, and not at all if that is
    zero or less: result place p belongs to row rows [p] and is number ordinals [p]
    of it, from 0. `total` is how many places that are, and 2147483647 if they are
    more; places after the results' end are left out. What the results hold after
    `total` is not said.

    C1: `counts` has one dimension and elements of type i32.
    C2: `rows` and `ordinals` have one dimension, of one length, and elements of
        type i32.

    Example:

    ```mlir
    %rows, %ordinals, %n = gpuvm.expand %degrees
        : tensor<100xi32> -> tensor<5000xi32>, tensor<5000xi32>
    ```
  }];
  let arguments = (ins Gpuvm_Rows:$counts);
  let results = (outs Gpuvm_Tensor:$rows, Gpuvm_Tensor:$ordinals,
                      Gpuvm_Word:$total);
  let assemblyFormat = [{
    $counts attr-dict `:` type($counts) `->` type($rows) `,` type($ordinals)
  }];
  let hasVerifier = 1;
}

def Gpuvm_DistinctOp : Gpuvm_Op<"distinct", [
    Pure, HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "Equal keys, numbered in their order.";
  let description = [{
    The key of row i is element i of all operands together. Of n different keys
    each has a number from 0 to n - 1, in ascending order, as signed integers, of
    the first operand in which two keys differ. `numbers` has that number for each
    row; `rows` has for each number the first row with that key, and after `count`,
    which is n, what is not said. If n is more than the length of `rows`, the rest
    is left out of it (and only there).

    C1: there are keys, all of one shape with one dimension, of integers of 8 to 64
        bits.
    C2: `numbers` is a tensor of i32 of that shape, and `rows` one of i32 with one
        dimension that is no longer.

    Example:

    ```mlir
    %numbers, %rows, %n = gpuvm.distinct %a, %b
        : tensor<1000xi32>, tensor<1000xi64> -> tensor<1000xi32>, tensor<50xi32>
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Rows>:$keys);
  let results = (outs Gpuvm_Rows:$numbers, Gpuvm_Tensor:$rows,
                      Gpuvm_Word:$count);
  let assemblyFormat = [{
    $keys attr-dict `:` type($keys) `->` type($numbers) `,` type($rows)
  }];
  let hasVerifier = 1;
}

def Gpuvm_MatchOp : Gpuvm_Op<"match", [
    Pure, AttrSizedOperandSegments, HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "For each key the rows of a table that have it.";
  let description = [{
    A key is the elements of all its operands together. The rows of the table with
    the key of row i of `keys` are order [first [i]] to order [first [i] +
    counts [i] - 1], in ascending order, and none if counts [i] is zero. Joins are
    written with that: a row pairs with counts [i] others (inner; `gpuvm.expand`
    lists the pairs), or at least one (left), or is kept if that is not zero (semi)
    or is (anti).

    `order` is the rows of the table in the order of their keys' hashes, and
    first [i] how many of them have a smaller hash. Different keys never share a
    hash; docs/irregular.md says which it is. A directory says where each part of
    the range of hashes begins, so a key finds its rows in a time that hardly
    depends on the length of the table, whatever the keys are.

    C1: there are keys, as many columns of the table, and they have the same
        elements: integers of 8 to 64 bits.
    C2: keys have one shape of one dimension, and so have the table's columns.
    C3: `first` and `counts` are tensors of i32 of the keys' shape, and `order` is
        one of the columns' shape; if that is bounded, as long as the bound, and no
        key finds a row after the count.

    Example:

    ```mlir
    %first, %counts, %order = gpuvm.match %keys in %table
        : (tensor<1000xi32>), (tensor<50xi32>) -> tensor<1000xi32>, tensor<1000xi32>, tensor<50xi32>
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Rows>:$keys,
                       Variadic<Gpuvm_Rows>:$table);
  let results = (outs Gpuvm_Rows:$first, Gpuvm_Rows:$counts,
                      Gpuvm_Tensor:$order);
  let assemblyFormat = [{
    $keys `in` $table attr-dict `:` `(` type($keys) `)` `,` `(` type($table) `)`
    `->` type($first) `,` type($counts) `,` type($order)
  }];
  let hasVerifier = 1;
}

#endif // GPUVM_GROUPS
