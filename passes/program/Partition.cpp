//===- Partition.cpp - the program of one rank of one on whole tensors ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are whole on all ranks, or cut along an axis: then each rank has its
// block. The program is built anew, in its order. An operation that works on
// blocks as they are stays in its stage. Where one needs what other ranks have,
// its stage is cut, and an exchange stands between the two parts.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/expand/Generalize.h"
#include "passes/program/CutLoops.h"

#include "dialects/gpuvm/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_PARTITION
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

struct Partition : gpuvm::impl::PartitionBase<Partition> {
  void runOnOperation() override;
};

/// Where the values of the program are, and the program that is built.
class Partitioner {
public:
  explicit Partitioner(ProgramOp program);
  void run();

  Axis axisOf(Value value) const { return axes.lookup(value); }
  /// What has been built for `value`: a block if it is cut.
  Value lookup(Value value) const { return built.lookup(value); }
  void define(Value value, Value now, Axis axis);
  /// The whole of `value`, after a gather if it is cut.
  Value whole(Value value);
  RankedTensorType blockOf(RankedTensorType type, int64_t axis) const;
  int64_t getRanks() const { return ranks; }
  OpBuilder &builder() { return b; }
  StageOp addStage(Location loc, StringRef name, ValueRange inputs,
                   Block *body);
  std::string uniqueName(const Twine &name);
  void remark(Operation *op, const Twine &text) {
    remarks.emplace_back(op, text.str());
  }

private:
  void place(Operation &op);
  void place(StageOp stage);
  void place(RepeatOp repeat);
  RepeatOp build(RepeatOp repeat, ValueRange initial, ArrayRef<Axis> cuts);
  Value cut(Value value, Axis axis);
  bool canBeCut(StageOp stage) const;
  void eraseUnused();

  ProgramOp program;
  int64_t ranks;
  OpBuilder b;
  bool readsMetadata; ///< Of messages, whose words are those of the whole.
  llvm::DenseMap<Value, Axis> axes;
  llvm::DenseMap<Value, Value> built, gathered;
  llvm::StringSet<> names;
  std::vector<std::pair<Operation *, std::string>> remarks;
};

/// Builds the stages that a stage becomes: one, and one more for each time that
/// it needs what other ranks have.
class StageCutter {
public:
  StageCutter(Partitioner &all, StageOp stage)
      : all(all), stage(stage), b(stage.getContext()) {
    open();
  }
  void run();

private:
  void open();
  void close(ValueRange forced = {});
  bool isUsedLater(Value value);
  void place(Operation &op);
  void placeWhole(Operation &op, StringRef reason);
  bool placeLoop(linalg::GenericOp op);
  void placeReduction(linalg::GenericOp op, const LoopCut &cut);
  linalg::GenericOp emit(linalg::GenericOp op, const LoopCut &cut,
                         ValueRange inits);
  bool placeMove(Operation &op);
  void numberFromRank(linalg::GenericOp op, unsigned loop, int64_t length);

  /// The value of the program that one of the body is, or comes in by.
  Value source(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? stage.getInputs()[argument.getArgNumber()] : value;
  }
  Axis axisOf(Value value) { return all.axisOf(source(value)); }
  void needWhole(Value value);
  Value here(Value value);
  Value wholeHere(Value value);
  Value blockHere(Value value, int64_t axis);
  Value argument(Value value);
  Value getRank();
  void define(Value value, Value now, Axis axis) {
    all.define(value, Value(), axis);
    inside[value] = now;
  }

  Partitioner &all;
  StageOp stage;
  OpBuilder b; ///< At the end of the stage that is being built.
  Block *body = nullptr;
  SmallVector<Value> inputs; ///< Of it.
  llvm::DenseMap<Value, Value> arguments, constants;
  llvm::MapVector<Value, Value> inside; ///< What it computes.
  Value rank;
  llvm::DenseSet<Operation *> done;
};

} // namespace

/// All that `op` reads: operands, and what its body takes from around it.
static SmallVector<Value> getReads(Operation *op) {
  SetVector<Value> reads(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads.takeVector();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Partitioner::Partitioner(ProgramOp program)
    : program(program), ranks(static_cast<int64_t>(*program.getRanks())),
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
}

RankedTensorType Partitioner::blockOf(RankedTensorType type,
                                      int64_t axis) const {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= ranks;
  return RankedTensorType::get(shape, type.getElementType());
}

/// The gather stands where the block is there, outside of repeats if that is.
Value Partitioner::whole(Value value) {
  Axis axis = axisOf(value);
  if (!axis)
    return lookup(value);
  Value &all = gathered[value];
  if (!all) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(lookup(value));
    all = AllGatherOp::create(b, value.getLoc(), payloadType(value.getType()),
                              lookup(value), *axis);
  }
  return all;
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

/// The number of the first row of the block of a rank, rows of which it has
/// `length`.
static Value blockBegin(OpBuilder &b, Location loc, Value rank,
                        int64_t length) {
  Value number = tensor::ExtractOp::create(b, loc, rank, ValueRange());
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  Value rows = arith::ConstantIndexOp::create(b, loc, length);
  return arith::MulIOp::create(b, loc, index, rows);
}

/// The block of `whole` that a rank has.
static Value cutBlock(OpBuilder &b, Location loc, Value whole, int64_t axis,
                      RankedTensorType block, Value rank) {
  Value begin = blockBegin(b, loc, rank, block.getDimSize(axis));
  SmallVector<OpFoldResult> offsets(block.getRank(), b.getIndexAttr(0)), sizes,
      strides(block.getRank(), b.getIndexAttr(1));
  offsets[axis] = begin;
  for (int64_t size : block.getShape())
    sizes.push_back(b.getIndexAttr(size));
  return tensor::ExtractSliceOp::create(b, loc, block, whole, offsets, sizes,
                                        strides);
}

/// A block of a constant with equal elements, which is the same for all ranks;
/// null if `value` is none.
static Value cutConstant(OpBuilder &b, Value value, RankedTensorType block) {
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
    return lookup(value);
  Value all = whole(value);
  Location loc = value.getLoc();
  RankedTensorType type = blockOf(payloadType(value.getType()), *axis);
  if (Value constant = cutConstant(b, all, type))
    return constant;
  auto *body = new Block;
  Value argument = body->addArgument(payloadType(all.getType()), loc);
  OpBuilder inside(b.getContext());
  inside.setInsertionPointToStart(body);
  Value rank =
      RankOp::create(inside, loc, RankedTensorType::get({}, b.getI32Type()));
  SendOp::create(inside, loc,
                 cutBlock(inside, loc, argument, *axis, type, rank));
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
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&copy.getBody().front());
  SmallVector<Value> values;
  for (auto [value, axis] : llvm::zip_equal(next.getValues(), cuts))
    values.push_back(cut(value, axis));
  Value until = next.getUntil() ? whole(next.getUntil()) : Value();
  NextOp::create(b, next.getLoc(), values, until);
  for (auto [result, now, axis] :
       llvm::zip_equal(repeat.getLast(), copy.getLast(), cuts))
    define(result, now, axis);
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

/// Gathers that a repeat took when its values were thought to be cut otherwise.
void Partitioner::eraseUnused() {
  program.walk([](Operation *op) {
    if (isa<AllGatherOp>(op) && op->use_empty())
      op->erase();
  });
}

void Partitioner::run() {
  Block &old = program.getBody().front();
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
  for (auto &[op, text] : remarks)
    op->emitRemark(text);
  old.dropAllReferences();
  old.erase();
  program.setFunctionType(b.getFunctionType(inputs, outputs));
  eraseUnused();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void StageCutter::open() {
  body = new Block;
  b.setInsertionPointToEnd(body);
  inputs.clear();
  arguments.clear();
  constants.clear();
  inside.clear();
  rank = nullptr;
}

bool StageCutter::isUsedLater(Value value) {
  Block &old = stage.getBody().front();
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !done.contains(old.findAncestorOpInBlock(*user));
  });
}

/// Ends the stage that is being built: it sends what is read later.
void StageCutter::close(ValueRange forced) {
  SmallVector<Value> old, sent;
  for (auto [value, now] : inside)
    if (isUsedLater(value) || llvm::is_contained(forced, value)) {
      old.push_back(value);
      sent.push_back(now);
    }
  bool stores = !body->getOps<StoreOp>().empty();
  if (sent.empty() && !stores) {
    body->dropAllReferences();
    delete body;
    return open();
  }
  SendOp::create(b, stage.getLoc(), sent);
  StageOp part =
      all.addStage(stage.getLoc(), all.uniqueName(stage.getSymName() + ".part"),
                   inputs, body);
  for (auto [value, message] : llvm::zip_equal(old, part.getMessages()))
    all.define(value, message, all.axisOf(value));
  open();
}

Value StageCutter::argument(Value value) {
  Value &argument = arguments[value];
  if (!argument) {
    inputs.push_back(value);
    argument = body->addArgument(payloadType(value.getType()), value.getLoc());
  }
  return argument;
}

/// The value, or the block of it that the rank has, in this stage.
Value StageCutter::here(Value value) {
  if (auto known = inside.find(value); known != inside.end())
    return known->second;
  Operation *maker = value.getDefiningOp();
  if (!maker || !isa<arith::ConstantOp, tensor::EmptyOp>(maker))
    return argument(all.lookup(source(value)));
  Value &constant = constants[value];
  if (!constant)
    constant = b.clone(*maker)->getResult(0);
  return constant;
}

/// Exchanges what is cut and will be read whole in this stage.
void StageCutter::needWhole(Value value) {
  if (!axisOf(value))
    return;
  if (inside.count(value))
    close(value);
  all.whole(source(value));
}

Value StageCutter::wholeHere(Value value) {
  return axisOf(value) ? argument(all.whole(source(value))) : here(value);
}

Value StageCutter::getRank() {
  if (!rank)
    rank = RankOp::create(b, stage.getLoc(),
                          RankedTensorType::get({}, b.getI32Type()));
  return rank;
}

/// The block that the rank has if `value` is cut along `axis`.
Value StageCutter::blockHere(Value value, int64_t axis) {
  if (axisOf(value) == axis)
    return here(value);
  RankedTensorType type = all.blockOf(typeOf(value), axis);
  if (!axisOf(value))
    if (Value constant = cutConstant(b, value, type))
      return constant;
  return cutBlock(b, value.getLoc(), wholeHere(value), axis, type, getRank());
}

/// Computes `op` on all ranks, on all there is.
void StageCutter::placeWhole(Operation &op, StringRef reason) {
  SmallVector<Value> reads = getReads(&op);
  if (llvm::any_of(reads, [&](Value v) { return axisOf(v).has_value(); }) &&
      !isa<SendOp>(op))
    all.remark(&op, "is computed whole on every rank, after an all_gather: " +
                        reason);
  llvm::for_each(reads, [&](Value value) { needWhole(value); });
  IRMapping mapping;
  for (Value value : reads)
    mapping.map(value, wholeHere(value));
  Operation *copy = b.clone(op, mapping);
  for (auto [result, now] :
       llvm::zip_equal(op.getResults(), copy->getResults()))
    define(result, now, std::nullopt);
}

/// Numbers of the loop are those of the whole: they begin with the block's.
void StageCutter::numberFromRank(linalg::GenericOp op, unsigned loop,
                                 int64_t length) {
  SmallVector<linalg::IndexOp> indices;
  op.walk([&](linalg::IndexOp index) {
    if (index.getDim() == loop)
      indices.push_back(index);
  });
  if (indices.empty())
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  Value number = getRank();
  for (linalg::IndexOp index : indices) {
    b.setInsertionPointAfter(index);
    Location loc = index.getLoc();
    Value begin = blockBegin(b, loc, number, length);
    auto sum = arith::AddIOp::create(b, loc, begin, index);
    index.getResult().replaceAllUsesExcept(sum, sum);
  }
}

/// `op` on the blocks of a loop, with these initial values.
linalg::GenericOp StageCutter::emit(linalg::GenericOp op, const LoopCut &cut,
                                    ValueRange inits) {
  SmallVector<Value> operands;
  for (auto [operand, axis] : llvm::zip(op.getDpsInputs(), cut.operandAxes))
    operands.push_back(axis ? blockHere(operand, *axis) : wholeHere(operand));
  llvm::append_range(operands, inits);
  IRMapping mapping;
  SetVector<Value> tables;
  getUsedValuesDefinedAbove(op->getRegions(), tables);
  for (Value table : tables)
    mapping.map(table, wholeHere(table));
  auto copy = cast<linalg::GenericOp>(b.clone(*op, mapping));
  copy->setOperands(operands);
  for (auto [result, init] : llvm::zip_equal(copy.getResults(), inits))
    result.setType(init.getType());
  numberFromRank(copy, cut.loop,
                 op.getStaticLoopRanges()[cut.loop] / all.getRanks());
  return copy;
}

/// Each rank reduces its blocks; what it has then is combined.
void StageCutter::placeReduction(linalg::GenericOp op, const LoopCut &cut) {
  SmallVector<Value> inits;
  SmallVector<bool> isLeft; // The initial value is still to be added.
  for (auto [init, rule] : llvm::zip_equal(op.getDpsInits(), cut.rules)) {
    Value whole = wholeHere(init);
    bool adds = rule == Rule::add || rule == Rule::bit_xor;
    isLeft.push_back(adds && !matchPattern(init, m_Zero()));
    inits.push_back(isLeft.back()
                        ? arith::ConstantOp::create(b, op.getLoc(),
                                                    b.getZeroAttr(typeOf(init)))
                        : whole);
  }
  linalg::GenericOp copy = emit(op, cut, inits);
  copy->removeAttr(kOrderAttr); // Any order has the same bits.
  for (auto [result, now] : llvm::zip_equal(op.getResults(), copy.getResults()))
    define(result, now, std::nullopt);
  close(op.getResults());
  for (auto [result, rule] : llvm::zip_equal(op.getResults(), cut.rules))
    all.define(result,
               AllReduceOp::create(all.builder(), op.getLoc(), typeOf(result),
                                   all.lookup(result), rule),
               std::nullopt);
  for (auto [result, init, rule, left] :
       llvm::zip_equal(op.getResults(), op.getDpsInits(), cut.rules, isLeft)) {
    if (!left)
      continue;
    Value sum = here(result), first = wholeHere(init);
    Value now =
        rule == Rule::add
            ? arith::AddIOp::create(b, op.getLoc(), sum, first)->getResult(0)
            : arith::XOrIOp::create(b, op.getLoc(), sum, first)->getResult(0);
    inside[result] = now;
  }
}

/// Whether the body of the operation looks at what it is given there.
static bool isRead(OpOperand &operand) {
  return cast<linalg::GenericOp>(operand.getOwner())
      .payloadUsesValueFromOperand(&operand);
}

/// Cuts a loop of `op`, if there is one that can be.
bool StageCutter::placeLoop(linalg::GenericOp op) {
  std::optional<LoopCut> cut = chooseLoop(
      op, all.getRanks(), [&](Value value) { return axisOf(value); });
  if (!cut)
    return false;
  SmallVector<Value> needed;
  for (auto [operand, axis] :
       llvm::zip_equal(op->getOpOperands(), cut->operandAxes))
    if (axisOf(operand.get()) != axis && isRead(operand))
      needed.push_back(operand.get());
  SetVector<Value> tables;
  getUsedValuesDefinedAbove(op->getRegions(), tables);
  llvm::append_range(needed, tables);
  llvm::for_each(needed, [&](Value value) { needWhole(value); });
  if (!cut->rules.empty()) {
    placeReduction(op, *cut);
    return true;
  }
  SmallVector<Value> inits;
  SmallVector<Axis> axes;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    axes.push_back(cut->operandAxes[init.getOperandNumber()]);
    RankedTensorType block = all.blockOf(typeOf(init.get()), *axes.back());
    inits.push_back(
        isRead(init) ? blockHere(init.get(), *axes.back())
                     : tensor::EmptyOp::create(b, op.getLoc(), block.getShape(),
                                               block.getElementType()));
  }
  linalg::GenericOp copy = emit(op, *cut, inits);
  if (!keepFixedOrder(copy)) {
    copy.erase();
    return false;
  }
  for (auto [result, now, axis] :
       llvm::zip_equal(op.getResults(), copy.getResults(), axes))
    define(result, now, axis);
  return true;
}

/// Moves elements of blocks as it would those of the whole, if it leaves the
/// axis as it is.
bool StageCutter::placeMove(Operation &op) {
  SmallVector<Axis> operands;
  for (Value operand : op.getOperands())
    operands.push_back(axisOf(operand));
  Axis axis = moveAxis(&op, operands, all.getRanks());
  if (!axis)
    return false;
  // All operands are tensors that are cut along one axis.
  int64_t from = **llvm::find_if(operands, [](Axis a) { return a; });
  for (Value operand : op.getOperands())
    if (isa<RankedTensorType>(operand.getType()) && axisOf(operand) != from)
      needWhole(operand);
  SmallVector<Value> blocks;
  for (Value operand : op.getOperands())
    blocks.push_back(isa<RankedTensorType>(operand.getType())
                         ? blockHere(operand, from)
                         : here(operand));
  IRMapping mapping;
  SetVector<Value> around; // The number that a tensor.pad has.
  getUsedValuesDefinedAbove(op.getRegions(), around);
  for (Value value : around)
    mapping.map(value, wholeHere(value));
  Operation *copy = b.clone(op, mapping);
  copy->setOperands(blocks);
  copy->getResult(0).setType(all.blockOf(typeOf(op.getResult(0)), *axis));
  resizeMove(copy, from);
  define(op.getResult(0), copy->getResult(0), axis);
  return true;
}

void StageCutter::place(Operation &op) {
  if (isa<arith::ConstantOp, tensor::EmptyOp>(op))
    return; // Copied to where it is used.
  SmallVector<Value> reads = getReads(&op);
  bool isCut =
      llvm::any_of(reads, [&](Value v) { return axisOf(v).has_value(); });
  bool fits = llvm::all_of(op.getResultTypes(), isVmTensor);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (isCut && fits && (generic ? placeLoop(generic) : placeMove(op)))
    return;
  placeWhole(op, generic && reducesFloats(generic)
                     ? "it adds floats along the axis that is cut, and in "
                       "another order they have other sums"
                     : "nothing is known of how blocks of it depend on blocks");
}

void StageCutter::run() {
  Block &old = stage.getBody().front();
  for (Operation &op : old.without_terminator()) {
    place(op);
    done.insert(&op);
  }
  SendOp send = stage.getSend();
  if (send.getStatus())
    needWhole(send.getStatus());
  SmallVector<Value> sent;
  for (Value value : send.getPayloads())
    sent.push_back(here(value));
  Value status = send.getStatus() ? wholeHere(send.getStatus()) : Value();
  SendOp::create(b, send.getLoc(), sent, ValueRange(), status);
  StageOp last = all.addStage(stage.getLoc(), stage.getSymName(), inputs, body);
  for (auto [message, now, value] : llvm::zip_equal(
           stage.getMessages(), last.getMessages(), send.getPayloads()))
    all.define(message, now, axisOf(value));
}

void Partition::runOnOperation() {
  ProgramOp program = getOperation();
  if (!program.isGlobalView())
    return;
  if (*program.getRanks() > 1) {
    FrozenRewritePatternSet patterns = getGeneralizePatterns(&getContext());
    WalkResult result = program.walk([&](StageOp stage) {
      return canBeGeneral(stage) && failed(generalizeStage(stage, patterns))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    Partitioner(program).run();
  }
  program.removeInputShardingsAttr();
  program.removeOutputShardingsAttr();
}
