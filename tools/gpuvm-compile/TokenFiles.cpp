//===- TokenFiles.cpp - workflows of the token-stream VM ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-compile/TokenFiles.h"

#include "compiler/Diagnostics.h"
#include "compiler/ReadModule.h"
#include "frontends/token/dialect/TokenModule.h"
#include "frontends/token/engine/EngineText.h"
#include "frontends/token/files/Sidecar.h"
#include "frontends/token/forms/Picture.h"
#include "frontends/token/forms/Wire.h"
#include "frontends/token/machine/TensorJson.h"
#include "frontends/token/modules/ModuleFile.h"
#include "frontends/token/reference/Reference.h"
#include "runtime/plan/Container.h"
#include "runtime/plan/PlanFile.h"
#include "tools/common/CommandLineText.h"
#include "tools/gpuvm-compile/TextFile.h"
#include "tools/gpuvm-compile/TokenModel.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::compile;
using namespace vm::token;

//===--- The command line -------------------------------------------------===//

static void addSizes(CLI::Option_group *group, TokenOptions &options) {
  auto add = [&](const char *name, auto &value, uint64_t least, uint64_t most,
                 const char *help) {
    CLI::Option *option = group->add_option(name, value, help);
    options.all.push_back(option->check(countIn(least, most)));
    return option;
  };
  add("--streams", options.streams, 1, kMaxStreams,
      "How many the plan has room for")
      ->capture_default_str();
  add("--budget", options.budget, 0, INT32_MAX,
      "End a stream after this many tokens")
      ->capture_default_str();
  add("--capture-tokens", options.captureTokens, 0, INT32_MAX,
      "Room for what a tool is asked. Default: the largest limit of a zone "
      "that asks");
  add("--answer-tokens", options.answerTokens, 0, INT32_MAX,
      "Room for an answer of a tool")
      ->capture_default_str();
  add("--seed", options.seed, 0, UINT64_MAX, "Of what resources draw")
      ->capture_default_str();
}

void vm::compile::addTokenOptions(CLI::App &app, TokenOptions &options) {
  auto *group = app.add_option_group(
      "Workflows of the token-stream VM (.workflow.toml, .token.json, .wire or "
      ".token.mlir, docs/token-vm.md)");
  addSizes(group, options);
  auto keep = [&](CLI::Option *option) { options.all.push_back(option); };
  keep(group
           ->add_option("--arg", options.arguments,
                        "NAME=VALUE: an argument of the workflows; once for "
                        "each")
           ->type_name("NAME=VALUE")
           ->allow_extra_args(false)
           ->check(isPair()));
  keep(group
           ->add_option("--tokenizer", options.tokenizer,
                        "bytes or greedy:FILE, of tensors and wire forms. "
                        "Default: bytes")
           ->type_name("NAME"));
  keep(group->add_flag("--allow-outside", options.allowOutside,
                       "Let a workflow name prompts and a tokenizer that are "
                       "not in its folder or below"));
  keep(group
           ->add_option("--model", options.model,
                        "What proposes tokens: test (the model for tests), or "
                        "a program of an MLIR file or of a plan made with "
                        "--keep-module")
           ->type_name("test|FILE#PROGRAM")
           ->check(CLI::Validator(checkModelName, "")));
  keep(group
           ->add_option("--record", options.record,
                        "What the plan keeps of streams: tokens, with all that "
                        "follows from them, or only their status at the end. "
                        "Default: tokens")
           ->type_name("tokens|status")
           ->check(CLI::IsMember({"tokens", "status"}).description("")));
  keep(group
           ->add_option("--module", options.modules,
                        "STAGE:FILE: a function of an MLIR file that each step "
                        "calls at the end of manipulation, transition or post; "
                        "once for each")
           ->type_name("STAGE:FILE")
           ->allow_extra_args(false)
           ->check(CLI::Validator(checkModuleName, "")));
  keep(group
           ->add_option("--emit", options.emit,
                        "Write no plan but the workflows in a form, to -o or "
                        "standard output: tensors, token (MLIR), or of one "
                        "workflow wire or svg")
           ->type_name("FORM")
           ->check(CLI::IsMember({"tensors", "wire", "token", "svg"})
                       .description("")));
}

static bool isDialect(const std::string &path) {
  return path.ends_with(".token.mlir");
}

bool vm::compile::isWorkflow(const std::string &path) {
  return path.ends_with(".toml") || path.ends_with(".wire") ||
         path.ends_with(".token.json") || isDialect(path);
}

/// With the tool's name, where the text has no place of its own.
static Status complain(const Status &status) {
  bool hasPlace = status.message().find(": error: ") != std::string::npos;
  return hasPlace || status.message().empty()
             ? status
             : Status(status.code(),
                      "gpuvm-compile: error: " + status.message());
}

Status vm::compile::checkNoTokenOptions(const std::string &path,
                                        const TokenOptions &options) {
  for (const CLI::Option *option : options.all)
    if (option->count() != 0)
      return complain(
          {Code::Usage,
           fmt::format("{} takes workflows (.workflow.toml, .token.json, .wire "
                       "or .token.mlir), and \"{}\" is none.",
                       option->get_name(), path)});
  return {};
}

//===--- Reading ----------------------------------------------------------===//

static Result<LoadOptions> loadOptions(const TokenOptions &options) {
  auto arguments = mapOfPairs("--arg", options.arguments);
  if (!arguments.ok())
    return arguments.status();
  return LoadOptions{std::move(*arguments), options.seed, options.tokenizer,
                     options.allowOutside};
}

static std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  mlir::token::registerTokenDialect(registry);
  return std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
}

/// What is wrong is printed; the message of that failure is empty.
static Result<Machine> readDialect(const std::string &path) {
  Status failure(Code::BadInput, "");
  auto context = makeContext();
  llvm::SourceMgr sources;
  mlir::gpuvm::DiagnosticPrinter diagnostics(sources, *context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::gpuvm::readModule("gpuvm-compile", path, sources, *context);
  if (!module)
    return failure;
  auto machines = module->getOps<mlir::token::MachineOp>();
  if (llvm::hasSingleElement(machines))
    return mlir::token::readMachine(*machines.begin());
  module->emitError("a file of workflows has one token.machine, not ")
      << llvm::range_size(machines);
  return failure;
}

/// The machine of a file in the dialect, which stands alone: it is one of all
/// workflows already.
static Result<LoadedMachine> loadDialect(const std::vector<std::string> &paths,
                                         const LoadOptions &options) {
  if (paths.size() != 1)
    return Status(Code::Usage,
                  "A .token.mlir is a whole machine: there is nothing to join "
                  "it with.");
  Result<Machine> machine = readDialect(paths.front());
  if (!machine.ok())
    return machine.status();
  Diagnostics diagnostics;
  std::string name = options.tokenizer.empty() ? "bytes" : options.tokenizer;
  std::unique_ptr<Tokenizer> tokenizer =
      makeTokenizer(name, /*folder=*/"", {"command line", {0, 0}}, diagnostics);
  if (!tokenizer)
    return diagnostics.status();
  if (tokenizer->identity() == machine->tokenizer)
    return LoadedMachine{std::move(*machine), std::move(tokenizer), ""};
  diagnostics.error("P16", {paths.front(), {0, 0}},
                    fmt::format("The tokenizer is {}, but that of --tokenizer "
                                "is {}.",
                                machine->tokenizer, tokenizer->identity()));
  return diagnostics.status();
}

static void printWarnings(const std::string &lines) {
  if (!lines.empty())
    llvm::errs() << lines << '\n';
}

Result<LoadedMachine>
vm::compile::readWorkflows(const std::vector<std::string> &paths,
                           const TokenOptions &options) {
  Result<LoadOptions> how = loadOptions(options);
  if (!how.ok())
    return complain(how.status());
  Result<LoadedMachine> loaded = llvm::any_of(paths, isDialect)
                                     ? loadDialect(paths, *how)
                                     : loadMachine(paths, *how);
  if (!loaded.ok())
    return complain(loaded.status());
  printWarnings(loaded->warnings);
  return loaded;
}

//===--- Forms ------------------------------------------------------------===//

/// Forms of a workflow that is not encoded yet.
static Result<std::string> textForm(const std::vector<std::string> &paths,
                                    const TokenOptions &options) {
  const std::string &path = paths.front();
  if (paths.size() != 1)
    return Status(Code::Usage, fmt::format("--emit={} takes one workflow, not "
                                           "{}.",
                                           options.emit, paths.size()));
  if (!path.ends_with(".toml") && !path.ends_with(".wire"))
    return Status(Code::Usage,
                  fmt::format("--emit={} takes a workflow with its texts "
                              "(.workflow.toml or .wire), and \"{}\" has "
                              "tokens.",
                              options.emit, path));
  Result<LoadOptions> how = loadOptions(options);
  if (!how.ok())
    return how.status();
  Result<LoadedWorkflow> loaded = loadWorkflow(path, *how);
  if (!loaded.ok())
    return loaded.status();
  printWarnings(loaded->warnings);
  return options.emit == "wire" ? writeWire(loaded->workflow)
                                : drawWorkflow(loaded->workflow);
}

static std::string dialectText(const Machine &machine) {
  auto context = makeContext();
  auto module = mlir::token::buildModule(*context, machine);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->getBody()->front().print(stream);
  return text + '\n';
}

static Result<std::string> formText(const std::vector<std::string> &paths,
                                    const TokenOptions &options) {
  if (options.emit == "wire" || options.emit == "svg")
    return textForm(paths, options);
  Result<LoadedMachine> loaded = readWorkflows(paths, options);
  if (!loaded.ok())
    return loaded.status();
  return options.emit == "token" ? dialectText(loaded->machine)
                                 : writeTensors(loaded->machine);
}

Status vm::compile::emitForm(const std::vector<std::string> &paths,
                             const std::string &output,
                             const TokenOptions &options) {
  Result<std::string> text = formText(paths, options);
  if (!text.ok())
    return complain(text.status());
  return complain(writeText(output.empty() ? "-" : output, *text));
}

//===--- Plans ------------------------------------------------------------===//

static Limits limitsOf(const Machine &machine, const TokenOptions &options) {
  return {options.budget,
          options.captureTokens.value_or(defaultCaptureTokens(machine)),
          options.answerTokens};
}

Result<TokenEngine> vm::compile::engineFor(const Machine &machine,
                                           const TokenOptions &options) {
  auto files = mlir::token::readModules("gpuvm-compile", options.modules);
  if (!files)
    return Status(Code::BadInput, "");
  TokenEngine engine{"", mlir::token::infosOf(*files)};
  VM_RETURN_IF_ERROR(checkModules(machine, engine.modules));
  Result<PatternAutomaton> automaton = buildAutomaton(machine);
  if (!automaton.ok())
    return complain(automaton.status());
  Limits limits = limitsOf(machine, options);
  EngineSizes needed =
      neededSizes(machine, *automaton, options.streams, limits);
  needed.records = options.record == "tokens";
  addModules(engine.modules, needed);
  VM_RETURN_IF_ERROR(complain(checkRecords(machine, needed)));
  bool hasModel = options.model != "test";
  EngineSizes room = roomFor(needed, limits, hasModel);
  VM_RETURN_IF_ERROR(checkTurn(room, hasModel));
  engine.text = writeEngine(room, hasModel ? modelProgram(options.model) : "",
                            mlir::token::engineModules(*files));
  return engine;
}

Status vm::compile::saveEngine(const std::string &path, const Plan &plan,
                               const LoadedMachine &loaded,
                               const std::vector<ModuleInfo> &modules,
                               const TokenOptions &options, int32_t context) {
  Limits limits = limitsOf(loaded.machine, options);
  limits.context = context;
  auto bytes = encodePlanOfCheckedKernels(plan);
  if (!bytes.ok())
    return bytes.status().withContext(fmt::format("saving \"{}\"", path));
  Result<AtomicFile> sidecar = AtomicFile::create(sidecarPath(path));
  if (!sidecar.ok())
    return sidecar.status();
  VM_RETURN_IF_ERROR(sidecar->write(bytesOf(
      writeSidecar(planIdentity(*bytes), loaded.machine, *loaded.tokenizer,
                   options.streams, limits, modules))));
  VM_RETURN_IF_ERROR(writeFileAtomically(path, *bytes));
  return sidecar->commit(); // All that is likely to fail has been done.
}
