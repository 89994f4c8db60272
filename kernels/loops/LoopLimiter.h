//===- LoopLimiter.h - loops that end before a driver ends them -*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some drivers end the loops of a subgroup when they have run so often
// together. Code that passed the limiter ends them before, and says so.
// docs/rationale/long-loops.md has the argument why the driver never does.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::gpuvm {

class LoopLimiter {
public:
  /// At the beginning of a function, at `b`: what `total` allows is shared by
  /// `lanes` lanes, an i32 (null: one).
  LoopLimiter(OpBuilder &b, Location loc, Value lanes);

  /// Limits the loops of the code between `after` (null: the beginning of its
  /// block) and the insertion point, which a lane runs `times` times; whether
  /// one of them, or one before, was ended early, an i1.
  Value limit(Operation *after, int64_t times);
  /// Whether a loop has been ended early.
  Value isAnyEnded();

  /// When all code is there: decides how often loops may run, and all loops of
  /// a subgroup, with `others` iterations that all its lanes run at once, at
  /// most `total` times. Fails if that is too little.
  LogicalResult finish(int64_t total, int64_t others);

private:
  void limitIn(Block &block);
  void limitTop(Operation *loop);
  void limitFor(scf::ForOp loop);
  void limitWhile(scf::WhileOp loop);
  void noteEnd(Value isEnded);
  Expr load(Value memory);
  void store(Value value, Value memory);

  OpBuilder &b;
  Location loc;
  ExprBuilder e;
  Value left;  ///< How often the lane may yet loop: memory of an invocation.
  Value ended; ///< Not 0: a loop was ended early. The same.
  arith::ConstantOp shared; ///< What the lanes share, and
  /// what each loop that holds no other has for itself in all its lanes.
  SmallVector<arith::ConstantOp> owned;
  int64_t times = 1;
  int64_t numOwned = 0; ///< How often a lane comes to one of those.
  int64_t fixed = 0;    ///< Iterations that are run in any case.
};

} // namespace mlir::gpuvm
