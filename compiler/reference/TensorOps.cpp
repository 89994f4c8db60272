//===- TensorOps.cpp - elementwise tensor code, shapes and slices ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Elementwise.h"
#include "compiler/reference/Evaluate.h"
#include "compiler/reference/ScalarCode.h"
#include "compiler/reference/TensorIndex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm::reference;
using vm::HostTensor;

static SmallVector<Tensor> one(HostTensor &&tensor) {
  return {std::make_shared<const HostTensor>(std::move(tensor))};
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The value of an index that is a constant or a scalar of the program.
static int64_t resolve(OpFoldResult index, const Environment &env) {
  if (auto value = dyn_cast<Value>(index))
    return env.getIndex(value);
  return cast<IntegerAttr>(cast<Attribute>(index)).getInt();
}

static SmallVector<int64_t> resolve(ArrayRef<OpFoldResult> indices,
                                    const Environment &env) {
  return llvm::map_to_vector(
      indices, [&](OpFoldResult index) { return resolve(index, env); });
}

/// The number of the element at `indices`; none outside of `shape`.
static std::optional<int64_t> findElement(ArrayRef<int64_t> shape,
                                          ValueRange indices,
                                          const Environment &env) {
  SmallVector<int64_t> index;
  for (auto [dim, value] : llvm::zip_equal(shape, indices)) {
    index.push_back(env.getIndex(value));
    if (index.back() < 0 || index.back() >= dim)
      return std::nullopt;
  }
  return linearize(shape, index);
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

static Results compute(tensor::ExtractOp op, const Environment &env,
                       HostTensor result) {
  Tensor source = env.get(op.getTensor());
  auto missing = [&](CausePtr cause) {
    return SmallVector<Tensor>{share(result, {{1}, std::move(cause)})};
  };
  SmallVector<int64_t> place;
  for (auto [dim, index] : llvm::zip_equal(source->shape, op.getIndices())) {
    if (env.isUnspecified(index))
      return missing(env.get(index).unspecified()->cause);
    place.push_back(env.getIndex(index));
    if (place.back() < 0 || place.back() >= dim)
      return missing(std::make_shared<const Cause>(
          Cause{op, "uses index " + std::to_string(place.back()) +
                        " of a dimension of size " + std::to_string(dim)}));
  }
  int64_t at = linearize(source->shape, place);
  if (source.flags() && source.flags()[at])
    return missing(source.unspecified()->cause);
  copyElement(result, 0, *source, at);
  return one(std::move(result));
}

static Results compute(tensor::InsertOp op, const Environment &env,
                       const HostTensor &) {
  HostTensor result = *env.get(op.getDest());
  if (std::optional<int64_t> at =
          findElement(result.shape, op.getIndices(), env))
    copyElement(result, *at, *env.get(op.getScalar()), 0);
  return one(std::move(result));
}

static Results compute(tensor::FromElementsOp op, const Environment &env,
                       HostTensor result) {
  std::vector<uint8_t> flags(result.numElements());
  CausePtr cause;
  for (auto [i, element] : llvm::enumerate(op.getElements())) {
    const Tensor &scalar = env.get(element);
    copyElement(result, i, *scalar, 0);
    flags[i] = scalar.unspecified() != nullptr;
    if (scalar.unspecified())
      cause = scalar.unspecified()->cause;
  }
  return SmallVector<Tensor>{
      share(std::move(result), makeUnspecified(std::move(flags), cause))};
}

static Results compute(tensor::SplatOp op, const Environment &env,
                       const HostTensor &result) {
  return SmallVector<Tensor>{broadcast(env.get(op.getInput()), result.shape)};
}

/// An unspecified value; zeros here.
static Results compute(tensor::EmptyOp, const Environment &,
                       HostTensor result) {
  return one(std::move(result));
}

static Results compute(tensor::DimOp op, const Environment &env,
                       HostTensor result) {
  int64_t dim = env.getIndex(op.getIndex());
  auto type = cast<RankedTensorType>(op.getSource().getType());
  if (dim < 0 || dim >= type.getRank())
    return op.emitOpError("asks for dimension ")
           << dim << " of a tensor of rank " << type.getRank();
  int64_t size = type.getDimSize(dim);
  std::memcpy(result.bytes.data(), &size, sizeof(size));
  return one(std::move(result));
}

static Results compute(tensor::RankOp op, const Environment &,
                       HostTensor result) {
  int64_t rank = cast<RankedTensorType>(op.getTensor().getType()).getRank();
  std::memcpy(result.bytes.data(), &rank, sizeof(rank));
  return one(std::move(result));
}

//===----------------------------------------------------------------------===//
// Other shapes of the same elements
//===----------------------------------------------------------------------===//

static Results reshape(Value source, const Environment &env,
                       HostTensor result) {
  const Tensor &same = env.get(source);
  result.bytes = same->bytes;
  Unspecified missing;
  if (same.unspecified())
    missing = *same.unspecified();
  return SmallVector<Tensor>{share(std::move(result), std::move(missing))};
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Moves offsets that are no constants so that the slice lies inside of
/// `shape`, if it is small enough.
static void moveInside(ArrayRef<OpFoldResult> given, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                       MutableArrayRef<int64_t> offsets) {
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t room = shape[d] - 1 - (sizes[d] - 1) * strides[d];
    if (isa<Value>(given[d]) && room >= 0 && strides[d] > 0)
      offsets[d] = std::clamp<int64_t>(offsets[d], 0, room);
  }
}

/// Calls `visit` with the position in the whole and in the slice of every
/// element of a slice, or emits an error if the slice is not inside `shape`.
template <typename SliceOp>
static LogicalResult
forEachInSlice(SliceOp op, ArrayRef<int64_t> shape, const Environment &env,
               function_ref<void(int64_t whole, int64_t slice)> visit) {
  SmallVector<int64_t> offsets = resolve(op.getMixedOffsets(), env);
  SmallVector<int64_t> sizes = resolve(op.getMixedSizes(), env);
  SmallVector<int64_t> strides = resolve(op.getMixedStrides(), env);
  moveInside(op.getMixedOffsets(), shape, sizes, strides, offsets);
  for (auto [dim, offset, size, stride] :
       llvm::zip_equal(shape, offsets, sizes, strides)) {
    int64_t last = offset + (size - 1) * stride;
    if (std::min(offset, last) < 0 || std::max(offset, last) >= dim)
      return op.emitOpError("uses indices ")
             << offset << " to " << last << " of a dimension of size " << dim;
  }
  int64_t next = 0;
  SmallVector<int64_t> position(shape.size());
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    for (size_t d = 0; d < index.size(); ++d)
      position[d] = offsets[d] + index[d] * strides[d];
    visit(linearize(shape, position), next++);
  });
  return success();
}

static Results compute(tensor::ExtractSliceOp op, const Environment &env,
                       HostTensor result) {
  Tensor source = env.get(op.getSource());
  auto copy = [&](int64_t whole, int64_t slice) {
    copyElement(result, slice, *source, whole);
  };
  if (failed(forEachInSlice(op, source->shape, env, copy)))
    return failure();
  return one(std::move(result));
}

static Results compute(tensor::InsertSliceOp op, const Environment &env,
                       const HostTensor &) {
  HostTensor result = *env.get(op.getDest());
  Tensor source = env.get(op.getSource());
  auto copy = [&](int64_t whole, int64_t slice) {
    copyElement(result, whole, *source, slice);
  };
  if (failed(forEachInSlice(op, result.shape, env, copy)))
    return failure();
  return one(std::move(result));
}

static Results compute(tensor::ConcatOp op, const Environment &env,
                       HostTensor result) {
  int64_t begin = 0;
  for (Value input : op.getInputs()) {
    Tensor source = env.get(input);
    int64_t next = 0;
    SmallVector<int64_t> position;
    forEachIndex(source->shape, [&](ArrayRef<int64_t> index) {
      position.assign(index.begin(), index.end());
      position[op.getDim()] += begin;
      copyElement(result, linearize(result.shape, position), *source, next++);
    });
    begin += source->shape[op.getDim()];
  }
  return one(std::move(result));
}

//===----------------------------------------------------------------------===//
// Elements computed from their indices
//===----------------------------------------------------------------------===//

/// Sets every element to what `body` yields; its arguments are the indices.
static LogicalResult generate(Block &body, const Environment &env,
                              HostTensor &result) {
  FailureOr<ScalarCode> code = ScalarCode::compile(
      body, env, /*numLoops=*/0, SmallPtrSet<Operation *, 1>());
  if (failed(code))
    return failure();
  Value yielded = body.getTerminator()->getOperand(0);
  int64_t next = 0;
  bool ok = true;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    for (auto [argument, i] : llvm::zip_equal(body.getArguments(), index))
      std::memcpy(code->elements(argument), &i, sizeof(i));
    ok = ok && succeeded(code->run(1));
    uint64_t size = byteSize(result.dtype);
    std::memcpy(result.bytes.data() + size * next++, code->elements(yielded),
                size);
  });
  return success(ok);
}

static Results compute(tensor::GenerateOp op, const Environment &env,
                       HostTensor result) {
  if (failed(generate(op.getBody().front(), env, result)))
    return failure();
  return one(std::move(result));
}

static Results compute(tensor::PadOp op, const Environment &env,
                       HostTensor result) {
  if (failed(generate(op.getRegion().front(), env, result)))
    return failure();
  Tensor source = env.get(op.getSource());
  SmallVector<int64_t> low = resolve(op.getMixedLowPad(), env);
  if (llvm::any_of(low, [](int64_t pad) { return pad < 0; }))
    return op.emitOpError("pads by a negative number");
  for (auto [begin, size, room] :
       llvm::zip_equal(low, source->shape, result.shape))
    if (begin + size > room)
      return op.emitOpError("puts indices ")
             << begin << " to " << begin + size - 1
             << " into a dimension of size " << room;
  int64_t next = 0;
  SmallVector<int64_t> position(low.size());
  forEachIndex(source->shape, [&](ArrayRef<int64_t> index) {
    for (size_t d = 0; d < index.size(); ++d)
      position[d] = low[d] + index[d];
    copyElement(result, linearize(result.shape, position), *source, next++);
  });
  return one(std::move(result));
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Results gpuvm::reference::evaluateTensorOp(Operation *op,
                                           const Environment &env) {
  if (op->getNumResults() != 1)
    return op->emitError("the interpreter does not know ") << op->getName();
  bool movesElements =
      isa<tensor::ExtractOp, tensor::FromElementsOp, tensor::SplatOp,
          tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
          tensor::BitcastOp, tensor::ReshapeOp>(op);
  for (Value operand : op->getOperands())
    if (!movesElements && failed(requireSpecified(op, env.get(operand))))
      return failure();
  FailureOr<HostTensor> result = makeResult(op->getResult(0));
  if (failed(result))
    return failure();
  return TypeSwitch<Operation *, Results>(op)
      .Case<tensor::ExtractOp, tensor::InsertOp, tensor::FromElementsOp,
            tensor::SplatOp, tensor::EmptyOp, tensor::DimOp, tensor::RankOp,
            tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ConcatOp,
            tensor::GenerateOp, tensor::PadOp>([&](auto tensorOp) {
        return compute(tensorOp, env, std::move(*result));
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
            tensor::BitcastOp, tensor::ReshapeOp>([&](Operation *) {
        return reshape(op->getOperand(0), env, std::move(*result));
      })
      .Default([&](Operation *) -> Results {
        return op->emitError("the interpreter does not know ") << op->getName();
      });
}
