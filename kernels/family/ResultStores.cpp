//===- ResultStores.cpp - how kernels store what they compute -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/family/ResultStores.h"

#include "kernels/analysis/Updates.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The bindings of the operands that `value`, of the body, is made of.
static llvm::DenseSet<unsigned> getReadBindings(EmitterContext &c,
                                                Value value) {
  llvm::DenseSet<unsigned> read;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> open = {value};
  Block &body = c.op.getBody().front();
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == &body)
        read.insert(c.bindings.inputs[argument.getArgNumber()]);
      continue;
    }
    next.getDefiningOp()->walk([&](Operation *inner) {
      llvm::append_range(open, inner->getOperands());
    });
  }
  return read;
}

SmallVector<StoredResult> gpuvm::getStoredResults(EmitterContext &c) {
  auto yield = cast<YieldOp>(c.op.getBody().front().getTerminator());
  SmallVector<StoredResult> ordered;
  for (auto [value, binding] :
       llvm::zip_equal(yield.getValues(), c.bindings.outputs))
    ordered.push_back({value, binding});
  if (llvm::none_of(c.bindings.outputs, [&](unsigned binding) {
        return llvm::is_contained(c.bindings.inputs, binding);
      }))
    return ordered;
  struct Open {
    StoredResult result;
    llvm::DenseSet<unsigned> read;
  };
  auto open = llvm::map_to_vector(ordered, [&](const StoredResult &result) {
    return Open{result, getReadBindings(c, result.value)};
  });
  ordered.clear();
  while (!open.empty()) {
    auto isReadByOthers = [&](const Open &one) {
      return llvm::any_of(open, [&](const Open &other) {
        return &other != &one && other.read.contains(one.result.binding);
      });
    };
    // Of results that are made of each other's operands the first one.
    auto *next = llvm::find_if_not(open, isReadByOthers);
    if (next == open.end())
      next = open.begin();
    ordered.push_back(next->result);
    open.erase(next);
  }
  return ordered;
}

LogicalResult ResultStores::add(Value yielded, unsigned binding,
                                ElementEmitter::Point at) {
  for (StoredUpdate update : getUpdates(yielded)) {
    if (!update.scatter) {
      FailureOr<Lanes> elements = c.elements.emit(update.value, at);
      if (failed(elements))
        return failure();
      pending.push_back({binding, *elements, at, {}, 0});
      continue;
    }
    Value positions = update.scatter.getPositions();
    ElementEmitter::Point place = c.elements.flatPoint(
        c.elements.position(at), typeOf(positions).getShape());
    FailureOr<Lanes> elements = c.elements.emit(update.value, place);
    FailureOr<Lanes> rows = c.elements.emit(positions, place);
    if (failed(elements) || failed(rows))
      return failure();
    int64_t numRows = typeOf(update.scatter.getInitial().front()).getDimSize(0);
    pending.push_back({binding, *elements, at, *rows, numRows});
  }
  return success();
}

void ResultStores::store() {
  KernelBuilder &k = c.kernel;
  for (const Pending &result : pending) {
    if (result.rows.empty()) {
      c.elements.store(result.binding, result.elements, result.at);
      continue;
    }
    for (auto [element, word] : llvm::zip_equal(result.elements, result.rows)) {
      Expr row = k(word).toIndex(); // Past the last one if it was negative.
      k.ifThen(row < result.numRows, [&, element = element] {
        k.store(result.binding, element, row);
      });
    }
  }
}
