//===- Sampler.cpp - draws tokens on the device ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/Sampler.h"
#include "frontends/llm/model/Symbols.h"

#include "dialects/gpuvm/RandomConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;
using gpuvm::NamedType;
using vm::llm::End;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

std::string Sampler::row(StringRef loops) const {
  return (rows ? "r" : "") + loops.str();
}

Shape Sampler::withRows(ArrayRef<int64_t> shape) const {
  Shape all;
  if (rows)
    all.push_back(*rows);
  llvm::append_range(all, shape);
  return all;
}

RankedTensorType Sampler::perRow(Type element, ArrayRef<int64_t> shape) const {
  return ops.tensor(withRows(shape), element);
}

Value Sampler::number(int64_t value) {
  return b.constant(perRow(b.getI32Type()), value);
}

SmallVector<NamedType> Sampler::inputs() const {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  return {{"limit", perRow(i32)},
          {"ends", perRow(i32, {vm::llm::kEndTokens})},
          {"temperature", perRow(f32)},
          {"top_k", perRow(i32)},
          {"top_p", perRow(f32)},
          {"min_p", perRow(f32)},
          {"seed", perRow(i32, {2})}};
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// The first word of block 0 (docs/random.md).
static Expr philox(const Expr &position, Expr key0, Expr key1) {
  using namespace gpuvm::random;
  gpuvm::ExprBuilder e = position.builder();
  std::array<Expr, 4> c = {e.word(0), e.word(0), position, e.word(0)};
  for (unsigned round = 0; round < kRounds; ++round) {
    auto [low0, high0] = multiplyWords(c[0], e.word(kMultiplier0));
    auto [low1, high1] = multiplyWords(c[2], e.word(kMultiplier1));
    c = {high1 ^ c[1] ^ key0, low1, high0 ^ c[3] ^ key1, low0};
    key0 = key0 + kWeyl0;
    key1 = key1 + kWeyl1;
  }
  return c[0];
}

/// In [0, 1): that of gpuvm.random, whose seed rows cannot each have.
Value Sampler::random(Value seed, Value position) {
  if (!rows) {
    Value one =
        gpuvm::RandomOp::create(b, ops.tensor({1}), gpuvm::RandomKind::uniform,
                                IntegerAttr(), Value(), seed, position);
    return ops.slice(one, 0, 0);
  }
  return ops.map("r",
                 {{position, "r"},
                  {ops.slice(seed, 1, 0), "r"},
                  {ops.slice(seed, 1, 1), "r"}},
                 {b.getF32Type(), "r"}, [&](ArrayRef<Expr> e) {
                   Expr upper = philox(e[0], e[1], e[2]) >> 8;
                   return upper.toFloat(b.getF32Type()) * 0x1p-24;
                 });
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

/// One of the likeliest tokens: `scores` in descending order. The order of the
/// filters is llama.cpp's: top k, top p, min p, temperature.
Value Sampler::draw(Value scores, Value places, const Step &step) {
  Value temperature = step.inputs[Temperature];
  unsigned dimension = rows ? 1 : 0;
  Value best = ops.slice(scores, dimension, 0);
  Value weights = ops.map(
      row("i"),
      {{scores, row("i")}, {best, row("")}, {step.inputs[TopK], row("")}},
      {b.getF32Type(), row("i")}, [&](ArrayRef<Expr> e) {
        Expr difference = e[0] - e[1];
        Expr weight = difference.builder().make<math::ExpOp>(Value(difference));
        Expr i = ops.iteration(e[2], dimension);
        return select(lessSigned(i, e[2]), weight, 0.0);
      });
  Value sums = ops.runningSum(weights);
  Value all = ops.slice(sums, dimension, candidates - 1);
  Value kept =
      ops.map(row("i"),
              {{scores, row("i")},
               {best, row("")},
               {weights, row("i")},
               {sums, row("i")},
               {all, row("")},
               {step.inputs[TopP], row("")},
               {step.inputs[MinP], row("")},
               {temperature, row("")}},
              {b.getF32Type(), row("i")}, [&](ArrayRef<Expr> e) {
                Expr before = e[3] - e[2];
                Expr wanted = e[5] * e[4];
                Expr isIn = (before < wanted) & (e[2] >= e[6]) & (e[2] > 0.0);
                Expr scaled = (e[0] - e[1]) / e[7];
                Expr weight = scaled.builder().make<math::ExpOp>(Value(scaled));
                // The likeliest one always is: its weight is 1.
                Expr isFirst = e[0] == e[1];
                return select(isFirst, 1.0, select(isIn, weight, 0.0));
              });
  Value keptSums = ops.runningSum(kept);
  Value total = ops.slice(keptSums, dimension, candidates - 1);
  Value isBefore = ops.map(row("i"),
                           {{random(step.inputs[Seed], step.position), row("")},
                            {total, row("")},
                            {keptSums, row("i")}},
                           {b.getI32Type(), row("i")}, [&](ArrayRef<Expr> e) {
                             Expr wanted = e[0] * e[1];
                             Expr isBefore = (e[2] <= wanted) & (e[2] < e[1]);
                             return isBefore.extend(b.getI32Type());
                           });
  Value count =
      ops.loops(row("I"), {{isBefore, row("i")}}, {{b.getI32Type(), row("")}},
                [](ArrayRef<Expr> e) -> SmallVector<Expr> {
                  return {e[1] + e[0]};
                })
          .front();
  Value greedy =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, temperature,
                            b.constant(perRow(b.getF32Type()), APFloat(0.0F)));
  Value place = arith::SelectOp::create(b, greedy, number(0), count);
  return elementOf(places, place);
}

/// Of each row that at `place`.
Value Sampler::elementOf(Value values, Value place) {
  RankedTensorType result = perRow(getElementTypeOrSelf(values));
  if (!rows)
    return gpuvm::GatherOp::create(b, result, values, place);
  int64_t length = TensorOps::shapeOf(values).back();
  Value index = ops.map("r", {{place, "r"}}, {b.getI32Type(), "r"},
                        [&](ArrayRef<Expr> e) {
                          Expr first = ops.iteration(e[0], 0) * length;
                          return first + e[0];
                        });
  return gpuvm::GatherOp::create(b, result,
                                 ops.reshape(values, {*rows * length}), index);
}

/// Why `token` is the last one, or 0.
Value Sampler::endOf(Value token, Value next, Value count, ValueRange inputs) {
  Value isEnd =
      ops.loops(row("I"), {{token, row("")}, {inputs[Ends], row("i")}},
                {{b.getI32Type(), row("")}},
                [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
                  Expr same = e[0] == e[1];
                  return {e[2] | same.extend(b.getI32Type())};
                })
          .front();
  Value cancel =
      ops.load(vm::llm::symbols::kCancel, ops.tensor({}, b.getI32Type()));
  if (rows)
    cancel = ops.map("r", {{cancel, ""}, {token, "r"}}, {b.getI32Type(), "r"},
                     [](ArrayRef<Expr> e) { return e[0]; });
  using Is = arith::CmpIPredicate;
  Value end = number(0);
  auto choose = [&](Is how, Value x, Value y, End reason) {
    Value condition = arith::CmpIOp::create(b, how, x, y);
    end = arith::SelectOp::create(b, condition,
                                  number(static_cast<int32_t>(reason)), end);
  };
  choose(Is::ne, cancel, number(0), End::Cancelled);
  choose(Is::sge, next, number(context), End::Context);
  choose(Is::sge, count, inputs[Limit], End::Limit);
  choose(Is::ne, isEnd, number(0), End::EndToken);
  return end;
}

Sampler::Picked Sampler::pick(const Step &step) {
  auto top =
      gpuvm::TopKOp::create(b, perRow(b.getF32Type(), {candidates}),
                            perRow(b.getI32Type(), {candidates}), step.scores);
  Value token = draw(top.getValues(), top.getNumbers(), step);
  Value next = arith::AddIOp::create(b, step.position, number(1));
  Value count = arith::AddIOp::create(b, step.made, number(1));
  return {token, next, count, endOf(token, next, count, step.inputs)};
}
