//===- PrivateMemory.cpp - variables of an invocation ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/PrivateMemory.h"

#include "expr/Expr.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// What stands in memory for a value of `type`.
static Type storedType(Type type) {
  auto integer = [&](unsigned width) {
    return IntegerType::get(type.getContext(), width);
  };
  if (type.isIndex() || type.isInteger(1))
    return integer(32);
  return type.isBF16() ? integer(16) : type;
}

Value gpuvm::allocatePrivate(OpBuilder &b, Location loc, Type type) {
  auto storage = spirv::StorageClassAttr::get(b.getContext(),
                                              spirv::StorageClass::Function);
  auto memory = MemRefType::get({1}, storedType(type),
                                MemRefLayoutAttrInterface(), storage);
  mlir::Region *region = b.getInsertionBlock()->getParent();
  auto function = region->getParentOfType<gpu::GPUFuncOp>();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return memref::AllocaOp::create(b, loc, memory);
}

Value gpuvm::loadPrivate(OpBuilder &b, Location loc, Value memory, Type type) {
  ExprBuilder e(b, loc);
  Expr value = e.make<memref::LoadOp>(memory, Value(e.index(0)));
  if (type.isIndex())
    return value.toIndex();
  return type.isInteger(1) ? value != 0 : value.bitcast(type);
}

void gpuvm::storePrivate(OpBuilder &b, Location loc, Value memory,
                         Value value) {
  ExprBuilder e(b, loc);
  Type type = value.getType(), stored = storedType(type);
  if (type.isIndex())
    value = e(value).toWord();
  else if (type.isInteger(1))
    value = e(value).extend(stored);
  else
    value = e(value).bitcast(stored);
  memref::StoreOp::create(b, loc, value, memory, Value(e.index(0)));
}
