//===- ChainEnums.td - enums of the chain dialect ----------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CHAIN_ENUMS
#define CHAIN_ENUMS

include "mlir/IR/EnumAttr.td"

def Chain_Residency : I32Enum<"Residency", "when an input's bytes reach the device", [
    I32EnumCase<"execution", 0>,
    I32EnumCase<"load", 1>]> {
  let cppNamespace = "::mlir::chain";
}
def Chain_Access : I32Enum<"Access", "what a kernel does to a window", [
    I32EnumCase<"read", 1>,
    I32EnumCase<"write", 2>,
    I32EnumCase<"readwrite", 3>]> {
  let cppNamespace = "::mlir::chain";
}

#endif // CHAIN_ENUMS
