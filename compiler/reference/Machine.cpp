//===- Machine.cpp - the reference interpreter ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Machine.h"

#include "compiler/reference/Evaluate.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;
using vm::HostTensor;

//===----------------------------------------------------------------------===//
// Boot
//===----------------------------------------------------------------------===//

/// Brings every named linalg operation into the form of `linalg.generic`; what
/// has no such form stays and is an error when it is run. What these operations
/// mean is MLIR's own code, which the compiler uses, too: a mistake there would
/// be in both.
static void generalize(Operation *program) {
  IRRewriter rewriter(program->getContext());
  program->walk([&](linalg::SoftmaxOp op) {
    rewriter.setInsertionPoint(op);
    if (auto parts = op.decomposeOperation(rewriter); succeeded(parts))
      rewriter.replaceOp(op, *parts);
  });
  SmallVector<linalg::LinalgOp> named;
  program->walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

LogicalResult Machine::addSymbol(Operation *op) {
  SymbolInfo symbol = getSymbolInfo(op);
  if (!symbol.op)
    return success();
  std::optional<HostTensor> value =
      symbol.initial ? fromAttribute(symbol.initial) : makeZero(symbol.type);
  if (!value)
    return op->emitOpError("has an initial value that cannot be read");
  setSymbol(SymbolTable::getSymbolName(op),
            std::make_shared<const HostTensor>(std::move(*value)));
  return success();
}

FailureOr<Machine> Machine::boot(ProgramOp program, bool exact) {
  Machine machine(exact);
  machine.program = program->clone();
  generalize(*machine.program);
  for (BlockArgument input : machine.getProgram().getBody().getArguments())
    if (isBounded(input.getType()))
      return program.emitOpError("has an input whose number of rows only the "
                                 "device would know");
  SymbolTable table(machine.getProgram());
  machine.program->walk(
      [&](StageOp stage) { machine.addCounts(stage, table); });
  for (Operation &op : machine.getProgram().getBody().front())
    if (failed(machine.addSymbol(&op)))
      return failure();
  return machine;
}

//===----------------------------------------------------------------------===//
// Operations of the machine
//===----------------------------------------------------------------------===//

template <typename T>
static Tensor makeTensor(vm::DType type, std::vector<int64_t> shape,
                         ArrayRef<T> values) {
  HostTensor tensor{type, std::move(shape),
                    std::vector<uint8_t>(values.size() * sizeof(T))};
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return share(std::move(tensor));
}

static Tensor word(int32_t value) {
  return makeTensor<int32_t>(vm::DType::I32, {}, value);
}

/// Nanoseconds since the execution began.
int64_t Machine::readClock() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now() - beginning)
      .count();
}

LogicalResult Machine::run(ClockOp op, Environment &env) {
  constexpr int64_t kAllBits = -1;
  int64_t period = llvm::bit_cast<uint32_t>(1.0f);
  env.set(op.getTicks(), makeTensor<int64_t>(vm::DType::I64, {3},
                                             {readClock(), kAllBits, period}));
  return success();
}

/// The bytes of a slice begin where the dimensions behind the leading one say.
static uint64_t findSlice(const HostTensor &whole, int64_t offset) {
  if (offset == 0)
    return 0;
  return offset * (whole.bytes.size() / whole.shape.front());
}

/// Bytes [i * n / count, (i + 1) * n / count) of `whole`, as a `type`.
static HostTensor cutSlice(const HostTensor &whole, Type type, int64_t i) {
  HostTensor slice = *makeZero(cast<RankedTensorType>(type));
  std::memcpy(slice.bytes.data(), whole.bytes.data() + i * slice.bytes.size(),
              slice.bytes.size());
  return slice;
}

/// Puts slice i of `whole` there.
static void putSlice(HostTensor &whole, const HostTensor &slice, int64_t i) {
  std::memcpy(whole.bytes.data() + i * slice.bytes.size(), slice.bytes.data(),
              slice.bytes.size());
}

LogicalResult Machine::run(LoadOp op, Environment &env) {
  Tensor whole = getSymbol(op.getSymbol());
  if (op.getOwn()) {
    env.set(op.getValue(), cutSlice(*whole, op.getValue().getType(), instance));
    return success();
  }
  if (!op.getOffset()) {
    env.set(op.getValue(), whole);
    return success();
  }
  HostTensor slice = *makeZero(op.getValue().getType());
  std::memcpy(slice.bytes.data(),
              whole->bytes.data() + findSlice(*whole, *op.getOffset()),
              slice.bytes.size());
  env.set(op.getValue(), std::move(slice));
  return success();
}

LogicalResult Machine::run(StoreOp op, Environment &env) {
  Tensor value = env.get(op.getValue());
  if (op.getPosition()) {
    HostTensor whole = storeRows(*getSymbol(op.getSymbol()), *value,
                                 getWord(*env.get(op.getPosition())));
    setSymbol(op.getSymbol(),
              std::make_shared<const HostTensor>(std::move(whole)));
    return success();
  }
  if (!op.getOffset() && !op.getOwn()) {
    setSymbol(op.getSymbol(), value);
    return success();
  }
  int64_t place = op.getOwn() ? instance : *op.getOffset();
  HostTensor whole = *getSymbol(op.getSymbol());
  std::memcpy(whole.bytes.data() + findSlice(whole, place), value->bytes.data(),
              value->bytes.size());
  setSymbol(op.getSymbol(),
            std::make_shared<const HostTensor>(std::move(whole)));
  return success();
}

/// Norm or largest absolute value of a slice of a message in so many.
HostTensor Machine::getMagnitude(MetadataOp op, const HostTensor &payload,
                                 int64_t slices) const {
  return op.getField() == Field::norm ? computeNorm(payload, slices, exact)
                                      : computeMaxAbs(payload, slices, exact);
}

LogicalResult Machine::run(MetadataOp op, Environment &env) {
  auto stage = cast<StageOp>(op->getParentOp());
  auto argument = cast<BlockArgument>(op.getMessage());
  unsigned number = argument.getArgNumber();
  const Metadata &metadata = messages[stage.getInputs()[number]];
  const HostTensor &payload = *env.get(argument);
  auto type = cast<RankedTensorType>(op.getWord().getType());
  bool ofEach = type.getRank() != 0;
  bool isCut = stage.getInstances() && !stage.isShared(number);
  int64_t slices = ofEach  ? type.getDimSize(0)
                   : isCut ? static_cast<int64_t>(*stage.getInstances())
                           : 1;
  if (op.getField() == Field::ticks) {
    env.set(op.getWord(),
            makeTensor<int64_t>(vm::DType::I64, {}, metadata.ticks));
  } else if (op.getField() == Field::status) {
    Tensor all = metadata.statuses;
    if (ofEach)
      env.set(op.getWord(), all ? all : share(*makeZero(type)));
    else if (isCut && all)
      env.set(op.getWord(), cutSlice(*all, type, instance));
    else
      env.set(op.getWord(), metadata.status);
  } else if (ofEach) {
    auto slice = cast<RankedTensorType>(argument.getType());
    slice = RankedTensorType::get(slice.getShape().drop_front(),
                                  slice.getElementType());
    HostTensor words = *makeZero(type);
    for (int64_t i = 0; i < slices; ++i)
      putSlice(words, getMagnitude(op, cutSlice(payload, slice, i), slices), i);
    env.set(op.getWord(), std::move(words));
  } else {
    env.set(op.getWord(), getMagnitude(op, payload, slices));
  }
  return success();
}

/// Runs the body if the condition is true, and returns whether it is.
FailureOr<bool> Machine::runStage(StageOp op, Environment &inside) {
  if (Value condition = op.getCondition();
      condition && !inside.get(condition)->bytes.front())
    return false;
  if (failed(runBody(op.getBody().front(), inside)))
    return failure();
  return true;
}

/// What a stage sends: zeros, if it does not run and names nothing else.
SmallVector<Tensor> Machine::getSent(StageOp op, bool ran,
                                     const Environment &inside) {
  SendOp send = op.getSend();
  bool isZero = !ran && send.getOtherwise().empty();
  SmallVector<Tensor> sent;
  for (auto [i, payload] : llvm::enumerate(send.getPayloads())) {
    if (isZero)
      sent.push_back(share(*makeZero(payload.getType())));
    else
      sent.push_back(inside.get(ran ? payload : send.getOtherwise()[i]));
  }
  return sent;
}

/// Runs the body for one instance after the other.
LogicalResult Machine::runInstances(StageOp op, Environment &env) {
  SmallVector<HostTensor> sent;
  for (Value value : llvm::concat<Value>(op.getInputs(), op.getMessages()))
    if (isBounded(payloadType(value.getType())))
      return op.emitOpError("has instances and rows whose number only the "
                            "device knows");
  for (Value message : op.getMessages())
    sent.push_back(*makeZero(payloadType(message.getType())));
  int64_t count = *op.getInstances();
  std::vector<int32_t> statuses(count);
  Value status = op.getSend().getStatus();
  for (instance = 0; instance < count; ++instance) {
    Environment inside(exact);
    for (auto [number, argument] :
         llvm::enumerate(op.getBody().getArguments())) {
      Tensor input = env.get(op.getInputs()[number]);
      if (op.isShared(number))
        inside.set(argument, input);
      else
        inside.set(argument, cutSlice(*input, argument.getType(), instance));
    }
    FailureOr<bool> ran = runStage(op, inside);
    if (failed(ran))
      return failure();
    for (auto [whole, slice] : llvm::zip_equal(sent, getSent(op, *ran, inside)))
      putSlice(whole, *slice, instance);
    if (status && *ran)
      std::memcpy(&statuses[instance], inside.get(status)->bytes.data(),
                  sizeof(int32_t));
  }
  Metadata metadata{word(*llvm::max_element(statuses)),
                    makeTensor<int32_t>(vm::DType::I32, {count}, statuses),
                    readClock()};
  for (auto [message, whole] : llvm::zip_equal(op.getMessages(), sent)) {
    env.set(message, std::move(whole));
    messages[message] = metadata;
  }
  return success();
}

LogicalResult Machine::run(StageOp op, Environment &env) {
  if (op.getInstances())
    return runInstances(op, env);
  Environment inside(exact);
  for (auto [argument, input] :
       llvm::zip_equal(op.getBody().getArguments(), op.getInputs()))
    inside.set(argument, env.get(input));
  FailureOr<bool> ran = runStage(op, inside);
  if (failed(ran))
    return failure();
  int64_t ticks = readClock();
  SendOp send = op.getSend();
  Value status = *ran ? send.getStatus() : Value();
  for (auto [message, sent] :
       llvm::zip_equal(op.getMessages(), getSent(op, *ran, inside))) {
    env.set(message, sent);
    messages[message] =
        Metadata{status ? inside.get(status) : word(0), Tensor(), ticks};
  }
  return success();
}

LogicalResult Machine::run(RepeatOp op, Environment &env) {
  auto values = llvm::map_to_vector(
      op.getInitial(), [&](Value initial) { return env.get(initial); });
  bool goesOn = true;
  for (uint64_t i = 0; i < op.getTimes() && goesOn; ++i) {
    for (auto [argument, value] :
         llvm::zip_equal(op.getBody().getArguments(), values))
      env.set(argument, value);
    if (failed(runBody(op.getBody().front(), env)))
      return failure();
    NextOp next = op.getNext();
    values = llvm::map_to_vector(next.getValues(),
                                 [&](Value value) { return env.get(value); });
    goesOn = !next.getUntil() || !env.get(next.getUntil())->bytes.front();
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values))
    env.set(result, value);
  return success();
}

LogicalResult Machine::run(KernelOp op, Environment &env) {
  Environment inside(exact);
  Block &body = op.getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), op.getInputs()))
    inside.set(argument, env.get(input));
  if (failed(runBody(body, inside)))
    return failure();
  for (auto [output, value] :
       llvm::zip_equal(op.getOutputs(), body.getTerminator()->getOperands()))
    env.set(output, inside.get(value));
  return success();
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static Results evaluate(Operation *op, const Environment &env) {
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant))) {
    std::optional<HostTensor> value = fromAttribute(constant);
    if (!value)
      return op->emitOpError("is no constant of the machine");
    return SmallVector<Tensor>{
        std::make_shared<const HostTensor>(std::move(*value))};
  }
  if (isa<tensor::TensorDialect>(op->getDialect()))
    return evaluateTensorOp(op, env);
  return TypeSwitch<Operation *, Results>(op)
      .Case([&](linalg::GenericOp o) { return evaluateGeneric(o, env); })
      .Case([&](linalg::PackOp o) { return evaluatePack(o, env); })
      .Case([&](linalg::UnPackOp o) { return evaluateUnpack(o, env); })
      .Case([&](AttentionOp o) { return evaluateAttention(o, env); })
      .Case([&](CountOp o) { return evaluateCount(o, env); })
      .Case([&](FilledOp o) { return evaluateFilled(o, env); })
      .Case([&](GatherOp o) { return evaluateGather(o, env); })
      .Case([&](RandomOp o) { return evaluateRandom(o, env); })
      .Case([&](ScanOp o) { return evaluateScan(o, env); })
      .Case([&](CompactOp o) { return evaluateCompact(o, env); })
      .Case([&](FftOp o) { return evaluateFft(o, env); })
      .Case([&](ConvolveOp o) { return evaluateConvolve(o, env); })
      .Case([&](RfftOp o) { return evaluateRfft(o, env); })
      .Case([&](IrfftOp o) { return evaluateIrfft(o, env); })
      .Case([&](SortOp o) { return evaluateSort(o, env); })
      .Case([&](MergeOp o) { return evaluateMerge(o, env); })
      .Case([&](SearchSortedOp o) { return evaluateSearchSorted(o, env); })
      .Case([&](SortRunsOp o) { return evaluateSortRuns(o, env); })
      .Case([&](MergeRunsOp o) { return evaluateMergeRuns(o, env); })
      .Case([&](CountDigitsOp o) { return evaluateCountDigits(o, env); })
      .Case([&](ScatterDigitsOp o) { return evaluateScatterDigits(o, env); })
      .Case([&](ScatterOp o) { return evaluateScatter(o, env); })
      .Case([&](SegmentReduceOp o) { return evaluateSegmentReduce(o, env); })
      .Case([&](ExpandOp o) { return evaluateExpand(o, env); })
      .Case([&](DistinctOp o) { return evaluateDistinct(o, env); })
      .Case([&](MatchOp o) { return evaluateMatch(o, env); })
      .Case([&](RegulateOp o) { return evaluateRegulate(o, env); })
      .Case([&](RunningMeanOp o) { return evaluateRunningMean(o, env); })
      .Default([&](Operation *o) { return evaluateElementwise(o, env); });
}

/// Only the side that is taken is run.
LogicalResult Machine::run(scf::IfOp op, Environment &env) {
  bool isTaken = env.get(op.getCondition())->bytes.front();
  Block *side = isTaken ? op.thenBlock() : op.elseBlock();
  if (!side)
    return success();
  for (Operation &inner : side->without_terminator())
    if (failed(run(&inner, env)))
      return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), side->getTerminator()->getOperands()))
    env.set(result, env.get(value));
  return success();
}

LogicalResult Machine::run(Operation *op, Environment &env) {
  if (getSymbolInfo(op).op)
    return success();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<StageOp, KernelOp, LoadOp, StoreOp, MetadataOp, RepeatOp, ClockOp,
            scf::IfOp, BoundedOp, TopKOp>(
          [&](auto vmOp) { return run(vmOp, env); })
      .Case<BarrierOp, ExternKernelOp, ExposeOp>([](auto) { return success(); })
      .Case([&](DecodeOp decode) {
        env.set(decode.getResult(), reference::decode(decode, env));
        return success();
      })
      .Case([&](HoldOp hold) {
        for (auto [held, value] :
             llvm::zip_equal(hold.getHeld(), hold.getValues()))
          env.set(held, env.get(value));
        return success();
      })
      .Case([&](gpuvm::CopyOp copy) {
        env.set(copy.getResult(), env.get(copy.getSource()));
        return success();
      })
      .Case([&](InvokeOp invoke) {
        return invoke.emitError("the interpreter cannot run external kernel @")
               << invoke.getCallee();
      })
      .Default([&](Operation *) -> LogicalResult {
        Results results = evaluate(op, env);
        if (failed(results))
          return failure();
        for (auto [result, tensor] :
             llvm::zip_equal(op->getResults(), *results))
          env.set(result, tensor);
        return success();
      });
}

LogicalResult Machine::runBody(Block &body, Environment &env) {
  struct Open {
    Operation *begin;
    uint64_t times; ///< Still to run, this one included.
  };
  SmallVector<Open> open;
  for (Operation *op = &body.front(); op != &body.back();
       op = op->getNextNode()) {
    if (auto begin = dyn_cast<RepeatBeginOp>(op)) {
      open.push_back({op, begin.getTimes()});
    } else if (isa<RepeatEndOp>(op)) {
      if (--open.back().times == 0)
        open.pop_back();
      else
        op = open.back().begin;
    } else if (failed(run(op, env))) {
      return failure();
    }
  }
  return success();
}

FailureOr<SmallVector<HostTensor>> Machine::execute(ArrayRef<Tensor> inputs) {
  beginning = std::chrono::steady_clock::now();
  Environment env(exact);
  Block &body = getProgram().getBody().front();
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), inputs))
    env.set(argument, input);
  messages.clear();
  excess = false;
  if (failed(runBody(body, env)) || failed(checkControlBounds()))
    return failure();
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value output) { return HostTensor(*env.get(output)); });
}
