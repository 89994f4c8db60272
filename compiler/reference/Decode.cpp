//===- Decode.cpp - packed data as tensors --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"

using namespace mlir;
using namespace mlir::gpuvm;

vm::HostTensor gpuvm::reference::decode(DecodeOp op, const Environment &env) {
  PackedType packed = op.getPackedType();
  vm::HostTensor tensor = *makeZero(op.getResult().getType());
  packed.getCodec().decode(packed.getLayout(),
                           env.get(op.getSource())->bytes.data(),
                           tensor.bytes.data());
  return tensor;
}
