//===- PrivateMemory.cpp - variables of an invocation ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/PrivateMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

static Value first(OpBuilder &b, Location loc) {
  return arith::ConstantIndexOp::create(b, loc, 0);
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
  Value value = memref::LoadOp::create(b, loc, memory, first(b, loc));
  if (type.isIndex())
    return arith::IndexCastUIOp::create(b, loc, type, value);
  if (type.isBF16())
    return arith::BitcastOp::create(b, loc, type, value);
  if (!type.isInteger(1))
    return value;
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

void gpuvm::storePrivate(OpBuilder &b, Location loc, Value memory,
                         Value value) {
  Type type = value.getType(), stored = storedType(type);
  if (type.isIndex())
    value = arith::IndexCastUIOp::create(b, loc, stored, value);
  else if (type.isBF16())
    value = arith::BitcastOp::create(b, loc, stored, value);
  else if (type.isInteger(1))
    value = arith::ExtUIOp::create(b, loc, stored, value);
  memref::StoreOp::create(b, loc, value, memory, first(b, loc));
}
