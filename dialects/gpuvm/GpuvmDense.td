//===- GpuvmDense.td - dense computation beyond linalg -----*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: what stands in the body of a stage where `linalg` has no
// words for how it is to be computed.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_DENSE
#define GPUVM_DENSE

def Gpuvm_AttentionOp : Gpuvm_Op<"attention", [
    Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Gpuvm_RootOpInterface>,
    Gpuvm_InCode]> {
  let summary = "Softmax of scaled dot products, times values, keys streamed past.";
  let description = [{
    `query` is tensor<H x Q x D>: Q query rows of H heads. `key` is tensor<G x
    S x D> and `value` tensor<G x S x E>: a cache of S rows for each of G
    heads; query head h uses head h / (H / G) of it. Only the first n of the S
    rows are keys: `keys` holds n, kept within 0 and S; without it, n = S. A
    tensor<C x i32> holds one n for each G / C heads of the cache, in their
    order: many sequences of different lengths.

    Query row i stands at position n - Q + i, or at p + i where `first` holds p,
    kept within 0 and S; it may hold several, as `keys` may. The row sees key
    j < n; if `causal`, only j up to its position; with `window` w, only j beyond
    its position - w. Result row i is the sum over the keys j it sees of

        exp(s[j] - max s) / (sum of exp(s - max s)) * value[j],
        s[j] = scale * (query[i] . key[j])

    and zeros if it sees none, or if s is minus infinity for all keys it sees.
    The value of a key that it does not see is multiplied by 0 or not at all;
    rows after the first n do not matter. With `cap` c, c * tanh(s / c) takes the
    place of each s.

    A cache in pages that lie anywhere in a pool is a gpuvm.gather of its rows,
    which is read where attention reads it.

    Everything is computed in f32 and rounded to the result's type at the end. The
    order of the sums is fixed by the shapes and n, but differs from that of other
    operations. Results agree with a computation in f64 within about 2^-20 of the
    largest value (f16 results within 2^-10). With more than 2048 keys and 32 query
    rows of a head or more, 2^-20 may grow with the square root of n. Where query,
    key and value are f16, matrix units may multiply, with weights rounded to f16
    and sums of f32 in an order of their own.

    C1: query, key, value and result have the shapes above, and G divides H.
    C2: all elements are f16 or f32, and the result has the query's type.
    C3: `keys` and `first` are tensor<i32>, or tensor<C x i32> where C divides G.
    C4: `window` is positive and stands with `causal`.
    C5: D and E are at most 512.
    C6: `cap` is positive and finite.

    Example:

    ```mlir
    %o = gpuvm.attention %q, %k, %v keys(%n) scale 0.0884 causal
        : tensor<32x1x128xf32>, tensor<8x4096x128xf16>, tensor<8x4096x128xf16>, tensor<i32> -> tensor<32x1x128xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$query, Gpuvm_Tensor:$key,
                       Gpuvm_Tensor:$value, Optional<Gpuvm_Tensor>:$keys,
                       Optional<Gpuvm_Tensor>:$first, F32Attr:$scale,
                       OptionalAttr<F32Attr>:$cap, UnitAttr:$causal,
                       OptionalAttr<I64Attr>:$window);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`keys` `(` $keys^ `)`)?
    (`first` `(` $first^ `:` type($first) `)`)? `scale` $scale (`cap` $cap^)?
    (`causal` $causal^)? (`window` $window^)? attr-dict
    `:` type($query) `,` type($key) `,` type($value) (`,` type($keys)^)?
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def Gpuvm_GatherOp : Gpuvm_Op<"gather", [Pure]> {
  let summary = "Rows of a tensor, picked by their numbers.";
  let description = [{
    `rows` holds numbers of rows of `source`, which are its slices along the
    leading dimension: result [i..., j...] is source [rows[i...], j...]. A number
    below zero is row 0, and one after the last row is the last row. After the
    count of a bounded source, up to its bound, a row has any elements.

    The rows are read where the result is read; the result as a whole exists only
    where it leaves the stage. The source may be decoded from packed data.

    C1: `rows` has elements of type i32, and `source` at least one dimension.
    C2: the result has the dimensions of `rows` and after them those of `source`
        but for the leading one, and the elements of `source`.

    Example:

    ```mlir
    %e = gpuvm.gather %table[%tokens] : tensor<32000x64xf16>, tensor<5xi32> -> tensor<5x64xf16>
    ```
  }];
  let arguments = (ins Gpuvm_Rows:$source, Gpuvm_Rows:$rows);
  let results = (outs Gpuvm_Rows:$result);
  let assemblyFormat = [{
    $source `[` $rows `]` attr-dict `:` type($source) `,` type($rows) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // GPUVM_DENSE
