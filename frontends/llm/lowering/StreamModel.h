//===- StreamModel.h - a language model that streams share ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of a token-stream VM (docs/token-vm.md, Models): a program that is
// shown what streams emitted and proposes what they emit next.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/model/Model.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::llm {

struct StreamOptions {
  std::string program; ///< Its name.
  int64_t streams = 1;
  int64_t shown = 1; ///< Tokens of a stream at a time, at most.
  /// Tokens of all streams together that one call computes. A stream has a row
  /// for each token that the model has not seen, and none if it waits.
  int64_t rows = 1;
  int64_t context = 2048; ///< Tokens of a stream.
  bool halves = true;     ///< As of ModelOptions.
};

/// A module with that program alone, private, and the file's tensors as inputs
/// of their names. All types are known.
OwningOpRef<ModuleOp> buildStreamModel(MLIRContext &context,
                                       const vm::llm::GgufFile &file,
                                       const vm::llm::Model &model,
                                       const StreamOptions &options);

} // namespace mlir::llm
