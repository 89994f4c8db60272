//===- ReadPrograms.cpp - the steps of a workflow file's programs ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step is read and given to the builder at once. Lists of steps nest no
// deeper than TOML does, so they are read recursively.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadPrograms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

const std::vector<std::string> &allWords() {
  static const std::vector<std::string> words = {
      "run", "capture", "feed", "loop", "when", "subroutine", "extract"};
  return words;
}

/// The code of a word's value that is no string.
const char *codeOfValue(std::string_view word) {
  if (word == "subroutine")
    return "S09";
  return word == "extract" ? "S11" : "S03";
}

class ProgramReader {
public:
  ProgramReader(const TomlFile &file, const std::vector<ProgramText> &programs,
                size_t number, const std::map<std::string, Program> &built,
                Program &program, Diagnostics &diagnostics)
      : file_(file), programs_(programs), text_(programs[number]),
        built_(built), program_(program), diagnostics_(diagnostics) {}

  void read() { readList(*text_.steps, program_, ""); }

private:
  /// A step while it is read.
  struct Step {
    const toml::table &table;
    TableReader reader;
    std::string number; ///< `3`, or `3.body.0` in a scope.
    std::string word;
    std::string value;
    StepPlace place;
    With with;
  };

  void readList(const toml::array &steps, Words &words,
                const std::string &prefix);
  void readStep(const toml::table &table, Words &words,
                const std::string &number);
  /// The step's word, or "" after an error.
  std::string findWord(const toml::table &table, const std::string &number);
  void refuseWords(const toml::table &table, const std::string &number,
                   const std::vector<std::string> &words);
  bool readValue(Step &step);
  void readWith(Step &step);
  void build(Step &step, Words &words);
  void readScope(Step &step, const char *key, Scope scope);
  void capture(Step &step, Words &words);
  void callProgram(Step &step, Words &words);
  void extract(Step &step, Words &words);
  bool readOption(Step &step, const char *key, bool &value);
  void mistyped(const char *code, Step &step, const char *key,
                const toml::node &node, std::string_view wanted);

  std::string nameOf(const std::string &number) const {
    return fmt::format("Step {} of program {}", number, inQuotes(text_.name));
  }
  void error(const char *code, const Place &place, std::string sentence) {
    diagnostics_.error(code, place, std::move(sentence));
    program_.reject();
  }

  const TomlFile &file_;
  const std::vector<ProgramText> &programs_;
  const ProgramText &text_;
  const std::map<std::string, Program> &built_;
  Program &program_;
  Diagnostics &diagnostics_;
};

void ProgramReader::mistyped(const char *code, Step &step, const char *key,
                             const toml::node &node, std::string_view wanted) {
  error(code, step.reader.placeOf(key),
        fmt::format("Key \"{}\" of step {} of program {} is {} ({} is "
                    "wanted).",
                    key, step.number, inQuotes(text_.name), typeName(node),
                    wanted));
}

//===--- Words ------------------------------------------------------------===//

void ProgramReader::refuseWords(const toml::table &table,
                                const std::string &number,
                                const std::vector<std::string> &words) {
  if (!words.empty())
    return error("S01", file_.placeOf(*table.get(words.back())),
                 fmt::format("{} has the words {} (a step has exactly one).",
                             nameOf(number), fmt::join(words, ", ")));
  std::string near;
  for (auto &&[key, node] : table)
    if (near.empty())
      near = advice(key.str(), allWords());
  error("S01", file_.placeOf(table),
        fmt::format("{} has no word{} (a step has exactly one of {}).",
                    nameOf(number), near, fmt::join(allWords(), ", ")));
}

std::string ProgramReader::findWord(const toml::table &table,
                                    const std::string &number) {
  std::vector<std::string> words;
  for (const std::string &word : allWords())
    if (table.contains(word))
      words.push_back(word);
  if (words.size() == 1)
    return words[0];
  std::sort(words.begin(), words.end(),
            [&](const std::string &a, const std::string &b) {
              return table.get(a)->source().begin <
                     table.get(b)->source().begin;
            });
  refuseWords(table, number, words);
  return "";
}

bool ProgramReader::readValue(Step &step) {
  const toml::node *node = step.reader.any(step.word);
  step.place.word = file_.placeOf(*node);
  if (const auto *text = node->as_string()) {
    step.value = text->get();
    return true;
  }
  error(codeOfValue(step.word), step.place.word,
        fmt::format("{} is {} with {} (a name is wanted).", nameOf(step.number),
                    step.word, typeName(*node)));
  return false;
}

void ProgramReader::readWith(Step &step) {
  const toml::node *node = step.reader.any("with");
  if (!node)
    return;
  const toml::table *table = node->as_table();
  if (!table)
    return mistyped("S04", step, "with", *node, "a table");
  for (auto &&[key, value] : *table) {
    if (diagnostics_.isFull())
      return;
    std::optional<WithValue> given;
    if (const auto *text = value.as_string())
      given = WithValue(text->get());
    else if (const auto *number = value.as_integer())
      given = WithValue(number->get());
    if (!given) {
      error("P25", file_.placeOf(key),
            fmt::format("Resource {}, \"with\" step {} of program {}, is {} (a "
                        "string or an integer is wanted).",
                        inQuotes(key.str()), step.number, inQuotes(text_.name),
                        typeName(value)));
      given = WithValue("");
    }
    given->place = file_.placeOf(key);
    step.with.emplace(std::string(key.str()), std::move(*given));
  }
}

//===--- Steps ------------------------------------------------------------===//

void ProgramReader::readScope(Step &step, const char *key, Scope scope) {
  const toml::node *node = step.reader.any(key);
  if (node && !node->is_array())
    mistyped("S02", step, key, *node, "a list of steps");
  else if (node)
    readList(*node->as_array(), scope, fmt::format("{}.{}.", step.number, key));
  scope.close(step.place.word);
}

void ProgramReader::capture(Step &step, Words &words) {
  const toml::node *node = step.reader.any("tool");
  const auto *tool = node ? node->as_string() : nullptr;
  step.place.keys["tool"] = step.reader.placeOf("tool");
  if (tool) {
    words.capture(step.value, tool->get(), step.with, step.place);
    return;
  }
  error("S10", step.reader.placeOf("tool"),
        fmt::format("Key \"tool\" of step {} of program {}, for sequence {}, "
                    "is {} (the name of a tool is wanted).",
                    step.number, inQuotes(text_.name), inQuotes(step.value),
                    node ? typeName(*node) : "missing"));
  words.run(step.value, step.with, step.place);
}

void ProgramReader::callProgram(Step &step, Words &words) {
  auto found = built_.find(step.value);
  if (found != built_.end()) {
    words.subroutine(found->second, step.place);
    return;
  }
  std::vector<std::string> known;
  for (const ProgramText &program : programs_)
    known.push_back(program.name);
  error("S09", step.place.word,
        fmt::format("{} calls program {}, which [program] does not have{}.",
                    nameOf(step.number), inQuotes(step.value),
                    advice(step.value, known)));
}

bool ProgramReader::readOption(Step &step, const char *key, bool &value) {
  const toml::node *node = step.reader.any(key);
  if (!node)
    return true;
  if (const auto *boolean = node->as_boolean()) {
    value = boolean->get();
    return true;
  }
  mistyped("S11", step, key, *node, "a boolean");
  return false;
}

void ProgramReader::extract(Step &step, Words &words) {
  const toml::node *node = step.reader.any("tags");
  ExtractOptions options;
  bool ok = readOption(step, "forced", options.forced);
  ok &= readOption(step, "patterns", options.patterns);
  if (&words != &program_) {
    error("S08", step.place.word,
          fmt::format("{} is extract {}, which is of a program and not of a "
                      "scope.",
                      nameOf(step.number), inQuotes(step.value)));
    return;
  }
  std::optional<std::vector<std::string>> tags;
  if (node)
    tags = stringsOf(*node);
  step.place.keys["tags"] = step.reader.placeOf("tags");
  if (!tags)
    error("S11", step.reader.placeOf("tags"),
          fmt::format("Key \"tags\" of step {} of program {}, extract {}, is "
                      "{} (a list of tags is wanted).",
                      step.number, inQuotes(text_.name), inQuotes(step.value),
                      !node              ? "missing"
                      : node->is_array() ? "another list"
                                         : typeName(*node)));
  else if (ok)
    program_.extract(step.value, *tags, options, step.place);
}

void ProgramReader::build(Step &step, Words &words) {
  if (step.word == "extract")
    return extract(step, words);
  if (step.word == "subroutine")
    return callProgram(step, words);
  readWith(step);
  if (step.word == "run") {
    words.run(step.value, step.with, step.place);
  } else if (step.word == "feed") {
    words.feed(step.value, step.with, step.place);
  } else if (step.word == "capture") {
    capture(step, words);
  } else if (step.word == "loop") {
    readScope(step, "body", words.loop(step.value, step.with, step.place));
  } else {
    Branches branches = words.when(step.value, step.with, step.place);
    readScope(step, "then", branches.then);
    readScope(step, "else", branches.otherwise);
  }
}

void ProgramReader::readStep(const toml::table &table, Words &words,
                             const std::string &number) {
  std::string word = findWord(table, number);
  if (word.empty())
    return;
  Step step{table,
            TableReader(file_, table,
                        fmt::format("{} ({})", nameOf(number), word),
                        {.unknown = "S02", .missing = "S02", .mistyped = "S02"},
                        diagnostics_),
            number,
            word,
            "",
            {},
            {}};
  if (!readValue(step))
    return;
  build(step, words);
  step.reader.refuseOthers();
}

void ProgramReader::readList(const toml::array &steps, Words &words,
                             const std::string &prefix) {
  for (size_t i = 0; i < steps.size() && !diagnostics_.isFull(); ++i) {
    std::string number = fmt::format("{}{}", prefix, i);
    if (const toml::table *table = steps.get(i)->as_table())
      readStep(*table, words, number);
    else
      error("S01", file_.placeOf(*steps.get(i)),
            fmt::format("{} is {} (a table with exactly one word is wanted).",
                        nameOf(number), typeName(*steps.get(i))));
  }
}

} // namespace

Program vm::token::readProgram(const TomlFile &file,
                               const std::vector<ProgramText> &programs,
                               size_t number,
                               const std::map<std::string, Program> &built,
                               std::shared_ptr<ProgramContext> context,
                               Diagnostics &diagnostics) {
  Program program(std::move(context), programs[number].name, diagnostics);
  ProgramReader(file, programs, number, built, program, diagnostics).read();
  return program;
}
