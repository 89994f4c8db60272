//===- ScalarCode.cpp - a region of scalar code, run on many elements -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/ScalarCode.h"

#include "compiler/reference/ElementName.h"
#include "compiler/reference/Elementwise.h"
#include "compiler/reference/SmallTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm::reference;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void *ScalarCode::addBuffer() {
  buffers.push_back(std::make_unique<uint64_t[]>(kMaxCount));
  return buffers.back().get();
}

void *ScalarCode::addValue(Value value) {
  if (hasFlags)
    flagsOf[value] = static_cast<uint8_t *>(addBuffer());
  return values[value] = addBuffer();
}

void *ScalarCode::elements(Value value) const { return values.lookup(value); }

/// Writes the one element of `scalar` to all places of `buffer`.
static void fill(void *buffer, const vm::HostTensor &scalar) {
  uint64_t size = scalar.bytes.size();
  for (int64_t i = 0; i < ScalarCode::kMaxCount; ++i)
    std::memcpy(static_cast<uint8_t *>(buffer) + i * size, scalar.bytes.data(),
                size);
}

/// The first cause is the one that is reported.
static void noteCause(CausePtr &cause, const Tensor &tensor) {
  if (!cause)
    cause = tensor.unspecified()->cause;
}

/// A scalar from outside the region.
LogicalResult ScalarCode::addOutside(Operation *user, Value value,
                                     const Environment &outside) {
  if (values.contains(value))
    return success();
  if (isa<ShapedType>(value.getType()))
    return user->emitOpError("cannot use a whole tensor here");
  const Tensor &scalar = outside.get(value);
  fill(addValue(value), *scalar);
  if (scalar.unspecified()) {
    std::memset(flagsOf.lookup(value), 1, kMaxCount);
    noteCause(*cause, scalar);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static LogicalResult reportFault(Operation *op, const Fault &fault,
                                 int64_t first, ArrayRef<int64_t *> loops) {
  InFlightDiagnostic error = op->emitOpError(fault.what) << " at point (";
  llvm::interleaveComma(loops, error, [&](int64_t *loop) {
    error << loop[first + static_cast<int64_t>(fault.element)];
  });
  return error << ")";
}

static bool hasAny(const uint8_t *flags, int64_t first, int64_t count) {
  return std::memchr(flags + first, 1, count) != nullptr;
}

ScalarCode::Step ScalarCode::requireStep(Operation *user, Value value) const {
  return [user, flags = flagsOf.lookup(value),
          cause = cause](int64_t first, int64_t count) -> LogicalResult {
    if (flags && hasAny(flags, first, count))
      return reportUnspecified(user, *cause);
    return success();
  };
}

/// Which elements of a result are unspecified.
void ScalarCode::addPropagation(Operation *op, OpResult result) {
  SmallVector<std::pair<const uint8_t *, uint64_t>> operands;
  SmallVector<const uint8_t *> flags;
  for (Value operand : op->getOperands()) {
    operands.push_back({static_cast<const uint8_t *>(elements(operand)),
                        byteSize(*getDType(operand.getType()))});
    flags.push_back(flagsOf.lookup(operand));
  }
  steps.push_back([=, out = flagsOf.lookup(result)](
                      int64_t first, int64_t count) -> LogicalResult {
    SmallVector<const void *, 4> from;
    SmallVector<const uint8_t *, 4> own;
    for (auto [operand, flag] : llvm::zip_equal(operands, flags)) {
      from.push_back(operand.first + first * operand.second);
      own.push_back(flag ? flag + first : nullptr);
    }
    propagateUnspecified(op, own, from, count, out + first);
    return success();
  });
}

LogicalResult ScalarCode::addElementwise(Operation *op, bool exact) {
  SmallVector<vm::DType> types;
  SmallVector<const uint8_t *> operands;
  for (Value operand : op->getOperands()) {
    std::optional<vm::DType> type = getDType(operand.getType());
    if (!type)
      return op->emitOpError("has an operand of type ")
             << operand.getType() << ", which the machine does not have";
    types.push_back(*type);
    operands.push_back(static_cast<const uint8_t *>(elements(operand)));
    if (hasFlags && needsSpecified(op))
      steps.push_back(requireStep(op, operand));
  }
  for (OpResult result : op->getResults()) {
    std::optional<vm::DType> type = getDType(result.getType());
    std::string name = getElementwiseName(op, result.getResultNumber());
    SmallFn fn;
    if (isOnSmallTypes(op))
      fn = findSmallOp(op, exact);
    else if (ElementwiseFn plain =
                 type ? findElementwise(name, types, *type, exact) : nullptr)
      fn = [plain](ArrayRef<const void *> from, void *to, size_t count) {
        return plain(from.data(), to, count);
      };
    if (!fn)
      return op->emitError("the interpreter does not know ")
             << name << " with result type " << result.getType();
    auto *out = static_cast<uint8_t *>(addValue(result));
    steps.push_back([=, loops = loopIndices](int64_t first,
                                             int64_t count) -> LogicalResult {
      SmallVector<const void *, 4> from;
      for (auto [operand, own] : llvm::zip_equal(operands, types))
        from.push_back(operand + first * byteSize(own));
      Fault fault = fn(from, out + first * byteSize(*type), count);
      return fault.what ? reportFault(op, fault, first, loops) : success();
    });
    if (hasFlags)
      addPropagation(op, result);
  }
  return success();
}

namespace {
/// Reads elements of a table at indices that a body computes. What it reads
/// outside of the table, at an index that is unspecified, or where the table
/// is, is unspecified.
struct TableRead {
  Operation *op;
  Tensor table;
  std::shared_ptr<CausePtr> cause;
  SmallVector<const int64_t *> indices;
  SmallVector<const uint8_t *> indexFlags;
  uint8_t *out;
  uint8_t *outFlags;

  /// The number of the element that point `i` reads.
  std::optional<int64_t> find(int64_t i) const {
    int64_t offset = 0;
    for (auto [dim, index, flags] :
         llvm::zip_equal(table->shape, indices, indexFlags)) {
      if (flags[i])
        return std::nullopt;
      if (index[i] < 0 || index[i] >= dim) {
        if (!*cause)
          *cause = std::make_shared<const Cause>(
              Cause{op, "reads index " + std::to_string(index[i]) +
                            " of a dimension of size " + std::to_string(dim)});
        return std::nullopt;
      }
      offset = offset * dim + index[i];
    }
    return offset;
  }

  LogicalResult operator()(int64_t first, int64_t count) const {
    uint64_t size = byteSize(table->dtype);
    for (int64_t i = first; i < first + count; ++i) {
      std::optional<int64_t> at = find(i);
      bool isMissing = at && table.flags() && table.flags()[*at];
      if (isMissing)
        noteCause(*cause, table);
      outFlags[i] = !at || isMissing;
      if (at)
        std::memcpy(out + i * size, table->bytes.data() + *at * size, size);
      else
        std::memset(out + i * size, 0, size);
    }
    return success();
  }
};
} // namespace

/// `tensor.extract` of a tensor from outside: a gather.
LogicalResult ScalarCode::addExtract(Operation *op,
                                     const Environment &outside) {
  auto extract = cast<tensor::ExtractOp>(op);
  if (extract.getTensor().getParentBlock() == op->getBlock())
    return op->emitOpError("reads a tensor that is computed in the same body");
  TableRead read = {op, outside.get(extract.getTensor()), cause, {}, {}, {},
                    {}};
  for (Value index : extract.getIndices()) {
    read.indices.push_back(static_cast<const int64_t *>(elements(index)));
    read.indexFlags.push_back(flagsOf.lookup(index));
  }
  read.out = static_cast<uint8_t *>(addValue(extract.getResult()));
  read.outFlags = flagsOf.lookup(extract.getResult());
  steps.push_back(std::move(read));
  return success();
}

LogicalResult ScalarCode::addStep(Operation *op, const Environment &outside) {
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant))) {
    std::optional<vm::HostTensor> value = fromAttribute(constant);
    if (!value)
      return op->emitOpError("is no constant of the machine");
    fill(addValue(op->getResult(0)), *value);
    return success();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    values[index.getResult()] = loopIndices[index.getDim()];
    if (hasFlags)
      flagsOf[index.getResult()] = static_cast<uint8_t *>(addBuffer());
    return success();
  }
  if (op->getNumRegions() != 0)
    return addControlFlow(op, outside);
  bool isExtract = isa<tensor::ExtractOp>(op);
  for (Value operand : op->getOperands().drop_front(isExtract ? 1 : 0))
    if (failed(addOutside(op, operand, outside)))
      return failure();
  return isExtract ? addExtract(op, outside)
                   : addElementwise(op, outside.exact);
}

/// Whether `op`, with what is in it, reads a table or what is unspecified
/// outside.
static bool mayBeUnspecified(Operation *op, const Environment &outside) {
  return op
      ->walk([&](Operation *inner) {
        bool may = isa<tensor::ExtractOp>(inner) ||
                   llvm::any_of(inner->getOperands(), [&](Value operand) {
                     return outside.isUnspecified(operand);
                   });
        return may ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<ScalarCode>
ScalarCode::compile(Block &body, const Environment &outside, unsigned numLoops,
                    const SmallPtrSetImpl<Operation *> &skip,
                    const CausePtr &cause) {
  ScalarCode code(body.getParentOp(), outside.limit);
  *code.cause = cause;
  code.hasFlags = cause || llvm::any_of(body, [&](Operation &op) {
                    return mayBeUnspecified(&op, outside);
                  });
  code.end = body.getTerminator();
  for (unsigned loop = 0; loop < numLoops; ++loop)
    code.loopIndices.push_back(static_cast<int64_t *>(code.addBuffer()));
  for (BlockArgument argument : body.getArguments())
    code.addValue(argument);
  for (Operation &op : body.without_terminator())
    if (!skip.contains(&op) && failed(code.addStep(&op, outside)))
      return failure();
  // What the caller reads: yielded values, operands of skipped operations.
  SmallVector<Operation *> readers(skip.begin(), skip.end());
  readers.push_back(body.getTerminator());
  for (Operation *reader : readers)
    for (Value value : reader->getOperands())
      if (!value.getDefiningOp() || !skip.contains(value.getDefiningOp()))
        if (failed(code.addOutside(reader, value, outside)))
          return failure();
  return code;
}

FailureOr<ScalarCode> ScalarCode::compileOps(ValueRange arguments,
                                             ArrayRef<Operation *> ops,
                                             const Environment &outside) {
  ScalarCode code(arguments.front().getParentBlock()->getParentOp(),
                  outside.limit);
  code.hasFlags = llvm::any_of(
      ops, [&](Operation *op) { return mayBeUnspecified(op, outside); });
  for (Value argument : arguments)
    code.addValue(argument);
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      bool isConstant = source && source->getBlock() == op->getBlock() &&
                        matchPattern(source, m_Constant());
      if (isConstant && failed(code.addStep(source, outside)))
        return failure();
    }
    if (failed(code.addStep(op, outside)))
      return failure();
  }
  return code;
}

LogicalResult ScalarCode::run(const Steps &steps, int64_t first,
                              int64_t count) {
  for (const Step &step : steps)
    if (failed(step(first, count)))
      return failure();
  return success();
}

LogicalResult ScalarCode::runPartly(int64_t count) const {
  if (failed(limit->take(owner, (1 + steps.size()) * count)))
    return failure();
  return run(steps, 0, count);
}

LogicalResult ScalarCode::run(int64_t count) const {
  if (failed(runPartly(count)))
    return failure();
  return end ? requireSpecified(end, end->getOperands(), count) : success();
}

LogicalResult ScalarCode::requireSpecified(Operation *user, ValueRange values,
                                           int64_t count) const {
  for (Value value : values)
    if (failed(requireStep(user, value)(0, count)))
      return failure();
  return success();
}
