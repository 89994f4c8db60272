//===- gpuvm-compile.cpp - from a program to a plan file ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Compile.h"
#include "compiler/CrashReport.h"
#include "compiler/Diagnostics.h"
#include "compiler/OpenProgram.h"
#include "dialects/gpuvm/Target.h"
#include "frontends/compile/FrontEnd.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/PlanVersion.h"
#include "tools/common/CommandLineText.h"
#include "tools/common/FileKind.h"
#include "tools/common/TextFile.h"
#include "tools/gpuvm-compile/BusyLine.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <optional>

namespace {
struct CommandLine {
  std::vector<std::string> sources;
  std::string output;
  mlir::gpuvm::CompileRequest request;
  std::string report, fusion = "auto", chains, park = "auto", size = "auto";
  bool disableFusion = false, disableReuse = false, keepMetadata = false;
  bool exact = false, statistics = false;
  std::optional<uint64_t> barrierPrice, maxWindowBytes, spins;
  std::vector<std::string> targets;
  std::vector<std::unique_ptr<mlir::gpuvm::FrontEnd>> frontEnds =
      mlir::gpuvm::createFrontEnds();

  const std::string &source() const { return sources.front(); }
};
} // namespace

static int fail(llvm::StringRef message, vm::Code code) {
  llvm::errs() << "gpuvm-compile: error: " << message << '\n';
  return static_cast<int>(code);
}

/// Of a failure whose message is all that is to be printed.
static int fail(const vm::Status &status) {
  if (!status.message().empty())
    llvm::errs() << status.message() << '\n';
  return static_cast<int>(status.code());
}

/// With what the front ends of this build compile.
static std::string
helpText(llvm::ArrayRef<std::unique_ptr<mlir::gpuvm::FrontEnd>> frontEnds) {
  std::string sources = "  a gpuvm program (.mlir)\n",
              examples = "  gpuvm-compile examples/tpch/q6.mlir -o q6.gvplan\n",
              outputs;
  for (const auto &frontEnd : frontEnds) {
    mlir::gpuvm::FrontEndHelp help = frontEnd->help();
    sources += fmt::format("  {}\n", help.sources);
    if (*help.example)
      examples += fmt::format("  {}\n", help.example);
    if (*help.output)
      outputs += fmt::format("{}\n\n", help.output);
  }
  return fmt::format(
      "Compiles a program to a plan.\n\nPrograms:\n{}\nExample:\n{}\n{}Exit "
      "codes: 0 ok, "
      "2 usage or an output that cannot be written, 3 bad "
      "input\nfile, 6 out of memory.",
      sources, examples, outputs);
}

static void addFiles(CLI::App &app, CommandLine &line) {
  app.add_option("source", line.sources,
                 "The program (- is standard input), or files that are "
                 "compiled together")
      ->required();
  app.add_option("-o,--output", line.output, "The plan file to write");
  app.add_option("--program", line.request.programNames,
                 "The programs to compile, a,b,... Default: all in the file "
                 "that are not private")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--link", line.request.linked,
                 "A file with programs that are called, or a plan that "
                 "--keep-module made of them")
      ->allow_extra_args(false);
  app.add_flag("--keep-module", line.request.keepModule,
               "The plan carries the module that it is made of, for --link");
  app.add_option("--report", line.report, "Write the fusion report (JSON)")
      ->type_name("FILE");
  app.add_option("--dump-phases-to", line.request.phasesDir,
                 "Print the IR after each pass")
      ->type_name("FOLDER");
  app.add_flag("--statistics", line.statistics,
               "Print what each pass counted to standard error");
}

static void addChoices(CLI::App &app, CommandLine &line) {
  auto addMode = [&](const char *name, auto &mode, const char *help) {
    app.add_option(name, mode, help)
        ->type_name("MODE")
        ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
  };
  app.add_option("--fusion", line.fusion,
                 "Operations in one kernel: auto (the default: of several "
                 "stages), stages (of one stage) or never (each operation that "
                 "computes is a kernel, and its results are in memory)")
      ->type_name("MODE")
      ->check(CLI::IsMember({"auto", "stages", "never"}).description(""));
  app.add_flag("--disable-fusion", line.disableFusion,
               "As --fusion=never, and no chains");
  app.add_option("--target", line.targets,
                 fmt::format("The devices to choose launches for, a,b,...: {} "
                             "(docs/targets.md). Default: generic,lavapipe",
                             mlir::gpuvm::listTargets()))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES")
      ->check(CLI::IsMember(mlir::gpuvm::getTargetNames()).description(""));
  addMode("--chains", line.chains,
          "Dependent kernels in one workgroup: auto (the default: where that "
          "is faster), always (where they fit) or never");
  addMode("--park", line.park,
          "Kernels that nothing needs while a condition does not hold do not "
          "run then: auto (the default: where that is worth it), always "
          "(where it can be) or never");
  addMode("--size", line.size,
          "Kernels run for the rows that the device counted, not for all "
          "there may be: auto (the default: where that is worth it), always "
          "(where it can be) or never");
  app.add_flag("--disable-reuse", line.disableReuse,
               "A window of its own for every value");
  app.add_option("--barrier-price", line.barrierPrice,
                 "Bytes of Registers that a barrier more must save. Default: "
                 "8 MiB")
      ->check(vm::countIn(0, UINT64_MAX));
  app.add_option("--max-window-bytes", line.maxWindowBytes,
                 "Values of more bytes are split: the device's "
                 "maxStorageBufferRange. Default: 128 MiB, which every device "
                 "has")
      ->check(vm::countIn(0, UINT64_MAX));
  app.add_option("--spins", line.spins,
                 "How often a workgroup looks for what another one makes "
                 "before it makes it itself. Default: 16384")
      ->check(vm::countIn(0, 1 << 30));
  app.add_option("--subgroup-lanes", line.request.subgroupLanes,
                 "For tests: variants for subgroups of 32 lanes are for those "
                 "of a device with 8 or 16, which --assume-features runs")
      ->check(CLI::IsMember({8, 16, 32}).description(""));
  app.add_flag("--keep-metadata", line.keepMetadata,
               "Keep the metadata of all messages for the host");
  app.add_flag("--exact", line.exact,
               "Bit-identical arithmetic on every device");
}

static void setOptions(const CommandLine &line,
                       mlir::gpuvm::CompilerOptions &options) {
  options.fuse = line.fusion == "auto" && !line.disableFusion;
  options.group = line.fusion != "never" && !line.disableFusion;
  options.reuse = !line.disableReuse;
  options.chains = !line.chains.empty() ? line.chains
                   : line.disableFusion ? "never"
                                        : "auto";
  options.park = line.park;
  options.size = line.size;
  options.keepMetadata = line.keepMetadata;
  options.exact = line.exact;
  for (const std::string &target : line.targets)
    options.targets.push_back(target);
  if (line.barrierPrice)
    options.barrierPrice = *line.barrierPrice;
  if (line.maxWindowBytes)
    options.maxWindowBytes = *line.maxWindowBytes;
  if (line.spins)
    options.spins = static_cast<int64_t>(*line.spins);
}

//===--- Reading ----------------------------------------------------------===//

using mlir::gpuvm::FrontEnd;
using InputResult = vm::Result<std::unique_ptr<mlir::gpuvm::FrontEndInput>>;

static vm::Status complain(vm::Code code, const std::string &message) {
  return {code, "gpuvm-compile: error: " + message};
}

/// A program of gpuvm, or one that a front end reads.
static InputResult readProgram(const CommandLine &line) {
  if (line.sources.size() != 1)
    return complain(
        vm::Code::Usage,
        fmt::format("One program is compiled, not {}.", line.sources.size()));
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file =
      mlir::gpuvm::openProgram(line.source(), error);
  llvm::StringRef bytes = file ? file->getBuffer() : "";
  const FrontEnd *reader = nullptr;
  for (const auto &frontEnd : line.frontEnds)
    if (frontEnd->reads(line.source(), bytes))
      reader = frontEnd.get();
  for (const auto &frontEnd : line.frontEnds)
    if (frontEnd.get() != reader)
      VM_RETURN_IF_ERROR(frontEnd->checkUnused(line.source()));
  if (!file)
    return complain(vm::Code::BadInput, error);
  if (reader)
    return reader->readFile(line.source(), std::move(file));
  auto input = std::make_unique<mlir::gpuvm::FrontEndInput>();
  input->text = std::move(file);
  return input;
}

//===--- Compiling --------------------------------------------------------===//

/// The plan is written last: its parts are there then.
static vm::Status saveFiles(const CommandLine &line, const vm::Plan &plan,
                            mlir::gpuvm::FrontEndInput &input,
                            const std::string &report) {
  if (!line.report.empty())
    VM_RETURN_IF_ERROR(vm::writeText(line.report, report));
  return input.save(plan, line.output);
}

static int compile(const CommandLine &line, mlir::gpuvm::FrontEndInput &input) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input.text), llvm::SMLoc());

  mlir::DialectRegistry registry;
  mlir::gpuvm::registerAllDialects(registry);
  // One program on few cores: starting threads costs more than they save.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::gpuvm::DiagnosticPrinter diagnostics(sources, context);
  vm::compile::BusyLine busy;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &) {
    busy.clear();
    return mlir::failure(); // `diagnostics` prints it.
  });
  mlir::gpuvm::CompilerOptions options;
  setOptions(line, options);
  std::string report;
  if (!line.report.empty())
    options.reportText = &report;
  mlir::gpuvm::CompileRequest request = line.request;
  request.lower = [&](mlir::PassManager &passes) {
    for (const auto &frontEnd : line.frontEnds)
      frontEnd->lower(passes);
  };
  input.prepare(options, request);
  request.progress = [&](const std::string &what) { busy.set(what); };
  auto plan = mlir::gpuvm::compileProgram(context, sources, options, request);
  busy.clear();
  if (vm::Status problem = input.problem(); !problem.ok())
    return fail(problem);
  if (mlir::failed(plan))
    return static_cast<int>(vm::Code::BadInput);
  vm::Status saved = saveFiles(line, *plan, input, report);
  if (!saved.ok())
    return fail(saved.message(), saved.code());
  if (line.statistics)
    llvm::PrintStatistics(llvm::errs());
  return 0;
}

/// MLIR would go on without it.
static vm::Status makePhasesFolder(const mlir::gpuvm::CompileRequest &request) {
  if (request.phasesDir.empty())
    return {};
  std::error_code error = llvm::sys::fs::create_directories(request.phasesDir);
  if (!error)
    error = llvm::sys::fs::access(request.phasesDir,
                                  llvm::sys::fs::AccessMode::Write);
  if (!error)
    return {};
  return complain(vm::Code::Usage,
                  fmt::format("Output \"{}\" cannot be created ({}).",
                              request.phasesDir, error.message()));
}

/// The front end that reads the files together, if one does.
static const FrontEnd *findReader(const CommandLine &line) {
  for (const auto &frontEnd : line.frontEnds)
    if (llvm::any_of(line.sources, [&](const std::string &source) {
          return frontEnd->readsSeveral(source);
        }))
      return frontEnd.get();
  return nullptr;
}

/// Whether the options fit what `reader` reads.
static vm::Status checkOptions(const CommandLine &line, const CLI::App &app,
                               const FrontEnd &reader) {
  VM_RETURN_IF_ERROR(reader.checkUsed(app));
  for (const auto &other : line.frontEnds)
    if (other.get() != &reader)
      VM_RETURN_IF_ERROR(other->checkUnused(line.source()));
  return {};
}

static int run(const CommandLine &line, const CLI::App &app) {
  const FrontEnd *reader = findReader(line);
  for (const std::string &source : line.sources)
    if (std::string advice = vm::planAdvice(source); !advice.empty())
      return fail(advice, vm::Code::BadInput);
  if (reader) {
    if (vm::Status status = checkOptions(line, app, *reader); !status.ok())
      return fail(status);
    if (reader->makesNoPlan()) {
      vm::Status status = reader->writeForm(line.sources, line.output);
      return status.ok() ? 0 : fail(status);
    }
  }
  if (vm::Status status = makePhasesFolder(line.request); !status.ok())
    return fail(status);
  if (line.statistics)
    llvm::EnableStatistics(/*DoPrintOnExit=*/false);
  InputResult input =
      reader ? reader->readFiles(line.sources) : readProgram(line);
  return input.ok() ? compile(line, **input) : fail(input.status());
}

int main(int argc, char **argv) {
  mlir::gpuvm::CrashReport::install("gpuvm-compile");
  llvm::InitLLVM init(argc, argv);
  CommandLine line;
  CLI::App app(helpText(line.frontEnds), "gpuvm-compile");
  app.set_version_flag(
      "--version", fmt::format("gpuvm-compile {} (plan format {}.{}, LLVM {})",
                               GPUVM_VERSION, vm::kPlanFormatMajor,
                               vm::kPlanFormatMinor, LLVM_VERSION_STRING));
  addFiles(app, line);
  addChoices(app, line);
  for (const auto &frontEnd : line.frontEnds)
    frontEnd->addOptions(app);
  try {
    app.parse(argc, argv);
    bool makesPlan = llvm::none_of(line.frontEnds, [](const auto &frontEnd) {
      return frontEnd->makesNoPlan();
    });
    if (line.output.empty() && makesPlan)
      throw CLI::RequiredError("--output");
  } catch (const CLI::ParseError &error) {
    return vm::answer(app, error);
  }
  return run(line, app);
}
