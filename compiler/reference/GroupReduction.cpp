//===- GroupReduction.cpp - accumulators that are combined together -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/GroupReduction.h"

#include "compiler/reference/ElementName.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

static uint64_t bytesOf(Value accumulator) {
  return byteSize(*getDType(accumulator.getType()));
}

static FailureOr<GroupReduction>
reduceByOperation(linalg::GenericOp op, unsigned accumulator,
                  Operation *combine, const ReductionOrder &order, bool exact) {
  Value argument = op.getRegionOutputArgs()[accumulator];
  vm::DType type = *getDType(argument.getType());
  const vm::DType operands[] = {type, type};
  ElementwiseFn fn =
      findElementwise(getElementwiseName(combine, 0), operands, type, exact);
  if (!fn)
    return combine->emitError("the interpreter does not know ")
           << combine->getName();
  return GroupReduction{
      {accumulator}, LaneReduction(combineBy(fn), {bytesOf(argument)}, order)};
}

/// The body's own code, with accumulators and elements as its arguments.
static FailureOr<GroupReduction>
reduceByClaim(linalg::GenericOp op, const Combiner &combiner,
              const Claim &claim, const ReductionOrder &order,
              const Environment &env, const std::shared_ptr<bool> &failed) {
  SmallVector<Value> arguments, yielded;
  SmallVector<Value> elements;
  std::vector<uint64_t> bytes;
  for (unsigned i : claim.accumulators) {
    arguments.push_back(op.getRegionOutputArgs()[i]);
    elements.push_back(combiner.elements[i]);
    yielded.push_back(op.getBody()->getTerminator()->getOperand(i));
    bytes.push_back(bytesOf(arguments.back()));
  }
  SmallVector<Value> all(arguments);
  llvm::append_range(all, elements);
  FailureOr<ScalarCode> compiled = ScalarCode::compileOps(all, claim.ops, env);
  if (mlir::failed(compiled))
    return failure();
  auto code = std::make_shared<ScalarCode>(std::move(*compiled));
  auto combine = [=](LaneReduction::Tuple accumulators,
                     LaneReduction::ConstTuple partials, size_t count) {
    for (size_t c = 0; c < bytes.size(); ++c) {
      std::memcpy(code->elements(arguments[c]), accumulators[c],
                  count * bytes[c]);
      std::memcpy(code->elements(elements[c]), partials[c], count * bytes[c]);
    }
    auto points = static_cast<int64_t>(count);
    *failed |= mlir::failed(code->run(points)) ||
               mlir::failed(code->requireSpecified(op, yielded, points));
    for (size_t c = 0; c < bytes.size(); ++c)
      std::memcpy(accumulators[c], code->elements(yielded[c]),
                  count * bytes[c]);
  };
  return GroupReduction{claim.accumulators,
                        LaneReduction(combine, bytes, order)};
}

FailureOr<std::vector<GroupReduction>> gpuvm::reference::makeGroupReductions(
    linalg::GenericOp op, const Combiner &combiner, const ReductionOrder &order,
    const Environment &env, const std::shared_ptr<bool> &failed) {
  std::vector<GroupReduction> groups;
  auto add = [&](FailureOr<GroupReduction> group) {
    if (succeeded(group))
      groups.push_back(std::move(*group));
    return succeeded(group);
  };
  for (auto [i, combine] : llvm::enumerate(combiner.ops))
    if (combine && !add(reduceByOperation(op, i, combine, order, env.exact)))
      return failure();
  for (const Claim &claim : combiner.claims)
    if (!add(reduceByClaim(op, combiner, claim, order, env, failed)))
      return failure();
  return groups;
}

SmallPtrSet<Operation *, 8>
gpuvm::reference::findCombiningOps(linalg::GenericOp op) {
  SmallPtrSet<Operation *, 8> ops;
  for (Operation &inner : op.getBody()->without_terminator())
    for (Value operand : inner.getOperands())
      if (llvm::is_contained(op.getRegionOutputArgs(), operand) ||
          ops.contains(operand.getDefiningOp()))
        ops.insert(&inner);
  return ops;
}
