//===- Families.cpp - the families of kernels -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/family/Family.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace mlir::gpuvm {
#define GPUVM_FAMILY(root, Class) const KernelFamily &get##Class();
#include "kernels/Families.def"
} // namespace mlir::gpuvm

const KernelFamily &gpuvm::getFamily(Root root) {
  switch (root) {
#define GPUVM_FAMILY(root, Class)                                              \
  case Root::root:                                                             \
    return get##Class();
#include "kernels/Families.def"
  }
  llvm_unreachable("every root has a family");
}
