//===- ReadWorkflow.cpp - workflows from files ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadWorkflow.h"

#include "frontends/token/text/ReadPrograms.h"
#include "frontends/token/text/ReadPrompts.h"

#include <filesystem>

using namespace vm;
using namespace vm::token;

namespace fs = std::filesystem;

namespace {

std::string pathOfPrompts(const std::string &workflow,
                          const std::string &prompts) {
  fs::path folder = folderOf(workflow);
  if (prompts == "-" && folder.empty())
    folder = "."; // A file of that name, not standard input.
  return (folder / prompts).string();
}

/// The factory of the main program; nothing after an error.
std::optional<Factory> build(const TomlFile &file, const WorkflowTables &tables,
                             const std::vector<size_t> &order, Prompts prompts,
                             Diagnostics &diagnostics) {
  auto context = std::make_shared<ProgramContext>(
      std::make_shared<const Prompts>(std::move(prompts)), tables.resources);
  std::map<std::string, Program> built;
  Place place = tables.mainPlace;
  for (size_t i : order) {
    const ProgramText &text = tables.programs[i];
    if (diagnostics.isFull())
      return std::nullopt;
    built.emplace(text.name, readProgram(file, tables.programs, i, built,
                                         context, diagnostics));
    if (text.name == tables.main && place.where.line == 0)
      place = text.place;
  }
  return built.at(tables.main).compile(place);
}

std::optional<SampledWorkflow>
read(const std::string &path,
     const std::map<std::string, std::string> &arguments, uint64_t seed,
     Diagnostics &diagnostics, bool allowOutside) {
  std::unique_ptr<TomlFile> file =
      TomlFile::read(path, diagnostics, {"P02", "P02"});
  if (!file)
    return std::nullopt;
  WorkflowTables tables = readWorkflowTables(*file, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  auto order = orderPrograms(*file, tables.programs, tables.main, diagnostics);
  Prompts prompts =
      readPrompts(pathOfPrompts(path, tables.prompts), diagnostics,
                  allowOutside ? PathBounds() : PathBounds(folderOf(path)));
  if (!order || diagnostics.hasErrors())
    return std::nullopt;
  std::optional<Factory> factory =
      build(*file, tables, *order, std::move(prompts), diagnostics);
  if (!factory || diagnostics.hasErrors())
    return std::nullopt;
  std::optional<SampledWorkflow> workflow =
      (*factory)(arguments, seed, diagnostics, file->whole());
  if (!workflow)
    return std::nullopt;
  workflow->name = tables.name;
  workflow->tokenizer = tables.tokenizer;
  workflow->tokenizerPlace = tables.tokenizerPlace;
  workflow->liveAnswers = tables.liveAnswers;
  workflow->testModel = tables.testModel;
  return workflow;
}

} // namespace

std::string vm::token::folderOf(const std::string &workflow) {
  return fs::path(workflow).parent_path().string();
}

std::optional<SampledWorkflow>
vm::token::readWorkflow(const std::string &path,
                        const std::map<std::string, std::string> &arguments,
                        uint64_t seed, Diagnostics &diagnostics,
                        bool allowOutside) {
  // Apart, so that errors of the caller do not end the reading early.
  Diagnostics found;
  std::optional<SampledWorkflow> workflow =
      read(path, arguments, seed, found, allowOutside);
  for (const Diagnostic &diagnostic : found.all()) {
    if (diagnostic.severity == Diagnostic::Severity::Error)
      diagnostics.error(diagnostic.code, diagnostic.place, diagnostic.sentence);
    else
      diagnostics.warning(diagnostic.code, diagnostic.place,
                          diagnostic.sentence);
  }
  return workflow;
}
