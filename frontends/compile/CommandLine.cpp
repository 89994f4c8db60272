//===- CommandLine.cpp - what gpuvm-compile is asked for ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/compile/CommandLine.h"

#include "compiler/Diagnostics.h"
#include "compiler/OpenProgram.h"
#include "dialects/gpuvm/Target.h"
#include "runtime/plan/PlanFile.h"
#include "tools/common/CommandLineText.h"
#include "tools/common/FileKind.h"
#include "tools/common/SetFlag.h"
#include "tools/common/TextFile.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace mlir;
using namespace mlir::gpuvm;
using vm::countIn;

static vm::Status complain(vm::Code code, const std::string &message) {
  return {code, "gpuvm-compile: error: " + message};
}

//===--- Options ----------------------------------------------------------===//

/// With what the front ends of this build compile.
std::string CommandLine::help() const {
  std::string sources = "  a gpuvm program (.mlir)\n",
              examples = "  gpuvm-compile examples/tpch/q6.mlir -o q6.gvplan\n",
              outputs;
  for (const auto &frontEnd : frontEnds) {
    FrontEndHelp help = frontEnd->help();
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

void CommandLine::addOptions(CLI::App &app) {
  app.add_option("--program", request.programNames,
                 "The programs to compile, a,b,... Default: all in the file "
                 "that are not private")
      ->delimiter(',')
      ->allow_extra_args(false);
  vm::addSetFlag(app, request.settings,
                 "The value of a parameter (gpuvm.parameter), once for each; "
                 "part.NAME is one of the linked file part.mlir");
  app.add_option("--link", request.linked,
                 "A file with programs that are called, or a plan that "
                 "--keep-module made of them")
      ->allow_extra_args(false);
  app.add_flag("--keep-module", request.keepModule,
               "The plan carries the module that it is made of, for --link");
  app.add_option("--report", reportPath, "Write the fusion report (JSON)")
      ->type_name("FILE");
  app.add_option("--dump-phases-to", request.phasesDir,
                 "Print the IR after each pass")
      ->type_name("FOLDER");

  auto addMode = [&](const char *name, auto &mode, const char *help) {
    app.add_option(name, mode, help)
        ->type_name("MODE")
        ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
  };
  app.add_option("--fusion", fusion,
                 "Operations in one kernel: auto (the default: of several "
                 "stages), stages (of one stage) or never (each operation that "
                 "computes is a kernel, and its results are in memory)")
      ->type_name("MODE")
      ->check(CLI::IsMember({"auto", "stages", "never"}).description(""));
  app.add_flag("--disable-fusion", disableFusion,
               "As --fusion=never, and no chains");
  app.add_option("--target", targets,
                 fmt::format("The devices to choose launches for, a,b,...: {} "
                             "(docs/targets.md). Default: generic,lavapipe",
                             listTargets()))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES")
      ->check(CLI::IsMember(getTargetNames()).description(""));
  addMode("--chains", chains,
          "Dependent kernels in one workgroup: auto (the default: where that "
          "is faster), always (where they fit) or never");
  addMode("--park", park,
          "Kernels that nothing needs while a condition does not hold do not "
          "run then: auto (the default: where that is worth it), always "
          "(where it can be) or never");
  addMode("--size", size,
          "Kernels run for the rows that the device counted, not for all "
          "there may be: auto (the default: where that is worth it), always "
          "(where it can be) or never");
  app.add_flag("--disable-reuse", disableReuse,
               "A window of its own for every value");
  app.add_option("--barrier-price", barrierPrice,
                 "Bytes of Registers that a barrier more must save. Default: "
                 "8 MiB")
      ->check(countIn(0, UINT64_MAX));
  app.add_option("--max-window-bytes", maxWindowBytes,
                 "Values of more bytes are split: the device's "
                 "maxStorageBufferRange. Default: 128 MiB, which every device "
                 "has")
      ->check(countIn(0, UINT64_MAX));
  app.add_option("--spins", spins,
                 "How often a workgroup looks for what another one makes "
                 "before it makes it itself. Default: 16384")
      ->check(countIn(0, 1 << 30));
  app.add_option("--subgroup-lanes", request.subgroupLanes,
                 "For tests: variants for subgroups of 32 lanes are for those "
                 "of a device with 8 or 16, which --assume-features runs")
      ->check(CLI::IsMember({8, 16, 32}).description(""));
  app.add_flag("--keep-metadata", keepMetadata,
               "Keep the metadata of all messages for the host");
  app.add_flag("--exact", exact, "Bit-identical arithmetic on every device");
  for (const auto &frontEnd : frontEnds)
    frontEnd->addOptions(app);
}

void CommandLine::setOptions(CompilerOptions &options) const {
  options.fuse = fusion == "auto" && !disableFusion;
  options.group = fusion != "never" && !disableFusion;
  options.reuse = !disableReuse;
  options.chains = !chains.empty() ? chains : disableFusion ? "never" : "auto";
  options.park = park;
  options.size = size;
  options.keepMetadata = keepMetadata;
  options.exact = exact;
  for (const std::string &target : targets)
    options.targets.push_back(target);
  if (barrierPrice)
    options.barrierPrice = *barrierPrice;
  if (maxWindowBytes)
    options.maxWindowBytes = *maxWindowBytes;
  if (spins)
    options.spins = static_cast<int64_t>(*spins);
}

//===--- Reading ----------------------------------------------------------===//

/// The front end that reads the files together, if one does.
const FrontEnd *CommandLine::findReader() const {
  for (const auto &frontEnd : frontEnds)
    if (llvm::any_of(sources, [&](const std::string &source) {
          return frontEnd->readsSeveral(source);
        }))
      return frontEnd.get();
  return nullptr;
}

/// Whether the sources can be compiled, and the options fit what `reader`
/// reads.
vm::Status CommandLine::checkSources(const CLI::App &app,
                                     const FrontEnd *reader) const {
  if (text)
    return reader ? complain(vm::Code::Usage,
                             fmt::format("\"{}\" is compiled from a file, not "
                                         "from a text.",
                                         sources.front()))
                  : vm::Status();
  for (const std::string &source : sources)
    if (std::string advice = vm::planAdvice(source); !advice.empty())
      return complain(vm::Code::BadInput, advice);
  if (!reader)
    return {};
  if (!request.settings.empty())
    return complain(vm::Code::Usage,
                    fmt::format("--set gives \"{}\", but \"{}\" has no "
                                "parameters.",
                                request.settings.front().first,
                                sources.front()));
  VM_RETURN_IF_ERROR(reader->checkUsed(app));
  for (const auto &other : frontEnds)
    if (other.get() != reader)
      VM_RETURN_IF_ERROR(other->checkUnused(sources.front()));
  return {};
}

/// A program of gpuvm, or one that a front end reads.
vm::Result<std::unique_ptr<FrontEndInput>> CommandLine::readProgram() {
  if (sources.size() != 1)
    return complain(
        vm::Code::Usage,
        fmt::format("One program is compiled, not {}.", sources.size()));
  const std::string &source = sources.front();
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file =
      text ? std::move(text) : openProgram(source, error);
  StringRef bytes = file ? file->getBuffer() : "";
  const FrontEnd *reader = nullptr;
  for (const auto &frontEnd : frontEnds)
    if (frontEnd->reads(source, bytes))
      reader = frontEnd.get();
  for (const auto &frontEnd : frontEnds)
    if (frontEnd.get() != reader)
      VM_RETURN_IF_ERROR(frontEnd->checkUnused(source));
  if (!file)
    return complain(vm::Code::BadInput, error);
  if (reader)
    return reader->readFile(source, std::move(file), request.settings);
  auto input = std::make_unique<FrontEndInput>();
  input->text = std::move(file);
  return input;
}

/// MLIR would go on without it.
static vm::Status makePhasesFolder(const CompileRequest &request) {
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

//===--- Compiling --------------------------------------------------------===//

bool CommandLine::makesNoPlan() const {
  return llvm::any_of(
      frontEnds, [](const auto &frontEnd) { return frontEnd->makesNoPlan(); });
}

vm::Status CommandLine::writeForm(const CLI::App &app) {
  const FrontEnd *reader = findReader();
  VM_RETURN_IF_ERROR(checkSources(app, reader));
  if (reader && reader->makesNoPlan())
    return reader->writeForm(sources, output);
  return readProgram().status(); // Which says that the option does not fit.
}

vm::Result<vm::Plan> CommandLine::compilePlan(FrontEndInput &input,
                                              const CompileListener &listener,
                                              std::string &report) const {
  llvm::SourceMgr buffers;
  buffers.AddNewSourceBuffer(std::move(input.text), llvm::SMLoc());

  DialectRegistry registry;
  registerAllDialects(registry);
  // One program on few cores: starting threads costs more than they save.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  DiagnosticPrinter diagnostics(buffers, context);
  if (listener.beforeDiagnostic)
    context.getDiagEngine().registerHandler([&](Diagnostic &) {
      listener.beforeDiagnostic();
      return failure(); // `diagnostics` prints it.
    });
  CompilerOptions options;
  setOptions(options);
  if (!reportPath.empty())
    options.reportText = &report;
  CompileRequest own = request;
  own.lower = [&](PassManager &passes) {
    for (const auto &frontEnd : frontEnds)
      frontEnd->lower(passes);
  };
  input.prepare(options, own);
  own.progress = listener.progress;
  own.isCancelled = listener.isCancelled;
  FailureOr<vm::Plan> plan = compileProgram(context, buffers, options, own);
  VM_RETURN_IF_ERROR(input.problem());
  if (failed(plan))
    return vm::Status(vm::Code::BadInput, "");
  return std::move(*plan);
}

/// The plan is written last: its parts are there then.
static vm::Result<std::vector<uint8_t>>
saveFiles(const vm::Plan &plan, FrontEndInput &input, const std::string &output,
          const std::string &reportPath, const std::string &report) {
  if (!reportPath.empty())
    VM_RETURN_IF_ERROR(vm::writeText(reportPath, report));
  vm::Result<std::vector<uint8_t>> bytes = vm::encodePlanOfCheckedKernels(plan);
  if (!bytes.ok())
    return output.empty() ? bytes.status()
                          : bytes.status().withContext(
                                fmt::format("saving \"{}\"", output));
  VM_RETURN_IF_ERROR(input.save(*bytes, output));
  return bytes;
}

vm::Result<std::vector<uint8_t>>
CommandLine::compile(const CLI::App &app, const CompileListener &listener) {
  const FrontEnd *reader = findReader();
  VM_RETURN_IF_ERROR(checkSources(app, reader));
  VM_RETURN_IF_ERROR(makePhasesFolder(request));
  vm::Result<std::unique_ptr<FrontEndInput>> input =
      reader ? reader->readFiles(sources) : readProgram();
  if (!input.ok())
    return input.status();
  std::string report;
  vm::Result<vm::Plan> plan = compilePlan(**input, listener, report);
  if (!plan.ok())
    return plan.status();
  auto saved = saveFiles(*plan, **input, output, reportPath, report);
  if (!saved.ok())
    return complain(saved.status().code(), saved.status().message());
  return saved;
}
