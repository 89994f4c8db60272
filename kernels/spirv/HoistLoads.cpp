//===- HoistLoads.cpp - loads that no iteration changes -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/spirv/HoistLoads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// What a loop may keep in registers for it, words of 32 bits: the places of
/// eight bodies in three dimensions, and some.
static constexpr int64_t kMostWords = 32;

static int64_t wordsOf(Type type) {
  int64_t bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (auto vector = dyn_cast<VectorType>(type))
    bits *= vector.getNumElements();
  return llvm::divideCeil(bits, 32);
}

/// Else a load might be outside of its window.
static bool runsAtLeastOnce(scf::ForOp loop) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  std::optional<int64_t> first = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  if (loop->hasAttr(kRunsAttr) || (first && end && *first < *end))
    return true;
  auto sum = upper.getDefiningOp<arith::AddIOp>();
  if (!sum || sum.getLhs() != lower)
    return false;
  std::optional<int64_t> count = getConstantIntValue(sum.getRhs());
  return count && *count > 0;
}

/// Index arithmetic: what a load needs, and what a driver may not find to be
/// the same each time.
static bool isIndexArithmetic(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         isSpeculatable(op) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIndex(); });
}

static void hoistFrom(scf::ForOp loop, const llvm::DenseSet<Value> &readOnly) {
  int64_t words = 0;
  moveLoopInvariantCode(
      {&loop.getRegion()},
      [&](Value value, mlir::Region *) {
        return loop.isDefinedOutsideOfLoop(value);
      },
      [&](Operation *op, mlir::Region *) {
        auto load = dyn_cast<memref::LoadOp>(op);
        if (!load)
          return isIndexArithmetic(op);
        return readOnly.contains(load.getMemref()) &&
               words + wordsOf(load.getType()) <= kMostWords;
      },
      [&](Operation *op, mlir::Region *) {
        if (auto load = dyn_cast<memref::LoadOp>(op))
          words += wordsOf(load.getType());
        loop.moveOutOfLoop(op);
      });
}

void gpuvm::hoistLoads(gpu::GPUModuleOp module,
                       const llvm::MapVector<unsigned, BindingUse> &uses) {
  llvm::DenseSet<Value> readOnly;
  gpu::GPUFuncOp function = *module.getOps<gpu::GPUFuncOp>().begin();
  for (BlockArgument argument : function.getArguments()) {
    auto abi = function.getArgAttrOfType<spirv::InterfaceVarABIAttr>(
        argument.getArgNumber(), spirv::getInterfaceVarABIAttrName());
    const BindingUse &use = uses.find(abi.getBinding())->second;
    if (!use.writes && !use.isVolatile)
      readOnly.insert(argument);
  }
  // Inner loops come first, so that a load leaves a whole nest.
  module.walk([&](scf::ForOp loop) {
    if (runsAtLeastOnce(loop))
      hoistFrom(loop, readOnly);
  });
}
