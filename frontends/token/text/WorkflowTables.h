//===- WorkflowTables.h - the tables of a workflow file -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the readers of a workflow file's parts share.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/graph/Resources.h"
#include "frontends/token/ground/SampledWorkflow.h"
#include "frontends/token/ground/TomlFile.h"

#include <map>
#include <string>
#include <vector>

namespace vm::token {

/// Steps of [program], not read yet.
struct ProgramText {
  std::string name;
  Place place; ///< Of its key.
  const toml::array *steps = nullptr;
};

/// A workflow file without the steps of its programs.
struct WorkflowTables {
  std::string name;
  std::string prompts; ///< The path, as it is written.
  std::string main = "main";
  Place mainPlace;       ///< Of the value of `main`; line 0 where it is absent.
  std::string tokenizer; ///< "" where it is not named.
  Place tokenizerPlace;  ///< Of the key, or of the table where it is absent.
  bool liveAnswers = false;
  Resources resources;
  TestModelTexts testModel;
  std::vector<ProgramText> programs; ///< In the order of the text.
};

/// Reads all tables (P01, P03..P06, P10..P12, P15).
WorkflowTables readWorkflowTables(const TomlFile &file,
                                  Diagnostics &diagnostics);

/// Reads [resources] (P10..P12).
Resources readResources(const TomlFile &file, const toml::table &table,
                        Diagnostics &diagnostics);

} // namespace vm::token
