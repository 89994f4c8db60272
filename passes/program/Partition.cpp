//===- Partition.cpp - the program of one rank of one on whole tensors ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/expand/Generalize.h"
#include "passes/program/StageCutter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_PARTITION
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct Partition : gpuvm::impl::PartitionBase<Partition> {
  using PartitionBase::PartitionBase;
  void runOnOperation() override;
};
} // namespace

SmallVector<Value> gpuvm::getReads(Operation *op) {
  SetVector<Value> reads(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads.takeVector();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Partitioner::Partitioner(ProgramOp program, bool exact)
    : program(program), exact(exact),
      ranks(static_cast<int64_t>(*program.getRanks())),
      b(program.getContext()) {
  readsMetadata =
      program.walk([](MetadataOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  program.walk([&](Operation *op) {
    if (auto name =
            op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      names.insert(name);
  });
}

std::string Partitioner::uniqueName(const Twine &name) {
  std::string unique = name.str();
  for (unsigned i = 1; !names.insert(unique).second; ++i)
    unique = (name + "_" + Twine(i)).str();
  return unique;
}

void Partitioner::define(Value value, Value now, Axis axis) {
  built[value] = now;
  axes[value] = axis;
  gathered.erase(value);
  widened.erase(value);
  halos[value].wide = nullptr;
  losses.erase(value);
  if (margin.rows != 0)
    withMargin.insert(value);
  else
    withMargin.erase(value);
}

Value Partitioner::blockOf(Value value) {
  Value block = lookup(value);
  Axis axis = axisOf(value);
  if (margin.rows == 0 || !axis || !block || withMargin.contains(value))
    return block;
  Value &wide = widened[value];
  if (wide)
    return wide;
  if (payloadType(value.getType()).getDimSize(*axis) != margin.length)
    refuseMargin();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(block);
  wide = widen(block, axis, margin);
  return wide;
}

RankedTensorType Partitioner::blockOf(RankedTensorType type, int64_t axis) {
  int64_t length = type.getDimSize(axis);
  if (margin.rows != 0 && length != margin.length)
    refuseMargin();
  return withRows(type, axis, length / ranks + 2 * margin.rows);
}

/// The gather stands where the block is there, outside of repeats if that is.
Value Partitioner::whole(Value value) {
  Axis axis = axisOf(value);
  if (!axis)
    return lookup(value);
  if (withMargin.contains(value))
    refuseMargin();
  Value &all = gathered[value];
  if (!all) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(lookup(value));
    all = AllGatherOp::create(b, value.getLoc(), payloadType(value.getType()),
                              lookup(value), *axis);
  }
  return all;
}

const Partitioner::Halo &Partitioner::halo(Value value, const RowReach &reach) {
  Halo &halo = halos[value];
  RowReach all = halo.reach;
  all.add(reach);
  if (halo.wide && all == halo.reach)
    return halo;
  halo.reach = all;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(lookup(value));
  int64_t axis = *axisOf(value);
  RankedTensorType type = blockOf(payloadType(value.getType()), axis);
  type = withRows(type, axis, type.getDimSize(axis) + all.before + all.after);
  halo.wide = UpdateHaloOp::create(b, value.getLoc(), type, lookup(value), axis,
                                   all.before, all.after, all.wraps);
  return halo;
}

StageOp Partitioner::addStage(Location loc, StringRef name, ValueRange inputs,
                              Block *body) {
  SmallVector<Type> messages;
  for (Value value : cast<SendOp>(body->getTerminator()).getPayloads())
    messages.push_back(MessageType::get(b.getContext(), typeOf(value)));
  auto stage = StageOp::create(b, loc, messages, name, inputs,
                               /*fusion_group=*/IntegerAttr(),
                               /*instances=*/IntegerAttr(),
                               /*conditional=*/false);
  stage.getBody().push_back(body);
  return stage;
}

Value gpuvm::blockBegin(OpBuilder &b, Location loc, Value rank,
                        int64_t length) {
  Value number = tensor::ExtractOp::create(b, loc, rank, ValueRange());
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  Value rows = arith::ConstantIndexOp::create(b, loc, length);
  return arith::MulIOp::create(b, loc, index, rows);
}

RankedTensorType gpuvm::withRows(RankedTensorType type, int64_t axis,
                                 int64_t rows) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = rows;
  return RankedTensorType::get(shape, type.getElementType());
}

Value gpuvm::sliceRows(OpBuilder &b, Location loc, Value value, int64_t axis,
                       OpFoldResult first, int64_t rows) {
  RankedTensorType type =
      withRows(cast<RankedTensorType>(value.getType()), axis, rows);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes,
      strides(type.getRank(), b.getIndexAttr(1));
  offsets[axis] = first;
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  return tensor::ExtractSliceOp::create(b, loc, type, value, offsets, sizes,
                                        strides);
}

Value gpuvm::cutConstant(OpBuilder &b, Value value, RankedTensorType block) {
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(b, value.getLoc(), block.getShape(),
                                   block.getElementType());
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return nullptr;
  return arith::ConstantOp::create(b, value.getLoc(), splat.resizeSplat(block));
}

/// `value` cut along `axis`, or whole without one.
Value Partitioner::cut(Value value, Axis axis) {
  if (!axis)
    return whole(value);
  if (axisOf(value) == axis)
    return blockOf(value);
  Value all = whole(value);
  Location loc = value.getLoc();
  RankedTensorType type = blockOf(payloadType(value.getType()), *axis);
  if (Value constant = cutConstant(b, all, type))
    return constant;
  if (margin.rows != 0)
    refuseMargin();
  auto *body = new Block;
  Value argument = body->addArgument(payloadType(all.getType()), loc);
  OpBuilder inside(b.getContext());
  inside.setInsertionPointToStart(body);
  Value rank =
      RankOp::create(inside, loc, RankedTensorType::get({}, b.getI32Type()));
  int64_t rows = type.getDimSize(*axis);
  Value begin = blockBegin(inside, loc, rank, rows);
  SendOp::create(inside, loc,
                 sliceRows(inside, loc, argument, *axis, begin, rows));
  return addStage(loc, uniqueName("block"), all, body).getMessages().front();
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// Whether `type` is of a number, or of a tensor with elements that are known
/// before anything runs.
static bool isPlain(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.hasStaticShape() && !tensor.getEncoding()
                : type.isIntOrIndexOrFloat();
}

/// Whether a stage always runs, as one, on tensors of which all is known.
static bool canBeGeneral(StageOp stage) {
  if (stage.getConditional() || stage.getInstances() ||
      !llvm::all_of(stage.getBody().getArgumentTypes(), isPlain))
    return false;
  return !stage.getBody()
              .walk([](Operation *op) {
                bool ok = !isa<InvokeOp, MetadataOp>(op) &&
                          llvm::all_of(op->getResultTypes(), isPlain);
                return ok ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

bool Partitioner::canBeCut(StageOp stage) const {
  return !readsMetadata && canBeGeneral(stage);
}

void Partitioner::place(StageOp stage) {
  auto isCut = [&](Value input) { return axisOf(input).has_value(); };
  if (llvm::any_of(stage.getInputs(), isCut)) {
    if (canBeCut(stage))
      return StageCutter(*this, stage).run();
    remark(stage, "is computed whole on every rank: it has a condition, "
                  "instances, bounded or packed operands, calls a kernel, or "
                  "metadata are read");
  }
  IRMapping mapping;
  for (Value input : stage.getInputs())
    mapping.map(input, whole(input));
  Operation *copy = b.clone(*stage, mapping);
  for (auto [message, now] :
       llvm::zip_equal(stage.getMessages(), copy->getResults()))
    define(message, now, std::nullopt);
}

/// The repeat from these initial values on, which are cut so.
RepeatOp Partitioner::build(RepeatOp repeat, ValueRange initial,
                            ArrayRef<Axis> cuts) {
  SmallVector<Type> types;
  for (Value value : initial)
    types.push_back(
        MessageType::get(b.getContext(), payloadType(value.getType())));
  auto copy = cast<RepeatOp>(b.cloneWithoutRegions(*repeat.getOperation()));
  copy->setOperands(initial);
  for (auto [result, type] : llvm::zip_equal(copy.getLast(), types))
    result.setType(type);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&copy.getBody());
  for (BlockArgument old : repeat.getBody().getArguments()) {
    unsigned i = old.getArgNumber();
    Axis axis = i < cuts.size() ? cuts[i] : std::nullopt;
    Type type = i < cuts.size() ? types[i] : old.getType();
    define(old, body->addArgument(type, old.getLoc()), axis);
  }
  b.setInsertionPointToEnd(body);
  for (Operation &op : repeat.getBody().front().without_terminator())
    place(op);
  return copy;
}

/// Iteration values are cut as their initial values and next ones are. First
/// they are taken to be as the initial ones, then as the next ones; what is
/// neither is whole.
void Partitioner::place(RepeatOp repeat) {
  NextOp next = repeat.getNext();
  SmallVector<Axis> cuts;
  for (Value value : repeat.getInitial())
    cuts.push_back(axisOf(value));
  size_t numRemarks = remarks.size();
  RepeatOp copy;
  for (bool isFirst = true;; isFirst = false) {
    SmallVector<Value> initial;
    for (auto [value, axis] : llvm::zip_equal(repeat.getInitial(), cuts))
      initial.push_back(cut(value, axis));
    llvm::StringSet<> before = names;
    copy = build(repeat, initial, cuts);
    bool isSettled = true;
    for (auto [axis, value] : llvm::zip_equal(cuts, next.getValues())) {
      Axis given = axisOf(value);
      if (given == axis || (!axis && !isFirst))
        continue;
      axis = axis ? std::nullopt : given;
      isSettled = false;
    }
    if (isSettled)
      break;
    copy.erase();
    names = before;
    remarks.resize(numRemarks);
  }
  close(repeat, copy, cuts);
  std::optional<SmallVector<Value>> results = deepen(repeat, copy, cuts);
  if (results)
    copy.erase();
  else
    results.emplace(copy.getLast());
  for (auto [result, now, axis] :
       llvm::zip_equal(repeat.getLast(), *results, cuts))
    define(result, now, axis);
}

/// Ends the body of a repeat that has been built.
void Partitioner::close(RepeatOp repeat, RepeatOp copy, ArrayRef<Axis> cuts) {
  NextOp next = repeat.getNext();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&copy.getBody().front());
  SmallVector<Value> values;
  for (auto [value, axis] : llvm::zip_equal(next.getValues(), cuts))
    values.push_back(cut(value, axis));
  Value until = next.getUntil() ? whole(next.getUntil()) : Value();
  NextOp::create(b, next.getLoc(), values, until);
}

void Partitioner::place(Operation &op) {
  if (auto stage = dyn_cast<StageOp>(op))
    return place(stage);
  if (auto repeat = dyn_cast<RepeatOp>(op))
    return place(repeat);
  Operation *copy = b.clone(op); // Symbols, functions, constants.
  for (auto [result, now] :
       llvm::zip_equal(op.getResults(), copy->getResults()))
    define(result, now, std::nullopt);
}

/// Exchanges that a repeat took when its values were thought to be cut
/// otherwise.
void Partitioner::eraseUnused() {
  program.walk([](Operation *op) {
    if (isa<AllGatherOp, UpdateHaloOp>(op) && op->use_empty())
      op->erase();
  });
}

void Partitioner::run() {
  Block &old = program.getBody().front();
  llvm::StringSet<> before = names;
  FunctionType type = build(old);
  if (llvm::any_of(halos, [](auto &each) { return each.second.wide; })) {
    // Now it is known how many rows each has to have.
    Block &draft = program.getBody().back();
    draft.dropAllReferences();
    draft.erase();
    names = before;
    remarks.clear();
    for (auto &[value, halo] : halos)
      halo.wide = nullptr;
    type = build(old);
  }
  for (auto &[op, text] : remarks)
    op->emitRemark(text);
  old.dropAllReferences();
  old.erase();
  program.setFunctionType(type);
  eraseUnused();
}

/// Builds the program of a rank after the block of the whole one, and returns
/// its type.
FunctionType Partitioner::build(Block &old) {
  auto *body = new Block;
  program.getBody().push_back(body);
  b.setInsertionPointToEnd(body);
  SmallVector<Type> inputs, outputs;
  for (BlockArgument argument : old.getArguments()) {
    Type type = argument.getType();
    Axis axis;
    if (auto sharding = ProgramOp::getSharding(program.getInputShardings(),
                                               argument.getArgNumber())) {
      axis = sharding.getAxis();
      type = blockOf(cast<RankedTensorType>(type), *axis);
    }
    inputs.push_back(type);
    define(argument, body->addArgument(type, argument.getLoc()), axis);
  }
  for (Operation &op : old.without_terminator())
    place(op);
  auto last = cast<ReturnOp>(old.getTerminator());
  SmallVector<Value> values;
  for (auto [i, value] : llvm::enumerate(last.getValues())) {
    auto sharding = ProgramOp::getSharding(program.getOutputShardings(), i);
    values.push_back(cut(value, sharding ? Axis(sharding.getAxis()) : Axis()));
    Type type = program.getProgramType().getResult(i);
    outputs.push_back(
        sharding ? blockOf(cast<RankedTensorType>(type), sharding.getAxis())
                 : type);
  }
  ReturnOp::create(b, last.getLoc(), values);
  return b.getFunctionType(inputs, outputs);
}

void Partition::runOnOperation() {
  ProgramOp program = getOperation();
  if (!program.isGlobalView())
    return;
  if (*program.getRanks() > 1) {
    FrozenRewritePatternSet patterns = getDensePatterns(&getContext());
    WalkResult result = program.walk([&](StageOp stage) {
      return canBeGeneral(stage) && failed(generalizeDense(stage, patterns))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    Partitioner(program, exact).run();
  }
  program.removeInputShardingsAttr();
  program.removeOutputShardingsAttr();
}
