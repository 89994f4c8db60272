//===- ChoicePredicate.cpp - when an element beats the accumulators -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ChoicePredicate.h"

using namespace mlir;
using namespace mlir::gpuvm;

bool gpuvm::isMaximum(Operation *op) {
  return isa<arith::MaxSIOp, arith::MaxUIOp, arith::MaximumFOp,
             arith::MaxNumFOp>(op);
}

bool gpuvm::isMinimum(Operation *op) {
  return isa<arith::MinSIOp, arith::MinUIOp, arith::MinimumFOp,
             arith::MinNumFOp>(op);
}

std::optional<ChoicePredicate> gpuvm::predicateOf(Operation *op, bool invert,
                                                  bool swap) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    arith::CmpIPredicate predicate = compare.getPredicate();
    if (invert)
      predicate = arith::invertPredicate(predicate);
    using P = arith::CmpIPredicate;
    static const std::pair<P, P> swapped[] = {
        {P::sgt, P::slt}, {P::sge, P::sle}, {P::ugt, P::ult}, {P::uge, P::ule}};
    for (auto [greater, less] : swapped)
      if (predicate == greater || predicate == less)
        return (predicate == greater) != swap ? greater : less;
    return std::nullopt;
  }
  auto compare = cast<arith::CmpFOp>(op);
  using P = arith::CmpFPredicate;
  // An element that is not ordered must lose, or the order would matter.
  static const std::tuple<P, P, P, P> swapped[] = {
      {P::OGT, P::OLT, P::ULE, P::UGE}, {P::OGE, P::OLE, P::ULT, P::UGT}};
  for (auto [greater, less, notGreater, notLess] : swapped) {
    P predicate = compare.getPredicate();
    if (predicate == (invert ? notGreater : greater))
      return swap ? less : greater;
    if (predicate == (invert ? notLess : less))
      return swap ? greater : less;
  }
  return std::nullopt;
}

static bool isGreater(ChoicePredicate predicate) {
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  if (auto *integer = std::get_if<I>(&predicate))
    return llvm::is_contained({I::sgt, I::sge, I::ugt, I::uge}, *integer);
  return llvm::is_contained({F::OGT, F::OGE}, std::get<F>(predicate));
}

bool gpuvm::isStrict(ChoicePredicate predicate) {
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  if (auto *integer = std::get_if<I>(&predicate))
    return llvm::is_contained({I::sgt, I::slt, I::ugt, I::ult}, *integer);
  return llvm::is_contained({F::OGT, F::OLT}, std::get<F>(predicate));
}

bool gpuvm::agrees(Operation *op, ChoicePredicate predicate) {
  if (isGreater(predicate) ? !isMaximum(op) : !isMinimum(op))
    return false;
  auto *integer = std::get_if<arith::CmpIPredicate>(&predicate);
  if (!integer)
    return true;
  using P = arith::CmpIPredicate;
  bool isSigned =
      llvm::is_contained({P::sgt, P::sge, P::slt, P::sle}, *integer);
  return isSigned == isa<arith::MaxSIOp, arith::MinSIOp>(op);
}
