//===- EngineSizes.cpp - the size class of an engine's plan ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/EngineSizes.h"

#include "frontends/token/ground/Diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

/// What an execution records at most, in words.
static constexpr int64_t kMaxRecords = int64_t(1) << 25;

static constexpr EngineSize kSizes[] = {
    {"streams", "streams", &EngineSizes::streams},
    {"workflows", "workflows", &EngineSizes::workflows},
    {"phrases", "phrases of test models", &EngineSizes::phrases},
    {"zones", "zones", &EngineSizes::zones},
    {"classWords", "times 32 pattern classes", &EngineSizes::classWords},
    {"tokens", "tokens of prompts, patterns and test models",
     &EngineSizes::tokens},
    {"vocabulary", "tokens of the vocabulary", &EngineSizes::vocabulary},
    {"nodes", "beginnings of patterns", &EngineSizes::nodes},
    {"symbols", "different tokens in patterns", &EngineSizes::symbols},
    {"hits", "ends of patterns", &EngineSizes::hits},
    {"textStates", "beginnings of patterns in texts", &EngineSizes::textStates},
    {"textColumns", "kinds of tokens in texts", &EngineSizes::textColumns},
    {"answerRows", "streams with answers", &EngineSizes::answerRows},
    {"answerTokens", "tokens of an answer", &EngineSizes::answerTokens},
    {"turns", "", &EngineSizes::turns},
    {"recorded", "", &EngineSizes::records},
    {"steps", "", &EngineSizes::steps},
    {"modules", "", &EngineSizes::modules},
    {"numbers", "", &EngineSizes::numbers},
    {"triggers", "", &EngineSizes::triggers},
};

std::span<const EngineSize> vm::token::allEngineSizes() { return kSizes; }

std::vector<TableShape> vm::token::tableShapes(const EngineSizes &sizes) {
  std::vector<TableShape> shapes = {
      // END, budget, tokens of a capture and of an answer, workflows, streams,
      // seed of the model, padding, vocabulary, classes.
      {"limits", 10, 1, 0},
      // Entry; weight, first phrase, phrases, first filler, fillers; where
      // listening to text begins.
      {"workflows", sizes.workflows, 7, 0},
      {"phrases", sizes.phrases, 2, 0}, // First token, tokens.
      // Tokens of the prompt, flags, timeout; first token of the prompt and of
      // what closes it; tool, jump, next.
      {"zones", sizes.zones, 8, 0},
      // Classes that open, close, jump, advance.
      {"masks", sizes.zones, int64_t(sizes.classWords) * 4, 0},
      {"tokens", sizes.tokens, 1, 0},
      {"symbols", sizes.vocabulary, 1, 0},
      {"moves", sizes.nodes, sizes.symbols, 0}, // Bit 30: the node has hits.
      {"nodes", sizes.nodes, 2, 0},             // First hit, hits.
      {"hits", sizes.hits, 2, 0},               // Class, tokens.
      {"columns", sizes.textStates ? sizes.vocabulary : 0, 1, 0},
      {"steps", sizes.textStates, sizes.textColumns, 0}, // As moves.
      {"ends", sizes.textStates, sizes.textColumns, 0},  // The class; or 0.
  };
  int64_t base = 0;
  for (TableShape &shape : shapes) {
    shape.base = base;
    base += shape.rows * shape.columns;
  }
  return shapes;
}

int64_t vm::token::tableWords(const EngineSizes &sizes) {
  TableShape last = tableShapes(sizes).back();
  return last.base + last.rows * last.columns;
}

static size_t countTokens(const Machine &machine) {
  size_t count = machine.tokenData.size();
  for (const PatternRow &row : machine.rows)
    count += row.tokens.size();
  for (const TestModel &model : machine.testModels) {
    count += model.fillers.size();
    for (const std::vector<int32_t> &phrase : model.phrases)
      count += phrase.size();
  }
  return count;
}

EngineSizes vm::token::neededSizes(const Machine &machine,
                                   const PatternAutomaton &automaton,
                                   int32_t streams, const Limits &limits) {
  EngineSizes sizes;
  sizes.streams = streams;
  sizes.workflows = int32_t(machine.workflows.size());
  size_t phrases = 0, hits = 0;
  for (const TestModel &model : machine.testModels)
    phrases += model.phrases.size();
  for (const std::vector<PatternHit> &node : automaton.hits)
    hits += node.size();
  sizes.phrases = int32_t(std::max<size_t>(phrases, 1));
  sizes.hits = int32_t(std::max<size_t>(hits, 1));
  sizes.zones = std::max<int32_t>(machine.end(), 1);
  sizes.classWords = std::max((machine.classes + 31) / 32, 1);
  sizes.tokens = int32_t(std::max<size_t>(countTokens(machine), 1));
  sizes.vocabulary = machine.vocabulary;
  sizes.nodes = automaton.nodes();
  sizes.symbols = automaton.symbolCount;
  sizes.textStates = automaton.text.states();
  sizes.textColumns = automaton.text.columns;
  if (std::ranges::any_of(machine.zones, &Zone::input)) {
    sizes.answerRows = streams;
    sizes.answerTokens = std::max(limits.answerTokens, 1);
  }
  return sizes;
}

void vm::token::addModules(std::span<const ModuleInfo> modules,
                           EngineSizes &needed) {
  needed.modules = int32_t(modules.size());
  needed.numbers = countPosts(modules);
  needed.triggers = std::ranges::any_of(modules, [](const ModuleInfo &module) {
    return module.stage == ModuleStage::Transition;
  });
}

EngineSizes vm::token::roomFor(EngineSizes needed, const Limits &limits,
                               std::optional<int32_t> modelSteps) {
  EngineSizes room = needed;
  for (int32_t EngineSizes::*size :
       {&EngineSizes::workflows, &EngineSizes::phrases, &EngineSizes::zones,
        &EngineSizes::classWords, &EngineSizes::tokens,
        &EngineSizes::vocabulary, &EngineSizes::nodes, &EngineSizes::symbols,
        &EngineSizes::hits})
    room.*size = roundUp(room.*size);
  if (room.textStates > 0) {
    room.textStates = roundUp(room.textStates);
    room.textColumns = roundUp(room.textColumns);
  }
  room.steps = modelSteps.value_or(kStepsOfTurn);
  // An iteration of a model may have one token only.
  int32_t least = modelSteps ? 1 : room.steps;
  int64_t turns = (int64_t(std::max(limits.budget, 1)) + least - 1) / least;
  int64_t wordsOfTurn = int64_t(room.steps) * (1 + room.extraWords());
  int64_t most =
      room.records ? kMaxRecords / room.streams / wordsOfTurn : turns;
  room.turns = int32_t(std::min(turns, std::max<int64_t>(most, 1)));
  return room;
}

Status vm::token::checkContext(const Limits &limits) {
  Diagnostics diagnostics;
  if (limits.budget > limits.context)
    diagnostics.error("M01", {"command line", {0, 0}},
                      fmt::format("The budget is {} tokens, and the model sees "
                                  "at most {} (--budget).",
                                  limits.budget, limits.context));
  return diagnostics.status();
}

Status vm::token::checkRecords(const Machine &machine,
                               const EngineSizes &room) {
  auto asks = [](const Zone &zone) { return zone.callback >= 0; };
  auto found = std::ranges::find_if(machine.zones, asks);
  if (room.records || found == machine.zones.end())
    return {};
  return {Code::BadInput,
          fmt::format("Zone {} asks a tool, and a plan without records keeps "
                      "nothing that could be asked (--record=tokens).",
                      found - machine.zones.begin())};
}

Status vm::token::checkFits(const EngineSizes &needed,
                            const EngineSizes &room) {
  std::string size = firstTooSmall(allEngineSizes(), needed, room);
  if (size.empty())
    return {};
  return {Code::BadInput,
          fmt::format("The workflows do not fit the plan: {}.", size)};
}
