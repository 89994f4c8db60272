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

/// Of a model that is a program: the last token, whether it is to be shown, and
/// whether the next one is asked for.
static constexpr State kModelStates[] = {
    {"last", "%padding", "%last", "%t#0", "%last"},
    {"unseen", "%zero", "%unseen", "%one", "%none"},
    {"asked", "%zero", "%asked1", "%asked1", "%none"},
};

namespace {

class EngineWriter {
public:
  explicit EngineWriter(const EngineSizes &sizes, const std::string &model)
      : sizes(sizes), model(model),
        states(std::begin(kStates), std::end(kStates)) {
    if (model.empty())
      states.insert(states.end(), std::begin(kTestStates),
                    std::end(kTestStates));
    else
      states.insert(states.end(), std::begin(kModelStates),
                    std::end(kModelStates));
  }

  std::string write();

private:
  template <typename T> void set(const char *place, const T &value) {
    arguments.places[place] = fmt::format("{}", value);
  }

  /// An item for each state, or for each step of a turn, `{0}` being its name
  /// or its number.
  template <typename Item>
  std::string each(Item item, const char *between = ", ") const {
    std::string text;
    for (const State &state : states)
      text += std::string(text.empty() ? "" : between) + item(state);
    return text;
  }
  template <typename Item> std::string eachStep(Item item) const {
    std::string text;
    for (int step = 0; step < sizes.steps; ++step)
      text += item(step);
    return text;
  }
  int results() const { return int(states.size()) + sizes.steps; }

  void setSizes();
  void setMemory();
  void setCarried();
  void setStep();
  void setRecords();

  const EngineSizes &sizes;
  const std::string &model;
  std::vector<State> states;
  TemplateArguments arguments;
};

} // namespace

static std::string repeated(int count, const char *word) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::string(word);
  return text;
}

/// `stem#0, stem#1, ...`.
static std::string numbered(int count, const char *stem) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format("{}{}#{}", i == 0 ? "" : ", ", stem, i);
  return text;
}

void EngineWriter::setSizes() {
  for (const EngineSize &size : allEngineSizes())
    set(size.name, sizes.*size.value);
  set("steps", sizes.steps);
  set("turns", sizes.turns);
  set("chunks", sizes.turns / sizes.steps);
  set("maskWords", int64_t(sizes.classWords) * 4);
  set("lastZone", sizes.zones - 1);
  set("lastAnswer", sizes.answerRows - 1);
  set("model", model);
  arguments.conditions.insert(model.empty() ? "test" : "model");
}

/// The symbols of the states.
void EngineWriter::setMemory() {
  int count = int(states.size());
  set("states", count);
  set("allStates", count + 1);
  set("answerState", count); // What `resolve` sends after them.
  set("turnState", count);   // What a turn carries after them.
  set("types", repeated(count, "!streams"));
  set("messages", repeated(count, "!gpuvm.message<!streams>"));
  auto lines = [&](const char *format) {
    return each(
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
          [](const State &s) {
            return fmt::format("    gpuvm.store {}, @token.{} : !streams",
                               s.start, s.name);
          },
          "\n"));
  set("resolved", each([](const State &s) { return s.resolved; }));
}

void EngineWriter::setCarried() {
  int number = 0;
  set("carried", each([&](const State &s) {
        return fmt::format("%l.{} = %begin#{} : !gpuvm.message<!streams>",
                           s.name, number++);
      }));
  set("stepOperands", each([](const State &s) {
        return fmt::format("%{0}_ = %l.{0} : !gpuvm.message<!streams>", s.name);
      }));
  number = 0;
  set("keepOperands", each([&](const State &s) {
        return fmt::format("%{} = %last#{} : !gpuvm.message<!streams>", s.name,
                           number++);
      }));
  set("nextStates", numbered(int(states.size()), "%l.next"));
  set("sentStates", numbered(int(states.size()), "%s"));
}

void EngineWriter::setStep() {
  int inputs = int(states.size()) + (model.empty() ? 1 : 2);
  auto names = [&](const char *format) {
    return each([&](const State &s) {
      return fmt::format(fmt::runtime(format), s.name);
    });
  };
  set("stepInputs",
      names("%{}_") + ", %answer_" + (model.empty() ? "" : ", %proposal_"));
  set("stepInputTypes", repeated(inputs, "!streams"));
  set("stepArguments", names("%{}_0: i32") + ", %answerTokens: i32" +
                           (model.empty() ? "" : ", %proposal: i32"));
  set("maps", repeated(inputs + results(), "#s"));
  set("results", results());
  set("outs", repeated(results(), "%e"));
  set("resultTypes", repeated(results(), "!streams"));
  set("scalars", repeated(results(), "i32"));
  set("stateScalars", repeated(int(states.size()), "i32"));
  set("iterArguments", names("%{0} = %{0}_0"));
  set("stateStepped", each([](const State &s) { return s.stepped; }));
  set("stateKept", each([](const State &s) { return s.kept; }));
  set("stepped", numbered(int(states.size()), "%n"));
  set("yielded", numbered(results(), "%l"));
}

/// Each step of a turn has a word, and a row of the records.
void EngineWriter::setRecords() {
  std::string arguments;
  for (int i = 0; i < results(); ++i)
    arguments += fmt::format("{}%out{}: i32", i == 0 ? "" : ", ", i);
  set("blockArguments", arguments);
  set("wordArguments",
      eachStep([](int i) { return fmt::format(", %word{} = %not", i); }));
  set("keptWords", eachStep([](int i) { return fmt::format(", %keep{}", i); }));
  set("keepWords", eachStep([&](int i) {
        return fmt::format(
            "          %k{0}_ = arith.constant {0} : index\n"
            "          %is{0}_ = arith.cmpi eq, %k, %k{0}_ : index\n"
            "          %keep{0} = arith.select %is{0}_, %n#{1}, %word{0} : "
            "i32\n",
            i, states.size());
      }));
  set("storeWords", eachStep([&](int i) {
        return fmt::format(
            "      %by{0} = arith.constant dense<{0}> : !word\n"
            "      %row{0} = arith.addi %firstRow, %by{0} : !word\n"
            "      %words{0} = tensor.expand_shape %s#{1} [[0, 1]] "
            "output_shape [1, {2}] : !streams into !row\n"
            "      gpuvm.store %words{0}, @token.records[%row{0}] : !row\n",
            i, states.size() + i, sizes.streams);
      }));
}

std::string EngineWriter::write() {
  setSizes();
  setMemory();
  setCarried();
  setStep();
  setRecords();
  return fillTemplate(kEngineTemplate, arguments);
}

std::string vm::token::writeEngine(const EngineSizes &sizes,
                                   const std::string &model) {
  return EngineWriter(sizes, model).write();
}
