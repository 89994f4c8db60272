//===- PlanDiffText.cpp - what is different in two plans, as text
//-------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/view/PlanDiff.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace vm {
namespace {

using Json = nlohmann::ordered_json;

class DiffPrinter {
public:
  explicit DiffPrinter(const Json &diff) : diff(diff) {}
  std::string print();

private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text), format,
                   std::forward<Args>(args)...);
    text += '\n';
  }
  void pairs(const char *title, const Json &object);
  void named(const char *title, const Json &section, const char *place,
             const char *placeText);
  void reasons(const Json &section);
  void times(const Json &times);
  void timeRows(const char *title, const Json &rows);

  const Json &diff;
  std::string text;
};

std::string valueText(const Json &value) {
  if (value.is_string())
    return value.get<std::string>();
  if (!value.is_array())
    return value.dump();
  std::string list;
  for (const Json &each : value)
    list += (list.empty() ? "" : ", ") + valueText(each);
  return list.empty() ? "none" : list;
}

std::string wordsOf(const std::string &key) {
  std::string words = key;
  for (char &character : words)
    if (character == '_')
      character = ' ';
  return words;
}

/// `commands 2 -> 1; groups 8 -> 4` of what changed.
std::string changesText(const Json &change) {
  std::string changes;
  for (const auto &[key, value] : change.items()) {
    if (key == "name")
      continue;
    changes += changes.empty() ? "" : "; ";
    changes += key == "spirv_hash"
                   ? std::string("other SPIR-V")
                   : fmt::format("{} {} -> {}", wordsOf(key),
                                 valueText(value[0]), valueText(value[1]));
  }
  return changes;
}

void DiffPrinter::pairs(const char *title, const Json &object) {
  if (object.empty())
    return;
  line("{}", title);
  for (const auto &[name, value] : object.items())
    line("  {} {} -> {}", name, valueText(value[0]), valueText(value[1]));
}

/// Those where nothing but their `place` changed are counted.
void DiffPrinter::named(const char *title, const Json &section,
                        const char *place, const char *placeText) {
  if (section["added"].empty() && section["removed"].empty() &&
      section["changed"].empty())
    return;
  line("{}", title);
  for (const Json &each : section["removed"])
    line("  - {}", valueText(each["name"]));
  for (const Json &each : section["added"])
    line("  + {}", valueText(each["name"]));
  size_t moved = 0;
  for (const Json &each : section["changed"])
    if (each.size() == 2 && each.contains(place))
      ++moved;
    else
      line("  ~ {}: {}", valueText(each["name"]), changesText(each));
  if (moved > 0)
    line("  {} {}", moved, placeText);
}

void DiffPrinter::reasons(const Json &section) {
  if (section["added"].empty() && section["removed"].empty())
    return;
  line("reasons of barriers");
  auto print = [&](char sign, const Json &list) {
    for (const Json &each : list) {
      auto count = each["count"].get<int64_t>();
      line("  {} {}{}", sign, valueText(each["reason"]),
           count > 1 ? fmt::format(" ({} times)", count) : "");
    }
  };
  print('-', section["removed"]);
  print('+', section["added"]);
}

std::string timeText(const Json &row) {
  double before = row["us"][0], after = row["us"][1];
  std::string change =
      before > 0 ? fmt::format(" ({:+.1f}%)", 100 * (after / before - 1)) : "";
  return fmt::format("{:.2f} -> {:.2f}{}", before, after, change);
}

/// Those that differ by more than they spread.
void DiffPrinter::timeRows(const char *title, const Json &rows) {
  bool isFirst = true;
  for (const Json &row : rows) {
    if (row["is_noise"].get<bool>())
      continue;
    if (std::exchange(isFirst, false))
      line("  {}", title);
    line("    {}: {}", valueText(row["name"]), timeText(row));
  }
}

void DiffPrinter::times(const Json &times) {
  if (times.is_null())
    return;
  const Json &total = times["total"];
  line("times in us, median{}",
       times["devices"][0] == times["devices"][1]
           ? ""
           : fmt::format(", of two devices ({})", valueText(times["devices"])));
  line("  in all: {}{}", timeText(total),
       total["is_noise"].get<bool>() ? ", within the spread" : "");
  timeRows("kernels", times["kernels"]);
  timeRows("stages, alone", times["stages_alone"]);
  timeRows("stages, fused", times["stages_fused"]);
}

std::string DiffPrinter::print() {
  if (diff["same"].get<bool>())
    line("The plans are the same.");
  if (diff["programs"][0] != diff["programs"][1])
    line("program {} -> {}", valueText(diff["programs"][0]),
         valueText(diff["programs"][1]));
  pairs("numbers", diff["counts"]);
  pairs("bytes", diff["bytes"]);
  named("kernels", diff["kernels"], "spirv_hash", "with other SPIR-V only");
  named("stages", diff["stages"], "location",
        "at another place of the source only");
  reasons(diff["barriers"]);
  named("in memory", diff["slots"], "window", "in another window only");
  if (!diff["same_initial_data"].get<bool>())
    line("other initial data");
  if (!diff["same_module"].get<bool>())
    line("another module");
  if (text.empty())
    line("The same kernels, stages, barriers and bytes, in another order or in "
         "other windows.");
  times(diff["times"]);
  return std::move(text);
}

} // namespace

std::string diffText(const nlohmann::ordered_json &diff) {
  return DiffPrinter(diff).print();
}

} // namespace vm
