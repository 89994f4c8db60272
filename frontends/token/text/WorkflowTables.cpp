//===- WorkflowTables.cpp - the tables of a workflow file -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/WorkflowTables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

class TablesReader {
public:
  TablesReader(const TomlFile &file, Diagnostics &diagnostics)
      : file_(file), diagnostics_(diagnostics),
        root_(file, file.root(), "The file",
              {.unknown = "P01", .missing = "P04", .mistyped = "P04"},
              diagnostics) {}

  WorkflowTables read();

private:
  void readWorkflow(const toml::table &table);
  std::string readName(TableReader &table, std::string_view key);
  void readMain(TableReader &table);
  void readTokenizer(TableReader &table);
  void readAnswers(TableReader &table);
  void readTestModel(const toml::table &table);
  void readPhrases(TableReader &table);
  void readPrograms();
  void checkMain();

  /// Reports keys that are not known (P01).
  void refuseOthers(const toml::table &table, std::string_view what,
                    const std::vector<std::string> &known);
  /// A table of the file; null if it is absent or, with an error, no table.
  const toml::table *tableOf(const char *key, const char *code);
  void error(const char *code, const Place &place, std::string sentence) {
    diagnostics_.error(code, place, std::move(sentence));
  }

  const TomlFile &file_;
  Diagnostics &diagnostics_;
  TableReader root_;
  WorkflowTables tables_;
};

const toml::table *TablesReader::tableOf(const char *key, const char *code) {
  const toml::node *node = root_.any(key);
  if (!node || node->is_table())
    return node ? node->as_table() : nullptr;
  error(code, root_.placeOf(key),
        fmt::format("Key \"{}\" is {} (a table is wanted).", key,
                    typeName(*node)));
  return nullptr;
}

void TablesReader::refuseOthers(const toml::table &table, std::string_view what,
                                const std::vector<std::string> &known) {
  for (auto &&[key, node] : table) {
    if (diagnostics_.isFull())
      return;
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      error("P01", file_.placeOf(key),
            fmt::format("{} has an unknown key {}{} (it takes {}).", what,
                        inQuotes(key.str()), advice(key.str(), known),
                        fmt::join(known, ", ")));
  }
}

//===--- [workflow] -------------------------------------------------------===//

std::string TablesReader::readName(TableReader &table, std::string_view key) {
  std::optional<std::string> text = table.string(key, Need::Required);
  if (text && (text->empty() || text->find('\0') != text->npos))
    error("P04", table.placeOf(key),
          fmt::format("Key \"{}\" of [workflow] is {} (a text without zeros, "
                      "not empty, is wanted).",
                      key, inQuotes(*text)));
  return text.value_or("");
}

void TablesReader::readMain(TableReader &table) {
  const toml::node *node = table.any("main");
  if (!node)
    return;
  tables_.mainPlace = file_.placeOf(*node);
  if (const auto *text = node->as_string())
    tables_.main = text->get();
  else
    error("P06", table.placeOf("main"),
          fmt::format("Key \"main\" of [workflow] is {} (the name of a program "
                      "is wanted).",
                      typeName(*node)));
}

void TablesReader::readTokenizer(TableReader &table) {
  const toml::node *node = table.any("tokenizer");
  tables_.tokenizerPlace = table.placeOf("tokenizer");
  if (!node)
    return;
  const auto *text = node->as_string();
  if (text)
    tables_.tokenizer = text->get();
  auto namesFile = [&](std::string_view kind) {
    return tables_.tokenizer.starts_with(kind) &&
           tables_.tokenizer.size() > kind.size();
  };
  if (text && (tables_.tokenizer == "bytes" || namesFile("greedy:") ||
               namesFile("gguf:")))
    return;
  error(
      "P03", table.placeOf("tokenizer"),
      fmt::format("Key \"tokenizer\" of [workflow] is {} (\"bytes\", "
                  "\"greedy:FILE\" or \"gguf:FILE\" is wanted).",
                  text ? inQuotes(text->get()) : std::string(typeName(*node))));
}

void TablesReader::readAnswers(TableReader &table) {
  const toml::node *node = table.any("answers");
  if (!node)
    return;
  const auto *text = node->as_string();
  tables_.liveAnswers = text && text->get() == "live";
  if (tables_.liveAnswers || (text && text->get() == "inert"))
    return;
  error(
      "P05", table.placeOf("answers"),
      fmt::format("Key \"answers\" of [workflow] is {} (\"inert\" or "
                  "\"live\" is wanted).",
                  text ? inQuotes(text->get()) : std::string(typeName(*node))));
}

void TablesReader::readWorkflow(const toml::table &table) {
  TableReader reader(file_, table, "[workflow]",
                     {.unknown = "P01", .missing = "P04", .mistyped = "P04"},
                     diagnostics_);
  tables_.name = readName(reader, "name");
  tables_.prompts = readName(reader, "udpl");
  readMain(reader);
  readTokenizer(reader);
  readAnswers(reader);
  refuseOthers(table, "[workflow]",
               {"name", "udpl", "main", "tokenizer", "answers"});
}

//===--- [test_model] -----------------------------------------------------===//

void TablesReader::readPhrases(TableReader &table) {
  tables_.testModel.phrases = table.strings("phrases");
  if (!tables_.testModel.phrases)
    return;
  const std::vector<std::string> &phrases = *tables_.testModel.phrases;
  auto empty = std::find(phrases.begin(), phrases.end(), "");
  if (!phrases.empty() && empty == phrases.end())
    return;
  error("P15", table.placeOf("phrases"),
        fmt::format("Key \"phrases\" of [test_model] {} (texts that are not "
                    "empty are wanted, 1 at least).",
                    phrases.empty() ? "lists nothing" : "has an empty text"));
}

void TablesReader::readTestModel(const toml::table &table) {
  // The model compares a byte with the weight.
  constexpr int64_t kMostWeight = 256;
  TableReader reader(file_, table, "[test_model]",
                     {.unknown = "P01", .missing = "P15", .mistyped = "P15"},
                     diagnostics_);
  TestModelTexts &model = tables_.testModel;
  model.weight = reader.integer("weight").value_or(model.weight);
  if (model.weight < 0 || model.weight > kMostWeight)
    error("P15", reader.placeOf("weight"),
          fmt::format("Key \"weight\" of [test_model] is {} (0 to {} is "
                      "wanted).",
                      model.weight, kMostWeight));
  readPhrases(reader);
  model.fillers = reader.string("fillers");
  if (model.fillers && model.fillers->empty())
    error("P15", reader.placeOf("fillers"),
          "Key \"fillers\" of [test_model] is empty (1 character at least is "
          "wanted).");
  refuseOthers(table, "[test_model]", {"weight", "phrases", "fillers"});
}

//===--- [program] --------------------------------------------------------===//

void TablesReader::readPrograms() {
  const toml::table *table = tableOf("program", "P06");
  if (!table) {
    if (!file_.root().contains("program"))
      error("P06", file_.whole(), "The file has no table [program].");
    return;
  }
  using Entry = std::pair<const toml::key *, const toml::node *>;
  std::vector<Entry> entries;
  for (auto &&[key, node] : *table)
    entries.emplace_back(&key, &node);
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return a.first->source().begin < b.first->source().begin;
  });
  for (auto [key, node] : entries) {
    if (diagnostics_.isFull())
      return;
    Place place = file_.placeOf(*key);
    if (node->is_array())
      tables_.programs.push_back(
          {std::string(key->str()), std::move(place), node->as_array()});
    else
      error("P06", place,
            fmt::format("Program {} is {} (a list of steps is wanted).",
                        inQuotes(key->str()), typeName(*node)));
  }
  checkMain();
}

void TablesReader::checkMain() {
  std::vector<std::string> names;
  for (const ProgramText &program : tables_.programs)
    names.push_back(program.name);
  if (diagnostics_.hasErrors() ||
      std::find(names.begin(), names.end(), tables_.main) != names.end())
    return;
  Place place = tables_.mainPlace;
  if (place.where.line == 0)
    place = root_.placeOf("program");
  error("P06", place,
        fmt::format("[program] has no program {}, which is the one that is "
                    "run{}.",
                    inQuotes(tables_.main), advice(tables_.main, names)));
}

//===--- The file ---------------------------------------------------------===//

WorkflowTables TablesReader::read() {
  if (const toml::table *table = tableOf("workflow", "P04"))
    readWorkflow(*table);
  else if (!file_.root().contains("workflow"))
    error("P04", file_.whole(), "The file has no table [workflow].");
  if (const toml::table *table = tableOf("resources", "P10"))
    tables_.resources = readResources(file_, *table, diagnostics_);
  if (const toml::table *table = tableOf("test_model", "P15"))
    readTestModel(*table);
  readPrograms();
  refuseOthers(file_.root(), "The file",
               {"workflow", "resources", "program", "test_model"});
  return std::move(tables_);
}

} // namespace

WorkflowTables vm::token::readWorkflowTables(const TomlFile &file,
                                             Diagnostics &diagnostics) {
  return TablesReader(file, diagnostics).read();
}
