//===- GpuvmSymbols.td - the named contents of regions -----*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: symbols, how stages load and store them, and packed
// data, which symbols mostly hold.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_SYMBOLS
#define GPUVM_SYMBOLS

class Gpuvm_SymbolOp<string mnemonic, string region, Type held>
    : Gpuvm_Op<mnemonic, [Symbol, ParentOneOf<["ProgramOp", "::mlir::ModuleOp"]>]> {
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<held>:$type,
                       OptionalAttr<ElementsAttr>:$initial,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<Gpuvm_WindowAttr>:$window,
                       UnitAttr:$shared);
  let assemblyFormat = [{
    (`shared` $shared^)? $sym_name `:` $type (`=` $initial^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::gpuvm::Region getRegion() { return ::mlir::gpuvm::Region::}] # region # [{; }
  }];
  code constraints = [{
    A symbol of the module is one that its programs share: they use it as one of
    their own, and it is in one place for all of them. gpuvm-link puts it, as
    `shared`, into each program that uses it.

    C1: the initial value has the symbol's type; that of a packed symbol is its
        bytes.
  }];
}

def Gpuvm_RegisterOp : Gpuvm_SymbolOp<"register", "registers", Gpuvm_Data> {
  let summary = "A register with a name, kept from one execution to the next.";
  let description = [{
    Example: `gpuvm.register @state : tensor<256xf32>`
  }] # constraints;
}
def Gpuvm_MetricOp : Gpuvm_SymbolOp<"metric", "metrics", Gpuvm_Tensor> {
  let summary = "A named scalar or small tensor the host can read at any time.";
  let description = [{
    Example: `gpuvm.metric @count : tensor<i64>`
  }] # constraints;
}
def Gpuvm_GlobalOp : Gpuvm_SymbolOp<"global", "globals", Gpuvm_Data> {
  let summary = "Shared mutable state that lives until the machine is shut down.";
  let description = [{
    Example: `gpuvm.global @table : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>`
  }] # constraints;
}
def Gpuvm_ControlOp : Gpuvm_SymbolOp<"control", "control", Gpuvm_Tensor> {
  let summary = "Words of Control the host can write without re-recording.";
  let description = [{
    Words with a bound are checked when an execution has ended. If one of them is
    greater than its bound, as a signed number, there was no room for all results,
    and the execution ends with the error EXCESS, which says both numbers.

    C2: the elements are i32.
    C3: a bound is at least 1 and less than 2^31.

    Examples: `gpuvm.control @limit : tensor<i32> = dense<24> : tensor<i32>`,
    `gpuvm.control @found : tensor<i32> up_to 1000`
  }] # constraints;
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<Gpuvm_Tensor>:$type,
                       OptionalAttr<ElementsAttr>:$initial,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<Gpuvm_WindowAttr>:$window,
                       OptionalAttr<I64Attr>:$bound,
                       UnitAttr:$shared);
  let assemblyFormat = [{
    (`shared` $shared^)? $sym_name `:` $type (`=` $initial^)?
    (`up_to` $bound^)? attr-dict
  }];
}
def Gpuvm_HeapOp : Gpuvm_SymbolOp<"heap", "heap", Gpuvm_Column> {
  let summary = "Immutable bulk data: in the plan, or bound when the plan is loaded.";
  let description = [{
    Without an initial value the symbol is an input that is bound once, at
    load, and stays on the device. It may be bounded: the host says with the data
    how many rows there are. `rows @a` has as many as the heap symbol @a.
    (gpuvm-lower-bounded makes that the word of Control which counts them.)

    C2: a bounded symbol has no initial value, and one that has the rows of
        another is bounded.

    Examples: `gpuvm.heap @price : tensor<6001215xi64>`,
    `gpuvm.heap @weights : !gpuvm.packed<q4_0, 4096x4096>`,
    `gpuvm.heap @amount : tensor<?xi64, #gpuvm.bound<6001215>> rows @price`
  }] # constraints;
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<Gpuvm_Column>:$type,
                       OptionalAttr<ElementsAttr>:$initial,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<Gpuvm_WindowAttr>:$window,
                       UnitAttr:$shared,
                       OptionalAttr<FlatSymbolRefAttr>:$rows);
  let assemblyFormat = [{
    (`shared` $shared^)? $sym_name `:` $type (`rows` $rows^)? (`=` $initial^)?
    attr-dict
  }];
}

def Gpuvm_LoadOp : Gpuvm_Op<"load", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "The value of a symbol, or of a slice of its leading dimension.";
  let description = [{
    `@s[k]` starts at index k of the leading dimension. Instance i of a stage
    with n of them loads, as its `own`, slice i of a symbol that has n.

    C1: the symbol exists in the program, or in its module, and lies in a region.
    C2: without an offset the result has the symbol's type; with one, the
        result's shape is the symbol's but for the leading dimension, and the
        slice lies inside; a packed or a bounded symbol has no slices.
    C3: a slice starts at a multiple of 256 bytes (the alignment of windows).
    C6: `own` stands in a stage with n instances; there is no offset, and the
        symbol is n of what is loaded, not packed.

    Canonicalization replaces the load of a heap symbol all of whose elements
    are the same by that constant.

    Examples:

    ```mlir
    gpuvm.register @state : tensor<128xf32>
    gpuvm.register @agents : tensor<100x16xf32>
    %second = gpuvm.stage @half() -> tensor<64xf32> {
      %half = gpuvm.load @state[64] : tensor<64xf32>
      gpuvm.send %half : tensor<64xf32>
    }
    %all = gpuvm.stage @look instances(100) () -> tensor<100x16xf32> {
      %mine = gpuvm.load own @agents : tensor<16xf32>
      gpuvm.send %mine : tensor<16xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, OptionalAttr<I64Attr>:$offset,
                       UnitAttr:$own);
  let results = (outs Gpuvm_Column:$value);
  let assemblyFormat = [{
    (`own` $own^)? $symbol (`[` $offset^ `]`)? `:` type($value) attr-dict
  }];
  let hasCanonicalizer = 1;
}

def Gpuvm_StoreOp : Gpuvm_Op<"store", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    Gpuvm_CommandOpInterface]> {
  let summary = "Sets a symbol, or a slice of its leading dimension.";
  let description = [{
    Constraints C1 to C3 and C6 of `gpuvm.load` hold for the stored value.

    The slice may also start at a position that only the device knows, such as
    the next free row of a cache: a `tensor<i32>`, at any number of bytes. Rows
    of the value that would be outside of the symbol (before its first row, too: the
    position is signed) are not stored. gpuvm-generalize lowers such a store to one
    of the whole symbol, whose other elements stay as they are.

    C4: the symbol is not in the heap, which is immutable.
    With `own` the position is one in the instance's slice of the symbol, such as
    the next free row of its cache: each instance has its own.

    C5: what is stored at a position has the symbol's shape, or that of the
        instance's slice, but for the leading dimension, which is not longer; there
        is no offset besides it, and the symbol is not packed.

    Examples:

    ```mlir
    gpuvm.metric @count : tensor<i64>
    gpuvm.register @cache : tensor<4096x128xf16>
    gpuvm.register @agents : tensor<100x16xf32>
    gpuvm.stage @append(%n = %seen : tensor<i64>, %row = %key : tensor<1x128xf16>, %next = %place : tensor<i32>) {
      gpuvm.store %n, @count : tensor<i64>
      gpuvm.store %row, @cache[%next] : tensor<1x128xf16>
    }
    gpuvm.stage @move instances(100) (%to = %places : tensor<100x16xf32>) {
      gpuvm.store own %to, @agents : tensor<16xf32>
    }
    gpuvm.register @caches : tensor<8x4096x128xf16>
    gpuvm.stage @extend instances(8) (%row = %keys : tensor<8x1x128xf16>, %next = %lengths : tensor<8xi32>) {
      gpuvm.store own %row, @caches[%next] : tensor<1x128xf16>
    }
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$value, FlatSymbolRefAttr:$symbol,
                       Optional<Gpuvm_Word>:$position,
                       OptionalAttr<I64Attr>:$offset,
                       UnitAttr:$own,
                       OptionalAttr<StrArrayAttr>:$stages,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows);
  let builders = [OpBuilder<(ins "::mlir::Value":$value,
                                 "::llvm::StringRef":$symbol), [{
    $_state.addOperands(value);
    $_state.addAttribute(getSymbolAttrName($_state.name),
        ::mlir::FlatSymbolRefAttr::get($_builder.getContext(), symbol));
  }]>];
  let assemblyFormat = [{
    (`own` $own^)? $value `,` $symbol `` custom<StorePlace>($position, $offset)
    `:` type($value) attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Packed data
//===----------------------------------------------------------------------===//

def Gpuvm_DecodeOp : Gpuvm_Op<"decode", [Pure]> {
  let summary = "The tensor that packed data stands for.";
  let description = [{
    Element [i, j, ...] of the result is what the codec's layout
    (docs/codecs.md) says of it. A kernel that reads the result decodes the
    elements it needs from the packed bytes; the result as a whole exists only
    where it leaves the stage.

    With `as` the operand is a tensor of bytes, such as another stage may have
    computed, or packed data that is read in another way: codecs of quantized
    numbers have parts that are codecs of the same bytes.

    C1: `as` is there if the operand is a tensor.
    C2: the operand has as many bytes as the packed type, a tensor operand is a
    `tensor<Nxi8>`.
    C3: the result has the shape and the elements of the packed type.

    Examples:

    ```mlir
    %w = gpuvm.decode %p : !gpuvm.packed<q4_0, 64x4096> -> tensor<64x4096xf32>
    %v = gpuvm.decode %b as !gpuvm.packed<q8_0, 32> : tensor<34xi8> -> tensor<32xf32>
    %q = gpuvm.decode %p as !gpuvm.packed<q4_0_quants, 64x4096>
        : !gpuvm.packed<q4_0, 64x4096> -> tensor<64x4096xi8>
    ```
  }];
  let arguments = (ins Gpuvm_Data:$source,
                       OptionalAttr<TypeAttrOf<Gpuvm_Packed>>:$layout);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $source (`as` $layout^)? `:` type($source) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of the packed data, whichever way it is given.
    ::mlir::gpuvm::PackedType getPackedType();
  }];
}

#endif // GPUVM_SYMBOLS
