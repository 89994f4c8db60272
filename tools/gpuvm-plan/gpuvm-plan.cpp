//===- gpuvm-plan.cpp - looks into plan files -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line; Printing.h has the rest.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/FileLimit.h"
#include "runtime/base/InputFile.h"
#include "runtime/plan/ManifestJson.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/PlanVersion.h"
#include "runtime/view/PlanDiff.h"
#include "runtime/view/PlanPage.h"
#include "runtime/view/ProfileFile.h"
#include "tools/common/CommandLineText.h"
#include "tools/common/FileKind.h"
#include "tools/common/StandardOutput.h"
#include "tools/common/TextFile.h"
#include "tools/gpuvm-plan/Printing.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

using namespace vm;

static const char *const kHelp =
    R"(Shows what a gpuvm plan file holds.

Example:
  gpuvm-plan show q6.gvplan

A plan is loaded as gpuvm-run loads it: whatever is shown has passed every check
but those of a device. Results are printed on standard output.

Exit codes: 0 ok, 1 diff: the plans differ, 2 usage, 3 bad plan file, 5 timeout,
6 out of memory.)";

namespace {

struct Options {
  std::string path;
  std::string other; ///< Of diff: the plan after `path`.
  std::string format = "text";
  std::string kernel;
  std::string output;
  std::vector<std::string> profiles;
  std::vector<std::string> sources;
  std::string code = "all";
  double timeoutSeconds = 60;

  bool json() const { return format == "json"; }
  Deadline deadline() const {
    return Deadline(static_cast<uint64_t>(timeoutSeconds * 1e9));
  }
};

Result<std::string> show(const Plan &plan, const Options &options) {
  if (options.json())
    return manifestToJson(plan, 2) + "\n";
  return tools::showText(plan);
}

Result<std::string> disassemble(const Plan &plan, const Options &options) {
  return options.json() ? tools::disassembleJson(plan, options.kernel)
                        : tools::disassembleText(plan, options.kernel);
}

Result<std::string> dot(const Plan &plan, const Options &) {
  return tools::dotText(plan);
}

Result<std::string> module(const Plan &plan, const Options &options) {
  if (plan.module.empty())
    return Status(Code::BadInput,
                  fmt::format("The plan \"{}\" carries no module "
                              "(gpuvm-compile --keep-module).",
                              options.path));
  return plan.module;
}

/// The plan has been loaded, so it is valid: what remains is to say so.
Result<std::string> verify(const Plan &plan, const Options &options) {
  if (!options.json())
    return fmt::format("\"{}\" is a valid plan ({} kernels, {} commands).\n",
                       options.path, plan.kernels.size(), plan.commands.size());
  nlohmann::ordered_json object;
  object["valid"] = true;
  return object.dump() + "\n";
}

constexpr uint64_t kMaxTextBytes = 1 << 28; ///< Of a profile or a source.

Result<std::string> readText(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  if (file->sizeBytes() > kMaxTextBytes)
    return Status(Code::BadInput,
                  fmt::format("\"{}\" has {} bytes, more than are read ({}).",
                              path, file->sizeBytes(), kMaxTextBytes));
  std::string text(file->sizeBytes(), '\0');
  VM_RETURN_IF_ERROR(
      file->readAt(0, {reinterpret_cast<uint8_t *>(text.data()), text.size()}));
  return text;
}

std::string fileName(const std::string &path) {
  return std::filesystem::path(path).filename().string();
}

/// Where the page goes unless told: the plan's name, in the current folder.
std::string pagePath(const Options &options) {
  if (!options.output.empty())
    return options.output;
  return std::filesystem::path(options.path).stem().string() + ".html";
}

Result<nlohmann::json> readProfile(const std::string &path, const Plan &plan,
                                   const Options &options) {
  Result<std::string> text = readText(path);
  if (!text.ok())
    return text.status();
  return vm::readProfile(*text, path, plan, options.deadline());
}

Result<std::string> html(const Plan &plan, const Options &options) {
  PageOptions page{.title = fileName(options.path)};
  page.code = {.glsl = options.code != "none", .spirv = options.code == "all"};
  if (!options.profiles.empty()) {
    auto profile = readProfile(options.profiles.front(), plan, options);
    if (!profile.ok())
      return profile.status();
    page.profile = std::move(*profile);
  }
  for (const std::string &path : options.sources) {
    Result<std::string> text = readText(path);
    if (!text.ok())
      return text.status();
    page.sources.push_back({fileName(path), std::move(*text)});
  }
  Result<std::string> text = pageHtml(plan, page, options.deadline());
  if (!text.ok())
    return text;
  std::string path = pagePath(options);
  VM_RETURN_IF_ERROR(writeText(path, *text));
  if (path != "-")
    fmt::print(stderr, "wrote {}\n", path);
  return std::string();
}

using Action = Result<std::string> (*)(const Plan &, const Options &);

int fail(const Status &status) {
  fmt::print(stderr, "gpuvm-plan: error: {}\n", status.message());
  return static_cast<int>(status.code());
}

/// A plan that verify refuses is an answer too, if it is asked for in JSON.
void reportInvalid(const Status &status) {
  nlohmann::ordered_json object;
  object["valid"] = false;
  object["error"] = status.message();
  fmt::print("{}\n",
             object.dump(-1, ' ', /*ensure_ascii=*/false,
                         nlohmann::ordered_json::error_handler_t::replace));
}

Result<Plan> load(const std::string &path, const Options &options) {
  if (std::string advice = programAdvice(path); !advice.empty())
    return Status(Code::BadInput, advice);
  return loadPlan(path, static_cast<uint64_t>(options.timeoutSeconds * 1e9));
}

/// As diff(1): 0 if the plans are the same, 1 if not, more if that cannot be
/// said.
int diff(const Options &options) {
  if (options.profiles.size() == 1)
    return fail(Status(Code::Usage, "--profile is given once, for one of the "
                                    "two plans; times need both."));
  Result<Plan> before = load(options.path, options);
  if (!before.ok())
    return fail(before.status());
  Result<Plan> after = load(options.other, options);
  if (!after.ok())
    return fail(after.status());
  std::vector<nlohmann::json> profiles;
  for (size_t i = 0; i < options.profiles.size(); ++i) {
    auto profile =
        readProfile(options.profiles[i], i == 0 ? *before : *after, options);
    if (!profile.ok())
      return fail(profile.status());
    profiles.push_back(std::move(*profile));
  }
  bool isTimed = !profiles.empty();
  auto found = diffPlans({*before, isTimed ? &profiles[0] : nullptr},
                         {*after, isTimed ? &profiles[1] : nullptr});
  Status printed = printOutput(
      options.json()
          ? found.dump(2, ' ', /*ensure_ascii=*/false,
                       nlohmann::ordered_json::error_handler_t::replace) +
                "\n"
          : diffText(found));
  if (!printed.ok())
    return fail(printed);
  return found["same"].get<bool>() ? 0 : static_cast<int>(Code::WrongResult);
}

int run(Action action, const Options &options) {
  if (!options.other.empty())
    return diff(options);
  Result<Plan> plan = load(options.path, options);
  if (!plan.ok()) {
    if (action == verify && options.json() &&
        plan.status().code() == Code::BadInput)
      reportInvalid(plan.status());
    return fail(plan.status());
  }
  Result<std::string> text = action(*plan, options);
  if (!text.ok())
    return fail(text.status());
  Status printed = printOutput(*text);
  return printed.ok() ? 0 : fail(printed);
}

} // namespace

static int runTool(int argc, char **argv) {
  CLI::App app(kHelp, "gpuvm-plan");
  app.set_version_flag("--version",
                       fmt::format("gpuvm-plan {} (plan format {}.{})",
                                   GPUVM_VERSION, kPlanFormatMajor,
                                   kPlanFormatMinor));
  app.require_subcommand(1);
  Options options;
  Action action = nullptr;
  auto add = [&](const char *name, const char *help, Action what) {
    CLI::App *command = app.add_subcommand(name, help);
    command->add_option("plan", options.path, "The plan file (.gvplan)")
        ->required();
    command
        ->add_option("--timeout", options.timeoutSeconds,
                     "Seconds for reading and checking the plan")
        ->capture_default_str()
        ->check(numberIn(0.001, 1e9));
    command->callback([&action, what] { action = what; });
    return command;
  };
  auto addFormat = [&](CLI::App *command) {
    command->add_option("--format", options.format, "text or json")
        ->capture_default_str()
        ->check(CLI::IsMember({"text", "json"}));
    command->add_flag_callback(
        "--json", [&options] { options.format = "json"; }, "--format=json");
  };
  addFormat(add("show",
                "Windows, kernels, commands, and the reason of each barrier",
                show));
  addFormat(add("verify", "Check a plan and say whether it is valid", verify));
  CLI::App *code =
      add("disassemble", "SPIR-V and GLSL of the kernels", disassemble);
  addFormat(code);
  code->add_option("--kernel", options.kernel, "Only the kernel of this name");
  CLI::App *page =
      add("html", "The plan as one page, to look at with a browser", html);
  page->add_option("-o,--output", options.output,
                   "The page; - is standard output. Default: the plan's name "
                   "with .html, in the current folder");
  page->add_option("--profile", options.profiles,
                   "Times of the device: what gpuvm-run --profile=json prints")
      ->expected(1);
  page->add_option("--source", options.sources,
                   "A file that the plan was compiled from, to show its lines; "
                   "may be repeated");
  page->add_option("--code", options.code,
                   "Texts of the kernels: all, glsl (without SPIR-V assembly, "
                   "which is most of a large page) or none")
      ->capture_default_str()
      ->check(CLI::IsMember({"all", "glsl", "none"}));
  CLI::App *difference =
      add("diff", "What is different in two plans, with the exit codes of diff",
          nullptr);
  difference->add_option("other", options.other, "The plan to compare it with")
      ->required();
  difference
      ->add_option("--profile", options.profiles,
                   "Given twice: the profile of the first plan, and of the "
                   "other, to compare times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  addFormat(difference);
  add("dot", "Commands and dependences as a Graphviz graph", dot);
  add("module", "The MLIR module that the plan was made of, if it carries it",
      module);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return lacksCommand(app, error)
               ? fail(Status(
                     Code::Usage,
                     "What to do is missing: show, verify, "
                     "disassemble, html, diff, dot or module, before the plan "
                     "file (gpuvm-plan --help says more)."))
               : answer(app, error);
  }
  return run(action, options);
}

int main(int argc, char **argv) {
  surviveFileLimit();
  try {
    return runTool(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fputs("gpuvm-plan: error: The host has no memory left.\n", stderr);
    return static_cast<int>(Code::OutOfMemory);
  }
}
