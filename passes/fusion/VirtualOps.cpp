//===- VirtualOps.cpp - operations that are rematerialised ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/VirtualOps.h"

#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/elements/InnerReduction.h"
#include "kernels/spirv/ExpandOps.h"
#include "passes/fusion/CodeCopies.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

class VirtualOpFinder {
public:
  VirtualOpFinder(ArrayRef<Operation *> ops, const OpFactsMap &facts,
                  const ResolveFn &resolve,
                  function_ref<bool(Operation *, Operation *)> mayShare,
                  const GroupingLimits &limits);
  VirtualOps find();

private:
  struct Reader {
    Operation *op;
    SourceRead read;
    bool shares; ///< It may be in one kernel with what it reads.
  };
  /// A root with what is fused into it.
  struct Melted {
    int64_t operations = 0;
    llvm::SmallSetVector<Value, 8> inputs;
  };

  ArrayRef<Reader> readersOf(Operation *op) const;
  bool isReducedLater(linalg::GenericOp op) const;
  bool isInnerReduction(linalg::GenericOp op) const;
  bool feedsInnerReduction(linalg::GenericOp op) const;
  Operation *onlyRoot(linalg::GenericOp op) const;
  bool meltsInto(linalg::GenericOp op, Operation *root);
  bool isReadOnceAsTable(linalg::GenericOp op) const;
  bool isCheapEverywhere(linalg::GenericOp op) const;
  bool leavesStages(linalg::GenericOp op, bool mayBeSent) const;
  bool isVirtual(Operation *op);
  SmallVector<Operation *> readersFirst() const;

  ArrayRef<Operation *> ops;
  const OpFactsMap &facts;
  const GroupingLimits &limits;
  llvm::DenseMap<Operation *, SmallVector<Reader>> readers;
  llvm::DenseMap<Operation *, Operation *> rootOf; ///< Of what is fused.
  llvm::DenseMap<Operation *, Melted> melted;      ///< By root.
  CodeCopies copies;
};

} // namespace

VirtualOpFinder::VirtualOpFinder(
    ArrayRef<Operation *> ops, const OpFactsMap &facts,
    const ResolveFn &resolve,
    function_ref<bool(Operation *, Operation *)> mayShare,
    const GroupingLimits &limits)
    : ops(ops), facts(facts), limits(limits), copies(resolve) {
  for (Operation *op : ops) {
    bool isRoot = isa<RootOpInterface>(op);
    Melted *own = isRoot ? &melted[op] : nullptr;
    if (isRoot)
      own->operations = costOf(op);
    for (const SourceRead &read : facts.at(op).reads) {
      if (isRoot && !read.isUpdated) // A result is made where that lies.
        own->inputs.insert(read.source);
      if (Operation *source = read.source.getDefiningOp())
        readers[source].push_back(
            {op, read, !read.isUpdated && mayShare(source, op)});
    }
  }
}

ArrayRef<VirtualOpFinder::Reader>
VirtualOpFinder::readersOf(Operation *op) const {
  auto entry = readers.find(op);
  return entry == readers.end() ? ArrayRef<Reader>() : entry->second;
}

//===----------------------------------------------------------------------===//
// Inner reductions
//===----------------------------------------------------------------------===//

/// Whether the result of `op` is reduced in the end, each element once.
bool VirtualOpFinder::isReducedLater(linalg::GenericOp op) const {
  ArrayRef<Reader> all = readersOf(op);
  if (op->getNumResults() != 1 || all.size() != 1)
    return false;
  auto reader = dyn_cast<linalg::GenericOp>(all.front().op);
  if (!reader)
    return false;
  auto made = cast<RankedTensorType>(op->getResult(0).getType());
  if (llvm::product_of(reader.getStaticLoopRanges()) != made.getNumElements())
    return false;
  return isReduction(reader) || isReducedLater(reader);
}

/// Whether `op` takes few neighbouring bytes for each result, in an order that
/// a lane keeps or that is not observable, and a reduction takes these results.
bool VirtualOpFinder::isInnerReduction(linalg::GenericOp op) const {
  constexpr uint64_t kMaxBytes = 64;
  constexpr unsigned kMaxReduced = 64;
  if (!isReduction(op) || op->hasAttr(kInstancesAttr) || hasLoops(op))
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

/// Whether an inner reduction reads the result of `op` repeatedly: then it
/// should be in memory.
bool VirtualOpFinder::feedsInnerReduction(linalg::GenericOp op) const {
  auto made = cast<RankedTensorType>(op->getResult(0).getType());
  return llvm::any_of(readersOf(op), [&](const Reader &reader) {
    auto generic = dyn_cast<linalg::GenericOp>(reader.op);
    return generic &&
           llvm::product_of(generic.getStaticLoopRanges()) >
               made.getNumElements() &&
           isInnerReduction(generic);
  });
}

//===----------------------------------------------------------------------===//
// What leads to a root
//===----------------------------------------------------------------------===//

/// The root that all readers of `op` are or are fused into, if each element is
/// read about once there; null if there is none.
Operation *VirtualOpFinder::onlyRoot(linalg::GenericOp op) const {
  Operation *root = nullptr;
  if (isReduction(op))
    return nullptr;
  for (const Reader &reader : readersOf(op)) {
    bool isRoot = isa<RootOpInterface>(reader.op);
    bool once =
        isRoot ? reader.read.once : reader.read.direct && !reader.read.isTable;
    Operation *own = isRoot ? reader.op : rootOf.lookup(reader.op);
    if (!own || !once || !reader.shares || (root && own != root))
      return nullptr;
    root = own;
  }
  return root;
}

/// Fuses `op` into `root`, if it fits into a kernel with what is fused already.
bool VirtualOpFinder::meltsInto(linalg::GenericOp op, Operation *root) {
  Melted next = melted.find(root)->second;
  next.operations += costOf(op);
  for (Value result : op->getResults())
    next.inputs.remove(result);
  for (const SourceRead &read : facts.at(op).reads)
    next.inputs.insert(read.source);
  unsigned windows = 0;
  for (ValueRange values :
       {ValueRange(next.inputs.getArrayRef()), ValueRange(root->getResults())})
    for (Value value : values)
      windows +=
          countWindows(payloadType(value.getType()), limits.maxWindowBytes);
  if (next.operations > limits.operations || windows > limits.windows)
    return false;
  rootOf[op] = root;
  melted[root] = std::move(next);
  return true;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Whether only stages receive what `send` sends.
static bool isSentToStages(SendOp send) {
  return llvm::all_of(send->getParentOp()->getUsers(), llvm::IsaPred<StageOp>);
}

/// Whether `op` has a reader that must find its results in memory.
bool VirtualOpFinder::leavesStages(linalg::GenericOp op, bool mayBeSent) const {
  if (llvm::any_of(readersOf(op), [](const Reader &r) { return !r.shares; }))
    return true;
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    user = op->getBlock()->findAncestorOpInBlock(*user);
    if (auto send = dyn_cast<SendOp>(user))
      return !mayBeSent || !isSentToStages(send);
    return !isa<linalg::GenericOp, RootOpInterface>(user) &&
           !movesElements(user);
  });
}

/// Whether loops over tables compute each element of `op` about once if they do
/// it themselves.
bool VirtualOpFinder::isReadOnceAsTable(linalg::GenericOp op) const {
  return !isReduction(op) && costOf(op) <= limits.operations / 2 &&
         !leavesStages(op, /*mayBeSent=*/true) &&
         llvm::all_of(readersOf(op), [](const Reader &r) {
           return r.read.isTable && r.read.once;
         });
}

/// Whether `op` had better be computed again by each of its readers.
bool VirtualOpFinder::isCheapEverywhere(linalg::GenericOp op) const {
  if (leavesStages(op, /*mayBeSent=*/false) ||
      countScalarOps(op) > limits.recompute)
    return false;
  ArrayRef<Reader> all = readersOf(op);
  bool direct =
      llvm::all_of(all, [](const Reader &r) { return r.read.direct; });
  if (isReduction(op) || direct)
    return all.size() == 1 && isInnerReduction(op);
  bool isOften = all.size() > 1 &&
                 (all.size() - 1) * countExpandedIn(op) > limits.recomputed;
  return !isOften && !feedsInnerReduction(op);
}

/// Whether `op`, whose readers have been asked about, is virtual.
bool VirtualOpFinder::isVirtual(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || readersOf(op).empty() || hasLoops(op) ||
      op->hasAttr(kHasPlaceAttr) || !copies.areFew(op))
    return false;
  Operation *root = onlyRoot(generic);
  bool fuses = root && !leavesStages(generic, /*mayBeSent=*/true) &&
               meltsInto(generic, root);
  return fuses || isReadOnceAsTable(generic) || isCheapEverywhere(generic);
}

/// The operations, and what moves elements between them.
SmallVector<Operation *> VirtualOpFinder::readersFirst() const {
  llvm::SmallSetVector<Block *, 4> blocks;
  for (Operation *op : ops)
    blocks.insert(op->getBlock());
  SmallVector<Operation *> order;
  for (Block *block : blocks)
    for (Operation &op : *block)
      if (facts.contains(&op) || isMadeWhereRead(&op))
        order.push_back(&op);
  std::reverse(order.begin(), order.end());
  return order;
}

VirtualOps VirtualOpFinder::find() {
  VirtualOps found;
  for (Operation *op : readersFirst()) {
    bool moves = isMadeWhereRead(op);
    bool isInlined = moves ? copies.areFew(op) : isVirtual(op);
    if (isInlined)
      copies.inlineIntoReaders(op);
    else
      copies.place(op);
    if (isInlined && !moves)
      found.ops.insert(op);
    else if (!isInlined && moves)
      found.crowdedMoves.push_back(op);
  }
  return found;
}

VirtualOps
gpuvm::findVirtualOps(ArrayRef<Operation *> ops, const OpFactsMap &facts,
                      const ResolveFn &resolve,
                      function_ref<bool(Operation *, Operation *)> mayShare,
                      const GroupingLimits &limits) {
  return VirtualOpFinder(ops, facts, resolve, mayShare, limits).find();
}
