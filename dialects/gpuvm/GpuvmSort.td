//===- GpuvmSort.td - order, ranks and search --------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: what a user writes to sort, pick the largest and search
// (`sort`, `top_k`, `merge`, `search_sorted`; the last two are dispatches
// of their own), and the steps that gpuvm-generalize expands the others to
// (docs/rationale/sort.md).
//
// The order of keys, everywhere: integers are signed numbers, or unsigned ones
// if it says `unsigned`; i1 is false before true. Of floats -0 and +0 are equal,
// all NaNs are equal and come after plus infinity. `descending` is the opposite
// order: NaNs come first. Whatever the order, equal keys keep theirs, and a key
// comes out with the bits it had.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_SORT
#define GPUVM_SORT

//===----------------------------------------------------------------------===//
// What a user writes
//===----------------------------------------------------------------------===//

def Gpuvm_SortOp : Gpuvm_Op<"sort", [
    Pure, AttrSizedOperandSegments, HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "Rows in the order of their keys, stable.";
  let description = [{
    Sorts along the last dimension; the others number the rows, each of which is
    sorted for itself. With several keys an element comes before another if the
    first key in which they differ says so (ORDER BY). Elements whose keys are
    all equal stay in the order they were in.

    The order of a key is the one that the flags after it say: integers are
    signed, or `unsigned`; i1 is false before true; of floats -0 and +0 are
    equal, all NaNs are equal and come after plus infinity. `descending` is the
    opposite: the largest first, and NaNs before it. Each key comes out with the
    bits it had.

    The results are the keys in order, the payloads in the same order and, with
    `numbers`, the place along its row that each element came from.

    C1: there is at least one key, all operands have one shape, and it has at
        least one dimension.
    C2: each key has its two flags.
    C3: the results have the operands' types, and after them with `numbers`
        stands a tensor of i32 of their shape.

    Example:

    ```mlir
    %k, %p = gpuvm.sort %key unsigned payloads(%value) : tensor<1000xi32>, tensor<1000xf32>
    %a, %b, %n = gpuvm.sort %price descending, %name numbers : tensor<8x50xf32>, tensor<8x50xi64>
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Rows>:$keys,
                       Variadic<Gpuvm_Rows>:$payloads,
                       DenseBoolArrayAttr:$unsigned_keys,
                       DenseBoolArrayAttr:$descending, UnitAttr:$numbers);
  let results = (outs Variadic<Gpuvm_Rows>:$sorted);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Gpuvm_TopKOp : Gpuvm_Op<"top_k", [
    Pure, HasParent<"::mlir::gpuvm::StageOp">]> {
  let summary = "The largest, or smallest, elements of each row, and their places.";
  let description = [{
    The first k elements of `gpuvm.sort ... descending numbers` of each row along
    the last dimension, or with `smallest` those of the same sort without
    `descending`. Also the places along the row that they came from: of equal
    elements the first ones. NaNs count as larger than plus infinity, so that they
    are the first of the largest. `unsigned` integers are unsigned. Of a bounded
    input with fewer than k elements they are all of these.

    C1: the values have the shape and elements of `input` but for their last
        dimension, which is k and no longer than that of `input`. If that is
        bounded, so are they, by k.
    C2: the numbers are of i32 and have the shape of the values.
    C3: k is at most 2048.

    Example:

    ```mlir
    %v, %n = gpuvm.top_k %scores : tensor<16x50000xf32> -> tensor<16x40xf32>, tensor<16x40xi32>
    ```
  }];
  let arguments = (ins Gpuvm_Rows:$input, UnitAttr:$smallest,
                       UnitAttr:$is_unsigned);
  let results = (outs Gpuvm_Rows:$values, Gpuvm_Rows:$numbers);
  let assemblyFormat = [{
    $input (`smallest` $smallest^)? (`unsigned` $is_unsigned^)? attr-dict
    `:` type($input) `->` type($values) `,` type($numbers)
  }];
  let hasVerifier = 1;
}

/// A dispatch of its own. `once`: the numbers of the operands that it reads once
/// are those for which this is true.
class Gpuvm_SortRoot<string mnemonic, string once, list<Trait> traits = []>
    : Gpuvm_Op<mnemonic, [
          Pure, Gpuvm_RootOpInterface,
          Gpuvm_InCode
      ] # traits> {
  let extraClassDeclaration = [{
    ::mlir::gpuvm::Root getRoot() { return ::mlir::gpuvm::Root::sort; }
    bool readsOnce(unsigned number) { return }] # once # [{; }
    bool isExact() { return true; }
  }];
}

def Gpuvm_MergeOp : Gpuvm_SortRoot<"merge", "number > 1",
                                   [AttrSizedOperandSegments]> {
  let summary = "Two sorted rows as one.";
  let description = [{
    The rows of `first` and `second` along their last dimension, which are sorted
    as `gpuvm.sort` sorts, together and in this order; of equal keys those of
    `first` come first. Payload i of `first` and payload i of `second` move with
    their keys. If a row is not sorted, its result is any of the elements.

    C1: `first` and its payloads have one shape, of at least one dimension, and so
        have `second` and its payloads; the two differ in the last one only.
    C2: there are as many payloads of both, of the same elements, and so are the
        keys.
    C3: the results have these elements, and rows as long as both together.

    Example:

    ```mlir
    %k, %p = gpuvm.merge %a, %b payloads(%u : tensor<9xi32>) with(%v : tensor<5xi32>)
        : tensor<9xf32>, tensor<5xf32> -> tensor<14xf32>, tensor<14xi32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$first, Gpuvm_Tensor:$second,
                       Variadic<Gpuvm_Tensor>:$first_payloads,
                       Variadic<Gpuvm_Tensor>:$second_payloads,
                       UnitAttr:$is_unsigned, UnitAttr:$descending);
  let results = (outs Variadic<Gpuvm_Tensor>:$merged);
  let assemblyFormat = [{
    $first `,` $second
    (`payloads` `(` $first_payloads^ `:` type($first_payloads) `)`
     `with` `(` $second_payloads `:` type($second_payloads) `)`)?
    (`unsigned` $is_unsigned^)? (`descending` $descending^)? attr-dict
    `:` type($first) `,` type($second) `->` type($merged)
  }];
  let hasVerifier = 1;
}

def Gpuvm_SearchSortedOp : Gpuvm_SortRoot<"search_sorted", "number == 1"> {
  let summary = "Where in a sorted table elements would be put.";
  let description = [{
    For each element of `queries` how many elements of `table`, which is sorted
    as `gpuvm.sort` sorts, come before it in that order; with `right`, how many
    come before it or are equal to it. A table in another order gives numbers
    between 0 and its length.

    C1: `table` has one dimension, and the elements of `queries`.
    C2: the result is a tensor of i32 of the shape of `queries`.

    Example:

    ```mlir
    %n = gpuvm.search_sorted %table, %queries right : tensor<1000xf32>, tensor<7x5xf32> -> tensor<7x5xi32>
    ```
  }];
  let arguments = (ins Gpuvm_Rows:$table, Gpuvm_Rows:$queries,
                       UnitAttr:$right, UnitAttr:$is_unsigned,
                       UnitAttr:$descending);
  let results = (outs Gpuvm_Rows:$result);
  let assemblyFormat = [{
    $table `,` $queries (`right` $right^)? (`unsigned` $is_unsigned^)?
    (`descending` $descending^)? attr-dict
    `:` type($table) `,` type($queries) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The steps of a sort: users write none of it
//===----------------------------------------------------------------------===//

def Gpuvm_SortRunsOp : Gpuvm_SortRoot<"sort_runs", "true"> {
  let summary = "Each run of a row in order: what one workgroup sorts.";
  let description = [{
    The last dimension is cut into runs of `run` elements, of which the last one
    may be shorter. Each run is put in the order of its keys, stable, and the
    payloads with it. With `keep` n only the first n of a run are there; where a
    run has fewer, what stands for the rest sorts after all keys.

    C1: all operands have one shape, of at least one dimension.
    C2: a run has 1 to 4096 elements, of which 1 to all are kept.
    C3: the results have the operands' types; with `keep`, their last dimension
        is that of the kept elements of all runs.
    C4: the payloads have at most 8 bytes together.

    Example:

    ```mlir
    %k, %p = gpuvm.sort_runs %key payloads(%v : tensor<9000xf32>) run 4096 unsigned
        : tensor<9000xi32> -> tensor<9000xi32>, tensor<9000xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$key, Variadic<Gpuvm_Tensor>:$payloads,
                       I64Attr:$run, OptionalAttr<I64Attr>:$keep,
                       UnitAttr:$is_unsigned, UnitAttr:$descending);
  let results = (outs Variadic<Gpuvm_Tensor>:$sorted);
  let assemblyFormat = [{
    $key (`payloads` `(` $payloads^ `:` type($payloads) `)`)? `run` $run
    (`keep` $keep^)? (`unsigned` $is_unsigned^)? (`descending` $descending^)?
    attr-dict `:` type($key) `->` type($sorted)
  }];
  let hasVerifier = 1;
}

def Gpuvm_MergeRunsOp : Gpuvm_SortRoot<"merge_runs", "number > 0"> {
  let summary = "Sorted runs of a row, merged.";
  let description = [{
    The opposite end of `sort_runs`: if each run of `run` elements is in order,
    the results are the rows in order, stable. If one is not, every element goes
    anywhere in its row.

    C1: all operands have one shape, of at least one dimension.
    C2: a row has 1 to 16 runs.
    C3: the results have the operands' types.

    Example:

    ```mlir
    %k = gpuvm.merge_runs %runs run 4096 : tensor<9000xi32> -> tensor<9000xi32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$key, Variadic<Gpuvm_Tensor>:$payloads,
                       I64Attr:$run, UnitAttr:$is_unsigned,
                       UnitAttr:$descending);
  let results = (outs Variadic<Gpuvm_Tensor>:$sorted);
  let assemblyFormat = [{
    $key (`payloads` `(` $payloads^ `:` type($payloads) `)`)? `run` $run
    (`unsigned` $is_unsigned^)? (`descending` $descending^)? attr-dict
    `:` type($key) `->` type($sorted)
  }];
  let hasVerifier = 1;
}

def Gpuvm_CountDigitsOp : Gpuvm_SortRoot<"count_digits", "true"> {
  let summary = "Where a radix pass puts the keys of each digit.";
  let description = [{
    The image of a key is the number, as wide as the key, that has its place in the
    order. Its digit n is bits 8n to 8n + 7 of the image. n is the first element of
    `digit`: a value, so that all passes of a sort are one kernel. Rows are cut into
    chunks of `chunk` keys. Result [row..., c, d] says where in the row the first
    key of chunk c with this digit d comes if the row is put in the order of these
    digits, stable. There are as many c as the result has, eight or a multiple;
    those after the last chunk hold anything.

    C1: `key` has at least one dimension; the result has its leading ones, the
        number of chunks rounded up to a multiple of 8, and 256, and is of i32.
    C2: `digit` is of i32; keys that have no such digit come in any order.
    C3: a chunk is a multiple of 256.

    Example:

    ```mlir
    %o = gpuvm.count_digits %key, %digit chunk 4096
        : tensor<90000xi32>, tensor<i32> -> tensor<24x256xi32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$key, Gpuvm_Tensor:$digit, I64Attr:$chunk,
                       UnitAttr:$is_unsigned, UnitAttr:$descending);
  let results = (outs Gpuvm_Tensor:$offsets);
  let assemblyFormat = [{
    $key `,` $digit `chunk` $chunk (`unsigned` $is_unsigned^)?
    (`descending` $descending^)? attr-dict
    `:` type($key) `,` type($digit) `->` type($offsets)
  }];
  let hasVerifier = 1;
}

def Gpuvm_ScatterDigitsOp : Gpuvm_SortRoot<"scatter_digits", "true"> {
  let summary = "A radix pass: rows in the order of one digit of their keys.";
  let description = [{
    Puts each row in the order of one digit of the keys' images, stable, where
    `offsets` is what `count_digits` says of this digit and these chunks.

    C1: `key` and the payloads have one shape, of at least one dimension, and
        `offsets` that of `count_digits`.
    C2: `digit` is of i32.
    C3: a chunk is a multiple of 256.
    C4: the results have the types of the key and the payloads.
    C5: the payloads have at most 8 bytes together.

    Example:

    ```mlir
    %k = gpuvm.scatter_digits %key, %o, %digit chunk 4096
        : tensor<90000xi32>, tensor<24x256xi32>, tensor<i32> -> tensor<90000xi32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$key, Gpuvm_Tensor:$offsets,
                       Gpuvm_Tensor:$digit, Variadic<Gpuvm_Tensor>:$payloads,
                       I64Attr:$chunk, UnitAttr:$is_unsigned,
                       UnitAttr:$descending);
  let results = (outs Variadic<Gpuvm_Tensor>:$sorted);
  let assemblyFormat = [{
    $key `,` $offsets `,` $digit
    (`payloads` `(` $payloads^ `:` type($payloads) `)`)? `chunk` $chunk
    (`unsigned` $is_unsigned^)? (`descending` $descending^)? attr-dict
    `:` type($key) `,` type($offsets) `,` type($digit) `->` type($sorted)
  }];
  let hasVerifier = 1;
}

#endif // GPUVM_SORT
