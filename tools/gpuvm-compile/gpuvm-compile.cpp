//===- gpuvm-compile.cpp - from a program to a plan file ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Compile.h"
#include "compiler/CrashReport.h"
#include "compiler/Diagnostics.h"
#include "compiler/Dialects.h"
#include "compiler/OpenProgram.h"
#include "dialects/linear/Linear.h"
#include "frontends/token/engine/EngineSizes.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanFile.h"
#include "tools/common/CommandLineText.h"
#include "tools/common/FileKind.h"
#include "tools/gpuvm-compile/BusyLine.h"
#include "tools/gpuvm-compile/LinearFiles.h"
#include "tools/gpuvm-compile/TextFile.h"
#include "tools/gpuvm-compile/TokenFiles.h"
#include "tools/gpuvm-compile/TokenModel.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <optional>

static const char *const kHelp =
    R"(Compiles a gpuvm program, or workflows of the token-stream VM, to a plan.

Example:
  gpuvm-compile examples/tpch/q6.mlir -o q6.gvplan
  gpuvm-compile chat.workflow.toml -o chat.gvplan --streams=64 --budget=4096

The plan of workflows has room for any like them: they are in the file
PLAN.token.json beside it, which gpuvm-token run reads.

Exit codes: 0 ok, 2 usage or an output that cannot be written, 3 bad input
file, 6 out of memory.)";

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
  vm::compile::LinearOptions linear;
  vm::compile::TokenOptions token;

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

static void addFiles(CLI::App &app, CommandLine &line) {
  app.add_option("source", line.sources,
                 "The program (.mlir, .lvm or .gvlx; - is standard input), or "
                 "workflows")
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
               "The plan carries the module that it is made of, for --link and "
               "--model");
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
                 "The devices to choose launches for, a,b,...: generic, "
                 "lavapipe, h200 (docs/targets.md). Default: generic,lavapipe")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES")
      ->check(CLI::IsMember({"generic", "lavapipe", "h200"}).description(""));
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

namespace {
/// What is compiled. The messages of failures to read it are all that is to be
/// printed.
struct Input {
  std::unique_ptr<llvm::MemoryBuffer> file; ///< That messages quote.
  vm::compile::LinearProgram linear;        ///< Or null.
  std::optional<vm::token::LoadedMachine> workflows;
  std::vector<vm::token::ModuleInfo> modules; ///< Of their engine.
  int32_t context = INT32_MAX;                ///< Of the workflows' model.
};
} // namespace

static vm::Status complain(vm::Code code, const std::string &message) {
  return {code, "gpuvm-compile: error: " + message};
}

static vm::Result<Input> readWorkflows(const CommandLine &line) {
  auto loaded = vm::compile::readWorkflows(line.sources, line.token);
  if (!loaded.ok())
    return loaded.status();
  auto engine = vm::compile::engineFor(loaded->machine, line.token);
  if (!engine.ok())
    return engine.status();
  auto file =
      llvm::MemoryBuffer::getMemBufferCopy(engine->text, "token-engine.mlir");
  return Input{std::move(file), nullptr, std::move(*loaded),
               std::move(engine->modules)};
}

static vm::Result<Input> readProgram(const CommandLine &line) {
  VM_RETURN_IF_ERROR(
      vm::compile::checkNoTokenOptions(line.source(), line.token));
  if (line.sources.size() != 1)
    return complain(
        vm::Code::Usage,
        fmt::format("One program is compiled, not {}.", line.sources.size()));
  Input input;
  std::string error;
  input.file = mlir::gpuvm::openProgram(line.source(), error);
  if (!input.file)
    return complain(vm::Code::BadInput, error);
  auto linear =
      vm::compile::readLinearProgram(line.source(), line.linear, input.file);
  if (!linear.ok())
    return linear.status();
  input.linear = std::move(*linear);
  return input;
}

/// Options that only programs of gpuvm have a use for.
static vm::Status checkWorkflowOptions(const CommandLine &line) {
  auto refuse = [&](const char *option, const char *why) {
    return complain(vm::Code::Usage, fmt::format("{} {}.", option, why));
  };
  const char *none = "takes a program, and workflows are none";
  if (!line.request.programNames.empty())
    return refuse("--program", none);
  if (!line.request.linked.empty())
    return refuse("--link", none);
  if (!line.linear.statistics.empty())
    return refuse("--linear-statistics", none);
  if (!line.linear.executable.empty())
    return refuse("--linear-executable", none);
  const char *noPlan = "says what becomes of a plan, and --emit makes none";
  if (line.token.emit.empty())
    return {};
  if (!line.report.empty())
    return refuse("--report", noPlan);
  if (!line.request.phasesDir.empty())
    return refuse("--dump-phases-to", noPlan);
  if (line.statistics)
    return refuse("--statistics", noPlan);
  if (line.request.keepModule)
    return refuse("--keep-module", noPlan);
  if (!line.token.modules.empty())
    return refuse("--module", noPlan);
  return {};
}

//===--- Compiling --------------------------------------------------------===//

/// The plan comes last: what it is made of is there then.
static vm::Status saveFiles(const CommandLine &line, const vm::Plan &plan,
                            const Input &input, const std::string &report) {
  if (!line.report.empty())
    VM_RETURN_IF_ERROR(vm::compile::writeText(line.report, report));
  if (input.workflows)
    return vm::compile::saveEngine(line.output, plan, *input.workflows,
                                   input.modules, line.token, input.context);
  if (input.linear)
    VM_RETURN_IF_ERROR(
        vm::compile::writeLinearFiles(*input.linear, line.linear));
  return vm::savePlanOfCheckedKernels(line.output, plan);
}

static int compile(const CommandLine &line, Input input) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input.file), llvm::SMLoc());

  mlir::DialectRegistry registry;
  mlir::gpuvm::registerCompilerDialects(registry);
  registry.insert<mlir::linear::LinearDialect>();
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
  if (input.linear)
    options.exact = true; // What it computes is defined to the bit.
  vm::compile::addLinearFrontEnd(input.linear, line.linear, request);
  vm::Status checked;
  const std::string &model = line.token.model;
  if (input.workflows && model != "test") {
    request.linked.push_back(vm::compile::modelFile(model));
    request.check = [&](mlir::ModuleOp module) {
      auto tokens = vm::compile::readContext(module, model);
      if (!tokens)
        return mlir::failure();
      input.context = *tokens;
      checked = vm::token::checkContext(
          {.budget = line.token.budget, .context = *tokens});
      return mlir::success(checked.ok());
    };
  }
  request.progress = [&](const std::string &what) { busy.set(what); };
  auto plan = mlir::gpuvm::compileProgram(context, sources, options, request);
  busy.clear();
  if (!checked.ok())
    return fail(checked);
  if (mlir::failed(plan))
    return static_cast<int>(vm::Code::BadInput);
  vm::Status saved = saveFiles(line, *plan, input, report);
  if (!saved.ok())
    return fail(saved.message(), saved.code());
  if (line.statistics)
    llvm::PrintStatistics(llvm::errs());
  return 0;
}

static int emit(const CommandLine &line) {
  vm::Status status =
      vm::compile::emitForm(line.sources, line.output, line.token);
  return status.ok() ? 0 : fail(status);
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

static int run(const CommandLine &line) {
  bool isWorkflow = llvm::any_of(line.sources, vm::compile::isWorkflow);
  for (const std::string &source : line.sources)
    if (std::string advice = vm::planAdvice(source); !advice.empty())
      return fail(advice, vm::Code::BadInput);
  if (isWorkflow) {
    if (vm::Status status = checkWorkflowOptions(line); !status.ok())
      return fail(status);
    if (!line.token.emit.empty())
      return emit(line);
  }
  if (vm::Status status = makePhasesFolder(line.request); !status.ok())
    return fail(status);
  if (line.statistics)
    llvm::EnableStatistics(/*DoPrintOnExit=*/false);
  auto input = isWorkflow ? readWorkflows(line) : readProgram(line);
  return input.ok() ? compile(line, std::move(*input)) : fail(input.status());
}

int main(int argc, char **argv) {
  mlir::gpuvm::CrashReport::install("gpuvm-compile");
  llvm::InitLLVM init(argc, argv);
  CommandLine line;
  CLI::App app(kHelp, "gpuvm-compile");
  app.set_version_flag(
      "--version", fmt::format("gpuvm-compile {} (plan format {}.{}, LLVM {})",
                               GPUVM_VERSION, vm::kPlanFormatMajor,
                               vm::kPlanFormatMinor, LLVM_VERSION_STRING));
  addFiles(app, line);
  addChoices(app, line);
  vm::compile::addLinearOptions(app, line.linear);
  vm::compile::addTokenOptions(app, line.token);
  try {
    app.parse(argc, argv);
    if (line.output.empty() && line.token.emit.empty())
      throw CLI::RequiredError("--output");
  } catch (const CLI::ParseError &error) {
    return vm::answer(app, error);
  }
  return run(line);
}
