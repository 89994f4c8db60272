//===- GpuvmOps.td - the gpuvm dialect ---------------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user writes (programs, stages, external kernels, and in files of their
// own symbols and dense computation) and the two forms that the passes bring it
// into: kernels (one dispatch each) and kernels with windows and barriers.
// Constraints are numbered C1.. per operation; the verifiers and the negative
// tests cite the numbers.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_OPS
#define GPUVM_OPS

include "dialects/gpuvm/GpuvmBase.td"
include "dialects/gpuvm/GpuvmInterfaces.td"
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
    IsolatedFromAbove, Symbol, SymbolTable, SingleBlock, Gpuvm_HoldsStages,
    Gpuvm_HoldsCommands,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A program of the virtual machine: an execution, one submit.";
  let description = [{
    The programs of a module are in one plan, over one layout of the regions;
    those that are `private` are not, and stand there for others to call. What
    programs share are symbols of the module. The arguments are the inputs and the results the outputs of one execution.
    An input is named as its argument is; an output as the signature says, or
    `result0`, `result1`, ... The body holds symbols, stages and one
    `gpuvm.return`; all of them have different names. Stages run as their
    messages and their accesses to symbols demand, in the order of the text
    where these leave a choice.

    C1: the block arguments have the types of the inputs.
    C2: input and output names are unique, and so are the names of inputs and
        heap symbols together.
    C3: the body holds only operations of this dialect that may stand in a
        program, constants, and functions (`func.func`) for its stages to call.
    C4: stages, repeats and calls have different names, in repeats, too.
    C5: an input with the rows of another one is bounded as that one is, which
        has rows of its own.

    With `ranks(n)` the program is compiled for n ranks, processes with a device
    each, all of which run it: `gpuvm.rank` says which one it is, and exchanges
    (`gpuvm.all_gather` and others) move tensors between them. Without it the
    program has no exchanges and runs on any number of ranks.

    C6: there are 1 to 1,024 ranks.

    If an input or an output has a sharding, the program is written in the global
    view: as if one process ran it, on whole tensors, and so it is interpreted.
    `gpuvm-partition` makes the program of one rank of it, whose inputs and
    outputs with a sharding are a block each; those without are the same on all
    ranks.

    C7: what has a sharding is a static tensor with elements of a program with
        `ranks`. The axis is the tensor's, and its length a multiple of the
        number of ranks.
    C8: a program in the global view has no exchanges, and neither `gpuvm.rank`
        nor `gpuvm.num_ranks`.

    Inputs may be bounded: the host says how many rows there are in each
    execution (docs/bounded.md). `%b: type rows %a` has as many as input `%a`.

    Examples:

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

    ```mlir
    !column = tensor<?xf32, #gpuvm.bound<1000>>
    gpuvm.program @worth(%price: !column, %amount: !column rows %price) -> (worth: !column) {
      %w = gpuvm.stage @multiply(%p = %price : !column, %a = %amount : !column) -> !column {
        %pa = arith.mulf %p, %a : !column
        gpuvm.send %pa : !column
      }
      gpuvm.return %w : !gpuvm.message<!column>
    }
    ```

    ```mlir
    gpuvm.program @total(%x: tensor<8xf32>) -> (sum: tensor<8xf32>) ranks(4) {
      %sum = gpuvm.all_reduce %x add : tensor<8xf32>
      gpuvm.return %sum : tensor<8xf32>
    }
    ```

    ```mlir
    !matrix = tensor<8x4xi32>
    gpuvm.program @squares(%x: !matrix {gpuvm.sharding = #gpuvm.sharding<0>})
        -> (y: !matrix {gpuvm.sharding = #gpuvm.sharding<0>}) ranks(4) {
      %y = gpuvm.stage @square(%v = %x : !matrix) -> !matrix {
        %s = arith.muli %v, %v : !matrix
        gpuvm.send %s : !matrix
      }
      gpuvm.return %y : !gpuvm.message<!matrix>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       StrArrayAttr:$input_names,
                       StrArrayAttr:$output_names,
                       OptionalAttr<StrArrayAttr>:$input_rows,
                       OptionalAttr<ArrayAttr>:$input_counts,
                       OptionalAttr<ArrayAttr>:$output_counts,
                       OptionalAttr<I64Attr>:$ranks,
                       OptionalAttr<ArrayAttr>:$input_shardings,
                       OptionalAttr<ArrayAttr>:$output_shardings,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows,
                       OptionalAttr<DenseI64ArrayAttr>:$region_bytes,
                       OptionalAttr<StrArrayAttr>:$stages,
                       OptionalAttr<DenseI64ArrayAttr>:$shared_bytes,
                       OptionalAttr<DenseI64ArrayAttr>:$transient,
                       OptionalAttr<ArrayAttr>:$stage_locations,
                       OptionalAttr<I64Attr>:$max_window_bytes,
                       OptionalAttr<I64Attr>:$subgroup_lanes,
                       OptionalAttr<DictionaryAttr>:$decisions);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$sym_name,
                                 "::mlir::FunctionType":$function_type,
                                 "::mlir::ArrayAttr":$input_names,
                                 "::mlir::ArrayAttr":$output_names), [{
    auto &own = $_state.getOrAddProperties<Properties>();
    own.sym_name = $_builder.getStringAttr(sym_name);
    own.function_type = ::mlir::TypeAttr::get(function_type);
    own.input_names = input_names;
    own.output_names = output_names;
    $_state.addRegion();
  }]>];
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::FunctionType getProgramType() {
      return ::llvm::cast<::mlir::FunctionType>(getFunctionType());
    }
    static ::llvm::StringRef getDefaultDialect() { return "gpuvm"; }
    /// The name of the input that says how many rows input `i`, which is
    /// bounded, has: its own, or another one's.
    ::llvm::StringRef getRowsOf(unsigned i);
    /// The control symbol that counts the rows of number `i`, after
    /// gpuvm-lower-bounded; null if all are there. `counts` are those of the
    /// inputs or of the outputs: a symbol or a unit for each.
    static ::mlir::StringAttr
    getCount(::std::optional<::mlir::ArrayAttr> counts, size_t i) {
      return counts ? ::llvm::dyn_cast<::mlir::StringAttr>((*counts)[i])
                    : ::mlir::StringAttr();
    }
    /// The sharding of input or output `i`; null if it has none.
    static ::mlir::gpuvm::ShardingAttr
    getSharding(::std::optional<::mlir::ArrayAttr> shardings, size_t i) {
      return shardings ? ::llvm::dyn_cast<::mlir::gpuvm::ShardingAttr>(
                             (*shardings)[i])
                       : ::mlir::gpuvm::ShardingAttr();
    }
    /// Whether its types are those of whole tensors, not of a rank's.
    bool isGlobalView() { return getInputShardings() || getOutputShardings(); }
  }];
}

def Gpuvm_ReturnOp : Gpuvm_Op<"return", [
    Terminator, Pure, HasParent<"ProgramOp">]> {
  let summary = "Names the outputs of the program.";
  let description = [{
    C1: there is one operand per output, of the output's type, or a message
        with such a payload.

    Example:

    ```mlir
    gpuvm.program @both(%x: tensor<8xf32>) -> (same: tensor<8xf32>, sign: tensor<8xf32>) {
      %m = gpuvm.stage @negate(%v = %x : tensor<8xf32>) -> tensor<8xf32> {
        %n = arith.negf %v : tensor<8xf32>
        gpuvm.send %n : tensor<8xf32>
      }
      gpuvm.return %x, %m : tensor<8xf32>, !gpuvm.message<tensor<8xf32>>
    }
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Value>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Gpuvm_StageOp : Gpuvm_Op<"stage", [
    IsolatedFromAbove, SingleBlock,
    Gpuvm_InStages, Gpuvm_HoldsCode,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "One VM instance's step: receives R31, works, sends R30.";
  let description = [{
    Operands become block arguments; a message arrives as its payload. The
    first message operand is the inbox R31, further ones are R29, R28, ...;
    tensor and packed operands are R0, R1, ... The payload that `gpuvm.send` names is the
    outbox R30. Registers are names, of which there is no end: operands that come
    when R0 to R29 have all been given are R32, R33, ... The results are the
    fields of the one message that a stage sends. Its metadata and its outbox R30
    are those of the first field. Stages that gpuvm-fuse found to be better off in
    one kernel have the same `fusion_group`.

    C1: block argument i has the type of operand i, or its payload's.
    C2: `gpuvm.send` sends what the results say: result i is a message whose
        payload is the i-th sent value.
    C3: the body holds `arith`, `math`, `linalg` and `tensor` operations and
        those of this dialect that may stand in a stage; regions in it hold
        the former only, and `scf.if`, `scf.for` and `scf.while` on scalars
        (docs/arithmetic.md says what these do). `func.call` of a function of the
        program may stand anywhere in it, and is what that function's body is.

    With `instances(n)` the stage is n VM instances of one body, which is
    written for one of them. An operand is cut along its leading dimension:
    instance i gets slice i, a `tensor<n x S>` arrives as `tensor<S>`. An operand
    that is marked `shared` arrives whole in every instance. What the instances
    send is put together again: a sent `tensor<S>` leaves as the payload
    `tensor<n x S>`, and n words of status: that of the message is the largest of
    them. Reductions in the body have the order that they have over all instances
    (docs/reduction-order.md). What an instance keeps is its slice of a symbol:
    `gpuvm.load own`, `gpuvm.store own`.

    C4: there is at least one instance, and the leading dimension of every
        operand that is not shared, and of the message, is their number.
    C5: a stage with instances has no `gpuvm.invoke` in its body, and stores
        only what is its own.

    With `when(%c)` the stage runs if `%c`, which the device computes, is true.
    Otherwise it stores nothing, and its status is 0 (OK). Its message is then what
    `gpuvm.send` names after `else`, operands of the stage, or zeros if nothing is
    named. With instances each of them has its own condition, or all have a `shared`
    one.

    C6: the condition is a `tensor<i1>`, for each instance. After `else` are as
        many values as are sent, of the same types, and all of them are block
        arguments; or nothing. A stage without a condition sends nothing else.
    C7: what a stage with a condition sends is not bounded, unless the stages
        that receive it have the same condition.

    A constant of the program may be used in a body as it is: the parser makes it
    an operand, shared by all instances, and the compiler puts it into the body
    before anything else. An operand that is a number, not a tensor, is always such
    a constant. Any other value has to be given to the stage.

    Canonicalization removes a stage whose messages have no receiver and that stores
    nothing. It also removes unused operands, as long as the other registers keep
    their numbers.

    Example:

    ```mlir
    %kept = gpuvm.stage @filter(%q = %qty : tensor<1024xi8>) -> tensor<1024xi1> {
      %limit = arith.constant dense<24> : tensor<1024xi8>
      %m = arith.cmpi slt, %q, %limit : tensor<1024xi8>
      gpuvm.send %m : tensor<1024xi1>
    }
    %scaled = gpuvm.stage @scale instances(132)
        (%v = %rows : tensor<132x8xf32>, %f = shared %factors : tensor<8xf32>)
        -> tensor<132x8xf32> {
      %r = arith.mulf %v, %f : tensor<8xf32>
      gpuvm.send %r : tensor<8xf32>
    }
    %damped = gpuvm.stage @damp when(%isLarge : !gpuvm.message<tensor<i1>>)
        (%v = %x : tensor<8xf32>, %f = %factors : tensor<8xf32>)
        -> tensor<8xf32> {
      %r = arith.mulf %v, %f : tensor<8xf32>
      gpuvm.send %r : tensor<8xf32> else %v : tensor<8xf32>
    }
    %two = arith.constant dense<2.0> : tensor<8xf32>
    %doubled = gpuvm.stage @double(%v = %x : tensor<8xf32>) -> tensor<8xf32> {
      %r = arith.mulf %v, %two : tensor<8xf32>
      gpuvm.send %r : tensor<8xf32>
    }
    ```

    The condition is the last operand and the last block argument.

    Passes add two attributes. `rows` has for each message the name of the symbol
    that says how many rows it has, or a unit attribute (gpuvm-lower-bounded).
    `predicate` is the number of the block argument that was the condition, and is
    that of all receivers, too (gpuvm-lower-when).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       Variadic<Gpuvm_StageInput>:$inputs,
                       OptionalAttr<I64Attr>:$fusion_group,
                       OptionalAttr<I64Attr>:$instances,
                       UnitAttr:$conditional,
                       OptionalAttr<ArrayAttr>:$rows,
                       OptionalAttr<I64Attr>:$predicate);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$messages,
                                 "::llvm::StringRef":$sym_name,
                                 "::mlir::ValueRange":$inputs,
                                 "::mlir::IntegerAttr":$fusion_group,
                                 "::mlir::IntegerAttr":$instances,
                                 "bool":$conditional), [{
    build($_builder, $_state, messages, sym_name, inputs, fusion_group,
          instances, conditional, /*rows=*/::mlir::ArrayAttr(),
          /*predicate=*/::mlir::IntegerAttr());
  }]>];
  let results = (outs Variadic<Gpuvm_Message>:$messages);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    SendOp getSend();
    /// What the stage runs for, in its body; null if it always runs.
    ::mlir::BlockArgument getCondition();
    /// Whether operand `i` arrives whole, not one slice per instance.
    bool isShared(unsigned i);
    /// The operand that says of all instances whether they run; null if there
    /// is none.
    ::mlir::Value getSharedCondition();
    static ::llvm::StringRef getDefaultDialect() { return "gpuvm"; }
  }];
}

def Gpuvm_SendOp : Gpuvm_Op<"send", [
    Terminator, Pure, HasParent<"StageOp">, AttrSizedOperandSegments]> {
  let summary = "Sends the stage's message (its outbox, R30).";
  let description = [{
    `status` is the message's status word; 0 (OK) without it. `else` says what a
    stage with a condition sends when it does not run; zeros without it.

    C1: there is a payload if there is a status.

    Examples:

    ```mlir
    %sum, %count = gpuvm.stage @total(%v = %x : tensor<8xf32>, %n = %seen : tensor<8xi32>, %s = %code : tensor<i32>)
        -> (tensor<8xf32>, tensor<8xi32>) {
      gpuvm.send %v, %n : tensor<8xf32>, tensor<8xi32> status(%s : tensor<i32>)
    }
    %kept = gpuvm.stage @double when(%wanted : tensor<i1>) (%old = %x : tensor<8xf32>) -> tensor<8xf32> {
      %new = arith.addf %old, %old : tensor<8xf32>
      gpuvm.send %new : tensor<8xf32> else %old : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Rows>:$payloads,
                       Variadic<Gpuvm_Rows>:$otherwise,
                       Optional<Gpuvm_Word>:$status);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$payloads), [{
    build($_builder, $_state, payloads, ::mlir::ValueRange(), ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    ($payloads^ `:` type($payloads))?
    (`else` $otherwise^ `:` type($otherwise))?
    (`status` `(` $status^ `:` type($status) `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Gpuvm_MetadataOp : Gpuvm_Op<"metadata", [Pure, HasParent<"StageOp">]> {
  let summary = "One metadata word of a received message.";
  let description = [{
    C1: the operand is a block argument of the stage that receives the first
        field of a stage's message.
    C2: the result is `tensor<f32>` for norm and max_abs, `tensor<i64>` for
        ticks and `tensor<i32>` for status; or, but for ticks, n of them where
        the message is that of a stage with n instances, and arrives whole.

    The words are those of the whole message. A stage with instances reads those
    of the slice it receives, which has the status that the sending instance gave
    it. A result of n words says them of all n slices.

    Ticks are the time from the beginning of the execution until the message and
    all that the device began before it were there: nanoseconds by the clock of
    the device. To read them, the device waits for the message.

    Examples:

    ```mlir
    %moved = gpuvm.stage @move instances(100) (%a = %agents : tensor<100x8xf32>) -> tensor<100x8xf32> {
      gpuvm.send %a : tensor<8xf32>
    }
    %n, %s = gpuvm.stage @look(%all = %moved : !gpuvm.message<tensor<100x8xf32>>) -> (tensor<f32>, tensor<100xi32>) {
      %norm = gpuvm.metadata norm of %all : tensor<100x8xf32> -> tensor<f32>
      %each = gpuvm.metadata status of %all : tensor<100x8xf32> -> tensor<100xi32>
      gpuvm.send %norm, %each : tensor<f32>, tensor<100xi32>
    }
    ```
  }];
  let arguments = (ins Gpuvm_FieldAttr:$field, Gpuvm_Tensor:$message);
  let results = (outs Gpuvm_Tensor:$word);
  let assemblyFormat = "$field `of` $message `:` type($message) `->` type($word) attr-dict";
  let hasVerifier = 1;
}

include "dialects/gpuvm/GpuvmSymbols.td"

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
    so on, the results after the operands (kernels/gpuvm.glsl).

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
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    Gpuvm_CommandOpInterface]> {
  let summary = "Runs an external kernel.";
  let description = [{
    C1: the symbol is a `gpuvm.extern_kernel` of the program, and operands and
        results have its types.
    C2: windows, where given, are as long as the tensors they hold need.

    Example:

    ```mlir
    gpuvm.extern_kernel @blur "blur.spv" (tensor<1024xf32>) -> tensor<1024xf32>
        local_size [64, 1, 1] groups [16, 1, 1]
    %soft = gpuvm.stage @soften(%a = %x : tensor<1024xf32>) -> tensor<1024xf32> {
      %b = gpuvm.invoke @blur(%a) : (tensor<1024xf32>) -> tensor<1024xf32>
      gpuvm.send %b : tensor<1024xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Gpuvm_Placed>:$inputs,
                       OptionalAttr<StrArrayAttr>:$stages,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows);
  let results = (outs Variadic<Gpuvm_Placed>:$outputs);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

include "dialects/gpuvm/GpuvmDense.td"
include "dialects/gpuvm/GpuvmRandom.td"
include "dialects/gpuvm/GpuvmScan.td"
include "dialects/gpuvm/GpuvmFft.td"
include "dialects/gpuvm/GpuvmSort.td"
include "dialects/gpuvm/GpuvmGroups.td"
include "dialects/gpuvm/GpuvmBounded.td"
include "dialects/gpuvm/GpuvmRegulators.td"
include "dialects/gpuvm/GpuvmRepeat.td"
include "dialects/gpuvm/GpuvmCall.td"
include "dialects/gpuvm/GpuvmExchange.td"
include "dialects/gpuvm/GpuvmScalarCode.td"
#ifdef GPUVM_ALL_OPS // Of the reference: Gpuvm.h has no need of it (Parameters.h).
include "dialects/gpuvm/GpuvmParameters.td"
#endif

#endif // GPUVM_OPS
