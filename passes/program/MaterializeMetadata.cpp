//===- MaterializeMetadata.cpp - computes the metadata that is read -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The four words of a message live in the metric `<stage>.metadata`, a
// tensor<4xi32> that holds norm and max_abs as the bits of an f32. Sender and
// receiver access it as they would any other symbol, so scheduling and barriers
// need to know nothing about metadata.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "kernels/analysis/Alternative.h"
#include "passes/Passes.h"
#include "passes/analysis/Commands.h"
#include "passes/expand/ElementBuilder.h"
#include "passes/program/Magnitude.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_MATERIALIZEMETADATA
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

using FieldSet = std::array<bool, 4>;

struct MaterializeMetadata
    : gpuvm::impl::MaterializeMetadataBase<MaterializeMetadata> {
  using Base::Base;
  void runOnOperation() override;
};

/// Builds the sending half at the end of a stage.
class MetadataBuilder {
public:
  MetadataBuilder(StageOp stage, FieldSet fields)
      : stage(stage), fields(fields), b(stage.getSend()),
        loc(stage.getSend().getLoc()) {}
  /// `condition`: the stage and the readers need not run while it is false;
  /// null if there is a reader that always runs.
  void build(StringRef symbol, Value condition);

private:
  Value scalar(float value);
  Value reduce(Field field);
  Value words(Value norm, Value maxAbs, Value old, Value status);

  StageOp stage;
  FieldSet fields;
  OpBuilder b;
  Location loc;
};

} // namespace

static std::string symbolName(StageOp stage) {
  return (stage.getSymName() + ".metadata").str();
}

Value MetadataBuilder::scalar(float value) {
  auto type = RankedTensorType::get({}, b.getF32Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
}

Value MetadataBuilder::reduce(Field field) {
  if (!fields[static_cast<unsigned>(field)])
    return scalar(0);
  return reduceMagnitude(b, loc, stage.getSend().getPayloads().front(), field,
                         /*ofEach=*/false);
}

/// The four words; fields without a reader are zero.
Value MetadataBuilder::words(Value norm, Value maxAbs, Value old,
                             Value status) {
  AffineMap one = b.getMultiDimIdentityMap(1);
  AffineMap none = AffineMap::get(1, 0, ArrayRef<AffineExpr>(), b.getContext());
  auto body = [&](OpBuilder &nested, Location l, ValueRange args) {
    ExprBuilder e(nested, l);
    Expr field = e.make<linalg::IndexOp>(0).signedToWord(), root = e(args[0]);
    if (fields[static_cast<unsigned>(Field::norm)])
      root = sqrt(root);
    Expr candidates[] = {bitsOf(root), bitsOf(e(args[1])), e(args[2]) + 1};
    Expr word = e(args[3]);
    for (int32_t i = 2; i >= 0; --i)
      word = select(field == i, candidates[i], word);
    linalg::YieldOp::create(nested, l, Value(word));
  };
  Value init = tensor::EmptyOp::create(b, loc, {4}, b.getI32Type());
  return linalg::GenericOp::create(
             b, loc, init.getType(), ValueRange{norm, maxAbs, old, status},
             init, ArrayRef<AffineMap>{none, none, one, none, one},
             utils::IteratorType::parallel, body)
      .getResult(0);
}

void MetadataBuilder::build(StringRef symbol, Value condition) {
  auto type = RankedTensorType::get({4}, b.getI32Type());
  Value old = LoadOp::create(b, loc, type, symbol, IntegerAttr());
  Value status = stage.getSend().getStatus();
  if (!status)
    status = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, b.getI32Type()), 0));
  Value all = words(reduce(Field::norm), reduce(Field::max_abs), old, status);
  if (condition)
    all = chooseElements(b, loc, condition, all, old);
  StoreOp::create(b, loc, all, symbol);
}

/// The condition of a stage and of all readers of its metadata; null if there
/// is none.
static Value getCondition(StageOp stage) {
  std::optional<uint64_t> number = stage.getPredicate();
  return number ? stage.getBody().getArgument(*number) : Value();
}

/// The sender of the message a metadata operation reads.
static StageOp senderOf(MetadataOp op) {
  auto stage = cast<StageOp>(op->getParentOp());
  unsigned number = cast<BlockArgument>(op.getMessage()).getArgNumber();
  return cast<StageOp>(stage.getInputs()[number].getDefiningOp());
}

/// The time of the device's clock after `after` is computed; null: at first.
static Value readClock(OpBuilder b, Location loc, Value after) {
  auto type = RankedTensorType::get({3}, b.getI64Type());
  return ClockOp::create(b, loc, type, after, ArrayAttr(), ArrayAttr());
}

/// Nanoseconds between what the clock said at first and at last.
static Value nanosecondsBetween(OpBuilder &b, Location loc, Value first,
                                Value last) {
  Type i64 = b.getI64Type(), i32 = b.getI32Type(), f32 = b.getF32Type();
  return makeElements(b, loc, {}, i64, {},
                      [&](ScalarBuilder &s, ArrayRef<Expr>, ArrayRef<Expr>) {
                        auto word = [&](Value clock, int64_t i) {
                          return s.read(clock, s.index(i));
                        };
                        Expr end = word(last, 0), ticks = end - word(first, 0);
                        ticks = ticks & word(last, 1);
                        Expr period = fromBits(word(last, 2).truncate(i32));
                        Expr one = period.constant(1);
                        Expr product = ticks.signedToFloat(f32) * period;
                        // A tick of a nanosecond needs no rounding.
                        Expr exact = period == one;
                        return SmallVector<Value>{
                            select(exact, ticks, product.toSigned(i64))};
                      })
      .getResult(0);
}

/// Gives the stage of a metadata operation what the clock said.
static void lowerTicks(MetadataOp op, Value begin,
                       llvm::MapVector<StageOp, Value> &clocks) {
  StageOp sender = senderOf(op);
  Value &end = clocks[sender];
  if (!end) {
    OpBuilder behind(op.getContext());
    behind.setInsertionPointAfter(sender);
    end = readClock(behind, op.getLoc(), sender.getMessages().front());
  }
  auto stage = cast<StageOp>(op->getParentOp());
  SmallVector<Value> arguments;
  for (Value clock : {begin, end}) {
    stage.getInputsMutable().append(clock);
    arguments.push_back(
        stage.getBody().front().addArgument(clock.getType(), op.getLoc()));
  }
  OpBuilder b(op);
  op.replaceAllUsesWith(
      nanosecondsBetween(b, op.getLoc(), arguments[0], arguments[1]));
  op.erase();
}

/// Replaces a metadata operation by a load of its word.
static void lowerRead(MetadataOp op) {
  OpBuilder b(op);
  auto all = RankedTensorType::get({4}, b.getI32Type());
  auto one = RankedTensorType::get({}, b.getI32Type());
  Value words = LoadOp::create(b, op.getLoc(), all, symbolName(senderOf(op)),
                               IntegerAttr());
  int64_t field = static_cast<int64_t>(op.getField());
  Value word = tensor::ExtractSliceOp::create(
      b, op.getLoc(), one, words, ArrayRef<OpFoldResult>{b.getIndexAttr(field)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  if (op.getWord().getType() != one)
    word =
        arith::BitcastOp::create(b, op.getLoc(), op.getWord().getType(), word);
  op.replaceAllUsesWith(word);
  op.erase();
}

void MaterializeMetadata::runOnOperation() {
  ProgramOp program = getOperation();
  llvm::MapVector<StageOp, FieldSet> wanted;
  for (auto stage : listOps<StageOp>(program))
    if (keepAll && stage.getNumResults() != 0)
      wanted[stage] = {true, true, true, true};
  SmallVector<MetadataOp> reads;
  program.walk([&](MetadataOp op) {
    reads.push_back(op);
    if (op.getField() == Field::ticks)
      return;
    FieldSet &fields = wanted[senderOf(op)];
    fields[static_cast<unsigned>(op.getField())] = true;
  });
  OpBuilder b = OpBuilder::atBlockBegin(&program.getBody().front());
  auto type = RankedTensorType::get({4}, b.getI32Type());
  for (auto &[stage, fields] : wanted) {
    MetricOp::create(b, stage.getLoc(), symbolName(stage), type, ElementsAttr(),
                     StringAttr(), WindowAttr());
    // The host looks in any case.
    Value condition = keepAll ? Value() : getCondition(stage);
    MetadataBuilder(stage, fields).build(symbolName(stage), condition);
  }
  for (auto stage : listOps<StageOp>(program))
    stage.removePredicateAttr();
  llvm::MapVector<StageOp, Value> clocks;
  Value begin;
  for (MetadataOp op : reads) {
    if (op.getField() != Field::ticks) {
      lowerRead(op);
      continue;
    }
    if (!begin)
      begin = readClock(OpBuilder::atBlockBegin(&program.getBody().front()),
                        op.getLoc(), Value());
    lowerTicks(op, begin, clocks);
  }
}
