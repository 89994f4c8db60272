//===- BuildModule.cpp - the programs of a language model -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/ForwardPass.h"
#include "frontends/llm/lowering/Lowering.h"
#include "frontends/llm/model/Symbols.h"

#include "codecs/Codec.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;
using gpuvm::Sent;
using vm::llm::GgmlType;
using namespace vm::llm::symbols;

//===----------------------------------------------------------------------===//
// Types of tensors
//===----------------------------------------------------------------------===//

/// What a tensor of the file is as a symbol; null if nothing.
static Type symbolType(MLIRContext *context,
                       const vm::llm::GgufTensor &tensor) {
  if (tensor.type == GgmlType::F32)
    return RankedTensorType::get(tensor.shape, Float32Type::get(context));
  if (tensor.type == GgmlType::F16)
    return RankedTensorType::get(tensor.shape, Float16Type::get(context));
  std::string codec = StringRef(nameOf(tensor.type)).lower();
  if (!gpuvm::lookupCodec(codec))
    return {};
  return gpuvm::PackedType::get(context, codec,
                                /*parameters=*/ArrayRef<int64_t>(),
                                tensor.shape, Float32Type::get(context));
}

vm::Status mlir::llm::checkTypes(const vm::llm::GgufFile &file,
                                 const vm::llm::Model &model) {
  for (const vm::llm::ModelTensor &wanted : tensorsOf(model)) {
    GgmlType type = file.findTensor(wanted.name)->type;
    std::string codec = StringRef(nameOf(type)).lower();
    if (type != GgmlType::F32 && type != GgmlType::F16 &&
        !gpuvm::lookupCodec(codec))
      return {vm::Code::BadInput,
              fmt::format("\"{}\": tensor {} is {}, which no codec reads "
                          "(docs/codecs.md).",
                          file.path(), wanted.name, nameOf(type))};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
class ProgramsBuilder {
public:
  ProgramsBuilder(ModuleOp module, const gpuvm::FunctionLibrary &library,
                  const vm::llm::GgufFile &file, const vm::llm::Model &model,
                  const ModelOptions &options);
  void build();

private:
  void addSymbols(const vm::llm::GgufFile &file);
  void buildPrefill();
  void buildGenerate();
  void buildScore();
  Sent pick(ValueRange in);
  Value draw(Value scores, Value places, ValueRange controls, Value position);

  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value is(arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(b, how, x, y);
  }
  Value chooseWord(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }

  gpuvm::ProgramBuilder b;
  TensorOps ops;
  const vm::llm::Model &model;
  const ModelOptions &options;
  SymbolTypes types;
  ForwardPass pass;
  RankedTensorType word, real;
};
} // namespace

ProgramsBuilder::ProgramsBuilder(ModuleOp module,
                                 const gpuvm::FunctionLibrary &library,
                                 const vm::llm::GgufFile &file,
                                 const vm::llm::Model &model,
                                 const ModelOptions &options)
    : b(module.getLoc(), library), ops(b), model(model), options(options),
      // A chunk that begins at the last position has rows after it.
      pass(b, model, types, int64_t(options.context) + options.chunk,
           options.halves),
      word(ops.tensor({}, b.getI32Type())), real(ops.tensor({})) {
  b.setInsertionPointToStart(module.getBody());
  addSymbols(file);
}

void ProgramsBuilder::build() {
  buildPrefill();
  buildGenerate();
  buildScore();
}

void ProgramsBuilder::addSymbols(const vm::llm::GgufFile &file) {
  for (const vm::llm::ModelTensor &tensor : tensorsOf(model)) {
    Type type = symbolType(b.getContext(), *file.findTensor(tensor.name));
    types[tensor.name] = type;
    b.heap(tensor.name, type, {});
  }
  for (uint32_t layer = 0; layer < model.layers; ++layer) {
    b.global(ForwardPass::keyCache(layer), pass.cacheType(), {});
    b.global(ForwardPass::valueCache(layer), pass.cacheType(), {});
  }
  b.global(kToken, word, {});
  b.global(kPosition, word, {});
  auto metric = [&](StringRef name, RankedTensorType type) {
    gpuvm::MetricOp::create(b, name, type, /*initial=*/ElementsAttr(),
                            /*sym_visibility=*/StringAttr(),
                            /*window=*/gpuvm::WindowAttr());
  };
  metric(kTokens, ops.tensor({options.tokens}, b.getI32Type()));
  metric(kCount, word);
  metric(kEnd, word);
  gpuvm::ControlOp::create(b, kCancel, word, ElementsAttr(), StringAttr(),
                           gpuvm::WindowAttr(), IntegerAttr());
}

//===----------------------------------------------------------------------===//
// prefill
//===----------------------------------------------------------------------===//

/// All tokens of a prompt but the last one, a chunk at a time, from position
/// `from` on. The last one becomes the token that `generate` reads first.
void ProgramsBuilder::buildPrefill() {
  int64_t chunk = options.chunk;
  RankedTensorType prompt = ops.tensor({options.context}, b.getI32Type());
  b.beginProgram(kPrefill,
                 {{"prompt", prompt}, {"length", word}, {"from", word}},
                 {{"next", word}});
  Value tokens = b.inputs()[0], length = b.inputs()[1], from = b.inputs()[2];

  Value done = arith::ConstantOp::create(
      b, b.getZeroAttr(word)); // Tokens of the prompt.
  Value after =
      b.repeat(
           "chunks", options.context / chunk, done,
           [&](ValueRange carried) -> gpuvm::ProgramBuilder::Next {
             auto parts = b.stage(
                 "chunk", {tokens, from, carried[0]},
                 [&](ValueRange in) -> Sent {
                   Value rows =
                       tensor::EmptyOp::create(b, Shape{chunk}, b.getI32Type());
                   Value numbers =
                       ops.map("r", {{in[2], ""}, {rows, "r"}},
                               {b.getI32Type(), "r"}, [&](ArrayRef<Expr> e) {
                                 return e[0] + ops.iteration(e[0], 0);
                               });
                   Value own = gpuvm::GatherOp::create(
                       b, ops.tensor({chunk}, b.getI32Type()), in[0], numbers);
                   return {{own, add(in[1], in[2])}};
                 });
             pass.layers(parts[0], parts[1]);
             auto next = b.stage(
                 "next", {length, carried[0]}, [&](ValueRange in) -> Sent {
                   Value count = add(in[1], ops.number(options.chunk));
                   Value last = arith::SubIOp::create(b, in[0], ops.number(1));
                   return {{count, is(arith::CmpIPredicate::sge, count, last)}};
                 });
             return {{next[0]}, next[1]};
           })
          .front();

  Value last =
      b.stage("keep", {tokens, length, from, after},
              [&](ValueRange in) -> Sent {
                Value place = arith::SubIOp::create(b, in[1], ops.number(1));
                Value token = gpuvm::GatherOp::create(b, word, in[0], place);
                ops.store(token, kToken);
                ops.store(add(in[2], place), kPosition);
                return {{token}};
              })
          .front();
  b.endProgram(last);
}

//===----------------------------------------------------------------------===//
// generate
//===----------------------------------------------------------------------===//

/// One of the likeliest tokens: `scores` in descending order. Controls:
/// temperature, the number of tokens, the share of probability that they must
/// have together (top p), the least share of the likeliest one's (min p), seed.
/// The order of the filters is llama.cpp's: top k, top p, min p, temperature.
Value ProgramsBuilder::draw(Value scores, Value places, ValueRange controls,
                            Value position) {
  Value temperature = controls[0], most = controls[1], topP = controls[2],
        minP = controls[3], seed = controls[4];
  Value best = ops.slice(scores, 0, 0);
  Value weights =
      ops.map("i", {{scores, "i"}, {best, ""}, {most, ""}},
              {b.getF32Type(), "i"}, [&](ArrayRef<Expr> e) {
                Expr difference = e[0] - e[1];
                Expr weight =
                    difference.builder().make<math::ExpOp>(Value(difference));
                Expr i = ops.iteration(e[2], 0);
                return select(lessSigned(i, e[2]), weight, 0.0);
              });
  Value sums = ops.runningSum(weights);
  Value all = ops.slice(sums, 0, options.candidates - 1);
  Value kept =
      ops.map("i",
              {{scores, "i"},
               {best, ""},
               {weights, "i"},
               {sums, "i"},
               {all, ""},
               {topP, ""},
               {minP, ""},
               {temperature, ""}},
              {b.getF32Type(), "i"}, [&](ArrayRef<Expr> e) {
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
  Value total = ops.slice(keptSums, 0, options.candidates - 1);
  Value random =
      gpuvm::RandomOp::create(b, ops.tensor({1}), gpuvm::RandomKind::uniform,
                              IntegerAttr(), Value(), seed, position);
  Value number = ops.map(
      "i", {{ops.slice(random, 0, 0), ""}, {total, ""}, {keptSums, "i"}},
      {b.getI32Type(), "i"}, [&](ArrayRef<Expr> e) {
        Expr wanted = e[0] * e[1];
        Expr isBefore = (e[2] <= wanted) & (e[2] < e[1]);
        return isBefore.extend(b.getI32Type());
      });
  Value count = ops.loops("I", {{number, "i"}}, {{b.getI32Type(), ""}},
                          [](ArrayRef<Expr> e) -> SmallVector<Expr> {
                            return {e[1] + e[0]};
                          })
                    .front();
  Value greedy = arith::CmpFOp::create(b, arith::CmpFPredicate::OLE,
                                       temperature, ops.real(0));
  Value place = chooseWord(greedy, ops.number(0), count);
  return gpuvm::GatherOp::create(b, word, places, place);
}

/// in: the stream, position, tokens made; limit, end tokens; draw's controls.
Sent ProgramsBuilder::pick(ValueRange in) {
  using Is = arith::CmpIPredicate;
  Value scores = pass.logits(in[0]), position = in[1], made = in[2];
  int64_t candidates = options.candidates;
  auto top =
      gpuvm::TopKOp::create(b, ops.tensor({candidates}),
                            ops.tensor({candidates}, b.getI32Type()), scores);
  Value token =
      draw(top.getValues(), top.getNumbers(), in.drop_front(5), position);

  Value isEnd =
      ops.loops("I", {{token, ""}, {in[4], "i"}}, {{b.getI32Type(), ""}},
                [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
                  Expr same = e[0] == e[1];
                  return {e[2] | same.extend(b.getI32Type())};
                })
          .front();
  ops.store(ops.reshape(token, {1}), kTokens, made);
  Value next = add(position, ops.number(1)), count = add(made, ops.number(1));

  Value zero = ops.number(0);
  auto reason = [&](Value condition, vm::llm::End end, Value otherwise) {
    return chooseWord(condition, ops.number(static_cast<int32_t>(end)),
                      otherwise);
  };
  Value cancel = ops.load(kCancel, word);
  Value end = reason(is(Is::ne, cancel, zero), vm::llm::End::Cancelled, zero);
  Value full = ops.number(static_cast<int32_t>(options.context));
  end = reason(is(Is::sge, next, full), vm::llm::End::Context, end);
  end = reason(is(Is::sge, count, in[3]), vm::llm::End::Limit, end);
  end = reason(is(Is::ne, isEnd, zero), vm::llm::End::EndToken, end);
  ops.store(end, kEnd);
  return {{token, next, count, is(Is::ne, end, zero)}};
}

void ProgramsBuilder::buildGenerate() {
  auto i32 = b.getI32Type();
  b.beginProgram(kGenerate,
                 {{"limit", word},
                  {"ends", ops.tensor({vm::llm::kEndTokens}, i32)},
                  {"temperature", real},
                  {"top_k", word},
                  {"top_p", real},
                  {"min_p", real},
                  {"seed", ops.tensor({2}, i32)}},
                 {{"made", word}});
  SmallVector<Value> controls(b.inputs());
  auto start = b.stage("begin", {}, [&](ValueRange) -> Sent {
    Value token = ops.load(kToken, word), position = ops.load(kPosition, word);
    ops.store(ops.number(0), kEnd);
    return {{token, position, ops.number(0)}};
  });
  auto last =
      b.repeat("steps", options.tokens, start,
               [&](ValueRange carried) -> gpuvm::ProgramBuilder::Next {
                 // Stored now, when the tokens are: a host that reads them
                 // while the program runs finds so many.
                 b.stage("count", carried[2], [&](ValueRange in) -> Sent {
                   ops.store(in[0], kCount);
                   return {};
                 });
                 Value stream = pass.layers(carried[0], carried[1]);
                 SmallVector<Value> inputs = {stream, carried[1], carried[2]};
                 llvm::append_range(inputs, controls);
                 auto next = b.stage("pick", inputs,
                                     [&](ValueRange in) { return pick(in); });
                 return {{next[0], next[1], next[2]}, next[3]};
               });
  b.stage("keep", last, [&](ValueRange in) -> Sent {
    ops.store(in[0], kToken);
    ops.store(in[1], kPosition);
    ops.store(in[2], kCount);
    return {};
  });
  b.endProgram(last[2]);
}

//===----------------------------------------------------------------------===//
// score
//===----------------------------------------------------------------------===//

/// Logits of so many tokens are kept at once.
static constexpr uint32_t kScoreRows = 64;

/// The logits after each of some tokens, which stand at `from` and after.
void ProgramsBuilder::buildScore() {
  int64_t chunk = std::min(options.chunk, kScoreRows);
  b.beginProgram(
      kScore, {{"text", ops.tensor({chunk}, b.getI32Type())}, {"from", word}},
      {{"logits", ops.tensor({chunk, model.vocabulary})}});
  Value stream = pass.layers(b.inputs()[0], b.inputs()[1]);
  Value logits = b.stage("logits", stream, [&](ValueRange in) -> Sent {
                    return {{pass.logits(in[0])}};
                  }).front();
  b.endProgram(logits);
}

OwningOpRef<ModuleOp> mlir::llm::buildModule(MLIRContext &context,
                                             const vm::llm::GgufFile &file,
                                             const vm::llm::Model &model,
                                             const ModelOptions &options) {
  context.loadDialect<gpuvm::GpuvmDialect, arith::ArithDialect,
                      func::FuncDialect, linalg::LinalgDialect,
                      math::MathDialect, tensor::TensorDialect>();
  Location loc = FileLineColLoc::get(&context, file.path(), 0, 0);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  // Bodies call no functions of text.
  FailureOr<gpuvm::FunctionLibrary> library =
      gpuvm::FunctionLibrary::read(loc, {}, {});
  if (failed(library))
    return nullptr;
  ProgramsBuilder(*module, *library, file, model, options).build();
  return module;
}
