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
