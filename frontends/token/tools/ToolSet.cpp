//===- ToolSet.cpp - the tools of a run -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/tools/ToolSet.h"

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/tools/ToolProcess.h"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

using namespace vm;
using namespace vm::token;

Status ToolSet::checkFree(const std::string &name) const {
  if (!contains(name))
    return Status();
  return Status(Code::Usage,
                fmt::format("The tool \"{}\" is given more than once.", name));
}

Status ToolSet::addCallback(const std::string &name, ToolCallback callback) {
  VM_RETURN_IF_ERROR(checkFree(name));
  try {
    tools_[name] =
        std::make_unique<CallbackTool>(std::move(callback), timeout_, replies_);
  } catch (const std::system_error &) {
    tools_.erase(name);
    return Status(Code::OutOfMemory,
                  fmt::format("The system has no room for a thread - while "
                              "starting the tool \"{}\".",
                              name));
  }
  return Status();
}

Status ToolSet::addProcess(const std::string &name,
                           const std::string &command) {
  VM_RETURN_IF_ERROR(checkFree(name));
  Result<std::unique_ptr<ToolProcess>> process =
      ToolProcess::start(name, command, timeout_, replies_);
  if (!process.ok())
    return process.status();
  tools_[name] = std::move(*process);
  return Status();
}

namespace {

struct Use {
  std::string tool, workflow;
  int32_t zone = 0; ///< The first that asks it.
};

} // namespace

/// Each tool once.
static std::vector<Use> usesOf(const Machine &machine) {
  std::vector<Use> uses;
  for (const WorkflowNames &workflow : machine.workflows)
    for (int32_t z = workflow.entry; z < workflow.entry + workflow.size; ++z) {
      const Zone &zone = machine.zones[z];
      if (!zone.output)
        continue;
      const std::string &tool = workflow.tools[zone.callback];
      if (std::ranges::find(uses, tool, &Use::tool) == uses.end())
        uses.push_back({tool, workflow.name, z});
    }
  return uses;
}

std::vector<std::string> vm::token::usedTools(const Machine &machine) {
  std::vector<std::string> names;
  for (Use &use : usesOf(machine))
    names.push_back(std::move(use.tool));
  return names;
}

Status vm::token::checkTools(const Machine &machine,
                             const std::vector<std::string> &given) {
  Diagnostics diagnostics;
  for (const Use &use : usesOf(machine))
    if (std::ranges::find(given, use.tool) == given.end())
      diagnostics.error(
          "C01", {"command line", {0, 0}},
          fmt::format("Zone {} of workflow {} asks the tool {}, which is not "
                      "given (--tool={}=COMMAND).",
                      use.zone, inQuotes(use.workflow), inQuotes(use.tool),
                      inBrief(use.tool)));
  return diagnostics.status();
}
