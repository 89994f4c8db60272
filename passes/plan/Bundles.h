//===- Bundles.h - adjacent windows -----------------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with more windows than its target binds has those in one binding
// that lie next to each other and that it uses alike (analysis/Bindings.h).
// Here is decided what lies next to what. docs/rationale/bundles.md says why.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "passes/analysis/Commands.h"
#include "passes/plan/WindowPacking.h"

#include "llvm/ADT/MapVector.h"

#include <map>
#include <vector>

namespace mlir::gpuvm {

/// Live ranges, by number, that lie directly one after the other.
using Bundle = SmallVector<unsigned>;

/// Puts symbols and live ranges of a program next to each other for the kernels
/// that have too many windows.
class Bundler {
public:
  /// `symbols` have windows, in which values with `homes` are; the others are
  /// in live ranges. All must live longer.
  Bundler(ProgramOp program, ArrayRef<Operation *> symbols,
          const llvm::DenseMap<Value, WindowAttr> &homes,
          const llvm::MapVector<Value, unsigned> &rangeOf);

  /// Those of the program's kernels with more than `most` windows, `scratch` of
  /// them for scratch, values longer than `maxWindowBytes` in several.
  SmallVector<flow::DispatchOp>
  findCrowded(uint64_t most, uint64_t maxWindowBytes,
              function_ref<uint64_t(flow::DispatchOp)> scratch) const;

  /// Decides what lies together so that `crowded` kernels need few bindings;
  /// with `ranges`, only values that live in the same steps.
  void bundle(ArrayRef<flow::DispatchOp> crowded,
              ArrayRef<LiveRange> ranges = {});
  /// The bindings that a kernel needs besides those for scratch.
  unsigned countBindings(flow::DispatchOp kernel) const {
    return findBindings(kernel).size();
  }
  /// Copies operands of `kernel` whose bundles are of few values until it needs
  /// `most` bindings, `scratch` of them for scratch; false if there are none.
  bool copyOperands(flow::DispatchOp kernel, uint64_t most,
                    uint64_t scratch) const;

  SmallVector<Bundle> getRangeBundles() const;
  /// The symbols in the order in which they are to be placed.
  SmallVector<Operation *> orderSymbols() const;

private:
  /// A symbol, by its number, or a live range, with a number after those.
  using Place = unsigned;
  /// How a kernel, by its number, uses a place.
  struct Use {
    unsigned kernel;
    bool reads = false, writes = false;
    auto operator<=>(const Use &) const = default;
  };
  /// Places that rotate in a loop, which has this number; or one place.
  struct Unit {
    unsigned loop;
    SmallVector<Place> roles;
  };
  std::optional<Place> placeOf(Value value) const;
  std::map<Place, Use> getUses(flow::DispatchOp kernel, unsigned number) const;
  SmallVector<Unit> findRotations() const;
  struct Bound {
    SmallVector<unsigned> operands;
    bool stays = false; ///< Written.
  };
  /// By bundles, or by windows that are in none.
  llvm::MapVector<std::pair<unsigned, WindowAttr>, Bound>
  findBindings(flow::DispatchOp kernel) const;
  unsigned kindOf(Place place) const;

  ProgramOp program;
  ArrayRef<Operation *> symbols;
  const llvm::DenseMap<Value, WindowAttr> &homes;
  const llvm::MapVector<Value, unsigned> &rangeOf;
  SmallVector<WindowAttr> windows; ///< Of the symbols, before.
  llvm::DenseMap<WindowAttr, Place> symbolAt;
  SmallVector<SmallVector<Place>> bundles;
  llvm::DenseMap<Place, unsigned> bundleOf;
};

/// packWindows, with ranges of a bundle as one that lives as long as all of
/// them.
Packing packBundles(ArrayRef<LiveRange> ranges, ArrayRef<Bundle> bundles,
                    ArrayRef<unsigned> steps);

} // namespace mlir::gpuvm
