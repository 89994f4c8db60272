//===- Dot.cpp - the commands of a plan as a Graphviz graph ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node a command and one edge a dependence. Commands between two barriers
// form a wave and share a cluster: no edge stays inside one.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Hazards.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/plan/Programs.h"
#include "tools/gpuvm-plan/Printing.h"

#include <fmt/format.h>

#include <iterator>

namespace vm::tools {
namespace {

std::string escape(const std::string &text) {
  std::string escaped;
  for (char character : text) {
    if (character == '"' || character == '\\')
      escaped += '\\';
    escaped += character;
  }
  return escaped;
}

/// What a command runs: its kernel, or its op.
std::string subject(const Plan &plan, const Command &command) {
  if (auto *dispatch = std::get_if<Dispatch>(&command.op))
    return fmt::format("{} {}", plan.kernels[dispatch->kernel].name,
                       sizeText(dispatch->groups));
  if (auto *dispatch = std::get_if<DispatchIndirect>(&command.op))
    return plan.kernels[dispatch->kernel].name + " indirect";
  return opName(command);
}

void printNodes(const Plan &plan, std::string &text) {
  auto out = std::back_inserter(text);
  size_t wave = 0;
  fmt::format_to(out, "  subgraph cluster_{0} {{\n    label=\"wave {0}\";\n",
                 wave);
  std::vector<CommandRange> programs = programOfCommands(plan);
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    const Command &command = plan.commands[i];
    bool begins = i > 0 && i == programs[i].begin;
    if (std::holds_alternative<Barrier>(command.op) || begins) {
      ++wave;
      fmt::format_to(
          out, "  }}\n  subgraph cluster_{0} {{\n    label=\"wave {0}\";\n",
          wave);
      if (!begins)
        continue;
    }
    fmt::format_to(out, "    c{} [label=\"{}: {}\\n{}\"];\n", i, i,
                   escape(subject(plan, command)),
                   escape(stageLabel(plan, command)));
  }
  text += "  }\n";
}

} // namespace

Result<std::string> dotText(const Plan &plan) {
  auto edges = findDependences(plan);
  if (!edges.ok())
    return edges.status();
  std::string text = fmt::format("digraph \"{}\" {{\n  node [shape=box];\n",
                                 escape(plan.program));
  printNodes(plan, text);
  for (const BarrierReason &edge : *edges)
    fmt::format_to(std::back_inserter(text),
                   "  c{} -> c{} [label=\"{} {}\"];\n", edge.first, edge.second,
                   toString(edge.kind), windowText(edge.window));
  return text + "}\n";
}

} // namespace vm::tools
