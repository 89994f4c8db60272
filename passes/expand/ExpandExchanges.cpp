//===- ExpandExchanges.cpp - exchanges as transfers and stages ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transfer moves the bytes of whole tensors, in blocks of the leading
// dimension (GpuvmBase.td, #gpuvm.transfer). All else that exchanges mean is
// computed in stages next to it. Sums are in the order of the ranks, and no
// transport adds: so the bits of a result do not depend on it.
//
//===----------------------------------------------------------------------===//

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/RankSymbols.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/analysis/Alternative.h"
#include "passes/Passes.h"
#include "passes/expand/ElementBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_EXPANDEXCHANGES
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

struct ExpandExchanges : gpuvm::impl::ExpandExchangesBase<ExpandExchanges> {
  void runOnOperation() override;
};

using Shape = SmallVector<int64_t>;

/// Replaces the exchanges of a program, one after the other.
class Expander {
public:
  explicit Expander(ProgramOp program);
  void expand(Operation *exchange);

private:
  Value replace(AllGatherOp op);
  Value replace(AllReduceOp op);
  Value replace(ReduceScatterOp op);
  Value replace(AllToAllOp op);
  Value replace(ShiftOp op);
  Value replace(UpdateHaloOp op);
  void replaceCounted(AllToAllOp op);

  using BodyBuilder = function_ref<SmallVector<Value>(ValueRange)>;
  SmallVector<Value> addStage(StringRef step, ValueRange inputs,
                              BodyBuilder body);
  Value addStage(StringRef step, Value input, function_ref<Value(Value)> body) {
    return addStage(step, ValueRange(input),
                    [&](ValueRange arguments) {
                      return SmallVector<Value>{body(arguments.front())};
                    })
        .front();
  }
  Value send(Value value);
  SmallVector<Value> addExchange(ArrayRef<TransferAttr> transfers,
                                 ValueRange inputs, TypeRange outputs);
  TransferAttr transfer(TransferKind kind, int64_t offset = 0,
                        bool rotate = false, bool counted = false) {
    return TransferAttr::get(b.getContext(), kind, offset, rotate, counted);
  }
  Value gather(Value source, ArrayRef<int64_t> shape);
  Value gather(Value source);
  Value scatter(Value source, ArrayRef<int64_t> shape);

  // In stages.
  Value cutBlocks(Value source, int64_t axis);
  Value moveAxis(Value value, int64_t from, int64_t to);
  Value blocksFirst(Value value, int64_t axis);
  Value blocksAt(Value value, int64_t axis);
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return reshapeTo(b, loc, value, shape);
  }
  Value slice(Value value, int64_t axis, int64_t begin, int64_t count);
  Value sum(Value blocks, ArrayRef<int64_t> shape, Rule rule);
  Value combine(Value a, Value c, Rule rule);
  Value zeros(RankedTensorType type) {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  }
  Value orZero(Value moved, int64_t offset);
  using BuildFn = function_ref<Value(ValueRange)>;
  void buildInStages(Value result, ValueRange given, BuildFn build);
  bool gathers(RankedTensorType type) const;

  int64_t ranks;
  TargetAttr target;
  OpBuilder b;
  Location loc;
  std::string prefix; ///< Of the names of the stages.
  llvm::StringSet<> names;
};

} // namespace

//===----------------------------------------------------------------------===//
// Stages and transfers
//===----------------------------------------------------------------------===//

Expander::Expander(ProgramOp program)
    : ranks(static_cast<int64_t>(*program.getRanks())),
      target(getMainTarget(program)), b(program.getContext()),
      loc(program.getLoc()) {
  program.walk([&](Operation *op) {
    if (auto name =
            op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      names.insert(name);
  });
}

/// The name of what computes `value`, for the names of stages.
static StringRef getSourceName(Value value) {
  if (auto stage = value.getDefiningOp<StageOp>())
    return stage.getSymName();
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *around = argument ? argument.getOwner()->getParentOp() : nullptr;
  if (auto program = dyn_cast_or_null<ProgramOp>(around))
    return cast<StringAttr>(program.getInputNames()[argument.getArgNumber()]);
  if (auto repeat = dyn_cast_or_null<RepeatOp>(around))
    return repeat.getSymName();
  return "value";
}

SmallVector<Value> Expander::addStage(StringRef step, ValueRange inputs,
                                      BodyBuilder body) {
  std::string name = (prefix + step).str();
  for (unsigned i = 1; !names.insert(name).second; ++i)
    name = (prefix + step + "_" + Twine(i)).str();
  Block *block = new Block;
  for (Value input : inputs)
    block->addArgument(payloadType(input.getType()), loc);
  OpBuilder::InsertPoint place = b.saveInsertionPoint();
  b.setInsertionPointToStart(block);
  SmallVector<Value> sent = body(block->getArguments());
  SendOp::create(b, loc, sent);
  b.restoreInsertionPoint(place);
  SmallVector<Type> messages;
  for (Value value : sent)
    messages.push_back(MessageType::get(b.getContext(), typeOf(value)));
  auto stage = StageOp::create(b, loc, messages, name, inputs,
                               /*fusion_group=*/IntegerAttr(),
                               /*instances=*/IntegerAttr(),
                               /*conditional=*/false);
  stage.getBody().push_back(block);
  return stage.getMessages();
}

/// `value`, which is in memory: a stage sends it if it is a constant.
Value Expander::send(Value value) {
  if (!value.getDefiningOp<arith::ConstantOp>())
    return value;
  return addStage("constant", value, [](Value constant) { return constant; });
}

SmallVector<Value> Expander::addExchange(ArrayRef<TransferAttr> transfers,
                                         ValueRange inputs, TypeRange outputs) {
  SmallVector<Value> sources;
  for (Value input : inputs)
    sources.push_back(send(input));
  SmallVector<Attribute> kinds(transfers.begin(), transfers.end());
  auto exchange =
      flow::ExchangeOp::create(b, loc, outputs, sources, b.getArrayAttr(kinds),
                               ArrayAttr(), ArrayAttr(), ArrayAttr());
  return exchange.getOutputs();
}

// Transfers move bytes: shapes of operands and results are as they are needed.

/// The tensors of all ranks, as one of this shape.
Value Expander::gather(Value source, ArrayRef<int64_t> shape) {
  Type elements = payloadType(source.getType()).getElementType();
  return addExchange(transfer(TransferKind::all_gather), source,
                     RankedTensorType::get(shape, elements))
      .front();
}

/// The same with a leading dimension more than `source` has.
Value Expander::gather(Value source) {
  Shape shape(payloadType(source.getType()).getShape());
  shape.insert(shape.begin(), ranks);
  return gather(source, shape);
}

/// The blocks for this rank, as a tensor of this shape.
Value Expander::scatter(Value source, ArrayRef<int64_t> shape) {
  Type elements = payloadType(source.getType()).getElementType();
  return addExchange(transfer(TransferKind::all_to_all), source,
                     RankedTensorType::get(shape, elements))
      .front();
}

//===----------------------------------------------------------------------===//
// In stages
//===----------------------------------------------------------------------===//

/// Moves axis `from` to where it is axis `to` of the result.
Value Expander::moveAxis(Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  RankedTensorType type = typeOf(value);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  Shape shape;
  for (int64_t axis : order)
    shape.push_back(type.getDimSize(axis));
  Value init = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(b, loc, value, init, order)->getResult(0);
}

/// Cuts an axis into blocks for the ranks, which become a leading dimension.
Value Expander::blocksFirst(Value value, int64_t axis) {
  Shape shape(typeOf(value).getShape());
  shape[axis] /= ranks;
  shape.insert(shape.begin() + axis, ranks);
  return moveAxis(reshape(value, shape), axis, 0);
}

/// The other way: a leading dimension of blocks becomes a part of an axis.
Value Expander::blocksAt(Value value, int64_t axis) {
  Value moved = moveAxis(value, 0, axis);
  Shape shape(typeOf(moved).getShape());
  shape.erase(shape.begin() + axis);
  shape[axis] *= ranks;
  return reshape(moved, shape);
}

Value Expander::slice(Value value, int64_t axis, int64_t begin, int64_t count) {
  RankedTensorType type = typeOf(value);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes,
      strides(type.getRank(), b.getIndexAttr(1));
  Shape shape(type.getShape());
  shape[axis] = count;
  offsets[axis] = b.getIndexAttr(begin);
  for (int64_t length : shape)
    sizes.push_back(b.getIndexAttr(length));
  return tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value,
      offsets, sizes, strides);
}

Value Expander::combine(Value a, Value c, Rule rule) {
  bool isFloat = isa<FloatType>(typeOf(a).getElementType());
  switch (rule) {
  case Rule::add:
    return isFloat ? arith::AddFOp::create(b, loc, a, c)->getResult(0)
                   : arith::AddIOp::create(b, loc, a, c)->getResult(0);
  case Rule::min:
    return isFloat ? arith::MinimumFOp::create(b, loc, a, c)->getResult(0)
                   : arith::MinSIOp::create(b, loc, a, c)->getResult(0);
  case Rule::max:
    return isFloat ? arith::MaximumFOp::create(b, loc, a, c)->getResult(0)
                   : arith::MaxSIOp::create(b, loc, a, c)->getResult(0);
  case Rule::minu:
    return arith::MinUIOp::create(b, loc, a, c);
  case Rule::maxu:
    return arith::MaxUIOp::create(b, loc, a, c);
  case Rule::bit_and:
    return arith::AndIOp::create(b, loc, a, c);
  case Rule::bit_or:
    return arith::OrIOp::create(b, loc, a, c);
  case Rule::bit_xor:
    return arith::XOrIOp::create(b, loc, a, c);
  case Rule::last:
    break;
  }
  llvm_unreachable("no exchange combines so");
}

/// The blocks of a leading dimension combined in the order of the ranks.
Value Expander::sum(Value blocks, ArrayRef<int64_t> shape, Rule rule) {
  auto block = [&](int64_t rank) {
    return reshape(slice(blocks, 0, rank, 1), shape);
  };
  Value result = block(0);
  for (int64_t rank = 1; rank < ranks; ++rank)
    result = combine(result, block(rank), rule);
  return result;
}

/// What a shift without `rotate` has moved: zeros where there is no source.
Value Expander::orZero(Value moved, int64_t offset) {
  auto word = RankedTensorType::get({}, b.getI32Type());
  Value rank = RankOp::create(b, loc, word);
  auto limit = static_cast<int32_t>(offset > 0 ? offset : ranks + offset);
  Value bound =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(word, limit));
  Value has = arith::CmpIOp::create(b, loc,
                                    offset > 0 ? arith::CmpIPredicate::sge
                                               : arith::CmpIPredicate::slt,
                                    rank, bound);
  return chooseElements(b, loc, has, moved, zeros(typeOf(moved)));
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

Value Expander::replace(AllGatherOp op) {
  if (op.getAxis() == 0)
    return gather(op.getSource(), op.getType().getShape());
  Value all = gather(op.getSource());
  return addStage("gather", all,
                  [&](Value blocks) { return blocksAt(blocks, op.getAxis()); });
}

/// Whether it costs less to gather whole tensors than to exchange blocks and
/// then their sums.
bool Expander::gathers(RankedTensorType type) const {
  constexpr int64_t kNsPerUs = 1000;
  int64_t bytes = static_cast<int64_t>(tensorBytes(type)) * (ranks - 1);
  auto move = [&](int64_t bytes) {
    return bytes * kNsPerUs / target.getExchangeBytesPerUs();
  };
  return move(bytes) <=
         target.getExchangeNs() + move(bytes / ranks) + move(bytes / ranks);
}

Value Expander::replace(AllReduceOp op) {
  RankedTensorType type = op.getType();
  if (gathers(type)) {
    Value all = gather(op.getSource());
    return addStage("sum", all, [&](Value blocks) {
      return sum(blocks, type.getShape(), op.getRule());
    });
  }
  int64_t elements = type.getNumElements();
  int64_t length = llvm::divideCeil(elements, ranks);
  int64_t rest = length * ranks - elements;
  Value blocks = op.getSource();
  if (rest > 0)
    blocks = addStage("blocks", op.getSource(), [&](Value value) {
      Value inputs[] = {
          reshape(value, {elements}),
          zeros(RankedTensorType::get({rest}, type.getElementType()))};
      return tensor::ConcatOp::create(b, loc, /*dim=*/0, inputs);
    });
  Value own =
      addStage("sum", scatter(blocks, {ranks, length}),
               [&](Value mine) { return sum(mine, {length}, op.getRule()); });
  if (rest == 0)
    return gather(own, type.getShape());
  return addStage("all", gather(own, {length * ranks}), [&](Value sums) {
    return reshape(slice(sums, 0, 0, elements), type.getShape());
  });
}

/// With the blocks for ranks first, if they are not.
Value Expander::cutBlocks(Value source, int64_t axis) {
  if (axis == 0)
    return source;
  return addStage("blocks", source,
                  [&](Value value) { return blocksFirst(value, axis); });
}

Value Expander::replace(ReduceScatterOp op) {
  RankedTensorType type = op.getType();
  Shape shape(type.getShape());
  shape.insert(shape.begin(), ranks);
  Value blocks = cutBlocks(op.getSource(), op.getAxis());
  return addStage("sum", scatter(blocks, shape), [&](Value mine) {
    return sum(mine, type.getShape(), op.getRule());
  });
}

Value Expander::replace(AllToAllOp op) {
  Value blocks = cutBlocks(op.getSource(), op.getSplit());
  RankedTensorType type = op.getResult().getType();
  if (op.getConcat() == 0)
    return scatter(blocks, type.getShape());
  Shape shape(type.getShape());
  shape[op.getConcat()] /= ranks;
  shape.insert(shape.begin(), ranks);
  return addStage("rows", scatter(blocks, shape),
                  [&](Value mine) { return blocksAt(mine, op.getConcat()); });
}

/// Rows that were not sent become zeros.
void Expander::replaceCounted(AllToAllOp op) {
  RankedTensorType type = op.getResult().getType();
  SmallVector<Value> moved = addExchange(
      transfer(TransferKind::all_to_all, 0, false, /*counted=*/true),
      {op.getSource(), op.getCounts()}, {type, op.getReceived().getType()});
  Shape shape(type.getShape());
  shape[0] /= ranks;
  shape.insert(shape.begin(), ranks);
  SmallVector<Value> rows = addStage("rows", moved, [&](ValueRange arguments) {
    Value came = arguments[1];
    auto sent = makeElements(
        b, loc, shape, type.getElementType(), reshape(arguments[0], shape),
        [&](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr> elements) {
          Expr count = s.read(came, indices[0]);
          return SmallVector<Value>{select(indices[1].toWord() < count,
                                           elements[0],
                                           elements[0].constant(0))};
        });
    return SmallVector<Value>{reshape(sent->getResult(0), type.getShape())};
  });
  op.getResult().replaceAllUsesWith(rows.front());
  op.getReceived().replaceAllUsesWith(moved[1]);
}

Value Expander::replace(ShiftOp op) {
  auto offset = static_cast<int64_t>(op.getOffset());
  if (op.getRotate())
    offset %= ranks;
  if (offset == 0)
    return op.getSource();
  Value moved =
      addExchange(transfer(TransferKind::shift, offset, op.getRotate()),
                  op.getSource(), op.getType())
          .front();
  if (op.getRotate())
    return moved;
  auto choose = [&](ValueRange given) { return orZero(given.front(), offset); };
  buildInStages(op.getResult(), moved, choose);
  return op.getResult().use_empty()
             ? moved
             : addStage("shifted", moved,
                        [&](Value value) { return choose(value); });
}

/// Stages that read `result` are given what it is built of, and build it
/// themselves: so it is part of whatever they compute.
void Expander::buildInStages(Value result, ValueRange given, BuildFn build) {
  llvm::SmallSetVector<StageOp, 4> stages;
  for (Operation *user : result.getUsers())
    if (auto stage = dyn_cast<StageOp>(user); stage && !stage.getInstances())
      stages.insert(stage);
  for (StageOp stage : stages) {
    Block &body = stage.getBody().front();
    for (unsigned i = 0; i < stage.getInputs().size(); ++i) {
      BlockArgument argument = body.getArgument(i);
      // What a stage is when it does not run is an operand as it is.
      if (stage.getInputs()[i] != result || argument == stage.getCondition() ||
          llvm::is_contained(stage.getSend().getOtherwise(), argument))
        continue;
      SmallVector<Value> inside;
      for (auto [k, value] : llvm::enumerate(given)) {
        stage->insertOperands(i + 1 + k, value);
        inside.push_back(
            body.insertArgument(i + 1 + k, payloadType(value.getType()), loc));
      }
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&body);
      argument.replaceAllUsesWith(build(inside));
      body.eraseArgument(i);
      stage->eraseOperand(i);
      i += given.size() - 1;
    }
  }
}

/// Edges go to both neighbours in one exchange.
Value Expander::replace(UpdateHaloOp op) {
  int64_t axis = op.getAxis();
  int64_t rows = payloadType(op.getSource().getType()).getDimSize(axis);
  auto before = static_cast<int64_t>(op.getBefore());
  auto after = static_cast<int64_t>(op.getAfter());
  SmallVector<Value> edges =
      addStage("edges", op.getSource(), [&](ValueRange own) {
        SmallVector<Value> cut;
        if (before > 0)
          cut.push_back(slice(own.front(), axis, rows - before, before));
        if (after > 0)
          cut.push_back(slice(own.front(), axis, 0, after));
        return cut;
      });
  SmallVector<int64_t> offsets;
  if (before > 0)
    offsets.push_back(1);
  if (after > 0)
    offsets.push_back(-1);
  if (ranks > 1) {
    SmallVector<TransferAttr> transfers;
    SmallVector<Type> types;
    for (auto [edge, offset] : llvm::zip_equal(edges, offsets)) {
      transfers.push_back(
          transfer(TransferKind::shift, offset, op.getRotate()));
      types.push_back(payloadType(edge.getType()));
    }
    edges = addExchange(transfers, edges, types);
  }
  SmallVector<Value> inputs = {op.getSource()};
  llvm::append_range(inputs, edges);
  auto join = [&](ValueRange given) -> Value {
    SmallVector<Value> parts(given.drop_front());
    for (auto [part, offset] : llvm::zip_equal(parts, offsets))
      if (!op.getRotate())
        part = ranks > 1 ? orZero(part, offset) : zeros(typeOf(part));
    parts.insert(parts.begin() + (before > 0), given.front());
    return tensor::ConcatOp::create(b, loc, axis, parts);
  };
  buildInStages(op.getResult(), inputs, join);
  if (op.getResult().use_empty())
    return op.getSource();
  return addStage(
             "halo", inputs,
             [&](ValueRange given) { return SmallVector<Value>{join(given)}; })
      .front();
}

void Expander::expand(Operation *exchange) {
  b.setInsertionPoint(exchange);
  loc = exchange->getLoc();
  prefix = (getSourceName(exchange->getOperand(0)) + "." +
            exchange->getName().stripDialect() + ".")
               .str();
  auto all = dyn_cast<AllToAllOp>(exchange);
  auto shift = dyn_cast<ShiftOp>(exchange);
  bool isLost = shift && !shift.getRotate() &&
                std::abs(int64_t(shift.getOffset())) >= ranks;
  if (all && all.getCounts()) {
    replaceCounted(all);
  } else if (isLost) {
    exchange->getResult(0).replaceAllUsesWith(
        addStage("shifted", shift.getSource(),
                 [&](Value value) { return zeros(typeOf(value)); }));
  } else if (ranks == 1 && !isa<UpdateHaloOp>(exchange)) {
    exchange->getResult(0).replaceAllUsesWith(send(exchange->getOperand(0)));
  } else {
    Value result =
        TypeSwitch<Operation *, Value>(exchange)
            .Case<AllGatherOp, AllReduceOp, ReduceScatterOp, AllToAllOp,
                  ShiftOp, UpdateHaloOp>([&](auto op) { return replace(op); });
    exchange->getResult(0).replaceAllUsesWith(result);
  }
  exchange->erase();
}

//===----------------------------------------------------------------------===//
// Loops that all ranks end together
//===----------------------------------------------------------------------===//

namespace {
/// Finds out whether values are the same on all ranks.
class Uniformity {
public:
  bool isUniform(Value value);

private:
  bool isUniform(StageOp stage);

  /// Seen before: uniform if all others are.
  llvm::DenseSet<Value> seen;
};
} // namespace

/// Whether what the stage sends depends only on its operands.
bool Uniformity::isUniform(StageOp stage) {
  WalkResult result = stage.getBody().walk([](Operation *op) {
    auto metadata = dyn_cast<MetadataOp>(op);
    bool isOwn = isa<RankOp, LoadOp, InvokeOp>(op) ||
                 (metadata && metadata.getField() == Field::ticks);
    return isOwn ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted() &&
         llvm::all_of(stage.getInputs(),
                      [&](Value input) { return isUniform(input); });
}

bool Uniformity::isUniform(Value value) {
  if (!seen.insert(value).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto repeat = dyn_cast<RepeatOp>(argument.getOwner()->getParentOp());
    unsigned number = argument.getArgNumber();
    if (!repeat)
      return false;
    if (number == repeat.getInitial().size()) // The number of the iteration.
      return true;
    return isUniform(repeat.getInitial()[number]) &&
           isUniform(repeat.getNext().getValues()[number]);
  }
  Operation *op = value.getDefiningOp();
  if (isa<AllGatherOp, AllReduceOp, NumRanksOp, arith::ConstantOp>(op))
    return true;
  if (auto stage = dyn_cast<StageOp>(op))
    return isUniform(stage);
  if (auto repeat = dyn_cast<RepeatOp>(op)) {
    // Ranks may end it after different iterations, unless they end together.
    Value until = repeat.getNext().getUntil();
    return isUniform(
               repeat.getNext()
                   .getValues()[cast<OpResult>(value).getResultNumber()]) &&
           (!until || hasExchanges(repeat) || isUniform(until));
  }
  return false;
}

/// The repeats with exchanges end where the conditions of all ranks are true.
static void endTogether(ProgramOp program) {
  SmallVector<RepeatOp> repeats;
  program.walk([&](RepeatOp repeat) {
    Value until = repeat.getNext().getUntil();
    if (until && hasExchanges(repeat) && !Uniformity().isUniform(until))
      repeats.push_back(repeat);
  });
  for (RepeatOp repeat : repeats) {
    NextOp next = repeat.getNext();
    OpBuilder b(next);
    next.getUntilMutable().assign(AllReduceOp::create(
        b, next.getLoc(), payloadType(next.getUntil().getType()),
        next.getUntil(), Rule::bit_and));
  }
}

//===----------------------------------------------------------------------===//
// Numbers of ranks
//===----------------------------------------------------------------------===//

/// Moves `op`, which stands between stages, into the stages that are given it,
/// or into one that sends it.
static void sink(Operation *op) {
  Value value = op->getResult(0);
  auto findUse = [&] {
    return llvm::find_if(value.getUses(), [](OpOperand &use) {
      return isa<StageOp>(use.getOwner());
    });
  };
  for (auto use = findUse(); use != value.use_end(); use = findUse()) {
    auto stage = cast<StageOp>(use->getOwner());
    Block &body = stage.getBody().front();
    unsigned number = use->getOperandNumber();
    auto b = OpBuilder::atBlockBegin(&body);
    body.getArgument(number).replaceAllUsesWith(b.clone(*op)->getResult(0));
    body.eraseArgument(number);
    stage->eraseOperand(number);
  }
  if (!value.use_empty()) {
    OpBuilder b(op);
    auto program = op->getParentOfType<ProgramOp>();
    llvm::StringSet<> names;
    program.walk([&](Operation *inner) {
      if (auto name = inner->getAttrOfType<StringAttr>(
              SymbolTable::getSymbolAttrName()))
        names.insert(name);
    });
    std::string name = op->getName().stripDialect().str();
    while (!names.insert(name).second)
      name += "_";
    auto stage = StageOp::create(
        b, op->getLoc(), MessageType::get(b.getContext(), typeOf(value)), name,
        ValueRange(), IntegerAttr(), IntegerAttr(), /*conditional=*/false);
    auto inside = OpBuilder::atBlockEnd(&stage.getBody().emplaceBlock());
    SendOp::create(inside, op->getLoc(), inside.clone(*op)->getResults());
    value.replaceAllUsesWith(stage.getMessages().front());
  }
  op->erase();
}

/// Loads of the control symbols, or constants.
static void lowerNumbers(ProgramOp program) {
  SmallVector<Operation *> between, all;
  program.walk([&](Operation *op) {
    if (isa<RankOp, NumRanksOp>(op) && !isa<StageOp>(op->getParentOp()))
      between.push_back(op);
  });
  llvm::for_each(between, sink);
  program.walk([&](Operation *op) {
    if (isa<RankOp, NumRanksOp>(op))
      all.push_back(op);
  });
  std::optional<uint64_t> ranks = program.getRanks();
  for (Operation *op : all) {
    OpBuilder b(op);
    auto word = RankedTensorType::get({}, b.getI32Type());
    bool isRank = isa<RankOp>(op);
    Value value;
    if (ranks && (!isRank || *ranks == 1)) {
      auto number = static_cast<int32_t>(isRank ? 0 : *ranks);
      value = arith::ConstantOp::create(b, op->getLoc(),
                                        DenseElementsAttr::get(word, number));
    } else {
      StringRef name = isRank ? kRankSymbol : kRanksSymbol;
      if (!SymbolTable::lookupSymbolIn(program, name)) {
        auto first = OpBuilder::atBlockBegin(&program.getBody().front());
        auto alone = DenseElementsAttr::get(word, int32_t(!isRank));
        ControlOp::create(first, program.getLoc(), name, word, alone,
                          StringAttr(), WindowAttr(), IntegerAttr(),
                          /*shared=*/true);
      }
      value = LoadOp::create(b, op->getLoc(), word,
                             FlatSymbolRefAttr::get(b.getContext(), name),
                             IntegerAttr());
    }
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
}

void ExpandExchanges::runOnOperation() {
  ProgramOp program = getOperation();
  if (program.getRanks()) {
    if (*program.getRanks() > 1)
      endTogether(program);
    SmallVector<Operation *> exchanges;
    program.walk([&](Operation *op) {
      if (op->hasTrait<IsExchange>() && !isa<flow::ExchangeOp>(op))
        exchanges.push_back(op);
    });
    Expander expander(program);
    for (Operation *exchange : exchanges)
      expander.expand(exchange);
  }
  lowerNumbers(program);
}
