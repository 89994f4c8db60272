//===- KernelGroups.cpp - grouping of operations into kernels -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/KernelGroups.h"

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/analysis/Alternative.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/analysis/Reach.h"
#include "kernels/chain/StepKernels.h"
#include "kernels/map/HaloTile.h"
#include "kernels/spirv/ExpandOps.h"
#include "passes/analysis/FreeValues.h"
#include "passes/fusion/ChainCost.h"
#include "passes/fusion/LoopNest.h"
#include "passes/fusion/VirtualOps.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

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

/// A symbol, or an iteration value of a loop; both null: neither.
using Home = std::pair<Attribute, Value>;

class Grouper {
public:
  Grouper(ArrayRef<Operation *> ops, const ResolveFn &resolve,
          function_ref<bool(Operation *, Operation *)> mayShare,
          const GroupingLimits &limits);
  Grouping run(ArrayRef<KernelGroup> known);
  SmallVector<Operation *> findCrowdedMoves() const;

private:
  using GroupId = unsigned;
  void readThroughVirtualOps();
  void mergeKnown(ArrayRef<KernelGroup> known);
  void mergeVertically();
  void mergeHorizontally();
  void mergeHalos();
  bool tryMerge(GroupId a, GroupId b);
  bool fitsLoops(ArrayRef<Operation *> members) const;
  bool fitsRoot(ArrayRef<Operation *> members) const;
  llvm::DenseSet<Operation *> findHeld(ArrayRef<Operation *> members) const;
  bool leavesTile(Value result,
                  const llvm::DenseSet<Operation *> &members) const;
  Refusal checkHalo(ArrayRef<Operation *> members);
  Refusal checkLimits(ArrayRef<Operation *> members) const;
  Refusal whyNot(GroupId a, GroupId b, ArrayRef<Operation *> merged);
  unsigned countBoundWindows(ArrayRef<Operation *> members) const;
  SmallVector<Value> findBound(ArrayRef<Operation *> members) const;
  unsigned countBound(ArrayRef<Value> bound) const;
  unsigned countBundles(ArrayRef<Value> bound,
                        const llvm::DenseSet<Operation *> &members) const;
  void findReaders();
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
  /// Those that read it in their kernels.
  llvm::DenseMap<Value, SmallVector<Operation *>> boundBy;
  /// By symbol or iteration value: what loads of all of it give, and the
  /// producers of what is stored to all of it.
  llvm::DenseMap<Home, SmallVector<Value>> loaded;
  llvm::DenseMap<Home, SmallVector<Operation *>> stored;
  llvm::DenseSet<Operation *> virtualOps;
  llvm::DenseMap<Operation *, GroupId> groupOf;
  llvm::MapVector<GroupId, SmallVector<Operation *>> members;
  Refusal refusal;
  bool mayHold = false; ///< Whether groups may hold values for tiles,
  llvm::DenseSet<GroupId> holding; ///< and those that do.
  std::string halo;                ///< Of the last group that does,
  std::string triedHalo;           ///< and of what is tried now.
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
    return isa<StoreOp, InvokeOp, ReturnOp, flow::LoopOp, flow::NextOp,
               flow::ExchangeOp>(user);
  });
}

/// The iteration value that `value` is, was before the loop, is after it, or
/// becomes; null if none.
static BlockArgument getState(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<flow::LoopOp>(argument.getOwner()->getParentOp())
               ? argument
               : BlockArgument();
  if (auto loop = value.getDefiningOp<flow::LoopOp>())
    return loop.getBody().getArgument(cast<OpResult>(value).getResultNumber());
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (isa<flow::NextOp>(user))
      user = user->getParentOp();
    if (auto loop = dyn_cast<flow::LoopOp>(user))
      return loop.getBody().getArgument(number);
    // The last operand may be the status.
    if (isa<SendOp>(user) && number < user->getParentOp()->getNumResults())
      if (BlockArgument state =
              getState(user->getParentOp()->getResult(number)))
        return state;
  }
  return {};
}

/// Whether `op` alone reads what a symbol holds, and stores to it: one window.
/// So is an iteration value that it computes the next one of, or chooses it.
static bool isStoredOver(Operation *op, const SourceRead &read) {
  if (!read.direct)
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  bool isAlone =
      read.source.hasOneUse() || (generic && getAlternative(generic));
  if (isa<BlockArgument>(read.source))
    return isAlone && llvm::any_of(op->getResults(), [&](Value result) {
             return getState(result) == read.source;
           });
  auto load = read.source.getDefiningOp<LoadOp>();
  if (!load || !read.source.hasOneUse())
    return false;
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    auto store = dyn_cast<StoreOp>(user);
    return store && store.getSymbol() == load.getSymbol() &&
           store.getValue().getType() == load.getType();
  });
}

/// The symbol, or the iteration value, that a bound value is in: loaded from
/// it, or stored to it.
static Home homeOf(Value value) {
  if (auto load = value.getDefiningOp<LoadOp>())
    return {load.getOffset() ? Attribute() : load.getSymbolAttr(), Value()};
  for (Operation *user : value.getUsers())
    if (auto store = dyn_cast<StoreOp>(user); store && !store.getOffset())
      return {store.getSymbolAttr(), Value()};
  return {Attribute(), getState(value)};
}

/// The bindings that `bound` of a kernel takes if values share one that all
/// crowded kernels use alike (plan/Bundles.h), as far as those are known.
unsigned
Grouper::countBundles(ArrayRef<Value> bound,
                      const llvm::DenseSet<Operation *> &members) const {
  llvm::DenseMap<GroupId, bool> isCrowded;
  using Sharing = std::map<GroupId, unsigned>; // 1 reads, 2 writes.
  constexpr GroupId kOwn = ~0u;
  auto add = [&](Sharing &sharing, Operation *op, unsigned how) {
    if (members.contains(op)) {
      sharing[kOwn] |= how;
      return;
    }
    auto group = groupOf.find(op);
    if (group == groupOf.end())
      return;
    auto [entry, isNew] = isCrowded.try_emplace(group->second);
    if (isNew)
      entry->second =
          countBound(findBound(this->members.find(group->second)->second)) >
          limits.windows;
    if (entry->second)
      sharing[group->second] |= how;
  };
  auto addReaders = [&](Sharing &sharing, Value value) {
    if (auto readers = boundBy.find(value); readers != boundBy.end())
      for (Operation *reader : readers->second)
        add(sharing, reader, 1);
  };
  std::set<std::pair<unsigned, Sharing>> bundles;
  unsigned alone = 0;
  for (Value value : bound) {
    unsigned windows =
        countWindows(payloadType(value.getType()), limits.maxWindowBytes);
    Home home = homeOf(value);
    if (windows > 1 || (home == Home() && value.getDefiningOp<LoadOp>())) {
      alone += windows;
      continue;
    }
    Sharing sharing;
    unsigned region = kNumRegions;
    if (home == Home()) {
      addReaders(sharing, value);
      add(sharing, value.getDefiningOp(), 2);
    } else {
      auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(home.first);
      region = static_cast<unsigned>(
          symbol ? lookupSymbol(ops.front(), symbol.getValue()).region
                 : gpuvm::Region::registers);
      for (Value load : loaded.lookup(home))
        addReaders(sharing, load);
      for (Operation *maker : stored.lookup(home))
        add(sharing, maker, 2);
    }
    bundles.insert({region, std::move(sharing)});
  }
  return alone + bundles.size();
}

SmallVector<Value> Grouper::findBound(ArrayRef<Operation *> ops) const {
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end());
  llvm::SmallSetVector<Value, 32> bound;
  for (Operation *op : ops) {
    for (const SourceRead &read : factsOf(op).readsThroughVirtual)
      if (!read.isUpdated && !isStoredOver(op, read) && // Results lie there.
          !isFree(read.source) && !all.contains(read.source.getDefiningOp()))
        bound.insert(read.source);
    for (Value result : op->getResults())
      if (needsWindow(result, all))
        bound.insert(result);
  }
  return llvm::to_vector(bound);
}

unsigned Grouper::countBound(ArrayRef<Value> bound) const {
  unsigned windows = 0;
  for (Value value : bound)
    windows +=
        countWindows(payloadType(value.getType()), limits.maxWindowBytes);
  return windows;
}

unsigned Grouper::countBoundWindows(ArrayRef<Operation *> ops) const {
  SmallVector<Value> bound = findBound(ops);
  unsigned windows = countBound(bound);
  return windows <= limits.windows
             ? windows
             : countBundles(bound, {ops.begin(), ops.end()});
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

//===----------------------------------------------------------------------===//
// Tiles with halos
//===----------------------------------------------------------------------===//

/// The elementwise operations that others of `ops` read elsewhere than at their
/// own place.
llvm::DenseSet<Operation *> Grouper::findHeld(ArrayRef<Operation *> ops) const {
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end()), held;
  for (Operation *op : ops)
    for (const SourceRead &read : factsOf(op).readsThroughVirtual)
      if (Operation *source = read.source.getDefiningOp();
          source && !read.direct && all.contains(source))
        held.insert(source);
  return held;
}

/// Results that a chain may hold in the registers of one workgroup: that has no
/// halo, and takes what comes before and after, too.
static constexpr int64_t kMaxChained = 32 * 1024;

namespace {
/// What a value costs that tiles hold, and what that saves.
struct HaloCost {
  double moreUs = 0, savedUs = 0, repeats = 0;
};
} // namespace

static HaloCost estimateHalo(linalg::GenericOp op, int64_t computed,
                             TargetAttr target) {
  int64_t elements = ShapedType::getNumElements(op.getStaticLoopRanges());
  int64_t ops = countExpandedIn(op);
  int64_t read = 0, made = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto type = dyn_cast<RankedTensorType>(input->get().getType()))
      read += tensorBytes(type);
  for (Type type : op->getResultTypes())
    made += tensorBytes(cast<RankedTensorType>(type));
  HaloCost cost;
  cost.repeats = double(computed) / elements;
  double more = cost.repeats - 1;
  cost.moreUs = more * (double(ops) * elements / getOpsPerUs(target) +
                        double(read) / target.getBytesPerUs());
  cost.savedUs = 2.0 * made / target.getBytesPerUs();
  return cost;
}

/// Whether others than `members`, and what these rematerialise, read a result.
bool Grouper::leavesTile(Value result,
                         const llvm::DenseSet<Operation *> &members) const {
  llvm::DenseSet<Operation *> inside = members;
  auto readers = readersOf.find(result);
  if (readers != readersOf.end())
    for (Operation *reader : readers->second)
      if (virtualOps.contains(reader) &&
          llvm::none_of(reader->getResults(),
                        [&](Value made) { return leavesTile(made, members); }))
        inside.insert(reader);
  return needsWindow(result, inside);
}

/// Why `ops` are no map that holds values for tiles of its results.
Refusal Grouper::checkHalo(ArrayRef<Operation *> ops) {
  const Refusal no = {Refusal::Limit::Elements};
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end());
  llvm::DenseSet<Operation *> held = findHeld(ops);
  SmallVector<linalg::GenericOp> outputs;
  for (Operation *op : ops) {
    if (!isa<linalg::GenericOp>(op) || isReduction(op) || factsOf(op).mayLoop)
      return no;
    bool isOutput = llvm::any_of(op->getResults(), [&](Value result) {
      return leavesTile(result, all);
    });
    if (!isOutput)
      continue;
    outputs.push_back(cast<linalg::GenericOp>(op));
    if (held.contains(op) ||
        factsOf(op).loops != factsOf(outputs.front()).loops)
      return no;
  }
  if (held.empty() || outputs.empty())
    return no;
  ArrayRef<int64_t> loops = factsOf(outputs.front()).loops;
  if (ShapedType::getNumElements(loops) <= kMaxChained)
    return no;
  auto mayEnter = [&](Operation *op) {
    return all.contains(op) || virtualOps.contains(op);
  };
  SmallVector<HaloValue> values;
  SmallVector<linalg::GenericOp> owners;
  for (Operation *op : ops)
    for (Value result : op->getResults()) {
      if (!held.contains(op))
        continue;
      std::optional<Reach> reach =
          findReach(outputs, result, resolve, mayEnter);
      if (!reach || !reach->isHalo())
        return no;
      values.push_back(
          {*reach, workgroupBytesOf(getElementTypeOrSelf(result))});
      owners.push_back(cast<linalg::GenericOp>(op));
    }
  TargetAttr target = getMainTarget(ops.front());
  SmallVector<int64_t> tile = chooseHaloTile(loops, values, target);
  if (tile.empty())
    return no;
  int64_t tiles = countTiles(loops, tile);
  HaloCost cost;
  for (auto [value, owner] : llvm::zip_equal(values, owners)) {
    HaloCost own =
        estimateHalo(owner, tiles * value.reach.boxElements(tile), target);
    cost.moreUs += own.moreUs;
    cost.savedUs += own.savedUs;
    cost.repeats = std::max(cost.repeats, own.repeats);
  }
  cost.savedUs += held.size() * target.getDispatchNs() / 1e3;
  if (cost.moreUs >= cost.savedUs)
    return {Refusal::Limit::Halo, int64_t(1e3 * cost.moreUs),
            int64_t(1e3 * cost.savedUs)};
  triedHalo =
      llvm::formatv("a workgroup computes it for a tile of {0:$[x]} "
                    "and its halo, {1:F2} times in all",
                    llvm::make_range(tile.begin(), tile.end()), cost.repeats);
  return {};
}

/// Why two groups that may share a kernel cannot; `merged` are both.
Refusal Grouper::whyNot(GroupId a, GroupId b, ArrayRef<Operation *> merged) {
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
  if (!fitsLoops(merged)) {
    Refusal found =
        mayHold ? checkHalo(merged) : Refusal{Refusal::Limit::Elements};
    if (found.kind != Refusal::Limit::None)
      return found;
  }
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
  triedHalo.clear();
  Refusal found = whyNot(a, b, merged);
  if (found.kind != Refusal::Limit::None) {
    if (members[a].front()->getBlock() != members[b].front()->getBlock())
      refusal = found;
    return false;
  }
  if (!triedHalo.empty()) {
    halo = triedHalo;
    holding.insert(a);
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

/// One by one, operations of a long chain would be compared with all before
/// them.
void Grouper::mergeKnown(ArrayRef<KernelGroup> known) {
  for (const KernelGroup &group : known) {
    auto own = llvm::to_vector(llvm::make_filter_range(
        group.ops, [&](Operation *op) { return groupOf.contains(op); }));
    if (own.size() < 2)
      continue;
    GroupId id = groupOf.lookup(own.front());
    for (Operation *op : own)
      groupOf[op] = id;
    members[id] = own;
    if (fitsLoops(own) && checkLimits(own).kind == Refusal::Limit::None &&
        !leavesAndReturns(id, id))
      continue;
    for (Operation *op : own)
      groupOf[op] = factsOf(op).number;
    members[id] = {own.front()};
  }
  members.remove_if([&](const auto &entry) {
    return groupOf.lookup(entry.second.front()) != entry.first;
  });
}

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

/// Puts what tiles hold into the kernel that reads it, where all readers are in
/// one.
void Grouper::mergeHalos() {
  mayHold = true;
  for (Operation *op : ops) {
    if (virtualOps.contains(op) || isa<RootOpInterface>(op))
      continue;
    for (const SourceRead &read : factsOf(op).readsThroughVirtual)
      if (std::optional<GroupId> source = groupOfValue(read.source);
          source && !read.direct && !read.isTable)
        tryMerge(groupOf.lookup(op), *source);
  }
  mayHold = false;
}

void Grouper::findReaders() {
  boundBy.clear();
  loaded.clear();
  stored.clear();
  for (Operation *op : ops) {
    if (virtualOps.contains(op))
      continue;
    for (const SourceRead &read : factsOf(op).readsThroughVirtual)
      boundBy[read.source].push_back(op);
    for (Value result : op->getResults())
      if (Home home = homeOf(result); home != Home())
        stored[home].push_back(op);
  }
  for (const auto &[value, readers] : boundBy)
    if (Home home = homeOf(value);
        home != Home() &&
        (home.second == value ||
         isa_and_present<LoadOp, flow::LoopOp>(value.getDefiningOp())))
      loaded[home].push_back(value);
}

/// What one operation computes again may in the end read more windows than a
/// kernel can have: then it reads what it would compute.
void Grouper::readThroughVirtualOps() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : ops)
      facts[op].readsThroughVirtual = followVirtualOps(op);
    findReaders();
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

Grouping Grouper::run(ArrayRef<KernelGroup> known) {
  virtualOps = findVirtualOps(ops, facts, resolve, mayShare, limits).ops;
  readThroughVirtualOps();
  for (Operation *op : ops) {
    if (virtualOps.contains(op))
      continue;
    groupOf[op] = factsOf(op).number;
    members[factsOf(op).number] = {op};
  }
  mergeKnown(known);
  mergeVertically();
  mergeHalos();
  Grouping grouping;
  grouping.halo = halo;
  grouping.virtualOps = virtualOps;
  grouping.refusal = refusal; // Of those merged vertically.
  mergeHorizontally();
  for (auto &[id, group] : members) {
    grouping.groups.push_back({group, getRootOf(group), {}});
    if (holding.contains(id))
      grouping.groups.back().held = findHeld(group);
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
  case Refusal::Limit::Halo:
    return llvm::formatv("tiles with halos would take {0} ns more, and save "
                         "{1}",
                         refusal.value, refusal.limit);
  case Refusal::Limit::Order:
    return "another kernel has to run between them";
  }
  llvm_unreachable("an unknown limit");
}

Grouping gpuvm::groupOps(ArrayRef<Operation *> ops, const ResolveFn &resolve,
                         function_ref<bool(Operation *, Operation *)> mayShare,
                         const GroupingLimits &limits,
                         ArrayRef<KernelGroup> known) {
  return Grouper(ops, resolve, mayShare, limits).run(known);
}

SmallVector<Operation *>
gpuvm::findCrowdedMoves(ArrayRef<Operation *> ops, const ResolveFn &resolve,
                        function_ref<bool(Operation *, Operation *)> mayShare,
                        const GroupingLimits &limits) {
  return Grouper(ops, resolve, mayShare, limits).findCrowdedMoves();
}
