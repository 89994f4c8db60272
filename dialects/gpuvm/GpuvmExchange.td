//===- GpuvmExchange.td - programs of several ranks --------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: what a program of several ranks knows of them, and what
// it exchanges with them. Names and semantics are those of MLIR's `shard`
// dialect where it has the operation. Taken are all_gather, all_reduce,
// reduce_scatter, all_to_all and shift; the grid is the ranks in one row, so no
// operation names a grid or its axes, and process_linear_index and grid_shape
// are gpuvm.rank and gpuvm.num_ranks. update_halo gives a new tensor, for it
// writes into none. Otherwise than there a shift gives zeros where there is no
// source, and reductions go in the order of the ranks. Not taken are broadcast,
// gather, reduce and scatter, whose results only one rank has, and all_slice,
// which is arithmetic on gpuvm.rank; send and recv are shift.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_EXCHANGE
#define GPUVM_EXCHANGE

class Gpuvm_NumberOfRanks<string mnemonic>
    : Gpuvm_Op<mnemonic, [Pure, Gpuvm_InCodeOrStages]> {
  let results = (outs Gpuvm_Word:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Gpuvm_RankOp : Gpuvm_NumberOfRanks<"rank"> {
  let summary = "The number of this rank.";
  let description = [{
    Ranks are counted from 0. A program that runs alone is rank 0. The operation
    stands in a stage, or between stages as a value that stages may be given.

    Example:

    ```mlir
    %mine = gpuvm.stage @number() -> tensor<i32> {
      %rank = gpuvm.rank : tensor<i32>
      gpuvm.send %rank : tensor<i32>
    }
    ```
  }];
}

def Gpuvm_NumRanksOp : Gpuvm_NumberOfRanks<"num_ranks"> {
  let summary = "How many ranks there are.";
  let description = [{
    The number after `ranks` of the program; without it, how many ranks were
    started, which is 1 for a program that runs alone.

    Example:

    ```mlir
    %most = gpuvm.stage @last() -> tensor<i32> {
      %ranks = gpuvm.num_ranks : tensor<i32>
      gpuvm.send %ranks : tensor<i32>
    }
    ```
  }];
}

// C0 of all exchanges: the program says how many ranks there are; what is
// exchanged is a static tensor, or a message with such a payload.
class Gpuvm_ExchangeOp<string mnemonic, list<Trait> traits = []>
    : Gpuvm_Op<mnemonic, [Pure, Gpuvm_InStages, Gpuvm_IsExchange] # traits> {
  let hasVerifier = 1;
  code constraints = [{
    An exchange stands between stages, in the program or in a repeat. All ranks
    run the same exchanges in the same order. The result is a tensor; an exchange
    has no metadata.

    C0: the program says with `ranks` how many there are. The operand is a static
        tensor with elements, or a message with such a payload.
  }];
}

/// The result has the type of what is exchanged.
def Gpuvm_SameType : TypesMatchWith<
    "the result is of the type of what is exchanged", "source", "result",
    "::mlir::gpuvm::payloadType($_self)">;

def Gpuvm_AllGatherOp : Gpuvm_ExchangeOp<"all_gather"> {
  let summary = "The tensors of all ranks, one after the other.";
  let description = [{
    The operands of ranks 0, 1, 2, ... are concatenated along the axis. All ranks
    have the same result.

    `shard.all_gather` on a grid of one axis, with `gather_axis`.
  }] # constraints # [{
    C1: the axis is one of the operand's, and along it the result is as long as
        the operands of all ranks together; all else is the same.

    Example, in a program of 4 ranks:

    ```mlir
    %all = gpuvm.all_gather %x axis(0) : tensor<4x8xf32> -> tensor<16x8xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Value:$source, I64Attr:$axis);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $source `axis` `(` $axis `)` attr-dict `:` type($source) `->` type($result)
  }];
}

def Gpuvm_AllReduceOp : Gpuvm_ExchangeOp<"all_reduce", [Gpuvm_SameType]> {
  let summary = "The elements of all ranks, combined.";
  let description = [{
    Element i of the result is element i of rank 0 combined with that of rank 1,
    then with that of rank 2, and so on. The order is that of the ranks, so
    floats are rounded alike on all of them, and all ranks have the same result.
    The rules are those of `gpuvm.scatter`, without `last`.

    `shard.all_reduce` on a grid of one axis; its reductions `sum`, `min`, `max`
    and `bitwise_and`, `bitwise_or`, `bitwise_xor` are `add`, `min`, `max`, `and`,
    `or` and `xor`.
  }] # constraints # [{
    C1: `minu`, `maxu`, `and`, `or` and `xor` combine integers; on i1 there are
        `and`, `or` and `xor` only. There is no `last`.

    Example, in a program of 4 ranks:

    ```mlir
    %sum = gpuvm.all_reduce %x add : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Value:$source, Gpuvm_RuleAttr:$rule);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = "$source $rule attr-dict `:` type($source)";
}

def Gpuvm_ReduceScatterOp : Gpuvm_ExchangeOp<"reduce_scatter"> {
  let summary = "A block for each rank of the elements of all ranks, combined.";
  let description = [{
    What `gpuvm.all_reduce` gives, of which rank r has block r: the axis is cut
    into as many blocks of the same length as there are ranks.

    `shard.reduce_scatter` on a grid of one axis, with `scatter_axis`.
  }] # constraints # [{
    C1: as for `gpuvm.all_reduce`.
    C2: the axis is one of the operand's, and its length a multiple of the number
        of ranks; along it the result is a block, and all else is the same.

    Example, in a program of 4 ranks:

    ```mlir
    %mine = gpuvm.reduce_scatter %x add axis(0) : tensor<16x8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Value:$source, Gpuvm_RuleAttr:$rule, I64Attr:$axis);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $source $rule `axis` `(` $axis `)` attr-dict
    `:` type($source) `->` type($result)
  }];
}

def Gpuvm_AllToAllOp : Gpuvm_ExchangeOp<"all_to_all"> {
  let summary = "A block from each rank to each rank.";
  let description = [{
    The axis `split` of the operand is cut into as many blocks of the same length
    as there are ranks, and block r goes to rank r. The result is what came from
    ranks 0, 1, 2, ..., concatenated along the axis `concat`.

    With `counts` only the first rows of each block are sent, as many of block r
    as element r says. If a count is negative, or more than a block has rows, the
    execution ends with the error EXCESS. Rows of the result that were not sent are
    zeros, and a second result says how many came from each rank.

    `shard.all_to_all` on a grid of one axis, with `split_axis` and
    `concat_axis`; it has no counts.
  }] # constraints # [{
    C1: both axes are the operand's. The length of the first one is a multiple of
        the number of ranks; along it the result is a block, and along the other
        one as long as such blocks of all ranks together. All else is the same.
    C2: with `counts` both axes are 0. Counts are a tensor of i32, one for each
        rank, and so is the second result, which is there with them only.

    Examples, in a program of 4 ranks:

    ```mlir
    %blocks = gpuvm.all_to_all %x split(0) concat(0) : tensor<16x8xf32> -> tensor<16x8xf32>
    %columns = gpuvm.all_to_all %x split(1) concat(0) : tensor<16x8xf32> -> tensor<64x2xf32>
    %rows, %came = gpuvm.all_to_all %x split(0) concat(0) counts(%c : tensor<4xi32>)
        : tensor<16x8xf32> -> tensor<16x8xf32>, tensor<4xi32>
    ```
  }];
  let arguments = (ins Gpuvm_Value:$source, Optional<Gpuvm_Value>:$counts,
                       I64Attr:$split, I64Attr:$concat);
  let results = (outs Gpuvm_Tensor:$result, Optional<Gpuvm_Tensor>:$received);
  let assemblyFormat = [{
    $source `split` `(` $split `)` `concat` `(` $concat `)`
    (`counts` `(` $counts^ `:` type($counts) `)`)? attr-dict
    `:` type($source) `->` type($result) (`,` type($received)^)?
  }];
}

def Gpuvm_ShiftOp : Gpuvm_ExchangeOp<"shift", [Gpuvm_SameType]> {
  let summary = "The tensor of another rank, at the same distance for all.";
  let description = [{
    Rank r gets the operand of rank r - `offset`. A rank without such a source
    gets zeros; all do if the offset is not less than the number of ranks. With
    `rotate` ranks are counted round, and all have one.

    `shard.shift` on a grid of one axis, which leaves undefined what ranks without
    a source get.
  }] # constraints # [{
    C1: the offset is not 0, and its absolute value less than 2^31.

    Example, in a program of 4 ranks:

    ```mlir
    %before = gpuvm.shift %x offset(1) : tensor<4x8xf32>
    %after = gpuvm.shift %x offset(-1) rotate : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Value:$source, I64Attr:$offset, UnitAttr:$rotate);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $source `offset` `(` $offset `)` (`rotate` $rotate^)? attr-dict
    `:` type($source)
  }];
}

def Gpuvm_UpdateHaloOp : Gpuvm_ExchangeOp<"update_halo"> {
  let summary = "A block between the edges of its neighbours.";
  let description = [{
    The blocks of ranks 0, 1, 2, ... are one tensor, cut along the axis. The
    result is the own block with the last `before` rows of the rank before it and
    the first `after` rows of the rank after it. Where there is no such rank, rows
    are zeros. With `rotate` the first rank comes after the last one.

    `shard.update_halo` for tensors that are split along one axis; it fills the
    halo of a destination, this operation adds one.
  }] # constraints # [{
    C1: the axis is one of the operand's, and along it the result is as long as
        the operand and its halo together; all else is the same.
    C2: neither number of rows is negative or more than the operand has, and one
        of them is not 0.

    Example, in a program of 4 ranks:

    ```mlir
    %rows = gpuvm.update_halo %x axis(0) halo(1, 1) rotate : tensor<4x8xf32> -> tensor<6x8xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Value:$source, I64Attr:$axis, I64Attr:$before,
                       I64Attr:$after, UnitAttr:$rotate);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $source `axis` `(` $axis `)` `halo` `(` $before `,` $after `)`
    (`rotate` $rotate^)? attr-dict `:` type($source) `->` type($result)
  }];
}

#endif // GPUVM_EXCHANGE
