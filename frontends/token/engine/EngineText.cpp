//===- EngineText.cpp - the token-stream VM as a gpuvm program ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/EngineText.h"

#include "frontends/TextTemplate.h"
#include "frontends/token/engine/Templates.h"

#include <fmt/format.h>

#include <set>
#include <span>
#include <vector>

using namespace vm;
using namespace vm::token;

namespace {

/// What a stream keeps from one step to the next. In the template NAME is its
/// value in a step; the symbol is `token.NAME`.
struct State {
  const char *name;
  const char *start;    ///< What it is in the program `start`.
  const char *resolved; ///< What it is after answers.
  const char *stepped;  ///< What a step makes of it, while RUNNING.
  const char *kept;     ///< ..., and else.
};

} // namespace

static constexpr State kStates[] = {
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
static constexpr State kTestStates[] = {
    {"hash", "%hash", "%hash", "%hash1", "%hash"},
    {"phrase", "%not", "%phrase", "%t#1", "%phrase"},
    {"place", "%zero", "%place", "%t#2", "%place"},
};

/// Of a model that is a program: whether it is asked for the next token.
static constexpr State kModelStates[] = {
    {"asked", "%zero", "%asked1", "%asked1", "%asked"},
};

/// The words of the turn before, which such a model has not seen. A turn does
/// not begin with them: in its loop are its own.
static constexpr State kShownWords[kStepsOfModelTurn] = {
    {"shown0", "%not", "%shown0", "", ""},
    {"shown1", "%not", "%shown1", "", ""},
    {"shown2", "%not", "%shown2", "", ""},
    {"shown3", "%not", "%shown3", "", ""},
};

namespace {

class EngineWriter {
public:
  explicit EngineWriter(const EngineSizes &sizes, const std::string &model)
      : sizes(sizes), model(model),
        states(std::begin(kStates), std::end(kStates)) {
    if (model.empty())
      append(states, kTestStates);
    else
      append(states, kModelStates);
    carried = states;
    if (!model.empty())
      append(carried, kShownWords);
  }

  std::string write();

private:
  template <typename T> void set(const std::string &place, const T &value) {
    arguments.places[place] = fmt::format("{}", value);
  }

  static void append(std::vector<State> &to, std::span<const State> some) {
    to.insert(to.end(), some.begin(), some.end());
  }

  template <typename Item>
  static std::string each(const std::vector<State> &some, Item item,
                          const char *between = ", ") {
    std::string text;
    for (const State &state : some)
      text += std::string(text.empty() ? "" : between) + item(state);
    return text;
  }
  template <typename Item> static std::string eachOf(int count, Item item) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += item(i);
    return text;
  }
  template <typename Line> std::string eachPair(Line line) const;
  /// Words that a turn records, and those that it makes: a model sees them.
  int records() const { return sizes.records ? sizes.steps : 0; }
  int words() const { return model.empty() ? records() : sizes.steps; }
  int pairs() const { return (int(carried.size()) + 1) / 2; }
  const State &low(int pair) const { return carried[size_t(pair) * 2]; }
  const State *high(int pair) const {
    size_t number = size_t(pair) * 2 + 1;
    return number < carried.size() ? &carried[number] : nullptr;
  }
  int indexOf(std::string_view name) const {
    int number = 0;
    while (states[number].name != name)
      ++number;
    return number;
  }

  void setSizes();
  void setTables();
  void setMemory();
  void setCarried();
  void setStep();
  void setRecords();
  void setReads(const std::string &prefix,
                const std::set<std::string_view> &names, const char *map);
  void setShown();

  const EngineSizes &sizes;
  const std::string &model;
  std::vector<State> states;  ///< In the loop over the steps of a turn.
  std::vector<State> carried; ///< From turn to turn.
  TemplateArguments arguments;
};

} // namespace

static std::string repeated(int count, const char *word) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::string(word);
  return text;
}

/// The format with each number, one after the other.
static std::string numbers(int count, const char *format) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + fmt::format(fmt::runtime(format), i);
  return text;
}

void EngineWriter::setSizes() {
  for (const EngineSize &size : allEngineSizes())
    set(size.name, sizes.*size.value);
  set("lastZone", sizes.zones - 1);
  set("lastAnswer", sizes.answerRows - 1);
  set("model", model);
  arguments.conditions.insert(model.empty() ? "test" : "model");
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

/// Two numbers of a stream are a word of 64 bits, as a kernel has few windows.
template <typename Line> std::string EngineWriter::eachPair(Line line) const {
  return eachOf(pairs(),
                [&](int pair) { return line(pair, low(pair), high(pair)); });
}

/// Makes a pair, and its numbers again; of scalars or of tensors, as the types
/// say.
static std::string packing(const std::string &indent, int pair,
                           const std::string &low, const std::string &high,
                           const char *narrow, const char *wide) {
  return fmt::format(
      "{0}%pairLow{1} = arith.extui {2} : {4} to {5}\n"
      "{0}%pairHigh{1} = arith.extui {3} : {4} to {5}\n"
      "{0}%pairMoved{1} = arith.shli %pairHigh{1}, %half : {5}\n"
      "{0}%pair{1} = arith.ori %pairLow{1}, %pairMoved{1} : {5}\n",
      indent, pair, low, high, narrow, wide);
}

static std::string unpacking(const std::string &indent, int pair,
                             const std::string &from, const std::string &low,
                             const std::string &high, const char *narrow,
                             const char *wide) {
  return fmt::format("{0}%{3} = arith.trunci {2} : {6} to {5}\n"
                     "{0}%pairMoved{1}_ = arith.shrui {2}, %half : {6}\n"
                     "{0}%{4} = arith.trunci %pairMoved{1}_ : {6} to {5}\n",
                     indent, pair, from, low, high, narrow, wide);
}

static const char *const kHalves =
    "    %half = arith.constant dense<32> : !pairs\n";

/// The symbols of the states, which have a number each.
void EngineWriter::setMemory() {
  auto lines = [&](const char *format) {
    return each(
        carried,
        [&](const State &s) {
          return fmt::format(fmt::runtime(format), s.name);
        },
        "\n");
  };
  set("globals", lines("gpuvm.global @token.{0} : !streams"));
  set("loads", lines("    %{0} = gpuvm.load @token.{0} : !streams"));
  set("stores", lines("    gpuvm.store %{0}, @token.{0} : !streams"));
  set("starts",
      each(
          carried,
          [](const State &s) {
            return fmt::format("    gpuvm.store {}, @token.{} : !streams",
                               s.start, s.name);
          },
          "\n"));
}

/// What turns hand on.
void EngineWriter::setCarried() {
  set("pairs", pairs());
  set("allPairs", pairs() + 1);
  set("pairTypes", repeated(pairs(), "!pairs"));
  set("pairMessages", repeated(pairs(), "!gpuvm.message<!pairs>"));
  set("startPairs", numbers(pairs(), "%pair{}"));
  set("sentPairs", numbers(pairs(), "%s#{}"));
  set("nextPairs", numbers(pairs(), "%l.next#{}"));
  set("carriedTurn",
      numbers(pairs(), "%l.pair{0} = %begin#{0} : !gpuvm.message<!pairs>"));
  set("stepOperands",
      numbers(pairs(), "%pair{0}_ = %l.pair{0} : !gpuvm.message<!pairs>"));
  set("keepOperands",
      numbers(pairs(), "%pair{0}_ = %last#{0} : !gpuvm.message<!pairs>"));
  set("showOperands",
      numbers(pairs(), "%pair{0}_ = %l.pair{0} : !gpuvm.message<!pairs>"));
  set("packedStart",
      kHalves + eachPair([&](int pair, const State &low, const State *high) {
        return packing("    ", pair, low.resolved,
                       high ? high->resolved : "%zero", "!streams", "!pairs");
      }));
  std::string unpacked =
      kHalves + eachPair([](int pair, const State &low, const State *high) {
        return unpacking("    ", pair, fmt::format("%pair{}_", pair), low.name,
                         high ? high->name : "spare", "!streams", "!pairs");
      });
  set("unpackedEnd", unpacked);
}

void EngineWriter::setStep() {
  int count = int(states.size());
  set("results", count + words());
  set("scalars", repeated(count + words(), "i32"));
  set("allStates", count + 1);
  set("stateScalars", repeated(count, "i32"));
  auto names = [&](const char *format) {
    return each(states, [&](const State &s) {
      return fmt::format(fmt::runtime(format), s.name);
    });
  };
  set("iterArguments", names("%{0} = %{0}_0"));
  set("stateStepped", each(states, [](const State &s) { return s.stepped; }));
  set("stateKept", each(states, [](const State &s) { return s.kept; }));
  set("stepped", numbers(count, "%n#{}"));
  const std::string indent(8, ' ');
  set("unpacked",
      indent + "%half = arith.constant 32 : i64\n" +
          eachPair([&](int pair, const State &low, const State *high) {
            return fmt::format("{0}%pair{1}_0 = tensor.extract %pair{1}_[%bi] "
                               ": !pairs\n",
                               indent, pair) +
                   unpacking(indent, pair, fmt::format("%pair{}_0", pair),
                             fmt::format("{}_0", low.name),
                             fmt::format("{}_0", high ? high->name : "spare"),
                             "i32", "i64");
          }));
  // Words follow states in the results of the loop as in what is carried.
  int number = 0;
  set("packed",
      eachPair([&](int pair, const State &, const State *high) {
        std::string low = fmt::format("%l#{}", number++);
        std::string top = high ? fmt::format("%l#{}", number++) : "%none";
        return packing(indent, pair, low, top, "i32", "i64");
      }) + fmt::format("{0}%isRunning = arith.cmpi eq, %l#{1}, %none : i32\n",
                       indent, indexOf("status")));
}

/// Each step of a turn has a word, and its own rows of records.
void EngineWriter::setRecords() {
  int count = int(states.size());
  set("wordArguments", eachOf(words(), [](int i) {
        return fmt::format(", %word{} = %not", i);
      }));
  set("keptWords",
      eachOf(words(), [](int i) { return fmt::format(", %keep{}", i); }));
  set("keepWords", eachOf(words(), [&](int i) {
        return fmt::format(
            "          %k{0}_ = arith.constant {0} : index\n"
            "          %is{0}_ = arith.cmpi eq, %k, %k{0}_ : index\n"
            "          %keep{0} = arith.select %is{0}_, %n#{1}, %word{0} : "
            "i32\n",
            i, count);
      }));
  // Results of a turn: pairs, words, and whether the stream is RUNNING.
  int results = pairs() + records() + 1;
  set("stepResults", results);
  set("runningResult", results - 1);
  set("maps", repeated(results, "#s"));
  set("yielded", numbers(pairs(), "%pair{}") + eachOf(records(), [&](int i) {
                   return fmt::format(", %l#{}", count + i);
                 }) + ", %isRunning");
  auto types = [&](const char *pair, const char *word, const char *flag) {
    std::string text = repeated(pairs(), pair);
    text += eachOf(records(), [&](int) { return fmt::format(", {}", word); });
    return fmt::format("{}, {}", text, flag);
  };
  set("yieldedTypes", types("i64", "i32", "i1"));
  set("resultTypes", types("!pairs", "!streams", "!flags"));
  set("outs", types("%ep", "%e", "%ef"));
  std::string blockArguments;
  for (int i = 0; i < results; ++i)
    blockArguments += fmt::format("{}%out{}: {}", i == 0 ? "" : ", ", i,
                                  i < pairs()       ? "i64"
                                  : i + 1 < results ? "i32"
                                                    : "i1");
  set("blockArguments", blockArguments);
  set("records", eachOf(records(), [](int i) {
        return fmt::format("gpuvm.global @token.records{} : !records\n", i);
      }));
  set("storeWords", eachOf(records(), [&](int i) {
        return fmt::format(
            "      %words{0} = tensor.expand_shape %s#{1} [[0, 1]] "
            "output_shape [1, {2}] : !streams into !row\n"
            "      gpuvm.store %words{0}, @token.records{0}[%turn_] : !row\n",
            i, pairs() + i, sizes.streams);
      }));
}

/// The operands of an operation that reads these of what is carried, as places
/// whose names begin with `prefix`.
void EngineWriter::setReads(const std::string &prefix,
                            const std::set<std::string_view> &names,
                            const char *map) {
  std::string operands, types, elements, maps;
  std::string unpacked = "        %half = arith.constant 32 : i64\n";
  for (int pair = 0; pair < pairs(); ++pair) {
    const State &one = low(pair), *other = high(pair);
    if (!names.contains(one.name) && !(other && names.contains(other->name)))
      continue;
    const char *between = operands.empty() ? "" : ", ";
    operands += fmt::format("{}%pair{}_", between, pair);
    types += fmt::format("{}!pairs", between);
    elements += fmt::format("{}%pair{}: i64", between, pair);
    maps += fmt::format("{}{}", between, map);
    unpacked +=
        unpacking("        ", pair, fmt::format("%pair{}", pair), one.name,
                  other ? other->name : "spare", "i32", "i64");
  }
  set(prefix + "Operands", operands);
  set(prefix + "Types", types);
  set(prefix + "Arguments", elements);
  set(prefix + "Maps", maps);
  set(prefix + "Unpacked", unpacked);
}

/// What a model that is a program is shown: which of the words of a turn are
/// tokens, and how many.
void EngineWriter::setShown() {
  std::set<std::string_view> names;
  for (const State &state : kShownWords)
    names.insert(state.name);
  setReads("chunk", names, "affine_map<(s, k) -> (s)>");
  names.insert({"asked", "clock"});
  setReads("shown", names, "#s");
  set("countWords", eachOf(words(), [](int i) {
        return fmt::format(
            "        %is{0} = arith.cmpi sge, %shown{0}, %none : i32\n"
            "        %one{0} = arith.extui %is{0} : i1 to i32\n"
            "        %sum{1} = arith.addi %sum{0}, %one{0} : i32\n",
            i, i + 1);
      }));
  set("chooseWord", eachOf(words(), [](int i) {
        return fmt::format("        %k{0} = arith.constant {0} : index\n"
                           "        %at{0} = arith.cmpi eq, %k, %k{0} : index\n"
                           "        %word{1} = arith.select %at{0}, %shown{0}, "
                           "%word{0} : i32\n",
                           i, i + 1);
      }));
  set("word", fmt::format("%word{}", words()));
  set("sum", fmt::format("%sum{}", words()));
}

std::string EngineWriter::write() {
  setSizes();
  setTables();
  setMemory();
  setCarried();
  setStep();
  setRecords();
  if (!model.empty())
    setShown();
  return fillTemplate(kEngineTemplate, arguments);
}

std::string vm::token::writeEngine(const EngineSizes &sizes,
                                   const std::string &model) {
  return EngineWriter(sizes, model).write();
}
