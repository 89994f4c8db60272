//===- Exchange.cpp - what ranks know of each other -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exchange is done by each rank for itself, of the operands of all ranks.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Elementwise.h"
#include "compiler/reference/Evaluate.h"
#include "compiler/reference/Machine.h"
#include "dialects/gpuvm/RankSymbols.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;
using vm::HostTensor;

namespace {

/// A tensor that is put together from rows of others, along one axis. Rows that
/// nothing is put to are zeros, or unspecified.
class Assembly {
public:
  Assembly(Type type, unsigned axis) : whole(*makeZero(type)), axis(axis) {}

  /// `count` rows of `source` from `from` on become those from `to` on.
  void put(int64_t to, const Tensor &source, int64_t from, int64_t count);
  /// The same rows are unspecified.
  void leave(int64_t to, int64_t count, const CausePtr &why);
  /// All rows of the sources, one after the other.
  void putAll(ArrayRef<Tensor> sources);

  Tensor take() {
    return share(std::move(whole),
                 makeUnspecified(std::move(flags), std::move(cause)));
  }

private:
  struct Steps {
    int64_t outer, row; ///< How often, and how many elements.
  };
  Steps stepsOf(const HostTensor &tensor) const {
    Steps steps{1, 1};
    for (auto [i, length] : llvm::enumerate(tensor.shape))
      if (i != axis)
        (i < axis ? steps.outer : steps.row) *= length;
    return steps;
  }
  int64_t rowsOf(const HostTensor &tensor) const {
    return tensor.shape.empty() ? 1 : tensor.shape[axis];
  }

  HostTensor whole;
  std::vector<uint8_t> flags;
  CausePtr cause;
  unsigned axis;
};

} // namespace

void Assembly::put(int64_t to, const Tensor &source, int64_t from,
                   int64_t count) {
  auto [outer, row] = stepsOf(whole);
  uint64_t bytes = row * byteSize(whole.dtype);
  if (source.flags() && flags.empty()) {
    flags.resize(whole.numElements());
    cause = source.unspecified()->cause;
  }
  for (int64_t i = 0; i < outer; ++i) {
    int64_t target = i * rowsOf(whole) + to, begin = i * rowsOf(*source) + from;
    std::memcpy(whole.bytes.data() + target * bytes,
                source->bytes.data() + begin * bytes, count * bytes);
    if (source.flags())
      std::copy_n(source.flags() + begin * row, count * row,
                  flags.begin() + target * row);
  }
}

void Assembly::leave(int64_t to, int64_t count, const CausePtr &why) {
  auto [outer, row] = stepsOf(whole);
  flags.resize(whole.numElements());
  cause = why;
  for (int64_t i = 0; i < outer; ++i)
    std::fill_n(flags.begin() + (i * rowsOf(whole) + to) * row, count * row, 1);
}

void Assembly::putAll(ArrayRef<Tensor> sources) {
  int64_t to = 0;
  for (const Tensor &source : sources) {
    put(to, source, 0, rowsOf(*source));
    to += rowsOf(*source);
  }
}

//===----------------------------------------------------------------------===//
// What the kinds of exchanges have in common
//===----------------------------------------------------------------------===//

void Machine::join(std::shared_ptr<Rendezvous> with, int64_t number) {
  ranks = std::move(with);
  rank = number;
  for (auto [name, value] :
       {std::pair(kRankSymbol, rank), std::pair(kRanksSymbol, countRanks())})
    if (getSymbol(name))
      setSymbol(name, makeWord(static_cast<int32_t>(value)));
}

int64_t Machine::countRanks() const { return ranks ? ranks->size() : 1; }

FailureOr<std::vector<Tensor>> Machine::exchange(const Tensor &tensor) {
  if (!ranks)
    return std::vector<Tensor>{tensor};
  return ranks->exchange(rank, tensor);
}

/// What all ranks say of the loop, if there are exchanges in it.
FailureOr<bool> Machine::areAll(Operation *loop, bool own) {
  if (countRanks() == 1 || !hasExchanges(loop))
    return own;
  HostTensor flag{vm::DType::I1, {}, {own}};
  FailureOr<std::vector<Tensor>> all = exchange(share(std::move(flag)));
  if (failed(all))
    return failure();
  return llvm::all_of(*all, [](const Tensor &t) { return t->bytes.front(); });
}

/// The rank that `rank` - `offset` is; nothing if there is none.
static std::optional<size_t> findSource(int64_t rank, int64_t offset,
                                        bool rotate, int64_t ranks) {
  int64_t source = rank - offset;
  if (rotate)
    source = (source % ranks + ranks) % ranks;
  if (source < 0 || source >= ranks)
    return std::nullopt;
  return source;
}

/// The same elements in another shape.
static Tensor reshape(const Tensor &tensor, ArrayRef<int64_t> shape) {
  HostTensor reshaped = *tensor;
  reshaped.shape = shape.vec();
  return share(std::move(reshaped),
               tensor.unspecified() ? *tensor.unspecified() : Unspecified());
}

/// Block `number` of so many along an axis.
static Tensor cutBlock(const Tensor &source, Type elements, unsigned axis,
                       int64_t number, int64_t blocks) {
  SmallVector<int64_t> shape(source->shape.begin(), source->shape.end());
  shape[axis] /= blocks;
  Assembly block(RankedTensorType::get(shape, elements), axis);
  block.put(0, source, number * shape[axis], shape[axis]);
  return block.take();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

LogicalResult Machine::run(AllGatherOp op, Environment &env) {
  FailureOr<std::vector<Tensor>> all = exchange(env.get(op.getSource()));
  if (failed(all))
    return failure();
  Assembly result(op.getType(), op.getAxis());
  result.putAll(*all);
  env.set(op.getResult(), result.take());
  return success();
}

LogicalResult Machine::run(ShiftOp op, Environment &env) {
  FailureOr<std::vector<Tensor>> all = exchange(env.get(op.getSource()));
  if (failed(all))
    return failure();
  std::optional<size_t> source =
      findSource(rank, op.getOffset(), op.getRotate(), countRanks());
  env.set(op.getResult(),
          source ? (*all)[*source] : share(*makeZero(op.getType())));
  return success();
}

LogicalResult Machine::run(UpdateHaloOp op, Environment &env) {
  FailureOr<std::vector<Tensor>> all = exchange(env.get(op.getSource()));
  if (failed(all))
    return failure();
  int64_t rows = (*all)[rank]->shape[op.getAxis()];
  int64_t before = op.getBefore(), after = op.getAfter();
  Assembly result(op.getType(), op.getAxis());
  auto from = [&](int64_t offset) {
    return findSource(rank, offset, op.getRotate(), countRanks());
  };
  if (std::optional<size_t> source = from(1))
    result.put(0, (*all)[*source], rows - before, before);
  result.put(before, (*all)[rank], 0, rows);
  if (std::optional<size_t> source = from(-1))
    result.put(before + rows, (*all)[*source], 0, after);
  env.set(op.getResult(), result.take());
  return success();
}

/// How many rows of a block are sent to each rank.
static std::vector<int32_t> readCounts(const HostTensor &counts) {
  std::vector<int32_t> words(counts.numElements());
  std::memcpy(words.data(), counts.bytes.data(), counts.bytes.size());
  return words;
}

LogicalResult Machine::checkCounts(Operation *op, const Tensor &counts,
                                   int64_t capacity) {
  if (failed(requireSpecified(op, counts)))
    return failure();
  for (auto [number, count] : llvm::enumerate(readCounts(*counts)))
    if (count < 0 || count > capacity) {
      excess = true;
      return op->emitError("EXCESS: sends ")
             << count << " rows to rank " << number
             << ", but a block has room for " << capacity;
    }
  return success();
}

/// Block `rank` of each of `sources`, only the first rows of it if there are
/// counts. What was not sent is unspecified if `why` says so.
static Tensor collectBlocks(RankedTensorType type, ArrayRef<Tensor> sources,
                            ArrayRef<Tensor> counts, int64_t rank,
                            HostTensor *received, const CausePtr &why) {
  Assembly result(type, 0);
  int64_t capacity = type.getDimSize(0) / static_cast<int64_t>(sources.size());
  for (auto [i, source] : llvm::enumerate(sources)) {
    int64_t rows = capacity;
    if (received) {
      int32_t count = readCounts(*counts[i])[rank];
      std::memcpy(received->bytes.data() + i * sizeof(count), &count,
                  sizeof(count));
      rows = count;
    }
    result.put(i * capacity, source, rank * capacity, rows);
    if (why && rows < capacity)
      result.leave(i * capacity + rows, capacity - rows, why);
  }
  return result.take();
}

LogicalResult Machine::run(AllToAllOp op, Environment &env) {
  FailureOr<std::vector<Tensor>> all = exchange(env.get(op.getSource()));
  if (failed(all))
    return failure();
  if (Value own = op.getCounts()) {
    if (failed(
            checkCounts(op, env.get(own),
                        op.getResult().getType().getDimSize(0) / countRanks())))
      return failure();
    FailureOr<std::vector<Tensor>> counts = exchange(env.get(own));
    if (failed(counts))
      return failure();
    HostTensor received = *makeZero(op.getReceived().getType());
    env.set(op.getResult(), collectBlocks(op.getResult().getType(), *all,
                                          *counts, rank, &received, nullptr));
    env.set(op.getReceived(), std::move(received));
    return success();
  }
  RankedTensorType type = op.getResult().getType();
  std::vector<Tensor> blocks;
  for (const Tensor &source : *all)
    blocks.push_back(cutBlock(source, type.getElementType(), op.getSplit(),
                              rank, countRanks()));
  Assembly result(type, op.getConcat());
  result.putAll(blocks);
  env.set(op.getResult(), result.take());
  return success();
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Bytes have no shape: `rows` rows of each source.
static std::vector<Tensor> asRows(ArrayRef<Tensor> sources, int64_t rows) {
  auto elements = static_cast<int64_t>(sources.front()->numElements());
  std::vector<Tensor> reshaped;
  for (const Tensor &source : sources)
    reshaped.push_back(reshape(source, {rows, elements / rows}));
  return reshaped;
}

/// What rank `number` gets of what all ranks give.
static Tensor transfer(TransferAttr transfer, RankedTensorType type,
                       ArrayRef<Tensor> all, ArrayRef<Tensor> counts,
                       int64_t number, HostTensor *received,
                       const CausePtr &why) {
  auto ranks = static_cast<int64_t>(all.size());
  int64_t elements = type.getNumElements();
  if (transfer.getKind() == TransferKind::shift) {
    std::optional<size_t> source =
        findSource(number, transfer.getOffset(), transfer.getRotate(), ranks);
    if (source)
      return reshape(all[*source], type.getShape());
    return share(*makeZero(type),
                 makeUnspecified(std::vector<uint8_t>(elements, 1), why));
  }
  if (transfer.getKind() == TransferKind::all_gather) {
    Assembly result(
        RankedTensorType::get({ranks, elements / ranks}, type.getElementType()),
        0);
    result.putAll(asRows(all, 1));
    return reshape(result.take(), type.getShape());
  }
  int64_t rows = received ? type.getDimSize(0) : ranks;
  auto flat =
      RankedTensorType::get({rows, elements / rows}, type.getElementType());
  return reshape(
      collectBlocks(flat, asRows(all, rows), counts, number, received, why),
      type.getShape());
}

LogicalResult Machine::run(flow::ExchangeOp op, Environment &env) {
  auto why = std::make_shared<const Cause>(
      Cause{op, "gets nothing from another rank"});
  for (unsigned i = 0; i < op.getTransfers().size(); ++i) {
    unsigned number = op.getNumberOf(i);
    FailureOr<std::vector<Tensor>> all =
        exchange(env.get(op.getInputs()[number]));
    if (failed(all))
      return failure();
    std::vector<Tensor> counts;
    HostTensor received;
    bool isCounted = op.getTransfer(i).getCounted();
    if (isCounted) {
      int64_t rows = typeOf(op.getOutputs()[number]).getDimSize(0);
      if (failed(checkCounts(op, env.get(op.getInputs()[number + 1]),
                             rows / countRanks())))
        return failure();
      FailureOr<std::vector<Tensor>> others =
          exchange(env.get(op.getInputs()[number + 1]));
      if (failed(others))
        return failure();
      counts = std::move(*others);
      received = *makeZero(op.getOutputs()[number + 1].getType());
    }
    env.set(op.getOutputs()[number],
            transfer(op.getTransfer(i), typeOf(op.getOutputs()[number]), *all,
                     counts, rank, isCounted ? &received : nullptr, why));
    if (isCounted)
      env.set(op.getOutputs()[number + 1], std::move(received));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The tensors of all ranks, combined in their order.
static FailureOr<Tensor> combine(Operation *op, Rule rule, ArrayRef<Tensor> all,
                                 bool exact) {
  for (const Tensor &tensor : all)
    if (failed(requireSpecified(op, tensor)))
      return failure();
  HostTensor result = *all.front();
  bool isFloat =
      isa<FloatType>(payloadType(op->getOperand(0).getType()).getElementType());
  vm::DType types[] = {result.dtype, result.dtype};
  ElementwiseFn fn = findElementwise(getOperationName(rule, isFloat), types,
                                     result.dtype, exact);
  if (!fn)
    return op->emitOpError("the interpreter cannot combine elements by ")
           << stringifyRule(rule);
  for (const Tensor &tensor : all.drop_front()) {
    const void *operands[] = {result.bytes.data(), tensor->bytes.data()};
    (void)fn(operands, result.bytes.data(), result.numElements());
  }
  return share(std::move(result));
}

LogicalResult Machine::run(AllReduceOp op, Environment &env) {
  FailureOr<std::vector<Tensor>> all = exchange(env.get(op.getSource()));
  if (failed(all))
    return failure();
  FailureOr<Tensor> result = combine(op, op.getRule(), *all, exact);
  if (failed(result))
    return failure();
  env.set(op.getResult(), std::move(*result));
  return success();
}

LogicalResult Machine::run(ReduceScatterOp op, Environment &env) {
  FailureOr<std::vector<Tensor>> all = exchange(env.get(op.getSource()));
  if (failed(all))
    return failure();
  FailureOr<Tensor> result = combine(op, op.getRule(), *all, exact);
  if (failed(result))
    return failure();
  env.set(op.getResult(), cutBlock(*result, op.getType().getElementType(),
                                   op.getAxis(), rank, countRanks()));
  return success();
}
