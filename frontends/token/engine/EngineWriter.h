//===- EngineWriter.h - fills the template of an engine --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/TextTemplate.h"
#include "frontends/token/engine/EngineModule.h"
#include "frontends/token/engine/EngineSizes.h"

#include <fmt/format.h>

#include <deque>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vm::token {

/// What a stream keeps from one step to the next. In the template NAME is its
/// value in a step; the symbol is `token.NAME`.
struct StateText {
  const char *name;
  const char *start;    ///< What it is in the program `start`.
  const char *resolved; ///< What it is after answers.
  const char *stepped;  ///< Its value after a step, while RUNNING.
  const char *kept;     ///< ..., and else.
};

/// The words of the iteration before, which a model that is a program has not
/// seen, and how many of them are tokens.
std::span<const StateText> shownStates();

class EngineWriter {
public:
  /// All must live longer.
  EngineWriter(const EngineSizes &sizes, const std::string &model,
               std::span<const EngineModule> modules);

  std::string write();

private:
  template <typename T> void set(const std::string &place, const T &value) {
    arguments.set(place, value);
  }

  template <typename Item>
  static std::string each(const std::vector<StateText> &some, Item item,
                          const char *between = ", ") {
    std::string text;
    for (const StateText &state : some)
      text += std::string(text.empty() ? "" : between) + item(state);
    return text;
  }
  template <typename Item> static std::string eachOf(int count, Item item) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += item(i);
    return text;
  }
  /// With the numbers of a step and of a word that modules add to it.
  std::string eachExtra(const char *format) const {
    return eachOf(allExtras(), [&](int i) {
      return fmt::format(fmt::runtime(format), i / extras(), i % extras());
    });
  }
  /// Words that an iteration records, and those that it computes: a model sees
  /// them.
  int records() const { return sizes.records ? sizes.steps : 0; }
  int words() const { return model.empty() ? records() : sizes.steps; }
  /// What modules add to the word of a step, and of an iteration.
  int extras() const { return sizes.extraWords(); }
  int allExtras() const { return sizes.steps * extras(); }
  /// Words that an iteration records itself: with a model of its own those of
  /// its steps are carried to the next one.
  int ownWords() const { return model.empty() ? records() : 0; }
  int indexOf(std::string_view name) const {
    int number = 0;
    while (states[number].name != name)
      ++number;
    return number;
  }

  void addModuleStates();
  const char *keep(std::string text) {
    return texts.emplace_back(std::move(text)).c_str();
  }

  void setSizes();
  void setTables();
  void setMemory();
  void setCarried();
  void setStep();
  void setModules();
  void setManipulations();
  void setTransitions();
  void setPosts();
  std::string wideMask(const char *name, int first) const;
  void setExtras();
  void setRecords();
  void setStores();
  void setReads(const std::string &prefix,
                const std::set<std::string_view> &names, const char *map);
  void setShown();

  const EngineSizes &sizes;
  const std::string &model;
  std::span<const EngineModule> modules;
  std::deque<std::string> texts;  ///< Of states that have names by number.
  std::vector<StateText> states;  ///< In the loop over an iteration's steps.
  std::vector<StateText> carried; ///< Loop-carried.
  TemplateArguments arguments;
};

/// `count` times the word, or the format with each number, separated.
std::string repeated(int count, const char *word);
std::string numbers(int count, const char *format);

} // namespace vm::token
