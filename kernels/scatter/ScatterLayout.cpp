//===- ScatterLayout.cpp - how scatters are laid over the device ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/scatter/ScatterLayout.h"

#include "kernels/analysis/BodyTraits.h"
#include "kernels/analysis/Updates.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Words of results, with all copies, that workgroups keep: 16 KiB.
static constexpr int64_t kOwnWords = 4096;
/// Lanes that share a copy are this many at least.
static constexpr int64_t kMaxCopies = 32;
/// Updates of a lane for each word that its workgroup has to add in the end.
static constexpr int64_t kUpdatesPerWord = 16;
static constexpr int64_t kMaxGroups = 32768, kMaxOwnGroups = 1024;
static constexpr int64_t kVector = 4;
/// What a lane has in flight, if there are so many tiles of that.
static constexpr int64_t kBytesInFlight = 64, kMinTiles = 256;

/// Bytes that are read for an update, if nothing is computed.
static int64_t bytesPerUpdate(ScatterOp op) {
  int64_t bits = 32;
  for (Value update : op.getUpdates())
    if (!matchPattern(update, m_Constant()))
      bits += cast<RankedTensorType>(update.getType()).getElementTypeBitWidth();
  return bits / 8;
}

ScatterLayout gpuvm::layOutScatter(flow::DispatchOp kernel) {
  ScatterOp op = *kernel.getBody().getOps<ScatterOp>().begin();
  ScatterLayout layout;
  layout.vectorizes = keepsNeighbours(kernel, inspectBody(kernel), kVector);
  layout.updates = typeOf(op.getPositions()).getDimSize(0);
  layout.positions = typeOf(op.getInitial().front()).getDimSize(0);
  if (layout.vectorizes && layout.updates % kVector == 0)
    layout.vector = kVector;
  int64_t words = 0;
  for (Value initial : op.getInitial())
    words += typeOf(initial).getElementTypeBitWidth() / 32;
  words *= layout.positions;
  int64_t inFlight = kBytesInFlight / (layout.vector * bytesPerUpdate(op));
  while (inFlight > 1 &&
         layout.updates < kMinTiles * layout.lanes * layout.vector * inFlight)
    inFlight /= 2;
  layout.unroll = std::max<int64_t>(inFlight, 1);
  int64_t tile = layout.lanes * layout.vector * layout.unroll;
  int64_t tiles = llvm::divideCeil(layout.updates, tile);
  layout.groups = std::min(tiles, kMaxGroups);
  if (!op.getDistinct() && words <= kOwnWords &&
      layout.updates >= kUpdatesPerWord * words) {
    layout.copies = std::min<int64_t>(
        kMaxCopies, llvm::bit_floor<uint64_t>(kOwnWords / words));
    // The more a workgroup takes, the seldomer it adds its own.
    int64_t least = llvm::divideCeil(kUpdatesPerWord * words, tile);
    layout.groups = std::clamp<int64_t>(tiles / least, 1, kMaxOwnGroups);
  }
  layout.elements = layout.updates;
  return layout;
}

bool gpuvm::usesInt64Atomics(flow::DispatchOp kernel) {
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  auto isWide = [](Value value) {
    return getElementTypeOrSelf(value).isInteger(64) &&
           !cast<ScatterOp>(getRootResult(value).getOwner()).getDistinct();
  };
  return llvm::any_of(yield.getValues(), isWide);
}

void ScatterLayout::visit(LayoutFields &fields) {
  fields.number("copies", copies);
}
