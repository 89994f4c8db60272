//===- Rotations.cpp - windows that rotate in a loop ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Rotations.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;

WindowAttr gpuvm::intersect(WindowAttr a, WindowAttr b) {
  if (a.getRegion() != b.getRegion())
    return WindowAttr();
  uint64_t begin = std::max(a.getOffset(), b.getOffset());
  uint64_t end =
      std::min(a.getOffset() + a.getLength(), b.getOffset() + b.getLength());
  if (begin >= end)
    return WindowAttr();
  return WindowAttr::get(a.getContext(), a.getRegion(), begin, end - begin);
}

Rotations gpuvm::getRotations(flow::LoopOp op) {
  Rotations rotations;
  if (op.getRotations())
    for (auto symbols : op.getRotations()->getAsRange<ArrayAttr>())
      rotations.push_back(llvm::map_to_vector(
          symbols.getAsRange<FlatSymbolRefAttr>(), [&](auto symbol) {
            return lookupSymbol(op, symbol.getValue()).window;
          }));
  return rotations;
}

WindowAttr gpuvm::rotate(WindowAttr window, const Rotations &rotations,
                         int64_t turns) {
  for (const SmallVector<WindowAttr> &rotation : rotations)
    for (auto [i, place] : llvm::enumerate(rotation)) {
      if (!intersect(place, window))
        continue;
      int64_t length = rotation.size();
      WindowAttr then =
          rotation[((int64_t(i) - turns) % length + length) % length];
      return WindowAttr::get(window.getContext(), window.getRegion(),
                             window.getOffset() - place.getOffset() +
                                 then.getOffset(),
                             window.getLength());
    }
  return window;
}

bool gpuvm::isNext(WindowAttr before, WindowAttr next) {
  uint64_t end = before.getOffset() + before.getLength();
  return before.getRegion() == next.getRegion() &&
         llvm::alignTo(end, kWindowAlignment) == next.getOffset();
}

/// Whether each role of `next` lies directly after that of `rotation`.
static bool continues(ArrayRef<WindowAttr> rotation,
                      ArrayRef<WindowAttr> next) {
  return rotation.size() == next.size() &&
         llvm::all_of(llvm::zip(rotation, next), [](const auto &pair) {
           return isNext(std::get<0>(pair), std::get<1>(pair));
         });
}

bool gpuvm::isAlwaysNext(WindowAttr before, WindowAttr next,
                         const Rotations &rotations) {
  if (!isNext(before, next))
    return false;
  auto rotationOf = [&](WindowAttr window) {
    return llvm::find_if(rotations, [&](ArrayRef<WindowAttr> rotation) {
      return llvm::any_of(rotation, [&](WindowAttr place) {
        return static_cast<bool>(intersect(place, window));
      });
    });
  };
  const auto *own = rotationOf(before), *other = rotationOf(next);
  if (own == other)
    return own == rotations.end();
  return own != rotations.end() && other != rotations.end() &&
         continues(*own, *other);
}

void gpuvm::joinRotations(Rotations &rotations, ArrayRef<WindowAttr> windows) {
  auto coversBoth = [&](WindowAttr a, WindowAttr b) {
    return llvm::any_of(windows, [&](WindowAttr window) {
      return intersect(window, a) && intersect(window, b);
    });
  };
  Rotations sorted = rotations, joined;
  llvm::sort(sorted, [](ArrayRef<WindowAttr> a, ArrayRef<WindowAttr> b) {
    return a.front().getOffset() < b.front().getOffset();
  });
  bool changed = false;
  for (SmallVector<WindowAttr> &next : sorted) {
    if (joined.empty() || !continues(joined.back(), next) ||
        llvm::none_of(llvm::zip(joined.back(), next), [&](const auto &pair) {
          return coversBoth(std::get<0>(pair), std::get<1>(pair));
        })) {
      joined.push_back(std::move(next));
      continue;
    }
    changed = true;
    for (auto [whole, part] : llvm::zip(joined.back(), next))
      whole = WindowAttr::get(
          whole.getContext(), whole.getRegion(), whole.getOffset(),
          part.getOffset() + part.getLength() - whole.getOffset());
  }
  if (changed)
    rotations = std::move(joined);
}
