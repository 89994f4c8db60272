//===- RootEmitter.h - what the emitters of families have in common -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/elements/ElementEmitter.h"
#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

/// What an emitter works with.
struct EmitterContext {
  flow::DispatchOp op;
  const KernelLayout &layout;
  BindingLayout bindings;
  KernelBuilder &kernel;
  ElementEmitter &elements;
  bool exact; ///< As EmitOptions says.
  int64_t spins;

  /// The layout of the family that emits.
  template <typename Layout> const Layout &layoutAs() const {
    return static_cast<const Layout &>(layout);
  }
};

/// What emitters have in common: they go on after a failure, which makes the
/// whole fail, wherever that needs no care.
class RootEmitter {
protected:
  explicit RootEmitter(EmitterContext &context)
      : c(context), k(context.kernel) {}
  bool check(LogicalResult result) {
    failed_ |= failed(result);
    return succeeded(result);
  }

  EmitterContext &c;
  KernelBuilder &k;
  bool failed_ = false;
};

} // namespace mlir::gpuvm
