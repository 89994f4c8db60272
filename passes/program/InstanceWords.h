//===- InstanceWords.h - metadata of instances ------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message that the instances of a stage send has words of its own, and one of
// each instance. The latter are no metadata in the plan: each reader computes
// the norms and largest values, and statuses are sent as one more field.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

class InstanceWords {
public:
  explicit InstanceWords(ProgramOp program);

  /// Replaces what `stage` reads of the words of instances, of its own slice or
  /// of all. Stages that it receives from have been lowered. A reduction for
  /// all instances of a sender has kInstancesAttr if `stage` has instances
  /// itself: it is the same for all of these.
  void lowerReads(StageOp stage);

  /// Whether `stage` has to send the status of each instance as its last field.
  bool areSent(StageOp stage) const;
  /// `stage`, which has all instances in one body, does.
  void addSender(StageOp stage);

private:
  void lowerRead(MetadataOp op);

  llvm::DenseSet<Value> wanted;         ///< Messages whose statuses are read.
  llvm::DenseMap<Value, Value> senders; ///< Their last field.
};

/// The status of a message: the largest of those of its instances.
Value makeMessageStatus(OpBuilder &b, Location loc, Value statuses);

} // namespace mlir::gpuvm
