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
  Type word = ir().getI32Type();
  Type element = values.front().getType();
  unsigned perWord = 32 / element.getIntOrFloatBitWidth();
  SmallVector<Value> bits;
  if (element.isBF16()) {
    element = ir().getI16Type();
    for (Value value : values)
      bits.push_back(make<arith::BitcastOp>(element, value));
    values = bits;
  }
  Type type = VectorType::get({perWord}, element);
  SmallVector<Value> words;
  for (; !values.empty(); values = values.drop_front(perWord)) {
    Value vector =
        make<spirv::CompositeConstructOp>(type, values.take_front(perWord));
    words.push_back(make<spirv::BitcastOp>(word, vector));
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
    module->setAttr(kBfloat16Matrices, ir().getUnitAttr());
    element = ir().getF16Type();
  }
  if (element.isInteger(8))
    element = IntegerType::get(ir().getContext(), 8, IntegerType::Signed);
  return gpu::MMAMatrixType::get({rows, columns}, element, operand);
}

Value KernelBuilder::zeroMatrix(Type type) {
  Type element = cast<gpu::MMAMatrixType>(type).getElementType();
  return make<gpu::SubgroupMmaConstantMatrixOp>(type, constant(element, 0));
}

Value KernelBuilder::loadMatrix(Value memory, Type type, Value i, int64_t pitch,
                                bool byColumns) {
  return make<gpu::SubgroupMmaLoadMatrixOp>(
      type, memory, i, ir().getIndexAttr(pitch),
      byColumns ? ir().getUnitAttr() : nullptr);
}

void KernelBuilder::storeMatrix(Value matrix, Value memory, Value i,
                                int64_t pitch) {
  gpu::SubgroupMmaStoreMatrixOp::create(ir(), loc(), matrix, memory, i,
                                        ir().getIndexAttr(pitch),
                                        /*transpose=*/nullptr);
}

Value KernelBuilder::multiplyElements(Value a, Value c) {
  return make<gpu::SubgroupMmaElementwiseOp>(a.getType(), ValueRange{a, c},
                                             gpu::MMAElementwiseOp::MULF);
}

Value KernelBuilder::multiplyMatrices(Value left, Value right, Value total) {
  return make<gpu::SubgroupMmaComputeOp>(total.getType(), left, right, total,
                                         /*a_transpose=*/nullptr,
                                         /*b_transpose=*/nullptr);
}
