//===- TokenApi.cpp - vmt_... of gpuvm-models.h ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/models/Handle.h"
#include "frontends/models/WorkflowPlan.h"
#include "frontends/token/engine/EngineRun.h"
#include "frontends/token/files/LoadMachine.h"
#include "frontends/token/reference/Model.h"
#include "frontends/token/reference/Reference.h"
#include "frontends/token/reference/Report.h"
#include "frontends/token/reference/Resolver.h"
#include "frontends/token/reference/Wrapper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

using namespace vm;
using namespace vm::models;
using namespace vm::token;

/// A plan, or a machine for the reference; and tools.
struct gpuvm_workflows {
  std::optional<WorkflowPlan> plan;
  LoadedMachine loaded; ///< Of the reference.
  std::unique_ptr<Model> model;
  EngineRunOptions runOptions;
  ReferenceOptions referenceOptions;
  std::chrono::milliseconds toolTimeout = kDefaultToolTimeout;
  std::vector<std::string> used;
  /// Each adds its tool to the set of a run.
  std::map<std::string, std::function<Status(ToolSet &)>> tools;

  std::mutex inUse;               ///< By a run.
  std::unique_ptr<Engine> engine; ///< Of the last run.
  std::atomic<bool> isCancelled = false;
  RunOutcome outcome;
  std::string report, text;

  const Machine &machine() const {
    return plan ? plan->sidecar.machine : loaded.machine;
  }
  const Tokenizer &tokenizer() const {
    return plan ? *plan->sidecar.tokenizer : *loaded.tokenizer;
  }
};

struct gpuvm_tool_reply {
  std::string text;
};

static Status nullPointer(const char *what) {
  return {Code::Usage, fmt::format("The {} is a null pointer.", what)};
}

//===--- Opening ----------------------------------------------------------===//

const char *vmt_last_error(void) { return lastError().c_str(); }

void vmt_options_init(gpuvm_workflow_options *options) {
  if (!options)
    return;
  *options = {};
  options->struct_bytes = sizeof *options;
  options->tool_timeout_ms = static_cast<uint32_t>(kDefaultToolTimeout.count());
}

/// NAME=VALUE.
static Result<std::map<std::string, std::string>>
argumentsOf(const gpuvm_workflow_options &options) {
  std::map<std::string, std::string> arguments;
  for (const std::string &pair :
       textsOf(options.arguments, options.num_arguments)) {
    size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      return Status(Code::Usage,
                    fmt::format("The argument \"{}\" is no NAME=VALUE.", pair));
    if (!arguments.emplace(pair.substr(0, equals), pair.substr(equals + 1))
             .second)
      return Status(Code::Usage, fmt::format("The argument \"{}\" is given "
                                             "twice.",
                                             pair.substr(0, equals)));
  }
  return arguments;
}

static Status checkNumbers(const gpuvm_workflow_options &options) {
  for (auto [name, number] : {std::pair("streams", options.streams),
                              {"budget", options.budget},
                              {"capture_tokens", options.capture_tokens},
                              {"answer_tokens", options.answer_tokens}})
    if (number < 0)
      return {Code::Usage,
              fmt::format("{} is {} (at least 0 is possible).", name, number)};
  return {};
}

static Status openOnDevice(const gpuvm_workflow_options &options,
                           LoadOptions load, gpuvm_workflows &made) {
  Result<WorkflowPlan> plan = openWorkflowPlan(
      {textOf(options.plan), textsOf(options.inputs, options.num_inputs),
       std::move(load), textOf(options.model), deviceOf(options.place)});
  if (!plan.ok())
    return plan.status();
  made.plan = std::move(*plan);
  const Sidecar &sidecar = made.plan->sidecar;
  EngineRunOptions &how = made.runOptions;
  how.streams = options.streams ? options.streams : sidecar.streams;
  how.limits = sidecar.limits;
  if (options.budget)
    how.limits.budget = options.budget;
  how.modelSeed = options.model_seed;
  how.modules = sidecar.modules;
  return {};
}

static Status openReference(const gpuvm_workflow_options &options,
                            const LoadOptions &load, gpuvm_workflows &made) {
  Result<LoadedMachine> loaded =
      loadMachine(textsOf(options.inputs, options.num_inputs), load);
  if (!loaded.ok())
    return loaded.status();
  made.loaded = std::move(*loaded);
  const Machine &machine = made.loaded.machine;
  Result<std::unique_ptr<Model>> model =
      makeTestModel(machine, options.model_seed);
  if (!model.ok())
    return model.status();
  made.model = std::move(*model);
  ReferenceOptions &how = made.referenceOptions;
  how.streams =
      options.streams ? options.streams : int32_t(machine.workflows.size());
  if (options.budget)
    how.limits.budget = options.budget;
  how.limits.captureTokens = options.capture_tokens
                                 ? options.capture_tokens
                                 : defaultCaptureTokens(machine);
  if (options.answer_tokens)
    how.limits.answerTokens = options.answer_tokens;
  how.threads =
      std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
  return {};
}

static Status open(const gpuvm_workflow_options &options,
                   gpuvm_workflows &made) {
  VM_RETURN_IF_ERROR(checkNumbers(options));
  auto arguments = argumentsOf(options);
  if (!arguments.ok())
    return arguments.status();
  LoadOptions load = {std::move(*arguments), options.seed,
                      textOf(options.tokenizer), options.allow_outside != 0};
  if (options.plan && *options.plan)
    VM_RETURN_IF_ERROR(openOnDevice(options, std::move(load), made));
  else if (options.num_inputs == 0)
    return {Code::Usage, "Neither a plan nor a workflow is given."};
  else
    VM_RETURN_IF_ERROR(openReference(options, load, made));
  made.toolTimeout = std::chrono::milliseconds(options.tool_timeout_ms);
  made.used = usedTools(made.machine());
  return {};
}

int vmt_open(const gpuvm_workflow_options *options,
             gpuvm_workflows **workflows) {
  return guard([&]() -> Status {
    if (!workflows)
      return nullPointer("place of the workflows");
    *workflows = nullptr;
    auto full = widen(options, vmt_options_init);
    if (!full.ok())
      return full.status();
    auto made = std::make_unique<gpuvm_workflows>();
    VM_RETURN_IF_ERROR(open(*full, *made));
    *workflows = made.release();
    return {};
  });
}

void vmt_close(gpuvm_workflows *workflows) {
  if (workflows)
    std::unique_lock lock(workflows->inUse);
  delete workflows;
}

const char *vmt_warnings(gpuvm_workflows *workflows) {
  if (!workflows)
    return "";
  return workflows->plan ? workflows->plan->warnings.c_str()
                         : workflows->loaded.warnings.c_str();
}

//===--- Tools ------------------------------------------------------------===//

const char *vmt_tool(gpuvm_workflows *workflows, size_t index) {
  return workflows && index < workflows->used.size()
             ? workflows->used[index].c_str()
             : nullptr;
}

void vmt_reply(gpuvm_tool_reply *reply, const char *text, size_t bytes) {
  if (reply && (text || bytes == 0))
    reply->text.assign(text ? text : "", bytes);
}

static Status addTool(gpuvm_workflows *workflows, const char *name,
                      std::function<Status(ToolSet &)> add) {
  if (!workflows || !name)
    return nullPointer(workflows ? "name" : "handle of the workflows");
  if (std::ranges::find(workflows->used, name) == workflows->used.end())
    return {
        Code::Usage,
        fmt::format("No zone asks a tool \"{}\" (tools: {}).", name,
                    workflows->used.empty()
                        ? "none"
                        : fmt::format("{}", fmt::join(workflows->used, ", ")))};
  workflows->tools[name] = std::move(add);
  return {};
}

int vmt_add_tool(gpuvm_workflows *workflows, const char *name,
                 gpuvm_tool_function function, void *user) {
  return guard([&] {
    if (!function)
      return nullPointer("tool");
    auto call = [=](const std::string &text) {
      gpuvm_tool_reply reply;
      int failed = function(user, text.c_str(), text.size(), &reply);
      return failed ? ToolReply::error(std::move(reply.text))
                    : ToolReply::answer(std::move(reply.text));
    };
    return addTool(workflows, name, [call, own = textOf(name)](ToolSet &tools) {
      return tools.addCallback(own, call);
    });
  });
}

int vmt_add_command(gpuvm_workflows *workflows, const char *name,
                    const char *command) {
  return guard([&] {
    if (!command)
      return nullPointer("command");
    return addTool(workflows, name,
                   [own = textOf(name), line = textOf(command)](
                       ToolSet &tools) { return tools.addProcess(own, line); });
  });
}

//===--- Runs -------------------------------------------------------------===//

static Status makeEngine(gpuvm_workflows &own) {
  own.engine.reset();
  if (!own.plan) {
    auto made =
        Reference::create(own.loaded.machine, *own.model, own.referenceOptions);
    if (!made.ok())
      return made.status();
    own.engine = std::move(*made);
    return {};
  }
  auto made = EngineRun::create(own.plan->plan, own.plan->sidecar.machine,
                                own.runOptions);
  if (!made.ok())
    return made.status();
  own.engine = std::move(*made);
  return {};
}

/// Tools of a run are its own: replies that come later are dropped.
static Status run(gpuvm_workflows &own, const std::function<bool()> &goesOn) {
  std::vector<std::string> given;
  for (const auto &[name, add] : own.tools)
    given.push_back(name);
  VM_RETURN_IF_ERROR(checkTools(own.machine(), given));
  ToolSet tools(own.toolTimeout);
  for (const auto &[name, add] : own.tools)
    VM_RETURN_IF_ERROR(add(tools));
  VM_RETURN_IF_ERROR(makeEngine(own));
  auto outcome = runToEnd(*own.engine, tools, own.tokenizer(), goesOn);
  if (!outcome.ok())
    return outcome.status();
  own.outcome = std::move(*outcome);
  own.report = reportText(*own.engine, own.tokenizer(), own.outcome.requests);
  return {};
}

int vmt_run(gpuvm_workflows *workflows, int (*look)(void *user), void *user,
            const char **report) {
  return guard([&] {
    if (!workflows || !report)
      return nullPointer(workflows ? "place of the report"
                                   : "handle of the workflows");
    std::unique_lock lock(workflows->inUse);
    workflows->isCancelled = false;
    Status status = run(*workflows, [&] {
      bool goesOn = !look || look(user) == 0;
      return goesOn && !workflows->isCancelled;
    });
    if (status.ok())
      *report = workflows->report.c_str();
    return status;
  });
}

void vmt_cancel(gpuvm_workflows *workflows) {
  guard([&] {
    if (!workflows)
      return Status();
    workflows->isCancelled = true;
    constexpr uint64_t kGraceMs = 250;
    return workflows->plan ? workflows->plan->plan.cancel(kGraceMs) : Status();
  });
}

int vmt_stream(gpuvm_workflows *workflows, int32_t stream,
               gpuvm_stream_state *state) {
  return guard([&] {
    if (!workflows)
      return nullPointer("handle of the workflows");
    if (!workflows->engine)
      return Status(Code::Usage, "The workflows have not run yet.");
    const Engine &engine = *workflows->engine;
    if (stream < 0 || stream >= engine.streams())
      return Status(Code::Usage,
                    fmt::format("There is no stream {} (there are {}, counted "
                                "from 0).",
                                stream, engine.streams()));
    workflows->text = Wrapper(engine, workflows->tokenizer()).text(stream);
    Engine::Position position = engine.position(stream);
    gpuvm_stream_state full = {};
    full.status = toString(engine.status(stream));
    full.zone = position.zone;
    full.token_number = position.tokenNumber;
    full.text = workflows->text.c_str();
    full.text_bytes = workflows->text.size();
    return fill(state, full);
  });
}

const char *vmt_failure(gpuvm_workflows *workflows, size_t index) {
  return workflows && index < workflows->outcome.failures.size()
             ? workflows->outcome.failures[index].c_str()
             : nullptr;
}
