//===- ProgramText.cpp - phases in their modes: the gpuvm program ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/ProgramText.h"

#include "frontends/engine/TextTemplate.h"
#include "frontends/linear/modes/LaunchText.h"
#include "frontends/linear/modes/SignatureText.h"
#include "frontends/linear/modes/Templates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace vm;
using namespace vm::linear;

namespace {
/// Where a machine stands that is FREE (CompiledLaunch).
constexpr uint32_t kFreeMachine = 5 << 24;

/// A phase that is compiled, or faithful ones that follow each other. Of phase
/// number N, `%l.memory.N` is what it begins with, `%l.go.N` whether it runs,
/// `%l.x.N` and `%l.w.N` the machines that there were before (of the first
/// phase only the memory), and `%l.counts.N` are the step's rows of counts.
struct Step {
  size_t phase = 0, phases = 1;
  const CompiledPhase *code = nullptr; ///< Null where it is faithful.

  size_t end() const { return phase + phases; }
  std::string countsType() const {
    return fmt::format("tensor<{}x6xi64>", phases);
  }
};

class ProgramWriter {
public:
  ProgramWriter(const Program &program, const std::vector<PhaseMode> &modes,
                const EngineOptions &options);

  ProgramText write();

private:
  void writeTypes();
  void writeStart();
  void writeCommit(const Step &step);
  void writeState(const Step &step);
  void writeEnd(const Step &step);
  void writePart(const Step &step);
  void writePartState(const Step &step, uint32_t own);
  void writePartEnd(const Step &step);
  void writeOutputs();
  std::string when(const Step &step) const;
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    out += fmt::format(format, std::forward<Args>(args)...);
  }

  const Program &program;
  const EngineOptions &options;
  SignatureText shared;
  uint32_t machines;
  std::vector<Step> steps;
  std::string out;
  std::vector<std::string> parts;
};
} // namespace

ProgramWriter::ProgramWriter(const Program &program,
                             const std::vector<PhaseMode> &modes,
                             const EngineOptions &options)
    : program(program), options(options), shared(writeSignature(program)),
      machines(program.maxMachines()) {
  for (size_t phase = 0; phase < modes.size(); ++phase) {
    const auto &code = modes[phase].code;
    if (!code && phase > 0 && !steps.back().code)
      ++steps.back().phases;
    else
      steps.push_back({phase, 1, code ? &*code : nullptr});
  }
}

/// All steps but the first one run if the phases before ended well.
std::string ProgramWriter::when(const Step &step) const {
  if (step.phase == 0)
    return "";
  return fmt::format(" when(%l.go.{} : !gpuvm.message<!flag>)", step.phase);
}

static std::string join(const std::vector<std::string> &parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

//===--- A compiled phase -------------------------------------------------===//

/// What the launches wrote.
void ProgramWriter::writeCommit(const Step &step) {
  size_t phase = step.phase;
  std::vector<std::string> operands;
  std::string body, last = "%m";
  for (size_t l = 0; l < step.code->launches.size(); ++l) {
    const CompiledLaunch &launch = step.code->launches[l];
    std::string words = fmt::format("tensor<{}xi32>", launch.launch->count);
    for (size_t i = 0; i < launch.code.writes.size(); ++i) {
      std::string name = fmt::format("{}.{}", l, i);
      for (int k = 0; k < 2; ++k)
        operands.push_back(fmt::format(
            "%{}.{} = %l.run.{}.{}#{} : !gpuvm.message<{}>", k == 0 ? "a" : "b",
            name, phase, l, 8 + 2 * i + k, words));
      body += fmt::format(
          "    %m.{0} = gpuvm.scatter last %b.{0} at %a.{0} into {1} "
          "{{gpuvm.distinct}} : ({2}, {2}, !shared) -> !shared\n",
          name, last, words);
      last = "%m." + name;
    }
  }
  operands.push_back(
      fmt::format("%m = %l.memory.{} : !gpuvm.message<!shared>", phase));
  add("  %l.memory.{} = gpuvm.stage @linear.commit.{}{}\n      ({}) -> !shared "
      "{{\n{}    gpuvm.send {} : !shared{}\n  }}\n",
      phase + 1, phase, when(step), join(operands), body, last,
      phase == 0 ? "" : " else %m : !shared");
}

/// The machines of the phase, and after them free ones.
void ProgramWriter::writeState(const Step &step) {
  size_t phase = step.phase;
  std::vector<std::string> operands, rows, words, rowTypes, wordTypes;
  uint32_t used = 0;
  for (size_t l = 0; l < step.code->launches.size(); ++l) {
    uint32_t count = step.code->launches[l].launch->count;
    rowTypes.push_back(fmt::format("tensor<{}x20xf32>", count));
    wordTypes.push_back(fmt::format("tensor<{}xi32>", count));
    rows.push_back(fmt::format("%x{}", l));
    words.push_back(fmt::format("%w{}", l));
    operands.push_back(
        fmt::format("%x{0} = %l.run.{1}.{0}#0 : !gpuvm.message<{2}>", l, phase,
                    rowTypes.back()));
    operands.push_back(
        fmt::format("%w{0} = %l.run.{1}.{0}#1 : !gpuvm.message<{2}>", l, phase,
                    wordTypes.back()));
    used += count;
  }
  std::string body;
  if (used < machines) {
    rowTypes.push_back(fmt::format("tensor<{}x20xf32>", machines - used));
    wordTypes.push_back(fmt::format("tensor<{}xi32>", machines - used));
    rows.push_back("%free");
    words.push_back("%none");
    body = fmt::format("    %free = arith.constant dense<0.0> : {}\n"
                       "    %none = arith.constant dense<{}> : {}\n",
                       rowTypes.back(), kFreeMachine, wordTypes.back());
  }
  if (phase > 0) {
    operands.push_back(
        fmt::format("%oldX = %l.x.{} : !gpuvm.message<!registers>", phase));
    operands.push_back(
        fmt::format("%oldW = %l.w.{} : !gpuvm.message<!machines>", phase));
  }
  auto concat = [&](const char *result, const std::vector<std::string> &parts,
                    const std::vector<std::string> &types, const char *type) {
    body += fmt::format("    {} = tensor.concat dim(0) {} : ({}) -> {}\n",
                        result, join(parts), join(types), type);
  };
  concat("%x", rows, rowTypes, "!registers");
  concat("%w", words, wordTypes, "!machines");
  add("  %l.x.{5}, %l.w.{5} = gpuvm.stage @linear.state.{0}{1}\n      ({2}) -> "
      "(!registers, !machines) {{\n{3}    gpuvm.send %x, %w : !registers, "
      "!machines{4}\n  }}\n",
      phase, when(step), join(operands), body,
      phase == 0 ? "" : " else %oldX, %oldW : !registers, !machines",
      step.end());
}

/// The counts of the phase, how it ended, and whether the next one runs.
void ProgramWriter::writeEnd(const Step &step) {
  size_t phase = step.phase;
  std::vector<std::string> operands;
  size_t launches = step.code->launches.size();
  for (size_t l = 0; l < launches; ++l) {
    for (int i = 0; i < 5; ++i)
      operands.push_back(fmt::format(
          "%n{0}.{1} = %l.run.{2}.{0}#{3} : !gpuvm.message<tensor<i64>>", l, i,
          phase, 2 + i));
    operands.push_back(fmt::format(
        "%most{0} = %l.run.{1}.{0}#7 : !gpuvm.message<tensor<i32>>", l, phase));
  }
  if (phase > 0)
    operands.push_back(
        fmt::format("%ran = %l.go.{} : !gpuvm.message<!flag>", phase));
  add("  %l.counts.{0}, %l.go.{1} = gpuvm.stage @linear.end.{0}\n      ({2}) "
      "-> "
      "(tensor<1x6xi64>, !flag) {{\n",
      phase, phase + 1, join(operands));
  for (int i = 0; i < 5; ++i)
    for (size_t l = 0; l < launches; ++l) {
      add("    %v{0}.{1} = tensor.extract %n{0}.{1}[] : tensor<i64>\n", l, i);
      if (l > 0)
        add("    %s{0}.{1} = arith.addi %{2}{3}.{1}, %v{0}.{1} : i64\n", l, i,
            l == 1 ? "v" : "s", l - 1);
    }
  for (size_t l = 0; l < launches; ++l) {
    add("    %most{0}.i = tensor.extract %most{0}[] : tensor<i32>\n"
        "    %most{0}.l = arith.extui %most{0}.i : i32 to i64\n",
        l);
    if (l > 0)
      add("    %top{0} = arith.maxui %{1}{2}{3}, %most{0}.l : i64\n", l,
          l == 1 ? "most" : "top", l - 1, l == 1 ? ".l" : "");
  }
  auto sum = [&](int i) {
    return launches == 1 ? fmt::format("%v0.{}", i)
                         : fmt::format("%s{}.{}", launches - 1, i);
  };
  std::string top =
      launches == 1 ? "%most0.l" : fmt::format("%top{}", launches - 1);
  add("    %c0 = arith.constant 0 : i64\n"
      "    %c1 = arith.constant 1 : i64\n"
      "    %c3 = arith.constant 3 : i64\n"
      "    %not = arith.constant -1 : i64\n"
      "    %places = arith.constant 32 : i64\n"
      "    %mask = arith.constant 0xFFFFFFFF : i64\n"
      "    %running = arith.shrui {0}, %places : i64\n"
      "    %faulted = arith.andi {0}, %mask : i64\n"
      "    %isRunning = arith.cmpi ne, %running, %c0 : i64\n"
      "    %isFaulted = arith.cmpi ne, %faulted, %c0 : i64\n"
      "    %e0 = arith.select %isFaulted, %c1, %c0 : i64\n"
      "    %e1 = arith.select %isRunning, %c3, %e0 : i64\n"
      "    %isGood = arith.cmpi eq, %e1, %c0 : i64\n",
      sum(4));
  if (phase > 0)
    add("    %r = tensor.extract %ran[] : !flag\n"
        "    %e2 = arith.select %r, %e1, %not : i64\n"
        "    %goes = arith.andi %isGood, %r : i1\n");
  add("    %row = tensor.from_elements {}, {}, {}, {}, {}, {} : "
      "tensor<1x6xi64>\n"
      "    %go = tensor.from_elements {} : !flag\n"
      "    gpuvm.send %row, %go : tensor<1x6xi64>, !flag\n  }}\n",
      top, sum(0), sum(1), sum(2), sum(3), phase == 0 ? "%e1" : "%e2",
      phase == 0 ? "%isGood" : "%goes");
}

//===--- Faithful phases --------------------------------------------------===//

/// `program` with the phases of `step` alone.
static Program phasesOf(const Program &program, const Step &step) {
  Program part = program;
  auto first = program.phases.begin() + step.phase;
  part.phases.assign(first, first + step.phases);
  return part;
}

void ProgramWriter::writePart(const Step &step) {
  Program part = phasesOf(program, step);
  EngineOptions own = options;
  own.part = {.name = fmt::format("{}.part.{}", shared.name, step.phase),
              .isGated = step.phase > 0};
  parts.push_back(writeEngine(part, own));
  uint32_t count = part.maxMachines();
  add("  %l.memory.{0}, %l.part.{1}:3 = gpuvm.call @{2} as @linear.part.{1} "
      "(%l.memory.{1}{3})\n      : (!gpuvm.message<!shared>{4}) -> "
      "(!gpuvm.message<!shared>, !gpuvm.message<tensor<{5}x20xf32>>, "
      "!gpuvm.message<tensor<{5}xi32>>, !gpuvm.message<{6}>)\n",
      step.end(), step.phase, own.part->name,
      step.phase ? fmt::format(", %l.go.{}", step.phase) : "",
      step.phase ? ", !gpuvm.message<!flag>" : "", count, step.countsType());
  writePartState(step, count);
  writePartEnd(step);
}

/// The part's `own` machines, and after them free ones.
void ProgramWriter::writePartState(const Step &step, uint32_t own) {
  std::string body, x = "%own", w = "%where", operands;
  if (own < machines) {
    x = "%x";
    w = "%w";
    body = fmt::format(
        "    %free = arith.constant dense<0.0> : tensor<{0}x20xf32>\n"
        "    %none = arith.constant dense<{1}> : tensor<{0}xi32>\n"
        "    %x = tensor.concat dim(0) %own, %free : (tensor<{2}x20xf32>, "
        "tensor<{0}x20xf32>) -> !registers\n"
        "    %w = tensor.concat dim(0) %where, %none : (tensor<{2}xi32>, "
        "tensor<{0}xi32>) -> !machines\n",
        machines - own, kFreeMachine, own);
  }
  if (step.phase > 0)
    operands = fmt::format(", %oldX = %l.x.{0} : !gpuvm.message<!registers>, "
                           "%oldW = %l.w.{0} : !gpuvm.message<!machines>",
                           step.phase);
  add("  %l.x.{0}, %l.w.{0} = gpuvm.stage @linear.state.{1}{2}\n"
      "      (%own = %l.part.{1}#0 : !gpuvm.message<tensor<{3}x20xf32>>, "
      "%where = %l.part.{1}#1 : !gpuvm.message<tensor<{3}xi32>>{4}) -> "
      "(!registers, !machines) {{\n{5}    gpuvm.send {6}, {7} : !registers, "
      "!machines{8}\n  }}\n",
      step.end(), step.phase, when(step), own, operands, body, x, w,
      step.phase ? " else %oldX, %oldW : !registers, !machines" : "");
}

/// Its rows of the counts, which say that nothing ran where nothing did, and
/// whether the next phase runs.
void ProgramWriter::writePartEnd(const Step &step) {
  std::string type = step.countsType();
  add("  %l.counts.{0}, %l.go.{1} = gpuvm.stage @linear.end.{0}\n"
      "      (%c = %l.part.{0}#2 : !gpuvm.message<{2}>{3}) -> ({2}, !flag) {{\n"
      "    %last = arith.constant {4} : index\n"
      "    %five = arith.constant 5 : index\n"
      "    %good = arith.constant 0 : i64\n"
      "    %end = tensor.extract %c[%last, %five] : {2}\n"
      "    %isGood = arith.cmpi eq, %end, %good : i64\n",
      step.phase, step.end(), type,
      step.phase
          ? fmt::format(", %ran = %l.go.{} : !gpuvm.message<!flag>", step.phase)
          : "",
      step.phases - 1);
  if (step.phase == 0) {
    add("    %go = tensor.from_elements %isGood : !flag\n"
        "    gpuvm.send %c, %go : {}, !flag\n  }}\n",
        type);
    return;
  }
  add("    %r = tensor.extract %ran[] : !flag\n"
      "    %goes = arith.andi %isGood, %r : i1\n"
      "    %go = tensor.from_elements %goes : !flag\n"
      "    %e = tensor.empty() : {0}\n"
      "    %rows = linalg.generic {{indexing_maps = [#vw, #none, #vw], "
      "iterator_types = [\"parallel\", \"parallel\"]}}\n"
      "        ins(%c, %ran : {0}, !flag) outs(%e : {0}) {{\n"
      "    ^bb0(%n: i64, %f: i1, %o: i64):\n"
      "      %w = linalg.index 1 : index\n"
      "      %at = arith.constant 5 : index\n"
      "      %zero = arith.constant 0 : i64\n"
      "      %not = arith.constant -1 : i64\n"
      "      %isEnd = arith.cmpi eq, %w, %at : index\n"
      "      %nothing = arith.select %isEnd, %not, %zero : i64\n"
      "      %v = arith.select %f, %n, %nothing : i64\n"
      "      linalg.yield %v : i64\n"
      "    }} -> {0}\n"
      "    gpuvm.send %rows, %go : {0}, !flag\n  }}\n",
      type);
}

//===--- All of it --------------------------------------------------------===//

void ProgramWriter::writeTypes() {
  add("!machines = tensor<{0}xi32>\n"
      "!registers = tensor<{0}x20xf32>\n"
      "!shared = tensor<{1}xi32>\n"
      "!flag = tensor<i1>\n"
      "!counts = tensor<{2}x6xi64>\n"
      "#v = affine_map<(v) -> (v)>\n"
      "#vw = affine_map<(v, w) -> (v, w)>\n"
      "#row = affine_map<(v, w) -> (v)>\n"
      "#none = affine_map<(v, w) -> ()>\n\n",
      machines, std::max<uint32_t>(program.sharedWords(), 1),
      program.phases.size());
}

void ProgramWriter::writeStart() {
  add("gpuvm.program @{}({}) -> ({}) {{\n{}\n", shared.name, shared.inputs,
      shared.outputs, kFunctionsTemplate);
  add("  %l.memory.0 = gpuvm.stage @linear.shared({}) -> !shared {{\n{}\n    "
      "gpuvm.send %s : !shared\n  }}\n",
      shared.operands, shared.body);
}

void ProgramWriter::writeOutputs() {
  size_t end = program.phases.size();
  std::vector<std::string> operands, rows, types;
  for (const Step &step : steps) {
    rows.push_back(fmt::format("%c{}", step.phase));
    types.push_back(step.countsType());
    operands.push_back(fmt::format("%c{0} = %l.counts.{0} : "
                                   "!gpuvm.message<{1}>",
                                   step.phase, step.countsType()));
  }
  add("  %l.state, %l.status, %l.fault, %l.counts = gpuvm.stage "
      "@linear.outputs\n"
      "      (%x = %l.x.{0} : !gpuvm.message<!registers>, %w = %l.w.{0} : "
      "!gpuvm.message<!machines>, {1})\n      -> (tensor<{2}x22xf32>, "
      "!machines, !machines, !counts) {{\n",
      end, join(operands), machines);
  out += fillTemplate(kStateTemplate,
                      {{{"machines", fmt::format("{}", machines)}}, {}});
  add("    %counts = tensor.concat dim(0) {} : ({}) -> !counts\n"
      "    gpuvm.send %s, %status, %fault, %counts : tensor<{}x22xf32>, "
      "!machines, !machines, !counts\n  }}\n",
      join(rows), join(types), machines);
  add("{}", shared.returnStages(fmt::format("%l.memory.{}", end)));
  add("  gpuvm.return {}\n}}\n",
      shared.returned("%l.state", "%l.status", "%l.fault", "%l.counts"));
}

ProgramText ProgramWriter::write() {
  writeTypes();
  writeStart();
  for (const Step &step : steps) {
    if (!step.code) {
      writePart(step);
      continue;
    }
    for (size_t l = 0; l < step.code->launches.size(); ++l)
      out += writeLaunch(program, step.code->launches[l],
                         fmt::format("{}.{}", step.phase, l), when(step),
                         fmt::format("%l.memory.{}", step.phase));
    writeCommit(step);
    writeState(step);
    writeEnd(step);
  }
  writeOutputs();
  return {std::move(out), std::move(parts)};
}

ProgramText vm::linear::writeProgram(const Program &program,
                                     const std::vector<PhaseMode> &modes,
                                     const EngineOptions &options) {
  return ProgramWriter(program, modes, options).write();
}
