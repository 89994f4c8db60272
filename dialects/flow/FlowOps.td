//===- FlowOps.td - the flow dialect -----------------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is scheduled: the stages of a program have become dispatches, in the
// blocks of the program and of its loops. Users do not write them. Constraints
// are numbered; the verifiers (FlowOps.cpp) and the tests cite the numbers.
//
//===----------------------------------------------------------------------===//

#ifndef FLOW_OPS
#define FLOW_OPS

include "dialects/gpuvm/GpuvmBase.td"
include "dialects/gpuvm/GpuvmInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Flow_Dialect : Dialect {
  let name = "flow";
  let cppNamespace = "::mlir::flow";
  let summary = "What is scheduled: dispatches and loops.";
  let description = [{
    A `gpuvm.program` whose stages have been lowered to dispatches. Its symbols,
    loads and stores are those of `gpuvm`.
  }];
  let dependentDialects = ["::mlir::gpuvm::GpuvmDialect"];
}

class Flow_Op<string mnemonic, list<Trait> traits = []>
    : Op<Flow_Dialect, mnemonic, traits>;

def Flow_Predicate : Type<CPred<"$_self == ::mlir::RankedTensorType::get({}, "
                                "::mlir::IntegerType::get($_self.getContext(), 1))">,
                          "tensor<i1>", "::mlir::RankedTensorType">,
                     BuildableType<"::mlir::RankedTensorType::get({}, "
                                   "$_builder.getI1Type())">;

def Flow_Count : Type<CPred<"$_self == ::mlir::RankedTensorType::get({}, "
                            "::mlir::IntegerType::get($_self.getContext(), 32))">,
                      "tensor<i32>", "::mlir::RankedTensorType">,
                 BuildableType<"::mlir::RankedTensorType::get({}, "
                               "$_builder.getI32Type())">;

def Flow_DispatchOp : Flow_Op<"dispatch", [
    IsolatedFromAbove, SingleBlock, AttrSizedOperandSegments,
    Gpuvm_InCommands, Gpuvm_HoldsCode, Pure,
    DeclareOpInterfaceMethods<Gpuvm_CommandOpInterface,
                              ["getOtherAccesses", "getTiedOperand"]>]> {
  let summary = "A kernel, which becomes one dispatch.";
  let description = [{
    The body is `linalg.generic` and `tensor` code on the block arguments; the
    yielded values are written to the windows of the results. The whole body is one
    loop nest. For root `map` it is over the elements of the results; results of a
    single element next to larger ones are computed once. For root `reduce` it is
    over the iteration space of the reductions, with elementwise producers and
    consumers inside. For any other root but `chain` it is one operation that has
    this root, the producers of its operands, and elementwise consumers.

    Root `chain` is several loop nests, one after the other, in one workgroup, or in
    one workgroup for each index of the leading dimension. Each of them ends with a
    `flow.hold` of its results.

    C1: block argument i has the type of operand i.
    C2: yield has the types of the results.
    C3: windows, where given, are as long as the tensors they hold need.
    C4: a kernel with root `chain` yields results of `flow.hold`.
    C5: `ties` has a number for each result: that of an operand with as many
        bytes, or -1. No operand is tied twice.
    C6: `most_groups` is there if the workgroups are counted on the device; `groups`
        are rows of three words, and `groups_row` is one of them. `groups_window` is
        12 bytes of Control.
    C7: the last one of `launches` is for any device.
    C8: the results of a kernel with root `map` have as many elements as the
        first one, or one.
    C9: `otherwise` has a number for each result: that of an operand of its type,
        or -1. It is there only with a predicate.

    `launches` are the ways in which the kernel may be mapped onto devices: the
    first one that a device can run is taken, and all can run the last one.
    `emitted` names the `plan.kernel` next to the program, once there is one, and
    `resumed` the one that computes what it leaves on devices that end long loops.

    `if(%p)`: the dispatch runs only while the predicate, a `tensor<i1>`, is true;
    `unless(%p)`: only while it is false. Where it does not run, a result is the
    operand that `otherwise` names, and other results are undefined; the body does
    not select between them. `gpuvm-predicate-dispatches` has memory do that, or a
    select: a result is tied to an operand by `ties`, or because the root updates it
    in place (`gpuvm.scatter`), and both have one window.

    `rows(%n)`: of each result only the first `%n` rows are used, a `tensor<i32>`.

    `groups(%counts[i] of most)`: row i of a tensor of workgroup counts says how many
    workgroups run, `most` at most: an indirect dispatch. The planner places such
    counts in Control.

    Example:

    ```mlir
    %y = flow.dispatch @scale_0 map ["scale"] (%x) {
    ^bb0(%in: tensor<8xf32>):
      gpuvm.yield %in : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Gpuvm_RootAttr:$root,
                       StrArrayAttr:$stages,
                       Variadic<Gpuvm_Placed>:$inputs,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$scratch_windows,
                       OptionalAttr<FlatSymbolRefAttr>:$emitted,
                       OptionalAttr<FlatSymbolRefAttr>:$resumed,
                       OptionalAttr<Gpuvm_LaunchArrayAttr>:$launches,
                       Optional<Flow_Predicate>:$predicate,
                       UnitAttr:$unless,
                       Optional<Flow_Count>:$rows,
                       Optional<Gpuvm_Placed>:$groups,
                       OptionalAttr<I64Attr>:$groups_row,
                       OptionalAttr<I64Attr>:$most_groups,
                       OptionalAttr<Gpuvm_WindowAttr>:$groups_window,
                       OptionalAttr<DenseI64ArrayAttr>:$otherwise,
                       OptionalAttr<DenseI64ArrayAttr>:$ties);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$outputs,
                                 "::mlir::StringAttr":$sym_name,
                                 "::mlir::gpuvm::Root":$root,
                                 "::mlir::ArrayAttr":$stages,
                                 "::mlir::ValueRange":$inputs), [{
    $_state.addTypes(outputs);
    $_state.addOperands(inputs);
    auto &own = $_state.getOrAddProperties<Properties>();
    own.sym_name = sym_name;
    own.root = ::mlir::gpuvm::RootAttr::get($_builder.getContext(), root);
    own.stages = stages;
    own.operandSegmentSizes = {static_cast<int32_t>(inputs.size()), 0, 0, 0};
    $_state.addRegion();
  }]>];
  let results = (outs Variadic<Gpuvm_Placed>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name $root $stages `(` $inputs `)` custom<Predicate>($predicate, $unless)
    (`rows` `(` $rows^ `)`)?
    (`groups` `(` $groups^ `[` $groups_row `]` `of` $most_groups `:` type($groups) `)`)?
    attr-dict-with-keyword $body `:` functional-type($inputs, $outputs)
  }];
  let extraClassDeclaration = [{
    /// The number of the operand that a result is where the dispatch does not run.
    std::optional<unsigned> getOtherwiseOperand(unsigned number);
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Flow_PlaceOp : Flow_Op<"place", [
    Gpuvm_InCommands, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite]>]> {
  let summary = "Says that a value is computed in a symbol.";
  let description = [{
    What is left of a `gpuvm.store` whose value is computed where it is stored
    (`gpuvm-store-in-place`): no command, and nothing is copied.

    C1: the value is the result of a dispatch, and has the type of the symbol, or
        of a slice of its leading dimension (C1 to C3 of `gpuvm.load`).

    Example:

    ```mlir
    gpuvm.register @state : tensor<8xf32>
    %y = flow.dispatch @scale_0 map ["scale"] (%x) {
    ^bb0(%in: tensor<8xf32>):
      gpuvm.yield %in : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    flow.place %y in @state : tensor<8xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Placed:$value, FlatSymbolRefAttr:$symbol,
                       OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $value `in` $symbol (`` `[` $offset^ `]`)? attr-dict `:` type($value)
  }];
}

def Flow_HoldOp : Flow_Op<"hold", [
    Pure, HasParent<"DispatchOp">, AllTypesMatch<["values", "held"]>]> {
  let summary = "The results of one step of a kernel.";
  let description = [{
    The end of one loop nest in a kernel with root `chain`. The results are the
    operands; from here on the lanes of the workgroup hold their elements, and
    later steps read them there. In a kernel with root `map` the workgroup holds
    the elements of a tile and its halo, which a stencil after it reads.

    C1: the results have the types of the operands.

    Example:

    ```mlir
    %y = flow.dispatch @scale_and_1_more_chain chain ["scale", "shift"] (%x) {
    ^bb0(%in: tensor<4096xf32>):
      %a = arith.mulf %in, %in : tensor<4096xf32>
      %b = flow.hold %a : tensor<4096xf32>
      %c = arith.addf %b, %in : tensor<4096xf32>
      %d = flow.hold %c : tensor<4096xf32>
      gpuvm.yield %d : tensor<4096xf32>
    } : (tensor<4096xf32>) -> tensor<4096xf32>
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Placed>:$values);
  let results = (outs Variadic<Gpuvm_Placed>:$held);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$values), [{
    build($_builder, $_state, values.getTypes(), values);
  }]>];
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Flow_LoopOp : Flow_Op<"loop", [
    SingleBlockImplicitTerminator<"NextOp">,
    Gpuvm_InCommands, Gpuvm_HoldsStages, Gpuvm_HoldsCommands,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    DeclareOpInterfaceMethods<Gpuvm_CommandOpInterface, ["isFence"]>]> {
  let summary = "A loop with a bound on its iterations.";
  let description = [{
    gpuvm-lower-repeat lowers `gpuvm.repeat` to it. Everything before it runs
    before, and everything after it runs after. The body may use values from
    outside, which are the same in each iteration.

    The operands are the first iteration values, the block arguments those of the
    iteration, the operands of `flow.next` those of the next one, and the results
    those after the last one. While there are stages these are messages.

    `while` names an iteration value, a `tensor<i1>`; the one before it is the
    number of the iteration, a `tensor<i32>` that counts from 0. The last iteration
    is the one after which the former is false, or number `times` - 1; there always
    is one. The device may run more of them: then it is false from the beginning. So
    an operand of `flow.next` that an iteration computes is the iteration value at
    the same position where `while` is false at its beginning.

    gpuvm-place-state puts iteration values into registers. From then on the loop
    has no operands, `while` names a register, and the registers of a rotation
    rotate after each iteration: what one of them holds at the end of an iteration
    is in the one before it in the next iteration, and what the first one holds in
    the last one. Nothing is moved: in each iteration the names mean other windows.
    The first iteration is number `phase` of the rotation. `phase` plus the number of
    iterations is a multiple of all lengths, so outside of the loop each name means
    its own window.

    C1: block arguments, results and the operands of `flow.next` have the types of
        the operands, or are messages with such payloads. The body holds what a
        program holds but symbols.
    C2: it has at least one iteration.
    C3: a rotation has two registers or more, of one type, and each is in one
        rotation of one loop only.
    C4: `phase` plus `times` is a multiple of the length of each rotation.
    C5: `while` is a tensor<i1>: an iteration value after one of type tensor<i32>,
        or a register that is in no rotation.

    Example:

    ```mlir
    gpuvm.register @now : tensor<8xf32>
    gpuvm.register @next : tensor<8xf32>
    gpuvm.register @go : tensor<i1>
    flow.loop @placed 21 times while @go rotating [[@now, @next]] from 1 {
      flow.loop @inner 5 times {
      }
    }
    %last:3 = flow.loop @values 21 times (%x = %first : tensor<8xf32>, %i = %zero : tensor<i32>, %go = %yes : tensor<i1>) while %go {
      flow.next %x, %i, %go : tensor<8xf32>, tensor<i32>, tensor<i1>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<SymbolNameAttr>:$sym_name,
                       I64Attr:$times,
                       Variadic<Gpuvm_Value>:$initial,
                       OptionalAttr<I64Attr>:$go,
                       OptionalAttr<FlatSymbolRefAttr>:$condition,
                       OptionalAttr<ArrayAttr>:$rotations,
                       DefaultValuedAttr<I64Attr, "0">:$phase);
  let results = (outs Variadic<Gpuvm_Value>:$last);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$sym_name,
                                 "int64_t":$times,
                                 "::mlir::ValueRange":$initial,
                                 "::mlir::TypeRange":$types)>];
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    NextOp getEnd();
    /// The iteration value that says whether the loop goes on; null if none
    /// does.
    ::mlir::BlockArgument getWhile();
    static ::llvm::StringRef getDefaultDialect() { return "gpuvm"; }
  }];
}

def Flow_NextOp : Flow_Op<"next", [
    Terminator, Pure, HasParent<"LoopOp">,
    DeclareOpInterfaceMethods<Gpuvm_CommandOpInterface, ["isFence"]>]> {
  let summary = "The end of the body of a loop: the values of the next iteration.";
  let description = [{
    Example:

    ```mlir
    %last = flow.loop @scales 20 times (%x = %first : tensor<8xf32>) {
      flow.next %x : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Gpuvm_Value>:$values);
  let builders = [OpBuilder<(ins), [{ (void)$_state; }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Flow_ExchangeOp : Flow_Op<"exchange", [
    Pure, Gpuvm_InStages, Gpuvm_IsExchange, Gpuvm_CommandOpInterface]> {
  let summary = "Transfers of values between ranks.";
  let description = [{
    Exchanges of a program have been lowered to transfers, which move bytes and
    compute nothing. Those of one command happen together. What is before the
    exchange in memory has been written when it begins, and what it writes can be
    read when it has ended; independent dispatches may run meanwhile.

    Each transfer has an operand and a result, and one with `counted` a second
    operand (the rows to send to each rank) and a second result (the rows that came
    from each). They follow one another in the order of the transfers. Where a
    shift has no source the result is undefined, and so are rows that were not sent.
    While there are stages operands may be messages.

    C1: there is a transfer, and operands and results for each of them: a result
        has the elements of its operand, `ranks` of the program times as many after
        `all_gather`, which are a multiple of the ranks for `all_to_all`. Counts are
        a `tensor<i32>` for each rank.
    C2: windows, where given, are as long as the tensors they hold need.
    C3: the program has `ranks`.
    C4: only a shift has an offset or rotates, and only `all_to_all` is counted.

    Example, in a program of 4 ranks:

    ```mlir
    %all, %before = flow.exchange [#gpuvm.transfer<kind = all_gather>, #gpuvm.transfer<kind = shift, offset = 1>] ["norms"] (%x, %y)
        : (tensor<f32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Gpuvm_Placed, Gpuvm_Message]>>:$inputs,
                       Gpuvm_TransferArrayAttr:$transfers,
                       OptionalAttr<StrArrayAttr>:$stages,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows);
  let results = (outs Variadic<Gpuvm_Placed>:$outputs);
  let assemblyFormat = [{
    $transfers ($stages^)? `(` $inputs `)` attr-dict
    `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Transfer `number`.
    ::mlir::gpuvm::TransferAttr getTransfer(unsigned number) {
      return ::llvm::cast<::mlir::gpuvm::TransferAttr>(getTransfers()[number]);
    }
    /// The number of its operand, which is that of its result.
    unsigned getNumberOf(unsigned transfer);
  }];
}

def Flow_CopyOp : Flow_Op<"copy", [
    Pure, SameOperandsAndResultType, Gpuvm_InCommands,
    Gpuvm_CommandOpInterface]> {
  let summary = "A value in a window of its own.";
  let description = [{
    Placed where a value and the symbol it was loaded from, or is stored to,
    cannot share one window.

    C1: windows, where given, are as long as the tensors they hold need.

    Example: `%c = flow.copy %old ["update"] : tensor<4xf32>`
  }];
  let arguments = (ins Gpuvm_Placed:$source, StrArrayAttr:$stages,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows);
  let results = (outs Gpuvm_Placed:$result);
  let assemblyFormat = "$source $stages attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Flow_ExposeOp : Flow_Op<"expose", [Gpuvm_InCommands]> {
  let summary = "Says which register of which VM instance a value is.";
  let description = [{
    The remainder of a message after stages have been lowered to kernels; the host
    finds registers by it. It keeps no value alive: gpuvm-form-kernels creates
    one only for values that have a window anyhow.

    C1: registers and instances count from 0.

    Example: `flow.expose %sum as 30 of 2 : tensor<i64>`
  }];
  let arguments = (ins Gpuvm_Placed:$value, I64Attr:$reg, I64Attr:$instance);
  let assemblyFormat = "$value `as` $reg `of` $instance attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // FLOW_OPS
