//===- MachineOps.cpp - stages, messages and symbols ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"
#include "compiler/reference/Machine.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;
using vm::HostTensor;

template <typename T>
static Tensor makeTensor(vm::DType type, std::vector<int64_t> shape,
                         ArrayRef<T> values) {
  HostTensor tensor{type, std::move(shape),
                    std::vector<uint8_t>(values.size() * sizeof(T))};
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return share(std::move(tensor));
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

/// The bytes of a slice begin where the dimensions after the leading one say.
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
    env.set(op.getValue(), withMoreRows(whole, op.getValue().getType()));
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
  for (Value operand : op->getOperands())
    if (failed(requireSpecified(op, env.get(operand))))
      return failure();
  Tensor value = env.get(op.getValue());
  if (op.getPosition()) {
    Tensor there = getSymbol(op.getSymbol());
    int64_t position = getWord(*env.get(op.getPosition()));
    HostTensor whole = *there;
    if (op.getOwn()) {
      RankedTensorType type = lookupSymbol(op, op.getSymbol()).type;
      HostTensor slice =
          cutSlice(*there,
                   RankedTensorType::get(type.getShape().drop_front(),
                                         type.getElementType()),
                   instance);
      putSlice(whole, storeRows(slice, *value, position), instance);
    } else {
      whole = storeRows(*there, *value, position);
    }
    setSymbol(op.getSymbol(),
              std::make_shared<const HostTensor>(std::move(whole)));
    return success();
  }
  setSlice(op.getSymbol(),
           op.getOwn() ? std::optional<uint64_t>(instance) : op.getOffset(),
           value);
  return success();
}

LogicalResult Machine::run(flow::PlaceOp op, Environment &env) {
  setSlice(op.getSymbol(), op.getOffset(), env.get(op.getValue()));
  return success();
}

/// Sets the part of a symbol that begins at row `place`; the whole without one.
void Machine::setSlice(StringRef symbol, std::optional<uint64_t> place,
                       const Tensor &value) {
  if (!place)
    return setSymbol(symbol, value);
  HostTensor whole = *getSymbol(symbol);
  std::memcpy(whole.bytes.data() + findSlice(whole, *place),
              value->bytes.data(), value->bytes.size());
  setSymbol(symbol, std::make_shared<const HostTensor>(std::move(whole)));
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
  if (failed(requireSpecified(op, env.get(argument))))
    return failure();
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
  if (Value condition = op.getCondition()) {
    if (failed(requireSpecified(op, inside.get(condition))))
      return failure();
    if (!inside.get(condition)->bytes.front())
      return false;
  }
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
    Environment inside(exact, *limit);
    for (auto [number, argument] :
         llvm::enumerate(op.getBody().getArguments())) {
      Tensor input = env.get(op.getInputs()[number]);
      if (failed(requireSpecified(op, input)))
        return failure();
      if (op.isShared(number))
        inside.set(argument, input);
      else
        inside.set(argument, cutSlice(*input, argument.getType(), instance));
    }
    FailureOr<bool> ran = runStage(op, inside);
    if (failed(ran))
      return failure();
    for (auto [whole, slice] :
         llvm::zip_equal(sent, getSent(op, *ran, inside))) {
      if (failed(requireSpecified(op.getSend(), slice)))
        return failure();
      putSlice(whole, *slice, instance);
    }
    if (status && *ran)
      std::memcpy(&statuses[instance], inside.get(status)->bytes.data(),
                  sizeof(int32_t));
  }
  Metadata metadata{makeWord(*llvm::max_element(statuses)),
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
  Environment inside(exact, *limit);
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
        Metadata{status ? inside.get(status) : makeWord(0), Tensor(), ticks};
  }
  return success();
}

LogicalResult Machine::run(RepeatOp op, Environment &env) {
  auto values = llvm::map_to_vector(
      op.getInitial(), [&](Value initial) { return env.get(initial); });
  bool goesOn = true;
  for (uint64_t i = 0; i < op.getTimes() && goesOn; ++i) {
    for (auto [argument, value] : llvm::zip_equal(op.getCarried(), values))
      env.set(argument, value);
    if (op.getTurn())
      env.set(op.getBody().getArguments().back(),
              makeWord(static_cast<int32_t>(i)));
    if (failed(runBody(op.getBody().front(), env)))
      return failure();
    NextOp next = op.getNext();
    values = llvm::map_to_vector(next.getValues(),
                                 [&](Value value) { return env.get(value); });
    if (next.getUntil() &&
        failed(requireSpecified(next, env.get(next.getUntil()))))
      return failure();
    if (!next.getUntil())
      continue;
    FailureOr<bool> isOver =
        areAll(op, env.get(next.getUntil())->bytes.front() != 0);
    if (failed(isOver))
      return failure();
    goesOn = !*isOver;
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values))
    env.set(result, value);
  return success();
}

/// What the results are where a dispatch does not run.
static void skip(flow::DispatchOp op, Environment &env) {
  for (OpResult output : op->getResults())
    if (std::optional<unsigned> operand =
            op.getOtherwiseOperand(output.getResultNumber())) {
      env.set(output, env.get(op.getInputs()[*operand]));
    } else {
      vm::HostTensor zero = *makeZero(output.getType());
      std::vector<uint8_t> flags(zero.numElements(), 1);
      env.set(output, share(std::move(zero),
                            makeUnspecified(std::move(flags),
                                            std::make_shared<const Cause>(
                                                Cause{op, "does not run"}))));
    }
}

LogicalResult Machine::run(flow::DispatchOp op, Environment &env) {
  if (Value predicate = op.getPredicate()) {
    if (failed(requireSpecified(op, env.get(predicate))))
      return failure();
    if ((env.get(predicate)->bytes.front() != 0) == op.getUnless()) {
      skip(op, env);
      return success();
    }
  }
  Environment inside(exact, *limit);
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
