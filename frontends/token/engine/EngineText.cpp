//===- EngineText.cpp - the token-stream VM as a gpuvm program ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/EngineText.h"

#include "frontends/token/engine/EngineWriter.h"
#include "frontends/token/engine/Templates.h"

using namespace vm;
using namespace vm::token;

static constexpr StateText kStates[] = {
    {"pc", "%pc", "%pc", "%v#0", "%pc"},
    {"number", "%zero", "%number", "%v#1", "%number"}, // Tokens of the visit.
    {"depth", "%zero", "%depth", "%v#2", "%depth"},
    {"node", "%zero", "%node", "%v#3", "%node"}, // Of the automaton.
    {"captured", "%zero", "%captured", "%v#4", "%captured"}, // A bit a token.
    {"fed", "%zero", "%fed", "%v#5", "%fed"},                // Of the answer.
    {"capture", "%zero", "%capture1", "%v#6", "%capture"},   // Tokens of it.
    {"clock", "%zero", "%clock", "%clock1", "%clock"},
    {"status", "%status", "%status1", "%status2", "%status"},
    {"pending", "%not", "%pending1", "%v#7", "%pending"},
};

/// Of the test model.
static constexpr StateText kTestStates[] = {
    {"hash", "%hash", "%hash", "%hash1", "%hash"},
    {"phrase", "%not", "%phrase", "%t#1", "%phrase"},
    {"place", "%zero", "%place", "%t#2", "%place"},
};

/// Where workflows match text: the state of the automaton.
static constexpr StateText kTextStates[] = {
    {"text", "%textRoot", "%text", "%text1", "%text"},
};

/// Of a model that is a program: whether it is asked for the next token.
static constexpr StateText kModelStates[] = {
    {"asked", "%zero", "%asked1", "%asked1", "%asked"},
};

/// The words of the iteration before, which such a model has not seen, and how
/// many are tokens. An iteration does not begin with them: its loop has its
/// own.
static constexpr StateText kShownStates[kStepsWithLanguageModel + 1] = {
    {"shown0", "%not", "%shown0", "", ""},
    {"shown1", "%not", "%shown1", "", ""},
    {"shown2", "%not", "%shown2", "", ""},
    {"shown3", "%not", "%shown3", "", ""},
    {"shown4", "%not", "%shown4", "", ""},
    {"shown5", "%not", "%shown5", "", ""},
    {"shown6", "%not", "%shown6", "", ""},
    {"shown7", "%not", "%shown7", "", ""},
    {"count", "%zero", "%count", "", ""},
};

std::span<const StateText> vm::token::shownStates() { return kShownStates; }

static void append(std::vector<StateText> &to,
                   std::span<const StateText> some) {
  to.insert(to.end(), some.begin(), some.end());
}

EngineWriter::EngineWriter(const EngineSizes &sizes, const std::string &model,
                           std::span<const EngineModule> modules)
    : sizes(sizes), model(model), modules(modules),
      states(std::begin(kStates), std::end(kStates)) {
  if (model.empty())
    append(states, kTestStates);
  else
    append(states, kModelStates);
  if (sizes.textStates > 0)
    append(states, kTextStates);
  addModuleStates();
  carried = states;
  if (model.empty())
    return;
  append(carried, std::span(kShownStates).first(sizes.steps));
  carried.push_back(kShownStates[kStepsWithLanguageModel]);
}

std::string vm::token::repeated(int count, const char *word) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::string(word);
  return text;
}

std::string vm::token::numbers(int count, const char *format) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + fmt::format(fmt::runtime(format), i);
  return text;
}

void EngineWriter::setSizes() {
  vm::setSizes(arguments, allEngineSizes(), sizes);
  // A model's program has room for so many tokens.
  set("chunk", sizes.steps);
  // What is recorded of the pattern of an event depends on how it was heard.
  set("longest", sizes.textStates > 0 ? "%longest" : "%most");
  set("recordedLongest", sizes.textStates > 0 ? "%heardLongest" : "%most");
  set("lastZone", sizes.zones - 1);
  set("lastAnswer", sizes.answerRows - 1);
  set("model", model);
  arguments.conditions.insert(model.empty() ? "test" : "model");
  if (sizes.textStates > 0)
    arguments.conditions.insert("text");
  std::string values;
  for (const EngineSize &size : allEngineSizes())
    values +=
        fmt::format("{}{}", values.empty() ? "" : ", ", sizes.*size.value);
  set("sizeValues", values);
  set("sizeCount", allEngineSizes().size());
}

/// A function of each table's name reads an element of it.
void EngineWriter::setTables() {
  std::string text;
  for (const TableShape &table : tableShapes(sizes)) {
    bool isFlat = table.columns == 1;
    text += fmt::format(
        "  func.func private @{}(%tables: !tables, %row: index{}) -> i32 {{\n"
        "    %base = arith.constant {} : index\n"
        "    %i0 = arith.addi %row, %base : index\n",
        table.name, isFlat ? "" : ", %column: index", isFlat ? table.base : 0);
    if (!isFlat)
      text += fmt::format("    %columns = arith.constant {} : index\n"
                          "    %first = arith.constant {} : index\n"
                          "    %i1 = arith.muli %i0, %columns : index\n"
                          "    %i2 = arith.addi %i1, %column : index\n"
                          "    %i3 = arith.addi %i2, %first : index\n",
                          table.columns, table.base);
    text += fmt::format("    %r = tensor.extract %tables[%{}] : !tables\n"
                        "    func.return %r : i32\n  }}\n",
                        isFlat ? "i0" : "i3");
  }
  set("tableFunctions", text);
  set("tableWords", tableWords(sizes));
}

/// The symbols of the states, which have a number each.
void EngineWriter::setMemory() {
  auto lines = [&](const char *format) {
    return each(
        carried,
        [&](const StateText &s) {
          return fmt::format(fmt::runtime(format), s.name);
        },
        "\n");
  };
  set("globals", lines("gpuvm.global @token.{0} : !streams"));
  set("loads", lines("    %{0} = gpuvm.load @token.{0} : !streams"));
  set("stores", lines("    gpuvm.store %{0}_, @token.{0} : !streams"));
  set("starts",
      each(
          carried,
          [](const StateText &s) {
            return fmt::format("    gpuvm.store {}, @token.{} : !streams",
                               s.start, s.name);
          },
          "\n"));
}

/// The loop-carried values.
void EngineWriter::setCarried() {
  int count = int(carried.size());
  auto names = [&](const char *format) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i == 0 ? "" : ", ") +
              fmt::format(fmt::runtime(format), carried[size_t(i)].name, i);
    return text;
  };
  set("carried", count);
  set("allCarried", count + 1);
  set("carriedTypes", repeated(count, "!streams"));
  set("carriedMessages", repeated(count, "!gpuvm.message<!streams>"));
  set("startValues",
      each(carried, [](const StateText &s) { return s.resolved; }));
  set("sentValues", numbers(count, "%s#{}"));
  set("nextValues", numbers(count, "%l.next#{}"));
  set("carriedTurn", names("%l.{0} = %begin#{1} : !gpuvm.message<!streams>"));
  set("keepOperands", names("%{0}_ = %last#{1} : !gpuvm.message<!streams>"));
  set("stepOperands", each(states, [](const StateText &s) {
        return fmt::format("%{0}_ = %l.{0} : !gpuvm.message<!streams>", s.name);
      }));
}

std::string EngineWriter::write() {
  setSizes();
  setTables();
  setMemory();
  setCarried();
  setReads("look", {"status"}, "#s");
  setModules();
  setStep();
  setExtras();
  setRecords();
  setStores();
  if (!model.empty())
    setShown();
  return fillTemplate(kEngineTemplates, arguments);
}

std::string vm::token::writeEngine(const EngineSizes &sizes,
                                   const std::string &model,
                                   std::span<const EngineModule> modules) {
  return EngineWriter(sizes, model, modules).write();
}
