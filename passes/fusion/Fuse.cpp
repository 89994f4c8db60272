//===- Fuse.cpp - the stages that are better off in one kernel ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works on clusters of stages, at first one stage each. Two clusters merge if
// their operations together need fewer kernels than apart, and if no path
// through other stages or exchanges leads from one to the other. (Such a path
// would have to run in the middle of the kernel.)
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/fusion/CrowdedMoves.h"
#include "passes/fusion/Decisions.h"
#include "passes/fusion/KernelGroups.h"
#include "passes/program/FlattenStages.h"
#include "passes/program/StageUnits.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace mlir::gpuvm {
#define GEN_PASS_DEF_FUSE
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-fuse"
ALWAYS_ENABLED_STATISTIC(numFused, "Stages that share a kernel with another");
ALWAYS_ENABLED_STATISTIC(numBytesSaved, "Message bytes that stay in registers");

namespace {

/// Why two stages share a kernel, or do not.
struct Decision {
  StringRef first, second;
  bool fused;
  std::string reason;
  uint64_t bytesSaved;
};

class StageFuser {
public:
  StageFuser(ProgramOp program, uint64_t maxWindowBytes);
  void run();
  ArrayRef<Decision> decisions() const { return log; }
  unsigned numFused() const;
  void annotate();

private:
  using Cluster = unsigned;

  /// Two clusters in one.
  struct Union {
    std::string refusal; ///< Why not; empty if they fit.
    SmallVector<KernelGroup> kernels = {};
    std::string halo = {}; ///< How messages are held for tiles, if any are.
  };
  Union unite(Cluster a, Cluster b) const;
  const Union &getUnion(Cluster a, Cluster b);
  bool tryMerge(Cluster a, Cluster b, unsigned first, unsigned second,
                bool vertical);
  Grouping group(ArrayRef<unsigned> stages,
                 ArrayRef<KernelGroup> known = {}) const;
  bool conflictOnSymbols(unsigned a, unsigned b) const;
  bool readsBeforeWrite(unsigned a, unsigned b) const;
  static SmallVector<Place> getReadsOfMessages(StageOp stage);
  bool leavesAndReturns(Cluster a, Cluster b) const;
  void findDepths();
  unsigned depthOf(Value input, StageOp stage) const;
  bool delaysExchange(Cluster a, Cluster b) const;
  uint64_t messageBytes(Cluster a, Cluster b) const;
  static Value resolve(Value value);

  SmallVector<StageOp> stages;
  SmallVector<StageUnits> units;
  SmallVector<SmallVector<Place>> messageReads;
  Parts parts;
  SmallVector<llvm::SmallSetVector<unsigned, 4>> predecessors;
  /// The stages whose messages are exchanged for what a stage is given.
  SmallVector<llvm::SmallSetVector<unsigned, 4>> exchanged;
  SmallVector<unsigned> depths;    ///< How many exchanges a stage waits for,
  SmallVector<bool> feedsExchange; ///< and whether one waits for it.
  SmallVector<Cluster> clusterOf;
  llvm::MapVector<Cluster, SmallVector<unsigned>> members;
  llvm::DenseMap<Cluster, SmallVector<KernelGroup>> kernels;
  GroupingLimits limits;
  SmallVector<Decision> log;
  llvm::DenseSet<std::pair<unsigned, unsigned>> refused; ///< Said in `log`.
  /// By both clusters and how many stages they had: those only get more.
  std::map<std::tuple<Cluster, size_t, Cluster, size_t>, Union> tried;
};

struct Fuse : gpuvm::impl::FuseBase<Fuse> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

/// The stage that computes `input`, a message or a clock; null if it is an
/// input of the program. Stages that only pass a message on are passed through.
static StageOp getSender(Value input) {
  if (auto clock = input.getDefiningOp<ClockOp>())
    input = clock.getAfter();
  while (auto stage = input ? input.getDefiningOp<StageOp>() : StageOp()) {
    auto passed = dyn_cast<BlockArgument>(
        stage.getSend().getPayloads()[cast<OpResult>(input).getResultNumber()]);
    if (!passed)
      return stage;
    input = stage.getInputs()[passed.getArgNumber()];
  }
  return StageOp();
}

/// The stages that compute what exchanges need to give `input`; none if no
/// exchange gives it.
static void findExchanged(Value input, bool isExchanged,
                          SmallVectorImpl<StageOp> &senders) {
  if (auto exchange = input.getDefiningOp<flow::ExchangeOp>())
    for (Value source : exchange.getInputs())
      findExchanged(source, /*isExchanged=*/true, senders);
  else if (auto sender = getSender(input); sender && isExchanged)
    senders.push_back(sender);
}

/// Whether `receiver` looks at the clock when `sender` is done.
static bool readsClockOf(StageOp sender, StageOp receiver) {
  return llvm::any_of(receiver.getInputs(), [&](Value input) {
    return input.getDefiningOp<ClockOp>() && getSender(input) == sender;
  });
}

/// Follows a value out of a stage: through its argument to the program's value,
/// through a message to what was sent.
Value StageFuser::resolve(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto stage = dyn_cast<StageOp>(argument.getOwner()->getParentOp());
    if (!stage)
      return value;
    value = stage.getInputs()[argument.getArgNumber()];
    auto sender = value.getDefiningOp<StageOp>();
    if (!sender)
      return value;
    value =
        sender.getSend().getPayloads()[cast<OpResult>(value).getResultNumber()];
  }
  return value;
}

StageFuser::StageFuser(ProgramOp program, uint64_t maxWindowBytes)
    : parts(program), limits(program, maxWindowBytes) {
  llvm::DenseMap<Operation *, unsigned> number;
  for (auto stage : listOps<StageOp>(program)) {
    unsigned id = stages.size();
    number[stage] = id;
    stages.push_back(stage);
    units.emplace_back(stage);
    messageReads.push_back(getReadsOfMessages(stage));
    predecessors.emplace_back();
    exchanged.emplace_back();
    for (Value input : stage.getInputs()) {
      if (auto sender = getSender(input))
        predecessors[id].insert(number.lookup(sender));
      SmallVector<StageOp> senders;
      findExchanged(input, /*isExchanged=*/false, senders);
      for (StageOp sender : senders)
        exchanged[id].insert(number.lookup(sender));
    }
    clusterOf.push_back(id);
    members[id] = {id};
    kernels[id] = group({id}).groups;
  }
  for (unsigned b = 0; b < stages.size(); ++b)
    if (!units[b].reads.empty() || !units[b].writes.empty())
      for (unsigned a = 0; a < b; ++a)
        if (conflictOnSymbols(a, b) || readsBeforeWrite(a, b))
          predecessors[b].insert(a);
  findDepths();
}

/// How many exchanges, next to `stage`, `input` waits for.
unsigned StageFuser::depthOf(Value input, StageOp stage) const {
  Operation *source = input.getDefiningOp();
  if (!source || !parts.areTogether(source, stage))
    return 0;
  if (auto exchange = dyn_cast<flow::ExchangeOp>(source)) {
    unsigned depth = 0;
    for (Value sent : exchange.getInputs())
      depth = std::max(depth, depthOf(sent, stage));
    return depth + 1;
  }
  const auto *found = llvm::find(stages, source);
  return found == stages.end() ? 0 : depths[found - stages.begin()];
}

void StageFuser::findDepths() {
  depths.resize(stages.size());
  feedsExchange.resize(stages.size());
  if (llvm::none_of(stages, [](StageOp stage) {
        return llvm::any_of(stage->getUsers(), llvm::IsaPred<flow::ExchangeOp>);
      }))
    return;
  for (unsigned b = 0; b < stages.size(); ++b) {
    for (Value input : stages[b].getInputs())
      depths[b] = std::max(depths[b], depthOf(input, stages[b]));
    for (unsigned a : predecessors[b])
      if (parts.areTogether(stages[a], stages[b]))
        depths[b] = std::max(depths[b], depths[a]);
  }
  for (unsigned b = stages.size(); b-- > 0;) {
    feedsExchange[b] =
        feedsExchange[b] ||
        llvm::any_of(stages[b]->getUsers(), llvm::IsaPred<flow::ExchangeOp>);
    if (feedsExchange[b])
      for (unsigned a : predecessors[b])
        feedsExchange[a] = true;
  }
}

/// Whether an exchange would wait for another one more if both were one kernel.
bool StageFuser::delaysExchange(Cluster a, Cluster b) const {
  return llvm::any_of(members.find(a)->second, [&](unsigned x) {
    return llvm::any_of(members.find(b)->second, [&](unsigned y) {
      return depths[x] != depths[y] &&
             feedsExchange[depths[x] < depths[y] ? x : y];
    });
  });
}

/// What a stage reads of symbols although others load it: a message that sends
/// what a symbol holds is no copy of it.
SmallVector<Place> StageFuser::getReadsOfMessages(StageOp stage) {
  SmallVector<Place> reads;
  llvm::SmallSetVector<Value, 8> pending;
  for (Value argument : stage.getBody().getArguments())
    pending.insert(resolve(argument));
  for (size_t i = 0; i < pending.size(); ++i) {
    Operation *source = pending[i].getDefiningOp();
    if (auto load = dyn_cast_or_null<LoadOp>(source))
      reads.push_back(getPlace(load));
    else if (source && isMadeWhereRead(source))
      for (Value operand : source->getOperands())
        pending.insert(resolve(operand));
  }
  return reads;
}

/// Whether `b` writes what `a`, which comes first, still has to read
/// (`Effects`). If it comes later, it reads a copy.
bool StageFuser::readsBeforeWrite(unsigned a, unsigned b) const {
  return overlap(messageReads[a], units[b].writes);
}

bool StageFuser::conflictOnSymbols(unsigned a, unsigned b) const {
  return overlap(units[a].writes, units[b].reads) ||
         overlap(units[a].writes, units[b].writes) ||
         overlap(units[a].reads, units[b].writes);
}

/// The kernels of these stages together, if those are `known` that they have in
/// parts.
Grouping StageFuser::group(ArrayRef<unsigned> which,
                           ArrayRef<KernelGroup> known) const {
  SmallVector<Operation *> ops;
  for (unsigned stage : which)
    llvm::append_range(ops, units[stage].ops);
  auto mayShare = [&](Operation *a, Operation *b) {
    if (a->getBlock() != b->getBlock())
      return true; // Clusters of several stages have one epoch.
    for (unsigned stage : which)
      if (units[stage].epoch.contains(a) && units[stage].epoch.contains(b))
        return units[stage].epoch.lookup(a) == units[stage].epoch.lookup(b);
    return false; // `a` or `b` belongs to another cluster.
  };
  return groupOps(ops, resolve, mayShare, limits, known);
}

/// Whether a path leads from one of the clusters through others to the other.
bool StageFuser::leavesAndReturns(Cluster a, Cluster b) const {
  llvm::DenseSet<Cluster> reached;
  auto inside = [&](Cluster c) { return c == a || c == b; };
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned stage = 0; stage < stages.size(); ++stage) {
      Cluster own = clusterOf[stage];
      for (unsigned before : exchanged[stage]) {
        Cluster source = clusterOf[before];
        if (!inside(source) && !reached.contains(source))
          continue;
        if (inside(own))
          return true;
        changed |= reached.insert(own).second;
      }
      for (unsigned before : predecessors[stage]) {
        Cluster source = clusterOf[before];
        if (source == own)
          continue;
        if (inside(own) && reached.contains(source))
          return true;
        bool follows = inside(source) || reached.contains(source);
        if (!inside(own) && follows && reached.insert(own).second)
          changed = true;
      }
    }
  }
  return false;
}

StageFuser::Union StageFuser::unite(Cluster a, Cluster b) const {
  if (!parts.areTogether(stages[a], stages[b]))
    return {"a repeat begins or ends between them"};
  for (Cluster cluster : {a, b})
    for (unsigned stage : members.find(cluster)->second)
      if (units[stage].numEpochs > 1)
        return {"a stage has an order of its own (an external kernel, "
                "or a symbol it writes and then reads)"};
  for (unsigned x : members.find(a)->second)
    for (unsigned y : members.find(b)->second)
      if (conflictOnSymbols(x, y))
        return {"one stage writes a symbol the other accesses"};
      else if (readsClockOf(stages[x], stages[y]) ||
               readsClockOf(stages[y], stages[x]))
        return {"one stage looks at the clock when the other one is done"};
  unsigned operations = 0;
  for (Cluster cluster : {a, b})
    for (unsigned stage : members.find(cluster)->second)
      operations += units[stage].ops.size();
  if (operations > GroupingLimits::operations)
    return {llvm::formatv("both have {0} operations together (at most {1})",
                          operations, GroupingLimits::operations)};
  if (delaysExchange(a, b))
    return {"an exchange would wait for another one"};
  if (leavesAndReturns(a, b))
    return {"another stage, or an exchange, has to run between them"};
  SmallVector<unsigned> together(members.find(a)->second);
  llvm::append_range(together, members.find(b)->second);
  llvm::sort(together);
  SmallVector<KernelGroup> apart(kernels.find(a)->second);
  llvm::append_range(apart, kernels.find(b)->second);
  Grouping grouping = group(together, apart);
  if (grouping.groups.size() < apart.size())
    return {"", std::move(grouping.groups), std::move(grouping.halo)};
  std::string limit = toText(grouping.refusal);
  return {"no kernel can hold operations of both" +
          (limit.empty() ? "" : ": " + limit)};
}

/// Neighbours ask for all pairs of their stages. Unions of other clusters
/// meanwhile add paths between these two; they invalidate no refusal.
const StageFuser::Union &StageFuser::getUnion(Cluster a, Cluster b) {
  auto [entry, isNew] =
      tried.try_emplace({a, members[a].size(), b, members[b].size()});
  if (isNew)
    entry->second = unite(a, b);
  return entry->second;
}

/// Message bytes between two clusters that no other cluster reads.
uint64_t StageFuser::messageBytes(Cluster a, Cluster b) const {
  uint64_t bytes = 0;
  auto inside = [&](Operation *op) {
    auto stage = dyn_cast<StageOp>(op);
    if (!stage)
      return false;
    for (unsigned i = 0; i < stages.size(); ++i)
      if (stages[i] == stage)
        return clusterOf[i] == a || clusterOf[i] == b;
    return false;
  };
  for (Cluster cluster : {a, b})
    for (unsigned i : members.find(cluster)->second)
      for (Value message : StageOp(stages[i])->getResults())
        if (llvm::all_of(message.getUsers(), inside))
          bytes += tensorBytes(payloadType(message.getType()));
  return bytes;
}

bool StageFuser::tryMerge(Cluster a, Cluster b, unsigned first, unsigned second,
                          bool vertical) {
  if (a == b)
    return false;
  const Union &both = getUnion(a, b);
  bool fuse = both.refusal.empty();
  // Stages that pass each other several messages are asked about for each.
  bool isNew = fuse || refused.insert({first, second}).second;
  if (isNew && (fuse || vertical)) {
    std::string why = !fuse                ? both.refusal
                      : !both.halo.empty() ? both.halo
                      : vertical           ? "the message stays in registers"
                                           : "both walk the same index space";
    log.push_back({stages[first].getSymName(), stages[second].getSymName(),
                   fuse, why, fuse && vertical ? messageBytes(a, b) : 0});
  }
  if (!fuse)
    return false;
  llvm::append_range(members[a], members[b]);
  llvm::sort(members[a]);
  for (unsigned stage : members[b])
    clusterOf[stage] = a;
  members.erase(b);
  kernels[a] = both.kernels;
  kernels.erase(b);
  return true;
}

void StageFuser::run() {
  for (unsigned stage = 0; stage < stages.size(); ++stage)
    for (Value input : stages[stage].getInputs())
      if (auto sender = getSender(input);
          sender && !input.getDefiningOp<ClockOp>()) {
        unsigned from = llvm::find(stages, sender) - stages.begin();
        tryMerge(clusterOf[from], clusterOf[stage], from, stage, true);
      }
  // Horizontally a stage tries only its nearest neighbours.
  constexpr unsigned kNeighbours = 16;
  for (unsigned x = 0; x < stages.size(); ++x)
    for (unsigned y = x + 1;
         y < std::min<unsigned>(stages.size(), x + kNeighbours); ++y)
      tryMerge(clusterOf[x], clusterOf[y], x, y, false);
}

unsigned StageFuser::numFused() const {
  unsigned count = 0;
  for (const auto &[cluster, stages] : members)
    count += stages.size() > 1 ? stages.size() : 0;
  return count;
}

void StageFuser::annotate() {
  int64_t group = 0;
  for (auto &[cluster, which] : members) {
    if (which.size() < 2)
      continue;
    for (unsigned stage : which)
      stages[stage].setFusionGroup(group);
    ++group;
  }
}

static Attribute describe(Builder b, const Decision &d) {
  return b.getDictionaryAttr(
      {b.getNamedAttr("first", b.getStringAttr(d.first)),
       b.getNamedAttr("second", b.getStringAttr(d.second)),
       b.getNamedAttr("fused", b.getBoolAttr(d.fused)),
       b.getNamedAttr("reason", b.getStringAttr(d.reason)),
       b.getNamedAttr("bytes_saved", b.getI64IntegerAttr(d.bytesSaved))});
}

void Fuse::runOnOperation() {
  GroupingLimits limits(getOperation(), maxWindowBytes);
  for (auto stage : listOps<StageOp>(getOperation())) {
    dropUnusedOperands(stage);
    materializeEscapes(stage); // So that what is sent counts as computed.
    placeCrowdedMoves(stage, /*group=*/true, limits);
  }
  StageFuser fuser(getOperation(), maxWindowBytes);
  fuser.run();
  fuser.annotate();
  ::numFused += fuser.numFused();
  SmallVector<Attribute> decisions;
  for (const Decision &d : fuser.decisions()) {
    numBytesSaved += d.bytesSaved;
    decisions.push_back(describe(Builder(&getContext()), d));
  }
  if (report)
    keepDecisions(getOperation(), "decisions", decisions);
}
