//===- Bundles.cpp - adjacent windows -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/plan/Bundles.h"

#include "kernels/analysis/Bindings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

Bundler::Bundler(ProgramOp program, ArrayRef<Operation *> symbols,
                 const llvm::DenseMap<Value, WindowAttr> &homes,
                 const llvm::MapVector<Value, unsigned> &rangeOf)
    : program(program), symbols(symbols), homes(homes), rangeOf(rangeOf) {
  for (auto [number, symbol] : llvm::enumerate(symbols)) {
    windows.push_back(getSymbolInfo(symbol).window);
    symbolAt[windows.back()] = number;
  }
}

/// Parts of symbols, and symbols that other programs have, are no places.
std::optional<Bundler::Place> Bundler::placeOf(Value value) const {
  auto home = homes.find(value);
  if (home == homes.end())
    return symbols.size() + rangeOf.lookup(value);
  auto symbol = symbolAt.find(home->second);
  return symbol == symbolAt.end() ? std::nullopt
                                  : std::optional(symbol->second);
}

unsigned Bundler::kindOf(Place place) const {
  return place < symbols.size()
             ? static_cast<unsigned>(windows[place].getRegion())
             : kNumRegions;
}

std::map<Bundler::Place, Bundler::Use> Bundler::getUses(flow::DispatchOp kernel,
                                                        unsigned number) const {
  std::map<Place, Use> uses;
  auto add = [&](ValueRange values, bool Use::*isUsed) {
    for (Value value : values)
      if (std::optional<Place> place = placeOf(value)) {
        uses[*place].kernel = number;
        uses[*place].*isUsed = true;
      }
  };
  add(kernel.getInputs(), &Use::reads);
  add(kernel.getOutputs(), &Use::writes);
  return uses;
}

SmallVector<flow::DispatchOp>
Bundler::findCrowded(uint64_t most, uint64_t maxWindowBytes,
                     function_ref<uint64_t(flow::DispatchOp)> scratch) const {
  SmallVector<flow::DispatchOp> crowded;
  for (auto kernel : listOps<flow::DispatchOp>(program)) {
    llvm::DenseSet<std::pair<WindowAttr, unsigned>> known;
    uint64_t count = scratch(kernel);
    for (ValueRange values :
         {ValueRange(kernel.getInputs()), ValueRange(kernel.getOutputs())})
      for (Value value : values)
        if (known.insert({homes.lookup(value), rangeOf.lookup(value)}).second)
          count += countWindows(typeOf(value), maxWindowBytes);
    if (count > most)
      crowded.push_back(kernel);
  }
  return crowded;
}

//===----------------------------------------------------------------------===//
// Adjacent places
//===----------------------------------------------------------------------===//

SmallVector<Bundler::Unit> Bundler::findRotations() const {
  SmallVector<Unit> rotations;
  for (auto [loop, op] : llvm::enumerate(listOps<flow::LoopOp>(program)))
    for (const SmallVector<WindowAttr> &rotation : getRotations(op))
      rotations.push_back(
          {static_cast<unsigned>(loop),
           llvm::map_to_vector(rotation, [&](WindowAttr window) {
             return symbolAt.lookup(window);
           })});
  return rotations;
}

/// Places that the same kernels use alike are a bundle. What rotates is alike
/// in all roles, and in the same order in each of them.
void Bundler::bundle(ArrayRef<flow::DispatchOp> crowded,
                     ArrayRef<LiveRange> ranges) {
  bundles.clear();
  bundleOf.clear();
  std::map<Place, std::vector<Use>> uses;
  for (auto [number, kernel] : llvm::enumerate(crowded))
    for (const auto &[place, use] : getUses(kernel, number))
      uses[place].push_back(use);
  SmallVector<Unit> units = findRotations();
  llvm::DenseSet<Place> rotates;
  for (const Unit &rotation : units)
    rotates.insert_range(rotation.roles);
  for (const auto &[place, all] : uses)
    if (!rotates.contains(place))
      units.push_back({/*loop=*/~0u, {place}});
  struct Key {
    unsigned loop, kind;
    std::pair<unsigned, unsigned> life;
    std::vector<std::vector<Use>> roles;
    auto operator<=>(const Key &) const = default;
  };
  std::map<Key, SmallVector<const Unit *>> alike;
  for (const Unit &unit : units) {
    Place first = unit.roles.front();
    Key key = {unit.loop, kindOf(first), {}, {}};
    if (first >= symbols.size() && !ranges.empty()) {
      const LiveRange &range = ranges[first - symbols.size()];
      key.life = {range.first, range.last};
    }
    for (Place place : unit.roles)
      key.roles.push_back(uses[place]);
    alike[key].push_back(&unit);
  }
  for (const auto &[key, members] : alike)
    for (size_t role = 0; role < key.roles.size(); ++role) {
      for (const Unit *unit : members)
        bundleOf[unit->roles[role]] = bundles.size();
      bundles.push_back(llvm::map_to_vector(
          members, [&](const Unit *unit) { return unit->roles[role]; }));
    }
}

llvm::MapVector<std::pair<unsigned, WindowAttr>, Bundler::Bound>
Bundler::findBindings(flow::DispatchOp kernel) const {
  llvm::MapVector<std::pair<unsigned, WindowAttr>, Bound> bindings;
  auto boundWith = [&](Value value) -> Bound & {
    std::optional<Place> place = placeOf(value);
    return place ? bindings[{bundleOf.lookup(*place), {}}]
                 : bindings[{~0u, homes.lookup(value)}];
  };
  for (auto [number, input] : llvm::enumerate(kernel.getInputs()))
    boundWith(input).operands.push_back(number);
  for (Value output : kernel.getOutputs())
    boundWith(output).stays = true;
  return bindings;
}

bool Bundler::copyOperands(flow::DispatchOp kernel, uint64_t most,
                           uint64_t scratch) const {
  auto bindings = findBindings(kernel);
  if (bindings.size() + scratch <= most)
    return false;
  SmallVector<const Bound *> copied;
  for (const auto &[key, bound] : bindings)
    if (!bound.stays)
      copied.push_back(&bound);
  llvm::stable_sort(copied, [](const Bound *a, const Bound *b) {
    return a->operands.size() < b->operands.size();
  });
  // All copies are one more binding.
  uint64_t needed = bindings.size() + scratch + 1 - most;
  copied.resize(std::min<uint64_t>(needed, copied.size()));
  if (copied.size() < 2)
    return false;
  OpBuilder b(kernel);
  llvm::DenseMap<Value, Value> copies;
  for (const Bound *bound : copied)
    for (unsigned number : bound->operands) {
      Value source = kernel.getInputs()[number];
      Value &copy = copies[source];
      if (!copy)
        copy =
            flow::CopyOp::create(b, kernel.getLoc(), source.getType(), source,
                                 kernel.getStages(), ArrayAttr(), ArrayAttr());
      kernel.getInputsMutable()[number].assign(copy);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

SmallVector<Operation *> Bundler::orderSymbols() const {
  llvm::SetVector<Operation *> order;
  for (auto [number, symbol] : llvm::enumerate(symbols)) {
    if (auto bundle = bundleOf.find(number); bundle != bundleOf.end())
      for (Place place : bundles[bundle->second])
        order.insert(symbols[place]);
    order.insert(symbol);
  }
  return order.takeVector();
}

SmallVector<Bundle> Bundler::getRangeBundles() const {
  SmallVector<Bundle> ranges;
  for (ArrayRef<Place> bundle : bundles)
    if (bundle.size() > 1 && bundle.front() >= symbols.size())
      ranges.push_back(llvm::map_to_vector(bundle, [&](Place place) {
        return static_cast<unsigned>(place - symbols.size());
      }));
  return ranges;
}

//===----------------------------------------------------------------------===//
// Live ranges
//===----------------------------------------------------------------------===//

Packing gpuvm::packBundles(ArrayRef<LiveRange> ranges, ArrayRef<Bundle> bundles,
                           ArrayRef<unsigned> steps) {
  llvm::DenseMap<unsigned, const Bundle *> bundleOf;
  for (const Bundle &bundle : bundles)
    for (unsigned member : bundle)
      bundleOf[member] = &bundle;
  SmallVector<LiveRange> joined;
  llvm::DenseMap<const Bundle *, unsigned> joinedAs;
  SmallVector<std::pair<unsigned, uint64_t>> places; // Range joined, offset.
  for (auto [i, range] : llvm::enumerate(ranges)) {
    const Bundle *bundle = bundleOf.lookup(i);
    auto [entry, isNew] = joinedAs.try_emplace(bundle, joined.size());
    if (!bundle || isNew) {
      places.push_back({joined.size(), 0});
      joined.push_back(range);
      continue;
    }
    LiveRange &all = joined[entry->second];
    places.push_back({entry->second, all.bytes});
    all = {all.bytes + range.bytes, std::min(all.first, range.first),
           std::max(all.last, range.last)};
  }
  Packing packing = packWindows(joined, steps);
  SmallVector<uint64_t> offsets;
  for (auto [range, offset] : places)
    offsets.push_back(packing.offsets[range] + offset);
  return {std::move(offsets), packing.bytes};
}
