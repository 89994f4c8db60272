//===- PackReads.cpp - operations that read very many tensors -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/program/PackReads.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "passes/analysis/FreeValues.h"
#include "passes/expand/ReadElements.h"
#include "schema/Limits.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Windows that an operation may read and write.
static constexpr size_t kMostWindows = vm::kMaxBindings - vm::kPackingReserve;
/// Tensors that are packed together.
static constexpr size_t kPacked = 16;

namespace {
/// One operation, and what only moves elements on their way to it.
class ReadPacker {
public:
  explicit ReadPacker(Operation *op) : op(op), b(op) { collect(); }
  void run();

private:
  void collect();
  bool packSome();
  void rebuild();

  Operation *op;
  OpBuilder b;
  llvm::SetVector<Operation *> moves;    ///< Made where `op` reads them.
  llvm::SmallSetVector<Value, 32> reads; ///< Those that may be packed.
  size_t windows = 0;
  IRMapping values; ///< From what was read to where it is now.
};
} // namespace

/// Whether `operand` is read in its window.
static bool needsWindow(OpOperand &operand) {
  Operation *reader = operand.getOwner();
  if (isa<DecodeOp, GatherOp>(reader))
    return true;
  auto root = dyn_cast<RootOpInterface>(reader);
  return root && llvm::is_contained(root.getUpdatedOperands(),
                                    operand.getOperandNumber());
}

static bool isRead(Operation *op, Value value) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || llvm::is_contained(getTables(op), value))
    return true;
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == value &&
           !generic.getMatchingBlockArgument(&operand).use_empty();
  });
}

void ReadPacker::collect() {
  llvm::SmallSetVector<Value, 32> inPlace, sources;
  SmallVector<Operation *> pending = {op};
  while (!pending.empty()) {
    Operation *reader = pending.pop_back_val();
    for (OpOperand &operand : reader->getOpOperands())
      if (needsWindow(operand))
        inPlace.insert(operand.get());
    for (Value value : getOperandsAndTables(reader)) {
      Operation *source = value.getDefiningOp();
      if (source && isMadeWhereRead(source) && moves.insert(source))
        pending.push_back(source);
      else if (!isFree(value) && isRead(reader, value))
        sources.insert(value);
    }
  }
  windows = sources.size() + op->getNumResults();
  for (Value value : sources)
    if (isVmTensor(value.getType()) && !inPlace.contains(value))
      reads.insert(value);
}

/// `values`, each as a row of numbers, end to end, computed by a command.
static Value packEndToEnd(OpBuilder &b, Location loc, ArrayRef<Value> values) {
  SmallVector<Value> flat;
  int64_t length = 0;
  for (Value value : values) {
    RankedTensorType type = typeOf(value);
    SmallVector<ReassociationIndices> groups;
    if (type.getRank() != 0)
      groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(type.getRank())));
    auto row = type.clone(ArrayRef<int64_t>{type.getNumElements()});
    if (type.getRank() == 0)
      value = tensor::ExpandShapeOp::create(b, loc, row, value, groups);
    else if (type.getRank() > 1)
      value = tensor::CollapseShapeOp::create(b, loc, row, value, groups);
    flat.push_back(value);
    length += type.getNumElements();
  }
  auto all = typeOf(flat.front()).clone(ArrayRef<int64_t>{length});
  Value together = tensor::ConcatOp::create(b, loc, all, /*dim=*/0, flat);
  return readElements(b, together, all, b.getMultiDimIdentityMap(1));
}

/// The elements of `packed` from `offset` on that were a tensor of `type`.
static Value unpack(OpBuilder &b, Location loc, Value packed, int64_t offset,
                    RankedTensorType type) {
  auto row = type.clone(ArrayRef<int64_t>{type.getNumElements()});
  auto at = [&](int64_t number) -> SmallVector<OpFoldResult> {
    return {b.getIndexAttr(number)};
  };
  Value part = tensor::ExtractSliceOp::create(b, loc, row, packed, at(offset),
                                              at(type.getNumElements()), at(1));
  if (type.getRank() == 1)
    return part;
  SmallVector<ReassociationIndices> groups;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, loc, type, part, groups);
  groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(type.getRank())));
  return tensor::ExpandShapeOp::create(b, loc, type, part, groups);
}

/// Packs tensors of the most frequent element type; false if none has two.
bool ReadPacker::packSome() {
  llvm::MapVector<Type, SmallVector<Value>> byType;
  for (Value value : reads)
    byType[typeOf(value).getElementType()].push_back(value);
  auto most = llvm::max_element(byType, [](const auto &a, const auto &b) {
    return a.second.size() < b.second.size();
  });
  if (most == byType.end() || most->second.size() < 2)
    return false;
  size_t surplus = windows - kMostWindows + 1; // The packed one is read, too.
  size_t number = std::min({most->second.size(), kPacked, surplus});
  ArrayRef<Value> chosen = ArrayRef(most->second).take_front(number);
  Value packed = packEndToEnd(b, op->getLoc(), chosen);
  int64_t offset = 0;
  for (Value value : chosen) {
    RankedTensorType type = typeOf(value);
    values.map(value, unpack(b, op->getLoc(), packed, offset, type));
    offset += type.getNumElements();
    reads.remove(value);
  }
  windows -= number - 1;
  return true;
}

/// Reads operands at their new places, with movements of this operation's own.
void ReadPacker::rebuild() {
  SmallVector<Operation *> inOrder = moves.takeVector();
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *move : inOrder)
    b.clone(*move, values);
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      operand.set(values.lookupOrDefault(operand.get()));
  });
}

void ReadPacker::run() {
  if (windows <= kMostWindows)
    return;
  bool packs = false;
  while (windows > kMostWindows && packSome())
    packs = true;
  if (packs)
    rebuild();
}

void gpuvm::packReads(StageOp stage) {
  for (Operation &op : llvm::make_early_inc_range(stage.getBody().front()))
    if (isa<linalg::GenericOp, RootOpInterface>(op))
      ReadPacker(&op).run();
}
