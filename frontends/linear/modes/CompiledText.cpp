//===- CompiledText.cpp - compiled mode: the gpuvm program ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/CompiledProgram.h"

#include "frontends/TextTemplate.h"
#include "frontends/linear/modes/SignatureText.h"
#include "frontends/linear/modes/Templates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace vm;
using namespace vm::linear;

namespace {
/// A map has so many results; more of them are several maps.
constexpr size_t kMaxResults = 20;

class CompiledWriter {
public:
  CompiledWriter(const Program &program,
                 const std::vector<CompiledPhase> &phases)
      : program(program), phases(phases), machines(program.maxMachines()) {}

  std::string write();

private:
  void writeTypes();
  void writeStart();
  void writeLaunch(size_t phase, size_t launch);
  void writeMaps(const CompiledLaunch &launch);
  void writeRows(const CompiledLaunch &launch);
  void writeSums(const CompiledLaunch &launch);
  void writeCommit(size_t phase);
  void writeState(size_t phase);
  void writeEnd(size_t phase);
  void writeOutputs();
  std::string when(size_t phase) const {
    return phase == 0
               ? std::string()
               : fmt::format(" when(%l.go.{} : !gpuvm.message<!flag>)", phase);
  }
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    out += fmt::format(format, std::forward<Args>(args)...);
  }

  const Program &program;
  const std::vector<CompiledPhase> &phases;
  uint32_t machines;
  std::string out;
};
} // namespace

static std::string typeOf(const CompiledLaunch &launch, size_t result) {
  const char *element = result < launch.elements.size() ? "f32" : "i32";
  return fmt::format("tensor<{}x{}>", launch.launch->count, element);
}

/// `first`, `first` + 1, ... as `format` writes them.
template <typename F> static std::string listOf(size_t count, F &&write) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < count; ++i)
    parts.push_back(write(i));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The function's call and its results, in as many maps as it takes.
void CompiledWriter::writeMaps(const CompiledLaunch &launch) {
  size_t all = launch.results();
  std::string types = listOf(all, [&](size_t i) {
    return i < launch.elements.size() ? "f32" : "i32";
  });
  for (size_t i = 0; i < all; ++i)
    add("      %e{} = tensor.empty() : {}\n", i, typeOf(launch, i));
  for (size_t begin = 0; begin < all; begin += kMaxResults) {
    size_t count = std::min(all - begin, kMaxResults);
    add("      {} = linalg.generic {{indexing_maps = [{}], iterator_types = "
        "[\"parallel\"]}}\n          outs({} : {}) {{\n      ^bb0({}):\n",
        listOf(count, [&](size_t i) { return fmt::format("%r{}", begin + i); }),
        listOf(count, [&](size_t) { return "#v"; }),
        listOf(count, [&](size_t i) { return fmt::format("%e{}", begin + i); }),
        listOf(count, [&](size_t i) { return typeOf(launch, begin + i); }),
        listOf(count, [&](size_t i) {
          return fmt::format("%o{}: {}", i,
                             begin + i < launch.elements.size() ? "f32"
                                                                : "i32");
        }));
    add("        %vi = linalg.index 0 : index\n"
        "        %k = arith.index_cast %vi : index to i32\n"
        "        %first = arith.constant {} : i32\n"
        "        %v = arith.addi %k, %first : i32\n"
        "        %c:{} = func.call @{}(%v, %m) : (i32, !shared) -> ({})\n"
        "        linalg.yield {} : {}\n      }} -> ({})\n",
        launch.firstMachine, all, launch.function, types,
        listOf(count,
               [&](size_t i) { return fmt::format("%c#{}", begin + i); }),
        listOf(count,
               [&](size_t i) {
                 return begin + i < launch.elements.size() ? "f32" : "i32";
               }),
        listOf(count, [&](size_t i) { return typeOf(launch, begin + i); }));
  }
}

/// The elements as rows of the state: those that the code does not use keep
/// what they began with.
void CompiledWriter::writeRows(const CompiledLaunch &launch) {
  std::array<uint32_t, kElements> bits = {};
  for (const Launch::Initial &initial : launch.launch->initial)
    bits[initial.element] = initial.bits;
  std::string type = fmt::format("tensor<{}x20xf32>", launch.launch->count);
  add("      %er = tensor.empty() : {}\n"
      "      %rows = linalg.generic {{indexing_maps = [#vw], iterator_types = "
      "[\"parallel\", \"parallel\"]}} outs(%er : {}) {{\n"
      "      ^bb0(%o: f32):\n"
      "        %vi = linalg.index 0 : index\n"
      "        %wi = linalg.index 1 : index\n"
      "        %x0 = arith.constant 0.0 : f32\n",
      type, type);
  std::string last = "%x0";
  size_t used = 0;
  for (uint32_t element = 1; element < kOne; ++element) {
    bool isUsed =
        used < launch.elements.size() && launch.elements[used] == element;
    if (!isUsed && bits[element] == 0)
      continue;
    if (isUsed)
      add("        %y{0} = tensor.extract %r{1}[%vi] : {2}\n", element, used,
          typeOf(launch, used));
    else if (program.f16State)
      add("        %z{0} = arith.constant 0x{1:08X} : f32\n"
          "        %y{0} = func.call @half(%z{0}) : (f32) -> f32\n",
          element, bits[element]);
    else
      add("        %y{} = arith.constant 0x{:08X} : f32\n", element,
          bits[element]);
    used += isUsed;
    add("        %w{0} = arith.constant {1} : index\n"
        "        %is{0} = arith.cmpi eq, %wi, %w{0} : index\n"
        "        %x{0} = arith.select %is{0}, %y{0}, {2} : f32\n",
        element, element - 1, last);
    last = fmt::format("%x{}", element);
  }
  add("        linalg.yield {} : f32\n      }} -> {}\n", last, type);
}

/// Instructions of each class, the most that one machine executed, and how many
/// machines faulted and how many still run.
void CompiledWriter::writeSums(const CompiledLaunch &launch) {
  size_t at = launch.elements.size();
  uint32_t count = launch.launch->count;
  std::string words = fmt::format("tensor<{}xi32>", count);
  std::string longs = fmt::format("tensor<{}xi64>", count);
  add("      %el = tensor.empty() : {1}\n"
      "      %u:5 = linalg.generic {{indexing_maps = [#v, #v, #v, #v, #v, #v, "
      "#v, #v, #v, #v], iterator_types = [\"parallel\"]}}\n"
      "          ins(%r{2}, %r{3}, %r{4}, %r{5}, %r{6} : {0}, {0}, {0}, {0}, "
      "{0}) outs(%el, %el, %el, %el, %el : {1}, {1}, {1}, {1}, {1}) {{\n"
      "      ^bb0(%where: i32, %a: i32, %b: i32, %c: i32, %d: i32, %o0: i64, "
      "%o1: i64, %o2: i64, %o3: i64, %o4: i64):\n"
      "        %a1 = arith.extui %a : i32 to i64\n"
      "        %b1 = arith.extui %b : i32 to i64\n"
      "        %c1 = arith.extui %c : i32 to i64\n"
      "        %d1 = arith.extui %d : i32 to i64\n"
      "        %places = arith.constant 24 : i32\n"
      "        %mask = arith.constant 7 : i32\n"
      "        %none = arith.constant 0 : i32\n"
      "        %four = arith.constant 4 : i32\n"
      "        %by = arith.constant 32 : i64\n"
      "        %high = arith.shrui %where, %places : i32\n"
      "        %status = arith.andi %high, %mask : i32\n"
      "        %isFaulted = arith.cmpi eq, %status, %four : i32\n"
      "        %isRunning = arith.cmpi eq, %status, %none : i32\n"
      "        %f = arith.extui %isFaulted : i1 to i64\n"
      "        %g = arith.extui %isRunning : i1 to i64\n"
      "        %g1 = arith.shli %g, %by : i64\n"
      "        %h = arith.ori %f, %g1 : i64\n"
      "        linalg.yield %a1, %b1, %c1, %d1, %h : i64, i64, i64, i64, i64\n"
      "      }} -> ({1}, {1}, {1}, {1}, {1})\n",
      words, longs, at, at + 1, at + 2, at + 3, at + 4);
  add("      %em = tensor.empty() : {0}\n"
      "      %all = linalg.generic {{indexing_maps = [#v, #v, #v, #v, #v], "
      "iterator_types = [\"parallel\"]}}\n"
      "          ins(%r{1}, %r{2}, %r{3}, %r{4} : {0}, {0}, {0}, {0}) outs(%em "
      ": {0}) {{\n"
      "      ^bb0(%a: i32, %b: i32, %c: i32, %d: i32, %o: i32):\n"
      "        %s0 = arith.addi %a, %b : i32\n"
      "        %s1 = arith.addi %c, %d : i32\n"
      "        %s = arith.addi %s0, %s1 : i32\n"
      "        linalg.yield %s : i32\n"
      "      }} -> {0}\n",
      words, at + 1, at + 2, at + 3, at + 4);
  add("      %zl = arith.constant dense<0> : tensor<i64>\n"
      "      %zw = arith.constant dense<0> : tensor<i32>\n");
  for (int i = 0; i < 5; ++i)
    add("      %n{0} = linalg.reduce {{ arith.addi }} ins(%u#{0} : {1}) "
        "outs(%zl : tensor<i64>) dimensions = [0]\n",
        i, longs);
  add("      %most = linalg.reduce {{ arith.maxui }} ins(%all : {}) outs(%zw : "
      "tensor<i32>) dimensions = [0]\n",
      words);
}

void CompiledWriter::writeLaunch(size_t phase, size_t number) {
  const CompiledLaunch &launch = phases[phase].launches[number];
  std::string name = fmt::format("{}.{}", phase, number);
  size_t sites = launch.code.writes.size();
  std::string rows = fmt::format("tensor<{}x20xf32>", launch.launch->count);
  std::string words = fmt::format("tensor<{}xi32>", launch.launch->count);
  std::string types = fmt::format("{}, {}", rows, words);
  for (int i = 0; i < 5; ++i)
    types += ", tensor<i64>";
  types += ", tensor<i32>";
  for (size_t i = 0; i < 2 * sites; ++i)
    types += ", " + words;
  add("  %l.run.{0}:{1} = gpuvm.stage @linear.run.{0}{2}\n"
      "      (%m = %l.memory.{3} : !gpuvm.message<!shared>) -> ({4}) {{\n",
      name, 8 + 2 * sites, when(phase), phase, types);
  writeMaps(launch);
  writeRows(launch);
  writeSums(launch);
  size_t at = launch.elements.size();
  add("      gpuvm.send %rows, %r{}, %n0, %n1, %n2, %n3, %n4, %most", at);
  for (size_t i = 0; i < 2 * sites; ++i)
    add(", %r{}", at + 5 + i);
  add(" : {}\n  }}\n", types);
}

/// What the launches wrote.
void CompiledWriter::writeCommit(size_t phase) {
  std::vector<std::string> operands;
  std::string body, last = "%m";
  for (size_t l = 0; l < phases[phase].launches.size(); ++l) {
    const CompiledLaunch &launch = phases[phase].launches[l];
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
      phase + 1, phase, when(phase),
      fmt::format("{}", fmt::join(operands, ", ")), body, last,
      phase == 0 ? "" : " else %m : !shared");
}

/// The machines of the phase, and after them free ones.
void CompiledWriter::writeState(size_t phase) {
  std::vector<std::string> operands, rows, words, rowTypes, wordTypes;
  uint32_t used = 0;
  for (size_t l = 0; l < phases[phase].launches.size(); ++l) {
    uint32_t count = phases[phase].launches[l].launch->count;
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
                       rowTypes.back(), 5 << 24, wordTypes.back());
  }
  if (phase > 0) {
    operands.push_back(
        fmt::format("%oldX = %l.x.{} : !gpuvm.message<!registers>", phase - 1));
    operands.push_back(
        fmt::format("%oldW = %l.w.{} : !gpuvm.message<!machines>", phase - 1));
  }
  auto join = [&](const char *result, const std::vector<std::string> &parts,
                  const std::vector<std::string> &types, const char *type) {
    body +=
        fmt::format("    {} = tensor.concat dim(0) {} : ({}) -> {}\n", result,
                    fmt::join(parts, ", "), fmt::join(types, ", "), type);
  };
  join("%x", rows, rowTypes, "!registers");
  join("%w", words, wordTypes, "!machines");
  add("  %l.x.{0}, %l.w.{0} = gpuvm.stage @linear.state.{0}{1}\n      ({2}) -> "
      "(!registers, !machines) {{\n{3}    gpuvm.send %x, %w : !registers, "
      "!machines{4}\n  }}\n",
      phase, when(phase), fmt::format("{}", fmt::join(operands, ", ")), body,
      phase == 0 ? "" : " else %oldX, %oldW : !registers, !machines");
}

/// The counts of the phase, how it ended, and whether the next one runs.
void CompiledWriter::writeEnd(size_t phase) {
  std::vector<std::string> operands, arguments;
  size_t launches = phases[phase].launches.size();
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
      phase, phase + 1, fmt::format("{}", fmt::join(operands, ", ")));
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

void CompiledWriter::writeTypes() {
  add("!machines = tensor<{0}xi32>\n"
      "!registers = tensor<{0}x20xf32>\n"
      "!shared = tensor<{1}xi32>\n"
      "!flag = tensor<i1>\n"
      "!counts = tensor<{2}x6xi64>\n"
      "#v = affine_map<(v) -> (v)>\n"
      "#vw = affine_map<(v, w) -> (v, w)>\n"
      "#row = affine_map<(v, w) -> (v)>\n\n",
      machines, std::max<uint32_t>(program.sharedWords(), 1), phases.size());
}

void CompiledWriter::writeStart() {
  SignatureText shared = writeSignature(program);
  add("gpuvm.program @{}({}) -> ({}) {{\n{}\n", shared.name, shared.inputs,
      shared.outputs, kFunctionsTemplate);
  add("  %l.memory.0 = gpuvm.stage @linear.shared({}) -> !shared {{\n{}\n    "
      "gpuvm.send %s : !shared\n  }}\n",
      shared.operands, shared.body);
}

void CompiledWriter::writeOutputs() {
  size_t last = phases.size() - 1;
  std::string names = listOf(phases.size(), [](size_t p) {
    return fmt::format(
        "%c{0} = %l.counts.{0} : !gpuvm.message<tensor<1x6xi64>>", p);
  });
  add("  %l.state, %l.status, %l.fault, %l.counts = gpuvm.stage "
      "@linear.outputs\n"
      "      (%x = %l.x.{0} : !gpuvm.message<!registers>, %w = %l.w.{0} : "
      "!gpuvm.message<!machines>, {1})\n      -> (tensor<{2}x22xf32>, "
      "!machines, "
      "!machines, !counts) {{\n",
      last, names, machines);
  out += fillTemplate(kStateTemplate,
                      {{{"machines", fmt::format("{}", machines)}}, {}});
  std::string rows =
      listOf(phases.size(), [](size_t p) { return fmt::format("%c{}", p); });
  std::string types =
      listOf(phases.size(), [](size_t) { return "tensor<1x6xi64>"; });
  add("    %counts = tensor.concat dim(0) {} : ({}) -> !counts\n"
      "    gpuvm.send %s, %status, %fault, %counts : tensor<{}x22xf32>, "
      "!machines, !machines, !counts\n  }}\n",
      rows, types, machines);
  SignatureText shared = writeSignature(program);
  add("{}", shared.returnStages(fmt::format("%l.memory.{}", phases.size())));
  add("  gpuvm.return {}\n}}\n",
      shared.returned("%l.state", "%l.status", "%l.fault", "%l.counts"));
}

std::string CompiledWriter::write() {
  writeTypes();
  writeStart();
  for (size_t phase = 0; phase < phases.size(); ++phase) {
    for (size_t l = 0; l < phases[phase].launches.size(); ++l)
      writeLaunch(phase, l);
    writeCommit(phase);
    writeState(phase);
    writeEnd(phase);
  }
  writeOutputs();
  return std::move(out);
}

std::string
vm::linear::writeCompiled(const Program &program,
                          const std::vector<CompiledPhase> &phases) {
  return CompiledWriter(program, phases).write();
}
