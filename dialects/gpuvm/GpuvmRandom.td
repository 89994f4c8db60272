//===- GpuvmRandom.td - random numbers ---------------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td. docs/random.md specifies the bits once more, with the
// coefficients and with examples.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_RANDOM
#define GPUVM_RANDOM

def Gpuvm_RandomKind : I32Enum<"RandomKind", "how random numbers are distributed", [
    I32EnumCase<"bits", 0>,
    I32EnumCase<"uniform", 1>,
    I32EnumCase<"normal", 2>,
    I32EnumCase<"below", 3>,
    I32EnumCase<"permutation", 4>]> {
  let cppNamespace = "::mlir::gpuvm";
}
def Gpuvm_RandomKindAttr : EnumAttr<Gpuvm_Dialect, Gpuvm_RandomKind, "random_kind"> {
  let assemblyFormat = "$value";
}

def Gpuvm_RandomOp : Gpuvm_Op<"random", [Pure, AttrSizedOperandSegments]> {
  let summary = "Random numbers that depend on a seed, a stream and their place only.";
  let description = [{
    Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy
    as 1, 2, 3; SC 2011) maps a key and a counter to a block of four 32-bit words.
    The key is `seed`: its elements are key words 0 and 1. Counter words 2 and 3
    are `stream`: its elements, 0 for those that are not given. Counter words 0
    and 1 are the number of the block and the number of the try, which is 0 but
    where it is said otherwise. Element i (row-major) of the result is, by kind:

    - `bits`: of i32, word i mod 4 of block i / 4. Of i64, of block i / 2, word 0 (i
      even) or 2 (i odd) and above it word 1 or 3.
    - `uniform`: in [0, 1). Of f32, the upper 24 bits of what `bits` is as i32,
      times 2^-24; of f64, the upper 53 bits of what it is as i64, times 2^-53.
    - `normal`: of mean 0 and variance 1. With v, what `bits` is as i32, signed:
      the number that a normal variable is less than with the probability
      1/2 + (2 v + 1) / 2^33, computed as docs/random.md says, to within 2^-21 of
      itself. None is further from 0 than 6.34, and none is 0.
    - `below`: an integer in [0, n), every one with the same probability. n is the
      `bound`, or the element of `limit` as an unsigned number; below 0 it is 0.
      With x_k, what `bits` is for try k, unsigned, and w, its width, the product
      n x_k is high_k 2^w + low_k. The first k with low_k >= 2^w mod n gives high_k.
    - `permutation`: place i of 0, 1, ..., N - 1, N being the number of elements,
      in an order that the seed and the stream choose, as docs/random.md says. It
      looks random; not every order comes with exactly the same probability.

    Two results with the same seed and stream are computed of the same words:
    independent numbers need another stream.

    C1: `seed` is a tensor<2xi32>, and `stream` a tensor<i32> or a tensor<2xi32>.
    C2: elements are i32 or i64 (`bits`, `below`), i32 (`permutation`), f32 or f64
        (`uniform`), or f32 (`normal`).
    C3: `below`, and nothing else, has either a bound or a limit. A bound is
        positive and a number of the result's type; a limit is a tensor of one
        such element, of rank 0.

    Example:

    ```mlir
    %u = gpuvm.random uniform seed(%s : tensor<2xi32>) stream(%t : tensor<i32>) -> tensor<1000xf32>
    %d = gpuvm.random below(6) seed(%s : tensor<2xi32>) -> tensor<1000xi32>
    ```
  }];
  let arguments = (ins Gpuvm_RandomKindAttr:$kind, OptionalAttr<I64Attr>:$bound,
                       Optional<Gpuvm_Tensor>:$limit, Gpuvm_Tensor:$seed,
                       Optional<Gpuvm_Tensor>:$stream);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $kind (`(` $bound^ `)`)? (`limit` `(` $limit^ `:` type($limit) `)`)?
    `seed` `(` $seed `:` type($seed) `)`
    (`stream` `(` $stream^ `:` type($stream) `)`)? attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // GPUVM_RANDOM
