//===- BuildModule.cpp - the programs of a language model -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/EmbedProgram.h"
#include "frontends/llm/lowering/ModelSymbols.h"
#include "frontends/llm/lowering/Sampler.h"
#include "frontends/llm/model/Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;
using gpuvm::Sent;
using namespace vm::llm::symbols;

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
  void buildGenerate(const char *name, int64_t candidates);
  Sampler sampler(int64_t candidates);
  void buildScore();

  bool hasPlaces() const { return options.sequences > 1; }
  /// Of each sequence, where there are several.
  RankedTensorType words() {
    Shape shape;
    if (hasPlaces())
      shape.push_back(options.sequences);
    return ops.tensor(shape, b.getI32Type());
  }
  ElementsAttr firstPages();
  SmallVector<gpuvm::NamedType> withPlace(ArrayRef<gpuvm::NamedType> inputs);
  Value placeInput() { return hasPlaces() ? b.inputs().back() : Value(); }
  void storeAt(Value x, StringRef symbol, Value place);
  Value whileRunning(Value end, Value x, Value otherwise);
  Value haveAllEnded(Value ends);
  /// Of all steps.
  RankedTensorType tokensType() {
    Shape shape(words().getShape());
    shape.insert(shape.begin(), options.tokens);
    return ops.tensor(shape, b.getI32Type());
  }
  Value everyRow(Value word);
  Sent pickOne(Sampler &sampler, ValueRange in);
  Sent pickEach(Sampler &sampler, ValueRange in);
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
  std::optional<Regulator> regulator;
  RankedTensorType word;
};
} // namespace

static CacheLayout layOutCaches(const ModelOptions &options) {
  CacheLayout caches = {options.context};
  caches.type = options.cache;
  if (options.sequences == 1)
    return caches;
  int64_t each = llvm::alignTo(options.context, vm::llm::kPageRows);
  caches.places = options.sequences;
  caches.pages = each / vm::llm::kPageRows;
  caches.rows = options.positions
                    ? llvm::alignTo(options.positions, vm::llm::kPageRows)
                    : caches.places * each;
  return caches;
}

ProgramsBuilder::ProgramsBuilder(ModuleOp module,
                                 const gpuvm::FunctionLibrary &library,
                                 const vm::llm::GgufFile &file,
                                 const vm::llm::Model &model,
                                 const ModelOptions &options)
    : b(module.getLoc(), library), ops(b), model(model), options(options),
      pass(b, model, types, layOutCaches(options), options.halves),
      word(ops.tensor({}, b.getI32Type())) {
  b.setInsertionPointToStart(module.getBody());
  addSymbols(file);
  if (options.band) {
    regulator.emplace(b, model.layers, *options.band);
    regulator->addMetrics();
    pass.setRegulator(&*regulator);
  }
}

void ProgramsBuilder::build() {
  buildPrefill();
  buildGenerate(kGenerate, options.candidates);
  if (options.drawsFromAll)
    buildGenerate(kGenerateAll, model.vocabulary);
  buildScore();
  buildEmbed(b, pass, model, options);
}

void ProgramsBuilder::addSymbols(const vm::llm::GgufFile &file) {
  addModelSymbols(b, file, model, pass, types);
  b.global(kToken, words(), {});
  b.global(kPosition, words(), {});
  if (hasPlaces())
    b.global(kPages, pass.pagesType(), firstPages());
  auto metric = [&](StringRef name, RankedTensorType type) {
    gpuvm::MetricOp::create(b, name, type, /*initial=*/ElementsAttr(),
                            /*sym_visibility=*/StringAttr(),
                            /*window=*/gpuvm::WindowAttr());
  };
  metric(kTokens, tokensType());
  metric(kCount, word);
  metric(kEnd, words());
  sampler(options.candidates).addSymbols();
  if (options.logprobs)
    sampler(options.candidates).addLogprobs(options.tokens);
  gpuvm::ControlOp::create(b, kCancel, word, ElementsAttr(), StringAttr(),
                           gpuvm::WindowAttr(), IntegerAttr());
}

/// Each sequence has as many as positions, while there are some.
ElementsAttr ProgramsBuilder::firstPages() {
  CacheLayout caches = layOutCaches(options);
  SmallVector<int32_t> numbers;
  for (int64_t page = 0; page < caches.places * caches.pages; ++page) {
    bool isThere = page < caches.rows / vm::llm::kPageRows;
    numbers.push_back(isThere ? page : -1);
  }
  return DenseElementsAttr::get(pass.pagesType(), ArrayRef(numbers));
}

/// And, where there are several sequences, which of them it is.
SmallVector<gpuvm::NamedType>
ProgramsBuilder::withPlace(ArrayRef<gpuvm::NamedType> inputs) {
  SmallVector<gpuvm::NamedType> all(inputs);
  if (hasPlaces())
    all.push_back({"place", word});
  return all;
}

/// The word of the sequence at `place`, if there are several.
void ProgramsBuilder::storeAt(Value x, StringRef symbol, Value place) {
  if (hasPlaces())
    ops.store(ops.reshape(x, {1}), symbol, place);
  else
    ops.store(x, symbol);
}

//===----------------------------------------------------------------------===//
// prefill
//===----------------------------------------------------------------------===//

/// All tokens of a prompt but the last one, a chunk at a time, from position
/// `from` on. The last one becomes the token that `generate` reads first.
void ProgramsBuilder::buildPrefill() {
  int64_t chunk = options.chunk;
  RankedTensorType prompt = ops.tensor({options.context}, b.getI32Type());
  b.beginProgram(
      kPrefill,
      withPlace({{"prompt", prompt}, {"length", word}, {"from", word}}),
      {{"next", word}});
  Value tokens = b.inputs()[0], length = b.inputs()[1], from = b.inputs()[2];
  Value place = placeInput();

  Value done = arith::ConstantOp::create(
      b, b.getZeroAttr(word)); // Tokens of the prompt.
  Value numRead;
  if (regulator)
    numRead = b.stage("read", length, [&](ValueRange in) -> Sent {
                 return {{arith::SubIOp::create(b, in[0], ops.number(1))}};
               }).front();
  Value after =
      b.repeat(
           "chunks", options.context / chunk, done,
           [&](ValueRange carried) -> gpuvm::ProgramBuilder::Next {
             auto parts = b.stage("chunk", {tokens, from, carried[0]},
                                  [&](ValueRange in) -> Sent {
                                    return {{ops.rowsFrom(in[0], in[2], chunk),
                                             add(in[1], in[2])}};
                                  });
             pass.layers(parts[0], parts[1], place);
             if (regulator)
               regulator->reportChunk(carried[0], numRead);
             auto next = b.stage(
                 "next", {length, carried[0]}, [&](ValueRange in) -> Sent {
                   Value count = add(in[1], ops.number(options.chunk));
                   Value last = arith::SubIOp::create(b, in[0], ops.number(1));
                   return {{count, is(arith::CmpIPredicate::sge, count, last)}};
                 });
             return {{next[0]}, next[1]};
           })
          .front();

  SmallVector<Value> kept = {tokens, length, from, after};
  if (place)
    kept.push_back(place);
  Value last = b.stage("keep", kept, [&](ValueRange in) -> Sent {
                  Value number = arith::SubIOp::create(b, in[1], ops.number(1));
                  Value token = gpuvm::GatherOp::create(b, word, in[0], number);
                  storeAt(token, kToken, in.back());
                  storeAt(add(in[2], number), kPosition, in.back());
                  return {{token}};
                }).front();
  b.endProgram(last);
}

//===----------------------------------------------------------------------===//
// generate
//===----------------------------------------------------------------------===//

/// `x` of sequences that have not ended, `otherwise` of others.
Value ProgramsBuilder::whileRunning(Value end, Value x, Value otherwise) {
  Value isRunning = is(arith::CmpIPredicate::eq, end, b.constant(words(), 0));
  return arith::SelectOp::create(b, isRunning, x, otherwise);
}

Value ProgramsBuilder::haveAllEnded(Value ends) {
  Value running = ops.loops("R", {{ends, "r"}}, {{b.getI32Type(), ""}},
                            [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
                              Expr isRunning = e[0] == 0;
                              return {e[1] | isRunning.extend(b.getI32Type())};
                            })
                      .front();
  return is(arith::CmpIPredicate::eq, running, ops.number(0));
}

/// Which draws from so many tokens.
Sampler ProgramsBuilder::sampler(int64_t candidates) {
  std::optional<int64_t> rows;
  if (hasPlaces())
    rows = options.sequences;
  return {b, model.vocabulary, candidates, options.context, rows};
}

/// The end of a step of one sequence. in: the token and what stop strings make
/// of it, the position, the number of the step, the sampler's inputs. Sends the
/// next token, position, step and state, and whether this was the last.
Sent ProgramsBuilder::pickOne(Sampler &sampler, ValueRange in) {
  Sampler::Picked picked = sampler.pick(
      {in[0], {}, in[1]}, {{}, in[2], in[3], {}, {}, in.drop_front(4)});
  ops.store(ops.reshape(picked.token, {1}), kTokens, in[3]);
  ops.store(picked.end, kEnd);
  Value isOver = is(arith::CmpIPredicate::ne, picked.end, ops.number(0));
  return {{picked.token, picked.position, picked.made, picked.state, isOver}};
}

/// The same of several, of which those that have ended stay as they are. in
/// has, before the sampler's inputs, states, tokens and why each has ended too.
/// Sends the next of the latter as well.
Sent ProgramsBuilder::pickEach(Sampler &sampler, ValueRange in) {
  Value position = in[2], step = in[3], state = in[4], token = in[5],
        end = in[6];
  Sampler::Picked picked =
      sampler.pick({in[0], {}, in[1]},
                   {{}, position, everyRow(step), {}, {}, in.drop_front(7)});
  Value said = whileRunning(end, picked.token, b.constant(words(), -1));
  ops.store(ops.reshape(said, {1, options.sequences}), kTokens, step);
  Value next = whileRunning(end, picked.end, end);
  ops.store(next, kEnd);
  return {{whileRunning(end, picked.token, token),
           whileRunning(end, picked.position, position),
           add(step, ops.number(1)), whileRunning(end, picked.state, state),
           next, haveAllEnded(next)}};
}

/// A word for each sequence, where there are several.
Value ProgramsBuilder::everyRow(Value word) {
  if (!hasPlaces())
    return word;
  return ops.map("r", {{word, ""}, {b.constant(words(), 0), "r"}},
                 {b.getI32Type(), "r"}, [](ArrayRef<Expr> e) { return e[0]; });
}

void ProgramsBuilder::buildGenerate(const char *name, int64_t candidates) {
  Sampler sampler = this->sampler(candidates);
  b.beginProgram(name, sampler.inputs(), {{"made", word}});
  SmallVector<Value> controls(b.inputs());
  auto start = b.stage("begin", controls.front(), [&](ValueRange in) -> Sent {
    SmallVector<Value> all = {ops.load(kToken, words()),
                              ops.load(kPosition, words()), ops.number(0),
                              ops.load(kStopState, words())};
    Value end = b.constant(words(), 0);
    if (hasPlaces()) { // Without a limit a sequence takes no part.
      auto limit = static_cast<int64_t>(vm::llm::End::Limit);
      Value isIdle = is(arith::CmpIPredicate::sle, in[0], end);
      end = arith::SelectOp::create(b, isIdle, b.constant(words(), limit), end);
      all.push_back(end);
    }
    ops.store(end, kEnd);
    return {all};
  });
  auto last = b.repeat(
      "steps", options.tokens, start,
      [&](ValueRange carried) -> gpuvm::ProgramBuilder::Next {
        Value token = carried[0], position = carried[1], step = carried[2];
        // Stored now, when the tokens are: a host that reads them
        // while the program runs finds so many.
        b.stage("count", step, [&](ValueRange in) -> Sent {
          ops.store(in[0], kCount);
          return {};
        });
        Value at = position;
        if (hasPlaces())
          at = b.stage("running", {position, carried[4]},
                       [&](ValueRange in) -> Sent {
                         Value none = b.constant(words(), -1);
                         return {{whileRunning(in[1], in[0], none)}};
                       })
                   .front();
        SmallVector<Value> inputs = {pass.layers(token, at), position, step,
                                     carried[3]};
        if (regulator)
          regulator->reportSteps(at);
        llvm::append_range(inputs, controls);
        SmallVector<Value> drawn =
            b.stage("draw", inputs, [&](ValueRange in) -> Sent {
              Value scores = pass.logits(in[0]);
              Sampler::Drawn drawn = sampler.drawNext(
                  {scores, in[1], everyRow(in[2]), in[3],
                   ops.load(kTokens, tokensType()), in.drop_front(4)});
              if (options.logprobs)
                sampler.storeLogprobs(drawn, scores, in[2]);
              return {{drawn.token, drawn.stop}};
            });
        llvm::append_range(drawn, ArrayRef<Value>{position, step});
        if (hasPlaces())
          drawn.append({carried[3], token, carried[4]});
        llvm::append_range(drawn, controls);
        auto next = b.stage("pick", drawn, [&](ValueRange in) {
          return hasPlaces() ? pickEach(sampler, in) : pickOne(sampler, in);
        });
        Value until = next.pop_back_val();
        return {next, until};
      });
  b.stage("keep", ValueRange(last).take_front(4), [&](ValueRange in) -> Sent {
    ops.store(in[0], kToken);
    ops.store(in[1], kPosition);
    ops.store(in[2], kCount);
    ops.store(in[3], kStopState);
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
  b.beginProgram(kScore,
                 withPlace({{"text", ops.tensor({chunk}, b.getI32Type())},
                            {"from", word}}),
                 {{"logits", ops.tensor({chunk, model.vocabulary})}});
  Value stream = pass.layers(b.inputs()[0], b.inputs()[1], placeInput());
  if (regulator)
    regulator->reportSteps();
  Value logits = b.stage("logits", stream, [&](ValueRange in) -> Sent {
                    return {{pass.logits(in[0])}};
                  }).front();
  b.endProgram(logits);
}

OwningOpRef<ModuleOp> mlir::llm::buildModule(MLIRContext &context,
                                             const vm::llm::GgufFile &file,
                                             const vm::llm::Model &model,
                                             const ModelOptions &options) {
  return buildModelModule(
      context, file,
      [&](ModuleOp module, const gpuvm::FunctionLibrary &library) {
        ProgramsBuilder(module, library, file, model, options).build();
      });
}
