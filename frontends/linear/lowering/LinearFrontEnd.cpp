//===- LinearFrontEnd.cpp - programs of the linear-algebra VM -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/compile/FrontEnd.h"
#include "frontends/linear/executable/Executable.h"
#include "frontends/linear/lowering/Lowering.h"
#include "frontends/linear/matrices/Statistics.h"
#include "frontends/linear/modes/Modes.h"
#include "frontends/linear/text/Assembler.h"
#include "frontends/linear/text/SetConstants.h"
#include "tools/common/CommandLineText.h"
#include "tools/common/TextFile.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

#include <optional>
#include <span>

using namespace vm;
using mlir::gpuvm::CompileRequest;
using mlir::gpuvm::CompilerOptions;
using mlir::gpuvm::FrontEndInput;

namespace {
/// What the command line says.
struct LinearOptions {
  std::string mode = "auto", format = "hybrid";
  std::string threshold; ///< A number, auto, or empty.
  std::optional<uint32_t> budget;
  std::string engine; ///< What an engine is to have room for; or empty.
  std::string statistics, executable; ///< Files to write; or empty.
};

class LinearInput : public FrontEndInput {
public:
  LinearInput(linear::Program program, const LinearOptions &options)
      : program(std::move(program)), options(options) {}
  void prepare(CompilerOptions &compiler, CompileRequest &request) override;
  Status save(llvm::ArrayRef<uint8_t> plan, const std::string &output) override;

private:
  linear::Program program;
  const LinearOptions &options;
};

class LinearFrontEnd : public mlir::gpuvm::FrontEnd {
public:
  mlir::gpuvm::FrontEndHelp help() const override {
    return {.sources = "a program of the linear-algebra VM (.lvm or .gvlx)"};
  }
  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::linear::LinearDialect>();
  }
  void registerPasses() const override { mlir::linear::registerLinearPasses(); }
  void lower(mlir::PassManager &passes) const override;
  void addOptions(CLI::App &app) override;
  bool reads(llvm::StringRef path, llvm::StringRef bytes) const override;
  Status checkUnused(llvm::StringRef path) const override;
  Result<std::unique_ptr<FrontEndInput>>
  readFile(llvm::StringRef path, std::unique_ptr<llvm::MemoryBuffer> file,
           const Settings &settings) const override;

private:
  LinearOptions options;
};
} // namespace

static std::string checkThreshold(const std::string &text) {
  if (linear::isThreshold(text))
    return "";
  return fmt::format("\"{}\" is neither auto nor a number from 0 to {}.", text,
                     linear::kMaxThreshold);
}

void LinearFrontEnd::addOptions(CLI::App &app) {
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

Status LinearFrontEnd::checkUnused(llvm::StringRef path) const {
  if (options.statistics.empty() && options.executable.empty())
    return {};
  const char *option = options.statistics.empty() ? "--linear-executable"
                                                  : "--linear-statistics";
  return complain(
      {Code::Usage, fmt::format("{} takes a program of the linear-algebra VM "
                                "(.lvm, or an executable), and \"{}\" is none.",
                                option, path.str())});
}

static bool isBinary(llvm::StringRef path, llvm::StringRef bytes) {
  return linear::isExecutable({bytes.bytes_begin(), bytes.size()}) ||
         path.ends_with(".gvlx");
}

bool LinearFrontEnd::reads(llvm::StringRef path, llvm::StringRef bytes) const {
  return isBinary(path, bytes) || path.ends_with(".lvm");
}

/// Of an executable, messages quote nothing.
Result<std::unique_ptr<FrontEndInput>>
LinearFrontEnd::readFile(llvm::StringRef path,
                         std::unique_ptr<llvm::MemoryBuffer> file,
                         const Settings &settings) const {
  llvm::StringRef text = file->getBuffer();
  bool binary = isBinary(path, text);
  std::string name = path.str();
  if (!settings.empty()) {
    if (binary)
      return complain(
          {Code::Usage, fmt::format("--set gives \"{}\", but \"{}\" "
                                    "has its values already.",
                                    settings.front().first, name)});
    Result<std::string> changed = linear::setConstants(text, name, settings);
    if (!changed.ok())
      return changed.status();
    file = llvm::MemoryBuffer::getMemBufferCopy(*changed, path);
    text = file->getBuffer();
  }
  Result<linear::Program> program =
      binary ? linear::readExecutable({text.bytes_begin(), text.size()}, name)
             : linear::assemble(std::string_view(text), name);
  if (!program.ok())
    return binary ? complain(program.status()) : program.status();
  auto input = std::make_unique<LinearInput>(std::move(*program), options);
  input->text =
      binary ? llvm::MemoryBuffer::getMemBufferCopy("", path) : std::move(file);
  return std::unique_ptr<FrontEndInput>(std::move(input));
}

//===--- Compiling --------------------------------------------------------===//

void LinearFrontEnd::lower(mlir::PassManager &passes) const {
  mlir::linear::LinearLowerOptions lower;
  lower.mode = options.mode;
  lower.format = options.format;
  lower.threshold = options.threshold;
  lower.budget = options.budget.value_or(0);
  lower.engine = options.engine;
  passes.addPass(mlir::linear::createLinearLower(lower));
}

void LinearInput::prepare(CompilerOptions &compiler, CompileRequest &request) {
  compiler.exact = true; // What it computes is defined to the bit.
  request.read = [this](mlir::MLIRContext &context) {
    return mlir::linear::buildModule(context, program);
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

Status LinearInput::save(llvm::ArrayRef<uint8_t> plan,
                         const std::string &output) {
  if (!options.executable.empty())
    VM_RETURN_IF_ERROR(writeFileAtomically(options.executable,
                                           linear::writeExecutable(program)));
  if (!options.statistics.empty())
    VM_RETURN_IF_ERROR(
        writeText(options.statistics, statisticsOf(program, options)));
  return FrontEndInput::save(plan, output);
}

namespace mlir::gpuvm {
std::unique_ptr<FrontEnd> createLinearFrontEnd() {
  return std::make_unique<LinearFrontEnd>();
}
} // namespace mlir::gpuvm
