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

FailureOr<Machine> Machine::boot(ProgramOp program, bool exact,
                                 std::shared_ptr<StepLimit> limit) {
  Machine machine(exact, std::move(limit));
  machine.program = program->clone();
  generalize(*machine.program);
  SymbolTable table(machine.getProgram());
  machine.addInputCounts(table);
  machine.program->walk(
      [&](StageOp stage) { machine.addCounts(stage, table); });
  for (Operation &op : machine.getProgram().getBody().front())
    if (failed(machine.addSymbol(&op)))
      return failure();
  return machine;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static Results evaluateAny(Operation *op, const Environment &env) {
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
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return evaluateGeneric(generic, env);
  if (auto gather = dyn_cast<GatherOp>(op))
    return evaluate(gather, env);
  if (op->hasTrait<OpTrait::Elementwise>())
    return evaluateElementwise(op, env);
  for (Value operand : op->getOperands()) // Of the others anything matters.
    if (failed(requireSpecified(op, env.get(operand))))
      return failure();
  return TypeSwitch<Operation *, Results>(op)
#define GPUVM_REFERENCE(Op) .Case([&](Op o) { return evaluate(o, env); })
#include "compiler/reference/Operations.def"
#undef GPUVM_REFERENCE
      .Default([&](Operation *o) { return evaluateElementwise(o, env); });
}

/// Only the side that is taken is run.
LogicalResult Machine::run(scf::IfOp op, Environment &env) {
  if (failed(requireSpecified(op, env.get(op.getCondition()))))
    return failure();
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
  if (failed(limit->take(op, 1)))
    return failure();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<StageOp, flow::DispatchOp, LoadOp, StoreOp, flow::PlaceOp,
            MetadataOp, RepeatOp, flow::LoopOp, ClockOp, scf::IfOp, BoundedOp,
            TopKOp, AllGatherOp, AllReduceOp, ReduceScatterOp, AllToAllOp,
            ShiftOp, UpdateHaloOp, flow::ExchangeOp>(
          [&](auto vmOp) { return run(vmOp, env); })
      .Case([&](RankOp own) {
        env.set(own.getResult(), makeWord(static_cast<int32_t>(rank)));
        return success();
      })
      .Case([&](NumRanksOp all) {
        env.set(all.getResult(), makeWord(static_cast<int32_t>(countRanks())));
        return success();
      })
      .Case<ExternKernelOp, flow::ExposeOp>([](auto) { return success(); })
      .Case([&](DecodeOp decode) {
        if (failed(requireSpecified(op, env.get(decode.getSource()))))
          return failure();
        env.set(decode.getResult(), reference::decode(decode, env));
        return success();
      })
      .Case([&](flow::HoldOp hold) {
        for (auto [held, value] :
             llvm::zip_equal(hold.getHeld(), hold.getValues()))
          env.set(held, env.get(value));
        return success();
      })
      .Case([&](flow::CopyOp copy) {
        env.set(copy.getResult(), env.get(copy.getSource()));
        return success();
      })
      .Case([&](InvokeOp invoke) {
        return invoke.emitError("the interpreter cannot run external kernel @")
               << invoke.getCallee();
      })
      .Default([&](Operation *) -> LogicalResult {
        Results results = evaluateAny(op, env);
        if (failed(results))
          return failure();
        uint64_t elements = 0;
        for (auto [result, tensor] :
             llvm::zip_equal(op->getResults(), *results)) {
          env.set(result, tensor);
          elements += tensor->bytes.size() / byteSize(tensor->dtype);
        }
        return limit->take(op, elements);
      });
}

/// Rotates the symbols of the loop's rotations by `turns` iterations.
void Machine::rotate(flow::LoopOp op, int64_t turns) {
  if (!op.getRotations())
    return;
  for (auto rotation : op.getRotations()->getAsRange<ArrayAttr>()) {
    auto nameAt = [&](size_t i) {
      return cast<FlatSymbolRefAttr>(rotation[i % rotation.size()]).getValue();
    };
    SmallVector<Tensor> held;
    for (size_t i = 0; i < rotation.size(); ++i)
      held.push_back(symbols.lookup(nameAt(i + turns)));
    for (size_t i = 0; i < rotation.size(); ++i)
      symbols[nameAt(i)] = held[i];
  }
}

/// Whether the condition of a loop says that it does not go on.
bool Machine::isOver(flow::LoopOp op, const Environment &env) const {
  if (op.getCondition())
    return symbols.lookup(*op.getCondition())->bytes.front() == 0;
  return op.getGo() && env.get(op.getWhile())->bytes.front() == 0;
}

LogicalResult Machine::run(flow::LoopOp op, Environment &env) {
  auto setArguments = [&](OperandRange values) {
    auto tensors = llvm::map_to_vector(
        values, [&](Value value) { return env.get(value); });
    for (auto [argument, tensor] :
         llvm::zip_equal(op.getBody().getArguments(), tensors))
      env.set(argument, tensor);
  };
  setArguments(op.getInitial());
  rotate(op, op.getPhase());
  for (uint64_t times = op.getTimes(), gone = 0; times > 0; times -= gone) {
    if (failed(runBody(op.getBody().front(), env)))
      return failure();
    setArguments(op.getEnd().getValues());
    if (op.getGo() && failed(requireSpecified(op, env.get(op.getWhile()))))
      return failure();
    // Times after the end change nothing, but where things are.
    gone = isOver(op, env) ? times : 1;
    rotate(op, gone);
  }
  for (auto [result, argument] :
       llvm::zip_equal(op.getResults(), op.getBody().getArguments()))
    env.set(result, env.get(argument));
  return success();
}

LogicalResult Machine::runBody(Block &body, Environment &env) {
  if (failed(limit->take(body.getParentOp(), 1)))
    return failure();
  for (Operation &op : body.without_terminator())
    if (failed(run(&op, env)))
      return failure();
  return success();
}

FailureOr<SmallVector<HostTensor>> Machine::execute(ArrayRef<Tensor> inputs) {
  beginning = std::chrono::steady_clock::now();
  Environment env(exact, *limit);
  Block &body = getProgram().getBody().front();
  FailureOr<SmallVector<Tensor>> values = takeInputCounts(inputs);
  if (failed(values))
    return failure();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), *values))
    env.set(argument, value);
  messages.clear();
  excess = false;
  if (failed(runBody(body, env)) || failed(checkControlBounds()))
    return failure();
  Operation *end = body.getTerminator();
  for (Value output : end->getOperands())
    if (failed(requireSpecified(end, env.get(output))))
      return failure();
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value output) { return HostTensor(*env.get(output)); });
}
