//===- Regulator.cpp - norms of attention kept in a band ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/Regulator.h"

#include "frontends/llm/model/Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;
using gpuvm::Sent;
using namespace vm::llm::symbols;

void Regulator::addMetrics() {
  auto add = [&](StringRef name, Type element) {
    gpuvm::MetricOp::create(b, name, ops.tensor({layers}, element),
                            /*initial=*/ElementsAttr(),
                            /*sym_visibility=*/StringAttr(),
                            /*window=*/gpuvm::WindowAttr());
  };
  add(kAttentionNorm, b.getF32Type());
  add(kAttentionOutside, b.getI32Type());
}

Value Regulator::scalesOf(Value norms) {
  auto type = cast<RankedTensorType>(norms.getType());
  auto regulate = [&](float target, float low, float high) -> Value {
    return gpuvm::RegulateOp::create(
               b, type, ops.tensor(type.getShape(), b.getI32Type()), norms,
               llvm::APFloat(target), llvm::APFloat(low), llvm::APFloat(high))
        .getScale();
  };
  // To the bound that is next: never both.
  Value down = regulate(band.high, 0, band.high);
  Value up = regulate(band.low, band.low, std::numeric_limits<float>::max());
  return arith::MulFOp::create(b, down, up);
}

void Regulator::reportChunk(Value begin, Value end) {
  report(
      {begin, end},
      [&](ValueRange in) -> Value {
        return arith::SubIOp::create(b, in[1], in[0]);
      },
      [](const Expr &row, const Expr &count) {
        return lessSigned(row, count);
      });
}

void Regulator::reportSteps(Value positions) {
  report(
      positions ? ValueRange(positions) : ValueRange(),
      [&](ValueRange in) { return in.empty() ? ops.number(0) : in.front(); },
      [](const Expr & /*row*/, const Expr &position) {
        return !lessSigned(position, position.constant(0));
      });
}

void Regulator::report(ValueRange inputs,
                       function_ref<Value(ValueRange)> wordOf, Counts counts) {
  SmallVector<Value> all(norms);
  llvm::append_range(all, inputs);
  b.stage("norms", all, [&](ValueRange in) -> Sent {
    ArrayRef<int64_t> shape = TensorOps::shapeOf(in.front());
    int64_t rows = shape.empty() ? 1 : shape.front();
    auto each = llvm::map_to_vector(in.take_front(layers), [&](Value norm) {
      return ops.reshape(norm, {1, rows});
    });
    Value word = wordOf(in.drop_front(layers));
    std::string indices = TensorOps::shapeOf(word).empty() ? "" : "r";
    auto found = ops.loops("lR", {{ops.concat(0, each), "lr"}, {word, indices}},
                           {{b.getF32Type(), "l"}, {b.getI32Type(), "l"}},
                           [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
                             Expr row = ops.iteration(e[1], 1);
                             Expr isToken = counts(row, e[1]);
                             Expr isLow = e[0] >= band.low;
                             Expr isInside =
                                 isLow & (e[0] <= band.high); // No NaN is.
                             Expr isOutside = isToken & !isInside;
                             Expr norm = select(isToken, e[0], 0.0);
                             Expr outside = isOutside.extend(b.getI32Type());
                             return {max(e[2], norm), e[3] + outside};
                           });
    auto update = [&](StringRef metric, Value value, auto combine) {
      Value old = ops.load(metric, value.getType());
      ops.store(combine(old, value), metric);
    };
    update(kAttentionNorm, found[0], [&](Value old, Value value) -> Value {
      return arith::MaximumFOp::create(b, old, value);
    });
    update(kAttentionOutside, found[1], [&](Value old, Value value) -> Value {
      return arith::AddIOp::create(b, old, value);
    });
    return {};
  });
}
