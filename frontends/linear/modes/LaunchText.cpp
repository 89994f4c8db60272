//===- LaunchText.cpp - the stage of a launch -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/LaunchText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

using namespace vm;
using namespace vm::linear;

namespace {
/// A map has so many results; more of them are several maps.
constexpr size_t kMaxResults = 20;

class LaunchWriter {
public:
  LaunchWriter(const Program &program, const CompiledLaunch &launch)
      : program(program), launch(launch) {}

  std::string write(const std::string &number, const std::string &when,
                    const std::string &memory);

private:
  void writeMaps();
  void writeRows();
  void writeSums();
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    out += fmt::format(format, std::forward<Args>(args)...);
  }

  const Program &program;
  const CompiledLaunch &launch;
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
void LaunchWriter::writeMaps() {
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
void LaunchWriter::writeRows() {
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
void LaunchWriter::writeSums() {
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

std::string LaunchWriter::write(const std::string &number,
                                const std::string &when,
                                const std::string &memory) {
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
      "      (%m = {3} : !gpuvm.message<!shared>) -> ({4}) {{\n",
      number, 8 + 2 * sites, when, memory, types);
  writeMaps();
  writeRows();
  writeSums();
  size_t at = launch.elements.size();
  add("      gpuvm.send %rows, %r{}, %n0, %n1, %n2, %n3, %n4, %most", at);
  for (size_t i = 0; i < 2 * sites; ++i)
    add(", %r{}", at + 5 + i);
  add(" : {}\n  }}\n", types);
  return std::move(out);
}

std::string vm::linear::writeLaunch(const Program &program,
                                    const CompiledLaunch &launch,
                                    const std::string &number,
                                    const std::string &when,
                                    const std::string &memory) {
  return LaunchWriter(program, launch).write(number, when, memory);
}
