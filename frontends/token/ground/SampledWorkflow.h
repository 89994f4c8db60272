//===- SampledWorkflow.h - a graph of zones with their texts --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a builder of workflows (the specification's SZCP), from which
// the wire form is written: every text is sampled, nothing is encoded yet.
// Zones are in the order of their numbers.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Prompts.h"

#include <optional>

namespace vm::token {

/// A link of a zone to the end.
constexpr int64_t kEnd = -1;

struct SampledZone {
  std::string sequence;
  int64_t block = 0;
  int64_t repetition = 0;
  std::string text;
  std::string advancePattern;
  std::vector<std::string> tags;
  /// The tokens the zone may generate, as the block says.
  int64_t timeout = 0;
  bool input = false;
  bool output = false;
  std::string tool;                       ///< "" unless output.
  std::optional<std::string> jumpPattern; ///< Set just where `jump` is.
  int64_t next = kEnd;
  std::optional<int64_t> jump; ///< A zone's number, or kEnd.
  Place place;                 ///< Of its block, for messages.
};

struct Extraction {
  std::vector<std::string> tags;
  bool forced = true;
  bool patterns = true;
};

/// The model that the specification defines for tests, as texts.
struct TestModelTexts {
  int64_t weight = 64;
  std::optional<std::vector<std::string>> phrases; ///< All pattern rows.
  std::optional<std::string> fillers;              ///< `abcdefghijklmnop`.
};

/// How the wire form that a workflow was read from is written, where it may be
/// in more than one way: to be written again as the same bytes.
struct WireShape {
  bool hasAlternatives = true;
  bool hasGpuvm = true;
  std::vector<std::string> extractions; ///< Their order; the rest by name.
  std::string misc;                     ///< `misc` as it was read, or "".
};

struct SampledWorkflow {
  std::string name;
  PromptConfig config;
  bool liveAnswers = false; ///< `answers = "live"`; inert otherwise.
  std::vector<SampledZone> zones;
  std::map<std::string, Extraction> extractions;
  TestModelTexts testModel;
  std::string tokenizer = "bytes"; ///< "bytes" or "greedy:FILE", as written.
  Place tokenizerPlace;            ///< Where that is; no file = nowhere.
  Place place;                     ///< The workflow's file.
  WireShape wire;
};

} // namespace vm::token
