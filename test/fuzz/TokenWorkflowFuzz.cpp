//===- TokenWorkflowFuzz.cpp - any workflow file through the builder ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workflow file that is refused has errors with places. One that is read is
// a graph by the rules whose zones are in the order of their numbers, and the
// same again. A second file after a line `#---` is that of the prompts, or else
// there are some with one placeholder of each type.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Number.h"
#include "frontends/token/text/ReadWorkflow.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <unistd.h>

using namespace vm;
using namespace vm::token;

namespace fs = std::filesystem;

static constexpr std::string_view kPrompts = R"([config]
zone_patterns = ["[P]", "[E]"]
required_patterns = ["[P]"]
valid_tags = ["T"]
default_max_token_length = 9
sequences = ["a", "b"]
control_pattern = "[J]"
escape_patterns = ["[<]", "[>]"]
tools = ["t"]
[[a]]
text = "[P]{s}{c}{r}[E]"
tags = [["T"]]
repeats = 2
[a.s]
name = "s"
arguments = { num_samples = 2 }
[a.c]
name = "c"
type = "custom"
[a.r]
name = "r"
type = "argument"
[[b]]
text = "[P]"
tags = [[]]
)";

static void require(bool condition) {
  if (!condition)
    abort();
}

static fs::path folder() {
  static const fs::path path = [] {
    fs::path path = fs::temp_directory_path() /
                    ("gpuvm-workflow-fuzz-" + std::to_string(getpid()));
    fs::create_directories(path);
    return path;
  }();
  return path;
}

static void write(const fs::path &path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Whether a path in the text may name something outside the folder.
static bool leavesTheFolder(std::string_view text) {
  for (std::string_view mark : {"/", "\\", ".."})
    if (text.find(mark) != text.npos)
      return true;
  return false;
}

static void checkRead(const SampledWorkflow &workflow) {
  std::vector<ZoneLinks> links;
  for (const SampledZone &zone : workflow.zones) {
    require(zone.jump.has_value() == zone.jumpPattern.has_value());
    require(zone.output == !zone.tool.empty());
    links.push_back({zone.next, zone.jump});
  }
  require(!links.empty() && !checkGraph(links, 0));
  std::vector<int64_t> order = numberZones(links, 0);
  for (size_t number = 0; number < order.size(); ++number)
    require(order[number] == int64_t(number));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr std::string_view kCut = "#---\n";
  std::string_view text(reinterpret_cast<const char *>(data), size);
  if (leavesTheFolder(text))
    return 0;
  size_t cut = text.find(kCut);
  std::string path = (folder() / "x.workflow.toml").string();
  write(path, text.substr(0, cut));
  write(folder() / "p",
        cut == text.npos ? kPrompts : text.substr(cut + kCut.size()));
  Diagnostics diagnostics, again;
  auto workflow = readWorkflow(path, {{"r", "x"}}, 1, diagnostics);
  require(workflow.has_value() == !diagnostics.hasErrors());
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    require(diagnostic.place.file.starts_with(folder().string()));
    require(diagnostic.sentence.size() < 4096);
  }
  if (!workflow)
    return 0;
  checkRead(*workflow);
  auto second = readWorkflow(path, {{"r", "x"}}, 1, again);
  require(second && second->zones.size() == workflow->zones.size());
  for (size_t i = 0; i < workflow->zones.size(); ++i)
    require(workflow->zones[i].text == second->zones[i].text);
  return 0;
}
