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
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;
using gpuvm::ExprBuilder;
using gpuvm::NamedType;
using vm::llm::End;
using namespace vm::llm::symbols;

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

/// A word, in each row.
Value Sampler::everyRow(Value word) {
  if (!rows)
    return word;
  return ops.map("r", {{word, ""}, {number(0), "r"}}, {b.getI32Type(), "r"},
                 [](ArrayRef<Expr> e) { return e[0]; });
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

void Sampler::addSymbols() {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  std::array<float, vm::llm::kPenaltyCount> neutral = {};
  neutral[vm::llm::kRepeat] = 1;
  SmallVector<float> penalties;
  for (int64_t row = 0; row < rows.value_or(1); ++row)
    llvm::append_range(penalties, neutral);
  RankedTensorType type = perRow(f32, {vm::llm::kPenaltyCount});
  b.global(kPenalties, type, DenseElementsAttr::get(type, ArrayRef(penalties)));
  b.global(kLogitBias, perRow(f32, {vocabulary}), {});
  b.global(kRecentTokens, perRow(i32, {context}), {});
  b.global(kStopTable, stopTable(), {});
  b.global(kStopState, perRow(i32), {});
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

namespace {
/// The last tokens: `made` of them in `tokens`, the last one at the end, and
/// those before them in `recent`, the last one first. Of several sequences each
/// has a column of `tokens` and a row of `recent`.
struct LastTokens {
  Value tokens, recent, made;
  SmallVector<Value> row;
};
} // namespace

/// Whether the token `ago` before the last one is `token`, as a word.
static Expr isToken(const Expr &ago, Value token, const LastTokens &last) {
  ExprBuilder e = ago.builder();
  Expr made = e(last.made);
  Expr isNew = lessSigned(ago, made);
  Expr place = select(isNew, made - ago - 1, 0);
  SmallVector<Value> indices = {Value(place.toIndex())};
  llvm::append_range(indices, last.row);
  Expr own = e.make<tensor::ExtractOp>(last.tokens, indices);
  indices = last.row;
  indices.push_back(select(isNew, 0, ago - made).toIndex());
  Expr old = e.make<tensor::ExtractOp>(last.recent, indices);
  Expr isSame = select(isNew, own, old) == token;
  return isSame.extend(ago.getType());
}

/// How often `token` is among the last `lastN`, of which there are `most`.
static Expr countOf(Value token, const Expr &lastN, int64_t most,
                    const LastTokens &last) {
  ExprBuilder e = lastN.builder();
  Expr end = minSigned(lastN, e.word(most)).signedToIndex();
  auto loop = scf::ForOp::create(
      e.ir(), e.loc(), e.index(0), end, e.index(1), Value(e.word(0)),
      [&](OpBuilder &inside, Location loc, Value i, ValueRange before) {
        ExprBuilder in(inside, loc);
        Expr count = in(before[0]) + isToken(in(i).toWord(), token, last);
        scf::YieldOp::create(inside, loc, Value(count));
      });
  return e(loop.getResult(0));
}

/// With bias and penalties, in llama.cpp's order: a part of the kernel that
/// looks for the likeliest tokens.
Value Sampler::adjusted(const Step &step) {
  Type f32 = b.getF32Type();
  unsigned dimension = rows ? 1 : 0;
  Value penalties = ops.load(kPenalties, perRow(f32, {vm::llm::kPenaltyCount}));
  Value bias = ops.load(kLogitBias, perRow(f32, {vocabulary}));
  Value recent = ops.load(kRecentTokens, perRow(b.getI32Type(), {context}));
  SmallVector<Operand> operands = {
      {step.scores, row("n")}, {bias, row("n")}, {step.made, row("")}};
  for (int64_t i = 0; i < vm::llm::kPenaltyCount; ++i)
    operands.push_back({ops.slice(penalties, dimension, i), row("")});
  return ops.map(row("n"), operands, {f32, row("n")}, [&](ArrayRef<Expr> e) {
    ArrayRef<Expr> penalty = e.drop_front(3);
    LastTokens last = {step.tokens, recent, e[2], {}};
    if (rows)
      last.row = {e[0].builder().make<linalg::IndexOp>(uint64_t(0))};
    Expr count = countOf(ops.iteration(e[2], dimension),
                         penalty[vm::llm::kLastN].toSigned(b.getI32Type()),
                         context, last);
    Expr score = e[0] + e[1];
    Expr more = score * penalty[vm::llm::kRepeat];
    Expr less = score / penalty[vm::llm::kRepeat];
    Expr scaled = select(score <= 0.0, more, less);
    Expr often = count.signedToFloat(f32) * penalty[vm::llm::kFrequency];
    Expr penalized = scaled - (often + penalty[vm::llm::kPresence]);
    return select(count == 0, score, penalized);
  });
}

RankedTensorType Sampler::stopTable() const {
  return perRow(b.getI32Type(), {vocabulary + vm::llm::kStopSteps});
}

/// What kStopTable says of a token in a state. Rows have tables of their own:
/// one map looks twice, in one kernel.
Value Sampler::stopStep(Value token, Value state) {
  Value table = ops.load(kStopTable, stopTable());
  if (!rows) {
    Value column = elementOf(table, token);
    return elementOf(table, arith::AddIOp::create(b, state, column));
  }
  return ops.map("r", {{token, "r"}, {state, "r"}}, {b.getI32Type(), "r"},
                 [&](ArrayRef<Expr> e) {
                   ExprBuilder in = e[0].builder();
                   Value own = in.make<linalg::IndexOp>(uint64_t(0));
                   auto look = [&](const Expr &place) {
                     return in.make<tensor::ExtractOp>(
                         table, ValueRange{own, place.toIndex()});
                   };
                   return look(e[1] + look(e[0]));
                 });
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
                            {keptSums, row("i")},
                            {temperature, row("")}},
                           {b.getI32Type(), row("i")}, [&](ArrayRef<Expr> e) {
                             Expr wanted = e[0] * e[1];
                             Expr isBefore = (e[2] <= wanted) & (e[2] < e[1]);
                             // Greedy: the likeliest one.
                             Expr isDrawn = isBefore & (e[3] > 0.0);
                             return isDrawn.extend(b.getI32Type());
                           });
  Value count =
      ops.loops(row("I"), {{isBefore, row("i")}}, {{b.getI32Type(), row("")}},
                [](ArrayRef<Expr> e) -> SmallVector<Expr> {
                  return {e[1] + e[0]};
                })
          .front();
  return elementOf(places, count);
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

/// Why the token is the last one, or 0.
Value Sampler::endOf(const Picked &picked, Value stopStep, ValueRange inputs) {
  Value isEnd =
      ops.loops(row("I"), {{picked.token, row("")}, {inputs[Ends], row("i")}},
                {{b.getI32Type(), row("")}},
                [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
                  Expr same = e[0] == e[1];
                  return {e[2] | same.extend(b.getI32Type())};
                })
          .front();
  Value cancel = everyRow(ops.load(kCancel, ops.tensor({}, b.getI32Type())));
  using Is = arith::CmpIPredicate;
  Value end = number(0);
  auto choose = [&](Is how, Value x, Value y, End reason) {
    Value condition = arith::CmpIOp::create(b, how, x, y);
    end = arith::SelectOp::create(b, condition,
                                  number(static_cast<int32_t>(reason)), end);
  };
  choose(Is::ne, cancel, number(0), End::Cancelled);
  choose(Is::sge, picked.position, number(context), End::Context);
  choose(Is::sge, picked.made, inputs[Limit], End::Limit);
  choose(Is::slt, stopStep, number(0), End::StopString);
  choose(Is::ne, isEnd, number(0), End::EndToken);
  return end;
}

/// The scores of the candidates, the best first, and which tokens they are.
SmallVector<Value, 2> Sampler::likeliest(Value scores) {
  Type numbers = perRow(b.getI32Type(), {candidates});
  if (candidates < vocabulary)
    return gpuvm::TopKOp::create(b, perRow(b.getF32Type(), {candidates}),
                                 numbers, scores)
        ->getResults();
  return gpuvm::SortOp::create(b, TypeRange{scores.getType(), numbers}, scores,
                               ValueRange(), /*unsigned_keys=*/{false},
                               /*descending=*/{true}, /*numbers=*/true)
      ->getResults();
}

Sampler::Drawn Sampler::drawNext(const Step &step) {
  SmallVector<Value, 2> best = likeliest(adjusted(step));
  Value token = draw(best[0], best[1], step);
  return {token, best[1], stopStep(token, step.state)};
}

//===----------------------------------------------------------------------===//
// Log probabilities
//===----------------------------------------------------------------------===//

static int64_t numLikeliest(int64_t candidates) {
  return std::min<int64_t>(candidates, vm::llm::kLogprobs);
}

void Sampler::addLogprobs(int64_t steps) {
  auto add = [&](StringRef name, Type element, ArrayRef<int64_t> shape) {
    Shape all = withRows(shape);
    all.insert(all.begin(), steps);
    gpuvm::MetricOp::create(b, name, ops.tensor(all, element),
                            /*initial=*/ElementsAttr(),
                            /*sym_visibility=*/StringAttr(),
                            /*window=*/gpuvm::WindowAttr());
  };
  int64_t count = numLikeliest(candidates);
  add(kLogprob, b.getF32Type(), {});
  add(kLikeliest, b.getI32Type(), {count});
  add(kLikeliestLogprobs, b.getF32Type(), {count});
}

/// `sum`: of exp(score - `shift`) of all tokens.
Value Sampler::logprobsOf(Value tokens, StringRef loops, Value scores,
                          Value shift, Value sum) {
  return ops.map(row(loops),
                 {{tokens, row(loops)}, {shift, row("")}, {sum, row("")}},
                 {b.getF32Type(), row(loops)}, [&](ArrayRef<Expr> e) {
                   ExprBuilder in = e[0].builder();
                   SmallVector<Value> indices;
                   if (rows)
                     indices.push_back(in.make<linalg::IndexOp>(uint64_t(0)));
                   indices.push_back(e[0].toIndex());
                   Expr score = in.make<tensor::ExtractOp>(scores, indices);
                   Expr logarithm = in.make<math::LogOp>(Value(e[2]));
                   return score - e[1] - logarithm;
                 });
}

void Sampler::storeLogprobs(const Drawn &drawn, Value scores, Value number) {
  Type f32 = b.getF32Type();
  // The largest score, as a reduction that begins at 0 finds it.
  Value first = ops.slice(scores, rows ? 1 : 0, 0);
  Value above = ops.loops(row("N"), {{scores, row("n")}, {first, row("")}},
                          {{f32, row("")}},
                          [](ArrayRef<Expr> e) -> SmallVector<Expr> {
                            return {max(e[2], e[0] - e[1])};
                          })
                    .front();
  Value shift = arith::AddFOp::create(b, first, above);
  Value sum = ops.sum(row("N"), {{scores, row("n")}, {shift, row("")}}, row(""),
                      [](ArrayRef<Expr> e) {
                        Expr difference = e[0] - e[1];
                        return difference.builder().make<math::ExpOp>(
                            Value(difference));
                      });
  int64_t count = numLikeliest(candidates);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (int64_t extent : withRows({count})) {
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(b.getIndexAttr(extent));
    strides.push_back(b.getIndexAttr(1));
  }
  Value likeliest =
      tensor::ExtractSliceOp::create(b, perRow(b.getI32Type(), {count}),
                                     drawn.candidates, offsets, sizes, strides);
  auto store = [&](Value value, StringRef metric) {
    Shape shape(TensorOps::shapeOf(value));
    shape.insert(shape.begin(), 1);
    ops.store(ops.reshape(value, shape), metric, number);
  };
  store(logprobsOf(drawn.token, "", scores, shift, sum), kLogprob);
  store(likeliest, kLikeliest);
  store(logprobsOf(likeliest, "i", scores, shift, sum), kLikeliestLogprobs);
}

Sampler::Picked Sampler::pick(const Drawn &drawn, const Step &step) {
  Picked picked;
  picked.token = drawn.token;
  picked.position = arith::AddIOp::create(b, step.position, number(1));
  picked.made = arith::AddIOp::create(b, step.made, number(1));
  // Of a complement: the bits below its sign.
  Value sign = arith::ShRSIOp::create(b, drawn.stop, number(31));
  picked.state = arith::XOrIOp::create(b, drawn.stop, sign);
  picked.end = endOf(picked, drawn.stop, step.inputs);
  return picked;
}
