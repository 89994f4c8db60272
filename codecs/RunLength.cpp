//===- RunLength.cpp - runs of equal elements -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// run_length<N>: N run ends, each a u32, then N values. In row-major order run
// k is elements end[k - 1] to end[k] - 1, the first one from 0 on, and has
// value k. The ends increase strictly, and the last one is the number of
// elements; where they do not, elements have the value of some run.
//
// A run is found by binary search, without a branch and without a loop: the
// search has as many steps as N has bits.
//
//===----------------------------------------------------------------------===//

#include "codecs/BitFields.h"
#include "codecs/Codec.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
class RunLength final : public Codec {
public:
  StringRef getName() const override { return "run_length"; }
  Type getDefaultElement(MLIRContext *) const override { return Type(); }

  std::string whyNot(const PackedLayout &layout) const override {
    if (layout.parameters.size() != 1 || layout.parameters[0] < 1 ||
        layout.parameters[0] > layout.numElements())
      return "takes one parameter, the number of runs, of which there are no "
             "more than elements";
    if (layout.elementBits() == 1)
      return "decodes to elements of 8 bits or more";
    return "";
  }

  uint64_t getBytes(const PackedLayout &layout) const override {
    return layout.parameters[0] * (4 + layout.elementBits() / 8);
  }

  void decode(const PackedLayout &layout, const uint8_t *packed,
              void *elements) const override {
    int64_t runs = layout.parameters[0];
    uint64_t size = layout.elementBits() / 8;
    std::vector<uint32_t> ends(runs);
    std::memcpy(ends.data(), packed, runs * 4);
    for (int64_t i = 0; i < layout.numElements(); ++i) {
      auto run = std::upper_bound(ends.begin(), ends.end() - 1, i);
      std::memcpy(static_cast<char *>(elements) + i * size,
                  packed + runs * 4 + (run - ends.begin()) * size, size);
    }
  }

  SmallVector<Value> emitRun(PackedReader &r, const PackedLayout &layout,
                             Value first, int64_t count) const override {
    Expr values = r.word(layout.parameters[0]);
    Expr position = r(first).toWord();
    Expr run = emitSearch(r, layout, position);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) // No run is empty, so it is this one or the next.
        run = advance(r, layout, run, 1, position + i);
      elements.push_back(emitArrayElement(r, values, run, layout.element));
    }
    return elements;
  }

  bool isExact(const PackedLayout &) const override { return true; }
  int64_t getCost(const PackedLayout &layout) const override {
    return 12 + 2 * llvm::Log2_64(layout.parameters[0]);
  }
  int64_t getPreferredRun(const PackedLayout &) const override { return 8; }

private:
  /// `run` + `step` if there is such a run and the one before it ends at
  /// `position` or before.
  static Expr advance(PackedReader &r, const PackedLayout &layout, Expr run,
                      uint32_t step, Expr position) {
    uint32_t last = layout.parameters[0] - 1;
    Expr next = run + step;
    Expr isEnded = position >= r.load(min(next - 1, last));
    return select(isBelow(next, last + 1) & isEnded, next, run);
  }

  /// The number of the runs that end at `position` or before.
  static Expr emitSearch(PackedReader &r, const PackedLayout &layout,
                         Expr position) {
    Expr run = r.word(0);
    uint32_t last = layout.parameters[0] - 1;
    for (uint32_t step = llvm::bit_floor(last); step > 0; step /= 2)
      run = advance(r, layout, run, step, position);
    return run;
  }
};
} // namespace

GPUVM_DEFINE_CODEC(run_length, RunLength)
