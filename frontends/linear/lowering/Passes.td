//===- Passes.td - from the linear-algebra VM to gpuvm -----*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LINEAR_PASSES
#define LINEAR_PASSES

include "mlir/Pass/PassBase.td"

def LinearLower : Pass<"linear-lower", "::mlir::ModuleOp"> {
  let summary = "Makes a gpuvm.program of each linear.program.";
  let description = [{
    In faithful mode the program is the engine of the linear-algebra VM
    (frontends/linear/lowering/functions) with tables of what this program does. In
    compiled mode each launch is a stage whose body is the routine, as loops
    and branches with the state in values; in fused mode runs of linear
    instructions are one matrix there. docs/linear-vm.md says what the
    modes do. With `engine` the tables of faithful mode are inputs.
  }];
  let options = [
    Option<"mode", "mode", "std::string", /*default=*/"\"auto\"",
           "faithful, compiled, fused, or auto: compiled where it may be">,
    Option<"format", "format", "std::string", /*default=*/"\"hybrid\"",
           "How matrices are stored: hybrid, csr, dense, bsr2, bsr4, dictionary "
           "or runlength">,
    Option<"threshold", "threshold", "std::string", /*default=*/"\"\"",
           "The fraction of non-zeros from which a matrix is dense, or auto; "
           "default: what the program says, or 0.15">,
    Option<"budget", "budget", "unsigned", /*default=*/"0",
           "Epochs of each phase; 0: what the program says">,
    Option<"engine", "engine", "std::string", /*default=*/"\"\"",
           "Not the program, but an engine with room for it and others, which "
           "are inputs: auto, or what there is room for, machines=1000">,
  ];
}

#endif // LINEAR_PASSES
