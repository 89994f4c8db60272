//===- ScalarCode.h - a region of scalar code, run on many elements -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a `linalg.generic`, `tensor.generate` or `tensor.pad` is applied
// to millions of points. ScalarCode compiles it to a list of steps, each of
// which does one operation of the body for up to kMaxCount points. A step that
// branches or loops (ControlFlow.cpp) has steps of its own, which it runs for
// those points that get there.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/Tensor.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <functional>

namespace mlir::gpuvm::reference {

class ScalarCode {
public:
  static constexpr int64_t kMaxCount = 1024;

  /// `cause`: of elements of its arguments that are unspecified, if there are
  /// such. Compiles `body` but for the operations in `skip` and its terminator.
  /// Values from outside are taken from `outside`. `numLoops` index values are
  /// there for `linalg.index`. Emits an error on operations the reference does
  /// not know.
  static FailureOr<ScalarCode> compile(Block &body, const Environment &outside,
                                       unsigned numLoops,
                                       const SmallPtrSetImpl<Operation *> &skip,
                                       const CausePtr &cause = nullptr);

  /// Compiles `ops`, in this order, from `arguments`; constants of their block
  /// are taken along.
  static FailureOr<ScalarCode> compileOps(ValueRange arguments,
                                          ArrayRef<Operation *> ops,
                                          const Environment &outside);

  /// The elements of a value of the body: block arguments are written before
  /// run(), results read after it. Null if the value is not known here.
  void *elements(Value value) const;
  /// The index of loop `loop` at each point; written before run().
  int64_t *indices(unsigned loop) const { return loopIndices[loop]; }

  /// Which elements of a value are unspecified; null if no value of this body
  /// can have any. Those of arguments are written before run().
  uint8_t *flags(Value value) const { return flagsOf.lookup(value); }
  const CausePtr &getCause() const { return *cause; }

  /// Runs the steps for points [0, count), count <= kMaxCount. Emits an error
  /// where an operation has no result, or what the body yields is unspecified.
  LogicalResult run(int64_t count) const;
  /// The same, and what is yielded may be unspecified.
  LogicalResult runPartly(int64_t count) const;
  /// Emits an error if an element of `values` at points [0, count) is
  /// unspecified, which `user` needs.
  LogicalResult requireSpecified(Operation *user, ValueRange values,
                                 int64_t count) const;

private:
  ScalarCode(Operation *owner, StepLimit &limit)
      : owner(owner), limit(&limit) {}

  using Buffer = std::unique_ptr<uint64_t[]>;
  /// Does points [first, first + count).
  using Step = std::function<LogicalResult(int64_t first, int64_t count)>;
  using Steps = std::vector<Step>;
  /// Elements of one value that become those of another.
  struct Move {
    uint8_t *to;
    const uint8_t *from;
    uint64_t bytes;
    uint8_t *toFlags = nullptr;
    const uint8_t *fromFlags = nullptr;
  };
  using Moves = SmallVector<Move>;
  /// A region: what it does, and what its terminator hands over.
  struct Region {
    Steps steps;
    Moves moves;
  };

  static LogicalResult run(const Steps &steps, int64_t first, int64_t count);
  static void move(const Moves &moves, int64_t first, int64_t count);

  void *addBuffer();
  void *addValue(Value value);
  void addPropagation(Operation *op, OpResult result);
  Step requireStep(Operation *user, Value value) const;
  LogicalResult addOutside(Operation *user, Value value,
                           const Environment &outside);
  LogicalResult addStep(Operation *op, const Environment &outside);
  LogicalResult addElementwise(Operation *op, bool exact);
  LogicalResult addExtract(Operation *op, const Environment &outside);

  // ControlFlow.cpp.
  LogicalResult addControlFlow(Operation *op, const Environment &outside);
  LogicalResult addIf(Operation *op, const Environment &outside);
  LogicalResult addFor(Operation *op, const Environment &outside);
  LogicalResult addWhile(Operation *op, const Environment &outside);
  LogicalResult addMoves(Operation *user, ValueRange from, ValueRange to,
                         const Environment &outside, Moves &moves);
  FailureOr<Steps> compileBlock(Block &block, const Environment &outside);

  Operation *owner; ///< Of the body: what its steps are counted for.
  StepLimit *limit;
  std::vector<Buffer> buffers;
  DenseMap<Value, void *> values;
  bool hasFlags = false; ///< Values can be unspecified.
  DenseMap<Value, uint8_t *> flagsOf;
  /// Set by the step that first reads what nothing specifies.
  std::shared_ptr<CausePtr> cause = std::make_shared<CausePtr>();
  Operation *end = nullptr; ///< The terminator, if what it yields is wanted.
  SmallVector<int64_t *> loopIndices;
  Steps steps;
};

} // namespace mlir::gpuvm::reference
