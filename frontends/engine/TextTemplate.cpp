//===- TextTemplate.cpp - programs with places to fill in -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/engine/TextTemplate.h"

#include "parameters/Places.h"

#include <vector>

using namespace vm;

namespace {
struct Macro {
  std::vector<std::string> parameters;
  std::vector<std::string_view> lines;
};

class Filler {
public:
  explicit Filler(const TemplateArguments &arguments) : arguments(arguments) {}

  std::string fill(std::string_view text);

private:
  void takeLine(std::string_view line);
  bool takeDirective(std::string_view words);
  bool expandMacro(std::string_view line);
  void write(std::string_view line);
  bool holds(std::string_view condition) const;
  bool isOn() const;

  const TemplateArguments &arguments;
  std::map<std::string, Macro, std::less<>> macros;
  Macro *defined = nullptr; ///< The one whose lines these are.
  Macro ignored;            ///< One after a condition that does not hold.
  std::vector<bool> branches;
  std::string out;
};
} // namespace

static std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

static std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = trim(text)).empty()) {
    size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

static bool takePrefix(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Replaces `from` everywhere in `text`.
static void replaceAll(std::string &text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
}

bool Filler::isOn() const {
  for (bool branch : branches)
    if (!branch)
      return false;
  return true;
}

bool Filler::holds(std::string_view condition) const {
  for (const std::string &word : wordsOf(condition))
    if (arguments.conditions.contains(word))
      return true;
  return false;
}

/// What follows `//@`; false if it is no directive.
bool Filler::takeDirective(std::string_view words) {
  if (takePrefix(words, "if "))
    branches.push_back(holds(words));
  else if (words == "else")
    branches.back() = !branches.back();
  else if (words == "end")
    branches.pop_back();
  else if (takePrefix(words, "define ")) {
    std::vector<std::string> names = wordsOf(words);
    defined = isOn() ? &macros[names.front()] : &ignored;
    defined->lines.clear();
    defined->parameters.assign(names.begin() + 1, names.end());
  } else
    return false;
  return true;
}

/// `@name a b@`.
bool Filler::expandMacro(std::string_view line) {
  std::string_view call = trim(line);
  if (call.size() < 2 || call.front() != '@' || call.back() != '@')
    return false;
  std::vector<std::string> words = wordsOf(call.substr(1, call.size() - 2));
  auto macro = words.empty() ? macros.end() : macros.find(words.front());
  if (macro == macros.end() ||
      macro->second.parameters.size() + 1 != words.size())
    return false;
  for (std::string_view body : macro->second.lines) {
    std::string text(body);
    for (size_t i = 1; i < words.size(); ++i)
      replaceAll(text, "{" + macro->second.parameters[i - 1] + "}", words[i]);
    takeLine(text);
  }
  return true;
}

void Filler::write(std::string_view line) {
  const auto &places = arguments.places;
  std::vector<Replacement> changes;
  for (const Place &place : findPlaces(line, [&](std::string_view content) {
         return places.contains(content);
       }))
    changes.push_back(
        {place.begin, place.size, places.find(place.content)->second});
  replace(line, changes, out);
  out += '\n';
}

void Filler::takeLine(std::string_view line) {
  std::string_view text = trim(line);
  if (defined) {
    if (text == "//@end")
      defined = nullptr;
    else
      defined->lines.push_back(line);
    return;
  }
  bool isDirective = takePrefix(text, "//@") && takeDirective(text);
  if (isDirective || !isOn())
    out += arguments.keepsLines ? "\n" : "";
  else if (!expandMacro(line))
    write(line);
}

std::string Filler::fill(std::string_view text) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    takeLine(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(out);
}

std::string vm::fillTemplate(std::string_view text,
                             const TemplateArguments &arguments) {
  return Filler(arguments).fill(text);
}

std::string vm::fillTemplate(std::span<const TextFile> files,
                             const TemplateArguments &arguments) {
  std::string text;
  for (const TextFile &file : files)
    text += file.text;
  return fillTemplate(text, arguments);
}
