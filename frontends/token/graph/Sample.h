//===- Sample.h - the factory of workflows, and their texts ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled program is a graph of zones with placeholders. A call of its
// factory draws their texts.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/graph/Graph.h"
#include "frontends/token/graph/Number.h"
#include "frontends/token/graph/Steps.h"
#include "frontends/token/ground/SampledWorkflow.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vm::token {

/// The most zones of a workflow.
constexpr size_t kMaxWorkflowZones = size_t(1) << 20;
/// The most bytes of all texts, patterns and names of a workflow's zones, with
/// some for each part of a text and each item that is drawn.
constexpr uint64_t kMaxWorkflowBytes = uint64_t(1) << 27;

struct CompiledZone {
  uint32_t reference = 0; ///< Into CompiledProgram::references.
  uint32_t block = 0;
  uint32_t repetition = 0;
  uint32_t zone = 0;   ///< Of the block.
  bool isLast = false; ///< Of the reference.
  ZoneLinks links;
};

struct CompiledProgram {
  std::shared_ptr<const ProgramSteps> steps; ///< Owns what is pointed to.
  std::vector<const SequenceReference *> references;
  std::vector<CompiledZone> zones; ///< In the order of their numbers.
  std::map<std::string, Extraction> extractions;
};

/// Makes workflows of a compiled program.
class Factory {
public:
  explicit Factory(std::shared_ptr<const CompiledProgram> program)
      : program_(std::move(program)) {}

  /// The workflow for these arguments; nothing after an error (R03..R07; W11
  /// warns). Each call starts every resource anew, from the seed and with all
  /// items in its pool, so the same arguments and seed give the same workflow.
  /// Nothing is kept between calls but what is pushed to an lru. `place` is
  /// that of what is wrong with the arguments as a whole. Name, tokenizer,
  /// answers and test model are left as they are by default.
  std::optional<SampledWorkflow>
  operator()(const std::map<std::string, std::string> &arguments, uint64_t seed,
             Diagnostics &diagnostics,
             const Place &place = builderPlace()) const;

private:
  std::shared_ptr<const CompiledProgram> program_;
};

} // namespace vm::token
