//===- KernelGroups.cpp - grouping of operations into kernels -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/KernelGroups.h"

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/analysis/Bindings.h"
#include "passes/fusion/LoopNest.h"
#include "passes/fusion/VirtualOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> loopsOf(Operation *op) {
  if (auto root = dyn_cast<RootOpInterface>(op))
    return root.getEpilogueShape().value_or(SmallVector<int64_t>());
  return cast<linalg::GenericOp>(op).getStaticLoopRanges();
}

//===----------------------------------------------------------------------===//
// The grouper
//===----------------------------------------------------------------------===//

namespace {

class Grouper {
public:
  Grouper(ArrayRef<Operation *> ops, const ResolveFn &resolve,
          function_ref<bool(Operation *, Operation *)> mayShare,
          const GroupingLimits &limits);
  Grouping run();
  SmallVector<Operation *> findCrowdedMoves() const;

private:
  using GroupId = unsigned;
  void readThroughVirtualOps();
  void mergeVertically();
  void mergeHorizontally();
  bool tryMerge(GroupId a, GroupId b);
  bool fitsLoops(ArrayRef<Operation *> members) const;
  bool fitsRoot(ArrayRef<Operation *> members) const;
  Refusal checkLimits(ArrayRef<Operation *> members) const;
  Refusal whyNot(GroupId a, GroupId b, ArrayRef<Operation *> merged) const;
  unsigned countBoundWindows(ArrayRef<Operation *> members) const;
  bool needsWindow(Value result,
                   const llvm::DenseSet<Operation *> &members) const;
  bool leavesAndReturns(GroupId a, GroupId b) const;
  ArrayRef<Operation *> findSurroundings(GroupId a, GroupId b) const;
  SmallVector<SourceRead> followVirtualOps(Operation *op) const;
  std::optional<GroupId> groupOfValue(Value value) const;
  const OpFacts &factsOf(Operation *op) const { return facts.find(op)->second; }

  ArrayRef<Operation *> ops;
  ResolveFn resolve;
  function_ref<bool(Operation *, Operation *)> mayShare;
  GroupingLimits limits;
  OpFactsMap facts;
  llvm::DenseMap<Value, SmallVector<Operation *>> readersOf;
  llvm::DenseSet<Operation *> virtualOps;
  llvm::DenseMap<Operation *, GroupId> groupOf;
  llvm::MapVector<GroupId, SmallVector<Operation *>> members;
  Refusal refusal;
};

} // namespace

Grouper::Grouper(ArrayRef<Operation *> ops, const ResolveFn &resolve,
                 function_ref<bool(Operation *, Operation *)> mayShare,
                 const GroupingLimits &limits)
    : ops(ops), resolve(resolve), mayShare(mayShare), limits(limits) {
  for (auto [i, op] : llvm::enumerate(ops)) {
    OpFacts &own = facts[op];
    own.number = i;
    own.reads = getReads(op, resolve);
    own.loops = loopsOf(op);
    own.cost = costOf(op);
    own.mayLoop = hasLoops(op);
    for (const SourceRead &read : own.reads)
      readersOf[read.source].push_back(op);
  }
}

std::optional<Grouper::GroupId> Grouper::groupOfValue(Value value) const {
  Operation *op = value.getDefiningOp();
  auto entry = op ? groupOf.find(op) : groupOf.end();
  return entry == groupOf.end() ? std::nullopt
                                : std::optional<GroupId>(entry->second);
}

SmallVector<SourceRead> Grouper::followVirtualOps(Operation *op) const {
  SmallVector<SourceRead> result;
  SmallVector<SourceRead> pending(factsOf(op).reads);
  llvm::DenseSet<std::tuple<Value, unsigned, AffineMap>> followed;
  while (!pending.empty()) {
    SourceRead read = pending.pop_back_val();
    Operation *source = read.source.getDefiningOp();
    if (!source || !virtualOps.contains(source)) {
      result.push_back(read);
      continue;
    }
    if (!followed.insert({read.source, read.direct, read.map}).second)
      continue;
    bool reduces = isReduction(source);
    for (SourceRead inner : factsOf(source).reads) {
      AffineMap map = read.map && inner.map && !reduces
                          ? inner.map.compose(read.map)
                          : AffineMap();
      pending.push_back(
          {inner.source, read.direct && inner.direct && !reduces, map});
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// What may be merged
//===----------------------------------------------------------------------===//

/// Whether a result is read outside of a kernel that holds `members`.
bool Grouper::needsWindow(Value result,
                          const llvm::DenseSet<Operation *> &members) const {
  auto readers = readersOf.find(result);
  if (readers != readersOf.end() &&
      llvm::any_of(readers->second,
                   [&](Operation *op) { return !members.contains(op); }))
    return true;
  return llvm::any_of(result.getUsers(), [](Operation *user) {
    if (isa<SendOp>(user)) // A stage that receives it is among the readers.
      return llvm::any_of(user->getParentOp()->getUsers(),
                          [](Operation *u) { return !isa<StageOp>(u); });
    return isa<StoreOp, InvokeOp, ReturnOp>(user);
  });
}

/// Whether `op` alone reads what a symbol holds, and stores to it: one window.
static bool isStoredOver(Operation *op, const SourceRead &read) {
  auto load = read.source.getDefiningOp<LoadOp>();
  if (!load || !read.direct || !read.source.hasOneUse())
    return false;
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    auto store = dyn_cast<StoreOp>(user);
    return store && store.getSymbol() == load.getSymbol() &&
           store.getValue().getType() == load.getType();
  });
}

unsigned Grouper::countBoundWindows(ArrayRef<Operation *> ops) const {
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end());
  llvm::DenseSet<Value> inputs;
  unsigned windows = 0;
  auto addWindows = [&](Value value) {
    windows += countWindows(cast<RankedTensorType>(value.getType()),
                            limits.maxWindowBytes);
  };
  for (Operation *op : ops) {
    for (const SourceRead &read : factsOf(op).readsThroughVirtual)
      if (!read.isUpdated && !isStoredOver(op, read) && // Results lie there.
          !all.contains(read.source.getDefiningOp()))
        if (inputs.insert(read.source).second)
          addWindows(read.source);
    for (Value result : op->getResults())
      if (needsWindow(result, all))
        addWindows(result);
  }
  return windows;
}

Refusal Grouper::checkLimits(ArrayRef<Operation *> ops) const {
  int64_t operations = 0, most = 0;
  bool isMap = true; // The others write out what they take several times.
  for (Operation *op : ops) {
    int64_t cost = factsOf(op).cost;
    operations += cost;
    most = std::max(most, cost);
    isMap &= !isReduction(op) && !isa<RootOpInterface>(op);
  }
  bool fitsBeside = isMap && operations - most <= limits.besides;
  if (operations > limits.operations && !fitsBeside)
    return {Refusal::Limit::Operations, operations, limits.operations};
  if (unsigned windows = countBoundWindows(ops); windows > limits.windows)
    return {Refusal::Limit::Windows, windows, limits.windows};
  return {};
}

/// The least range of operations that holds both groups and all of each group
/// in it. A path that leaves it does not come back: operations read what stands
/// before them.
ArrayRef<Operation *> Grouper::findSurroundings(GroupId a, GroupId b) const {
  auto firstOf = [&](ArrayRef<Operation *> group) {
    return factsOf(group.front()).number;
  };
  auto lastOf = [&](ArrayRef<Operation *> group) {
    return factsOf(group.back()).number;
  };
  ArrayRef<Operation *> own = members.find(a)->second,
                        other = members.find(b)->second;
  size_t first = std::min(firstOf(own), firstOf(other));
  size_t last = std::max(lastOf(own), lastOf(other));
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[id, group] : members) {
      size_t begin = firstOf(group), end = lastOf(group);
      bool isOutside = end < first || begin > last;
      if (isOutside || (begin >= first && end <= last))
        continue;
      first = std::min(first, begin);
      last = std::max(last, end);
      changed = true;
    }
  }
  return ops.slice(first, last - first + 1);
}

/// Whether a path leads from one of the groups through others back to them.
bool Grouper::leavesAndReturns(GroupId a, GroupId b) const {
  llvm::DenseSet<GroupId> reached; // Groups that depend on a or b, others only.
  auto inside = [&](GroupId g) { return g == a || g == b; };
  // Program order is a topological order of the operations, but not of the
  // groups, so iterate until nothing changes.
  ArrayRef<Operation *> around = findSurroundings(a, b);
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : around) {
      auto own = groupOf.find(op);
      if (own == groupOf.end() || reached.contains(own->second))
        continue;
      for (const SourceRead &read : factsOf(op).readsThroughVirtual) {
        std::optional<GroupId> source = groupOfValue(read.source);
        if (!source || *source == own->second)
          continue;
        bool fromOther = reached.contains(*source);
        if (inside(own->second) && fromOther)
          return true;
        if (!inside(own->second) && (inside(*source) || fromOther)) {
          reached.insert(own->second);
          changed = true;
          break;
        }
      }
    }
  }
  return false;
}

/// Whether `ops` can be computed at the index of the results of a root among
/// them.
bool Grouper::fitsRoot(ArrayRef<Operation *> ops) const {
  Operation *root = *llvm::find_if(ops, llvm::IsaPred<RootOpInterface>);
  if (factsOf(root).loops.empty())
    return false;
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end());
  return llvm::all_of(ops, [&](Operation *op) {
    bool isElementwise = isa<linalg::GenericOp>(op) && !isReduction(op) &&
                         factsOf(op).loops == factsOf(root).loops;
    return (op == root || isElementwise) &&
           llvm::all_of(factsOf(op).readsThroughVirtual,
                        [&](const SourceRead &read) {
                          return read.direct ||
                                 !all.contains(read.source.getDefiningOp());
                        });
  });
}

bool Grouper::fitsLoops(ArrayRef<Operation *> ops) const {
  if (llvm::any_of(ops, llvm::IsaPred<RootOpInterface>))
    return fitsRoot(ops);
  return fitsOneLoopNest(
      llvm::map_to_vector(
          ops, [](Operation *op) { return cast<linalg::GenericOp>(op); }),
      facts);
}

/// Why two groups that may share a kernel cannot; `merged` are both.
Refusal Grouper::whyNot(GroupId a, GroupId b,
                        ArrayRef<Operation *> merged) const {
  // A reduction or a root writes out what it takes several times, or computes
  // it again.
  auto isOther = [](Operation *op) {
    return isReduction(op) || isa<RootOpInterface>(op);
  };
  auto mayLoop = [&](Operation *op) { return factsOf(op).mayLoop; };
  if (llvm::any_of(merged, mayLoop) && llvm::any_of(merged, isOther))
    return {Refusal::Limit::Loops};
  if (Refusal found = checkLimits(merged); found.kind != Refusal::Limit::None)
    return found;
  if (!fitsLoops(merged))
    return {Refusal::Limit::Elements};
  if (leavesAndReturns(a, b))
    return {Refusal::Limit::Order};
  return {};
}

bool Grouper::tryMerge(GroupId a, GroupId b) {
  if (a == b)
    return false;
  SmallVector<Operation *> merged(members[a]);
  llvm::append_range(merged, members[b]);
  llvm::sort(merged, [&](Operation *x, Operation *y) {
    return factsOf(x).number < factsOf(y).number;
  });
  for (Operation *x : members[a])
    for (Operation *y : members[b])
      if (!mayShare(x, y))
        return false;
  Refusal found = whyNot(a, b, merged);
  if (found.kind != Refusal::Limit::None) {
    if (members[a].front()->getBlock() != members[b].front()->getBlock())
      refusal = found;
    return false;
  }
  for (Operation *op : members[b])
    groupOf[op] = a;
  members[a] = merged;
  members.erase(b);
  return true;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

void Grouper::mergeVertically() {
  for (Operation *op : ops) {
    if (virtualOps.contains(op) || isa<RootOpInterface>(op))
      continue;
    for (const SourceRead &read : factsOf(op).readsThroughVirtual)
      if (std::optional<GroupId> source = groupOfValue(read.source))
        tryMerge(*source, groupOf.lookup(op));
  }
}

void Grouper::mergeHorizontally() {
  SmallVector<GroupId> ids;
  for (auto &[id, group] : members)
    if (llvm::none_of(group, llvm::IsaPred<RootOpInterface>))
      ids.push_back(id);
  // Bounded: a group tries only its nearest neighbours.
  constexpr size_t kNeighbours = 16;
  for (size_t i = 0; i < ids.size(); ++i)
    for (size_t j = i + 1; j < std::min(ids.size(), i + kNeighbours); ++j)
      if (members.contains(ids[i]) && members.contains(ids[j]))
        tryMerge(ids[i], ids[j]);
}

/// What one operation computes again may in the end read more windows than a
/// kernel can have: then it reads what it would compute.
void Grouper::readThroughVirtualOps() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : ops)
      facts[op].readsThroughVirtual = followVirtualOps(op);
    for (Operation *op : ops)
      if (!virtualOps.contains(op) && countBoundWindows(op) > limits.windows)
        for (const SourceRead &read : factsOf(op).reads)
          if (Operation *source = read.source.getDefiningOp())
            changed |= virtualOps.erase(source);
  }
}

SmallVector<Operation *> Grouper::findCrowdedMoves() const {
  return findVirtualOps(ops, facts, resolve, mayShare, limits).crowdedMoves;
}

Grouping Grouper::run() {
  virtualOps = findVirtualOps(ops, facts, resolve, mayShare, limits).ops;
  readThroughVirtualOps();
  for (Operation *op : ops) {
    if (virtualOps.contains(op))
      continue;
    groupOf[op] = factsOf(op).number;
    members[factsOf(op).number] = {op};
  }
  mergeVertically();
  Grouping grouping;
  grouping.virtualOps = virtualOps;
  grouping.refusal = refusal; // Of those merged vertically.
  mergeHorizontally();
  for (auto &[id, group] : members) {
    Root root = Root::map;
    for (Operation *op : group)
      if (auto own = dyn_cast<RootOpInterface>(op))
        root = own.getRoot();
      else if (isReduction(op))
        root = Root::reduce;
    grouping.groups.push_back({group, root});
  }
  return grouping;
}

std::string gpuvm::toText(const Refusal &refusal) {
  switch (refusal.kind) {
  case Refusal::Limit::None:
    return "";
  case Refusal::Limit::Operations:
    return llvm::formatv("it would have {0} scalar operations for each element "
                         "(at most {1})",
                         refusal.value, refusal.limit);
  case Refusal::Limit::Windows:
    return llvm::formatv("it would have {0} windows (at most {1})",
                         refusal.value, refusal.limit);
  case Refusal::Limit::Loops:
    return "a body with loops stands in no kernel of a reduction";
  case Refusal::Limit::Elements:
    return "they do not walk the same elements in the same order";
  case Refusal::Limit::Order:
    return "another kernel has to run between them";
  }
  llvm_unreachable("an unknown limit");
}

Grouping gpuvm::groupOps(ArrayRef<Operation *> ops, const ResolveFn &resolve,
                         function_ref<bool(Operation *, Operation *)> mayShare,
                         const GroupingLimits &limits) {
  return Grouper(ops, resolve, mayShare, limits).run();
}

SmallVector<Operation *>
gpuvm::findCrowdedMoves(ArrayRef<Operation *> ops, const ResolveFn &resolve,
                        function_ref<bool(Operation *, Operation *)> mayShare,
                        const GroupingLimits &limits) {
  return Grouper(ops, resolve, mayShare, limits).findCrowdedMoves();
}
