//===- ElementDecode.cpp - elements of packed data ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a codec needs to decode elements in a kernel: the window in words, and
// runs of neighbours, which share what they have in common.
//
//===----------------------------------------------------------------------===//

#include "codecs/PackedReader.h"
#include "kernels/elements/ElementEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// How many neighbours the lanes of `where` make up runs of; 1 if they are no
/// neighbours, or if a run need not start at a multiple of its length.
static int64_t runLength(const LaneIndex &where, int64_t lanes) {
  if (where.stride != 1)
    return 1;
  int64_t run = std::min(lanes, Codec::kMaxRun);
  while (lanes % run != 0 || where.divisor % run != 0 ||
         !llvm::isPowerOf2_64(run))
    --run;
  return run;
}

FailureOr<Lanes> ElementEmitter::emitDecode(DecodeOp op, Point at) {
  auto bytes = dyn_cast<BlockArgument>(op.getSource());
  if (!bytes)
    return op.emitOpError("decodes what is in no window");
  PackedType packed = op.getPackedType();
  unsigned binding = bindingOf(bytes);
  Type word = kernel.ir().getI32Type();
  PackedReader reader(kernel.ir(), kernel.loc(),
                      tensorBytes(packed.getBytesType()), exact,
                      [&](Value first, int64_t count) {
                        return kernel.loadVector(binding, word, first, count);
                      });
  LaneIndex where = position(at);
  int64_t run = runLength(where, now.lanes);
  Lanes elements;
  for (int64_t lane = 0; lane < now.lanes; lane += run) {
    if (where.stride == 0 && lane > 0) {
      elements.push_back(elements.front());
      continue;
    }
    elements.append(packed.getCodec().emitRun(reader, packed.getLayout(),
                                              laneValue(where, lane), run));
  }
  return elements;
}
