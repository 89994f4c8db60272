//===- Generic.cpp - what linalg.generic computes -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iteration space is P results (the parallel loops) times K elements (the
// reduction loops, row-major). For a sequential order, runs of results are
// computed together, element by element. Otherwise each result is computed by
// itself, from runs of elements that go to lanes.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"
#include "compiler/reference/IterationSpace.h"
#include "compiler/reference/LaneReduction.h"
#include "compiler/reference/ScalarCode.h"
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
  LogicalResult prepare();
  LogicalResult checkOutputs();
  LogicalResult loadInputs(int64_t count);
  LogicalResult moveOutputs(int64_t count, bool load);
  void yieldToAccumulators(int64_t count);
  LogicalResult runSequential();
  LogicalResult runSequentialResults(int64_t first, int64_t count);
  LogicalResult runInLanes(const ReductionOrder &order);
  LogicalResult reduceResult(int64_t result, const ReductionOrder &order,
                             MutableArrayRef<LaneReduction> reductions);
  LogicalResult addElements(int64_t first, int64_t end,
                            const ReductionOrder &order,
                            MutableArrayRef<LaneReduction> reductions);

  linalg::GenericOp op;
  const Environment &env;
  LoopNest results, elements;
  std::optional<Combiner> combiner; ///< Only where the order needs it.
  std::optional<ScalarCode> code;
  SmallVector<Tensor> inputs;
  SmallVector<vm::HostTensor> outputs;
  std::vector<Access> inputAccess, outputAccess;
  std::vector<std::vector<uint64_t>> yielded;
};
} // namespace

LogicalResult GenericEvaluation::prepare() {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return op.emitOpError(
        "has a dynamic shape, which the machine does not have");
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    (iterator == utils::IteratorType::parallel ? results : elements)
        .add(loop, ranges[loop]);
  SmallPtrSet<Operation *, 4> skip;
  if (combiner)
    skip.insert(combiner->ops.begin(), combiner->ops.end());
  FailureOr<ScalarCode> compiled =
      ScalarCode::compile(op.getRegion().front(), env, ranges.size(), skip);
  if (failed(compiled))
    return failure();
  code = std::move(*compiled);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    inputs.push_back(env.get(operand->get()));
    inputAccess.emplace_back(op.getMatchingIndexingMap(operand),
                             *inputs.back());
  }
  for (OpOperand &operand : op.getDpsInitsMutable())
    outputs.push_back(*env.get(operand.get()));
  for (auto [operand, output] :
       llvm::zip_equal(op.getDpsInitsMutable(), outputs))
    outputAccess.emplace_back(op.getMatchingIndexingMap(&operand), output);
  yielded.assign(outputs.size(), std::vector<uint64_t>(ScalarCode::kMaxCount));
  return checkOutputs();
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
  for (auto [i, argument] : llvm::enumerate(op.getRegionInputArgs()))
    if (!inputAccess[i].gather(*code, *inputs[i], count,
                               code->elements(argument)))
      return op.emitOpError("reads operand ") << i << " out of its bounds";
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
  }
  return success();
}

/// What the body yields is what it sees as its outputs at the next element. A
/// yielded value may be another accumulator, hence two copies.
void GenericEvaluation::yieldToAccumulators(int64_t count) {
  Operation *yield = op.getRegion().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    std::memcpy(yielded[i].data(), code->elements(value),
                count * byteSize(outputs[i].dtype));
  for (auto [i, argument] : llvm::enumerate(op.getRegionOutputArgs()))
    std::memcpy(code->elements(argument), yielded[i].data(),
                count * byteSize(outputs[i].dtype));
}

LogicalResult GenericEvaluation::runSequentialResults(int64_t first,
                                                      int64_t count) {
  results.fillRun(*code, first, count);
  elements.fillSame(*code, 0, count);
  if (failed(moveOutputs(count, /*load=*/true)))
    return failure();
  for (int64_t element = 0; element < elements.count; ++element) {
    elements.fillSame(*code, element, count);
    if (failed(loadInputs(count)) || failed(code->run(count)))
      return failure();
    yieldToAccumulators(count);
  }
  return moveOutputs(count, /*load=*/false);
}

LogicalResult GenericEvaluation::runSequential() {
  for (int64_t first = 0; first < results.count; first += ScalarCode::kMaxCount)
    if (failed(runSequentialResults(
            first, std::min(ScalarCode::kMaxCount, results.count - first))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions in lanes
//===----------------------------------------------------------------------===//

LogicalResult
GenericEvaluation::addElements(int64_t first, int64_t end,
                               const ReductionOrder &order,
                               MutableArrayRef<LaneReduction> reductions) {
  const int64_t row = order.elementsPerRow();
  assert(ScalarCode::kMaxCount % row == 0);
  for (int64_t at = first; at < end; at += ScalarCode::kMaxCount) {
    int64_t count = std::min(ScalarCode::kMaxCount, end - at);
    elements.fillRun(*code, at, count);
    if (failed(loadInputs(count)) || failed(code->run(count)))
      return failure();
    for (auto [reduction, value] :
         llvm::zip_equal(reductions, combiner->elements))
      reduction.addRows(at / row, code->elements(value), count);
  }
  return success();
}

LogicalResult
GenericEvaluation::reduceResult(int64_t result, const ReductionOrder &order,
                                MutableArrayRef<LaneReduction> reductions) {
  results.fillSame(*code, result, ScalarCode::kMaxCount);
  int64_t turn = order.rowsPerTurn() * order.elementsPerRow();
  for (int64_t part = 0; part < order.parts; ++part) {
    for (LaneReduction &reduction : reductions)
      reduction.beginPart();
    for (int64_t at = part * turn; at < elements.count;
         at += order.parts * turn)
      if (failed(addElements(at, std::min(at + turn, elements.count), order,
                             reductions)))
        return failure();
    for (LaneReduction &reduction : reductions)
      reduction.endPart();
  }
  // The output's initial value comes first.
  elements.fillSame(*code, 0, 1);
  if (failed(moveOutputs(1, /*load=*/true)))
    return failure();
  for (auto [reduction, argument] :
       llvm::zip_equal(reductions, op.getRegionOutputArgs())) {
    uint64_t total;
    reduction.finish(&total);
    reduction.fold(code->elements(argument), &total);
  }
  return moveOutputs(1, /*load=*/false);
}

LogicalResult GenericEvaluation::runInLanes(const ReductionOrder &order) {
  SmallVector<LaneReduction> reductions;
  for (auto [i, combine] : llvm::enumerate(combiner->ops)) {
    vm::DType type = outputs[i].dtype;
    const vm::DType operands[] = {type, type};
    ElementwiseFn fn = findElementwise(getElementwiseName(combine, 0), operands,
                                       type, env.exact);
    if (!fn)
      return combine->emitError("the interpreter does not know ")
             << combine->getName();
    reductions.emplace_back(fn, byteSize(type), order);
  }
  for (int64_t result = 0; result < results.count; ++result)
    if (failed(reduceResult(result, order, reductions)))
      return failure();
  return success();
}

Results GenericEvaluation::run() {
  ReductionOrder order{/*sequential=*/true, /*parts=*/1};
  if (op.getNumReductionLoops() != 0 && !op.hasDynamicShape())
    order = getReductionOrder(op);
  if (!order.sequential)
    combiner = matchCombiner(op);
  if (failed(prepare()))
    return failure();
  if (failed(order.sequential ? runSequential() : runInLanes(order)))
    return failure();
  SmallVector<Tensor> tensors;
  for (vm::HostTensor &output : outputs)
    tensors.push_back(
        std::make_shared<const vm::HostTensor>(std::move(output)));
  return tensors;
}

Results gpuvm::reference::evaluateGeneric(linalg::GenericOp op,
                                          const Environment &env) {
  return GenericEvaluation(op, env).run();
}
