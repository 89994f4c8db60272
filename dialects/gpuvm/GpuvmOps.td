//===- GpuvmOps.td - the gpuvm dialect ---------------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user writes (program, stage, send, symbols) and the two forms that
// the passes bring it into: kernels (one dispatch each) and kernels with
// windows and barriers. Constraints are numbered C1.. per operation; the
// verifiers and the negative tests cite the numbers.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_OPS
#define GPUVM_OPS

include "dialects/gpuvm/GpuvmBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Gpuvm_Op<string mnemonic, list<Trait> traits = []>
    : Op<Gpuvm_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Program and stages
//===----------------------------------------------------------------------===//

def Gpuvm_ProgramOp : Gpuvm_Op<"program", [
    IsolatedFromAbove, Symbol, SymbolTable, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A program of the virtual machine: one plan, one submit.";
  let description = [{
    The arguments are the inputs and the results the outputs of one execution.
    An input is named as its argument is; an output as the signature says, or
    `result0`, `result1`, ... The body holds symbols, stages and one
    `gpuvm.return`; all of them have different names. Stages run as their
    messages and their accesses to symbols demand, in the order of the text
    where these leave a choice.

    C1: the block arguments have the types of the inputs.
    C2: input and output names are unique, and so are the names of inputs and
        heap symbols together.
    C3: the body holds only operations of this dialect that may stand in a
        program, and constants.

    Example:

    ```mlir
    gpuvm.program @triple(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
      %y = gpuvm.stage @scale(%in = %x : tensor<8xf32>) -> tensor<8xf32> {
        %three = arith.constant dense<3.0> : tensor<8xf32>
        %r = arith.mulf %in, %three : tensor<8xf32>
        gpuvm.send %r : tensor<8xf32>
      }
      gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       StrArrayAttr:$input_names,
                       StrArrayAttr:$output_names,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows,
                       OptionalAttr<DenseI64ArrayAttr>:$region_bytes,
                       OptionalAttr<StrArrayAttr>:$stages);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::FunctionType getProgramType() {
      return ::llvm::cast<::mlir::FunctionType>(getFunctionType());
    }
    static ::llvm::StringRef getDefaultDialect() { return "gpuvm"; }
  }];
}

def Gpuvm_ReturnOp : Gpuvm_Op<"return", [
    Terminator, Pure, HasParent<"ProgramOp">]> {
  let summary = "Names the outputs of the program.";
  let description = [{
    C1: there is one operand per output, of the output's type, or a message
        with such a payload.

    Example: `gpuvm.return %sum : !gpuvm.message<tensor<i64>>`
  }];
  let arguments = (ins Variadic<Gpuvm_Value>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Gpuvm_StageOp : Gpuvm_Op<"stage", [
    IsolatedFromAbove, SingleBlock, HasParent<"ProgramOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "One VM instance's step: receives R31, works, sends R30.";
  let description = [{
    Operands become block arguments; a message arrives as its payload. The
    first message operand is the inbox R31, further ones are R29, R28, ...;
    tensor and packed operands are R0, R1, ... The payload that `gpuvm.send` names is the
    outbox R30. Stages that gpuvm-fuse found to be better off in one kernel have
    the same `fusion_group`.

    C1: block argument i has the type of operand i, or its payload's.
    C2: `gpuvm.send` sends what the results say: result i is a message whose
        payload is the i-th sent value.
    C3: a stage sends at most one message.
    C4: the body holds `arith`, `math`, `linalg` and `tensor` operations and
        those of this dialect that may stand in a stage; regions in it hold
        the former only.

    With `instances(n)` the stage is n VM instances of one body, which is
    written for one of them. An operand is cut along its leading dimension:
    instance i gets slice i, a `tensor<n x S>` arrives as `tensor<S>`. An operand
    that is marked `shared` arrives whole in every instance. What the instances
    send is put together again: a sent `tensor<S>` leaves as the payload
    `tensor<n x S>`. Reductions in the body have the order that they have over
    all instances (docs/reduction-order.md).

    C5: there is at least one instance, and the leading dimension of every
        operand that is not shared, and of the message, is their number.
    C6: a stage with instances has no `gpuvm.store`, `gpuvm.metadata` or
        `gpuvm.invoke` in its body and sends no status.

    A stage whose messages nobody receives and that stores nothing is removed
    by canonicalization, and so are operands it does not use, as long as the
    other registers keep their numbers.

    Example:

    ```mlir
    %kept = gpuvm.stage @filter(%q = %qty : tensor<1024xi8>) -> tensor<1024xi1> {
      %limit = arith.constant dense<24> : tensor<1024xi8>
      %m = arith.cmpi slt, %q, %limit : tensor<1024xi8>
      gpuvm.send %m : tensor<1024xi1>
    }
    %scaled = gpuvm.stage @scale instances(132)
        (%v = %x : tensor<132x8xf32>, %f = shared %factors : tensor<8xf32>)
        -> tensor<132x8xf32> {
      %r = arith.mulf %v, %f : tensor<8xf32>
      gpuvm.send %r : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       Variadic<Gpuvm_StageInput>:$inputs,
                       OptionalAttr<I64Attr>:$fusion_group,
                       OptionalAttr<I64Attr>:$instances);
  let results = (outs Variadic<Gpuvm_Message>:$messages);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    SendOp getSend();
    /// Whether operand `i` arrives whole, not one slice per instance.
    bool isShared(unsigned i);
    static ::llvm::StringRef getDefaultDialect() { return "gpuvm"; }
  }];
}

def Gpuvm_SendOp : Gpuvm_Op<"send", [
    Terminator, Pure, HasParent<"StageOp">, AttrSizedOperandSegments]> {
  let summary = "Sends the stage's message (its outbox, R30).";
  let description = [{
    `status` is the message's status word; 0 (OK) without it.

    C1: status is a `tensor<i32>`; there is one per payload or none at all.

    Example: `gpuvm.send %mask : tensor<1024xi1>`
  }];
  let arguments = (ins Variadic<Gpuvm_Tensor>:$payloads,
                       Variadic<Gpuvm_Tensor>:$statuses);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$payloads), [{
    build($_builder, $_state, payloads, ::mlir::ValueRange());
  }]>];
  let assemblyFormat = [{
    ($payloads^ `:` type($payloads))?
    (`status` `(` $statuses^ `:` type($statuses) `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Gpuvm_MetadataOp : Gpuvm_Op<"metadata", [Pure, HasParent<"StageOp">]> {
  let summary = "One metadata word of a received message.";
  let description = [{
    C1: the operand is a block argument of the stage that receives a message.
    C2: the result is `tensor<f32>` for norm and max_abs, `tensor<i32>` for
        ticks and status.

    Example: `%n = gpuvm.metadata norm of %x : tensor<8xf32> -> tensor<f32>`
  }];
  let arguments = (ins Gpuvm_FieldAttr:$field, Gpuvm_Tensor:$message);
  let results = (outs Gpuvm_Tensor:$word);
  let assemblyFormat = "$field `of` $message `:` type($message) `->` type($word) attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Symbols: the named contents of the regions
//===----------------------------------------------------------------------===//

class Gpuvm_SymbolOp<string mnemonic, string region, Type held>
    : Gpuvm_Op<mnemonic, [Symbol, HasParent<"ProgramOp">]> {
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<held>:$type,
                       OptionalAttr<ElementsAttr>:$initial,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<Gpuvm_WindowAttr>:$window);
  let assemblyFormat = "$sym_name `:` $type (`=` $initial^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::gpuvm::Region getRegion() { return ::mlir::gpuvm::Region::}] # region # [{; }
  }];
  code constraints = [{
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
    C2: the elements are i32.

    Example: `gpuvm.control @limit : tensor<i32> = dense<24> : tensor<i32>`
  }] # constraints;
}
def Gpuvm_HeapOp : Gpuvm_SymbolOp<"heap", "heap", Gpuvm_Data> {
  let summary = "Immutable bulk data: in the plan, or bound when the plan is loaded.";
  let description = [{
    Without an initial value the symbol is an input that is bound once, at
    load, and stays on the device.

    Examples: `gpuvm.heap @price : tensor<6001215xi64>`,
    `gpuvm.heap @weights : !gpuvm.packed<q4_0, 4096x4096>`
  }] # constraints;
}

def Gpuvm_LoadOp : Gpuvm_Op<"load", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "The value of a symbol, or of a slice of its leading dimension.";
  let description = [{
    `@s[k]` starts at index k of the leading dimension.

    C1: the symbol exists in the program and lies in a region.
    C2: without an offset the result has the symbol's type; with one, the
        result's shape is the symbol's but for the leading dimension, and the
        slice lies inside; a packed symbol has no slices.
    C3: a slice starts at a multiple of 256 bytes (the alignment of windows).

    Canonicalization replaces the load of a heap symbol all of whose elements
    are the same by that constant.

    Example: `%half = gpuvm.load @state[64] : tensor<64xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, OptionalAttr<I64Attr>:$offset);
  let results = (outs Gpuvm_Data:$value);
  let assemblyFormat = "$symbol (`[` $offset^ `]`)? `:` type($value) attr-dict";
  let hasCanonicalizer = 1;
}

def Gpuvm_StoreOp : Gpuvm_Op<"store", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Sets a symbol, or a slice of its leading dimension.";
  let description = [{
    Constraints C1 to C3 of `gpuvm.load` hold for the stored value.

    C4: the symbol is not in the heap, which is immutable.

    Example: `gpuvm.store %n, @count : tensor<i64>`
  }];
  let arguments = (ins Gpuvm_Tensor:$value, FlatSymbolRefAttr:$symbol,
                       OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<StrArrayAttr>:$stages,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows);
  let builders = [OpBuilder<(ins "::mlir::Value":$value,
                                 "::llvm::StringRef":$symbol), [{
    $_state.addOperands(value);
    $_state.addAttribute(getSymbolAttrName($_state.name),
        ::mlir::FlatSymbolRefAttr::get($_builder.getContext(), symbol));
  }]>];
  let assemblyFormat = "$value `,` $symbol (`[` $offset^ `]`)? `:` type($value) attr-dict";
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

    With `as` the operand is the packed data as a tensor of bytes, such as
    another stage may have made.

    C1: `as` is there if and only if the operand is a tensor.
    C2: a tensor operand is the bytes of the packed type: `tensor<Nxi8>`.
    C3: the result has the shape and the elements of the packed type.

    Examples:

    ```mlir
    %w = gpuvm.decode %p : !gpuvm.packed<q4_0, 64x4096> -> tensor<64x4096xf32>
    %v = gpuvm.decode %b as !gpuvm.packed<q8_0, 32> : tensor<34xi8> -> tensor<32xf32>
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

//===----------------------------------------------------------------------===//
// External kernels
//===----------------------------------------------------------------------===//

def Gpuvm_ExternKernelOp : Gpuvm_Op<"extern_kernel", [
    Symbol, HasParent<"ProgramOp">]> {
  let summary = "A kernel of the user's, in SPIR-V.";
  let description = [{
    The compiler reads `path` (relative to the source file), reflects it and
    checks it against this declaration. Operands and results are windows of
    Registers, in order: operand 0 is binding 0, the next one binding 5, and
    so on, the results behind the operands (kernels/gpuvm.glsl).

    C1: there is at least one result, and all types are VM tensors.
    C2: `local_size` and `groups` are three positive numbers.

    Example:

    ```mlir
    gpuvm.extern_kernel @blur "blur.spv" (tensor<1024xf32>) -> tensor<1024xf32>
        local_size [64, 1, 1] groups [16, 1, 1]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$path,
                       TypeAttrOf<FunctionType>:$function_type,
                       DenseI32ArrayAttr:$local_size, DenseI32ArrayAttr:$groups,
                       DefaultValuedStrAttr<StrAttr, "main">:$entry_point,
                       OptionalAttr<DenseI32ArrayAttr>:$spirv,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = [{
    $sym_name $path custom<FunctionTypeOf>($function_type)
    `local_size` $local_size `groups` $groups
    (`entry_point` $entry_point^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Gpuvm_InvokeOp : Gpuvm_Op<"invoke", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs an external kernel.";
  let description = [{
    C1: the symbol is a `gpuvm.extern_kernel` of the program, and operands and
        results have its types.
    C2: windows, where given, are as long as the tensors they hold need.

    Example: `%b = gpuvm.invoke @blur(%a) : (tensor<1024xf32>) -> tensor<1024xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Gpuvm_Tensor>:$inputs,
                       OptionalAttr<StrArrayAttr>:$stages,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows);
  let results = (outs Variadic<Gpuvm_Tensor>:$outputs);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

include "dialects/gpuvm/GpuvmDense.td"

//===----------------------------------------------------------------------===//
// Kernels: what gpuvm-form-kernels leaves
//===----------------------------------------------------------------------===//

def Gpuvm_KernelOp : Gpuvm_Op<"kernel", [
    IsolatedFromAbove, SingleBlock,
    HasParent<"ProgramOp">, Pure]> {
  let summary = "What becomes one dispatch.";
  let description = [{
    The body is `linalg.generic` and `tensor` code on the block arguments; the
    yielded values are written to the windows of the results. All of it is one
    loop nest: for root `map` over the elements of the results, for root
    `reduce` over the iteration space of the reductions, with elementwise
    producers and consumers inside; for root `attention` what makes the operands
    of one `gpuvm.attention`, and that. producers and consumers inside. Root `chain` is several loop nests one behind
    the other in one workgroup, or in one workgroup for each index of the
    leading dimension; each of them ends with a `gpuvm.hold` of what it makes.

    C1: block argument i has the type of operand i.
    C2: yield has the types of the results.
    C3: windows, where given, are as long as the tensors they hold need.
    C4: a kernel with root `chain` yields results of `gpuvm.hold`.

    `emitted` names the `spirv.module` beside the program once there is one.

    Example:

    ```mlir
    %y = gpuvm.kernel @scale_0 map ["scale"] (%x) {
    ^bb0(%in: tensor<8xf32>):
      gpuvm.yield %in : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Gpuvm_RootAttr:$root,
                       StrArrayAttr:$stages,
                       Variadic<Gpuvm_Tensor>:$inputs,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$scratch_windows,
                       OptionalAttr<FlatSymbolRefAttr>:$emitted);
  let results = (outs Variadic<Gpuvm_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name $root $stages `(` $inputs `)` attr-dict-with-keyword $body
    `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Gpuvm_YieldOp : Gpuvm_Op<"yield", [
    Terminator, Pure, HasParent<"KernelOp">]> {
  let summary = "The values a kernel writes.";
  let description = [{
    Example: `gpuvm.yield %sum : tensor<i64>`
  }];
  let arguments = (ins Variadic<Gpuvm_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Gpuvm_HoldOp : Gpuvm_Op<"hold", [
    Pure, HasParent<"KernelOp">, AllTypesMatch<["values", "held"]>]> {
  let summary = "The values one step of a chain makes.";
  let description = [{
    The end of one loop nest in a kernel with root `chain`. The results are the
    operands; from here on the lanes of the workgroup hold their elements, and
    later steps read them there.

    C1: the results have the types of the operands.

    Example: `%b = gpuvm.hold %a : tensor<4096xf32>`
  }];
  let arguments = (ins Variadic<Gpuvm_Tensor>:$values);
  let results = (outs Variadic<Gpuvm_Tensor>:$held);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$values), [{
    build($_builder, $_state, values.getTypes(), values);
  }]>];
  let assemblyFormat = "$values attr-dict `:` type($values)";
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

def Gpuvm_CopyOp : Gpuvm_Op<"copy", [
    Pure, SameOperandsAndResultType, HasParent<"ProgramOp">]> {
  let summary = "A value in a window of its own.";
  let description = [{
    Placed where a value and the symbol it was loaded from, or is stored to,
    cannot share one window.

    C1: windows, where given, are as long as the tensors they hold need.

    Example: `%c = gpuvm.copy %old ["update"] : tensor<4xf32>`
  }];
  let arguments = (ins Gpuvm_Tensor:$source, StrArrayAttr:$stages,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = "$source $stages attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Gpuvm_ExposeOp : Gpuvm_Op<"expose", [HasParent<"ProgramOp">]> {
  let summary = "Says which register of which VM instance a value is.";
  let description = [{
    What is left of a message when the stages have become kernels; the host
    finds registers by it. It keeps no value alive: gpuvm-form-kernels makes
    one only for values that have a window anyhow.

    C1: there are registers 0 to 31, and instances from 0 on.

    Example: `gpuvm.expose %sum as 30 of 2 : tensor<i64>`
  }];
  let arguments = (ins Gpuvm_Tensor:$value, I64Attr:$reg, I64Attr:$instance);
  let assemblyFormat = "$value `as` $reg `of` $instance attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Gpuvm_BarrierOp : Gpuvm_Op<"barrier", [HasParent<"ProgramOp">]> {
  let summary = "Everything before is visible to everything after, for these reasons.";
  let description = [{
    Example: `gpuvm.barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 0, 32>>]`
  }];
  let arguments = (ins Gpuvm_HazardArrayAttr:$reasons);
  let assemblyFormat = "$reasons attr-dict";
}

#endif // GPUVM_OPS
