//===- GpuvmKernels.td - kernels, one dispatch each --------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: kernels, which passes lower stages to, operations inside
// of kernels, and other commands. Users do not write them.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_KERNELS
#define GPUVM_KERNELS

def Gpuvm_KernelOp : Gpuvm_Op<"kernel", [
    IsolatedFromAbove, SingleBlock,
    ParentOneOf<["ProgramOp", "LoopOp"]>, Pure,
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
    `gpuvm.hold` of its results.

    C1: block argument i has the type of operand i.
    C2: yield has the types of the results.
    C3: windows, where given, are as long as the tensors they hold need.
    C4: a kernel with root `chain` yields results of `gpuvm.hold`.
    C5: operand `condition` exists and is a `tensor<i1>`; `unless` needs one.
    C6: `counts_window` and `parked_groups` are both there, or none of them; the
        window is 12 bytes of Control.
    C7: the last one of `launches` is for any device.
    C8: the results of a kernel with root `map` have as many elements as the
        first one, or one.

    `launches` are the ways in which the kernel may be mapped onto devices: the
    first one that a device can run is taken, and all can run the last one.
    `emitted` names the `spirv.module` next to the program, once there is one.

    Operand `condition`, a `tensor<i1>`, is the predicate of the kernel: the dispatch
    may be skipped while it is false (with `unless`, while it is true), and the
    windows of the results then keep their contents. `counts_window`, three words of
    Control, makes the kernel an indirect dispatch. Its workgroup count is
    `parked_groups`, or zero if the dispatch is skipped.

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
                       Variadic<Gpuvm_Placed>:$inputs,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$scratch_windows,
                       OptionalAttr<FlatSymbolRefAttr>:$emitted,
                       OptionalAttr<Gpuvm_LaunchArrayAttr>:$launches,
                       OptionalAttr<I64Attr>:$condition,
                       UnitAttr:$unless,
                       OptionalAttr<Gpuvm_WindowAttr>:$counts_window,
                       OptionalAttr<I64Attr>:$parked_groups);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$outputs,
                                 "::mlir::StringAttr":$sym_name,
                                 "::mlir::gpuvm::Root":$root,
                                 "::mlir::ArrayAttr":$stages,
                                 "::mlir::ValueRange":$inputs), [{
    build($_builder, $_state, outputs, sym_name, root, stages, inputs,
          ::mlir::ArrayAttr(), ::mlir::ArrayAttr(), ::mlir::ArrayAttr(),
          ::mlir::FlatSymbolRefAttr(), /*launches=*/::mlir::ArrayAttr(),
          ::mlir::IntegerAttr(), /*unless=*/false, ::mlir::gpuvm::WindowAttr(),
          ::mlir::IntegerAttr());
  }]>];
  let results = (outs Variadic<Gpuvm_Placed>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name $root $stages `(` $inputs `)` attr-dict-with-keyword $body
    `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The value of operand `condition`; null without one.
    ::mlir::Value getConditionValue() {
      return getCondition() ? getInputs()[*getCondition()] : ::mlir::Value();
    }
  }];
}

def Gpuvm_YieldOp : Gpuvm_Op<"yield", [
    Terminator, Pure]> {
  let summary = "The values a kernel writes, or a region of an operation makes.";
  let description = [{
    In a region of an operation of this dialect that holds scalar code, such as
    the one that combines two elements of a scan, the values are scalars.

    C1: it is in a kernel or in a region of another operation of this dialect.

    Example:

    ```mlir
    %sums = gpuvm.scan %x dimension 0 : (tensor<1000xi32>) -> tensor<1000xi32> {
    ^bb0(%before: i32, %next: i32):
      %s = arith.addi %before, %next : i32
      gpuvm.yield %s : i32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Gpuvm_HoldOp : Gpuvm_Op<"hold", [
    Pure, HasParent<"KernelOp">, AllTypesMatch<["values", "held"]>]> {
  let summary = "The results of one step of a chain.";
  let description = [{
    The end of one loop nest in a kernel with root `chain`. The results are the
    operands; from here on the lanes of the workgroup hold their elements, and
    later steps read them there.

    C1: the results have the types of the operands.

    Example:

    ```mlir
    %y = gpuvm.kernel @scale_and_1_more_chain chain ["scale", "shift"] (%x) {
    ^bb0(%in: tensor<4096xf32>):
      %a = arith.mulf %in, %in : tensor<4096xf32>
      %b = gpuvm.hold %a : tensor<4096xf32>
      %c = arith.addf %b, %in : tensor<4096xf32>
      %d = gpuvm.hold %c : tensor<4096xf32>
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
    Pure, SameOperandsAndResultType, ParentOneOf<["ProgramOp", "LoopOp"]>,
    Gpuvm_CommandOpInterface]> {
  let summary = "A value in a window of its own.";
  let description = [{
    Placed where a value and the symbol it was loaded from, or is stored to,
    cannot share one window.

    C1: windows, where given, are as long as the tensors they hold need.

    Example: `%c = gpuvm.copy %old ["update"] : tensor<4xf32>`
  }];
  let arguments = (ins Gpuvm_Placed:$source, StrArrayAttr:$stages,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$input_windows,
                       OptionalAttr<Gpuvm_WindowArrayAttr>:$output_windows);
  let results = (outs Gpuvm_Placed:$result);
  let assemblyFormat = "$source $stages attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Gpuvm_ExposeOp : Gpuvm_Op<"expose", [ParentOneOf<["ProgramOp", "LoopOp"]>]> {
  let summary = "Says which register of which VM instance a value is.";
  let description = [{
    The remainder of a message after stages have been lowered to kernels; the host
    finds registers by it. It keeps no value alive: gpuvm-form-kernels creates
    one only for values that have a window anyhow.

    C1: registers and instances count from 0.

    Example: `gpuvm.expose %sum as 30 of 2 : tensor<i64>`
  }];
  let arguments = (ins Gpuvm_Placed:$value, I64Attr:$reg, I64Attr:$instance);
  let assemblyFormat = "$value `as` $reg `of` $instance attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Gpuvm_BarrierOp : Gpuvm_Op<"barrier", [ParentOneOf<["ProgramOp", "LoopOp"]>]> {
  let summary = "Everything before is visible to everything after, for these reasons.";
  let description = [{
    Example: `gpuvm.barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 0, 32>>]`
  }];
  let arguments = (ins Gpuvm_HazardArrayAttr:$reasons);
  let assemblyFormat = "$reasons attr-dict";
}

#endif // GPUVM_KERNELS
