//===- RoutineEmitter.h - a routine as blocks -------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// EmitRoutine.cpp has the blocks and what goes from one to the next,
// EmitInstructions.cpp what stands in them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"
#include "frontends/linear/matrices/Matrices.h"
#include "frontends/linear/modes/CompiledProgram.h"
#include "frontends/linear/modes/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"

#include <array>

namespace mlir::linear {

using gpuvm::Expr;
constexpr unsigned kElements = vm::linear::kElements;
/// The word next to the IP where a machine stops (CompiledLaunch).
enum Status : uint32_t { Running = 0, Halted = 3, Faulted = 4, Free = 5 };
enum Fault : uint32_t { None, Address, Forbidden, Overflow, Underflow };

/// What a machine leaves that stops here.
struct Results {
  std::array<Value, kElements> x; ///< Those that the code uses.
  std::array<Value, 4> counts;    ///< By class, without `pending`.
  std::array<unsigned, 4> pending = {};
  SmallVector<Value> addresses, bits; ///< Of each WRITE.
};

/// What a machine has between two instructions.
struct State : Results {
  /// Registers at each call, as far as a RETURN gives them back.
  SmallVector<std::array<Value, 4>> saved;
};

/// A machine faults, with these results, unless `isFine`.
struct Stop {
  Value isFine;
  Results results;
  uint32_t where;
};

class RoutineEmitter {
public:
  RoutineEmitter(func::FuncOp function, const vm::linear::Program &program,
                 const vm::linear::CompiledLaunch &launch)
      : function(function), program(program), launch(launch), code(launch.code),
        b(function.getContext()), loc(function.getLoc()), e(b, loc),
        loopEdges(vm::linear::findLoopEdges(code)),
        isLeader(vm::linear::findLeaders(code, loopEdges)),
        read(vm::linear::addressesOf(program, *launch.launch, false)),
        written(vm::linear::addressesOf(program, *launch.launch, true)) {}

  void emit();

private:
  // Blocks.
  void createBlocks();
  void emitBlock(uint32_t step);
  bool emitStep(uint32_t step, State &state);
  const vm::linear::FusedRun *runAt(uint32_t step) const;
  void emitRun(const vm::linear::FusedRun &run, State &state);
  void emitMatrix(const vm::linear::Matrix &matrix, State &state);
  Value emitRow(ArrayRef<vm::linear::Coefficient> row,
                const std::array<Value, kElements> &x);
  void emitEnd(uint32_t step, State &state);
  void branchTo(uint32_t step, uint32_t next, State &state);
  void exitWith(State &state, uint32_t step, Status status, Fault fault);
  void stopUnless(Value isFine, const State &state, uint32_t step, Fault fault);
  void settleStops();
  void emitExit();

  // State. Of the registers at calls there are those of the first `calls`.
  SmallVector<Value> flatten(State &state, unsigned calls);
  SmallVector<Value> flatten(Results &results);
  State unflatten(ValueRange values, unsigned calls);
  State initialState();
  void settleCounts(Results &results);
  void findSaved();

  // Instructions.
  void emitCompute(uint32_t step, State &state);
  Value compute(const vm::linear::Instruction &instruction, State &state);
  Expr sumOf(const Expr &x, const Expr &y, bool isSame, bool subtracts);
  void emitRead(uint32_t step, State &state);
  void emitWrite(uint32_t step, State &state);
  Expr toAddress(const Expr &x, State &state, uint32_t step, bool writes);
  std::optional<Expr> inRanges(const Expr &address, bool writes);
  Expr isTaken(const vm::linear::Instruction &instruction, State &state);

  // Values.
  Expr number(uint32_t bits) {
    return e.constant(b.getF32FloatAttr(llvm::bit_cast<float>(bits)));
  }
  Value call(StringRef name, ValueRange operands) {
    return func::CallOp::create(b, loc, name, TypeRange(b.getF32Type()),
                                operands)
        .getResult(0);
  }

  /// The calls that a step is in.
  unsigned callsOf(uint32_t step) const {
    return code.frames[code.steps[step].frame].depth;
  }
  const vm::linear::Instruction &at(uint32_t step) const {
    return program.instructions[code.steps[step].instruction];
  }

  func::FuncOp function;
  const vm::linear::Program &program;
  const vm::linear::CompiledLaunch &launch;
  const vm::linear::Expanded &code;
  OpBuilder b;
  Location loc;
  gpuvm::ExprBuilder e;
  std::set<vm::linear::Edge> loopEdges;
  std::vector<bool> isLeader;
  std::vector<vm::linear::AddressRange> read, written; ///< What it may use.
  llvm::DenseMap<uint32_t, Block *> blocks;
  Block *exit = nullptr;
  /// Of each call in calls, the registers that RETURNs give back, as bits.
  SmallVector<uint32_t> saved;
  SmallVector<Stop, 0> stops; ///< Of the block that is emitted.
};

} // namespace mlir::linear
