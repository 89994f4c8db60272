//===- LoopPasses.td - passes for loops --------------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_LOOP_PASSES
#define GPUVM_LOOP_PASSES

include "mlir/Pass/PassBase.td"

defvar kLoopDialects = ["::mlir::spirv::SPIRVDialect",
                        "::mlir::gpu::GPUDialect",
                        "::mlir::scf::SCFDialect",
                        "::mlir::memref::MemRefDialect",
                        "::mlir::arith::ArithDialect"];

def StoreConditionsEarly : Pass<"gpuvm-store-conditions-early",
                                "::mlir::gpuvm::ProgramOp"> {
  let dependentDialects = ["::mlir::gpuvm::GpuvmDialect"];
  let summary = "Stores whether a loop goes on as soon as that is known.";
  let description = [{
    Runs after `gpuvm-plan-memory`. Where the kernel that stores the condition of
    a loop waits for others only because they read it, the turn reads a copy that is
    made at its beginning, if that saves a barrier or a dispatch: the kernel that
    makes what is stored, a map or a reduction to one element, stores it, too.
  }];
}

def ResumeKernels : Pass<"gpuvm-resume-kernels", "::mlir::gpuvm::ProgramOp"> {
  let summary = "Adds kernels that resume loops which run long.";
  let description = [{
    A map whose loops may run longer than some drivers let them leaves elements
    out there. A copy of it with `gpuvm.resumes`, right after it, makes those; it
    gets its workgroups from Control, where the map says how many there are, none
    if it has left nothing. Needs windows.
  }];
}

def LimitLoops : Pass<"gpuvm-limit-loops", "::mlir::gpu::GPUFuncOp"> {
  let dependentDialects = kLoopDialects;
  let summary = "Ends loops before a number of iterations is used up.";
  let description = [{
    The loops of the function together run `total` times at most. One that would
    run more often ends, and so does what is around it; then element 0 of the last
    argument, a memref of i1, becomes true. An `scf.for` is counted when it
    begins, an `scf.while` in each turn. gpuvm-emit-kernels does this to the bodies
    of maps for devices whose drivers end loops (docs/rationale/long-loops.md).
  }];
  let options = [Option<"total", "total", "int64_t", "60000",
                        "How often loops may run">];
}

def ResumeLoops : Pass<"gpuvm-resume-loops", "::mlir::gpu::GPUFuncOp"> {
  let dependentDialects = kLoopDialects;
  let summary = "Makes code with loops a machine of states.";
  let description = [{
    The code of the function, whose first argument is an index, is cut where a loop
    begins and where its test is. All pieces stand in the body of one loop that
    runs `turns` times at most. gpuvm-emit-kernels does this to the bodies of maps
    for devices whose drivers end loops (docs/rationale/long-loops.md).
  }];
  let options = [Option<"turns", "turns", "int64_t", "1000",
                        "How often the loop runs at most">];
}

#endif // GPUVM_LOOP_PASSES
