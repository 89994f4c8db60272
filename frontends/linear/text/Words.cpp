//===- Words.cpp - mnemonics, directives and names of outputs -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/Words.h"

#include "runtime/base/NearName.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

namespace vm::linear {

static constexpr std::string_view kSettingDirectives[kSettings] = {
    ".program", ".state", ".stack", ".budget", ".tolerance", ".threshold"};

std::string_view directiveOf(Setting setting) {
  return kSettingDirectives[static_cast<size_t>(setting)];
}

static const std::vector<std::string> &allDirectives() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names(std::begin(kSettingDirectives),
                                   std::end(kSettingDirectives));
    for (const char *name :
         {".const", ".buffer", ".routine", ".phase", ".flow"})
      names.emplace_back(name);
    return names;
  }();
  return all;
}

bool isDirective(std::string_view text) {
  const std::vector<std::string> &all = allDirectives();
  return std::find(all.begin(), all.end(), text) != all.end();
}

static const std::unordered_map<std::string, const OpcodeInfo *> &mnemonics() {
  static const auto table = [] {
    std::unordered_map<std::string, const OpcodeInfo *> result;
    for (const OpcodeInfo &info : allOpcodes()) {
      result.emplace(info.text, &info);
      if (info.cls == Class::Io)
        result.emplace(std::string("SYSCALL_") + info.text, &info);
    }
    return result;
  }();
  return table;
}

static std::string upperCase(std::string_view text) {
  std::string upper(text);
  for (char &c : upper)
    if (c >= 'a' && c <= 'z')
      c -= 'a' - 'A';
  return upper;
}

const OpcodeInfo *lookUpMnemonic(std::string_view text) {
  constexpr size_t kLongest = 16;
  if (text.size() > kLongest)
    return nullptr;
  auto found = mnemonics().find(upperCase(text));
  return found == mnemonics().end() ? nullptr : found->second;
}

bool endsRoutine(Opcode opcode) {
  return opcode == Opcode::Jump || opcode == Opcode::Return ||
         opcode == Opcode::Halt || opcode == Opcode::Kill;
}

bool isOutputName(std::string_view name) {
  return name == "state" || name == "status" || name == "fault" ||
         name == "counts";
}

static std::string advice(std::string_view word,
                          const std::vector<std::string> &known) {
  std::string text = didYouMean(word, known);
  return text.empty() ? "" : fmt::format(" ({})", text);
}

std::string mnemonicAdvice(std::string_view word) {
  std::vector<std::string> known = allDirectives();
  for (const OpcodeInfo &info : allOpcodes())
    known.emplace_back(info.text);
  constexpr size_t kLongest = 64;
  std::string begin(word.substr(0, kLongest));
  bool lacksPoint = isDirective(fmt::format(".{}", begin));
  return advice(lacksPoint ? begin : upperCase(begin), known);
}

std::string directiveAdvice(std::string_view word) {
  return advice(word, allDirectives());
}

} // namespace vm::linear
