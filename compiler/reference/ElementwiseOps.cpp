//===- ElementwiseOps.cpp - arith and math on tensors ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/ElementName.h"
#include "compiler/reference/Elementwise.h"
#include "compiler/reference/Evaluate.h"
#include "compiler/reference/ScalarCode.h"
#include "compiler/reference/SmallTypes.h"

using namespace mlir;
using namespace mlir::gpuvm::reference;
using vm::HostTensor;

FailureOr<HostTensor> gpuvm::reference::makeResult(OpResult result,
                                                   int64_t rows) {
  std::optional<HostTensor> tensor = makeZero(result.getType(), rows);
  if (tensor)
    return std::move(*tensor);
  return result.getOwner()->emitOpError("has result type ")
         << result.getType() << ", which the machine does not have";
}

Tensor gpuvm::reference::broadcast(const Tensor &scalar,
                                   ArrayRef<int64_t> shape) {
  HostTensor wide{scalar->dtype, {shape.begin(), shape.end()}, {}};
  uint64_t size = scalar->bytes.size(), count = wide.numElements();
  wide.bytes.resize(count * size);
  for (uint64_t at = 0; at < wide.bytes.size(); at += size)
    std::memcpy(wide.bytes.data() + at, scalar->bytes.data(), size);
  Unspecified missing;
  if (scalar.unspecified())
    missing = makeUnspecified(std::vector<uint8_t>(count, 1),
                              scalar.unspecified()->cause);
  return share(std::move(wide), std::move(missing));
}

/// Which elements of an elementwise result are unspecified.
static Unspecified propagate(Operation *op, ArrayRef<Tensor> operands,
                             size_t count) {
  SmallVector<const uint8_t *> flags;
  SmallVector<const void *> elements;
  CausePtr cause;
  for (const Tensor &operand : operands) {
    flags.push_back(operand.flags());
    elements.push_back(operand->bytes.data());
    if (operand.unspecified())
      cause = operand.unspecified()->cause;
  }
  if (!cause)
    return {};
  std::vector<uint8_t> result(count);
  propagateUnspecified(op, flags, elements, count, result.data());
  return makeUnspecified(std::move(result), cause);
}

static FailureOr<Tensor> computeResult(OpResult result,
                                       ArrayRef<Tensor> operands, bool exact) {
  Operation *op = result.getOwner();
  ArrayRef<int64_t> shape = operands.back()->shape;
  FailureOr<HostTensor> tensor =
      makeResult(result, shape.empty() ? 0 : shape.front());
  if (failed(tensor))
    return failure();
  SmallVector<vm::DType> types;
  SmallVector<const void *> elements;
  for (const Tensor &operand : operands) {
    types.push_back(operand->dtype);
    elements.push_back(operand->bytes.data());
  }
  std::string name = getElementwiseName(op, result.getResultNumber());
  SmallFn fn;
  if (isOnSmallTypes(op))
    fn = findSmallOp(op, exact);
  else if (ElementwiseFn plain =
               findElementwise(name, types, tensor->dtype, exact))
    fn = [plain](ArrayRef<const void *> from, void *to, size_t length) {
      return plain(from.data(), to, length);
    };
  if (!fn)
    return op->emitError("the interpreter does not know ")
           << name << " with result type " << result.getType();
  for (const Tensor &operand : operands)
    if (operand->shape != tensor->shape)
      return op->emitOpError("has operands with ")
             << operand->shape.front() << " and " << tensor->shape.front()
             << " rows";
  for (const Tensor &operand : operands)
    if (needsSpecified(op) && failed(requireSpecified(op, operand)))
      return failure();
  size_t count = tensor->numElements();
  Fault fault = fn(elements, tensor->bytes.data(), count);
  if (fault.what)
    return op->emitOpError(fault.what) << " at element " << fault.element;
  return share(std::move(*tensor), propagate(op, operands, count));
}

Results gpuvm::reference::evaluateElementwise(Operation *op,
                                              const Environment &env) {
  if (op->getNumResults() == 0 || op->getNumOperands() == 0)
    return op->emitError("the interpreter does not know ") << op->getName();
  SmallVector<Tensor> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(env.get(operand));
  if (isa<RankedTensorType>(op->getResult(0).getType()))
    for (auto [operand, value] : llvm::zip_equal(operands, op->getOperands()))
      if (!isa<ShapedType>(value.getType()))
        operand = broadcast(operand, operands.back()->shape);
  for (OpResult result : op->getResults()) {
    FailureOr<Tensor> tensor = computeResult(result, operands, env.exact);
    if (failed(tensor))
      return failure();
    results.push_back(std::move(*tensor));
  }
  return results;
}
