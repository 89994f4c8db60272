//===- CodeSize.cpp - kernels that no plan can hold -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/CodeSize.h"

#include "mlir/Target/SPIRV/Serialization.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// The code that an operation of a kernel has become.
struct Share {
  size_t instructions = 0;
  llvm::MapVector<OperationName, size_t> byName;

  /// How often the operation was written: as often as the rarest instruction
  /// of it that is no constant.
  size_t times() const {
    size_t fewest = instructions;
    for (const auto &[name, count] : byName)
      if (name.getStringRef() != spirv::ConstantOp::getOperationName())
        fewest = std::min(fewest, count);
    return fewest;
  }
};
} // namespace

/// "\"a\" and \"b\"", of the stages that `kernel` is of.
static std::string stagesOf(flow::DispatchOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      kernel.getStages().getAsRange<StringAttr>(), os,
      [&](StringAttr name) { os << '"' << name.getValue() << '"'; }, " and ");
  return text;
}

LogicalResult gpuvm::checkCodeSize(flow::DispatchOp kernel,
                                   spirv::ModuleOp module, uint64_t mostBytes) {
  // An instruction that has several words is that long.
  constexpr uint64_t kMostWords = 8;
  uint64_t total = 0;
  module.walk([&](Operation *) { ++total; });
  if (total * kMostWords * sizeof(uint32_t) <= mostBytes)
    return success();
  SmallVector<uint32_t> words;
  if (failed(spirv::serialize(module, words)))
    return failure();
  uint64_t bytes = words.size() * sizeof(uint32_t);
  if (bytes <= mostBytes)
    return success();
  llvm::MapVector<Location, Share> shares;
  for (Operation &op : kernel.getBody().front())
    op.walk([&](Operation *inner) { shares[inner->getLoc()]; });
  module.walk([&](Operation *op) {
    if (auto share = shares.find(op->getLoc()); share != shares.end()) {
      ++share->second.instructions;
      ++share->second.byName[op->getName()];
    }
  });
  auto most = llvm::max_element(shares, [](const auto &a, const auto &b) {
    return a.second.instructions < b.second.instructions;
  });
  const Share &share = most->second;
  return mlir::emitError(most->first)
         << "stage " << stagesOf(kernel) << " needs " << bytes
         << " bytes of SPIR-V (" << mostBytes
         << " at most), more of them for this operation than for any other: "
         << "it is written " << share.times() << " times ("
         << share.instructions << " of " << total
         << " instructions); split the stage before or after it";
}
