//===- Machine.h - the reference interpreter ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle: runs a `gpuvm.program` as the descriptions of its operations say,
// on the CPU, one operation after the other. It shares nothing with passes and
// emitters (tools/dev/check-includes looks at what it includes) but the
// dialects: verifiers, the order of reductions and scans, and what a call means
// (dialects/gpuvm/LinkPrograms.h). Named operations of linalg are read as MLIR
// defines them in terms of linalg.generic, as the compiler does, too.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/Rendezvous.h"
#include "compiler/reference/Tensor.h"
#include "dialects/flow/Flow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <chrono>

namespace mlir::gpuvm::reference {

/// A virtual machine with one program, whose symbols live from one execution to
/// the next. Not thread-safe.
class Machine {
public:
  /// Boots a machine for a verified program, which is copied. Symbols have
  /// their initial values, or zeros. `exact`: Elementwise.h. All executions
  /// together, and those of other machines with the same one, have the steps of
  /// `limit`. Emits an error if an initial value cannot be read.
  static FailureOr<Machine> boot(ProgramOp program, bool exact,
                                 std::shared_ptr<StepLimit> limit);

  /// Makes the machine rank `number` of those that meet there. Without it the
  /// machine is alone: rank 0 of one.
  void join(std::shared_ptr<Rendezvous> with, int64_t number);

  /// The program's outputs for these inputs, in the order of its signature.
  /// Precondition: every input has the type the signature says, with at most as
  /// many rows if it is bounded. Emits a located error where
  /// the program does something that has no result.
  FailureOr<SmallVector<vm::HostTensor>> execute(ArrayRef<Tensor> inputs);
  /// Whether the last execution ended because a count, or another word of
  /// Control, was more than its bound.
  bool hasExcess() const { return excess; }

  /// The machine's copy of the program; among its symbols are the counts of
  /// bounded tensors.
  ProgramOp getProgram() const { return cast<ProgramOp>(program.get()); }

  /// The value of a symbol; null if there is no symbol of that name.
  Tensor getSymbol(StringRef name) const { return symbols.lookup(name); }
  /// Binds a symbol. Precondition: it exists and has the tensor's type.
  void setSymbol(StringRef name, Tensor value) {
    symbols[name] = std::move(value);
  }

private:
  /// What a message carries besides its payload.
  struct Metadata {
    Tensor status;
    Tensor statuses;   ///< Of each of its instances; null if it has none.
    int64_t ticks = 0; ///< Nanoseconds since the execution began.
  };

  Machine(bool exact, std::shared_ptr<StepLimit> limit)
      : exact(exact), limit(std::move(limit)) {}
  LogicalResult addSymbol(Operation *op);

  // Counts (Bounded.cpp).
  void addInputCounts(SymbolTable &table);
  FailureOr<SmallVector<Tensor>> takeInputCounts(ArrayRef<Tensor> inputs);
  void setWord(StringAttr symbol, int32_t value);
  void addCounts(StageOp stage, SymbolTable &table);
  void setCount(Operation *op, int32_t count);
  LogicalResult reportExcess(Operation *op, StringRef name, int32_t count,
                             int64_t bound);
  LogicalResult checkControlBounds();

  // One function per operation; results go to `env`.
  LogicalResult run(Operation *op, Environment &env);
  LogicalResult run(StageOp op, Environment &env);
  LogicalResult runInstances(StageOp op, Environment &env);
  FailureOr<bool> runStage(StageOp op, Environment &inside);
  SmallVector<Tensor> getSent(StageOp op, bool ran, const Environment &inside);
  LogicalResult run(flow::DispatchOp op, Environment &env);
  LogicalResult run(LoadOp op, Environment &env);
  LogicalResult run(StoreOp op, Environment &env);
  LogicalResult run(flow::PlaceOp op, Environment &env);
  void setSlice(llvm::StringRef symbol, std::optional<uint64_t> place,
                const Tensor &value);
  void rotate(flow::LoopOp op, int64_t turns);
  bool isOver(flow::LoopOp op, const Environment &env) const;
  LogicalResult run(MetadataOp op, Environment &env);
  vm::HostTensor getMagnitude(MetadataOp op, const vm::HostTensor &payload,
                              int64_t slices) const;
  LogicalResult run(RepeatOp op, Environment &env);
  LogicalResult run(flow::LoopOp op, Environment &env);
  LogicalResult run(ClockOp op, Environment &env);
  LogicalResult run(scf::IfOp op, Environment &env);
  LogicalResult run(BoundedOp op, Environment &env);
  LogicalResult run(TopKOp op, Environment &env);

  // Ranks (Exchange.cpp).
  int64_t countRanks() const;
  FailureOr<std::vector<Tensor>> exchange(const Tensor &tensor);
  LogicalResult checkCounts(Operation *op, const Tensor &counts,
                            int64_t capacity);
  FailureOr<bool> areAll(Operation *loop, bool own);
  LogicalResult run(AllGatherOp op, Environment &env);
  LogicalResult run(AllReduceOp op, Environment &env);
  LogicalResult run(ReduceScatterOp op, Environment &env);
  LogicalResult run(AllToAllOp op, Environment &env);
  LogicalResult run(ShiftOp op, Environment &env);
  LogicalResult run(UpdateHaloOp op, Environment &env);
  LogicalResult run(flow::ExchangeOp op, Environment &env);

  int64_t readClock() const;
  LogicalResult runBody(Block &body, Environment &env);

  bool exact;
  std::shared_ptr<StepLimit> limit;
  OwningOpRef<Operation *> program;
  llvm::StringMap<Tensor> symbols;
  std::chrono::steady_clock::time_point beginning; ///< Of the execution.
  DenseMap<Value, Metadata> messages;
  DenseMap<Operation *, StringAttr> countOf; ///< The symbol of its count.
  bool excess = false;
  std::shared_ptr<Rendezvous> ranks; ///< Null if there is one rank.
  int64_t rank = 0;
  int64_t instance = 0; ///< The one that runs, of a stage with instances.
};

} // namespace mlir::gpuvm::reference
