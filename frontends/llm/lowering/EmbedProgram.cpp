//===- EmbedProgram.cpp - a vector for a text -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/EmbedProgram.h"

#include "frontends/llm/model/Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;
using gpuvm::Sent;

/// Each row, or zeros where it does not count: rows from `length` on, which are
/// no tokens, and with `last` those before the last token.
static Value keepRows(TensorOps &ops, Value states, Value done, Value length,
                      Value last) {
  Type f32 = getElementTypeOrSelf(states);
  return ops.map("ri", {{states, "ri"}, {done, ""}, {length, ""}, {last, ""}},
                 {f32, "ri"}, [&](ArrayRef<Expr> e) {
                   Expr row = e[1] + ops.iteration(e[1], 0);
                   Expr isToken = lessSigned(row, e[2]);
                   Expr isLast = row + 1 == e[2];
                   Expr isWanted = isLast | (e[3] == 0);
                   return select(isToken & isWanted, e[0], 0.0);
                 });
}

static Value normalizeLength(TensorOps &ops, Value vector) {
  Type f32 = getElementTypeOrSelf(vector);
  Value squares = ops.sum("I", {{vector, "i"}}, "",
                          [](ArrayRef<Expr> e) { return e[0] * e[0]; });
  return ops.map("i", {{vector, "i"}, {squares, ""}}, {f32, "i"},
                 [](ArrayRef<Expr> e) {
                   Expr scale = e[1].builder().make<math::RsqrtOp>(Value(e[1]));
                   return e[0] * select(e[1] > 0.0, scale, 0.0);
                 });
}

void mlir::llm::buildEmbed(gpuvm::ProgramBuilder &b, ForwardPass &pass,
                           const vm::llm::Model &model,
                           const ModelOptions &options) {
  TensorOps ops(b);
  int64_t chunk = options.chunk, width = model.width;
  Type i32 = b.getI32Type();
  RankedTensorType word = ops.tensor({}, i32), vector = ops.tensor({width});
  SmallVector<gpuvm::NamedType> inputs = {
      {"document", ops.tensor({options.context}, i32)},
      {"document_length", word},
      {"last", word}};
  bool hasPlaces = options.sequences > 1;
  if (hasPlaces)
    inputs.push_back({"place", word});
  b.beginProgram(vm::llm::symbols::kEmbed, inputs, {{"embedding", vector}});
  Value document = b.inputs()[0], length = b.inputs()[1], last = b.inputs()[2];
  Value place = hasPlaces ? b.inputs()[3] : Value();

  Value none = arith::ConstantOp::create(b, b.getZeroAttr(word));
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(vector));
  Value sum = b.repeat(
      "chunks", options.context / chunk, {none, zeros},
      [&](ValueRange carried) -> gpuvm::ProgramBuilder::Next {
        auto part = b.stage(
            "chunk", {document, carried[0]}, [&](ValueRange in) -> Sent {
              return {{ops.rowsFrom(in[0], in[1], chunk), in[1]}};
            });
        Value stream = pass.layers(part[0], part[1], place);
        if (Regulator *regulator = pass.regulator())
          regulator->reportChunk(carried[0], length);
        auto next = b.stage(
            "pool", {stream, carried[0], carried[1], length, last},
            [&](ValueRange in) -> Sent {
              Value states =
                  keepRows(ops, pass.states(in[0]), in[1], in[3], in[4]);
              Value added = ops.sum("Ri", {{states, "ri"}}, "i",
                                    [](ArrayRef<Expr> e) { return e[0]; });
              Value count =
                  arith::AddIOp::create(b, in[1], ops.number(options.chunk));
              Value isOver = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                                   count, in[3]);
              return {{count, arith::AddFOp::create(b, in[2], added), isOver}};
            });
        return {{next[0], next[1]}, next[2]};
      })[1];
  b.endProgram(b.stage("normalize", sum, [&](ValueRange in) -> Sent {
    return {{normalizeLength(ops, in[0])}};
  }));
}
