//===- KernelMatrices.cpp - matrix units in a kernel ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/KernelBuilder.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace mlir::gpuvm;

void KernelBuilder::storeWorkgroupWords(Value memory, ArrayRef<Value> values,
                                        Value i) {
  Type word = b.getI32Type();
  Type element = values.front().getType();
  unsigned perWord = 32 / element.getIntOrFloatBitWidth();
  SmallVector<Value> bits;
  if (element.isBF16()) {
    element = b.getI16Type();
    for (Value value : values)
      bits.push_back(arith::BitcastOp::create(b, location, element, value));
    values = bits;
  }
  Type type = VectorType::get({perWord}, element);
  SmallVector<Value> words;
  for (; !values.empty(); values = values.drop_front(perWord)) {
    Value vector = spirv::CompositeConstructOp::create(
        b, location, type, values.take_front(perWord));
    words.push_back(spirv::BitcastOp::create(b, location, word, vector));
  }
  storeWorkgroupVector(memory, words, i);
}

Type KernelBuilder::matrixType(Type element, int64_t rows, int64_t columns,
                               MatrixUse use) {
  StringRef operand = use == MatrixUse::Left    ? "AOp"
                      : use == MatrixUse::Right ? "BOp"
                                                : "COp";
  if (element.isBF16()) {
    // The dialect has no matrices of bf16; lowerToSpirv makes them.
    module->setAttr(kBfloat16Matrices, b.getUnitAttr());
    element = b.getF16Type();
  }
  if (element.isInteger(8))
    element = IntegerType::get(b.getContext(), 8, IntegerType::Signed);
  return gpu::MMAMatrixType::get({rows, columns}, element, operand);
}

Value KernelBuilder::zeroMatrix(Type type) {
  Type element = cast<gpu::MMAMatrixType>(type).getElementType();
  return gpu::SubgroupMmaConstantMatrixOp::create(b, location, type,
                                                  zero(element));
}

Value KernelBuilder::loadMatrix(Value memory, Type type, Value i, int64_t pitch,
                                bool byColumns) {
  return gpu::SubgroupMmaLoadMatrixOp::create(
      b, location, type, memory, i, b.getIndexAttr(pitch),
      byColumns ? b.getUnitAttr() : nullptr);
}

void KernelBuilder::storeMatrix(Value matrix, Value memory, Value i,
                                int64_t pitch) {
  gpu::SubgroupMmaStoreMatrixOp::create(b, location, matrix, memory, i,
                                        b.getIndexAttr(pitch),
                                        /*transpose=*/nullptr);
}

Value KernelBuilder::multiplyElements(Value a, Value c) {
  return gpu::SubgroupMmaElementwiseOp::create(
      b, location, a.getType(), ValueRange{a, c}, gpu::MMAElementwiseOp::MULF);
}

Value KernelBuilder::multiplyMatrices(Value left, Value right, Value total) {
  return gpu::SubgroupMmaComputeOp::create(b, location, total.getType(), left,
                                           right, total,
                                           /*a_transpose=*/nullptr,
                                           /*b_transpose=*/nullptr);
}
