//===- Generic.cpp - reference of linalg.generic --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iteration space is P results (the parallel loops) times K elements (the
// reduction loops, row-major). For a sequential order, runs of results are
// computed together, element by element. Otherwise each result is computed by
// itself, from runs of elements that go to lanes. A choice (arg-min, arg-max)
// has the same result in any order, so it is always computed sequentially.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"
#include "compiler/reference/GroupReduction.h"
#include "compiler/reference/IterationSpace.h"
#include "dialects/gpuvm/Reduction.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {
class GenericEvaluation {
public:
  GenericEvaluation(linalg::GenericOp op, const Environment &env)
      : op(op), env(env) {}
  Results run();

private:
  void addInputFlags(AffineMap map);
  LogicalResult prepare(const ReductionOrder &order);
  LogicalResult compileBody(const SmallPtrSetImpl<Operation *> &skip);
  LogicalResult checkOutputs();
  LogicalResult loadInputs(int64_t count);
  LogicalResult moveOutputs(int64_t count, bool load);
  void yieldToAccumulators(int64_t count);
  LogicalResult runSequential();
  LogicalResult runSequentialResults(int64_t first, int64_t count);
  LogicalResult runChoices();
  void restoreOutput(unsigned i, std::vector<uint8_t> bytes);
  void keepUnordered(const Choice &choice,
                     ArrayRef<std::vector<uint8_t>> initial);
  LogicalResult runInLanes(const ReductionOrder &order);
  LogicalResult reduceResult(int64_t result, const ReductionOrder &order,
                             MutableArrayRef<GroupReduction> groups);
  LogicalResult addElements(int64_t first, int64_t end,
                            const ReductionOrder &order,
                            MutableArrayRef<GroupReduction> groups);

  linalg::GenericOp op;
  const Environment &env;
  LoopNest results, elements;
  std::optional<Combiner> combiner; ///< Only where the order needs it.
  std::optional<ScalarCode> code;
  SmallVector<Tensor> inputs;
  SmallVector<vm::HostTensor> outputs;
  std::vector<reference::Access> inputAccess, outputAccess;
  std::vector<std::vector<uint64_t>> yielded, yieldedFlags;
  CausePtr cause; ///< Of unspecified elements of operands.
  std::vector<std::optional<FlagAccess>> inputFlags;
  std::vector<FlagAccess> outputFlags; ///< None if no result can have any.
};
} // namespace

/// Of the last input so far.
void GenericEvaluation::addInputFlags(AffineMap map) {
  inputFlags.emplace_back();
  if (!inputs.back().unspecified())
    return;
  cause = inputs.back().unspecified()->cause;
  inputFlags.back().emplace(map, inputs.back(), !op.hasDynamicShape());
}

LogicalResult GenericEvaluation::prepare(const ReductionOrder &order) {
  FailureOr<SmallVector<int64_t>> ranges = findLoopRanges(op, env);
  if (failed(ranges))
    return failure();
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    (iterator == utils::IteratorType::parallel ? results : elements)
        .add(loop, (*ranges)[loop]);
  // The order is that of all rows there may be, and those that are there come
  // first in it.
  SmallVector<int64_t> most = op.getStaticLoopRanges();
  for (auto [i, loop] : llvm::enumerate(elements.loops))
    if (!order.sequential && i > 0 && ShapedType::isDynamic(most[loop]))
      return op.emitOpError("reduces rows whose number only the device knows "
                            "inside of another reduction, of which the "
                            "interpreter knows no order");
  for (OpOperand *operand : op.getDpsInputOperands()) {
    inputs.push_back(env.get(operand->get()));
    addInputFlags(op.getMatchingIndexingMap(operand));
    inputAccess.emplace_back(op.getMatchingIndexingMap(operand), *inputs.back(),
                             !op.hasDynamicShape());
  }
  for (Value initial : op.getDpsInits()) {
    outputs.push_back(*env.get(initial));
    if (env.isUnspecified(initial))
      cause = env.get(initial).unspecified()->cause;
  }
  for (auto [operand, output] :
       llvm::zip_equal(op.getDpsInitsMutable(), outputs))
    outputAccess.emplace_back(op.getMatchingIndexingMap(&operand), output,
                              !op.hasDynamicShape());
  yielded.assign(outputs.size(), std::vector<uint64_t>(ScalarCode::kMaxCount));
  return checkOutputs();
}

LogicalResult
GenericEvaluation::compileBody(const SmallPtrSetImpl<Operation *> &skip) {
  FailureOr<ScalarCode> compiled = ScalarCode::compile(
      op.getRegion().front(), env, op.getNumLoops(), skip, cause);
  if (failed(compiled))
    return failure();
  code = std::move(*compiled);
  cause = code->getCause();
  bool canBeUnspecified =
      llvm::any_of(op.getRegion().getArguments(),
                   [&](Value argument) { return code->flags(argument); });
  if (!canBeUnspecified || !outputFlags.empty())
    return success();
  yieldedFlags.assign(outputs.size(),
                      std::vector<uint64_t>(ScalarCode::kMaxCount));
  for (OpOperand &operand : op.getDpsInitsMutable())
    outputFlags.emplace_back(op.getMatchingIndexingMap(&operand),
                             env.get(operand.get()), !op.hasDynamicShape());
  return success();
}

/// Every output element belongs to one result, or the loops would race.
LogicalResult GenericEvaluation::checkOutputs() {
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isUnique = map.isProjectedPermutation(/*allowZeroInResults=*/true);
    for (auto [loop, range] : llvm::zip_equal(results.loops, results.ranges))
      isUnique &= range == 1 || map.isFunctionOfDim(loop);
    for (unsigned loop : elements.loops)
      isUnique &= !map.isFunctionOfDim(loop);
    if (!isUnique)
      return op.emitOpError("writes an output element at several points of its "
                            "parallel loops");
  }
  return success();
}

LogicalResult GenericEvaluation::loadInputs(int64_t count) {
  for (auto [i, argument] : llvm::enumerate(op.getRegionInputArgs())) {
    if (!inputAccess[i].gather(*code, *inputs[i], count,
                               code->elements(argument)))
      return op.emitOpError("reads operand ") << i << " out of its bounds";
    if (std::optional<FlagAccess> &own = inputFlags[i])
      own->access.gather(*code, own->flags, count, code->flags(argument));
  }
  return success();
}

LogicalResult GenericEvaluation::moveOutputs(int64_t count, bool load) {
  for (auto [i, argument] : llvm::enumerate(op.getRegionOutputArgs())) {
    void *elements = code->elements(argument);
    bool inside =
        load ? outputAccess[i].gather(*code, outputs[i], count, elements)
             : outputAccess[i].scatter(*code, outputs[i], count, elements);
    if (!inside)
      return op.emitOpError("accesses output ") << i << " out of its bounds";
    if (outputFlags.empty())
      continue;
    FlagAccess &own = outputFlags[i];
    if (load)
      own.access.gather(*code, own.flags, count, code->flags(argument));
    else
      own.access.scatter(*code, own.flags, count, code->flags(argument));
  }
  return success();
}

/// What the body yields is what it sees as its outputs at the next element. A
/// yielded value may be another accumulator, hence two copies.
void GenericEvaluation::yieldToAccumulators(int64_t count) {
  Operation *yield = op.getRegion().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    std::memcpy(yielded[i].data(), code->elements(value),
                count * byteSize(outputs[i].dtype));
    if (!outputFlags.empty())
      std::memcpy(yieldedFlags[i].data(), code->flags(value), count);
  }
  for (auto [i, argument] : llvm::enumerate(op.getRegionOutputArgs())) {
    std::memcpy(code->elements(argument), yielded[i].data(),
                count * byteSize(outputs[i].dtype));
    if (!outputFlags.empty())
      std::memcpy(code->flags(argument), yieldedFlags[i].data(), count);
  }
}

LogicalResult GenericEvaluation::runSequentialResults(int64_t first,
                                                      int64_t count) {
  results.fillRun(*code, first, count);
  elements.fillSame(*code, 0, count);
  if (failed(moveOutputs(count, /*load=*/true)))
    return failure();
  for (int64_t element = 0; element < elements.count; ++element) {
    elements.fillSame(*code, element, count);
    if (failed(loadInputs(count)) || failed(code->runPartly(count)))
      return failure();
    yieldToAccumulators(count);
  }
  return moveOutputs(count, /*load=*/false);
}

LogicalResult GenericEvaluation::runSequential() {
  if (failed(compileBody(SmallPtrSet<Operation *, 1>())))
    return failure();
  for (int64_t first = 0; first < results.count; first += ScalarCode::kMaxCount)
    if (failed(runSequentialResults(
            first, std::min(ScalarCode::kMaxCount, results.count - first))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static bool isNaN(const vm::HostTensor &tensor, ArrayRef<uint8_t> bytes,
                  size_t i) {
  const vm::DType operands[] = {tensor.dtype, tensor.dtype};
  ElementwiseFn unordered =
      findElementwise("arith.cmpf.uno", operands, vm::DType::I1, false);
  const void *element = bytes.data() + i * byteSize(tensor.dtype);
  const void *both[] = {element, element};
  bool result;
  unordered(both, &result, 1);
  return result;
}

/// Where the minimum or maximum is a NaN, or began as one, nothing has beaten
/// the initial value and the other accumulators keep theirs.
void GenericEvaluation::keepUnordered(const Choice &choice,
                                      ArrayRef<std::vector<uint8_t>> initial) {
  const vm::HostTensor &keys = outputs[choice.key];
  for (size_t r = 0; r < keys.numElements(); ++r) {
    if (!isNaN(keys, keys.bytes, r) && !isNaN(keys, initial[choice.key], r))
      continue;
    for (unsigned i : choice.accumulators) {
      uint64_t size = byteSize(outputs[i].dtype);
      if (i != choice.key)
        std::memcpy(outputs[i].bytes.data() + r * size,
                    initial[i].data() + r * size, size);
    }
  }
}

/// Makes output `i` what it was in the beginning.
void GenericEvaluation::restoreOutput(unsigned i, std::vector<uint8_t> bytes) {
  outputs[i].bytes = std::move(bytes);
  if (outputFlags.empty())
    return;
  OpOperand &operand = *op.getDpsInitOperand(i);
  outputFlags[i] = FlagAccess(op.getMatchingIndexingMap(&operand),
                              env.get(operand.get()), !op.hasDynamicShape());
}

/// Only the outputs of choices get their results.
LogicalResult GenericEvaluation::runChoices() {
  std::vector<std::vector<uint8_t>> initial;
  for (const vm::HostTensor &output : outputs)
    initial.push_back(output.bytes);
  if (failed(runSequential()))
    return failure();
  for (const Choice &choice : combiner->choices)
    if (choice.extremum &&
        std::holds_alternative<arith::CmpFPredicate>(choice.predicate))
      keepUnordered(choice, initial);
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (llvm::none_of(combiner->choices, [&](const Choice &choice) {
          return llvm::is_contained(choice.accumulators, i);
        }))
      restoreOutput(i, std::move(initial[i]));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions in lanes
//===----------------------------------------------------------------------===//

LogicalResult
GenericEvaluation::addElements(int64_t first, int64_t end,
                               const ReductionOrder &order,
                               MutableArrayRef<GroupReduction> groups) {
  const int64_t row = order.elementsPerRow();
  assert(ScalarCode::kMaxCount % row == 0);
  for (int64_t at = first; at < end; at += ScalarCode::kMaxCount) {
    int64_t count = std::min(ScalarCode::kMaxCount, end - at);
    elements.fillRun(*code, at, count);
    if (failed(loadInputs(count)) || failed(code->runPartly(count)))
      return failure();
    for (GroupReduction &group : groups) {
      SmallVector<const void *> own;
      for (unsigned i : group.accumulators) {
        Value element = combiner->elements[i];
        if (failed(code->requireSpecified(op, element, count)))
          return failure();
        own.push_back(code->elements(element));
      }
      group.lanes.addRows(at / row, own, count);
    }
  }
  return success();
}

LogicalResult
GenericEvaluation::reduceResult(int64_t result, const ReductionOrder &order,
                                MutableArrayRef<GroupReduction> groups) {
  results.fillSame(*code, result, ScalarCode::kMaxCount);
  int64_t turn = order.parts == 1
                     ? elements.count
                     : order.rowsPerTurn() * order.elementsPerRow();
  for (int64_t part = 0; part < order.parts && part * turn < elements.count;
       ++part) {
    for (GroupReduction &group : groups)
      group.lanes.beginPart();
    for (int64_t at = part * turn; at < elements.count;
         at += order.parts * turn)
      if (failed(addElements(at, std::min(at + turn, elements.count), order,
                             groups)))
        return failure();
    for (GroupReduction &group : groups)
      group.lanes.endPart();
  }
  // The output's initial value comes first.
  elements.fillSame(*code, 0, 1);
  if (failed(moveOutputs(1, /*load=*/true)) ||
      failed(code->requireSpecified(op, op.getRegionOutputArgs(), 1)))
    return failure();
  if (elements.count == 0)
    return success();
  for (GroupReduction &group : groups) {
    SmallVector<void *> accumulators, totals;
    SmallVector<uint64_t> memory(group.accumulators.size());
    for (auto [c, i] : llvm::enumerate(group.accumulators)) {
      accumulators.push_back(code->elements(op.getRegionOutputArgs()[i]));
      totals.push_back(&memory[c]);
    }
    group.lanes.finish(totals);
    group.lanes.fold(accumulators,
                     SmallVector<const void *>(totals.begin(), totals.end()));
  }
  return moveOutputs(1, /*load=*/false);
}

LogicalResult GenericEvaluation::runInLanes(const ReductionOrder &order) {
  if (!combiner->choices.empty() && failed(runChoices()))
    return failure();
  auto hasNoResult = std::make_shared<bool>(false);
  FailureOr<std::vector<GroupReduction>> groups =
      makeGroupReductions(op, *combiner, order, env, hasNoResult);
  if (failed(groups) || failed(compileBody(findCombiningOps(op))))
    return failure();
  if (groups->empty())
    return success();
  for (int64_t result = 0; result < results.count; ++result)
    if (failed(reduceResult(result, order, *groups)))
      return failure();
  return failure(*hasNoResult);
}

Results GenericEvaluation::run() {
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && !tensor.hasStaticShape() && !isBounded(tensor))
      return op.emitOpError(
          "has a dynamic shape, which the machine does not have");
  ReductionOrder order{/*sequential=*/true};
  if (op.getNumReductionLoops() != 0)
    order = getReductionOrder(op);
  if (!order.sequential)
    combiner = matchCombiner(op);
  if (failed(prepare(order)))
    return failure();
  if (failed(order.sequential ? runSequential() : runInLanes(order)))
    return failure();
  SmallVector<Tensor> tensors;
  for (auto [i, output] : llvm::enumerate(outputs)) {
    Unspecified missing;
    if (!outputFlags.empty())
      missing = makeUnspecified(std::move(outputFlags[i].flags.bytes),
                                code->getCause());
    tensors.push_back(share(std::move(output), std::move(missing)));
  }
  return tensors;
}

Results gpuvm::reference::evaluateGeneric(linalg::GenericOp op,
                                          const Environment &env) {
  return GenericEvaluation(op, env).run();
}
