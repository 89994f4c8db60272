//===- BuildModule.cpp - the programs of a language model -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/EmbedProgram.h"
#include "frontends/llm/lowering/Sampler.h"
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

  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value is(arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(b, how, x, y);
  }

  gpuvm::ProgramBuilder b;
  TensorOps ops;
  const vm::llm::Model &model;
  const ModelOptions &options;
  SymbolTypes types;
  ForwardPass pass;
  Sampler sampler;
  RankedTensorType word;
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
      sampler(b, options.candidates, options.context),
      word(ops.tensor({}, b.getI32Type())) {
  b.setInsertionPointToStart(module.getBody());
  addSymbols(file);
}

void ProgramsBuilder::build() {
  buildPrefill();
  buildGenerate();
  buildScore();
  buildEmbed(b, pass, model, options);
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
             auto parts = b.stage("chunk", {tokens, from, carried[0]},
                                  [&](ValueRange in) -> Sent {
                                    return {{ops.rowsFrom(in[0], in[2], chunk),
                                             add(in[1], in[2])}};
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

void ProgramsBuilder::buildGenerate() {
  b.beginProgram(kGenerate, sampler.inputs(), {{"made", word}});
  SmallVector<Value> controls(b.inputs());
  auto start = b.stage("begin", {}, [&](ValueRange) -> Sent {
    Value token = ops.load(kToken, word), position = ops.load(kPosition, word);
    ops.store(ops.number(0), kEnd);
    return {{token, position, ops.number(0)}};
  });
  auto last = b.repeat(
      "steps", options.tokens, start,
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
        auto next = b.stage("pick", inputs, [&](ValueRange in) -> Sent {
          Sampler::Picked picked = sampler.pick(
              {pass.logits(in[0]), in[1], in[2], in.drop_front(3)});
          ops.store(ops.reshape(picked.token, {1}), kTokens, in[2]);
          ops.store(picked.end, kEnd);
          Value isOver =
              is(arith::CmpIPredicate::ne, picked.end, ops.number(0));
          return {{picked.token, picked.position, picked.made, isOver}};
        });
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
