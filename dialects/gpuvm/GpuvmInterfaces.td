//===- GpuvmInterfaces.td - interfaces of operations -------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes ask of an operation without knowing which one it is.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_INTERFACES
#define GPUVM_INTERFACES

include "mlir/IR/OpBase.td"

// What stands where (OpPlaces.h).

class Gpuvm_PlaceTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::mlir::gpuvm";
}
def Gpuvm_HoldsCode : Gpuvm_PlaceTrait<"HoldsCode">;
def Gpuvm_HoldsStages : Gpuvm_PlaceTrait<"HoldsStages">;
def Gpuvm_HoldsCommands : Gpuvm_PlaceTrait<"HoldsCommands">;
def Gpuvm_InCode : Gpuvm_PlaceTrait<"InCode">;
def Gpuvm_InStages : Gpuvm_PlaceTrait<"InStages">;
def Gpuvm_InCommands : Gpuvm_PlaceTrait<"InCommands">;
def Gpuvm_InCodeOrStages : Gpuvm_PlaceTrait<"InCodeOrStages">;
def Gpuvm_IsExchange : Gpuvm_PlaceTrait<"IsExchange">;

def Gpuvm_RootOpInterface : OpInterface<"RootOpInterface"> {
  let cppNamespace = "::mlir::gpuvm";
  let description = [{
    An operation in the body of a stage that is the root of a kernel of its own:
    no loop nest of `linalg` can do its work. Producers of its operands and
    elementwise operations on its results may be fused into the kernel. Its
    regions, if it has any, hold scalar code and end with `gpuvm.yield`.
  }];
  let methods = [
    InterfaceMethod<[{
      The family of emitter that the kernel needs.
    }], "::mlir::gpuvm::Root", "getRoot">,
    InterfaceMethod<[{
      Whether the kernel reads each element of operand `number` about once, so
      that the element may be computed there whatever that costs.
    }], "bool", "readsOnce", (ins "unsigned":$number), "", [{ return false; }]>,
    InterfaceMethod<[{
      The shape of elementwise operations that may be fused into the kernel as
      epilogues, if there are such; every result that they read has it.
    }], "::std::optional<::llvm::SmallVector<int64_t>>", "getEpilogueShape",
    (ins), "", [{ return ::std::nullopt; }]>,
    InterfaceMethod<[{
      The numbers of the operands that the kernel updates in place: result i has
      the window of operand i of these, and the kernel finds its elements there.
      Empty if no result aliases an operand.
    }], "::llvm::SmallVector<unsigned>", "getUpdatedOperands", (ins), "",
    [{ return {}; }]>,
    InterfaceMethod<[{
      Whether the results have the same bits on every device if the operations
      in the regions have.
    }], "bool", "isExact", (ins), "", [{ return false; }]>
  ];
}

def Gpuvm_CommandOpInterface : OpInterface<"CommandOpInterface"> {
  let cppNamespace = "::mlir::gpuvm";
  let description = [{
    An operation of a program that becomes a command of the plan, or a loop of
    commands or its end, which only order others. Windows are there once
    gpuvm-plan-memory has run.
  }];
  let methods = [
    InterfaceMethod<[{
      The names of the stages that the command works for; null if none has been
      given.
    }], "::mlir::ArrayAttr", "getStagesAttr", (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Sets the stages, if the command has any.
    }], "void", "setStagesAttr", (ins "::mlir::ArrayAttr":$stages), "",
    [{ (void)stages; }]>,
    InterfaceMethod<[{
      The windows that the operands are read from; null if there are none.
    }], "::mlir::ArrayAttr", "getInputWindowsAttr", (ins), "",
    [{ return {}; }]>,
    InterfaceMethod<[{
      Sets them, if the command reads its operands.
    }], "void", "setInputWindowsAttr", (ins "::mlir::ArrayAttr":$windows), "",
    [{ (void)windows; }]>,
    InterfaceMethod<[{
      The windows that are written: those of the results, or of the symbol that
      is stored to; null if there are none.
    }], "::mlir::ArrayAttr", "getOutputWindowsAttr", (ins), "",
    [{ return {}; }]>,
    InterfaceMethod<[{
      Sets them, if the command writes any.
    }], "void", "setOutputWindowsAttr", (ins "::mlir::ArrayAttr":$windows), "",
    [{ (void)windows; }]>,
    InterfaceMethod<[{
      The windows that are read and written besides those of operands and
      results.
    }], "::llvm::SmallVector<::mlir::gpuvm::Access>", "getOtherAccesses", (ins),
    "", [{ return {}; }]>,
    InterfaceMethod<[{
      The operand whose window result `number` is written to, if there is one.
    }], "::std::optional<unsigned>", "getTiedOperand", (ins "unsigned":$number),
    "", [{ (void)number; return ::std::nullopt; }]>,
    InterfaceMethod<[{
      Whether no command may move from one side of this one to the other.
    }], "bool", "isFence", (ins), "", [{ return false; }]>
  ];
  let extraClassDeclaration = [{
    /// All that the command reads and writes; it needs windows.
    ::llvm::SmallVector<::mlir::gpuvm::Access> getAccesses();

    /// Has operand `number` read `value`, which is in `window`.
    void setInput(unsigned number, ::mlir::Value value,
                  ::mlir::gpuvm::WindowAttr window);
  }];
}

#endif // GPUVM_INTERFACES
