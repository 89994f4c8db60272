//===- LinearFiles.cpp - programs of the linear-algebra VM ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-compile/LinearFiles.h"

#include "frontends/linear/executable/Executable.h"
#include "frontends/linear/lowering/Lowering.h"
#include "frontends/linear/matrices/Statistics.h"
#include "frontends/linear/modes/Modes.h"
#include "frontends/linear/text/Assembler.h"
#include "tools/common/CommandLineText.h"
#include "tools/gpuvm-compile/TextFile.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

#include <span>

using namespace vm;
using namespace vm::compile;

static std::string checkThreshold(const std::string &text) {
  if (linear::isThreshold(text))
    return "";
  return fmt::format("\"{}\" is neither auto nor a number from 0 to {}.", text,
                     linear::kMaxThreshold);
}

void vm::compile::addLinearOptions(CLI::App &app, LinearOptions &options) {
  auto *group = app.add_option_group(
      "Programs of the linear-algebra VM (.lvm, docs/linear-vm.md)");
  group
      ->add_option("--linear-mode", options.mode,
                   "auto (the default: compiled where it may be), faithful, "
                   "compiled or fused")
      ->type_name("MODE")
      ->check(CLI::IsMember({"auto", "faithful", "compiled", "fused"})
                  .description(""));
  group
      ->add_option("--linear-format", options.format,
                   "How matrices are stored: hybrid (the default: by the "
                   "threshold), csr, dense, bsr2, bsr4, dictionary or "
                   "runlength")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"hybrid", "csr", "dense", "bsr2", "bsr4",
                             "dictionary", "runlength"})
                  .description(""));
  group
      ->add_option("--linear-threshold", options.threshold,
                   "The share of non-zeros from which a matrix is dense, or "
                   "auto: the one with the fewest bytes. Default: what the "
                   "program says, or 0.15")
      ->type_name("SHARE")
      ->check(CLI::Validator(checkThreshold, ""));
  group
      ->add_option("--linear-budget", options.budget,
                   "Epochs of each phase, whatever the program says")
      ->check(vm::countIn(1, INT32_MAX));
  group
      ->add_option("--linear-engine", options.engine,
                   "Not the program, but an engine that any program of its "
                   "size class can be given to (gpuvm-linear run --engine): "
                   "auto, or what it must have room for at least "
                   "(machines=1000,instructions=256)")
      ->type_name("SIZES");
  group
      ->add_option("--linear-statistics", options.statistics,
                   "Write what the program takes and which mode runs each "
                   "phase (JSON; - is standard output)")
      ->type_name("FILE");
  group
      ->add_option("--linear-executable", options.executable,
                   "Write the program as an executable (.gvlx), as "
                   "gpuvm-linear assemble does")
      ->type_name("FILE");
}

//===--- Reading ----------------------------------------------------------===//

/// With the tool's name, where the text has no place of its own.
static Status complain(const Status &status) {
  return {status.code(), "gpuvm-compile: error: " + status.message()};
}

/// For a file that is no program of ours.
static Status checkNoFiles(const std::string &path,
                           const LinearOptions &options) {
  if (options.statistics.empty() && options.executable.empty())
    return {};
  const char *option = options.statistics.empty() ? "--linear-executable"
                                                  : "--linear-statistics";
  return complain(
      {Code::Usage, fmt::format("{} takes a program of the linear-algebra VM "
                                "(.lvm, or an executable), and \"{}\" is none.",
                                option, path)});
}

Result<LinearProgram>
vm::compile::readLinearProgram(const std::string &path,
                               const LinearOptions &options,
                               std::unique_ptr<llvm::MemoryBuffer> &file) {
  llvm::StringRef text = file->getBuffer();
  std::span bytes(text.bytes_begin(), text.size());
  bool isBinary = linear::isExecutable(bytes) || path.ends_with(".gvlx");
  if (!isBinary && !path.ends_with(".lvm")) {
    VM_RETURN_IF_ERROR(checkNoFiles(path, options));
    return LinearProgram();
  }
  Result<linear::Program> program =
      isBinary ? linear::readExecutable(bytes, path)
               : linear::assemble(std::string_view(text), path);
  if (!program.ok())
    return isBinary ? complain(program.status()) : program.status();
  if (isBinary)
    file = llvm::MemoryBuffer::getMemBufferCopy("", path);
  return std::make_shared<const linear::Program>(std::move(*program));
}

//===--- Compiling --------------------------------------------------------===//

void vm::compile::addLinearFrontEnd(const LinearProgram &program,
                                    const LinearOptions &options,
                                    mlir::gpuvm::CompileRequest &request) {
  mlir::linear::LinearLowerOptions lower;
  lower.mode = options.mode;
  lower.format = options.format;
  lower.threshold = options.threshold;
  lower.budget = options.budget.value_or(0);
  lower.engine = options.engine;
  request.lower = [lower](mlir::PassManager &passes) {
    passes.addPass(mlir::linear::createLinearLower(lower));
  };
  if (program)
    request.read = [program](mlir::MLIRContext &context) {
      return mlir::linear::buildModule(context, *program);
    };
}

//===--- Writing ----------------------------------------------------------===//

static std::string statisticsOf(const linear::Program &program,
                                const LinearOptions &options) {
  std::vector<linear::PhaseMode> modes = mlir::linear::chooseModes(
      program, options.engine.empty() ? options.mode : "faithful");
  std::vector<linear::PlacedMatrix> matrices =
      linear::matricesOf(program, modes);
  linear::Statistics statistics = linear::countStatistics(
      program, matrices, *linear::parseFormat(options.format),
      linear::thresholdOf(program, options.threshold));
  for (size_t i = 0; i < modes.size(); ++i)
    statistics.modes.push_back(
        {program.phases[i].name, modes[i].name, modes[i].reason});
  return statistics.toJson();
}

Status vm::compile::writeLinearFiles(const linear::Program &program,
                                     const LinearOptions &options) {
  if (!options.executable.empty())
    VM_RETURN_IF_ERROR(writeFileAtomically(options.executable,
                                           linear::writeExecutable(program)));
  if (!options.statistics.empty())
    VM_RETURN_IF_ERROR(
        writeText(options.statistics, statisticsOf(program, options)));
  return {};
}
