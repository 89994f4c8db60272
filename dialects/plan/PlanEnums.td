//===- PlanEnums.td - enums of the plan dialect ------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PLAN_ENUMS
#define PLAN_ENUMS

include "mlir/IR/EnumAttr.td"

def Plan_Residency : I32Enum<"Residency", "when an input's bytes reach the device", [
    I32EnumCase<"execution", 0>,
    I32EnumCase<"load", 1>]> {
  let cppNamespace = "::mlir::plan";
}
def Plan_Access : I32Enum<"Access", "what a kernel does to a window", [
    I32EnumCase<"read", 1>,
    I32EnumCase<"write", 2>,
    I32EnumCase<"readwrite", 3>]> {
  let cppNamespace = "::mlir::plan";
}
def Plan_TransferKind : I32Enum<"TransferKind", "how bytes move between ranks", [
    I32EnumCase<"all_gather", 0>,
    I32EnumCase<"all_to_all", 1>,
    I32EnumCase<"shift_up", 2>,
    I32EnumCase<"shift_down", 3>]> {
  let cppNamespace = "::mlir::plan";
}

#endif // PLAN_ENUMS
