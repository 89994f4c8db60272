//===- CodeSize.h - kernels that no plan can hold ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace mlir::gpuvm {

/// Emits an error, at the operation that most of the code comes from, if
/// `module`, the code of `kernel`, has more than `mostBytes` bytes.
LogicalResult checkCodeSize(flow::DispatchOp kernel, spirv::ModuleOp module,
                            uint64_t mostBytes);

} // namespace mlir::gpuvm
