//===- TokenFrontEnd.cpp - workflows of the token-stream VM ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Diagnostics.h"
#include "compiler/ReadModule.h"
#include "frontends/compile/FrontEnd.h"
#include "frontends/llm/lowering/Lowering.h"
#include "frontends/llm/lowering/StreamModel.h"
#include "frontends/token/compile/TokenModel.h"
#include "frontends/token/dialect/TokenModule.h"
#include "frontends/token/engine/EngineModule.h"
#include "frontends/token/engine/EngineText.h"
#include "frontends/token/files/LoadMachine.h"
#include "frontends/token/files/Sidecar.h"
#include "frontends/token/forms/Picture.h"
#include "frontends/token/forms/Wire.h"
#include "frontends/token/machine/NamedTokenizer.h"
#include "frontends/token/machine/TensorJson.h"
#include "frontends/token/modules/ModuleFile.h"
#include "frontends/token/reference/Reference.h"
#include "runtime/plan/Container.h"
#include "runtime/plan/PlanFile.h"
#include "tools/common/CommandLineText.h"
#include "tools/common/TextFile.h"

#include "dialects/gpuvm/LinkPrograms.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;
using mlir::gpuvm::CompileRequest;
using mlir::gpuvm::CompilerOptions;
using mlir::gpuvm::FrontEndInput;

namespace {
/// What the command line says.
struct TokenOptions {
  int32_t streams = 64, budget = 4096, answerTokens = 1024;
  std::optional<int32_t> captureTokens; ///< The largest timeout of an output.
  std::vector<std::string> arguments;   ///< NAME=VALUE
  uint64_t seed = 0;                    ///< Of what resources draw.
  std::string tokenizer;                ///< "" = as the inputs say, or bytes.
  bool allowOutside = false;            ///< Of a workflow's folder.
  std::string model = "test";
  std::optional<int32_t> modelRows; ///< Nothing: kDefaultRows, or the streams.
  std::string modelProducts = "f16";
  std::string record = "tokens";
  std::vector<std::string> modules; ///< STAGE:FILE
  std::string emit; ///< A form to write instead of a plan; or empty.
  std::vector<const CLI::Option *> all; ///< The options of these.

  bool hasModel() const { return model != "test"; }
};

constexpr llvm::StringLiteral kEngineFile = "token-engine.mlir";

/// Rows of a language model, unless there are more streams.
constexpr int32_t kDefaultRows = 16;

/// A language model as the model of streams.
struct LanguageModel {
  llm::GgufFile file;
  llm::Model model;
};

/// An engine with room for a machine, and the modules in it.
class TokenInput : public FrontEndInput {
public:
  TokenInput(LoadedMachine loaded, std::vector<ModuleInfo> modules,
             const TokenOptions &options)
      : loaded(std::move(loaded)), modules(std::move(modules)),
        options(options) {}
  void prepare(CompilerOptions &compiler, CompileRequest &request) override;
  Status problem() const override { return checked; }
  const Machine &machine() const { return loaded.machine; }
  Status save(llvm::ArrayRef<uint8_t> plan, const std::string &path) override;

  std::string engine; ///< Its program, as `text`.
  std::optional<LanguageModel> language;
  int32_t shown = 0; ///< Tokens of a stream that the model sees at a time.

private:
  mlir::OwningOpRef<mlir::ModuleOp>
  readWithModel(mlir::MLIRContext &context) const;

  LoadedMachine loaded;
  std::vector<ModuleInfo> modules;
  const TokenOptions &options;
  int32_t context = INT32_MAX; ///< How many tokens of a stream the model sees.
  Status checked;              ///< Whether the model suits.
};

class TokenFrontEnd : public mlir::gpuvm::FrontEnd {
public:
  mlir::gpuvm::FrontEndHelp help() const override {
    return {.sources = "workflows of the token-stream VM (.workflow.toml, "
                       ".token.json, .wire or .token.mlir)",
            .example = "gpuvm-compile chat.workflow.toml -o chat.gvplan "
                       "--streams=64 --budget=4096",
            .output = "The plan of workflows has room for any like them: they "
                      "are in the file\nPLAN.token.json next to it, which "
                      "gpuvm-token run reads."};
  }
  void registerDialects(mlir::DialectRegistry &registry) const override {
    mlir::token::registerTokenDialect(registry);
  }
  void addOptions(CLI::App &app) override;
  bool readsSeveral(llvm::StringRef path) const override;
  Status checkUsed(const CLI::App &app) const override;
  Status checkUnused(llvm::StringRef path) const override;
  bool makesNoPlan() const override { return !options.emit.empty(); }
  Status writeForm(const std::vector<std::string> &paths,
                   const std::string &output) const override;
  Result<std::unique_ptr<FrontEndInput>>
  readFiles(const std::vector<std::string> &paths) const override;

private:
  TokenOptions options;
};
} // namespace

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

void TokenFrontEnd::addOptions(CLI::App &app) {
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
                        "bytes, greedy:FILE or gguf:FILE, of what names none: "
                        "tensors, wire forms, some workflows. Default: that of "
                        "the language model, or bytes")
           ->type_name("NAME"));
  keep(group->add_flag("--allow-outside", options.allowOutside,
                       "Let a workflow name prompts and a tokenizer that are "
                       "not in its folder or below"));
  keep(group
           ->add_option("--model", options.model,
                        "What proposes tokens: test (the model for tests), a "
                        "program of an MLIR file or of a plan made with "
                        "--keep-module, or a language model")
           ->type_name("test|FILE#PROGRAM|FILE.gguf")
           ->check(CLI::Validator(checkModelName, "")));
  keep(group
           ->add_option("--model-rows", options.modelRows,
                        "Tokens of all streams together that a language model "
                        "computes at a time. Default: 16, or as many as there "
                        "are streams")
           ->check(countIn(2, 4096)));
  keep(group
           ->add_option("--model-products", options.modelProducts,
                        "f16 (the default) or f32, as of --llm-products")
           ->check(CLI::IsMember({"f16", "f32"})));
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

static bool isDialect(llvm::StringRef path) {
  return path.ends_with(".token.mlir");
}

bool TokenFrontEnd::readsSeveral(llvm::StringRef path) const {
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

Status TokenFrontEnd::checkUnused(llvm::StringRef path) const {
  for (const CLI::Option *option : options.all)
    if (option->count() != 0)
      return complain(
          {Code::Usage,
           fmt::format("{} takes workflows (.workflow.toml, .token.json, .wire "
                       "or .token.mlir), and \"{}\" is none.",
                       option->get_name(), path.str())});
  return {};
}

/// Options that only programs of gpuvm have a use for.
Status TokenFrontEnd::checkUsed(const CLI::App &app) const {
  auto refuse = [&](std::initializer_list<const char *> names,
                    const char *why) -> Status {
    for (const char *name : names)
      if (app.get_option(name)->count() != 0)
        return complain(Status(Code::Usage, fmt::format("{} {}.", name, why)));
    return {};
  };
  VM_RETURN_IF_ERROR(refuse({"--program", "--link"},
                            "takes a program, and workflows are none"));
  if (!makesNoPlan())
    return {};
  return refuse({"--report", "--dump-phases-to", "--statistics",
                 "--keep-module", "--module"},
                "says what becomes of a plan, and --emit makes none");
}

//===--- Reading ----------------------------------------------------------===//

static Result<LoadOptions> loadOptions(const TokenOptions &options) {
  auto arguments = mapOfPairs("--arg", options.arguments);
  if (!arguments.ok())
    return arguments.status();
  bool isModels = options.tokenizer.empty() && isModelFile(options.model);
  return LoadOptions{std::move(*arguments), options.seed,
                     isModels ? "gguf:" + options.model : options.tokenizer,
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
  if (machine->matchesText())
    machine->tokenTexts = tokenizer->texts();
  if (tokenizer->identity() == machine->tokenizer)
    return LoadedMachine{std::move(*machine), std::move(tokenizer), ""};
  diagnostics.error("P16", {paths.front(), {0, 0}},
                    fmt::format("The tokenizer is {}, but that of --tokenizer "
                                "is {}.",
                                machine->tokenizer, tokenizer->identity()));
  return diagnostics.status();
}

/// Warnings are printed.
static Result<LoadedMachine>
readWorkflows(const std::vector<std::string> &paths,
              const TokenOptions &options) {
  Result<LoadOptions> how = loadOptions(options);
  if (!how.ok())
    return complain(how.status());
  Result<LoadedMachine> loaded = llvm::any_of(paths, isDialect)
                                     ? loadDialect(paths, *how)
                                     : loadMachine(paths, *how);
  if (!loaded.ok())
    return complain(loaded.status());
  mlir::gpuvm::printWarning(loaded->warnings);
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
  mlir::gpuvm::printWarning(loaded->warnings);
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

Status TokenFrontEnd::writeForm(const std::vector<std::string> &paths,
                                const std::string &output) const {
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

/// Its tokens must be those of the workflows, padding aside.
static Result<LanguageModel> readLanguageModel(const std::string &path,
                                               const Machine &machine) {
  Result<llm::GgufFile> file = llm::GgufFile::open(path);
  if (!file.ok())
    return file.status();
  Result<llm::Model> model = llm::readModel(*file);
  if (!model.ok())
    return model.status();
  VM_RETURN_IF_ERROR(mlir::llm::checkTypes(*file, *model));
  if (machine.vocabulary < int64_t(model->vocabulary))
    return Status(Code::BadInput,
                  fmt::format("The language model has {} tokens, and the "
                              "tokenizer ({}) {} (--tokenizer).",
                              model->vocabulary, machine.tokenizer,
                              machine.vocabulary));
  return LanguageModel{std::move(*file), std::move(*model)};
}

Result<std::unique_ptr<FrontEndInput>>
TokenFrontEnd::readFiles(const std::vector<std::string> &paths) const {
  Result<LoadedMachine> loaded = readWorkflows(paths, options);
  if (!loaded.ok())
    return loaded.status();
  const Machine &machine = loaded->machine;
  auto files = mlir::token::readModules("gpuvm-compile", options.modules);
  if (!files)
    return Status(Code::BadInput, "");
  std::vector<ModuleInfo> modules = mlir::token::infosOf(*files);
  VM_RETURN_IF_ERROR(checkModules(machine, modules));
  Result<PatternAutomaton> automaton = buildAutomaton(machine);
  if (!automaton.ok())
    return complain(automaton.status());
  Limits limits = limitsOf(machine, options);
  EngineSizes needed =
      neededSizes(machine, *automaton, options.streams, limits);
  needed.records = options.record == "tokens";
  addModules(modules, needed);
  VM_RETURN_IF_ERROR(complain(checkRecords(machine, needed)));
  bool isLanguage = isModelFile(options.model);
  std::optional<int32_t> modelSteps;
  if (options.hasModel())
    modelSteps = isLanguage ? kStepsWithLanguageModel : kStepsWithModel;
  EngineSizes room = roomFor(needed, limits, modelSteps);
  std::string engine =
      writeEngine(room, options.hasModel() ? modelProgram(options.model) : "",
                  mlir::token::engineModules(*files));
  auto input = std::make_unique<TokenInput>(std::move(*loaded),
                                            std::move(modules), options);
  input->text = llvm::MemoryBuffer::getMemBufferCopy(engine, kEngineFile);
  input->engine = std::move(engine);
  input->shown = room.steps;
  if (isLanguage) {
    Result<LanguageModel> model =
        readLanguageModel(options.model, input->machine());
    if (!model.ok())
      return complain(model.status());
    input->language.emplace(std::move(*model));
  }
  return std::unique_ptr<FrontEndInput>(std::move(input));
}

/// The engine, and the program of the language model.
mlir::OwningOpRef<mlir::ModuleOp>
TokenInput::readWithModel(mlir::MLIRContext &context) const {
  int32_t rows =
      options.modelRows.value_or(std::max(kDefaultRows, options.streams));
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(engine, &context, kEngineFile);
  mlir::OwningOpRef<mlir::ModuleOp> part =
      mlir::llm::buildStreamModel(context, language->file, language->model,
                                  {.program = modelProgram(options.model),
                                   .streams = options.streams,
                                   .shown = shown,
                                   .rows = rows,
                                   .context = std::max(options.budget, 1),
                                   .halves = options.modelProducts == "f16"});
  if (!module || !part || failed(mlir::gpuvm::addPrograms(*module, *part)))
    return nullptr;
  return module;
}

void TokenInput::prepare(CompilerOptions &, CompileRequest &request) {
  if (!options.hasModel())
    return;
  if (language) {
    if (uint32_t trained = language->model.trainedContext)
      checked = checkContext(
          {.budget = options.budget,
           .context = int32_t(std::min<uint32_t>(trained, INT32_MAX))});
    request.read = [this](mlir::MLIRContext &context) {
      return checked.ok() ? readWithModel(context)
                          : mlir::OwningOpRef<mlir::ModuleOp>();
    };
  } else {
    request.linked.push_back(modelFile(options.model));
  }
  request.check = [this](mlir::ModuleOp module) {
    std::optional<int32_t> tokens = readContext(module, options.model);
    if (!tokens)
      return mlir::failure();
    context = *tokens;
    checked = checkContext({.budget = options.budget, .context = *tokens});
    return mlir::success(checked.ok());
  };
}

/// The plan and the file next to it (frontends/token/files/Sidecar.h); both, or
/// none.
Status TokenInput::save(llvm::ArrayRef<uint8_t> plan, const std::string &path) {
  if (path.empty())
    return {};
  Limits limits = limitsOf(loaded.machine, options);
  limits.context = context;
  Result<AtomicFile> sidecar = AtomicFile::create(sidecarPath(path));
  if (!sidecar.ok())
    return sidecar.status();
  VM_RETURN_IF_ERROR(sidecar->write(bytesOf(
      writeSidecar(planIdentity(plan), loaded.machine, *loaded.tokenizer,
                   options.streams, limits, modules))));
  VM_RETURN_IF_ERROR(FrontEndInput::save(plan, path));
  return sidecar->commit(); // All that is likely to fail has been done.
}

namespace mlir::gpuvm {
std::unique_ptr<FrontEnd> createTokenFrontEnd() {
  return std::make_unique<TokenFrontEnd>();
}
} // namespace mlir::gpuvm
