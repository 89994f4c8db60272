//===- Machine.h - the instruction tensors of workflows -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row of the tensors is a zone. Nothing alters them while streams run.
// Several workflows are concatenated to one machine (machine/Concatenate.h).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/SampledWorkflow.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vm::token {

/// The longest pattern, in tokens.
constexpr int kMaxPatternTokens = 32;

/// Indices that are true, ascending.
using IndexSet = std::vector<int32_t>;

/// A way out of a zone: taken when a class of `mask` is completed.
struct Advance {
  bool active = false;
  IndexSet mask;
};

/// One row of the tensors.
struct Zone {
  int32_t tokenStart = 0; ///< Into tokenData, half open; equal = no prompt.
  int32_t tokenEnd = 0;
  Advance advance;
  Advance jump;
  int32_t jumpAddress = 0; ///< 0..L; L = END.
  int32_t nextAddress = 0;
  int32_t advancePattern = 0; ///< The row that is fed to force an advance.
  IndexSet escapeOpen;
  IndexSet escapeClose;
  bool input = false;
  bool output = false;
  int32_t callback = -1; ///< A tool's number; -1 = none.
  bool inert = true;
  int32_t timeout = 0; ///< Most tokens of a visit; 0 = no limit.
  IndexSet tags;
};

/// A row of the pattern table: one spelling of a class.
struct PatternRow {
  int32_t patternClass = 0;
  std::vector<int32_t> tokens; ///< 1..kMaxPatternTokens.
};

/// A workflow's part of a machine: zones [entry, entry + size).
struct WorkflowNames {
  std::string name;
  int32_t entry = 0;
  int32_t size = 0;
  bool matchesText = false; ///< Patterns are heard in the text (`match`).
  std::vector<std::string> patterns; ///< The text of each of its classes.
  int32_t firstClass = 0;            ///< Its classes, rows in the machine's.
  std::vector<std::string> tags;     ///< Tag indices stay the workflow's own.
  std::vector<std::string> tools;    ///< Of the machine, by number.
  std::map<std::string, Extraction> extracts;
  /// Sequence, block and repetition of each of its zones.
  std::vector<std::tuple<std::string, int64_t, int64_t>> zones;
};

/// The test model of one workflow, in tokens.
struct TestModel {
  int32_t weight = 64;
  std::vector<std::vector<int32_t>> phrases;
  std::vector<int32_t> fillers;
};

struct Machine {
  /// Tokenizer::identity() of what its tokens are of; the tensor form is
  /// without it, so read with `bytes`.
  std::string tokenizer = "bytes";
  int32_t vocabulary = 257;
  int32_t padding = 256;
  /// What each token says. Only where a workflow matches text, and only of
  /// those that its tokenizer has.
  std::vector<std::string> tokenTexts;
  std::vector<WorkflowNames> workflows;
  std::vector<TestModel> testModels; ///< One a workflow.
  std::vector<int32_t> tokenData;
  std::vector<PatternRow> rows;
  int32_t classes = 0;
  int32_t tags = 0; ///< T, the width of the tags tensor.
  std::vector<Zone> zones;

  /// L, the number that is END.
  int32_t end() const { return int32_t(zones.size()); }

  bool matchesText() const;
  const std::string &textOf(int32_t token) const;
  /// The workflow whose zone it is; that of the last one for END.
  int32_t workflowOfZone(int32_t zone) const;
};

} // namespace vm::token
