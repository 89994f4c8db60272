//===- KernelGroups.cpp - which operations make up one kernel -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/KernelGroups.h"

#include "dialects/gpuvm/Reduction.h"
#include "kernels/Bindings.h"
#include "kernels/InnerReduction.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/LoopNest.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

SmallVector<SourceRead> gpuvm::getReads(linalg::GenericOp op,
                                        const ResolveFn &resolve) {
  SmallVector<SourceRead> reads;
  bool reduces = op.getNumReductionLoops() != 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.getMatchingBlockArgument(&operand).use_empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool direct = map.isIdentity() && !(reduces && op.isDpsInit(&operand));
    SmallVector<SourceRead> pending = {{resolve(operand.get()), direct, map}};
    while (!pending.empty()) {
      SourceRead read = pending.pop_back_val();
      Operation *def = read.source.getDefiningOp();
      if (!def || !isMadeWhereRead(def)) {
        reads.push_back(read);
        continue;
      }
      for (Value source : llvm::reverse(def->getOperands()))
        pending.push_back({resolve(source), false, AffineMap()});
    }
  }
  return reads;
}

static unsigned cost(linalg::GenericOp op) {
  return op.getBody()->getOperations().size() - 1;
}

//===----------------------------------------------------------------------===//
// The grouper
//===----------------------------------------------------------------------===//

namespace {

class Grouper {
public:
  Grouper(ArrayRef<linalg::GenericOp> ops, const ResolveFn &resolve,
          function_ref<bool(Operation *, Operation *)> mayShare,
          const GroupingLimits &limits);
  Grouping run();

private:
  using GroupId = unsigned;

  bool isReducedLater(linalg::GenericOp op) const;
  bool isInnerReduction(linalg::GenericOp op) const;
  bool feedsInnerReduction(linalg::GenericOp op) const;
  void findVirtualOps();
  void mergeVertically();
  void mergeHorizontally();
  bool tryMerge(GroupId a, GroupId b);
  bool fitsLimits(ArrayRef<linalg::GenericOp> members) const;
  bool needsWindow(Value result,
                   const llvm::DenseSet<Operation *> &members) const;
  bool leavesAndReturns(GroupId a, GroupId b) const;
  SmallVector<SourceRead> followVirtualOps(linalg::GenericOp op) const;
  std::optional<GroupId> groupOfValue(Value value) const;
  const OpFacts &factsOf(Operation *op) const { return facts.find(op)->second; }

  ArrayRef<linalg::GenericOp> ops;
  ResolveFn resolve;
  function_ref<bool(Operation *, Operation *)> mayShare;
  GroupingLimits limits;
  OpFactsMap facts;
  llvm::DenseMap<Value, SmallVector<Operation *>> readersOf;
  llvm::DenseSet<Operation *> virtualOps;
  llvm::DenseMap<Operation *, GroupId> groupOf;
  llvm::MapVector<GroupId, SmallVector<linalg::GenericOp>> members;
};

} // namespace

Grouper::Grouper(ArrayRef<linalg::GenericOp> ops, const ResolveFn &resolve,
                 function_ref<bool(Operation *, Operation *)> mayShare,
                 const GroupingLimits &limits)
    : ops(ops), resolve(resolve), mayShare(mayShare), limits(limits) {
  for (auto [i, op] : llvm::enumerate(ops)) {
    OpFacts &own = facts[op];
    own.number = i;
    own.reads = getReads(op, resolve);
    own.loops = linalg::GenericOp(op).getStaticLoopRanges();
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

/// The operations of attention that read a result of `op`, directly or moved.
static SmallVector<Operation *> attentionReaders(Operation *op) {
  SmallVector<Operation *> found, pending(op->getUsers());
  while (!pending.empty()) {
    Operation *user = pending.pop_back_val();
    if (isa<AttentionOp>(user))
      found.push_back(user);
    else if (movesElements(user))
      llvm::append_range(pending, user->getUsers());
  }
  return found;
}

/// Whether what `op` makes ends, each element once, in a reduction.
bool Grouper::isReducedLater(linalg::GenericOp op) const {
  auto readers = readersOf.find(op->getResult(0));
  if (op->getNumResults() != 1 || readers == readersOf.end() ||
      readers->second.size() != 1)
    return false;
  auto reader = cast<linalg::GenericOp>(readers->second.front());
  auto made = cast<RankedTensorType>(op->getResult(0).getType());
  if (llvm::product_of(reader.getStaticLoopRanges()) != made.getNumElements())
    return false;
  return isReduction(reader) || isReducedLater(reader);
}

/// Whether `op` takes few neighbouring bytes for each result, in an order that
/// a lane keeps or that nobody sees, and a reduction takes these results.
bool Grouper::isInnerReduction(linalg::GenericOp op) const {
  constexpr uint64_t kMaxBytes = 64;
  constexpr unsigned kMaxReduced = 64;
  if (!isReduction(op) || op->hasAttr(kInstancesAttr))
    return false;
  ReductionOrder order = getReductionOrder(op);
  if (order.tiled || (!order.sequential && hasVisibleOrder(op)))
    return false;
  uint64_t widest = 1;
  for (OpOperand *input : op.getDpsInputOperands())
    widest = std::max(
        widest, elementBytes(getElementTypeOrSelf(input->get().getType())));
  uint64_t reduced = countReduced(op);
  return reduced <= kMaxReduced && reduced * widest <= kMaxBytes &&
         isReducedLater(op);
}

/// Whether an inner reduction reads what `op` makes again and again: then it
/// had better be in memory.
bool Grouper::feedsInnerReduction(linalg::GenericOp op) const {
  auto readers = readersOf.find(op->getResult(0));
  return readers != readersOf.end() &&
         llvm::any_of(readers->second, [&](Operation *reader) {
           auto made = cast<RankedTensorType>(op->getResult(0).getType());
           auto generic = cast<linalg::GenericOp>(reader);
           return llvm::product_of(generic.getStaticLoopRanges()) >
                      made.getNumElements() &&
                  isInnerReduction(generic);
         });
}

/// Cheap, read only by operations of this grouping or attention: elementwise
/// and read by at least one of them at other indices, or an inner reduction.
void Grouper::findVirtualOps() {
  llvm::DenseMap<Operation *, std::pair<unsigned, bool>> readers;
  for (linalg::GenericOp op : ops)
    for (const SourceRead &read : factsOf(op).reads)
      if (Operation *source = read.source.getDefiningOp()) {
        auto &[count, direct] =
            readers.try_emplace(source, 0, true).first->second;
        bool shared = mayShare(source, op);
        ++count;
        direct &= read.direct && shared;
        if (!shared)
          count = ~0u >> 1; // Somebody needs it in memory.
      }
  for (linalg::GenericOp op : ops)
    for (Operation *attention : attentionReaders(op)) {
      auto &[count, direct] = readers.try_emplace(op, 0, true).first->second;
      ++count;
      direct = false;
      if (!mayShare(op, attention))
        count = ~0u >> 1;
    }
  auto escapes = [](linalg::GenericOp op) {
    return llvm::any_of(op->getUsers(), [](Operation *user) {
      return !isa<linalg::GenericOp, AttentionOp>(user) && !movesElements(user);
    });
  };
  for (linalg::GenericOp op : ops) {
    auto entry = readers.find(op);
    if (entry == readers.end() || entry->second.first >= (~0u >> 1) ||
        escapes(op) || cost(op) > limits.recompute)
      continue;
    bool isInner = entry->second.first == 1 && isInnerReduction(op);
    bool isElsewhere = !isReduction(op) && !entry->second.second;
    if (isInner || (isElsewhere && !feedsInnerReduction(op)))
      virtualOps.insert(op);
  }
}

SmallVector<SourceRead> Grouper::followVirtualOps(linalg::GenericOp op) const {
  SmallVector<SourceRead> result;
  SmallVector<SourceRead> pending(factsOf(op).reads);
  while (!pending.empty()) {
    SourceRead read = pending.pop_back_val();
    Operation *source = read.source.getDefiningOp();
    if (!source || !virtualOps.contains(source)) {
      result.push_back(read);
      continue;
    }
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
    return isa<AttentionOp, StoreOp, InvokeOp, ReturnOp>(user);
  });
}

bool Grouper::fitsLimits(ArrayRef<linalg::GenericOp> ops) const {
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end());
  llvm::DenseSet<Value> inputs;
  unsigned operations = 0, windows = 0;
  auto addWindows = [&](Value value) {
    windows += countWindows(cast<RankedTensorType>(value.getType()),
                            limits.maxWindowBytes);
  };
  for (linalg::GenericOp op : ops) {
    operations += cost(op);
    for (const SourceRead &read : factsOf(op).readsThroughVirtual)
      if (!read.source.getDefiningOp() ||
          !all.contains(read.source.getDefiningOp()))
        if (inputs.insert(read.source).second)
          addWindows(read.source);
    for (Value result : op->getResults())
      if (needsWindow(result, all))
        addWindows(result);
  }
  return operations <= limits.operations && windows <= limits.windows;
}

/// Whether a path leads from one of the groups through others back to them.
bool Grouper::leavesAndReturns(GroupId a, GroupId b) const {
  llvm::DenseSet<GroupId> reached; // Groups that depend on a or b, others only.
  auto inside = [&](GroupId g) { return g == a || g == b; };
  // Program order is a topological order of the operations, but not of the
  // groups, so iterate until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (linalg::GenericOp op : ops) {
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

bool Grouper::tryMerge(GroupId a, GroupId b) {
  if (a == b)
    return false;
  SmallVector<linalg::GenericOp> merged(members[a]);
  llvm::append_range(merged, members[b]);
  llvm::sort(merged, [&](linalg::GenericOp x, linalg::GenericOp y) {
    return factsOf(x).number < factsOf(y).number;
  });
  for (linalg::GenericOp x : members[a])
    for (linalg::GenericOp y : members[b])
      if (!mayShare(x, y))
        return false;
  if (!fitsLimits(merged) || !fitsOneLoopNest(merged, facts) ||
      leavesAndReturns(a, b))
    return false;
  for (linalg::GenericOp op : members[b])
    groupOf[op] = a;
  members[a] = merged;
  members.erase(b);
  return true;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

void Grouper::mergeVertically() {
  for (linalg::GenericOp op : ops) {
    if (virtualOps.contains(op))
      continue;
    for (const SourceRead &read : factsOf(op).readsThroughVirtual)
      if (std::optional<GroupId> source = groupOfValue(read.source))
        tryMerge(*source, groupOf.lookup(op));
  }
}

void Grouper::mergeHorizontally() {
  SmallVector<GroupId> ids;
  for (auto &[id, group] : members)
    ids.push_back(id);
  // Bounded: a group tries only its nearest neighbours.
  constexpr size_t kNeighbours = 16;
  for (size_t i = 0; i < ids.size(); ++i)
    for (size_t j = i + 1; j < std::min(ids.size(), i + kNeighbours); ++j)
      if (members.contains(ids[i]) && members.contains(ids[j]))
        tryMerge(ids[i], ids[j]);
}

Grouping Grouper::run() {
  findVirtualOps();
  for (linalg::GenericOp op : ops) {
    OpFacts &own = facts[op];
    own.readsThroughVirtual = followVirtualOps(op);
    if (!virtualOps.contains(op)) {
      groupOf[op] = own.number;
      members[own.number] = {op};
    }
  }
  mergeVertically();
  mergeHorizontally();
  Grouping grouping;
  grouping.virtualOps = virtualOps;
  for (auto &[id, group] : members) {
    bool reduces = llvm::any_of(group, [](linalg::GenericOp op) {
      return op.getNumReductionLoops() != 0;
    });
    grouping.groups.push_back({group, reduces});
  }
  return grouping;
}

Grouping gpuvm::groupOps(ArrayRef<linalg::GenericOp> ops,
                         const ResolveFn &resolve,
                         function_ref<bool(Operation *, Operation *)> mayShare,
                         const GroupingLimits &limits) {
  return Grouper(ops, resolve, mayShare, limits).run();
}
