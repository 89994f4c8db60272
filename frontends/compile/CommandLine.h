//===- CommandLine.h - what gpuvm-compile is asked for ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the compiler and of all front ends, and one compilation by
// them: gpuvm-compile and libgpuvm-compiler are alike but for where messages
// go.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/compile/FrontEnd.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::gpuvm {

/// Told about a compilation while it runs; each may be empty.
struct CompileListener {
  CompileProgress progress;
  std::function<void()> beforeDiagnostic;
  std::function<bool()> isCancelled; ///< As of CompileRequest.
};

/// Messages of failures are all that is to be printed; an empty one has been.
class CommandLine {
public:
  std::vector<std::string> sources;
  /// What the only source holds, which need not exist then; or null: it is
  /// read.
  std::unique_ptr<llvm::MemoryBuffer> text;
  std::string output; ///< The plan file to write; or empty: none.

  /// What a tool says with --help.
  std::string help() const;
  /// All options but those that say where the files are.
  void addOptions(CLI::App &app);

  /// Whether a front end is to write something else than a plan.
  bool makesNoPlan() const;
  vm::Status writeForm(const CLI::App &app);

  /// The bytes of the plan, which has been written to `output` with the files
  /// that belong to it. `app` has parsed the options.
  vm::Result<std::vector<uint8_t>> compile(const CLI::App &app,
                                           const CompileListener &listener);

private:
  const FrontEnd *findReader() const;
  vm::Status checkSources(const CLI::App &app, const FrontEnd *reader) const;
  vm::Result<std::unique_ptr<FrontEndInput>> readProgram();
  vm::Result<vm::Plan> compilePlan(FrontEndInput &input,
                                   const CompileListener &listener,
                                   std::string &report) const;
  void setOptions(CompilerOptions &options) const;

  CompileRequest request;
  std::string reportPath, fusion = "auto", chains, park = "auto", size = "auto";
  bool disableFusion = false, disableReuse = false, keepMetadata = false;
  bool exact = false;
  std::optional<uint64_t> barrierPrice, maxWindowBytes, spins;
  std::vector<std::string> targets;
  std::vector<std::unique_ptr<FrontEnd>> frontEnds = createFrontEnds();
};

} // namespace mlir::gpuvm
