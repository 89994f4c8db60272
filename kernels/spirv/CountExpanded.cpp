//===- CountExpanded.cpp - how many operations one becomes ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function costs is counted by expanding it, so that nothing has to be
// kept in step with the formulas. That is done once for each function and type.
//
//===----------------------------------------------------------------------===//

#include "kernels/spirv/ExpandOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// Expands operations in a context of its own: that of a pass need not have the
/// dialects loaded which they are expanded in.
class Counter {
public:
  Counter() : context(MLIRContext::Threading::DISABLED) {
    context
        .loadDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  }
  int64_t count(Operation *op);

private:
  Type here(Type type);
  int64_t expand(Operation *op);

  std::mutex mutex;
  MLIRContext context;
  llvm::StringMap<int64_t> known; ///< By name and types.
};
} // namespace

/// The scalar type that `type`, of another context, is in this one. Floats of
/// 16 bits and less are computed as f32.
Type Counter::here(Type type) {
  Type scalar = getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<IntegerType>(scalar))
    return IntegerType::get(&context, integer.getWidth());
  return scalar.isF64() ? Type(Float64Type::get(&context))
                        : Float32Type::get(&context);
}

int64_t Counter::expand(Operation *op) {
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(loc);
  OpBuilder b = OpBuilder::atBlockBegin(scratch->getBody());
  SmallVector<Type> operands, results;
  for (Type type : op->getOperandTypes())
    operands.push_back(here(type));
  for (Type type : op->getResultTypes())
    results.push_back(here(type));
  auto given =
      UnrealizedConversionCastOp::create(b, loc, operands, ValueRange());
  OperationState state(loc, op->getName().getStringRef(), given.getResults(),
                       results);
  UnrealizedConversionCastOp::create(b, loc, TypeRange(),
                                     b.create(state)->getResults());
  expandMath(*scratch);
  int64_t count = 0;
  scratch->walk([&](Operation *inner) {
    // The bits of a float are where it is.
    count += !isa<ModuleOp, UnrealizedConversionCastOp, arith::ConstantOp,
                  arith::BitcastOp, scf::YieldOp>(inner);
  });
  return count;
}

int64_t Counter::count(Operation *op) {
  std::string key = op->getName().getStringRef().str();
  for (Type type : op->getOperandTypes()) {
    Type scalar = getElementTypeOrSelf(type);
    key += scalar.isF64() ? " d" : isa<FloatType>(scalar) ? " f" : " i";
  }
  std::lock_guard lock(mutex);
  auto [entry, isNew] = known.try_emplace(key, 1);
  if (isNew)
    entry->second = expand(op);
  return entry->second;
}

int64_t gpuvm::countByExpanding(Operation *op) {
  static Counter counter;
  bool isFunction = isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
                    isa<arith::RemFOp>(op);
  bool makesFloats = llvm::any_of(op->getResultTypes(), [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  });
  return isFunction && makesFloats ? counter.count(op) : 1;
}
