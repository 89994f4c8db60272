//===- LoadMachine.cpp - a machine from files of any form -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/files/LoadMachine.h"

#include "frontends/SourceText.h"
#include "frontends/token/forms/Wire.h"
#include "frontends/token/machine/Concatenate.h"
#include "frontends/token/machine/EncodeWorkflow.h"
#include "frontends/token/machine/NamedTokenizer.h"
#include "frontends/token/machine/TensorJson.h"
#include "frontends/token/text/ReadWorkflow.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

namespace {

enum class Form { Workflow, Wire, Tensors, Unknown };

Form formOf(const std::string &path) {
  if (path.ends_with(".toml"))
    return Form::Workflow;
  if (path.ends_with(".wire"))
    return Form::Wire;
  return path.ends_with(".token.json") ? Form::Tensors : Form::Unknown;
}

const Place kOption = {"command line", {0, 0}};

std::string nameOf(const LoadOptions &options) {
  return options.tokenizer.empty() ? "bytes" : options.tokenizer;
}

/// What becomes of the files, one after the other.
class Loader {
public:
  explicit Loader(const LoadOptions &options) : options_(options) {}

  Result<LoadedMachine> load(const std::vector<std::string> &paths);

private:
  bool makeOptionTokenizer();
  void add(const std::string &path);
  Result<MachinePart> encode(const std::string &path);
  Result<MachinePart> readTensorFile(const std::string &path) const;
  Status checkTokenizer(const MachinePart &part) const;
  void note(std::string &lines, const std::string &more) {
    lines += lines.empty() || more.empty() ? more : '\n' + more;
  }

  const LoadOptions &options_;
  std::unique_ptr<Tokenizer> option_;    ///< That of the option, or `bytes`.
  std::unique_ptr<Tokenizer> tokenizer_; ///< That of the first workflow.
  std::vector<MachinePart> parts_;
  std::string errors_, warnings_;
};

} // namespace

static Result<std::string> readText(const std::string &path) {
  Result<std::string> text = readSourceText(path);
  if (text.ok())
    return text;
  Diagnostics diagnostics;
  diagnostics.error("P02", {path, {0, 0}}, text.status().message());
  return diagnostics.status();
}

static Result<LoadedWorkflow> loadWire(const std::string &path,
                                       const LoadOptions &options) {
  Result<std::string> text = readText(path);
  if (!text.ok())
    return text.status();
  Result<SampledWorkflow> workflow = readWire(*text, path);
  if (!workflow.ok())
    return workflow.status();
  workflow->tokenizer = nameOf(options);
  return LoadedWorkflow{std::move(*workflow), "", ""};
}

Result<LoadedWorkflow> vm::token::loadWorkflow(const std::string &path,
                                               const LoadOptions &options) {
  if (formOf(path) == Form::Wire)
    return loadWire(path, options);
  Diagnostics diagnostics;
  std::optional<SampledWorkflow> workflow = readWorkflow(
      path, options.arguments, options.seed, diagnostics, options.allowOutside);
  if (!workflow)
    return diagnostics.status();
  return LoadedWorkflow{std::move(*workflow), folderOf(path),
                        diagnostics.warnings()};
}

//===--- One file ---------------------------------------------------------===//

Result<MachinePart> Loader::encode(const std::string &path) {
  Result<LoadedWorkflow> loaded = loadWorkflow(path, options_);
  if (!loaded.ok())
    return loaded.status();
  const SampledWorkflow &workflow = loaded->workflow;
  Diagnostics diagnostics;
  bool isOption = formOf(path) == Form::Wire || workflow.tokenizer.empty();
  std::unique_ptr<Tokenizer> tokenizer =
      isOption
          ? makeTokenizer(nameOf(options_), /*folder=*/"", kOption, diagnostics)
          : makeTokenizer(workflow.tokenizer, loaded->folder, workflow.place,
                          diagnostics,
                          options_.allowOutside ? PathBounds()
                                                : PathBounds(loaded->folder));
  if (!tokenizer)
    return diagnostics.status();
  std::optional<Machine> machine =
      encodeWorkflow(workflow, *tokenizer, diagnostics);
  if (!machine)
    return diagnostics.status();
  note(warnings_, loaded->warnings);
  note(warnings_, diagnostics.warnings());
  if (!tokenizer_)
    tokenizer_ = std::move(tokenizer);
  return MachinePart{
      std::move(*machine), {path, {0, 0}}, workflow.tokenizerPlace};
}

/// Its tokens are those of the option's tokenizer.
Result<MachinePart> Loader::readTensorFile(const std::string &path) const {
  Result<std::string> text = readText(path);
  if (!text.ok())
    return text.status();
  Result<Machine> machine = readTensors(*text, path);
  if (!machine.ok())
    return machine.status();
  machine->tokenizer = option_->identity();
  if (machine->matchesText())
    machine->tokenTexts = option_->texts();
  return MachinePart{std::move(*machine), {path, {0, 0}}};
}

/// P16 where it is not the option's. Tensors may have more tokens than that.
Status Loader::checkTokenizer(const MachinePart &part) const {
  const Machine &machine = part.machine;
  bool fits = machine.tokenizer == option_->identity() &&
              machine.padding == option_->padding() &&
              machine.vocabulary >= option_->vocabulary();
  if (fits || options_.tokenizer.empty())
    return Status();
  Diagnostics diagnostics;
  diagnostics.error(
      "P16", part.placeOfTokenizer(),
      fmt::format("The tokenizer is {} ({} tokens, padding {}), but that of "
                  "--tokenizer is {} ({} tokens, padding {}).",
                  machine.tokenizer, machine.vocabulary, machine.padding,
                  option_->identity(), option_->vocabulary(),
                  option_->padding()));
  return diagnostics.status();
}

void Loader::add(const std::string &path) {
  Result<MachinePart> part =
      formOf(path) == Form::Tensors ? readTensorFile(path) : encode(path);
  Status status = part.ok() ? checkTokenizer(*part) : part.status();
  if (status.ok())
    parts_.push_back(std::move(*part));
  else
    note(errors_, status.message());
}

//===--- All files --------------------------------------------------------===//

bool Loader::makeOptionTokenizer() {
  Diagnostics diagnostics;
  option_ =
      makeTokenizer(nameOf(options_), /*folder=*/"", kOption, diagnostics);
  note(errors_, diagnostics.status().message());
  return option_ != nullptr;
}

Result<LoadedMachine> Loader::load(const std::vector<std::string> &paths) {
  if (!makeOptionTokenizer())
    return Status(Code::BadInput, errors_);
  for (const std::string &path : paths)
    add(path);
  if (!errors_.empty())
    return Status(Code::BadInput, errors_);
  Diagnostics diagnostics;
  std::optional<Machine> machine = concatenate(std::move(parts_), diagnostics);
  if (!machine)
    return diagnostics.status();
  note(warnings_, diagnostics.warnings());
  if (!tokenizer_)
    tokenizer_ = std::move(option_);
  return LoadedMachine{std::move(*machine), std::move(tokenizer_),
                       std::move(warnings_)};
}

Result<LoadedMachine>
vm::token::loadMachine(const std::vector<std::string> &paths,
                       const LoadOptions &options) {
  if (paths.empty())
    return Status(Code::Usage, "No input is given.");
  for (const std::string &path : paths)
    if (formOf(path) == Form::Unknown)
      return Status(Code::Usage,
                    fmt::format("The input \"{}\" is neither .workflow.toml "
                                "nor .wire nor .token.json.",
                                path));
  return Loader(options).load(paths);
}
