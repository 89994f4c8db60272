//===- KernelGroups.cpp - which operations make up one kernel -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/KernelGroups.h"

#include "dialects/gpuvm/Reduction.h"
#include "kernels/Bindings.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

/// What the grouper asks again and again about an operation.
struct OpFacts {
  unsigned number = 0;
  SmallVector<SourceRead> reads;
  SmallVector<SourceRead> readsThroughVirtual;
  SmallVector<int64_t> loops;
};

class Grouper {
public:
  Grouper(ArrayRef<linalg::GenericOp> ops, const ResolveFn &resolve,
          function_ref<bool(Operation *, Operation *)> mayShare,
          const GroupingLimits &limits);
  Grouping run();

private:
  using GroupId = unsigned;

  void findVirtualOps();
  void mergeVertically();
  void mergeHorizontally();
  bool tryMerge(GroupId a, GroupId b);
  bool fitsOneLoopNest(ArrayRef<linalg::GenericOp> members) const;
  llvm::DenseSet<Operation *>
  readForEpilogue(ArrayRef<linalg::GenericOp> ops) const;
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
  llvm::DenseMap<Operation *, OpFacts> facts;
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

/// Elementwise, cheap, read only by operations of this grouping or attention,
/// and by at least one of them at other indices.
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
    if (entry == readers.end() || entry->second.second ||
        entry->second.first >= (~0u >> 1))
      continue;
    if (op.getNumReductionLoops() == 0 && cost(op) <= limits.recompute &&
        !escapes(op))
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
    for (SourceRead inner : factsOf(source).reads) {
      AffineMap map =
          read.map && inner.map ? inner.map.compose(read.map) : AffineMap();
      pending.push_back({inner.source, read.direct && inner.direct, map});
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// What may be merged
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> resultShape(linalg::GenericOp op) {
  return llvm::to_vector(
      cast<RankedTensorType>(op->getResult(0).getType()).getShape());
}

/// Whether `op` can be done in the order of `lead`, over the same loops.
static bool canFollow(linalg::GenericOp op, linalg::GenericOp lead) {
  ReductionOrder own = getReductionOrder(op), order = getReductionOrder(lead);
  auto tileOf = [](linalg::GenericOp of) {
    return getTileLoops(of).value_or(TileLoops{0, 0});
  };
  if (order.tiled && tileOf(op) != tileOf(lead))
    return false;
  if (own.sequential || order.sequential)
    return own.sequential == order.sequential && own.tiled == order.tiled;
  if (own.columns || order.columns)
    return own.columns == order.columns;
  return (own.elementsPerLane == order.elementsPerLane &&
          own.rowsPerGroup == order.rowsPerGroup) ||
         !hasVisibleOrder(op);
}

/// Whether nobody else has elements of a result of `reduction`.
static bool hasWholeRows(linalg::GenericOp reduction) {
  ReductionOrder order = getReductionOrder(reduction);
  return !order.tiled && (order.sequential || order.parts == 1);
}

/// Which of `ops` are read, directly or through others, where a result of a
/// reduction is read, too.
llvm::DenseSet<Operation *>
Grouper::readForEpilogue(ArrayRef<linalg::GenericOp> ops) const {
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end()), behind, read;
  auto reduces = [](linalg::GenericOp op) {
    return op.getNumReductionLoops() != 0;
  };
  auto readsResult = [&](linalg::GenericOp op) {
    return llvm::any_of(factsOf(op).readsThroughVirtual,
                        [&](const SourceRead &r) {
                          return behind.contains(r.source.getDefiningOp());
                        });
  };
  for (linalg::GenericOp op : ops)
    if (reduces(op) || readsResult(op))
      behind.insert(op);
  for (linalg::GenericOp op : llvm::reverse(ops))
    if (!reduces(op) && (behind.contains(op) || read.contains(op)))
      for (const SourceRead &r : factsOf(op).readsThroughVirtual)
        if (Operation *source = r.source.getDefiningOp();
            source && all.contains(source) && !behind.contains(source))
          read.insert(source);
  return read;
}

/// The members walk one index space: the loops of the reductions if there are
/// any. An operation whose loops are those of the results instead is epilogue:
/// it must read a reduction, directly or through other epilogue, or be read by
/// epilogue.
bool Grouper::fitsOneLoopNest(ArrayRef<linalg::GenericOp> ops) const {
  SmallVector<linalg::GenericOp> reductions;
  for (linalg::GenericOp op : ops)
    if (op.getNumReductionLoops() != 0)
      reductions.push_back(op);
  linalg::GenericOp lead =
      reductions.empty() ? ops.front() : getLeadReduction(reductions);
  ArrayRef<int64_t> loops = factsOf(lead).loops;
  bool tiled = !reductions.empty() && getReductionOrder(lead).tiled;
  AffineMap resultMap = lead.getMatchingIndexingMap(lead.getDpsInitOperand(0));
  llvm::DenseSet<Operation *> all, epilogue;
  for (linalg::GenericOp op : ops)
    all.insert(op);
  llvm::DenseSet<Operation *> read = readForEpilogue(ops);
  for (linalg::GenericOp op : ops) {
    bool readsResult = false, readsLoops = false;
    bool sameLoops = factsOf(op).loops == loops;
    for (const SourceRead &read : factsOf(op).readsThroughVirtual) {
      Operation *source = read.source.getDefiningOp();
      if (!source || !all.contains(source))
        continue;
      bool isResult =
          epilogue.contains(source) ||
          cast<linalg::GenericOp>(source).getNumReductionLoops() != 0;
      if (isResult && sameLoops) {
        if (read.map != resultMap || !hasWholeRows(lead))
          return false;
        continue;
      }
      if (!read.direct)
        return false;
      (isResult ? readsResult : readsLoops) = true;
    }
    if (op.getNumReductionLoops() != 0) {
      bool sameOrder =
          op.getIteratorTypesArray() == lead.getIteratorTypesArray() &&
          op.getMatchingIndexingMap(op.getDpsInitOperand(0)) ==
              lead.getMatchingIndexingMap(lead.getDpsInitOperand(0)) &&
          canFollow(op, lead);
      if (!sameLoops || !sameOrder || readsResult)
        return false;
    } else if (readsResult || (!sameLoops && read.contains(op))) {
      bool overResults = factsOf(op).loops == resultShape(lead);
      if (!overResults || readsLoops)
        return false;
      epilogue.insert(op);
    } else if (!sameLoops || tiled) { // Tiles have no place for by-products.
      return false;
    }
  }
  return true;
}

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
  if (!fitsLimits(merged) || !fitsOneLoopNest(merged) || leavesAndReturns(a, b))
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
