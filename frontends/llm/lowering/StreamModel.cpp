//===- StreamModel.cpp - a language model that streams share --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams share the rows of a forward pass. Each is a sequence with a cache of
// its own; a row is one of its tokens, at the position that it has there.
// Tokens that were forced while there was no row for them wait, and a stream
// with such tokens gets no proposal.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/StreamModel.h"

#include "frontends/llm/lowering/ForwardPass.h"
#include "frontends/llm/lowering/ModelSymbols.h"
#include "frontends/llm/model/Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;
using gpuvm::Sent;

/// Of each stream: how many of its tokens are in its cache; and all of them,
/// one stream after the other.
static constexpr char kCached[] = "stream_cached";
static constexpr char kHistory[] = "stream_tokens";

namespace {
class StreamModelBuilder {
public:
  StreamModelBuilder(ModuleOp module, const gpuvm::FunctionLibrary &library,
                     const vm::llm::GgufFile &file, const vm::llm::Model &model,
                     const StreamOptions &options);
  void build();

private:
  CacheLayout caches() const;
  RankedTensorType words(int64_t count) {
    return ops.tensor({count}, b.getI32Type());
  }
  RankedTensorType historyType() {
    return ops.tensor({options.streams * options.context, 1}, b.getI32Type());
  }
  void keepTokens(Value tokens, Value count, Value clock);
  Sent chooseRows(ValueRange in);
  Value propose(ValueRange in);

  gpuvm::ProgramBuilder b;
  TensorOps ops;
  const StreamOptions &options;
  SymbolTypes types;
  ForwardPass pass;
};
} // namespace

StreamModelBuilder::StreamModelBuilder(ModuleOp module,
                                       const gpuvm::FunctionLibrary &library,
                                       const vm::llm::GgufFile &file,
                                       const vm::llm::Model &model,
                                       const StreamOptions &options)
    : b(module.getLoc(), library), ops(b), options(options),
      pass(b, model, types, caches(), options.halves) {
  b.setInsertionPointToStart(module.getBody());
  addModelSymbols(b, file, model, pass, types);
  b.global(vm::llm::symbols::kPages, pass.pagesType(), {});
  b.global(kCached, words(options.streams), {});
  b.global(kHistory, historyType(), {});
}

/// To the forward pass each row is a sequence, whose pages are its stream's.
CacheLayout StreamModelBuilder::caches() const {
  CacheLayout caches{.rows = 0, .places = options.rows};
  caches.pages = llvm::divideCeil(options.context, vm::llm::kPageRows);
  caches.rows = options.streams * caches.pages * vm::llm::kPageRows;
  return caches;
}

/// The tokens that a stream is shown are its last ones. An empty one is given
/// padding, of which its cache keeps nothing.
void StreamModelBuilder::keepTokens(Value tokens, Value count, Value clock) {
  Type word = b.getI32Type();
  Value places = ops.map("sk", {{tokens, "sk"}, {count, "s"}, {clock, "s"}},
                         {word, "sk"}, [&](ArrayRef<Expr> e) {
                           Expr stream = ops.iteration(e[0], 0),
                                number = ops.iteration(e[0], 1);
                           Expr first = e[2] - e[1];
                           Expr isFirst = (e[2] == 0) & (number == 0);
                           Expr isThere = lessSigned(number, e[1]) | isFirst;
                           Expr place =
                               stream * options.context + first + number;
                           return select(isThere, place, -1);
                         });
  int64_t all = options.streams * options.shown;
  ops.storeEach(ops.reshape(ops.reshape(tokens, {all}), {all, 1}), kHistory,
                historyType(), ops.reshape(places, {all}));
}

/// in: whether streams are asked, their clocks. Sends tokens and positions of
/// rows, and of each stream the row that its proposal is made from, or -1.
Sent StreamModelBuilder::chooseRows(ValueRange in) {
  Type word = b.getI32Type();
  Value asked = in[0], clock = in[1];
  Value cached = ops.load(kCached, words(options.streams));
  // A stream that is asked has a row, if only for its last token once more.
  auto both = ops.loops(
      "s", {{cached, "s"}, {asked, "s"}, {clock, "s"}},
      {{word, "s"}, {word, "s"}}, [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
        Expr known = select(lessSigned(e[0], e[2]), e[0], e[2]);
        Expr unseen = e[2] - known;
        Expr wanted = select(unseen == 0, e[1], unseen);
        Expr first = e[2] - wanted;
        return {wanted, select(lessSigned(first, 0), 0, first)};
      });
  Value wanted = both[0], first = both[1];
  // Rows of all streams up to each.
  Value ends = ops.loops("sT", {{wanted, "s"}, {wanted, "t"}}, {{word, "s"}},
                         [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
                           Expr s = ops.iteration(e[0], 0);
                           Expr t = ops.iteration(e[0], 1);
                           return {e[2] + select(lessSigned(s, t), 0, e[1])};
                         })
                   .front();
  Value none = tensor::EmptyOp::create(b, Shape{options.rows}, word);
  Value owners = ops.loops("rS", {{ends, "s"}, {none, "r"}}, {{word, "r"}},
                           [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
                             Expr isBefore =
                                 !lessSigned(ops.iteration(e[0], 0), e[0]);
                             return {e[2] + isBefore.extend(word)};
                           })
                     .front();
  auto ofOwner = [&](Value values) -> Operand {
    return {gpuvm::GatherOp::create(b, words(options.rows), values, owners),
            "r"};
  };
  Value positions = ops.map(
      "r", {{owners, "r"}, ofOwner(ends), ofOwner(wanted), ofOwner(first)},
      {word, "r"}, [&](ArrayRef<Expr> e) {
        Expr number = ops.iteration(e[0], 0) - e[1] + e[2];
        Expr isRow = lessSigned(e[0], options.streams);
        return select(isRow, e[3] + number, -1);
      });
  Value places =
      ops.map("r", {{owners, "r"}, {positions, "r"}}, {word, "r"},
              [&](ArrayRef<Expr> e) { return e[0] * options.context + e[1]; });
  Value history = ops.reshape(ops.load(kHistory, historyType()),
                              {options.streams * options.context});
  Value tokens =
      gpuvm::GatherOp::create(b, words(options.rows), history, places);

  CacheLayout layout = caches();
  Value anyPages =
      tensor::EmptyOp::create(b, pass.pagesType().getShape(), word);
  Value pages =
      ops.map("rp", {{owners, "r"}, {anyPages, "rp"}}, {word, "rp"},
              [&](ArrayRef<Expr> e) {
                Expr page = e[0] * layout.pages + ops.iteration(e[0], 1);
                return select(lessSigned(e[0], options.streams), page, -1);
              });
  ops.store(pages, vm::llm::symbols::kPages);

  auto after = ops.loops(
      "s",
      {{wanted, "s"}, {first, "s"}, {ends, "s"}, {asked, "s"}, {clock, "s"}},
      {{word, "s"}, {word, "s"}}, [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
        Expr begin = e[2] - e[0];
        Expr left = begin.builder().word(uint32_t(options.rows)) - begin;
        Expr some = select(lessSigned(left, 0), 0, left);
        Expr given = select(lessSigned(some, e[0]), some, e[0]);
        Expr known = e[1] + given;
        Expr now = select(lessSigned(e[4], known), e[4], known);
        Expr isReady = (e[3] != 0) & (given == e[0]);
        return {now, select(isReady, e[2] - 1, -1)};
      });
  ops.store(after[0], kCached);
  return {{tokens, positions, after[1]}};
}

/// in: the stream of the forward pass, the row of each stream's proposal.
Value StreamModelBuilder::propose(ValueRange in) {
  Value stream = in[0], rows = in[1];
  bool hasFewer = options.streams < options.rows;
  if (hasFewer) {
    int64_t width = TensorOps::shapeOf(stream)[1];
    stream = gpuvm::GatherOp::create(b, ops.tensor({options.streams, width}),
                                     stream, rows);
  }
  Value scores = pass.logits(stream);
  int64_t count = TensorOps::shapeOf(scores)[0];
  auto top =
      gpuvm::TopKOp::create(b, ops.tensor({count, 1}),
                            ops.tensor({count, 1}, b.getI32Type()), scores);
  Value best = ops.reshape(top.getNumbers(), {count});
  if (!hasFewer)
    best = gpuvm::GatherOp::create(b, words(options.streams), best, rows);
  return ops.map(
      "s", {{rows, "s"}, {best, "s"}}, {b.getI32Type(), "s"},
      [](ArrayRef<Expr> e) { return select(lessSigned(e[0], 0), -1, e[1]); });
}

void StreamModelBuilder::build() {
  RankedTensorType each = words(options.streams);
  b.beginProgram(
      options.program,
      {{"tokens", ops.tensor({options.streams, options.shown}, b.getI32Type())},
       {"count", each},
       {"asked", each},
       {"clock", each}},
      {{"proposal", each}}, /*isPrivate=*/true);
  SmallVector<Value> inputs(b.inputs());
  b.stage("keep", {inputs[0], inputs[1], inputs[3]},
          [&](ValueRange in) -> Sent {
            keepTokens(in[0], in[1], in[2]);
            return {};
          });
  auto rows = b.stage("rows", {inputs[2], inputs[3]},
                      [&](ValueRange in) { return chooseRows(in); });
  Value stream = pass.layers(rows[0], rows[1]);
  auto proposal = b.stage("propose", {stream, rows[2]},
                          [&](ValueRange in) { return Sent{{propose(in)}}; });
  gpuvm::ProgramOp program = b.endProgram(proposal);
  program->setAttr("token.context", b.getI64IntegerAttr(options.context));
}

OwningOpRef<ModuleOp>
mlir::llm::buildStreamModel(MLIRContext &context, const vm::llm::GgufFile &file,
                            const vm::llm::Model &model,
                            const StreamOptions &options) {
  return buildModelModule(
      context, file,
      [&](ModuleOp module, const gpuvm::FunctionLibrary &library) {
        StreamModelBuilder(module, library, file, model, options).build();
      });
}
