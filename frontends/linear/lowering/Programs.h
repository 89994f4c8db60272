//===- Programs.h - programs of gpuvm for those of the VM -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/lowering/Lowering.h"
#include "frontends/linear/modes/EngineTables.h"
#include "frontends/stages/ProgramBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::linear {

/// What stages exchange, in whatever mode (functions/Types.mlir).
struct MachineTypes {
  MachineTypes(MLIRContext *context, int64_t machines, int64_t words,
               int64_t phases);

  RankedTensorType machines, registers, shared, counts, flag,
      state; ///< With the IP and the 1.
};

//===----------------------------------------------------------------------===//
// The signature
//===----------------------------------------------------------------------===//

std::string nameOf(const vm::linear::Program &program);

/// Each buffer that is given.
SmallVector<gpuvm::NamedType> inputsOf(MLIRContext *context,
                                       const vm::linear::Program &program);
/// Each buffer that is returned, and the machines at the end.
SmallVector<gpuvm::NamedType> outputsOf(const vm::linear::Program &program,
                                        const MachineTypes &types);

/// The stage that makes one array of all buffers.
Value joinBuffers(gpuvm::ProgramBuilder &b, const vm::linear::Program &program,
                  const MachineTypes &types);
/// A stage for each buffer that is returned.
SmallVector<Value> splitBuffers(gpuvm::ProgramBuilder &b,
                                const vm::linear::Program &program,
                                Value memory);

//===----------------------------------------------------------------------===//
// Faithful mode: programs as tables
//===----------------------------------------------------------------------===//

/// A private program, which another one calls: shared memory comes in and goes
/// out, and with it the machines as they end and the counts.
struct EnginePart {
  std::string name;
  bool isGated = false; ///< Is given a flag, without which nothing runs.
};

struct EngineOptions {
  vm::linear::Format format = vm::linear::Format::Hybrid;
  double threshold = 0.15;
  /// For any program that fits, whose tables and shared memory are inputs; not
  /// with other formats than CSR and dense.
  std::optional<vm::linear::EngineSizes> room = {};
  std::optional<EnginePart> part = {}; ///< Not with room.
};

/// The engine, one program of gpuvm for all of a size class, with the tables of
/// `program` or with room for it and others; before `op`, for what stands at
/// `loc`.
FailureOr<gpuvm::ProgramOp> buildEngine(Operation *op, Location loc,
                                        const vm::linear::Program &program,
                                        const EngineOptions &options);

//===----------------------------------------------------------------------===//
// Compiled mode: launches as stages
//===----------------------------------------------------------------------===//

/// What machines of launches do, by the names of the launches' functions.
using Routines = llvm::StringMap<OwningOpRef<func::FuncOp>>;

/// What the stage of a launch sends.
struct LaunchMessages {
  Value rows;  ///< Of the state.
  Value where; ///< Each machine stopped (CompiledLaunch).
  /// By class; then how many machines faulted (and, from bit 32 on, still run).
  std::array<Value, 5> counts;
  Value most;                                  ///< Instructions of a machine.
  SmallVector<std::pair<Value, Value>> writes; ///< Addresses and bits.
};

/// The stage of a compiled launch, which reads shared memory.
LaunchMessages buildLaunch(gpuvm::ProgramBuilder &b, const Twine &name,
                           const vm::linear::Program &program,
                           const vm::linear::CompiledLaunch &launch,
                           func::FuncOp routine, Value memory, Value when);

/// A program with phases in their modes, at least one of which is compiled. A
/// compiled phase is a stage for each launch and what follows from them;
/// faithful ones that follow each other are an engine of their own, a private
/// program that is called. Shared memory goes from one to the next.
LogicalResult buildPhases(ProgramOp op, const vm::linear::Program &program,
                          const std::vector<vm::linear::PhaseMode> &modes,
                          const Routines &routines,
                          const EngineOptions &options);

} // namespace mlir::linear
