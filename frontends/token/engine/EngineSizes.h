//===- EngineSizes.h - the size class of an engine's plan -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan holds no workflow, only room for the tables of workflows of a size
// class. Any workflow that fits runs on it without a compile.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/Sizes.h"
#include "frontends/token/engine/PatternAutomaton.h"
#include "frontends/token/ground/ModuleInfo.h"
#include "frontends/token/reference/Stream.h"

#include <optional>
#include <span>

namespace vm::token {

/// Steps in an iteration of the loop that runs the streams. More of them save
/// barriers and the state's way to memory and back
/// (docs/rationale/token-vm.md).
constexpr int32_t kStepsOfTurn = 8;
/// ... where a model that is a program is called once an iteration: it sees so
/// many tokens at a time.
constexpr int32_t kStepsWithModel = 4;
/// ... and a language model, whose prompts are read the faster.
constexpr int32_t kStepsWithLanguageModel = 8;

struct EngineSizes {
  int32_t streams = 1;
  int32_t turns = 1;   ///< That an execution has records for.
  int32_t records = 1; ///< 1: a word of each step; 0: none.
  int32_t steps = 1;   ///< Of each stream in an iteration: one dispatch.
  int32_t workflows = 1;
  int32_t phrases = 1;
  int32_t zones = 1;
  int32_t classWords = 1; ///< 32 classes each.
  int32_t tokens = 1;     ///< Prompts, patterns, phrases and fillers.
  int32_t vocabulary = 1;
  int32_t nodes = 1; ///< Of the automaton that finds patterns.
  int32_t symbols = 1;
  int32_t hits = 1;
  int32_t textStates = 0;  ///< Of patterns in texts; 0 where none are.
  int32_t textColumns = 0; ///< Kinds of tokens there.
  int32_t answerRows = 1;  ///< The streams, or 1 where nothing is fed.
  int32_t answerTokens = 1;
  int32_t modules = 0;  ///< Of the user, each with a state.
  int32_t numbers = 0;  ///< That they record with each token.
  int32_t triggers = 0; ///< 1: they change which classes are complete.

  /// Words that are recorded of a step besides its first one: what modules
  /// record, and where they change them the classes that are complete.
  int32_t extraWords() const {
    return records ? numbers + triggers * classWords : 0;
  }

  bool operator==(const EngineSizes &) const = default;
};

/// In this order they are the symbol `token.sizes` of a plan.
using EngineSize = SizeOf<EngineSizes, int32_t>;
std::span<const EngineSize> allEngineSizes();

/// Where a table stands in the plan's input `token.tables`, row-major.
struct TableShape {
  const char *name;
  int64_t rows, columns, base;
};
std::vector<TableShape> tableShapes(const EngineSizes &sizes);
int64_t tableWords(const EngineSizes &sizes);

/// What the machine needs at least.
EngineSizes neededSizes(const Machine &machine,
                        const PatternAutomaton &automaton, int32_t streams,
                        const Limits &limits);

/// Adds what modules of the user need.
void addModules(std::span<const ModuleInfo> modules, EngineSizes &needed);

/// Room for that and for workflows like it: sizes of tables are rounded up to
/// powers of two. `modelSteps`: in an iteration, with a model that is a
/// program.
EngineSizes roomFor(EngineSizes needed, const Limits &limits,
                    std::optional<int32_t> modelSteps = std::nullopt);

/// M01 (docs/token-vm.md) where streams may have more tokens than the model
/// sees.
Status checkContext(const Limits &limits);

/// BadInput where the machine needs records that the plan does not keep: what
/// tools are asked is in them.
Status checkRecords(const Machine &machine, const EngineSizes &room);

/// BadInput, with the first size there is too little of.
Status checkFits(const EngineSizes &needed, const EngineSizes &room);

} // namespace vm::token
