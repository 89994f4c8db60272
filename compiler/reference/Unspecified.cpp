//===- Unspecified.cpp - elements that nothing specifies ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Unspecified.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm::reference;

Unspecified gpuvm::reference::makeUnspecified(std::vector<uint8_t> flags,
                                              CausePtr cause) {
  if (!llvm::is_contained(flags, 1))
    return {};
  return {std::move(flags), std::move(cause)};
}

LogicalResult gpuvm::reference::reportUnspecified(Operation *user,
                                                  const CausePtr &cause) {
  InFlightDiagnostic error = cause->op->emitOpError(cause->what)
                             << ", and what it gets is not selected away";
  if (user != cause->op)
    error.attachNote(user->getLoc()) << "this depends on it";
  return error;
}

/// Takes the one of two sides that the condition says.
static void propagateSelected(ArrayRef<const uint8_t *> flags,
                              const uint8_t *condition, size_t count,
                              uint8_t *result) {
  for (size_t i = 0; i < count; ++i) {
    const uint8_t *side = flags[condition[i] ? 1 : 2];
    result[i] = (flags[0] && flags[0][i]) || (side && side[i]);
  }
}

/// False and anything is false, true or anything true: `decisive`.
static void propagateLogic(ArrayRef<const uint8_t *> flags,
                           ArrayRef<const void *> elements, uint8_t decisive,
                           size_t count, uint8_t *result) {
  auto decides = [&](unsigned operand, size_t i) {
    return !(flags[operand] && flags[operand][i]) &&
           static_cast<const uint8_t *>(elements[operand])[i] == decisive;
  };
  for (size_t i = 0; i < count; ++i)
    if (decides(0, i) || decides(1, i))
      result[i] = 0;
}

void gpuvm::reference::propagateUnspecified(Operation *op,
                                            ArrayRef<const uint8_t *> flags,
                                            ArrayRef<const void *> elements,
                                            size_t count, uint8_t *result) {
  if (isa<arith::SelectOp>(op))
    return propagateSelected(flags, static_cast<const uint8_t *>(elements[0]),
                             count, result);
  std::memset(result, 0, count);
  for (const uint8_t *own : flags)
    for (size_t i = 0; own && i < count; ++i)
      result[i] |= own[i];
  if (!isa<arith::AndIOp, arith::OrIOp>(op) ||
      !getElementTypeOrSelf(op->getResult(0)).isInteger(1))
    return;
  propagateLogic(flags, elements, isa<arith::OrIOp>(op) ? 1 : 0, count, result);
}

bool gpuvm::reference::needsSpecified(Operation *op) {
  return !isSpeculatable(op);
}
