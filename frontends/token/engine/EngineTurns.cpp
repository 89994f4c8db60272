//===- EngineTurns.cpp - an iteration of the engine's loop ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/EngineWriter.h"

using namespace vm;
using namespace vm::token;

void EngineWriter::setStep() {
  int count = int(states.size());
  int all = count + words() + allExtras();
  set("results", all);
  set("scalars", repeated(all, "i32"));
  set("allStates", count + 1 + extras());
  set("stepScalars", repeated(count + 1 + extras(), "i32"));
  auto names = [&](const char *format) {
    return each(states, [&](const StateText &s) {
      return fmt::format(fmt::runtime(format), s.name);
    });
  };
  set("iterArguments", names("%{0} = %{0}_0"));
  set("stateStepped",
      each(states, [](const StateText &s) { return s.stepped; }));
  set("stateKept", each(states, [](const StateText &s) { return s.kept; }));
  set("stepped", numbers(count, "%n#{}"));
  set("read", each(
                  states,
                  [](const StateText &s) {
                    return fmt::format("        %{0}_0 = tensor.extract "
                                       "%{0}_[%bi] : !streams",
                                       s.name);
                  },
                  "\n"));
  if (!model.empty())
    set("countWords", eachOf(words(), [&](int i) {
          return fmt::format(
              "        %is{0} = arith.cmpi sge, %l#{2}, %none : i32\n"
              "        %one{0} = arith.extui %is{0} : i1 to i32\n"
              "        %sum{1} = arith.addi %sum{0}, %one{0} : i32\n",
              i, i + 1, count + i);
        }));
}

/// Each step of an iteration has a word, and its own rows of records.
void EngineWriter::setRecords() {
  int count = int(states.size());
  auto keep = [&](int step, const std::string &word, int result) {
    return fmt::format("          %keep{1} = arith.select %is{0}_, %n#{2}, "
                       "%word{1} : i32\n",
                       step, word, result);
  };
  auto keepAll = [&](int step) {
    return keep(step, std::to_string(step), count) +
           eachOf(extras(), [&](int i) {
             return keep(step, fmt::format("{}_{}", step, i), count + 1 + i);
           });
  };
  set("wordArguments", eachOf(words(), [](int i) {
                         return fmt::format(", %word{} = %not", i);
                       }) + eachExtra(", %word{}_{} = %none"));
  set("keptWords", eachOf(words(), [](int i) {
                     return fmt::format(", %keep{}", i);
                   }) + eachExtra(", %keep{}_{}"));
  set("keepWords", eachOf(words(), [&](int i) {
        return fmt::format(
                   "          %k{0}_ = arith.constant {0} : index\n"
                   "          %is{0}_ = arith.cmpi eq, %k, %k{0}_ : index\n",
                   i) +
               keepAll(i);
      }));
}

/// Results of an iteration: what is carried, and words that are not.
void EngineWriter::setStores() {
  int count = int(states.size()), next = int(carried.size());
  int results = next + ownWords() + allExtras();
  set("stepResults", results);
  // A model's proposals are an operand: their producer may be fused.
  set("maps", repeated(results + (model.empty() ? 0 : 1), "#s"));
  // Words follow states in the results of the loop as in what is carried; a
  // model is told how many of them are tokens, too.
  int words = model.empty() ? ownWords() : this->words();
  set("yielded", numbers(count + words, "%l#{}") +
                     (model.empty() ? "" : fmt::format(", %sum{}", words)) +
                     eachOf(allExtras(), [&](int i) {
                       return fmt::format(", %l#{}", count + this->words() + i);
                     }));
  set("yieldedTypes", repeated(results, "i32"));
  set("resultTypes", repeated(results, "!streams"));
  set("outs", repeated(results, "%e"));
  std::string blockArguments = model.empty() ? "" : "%proposal: i32, ";
  for (int i = 0; i < results; ++i)
    blockArguments += fmt::format("{}%out{}: i32", i == 0 ? "" : ", ", i);
  set("blockArguments", blockArguments);
  set("records",
      eachOf(records(), [](int i) {
        return fmt::format("gpuvm.global @token.records{} : !records\n", i);
      }) + eachExtra("gpuvm.global @token.extra{}_{} : !records\n"));
  auto store = [&](const std::string &name, const std::string &words,
                   const char *turn) {
    return fmt::format("      %{0} = tensor.expand_shape {1} [[0, 1]] "
                       "output_shape [1, {2}] : !streams into !row\n"
                       "      gpuvm.store %{0}, @token.{0}[{3}] : !row\n",
                       name, words, sizes.streams, turn);
  };
  auto nameOf = [](int step) { return fmt::format("records{}", step); };
  auto storeNext = [&](const std::string &name) {
    return store(name, fmt::format("%s#{}", next++), "%turn_");
  };
  std::string stores =
      eachOf(ownWords(), [&](int i) { return storeNext(nameOf(i)); });
  for (int step = 0; step < sizes.steps; ++step)
    for (int i = 0; i < extras(); ++i)
      stores += storeNext(fmt::format("extra{}_{}", step, i));
  set("storeWords", stores);
  // No row is before the first one.
  set("recordShown", "      %minus = arith.constant dense<-1> : !word\n"
                     "      %before = arith.addi %turn_, %minus : !word\n" +
                         eachOf(records(), [&](int i) {
                           return store(nameOf(i), fmt::format("%shown{}_", i),
                                        "%before");
                         }));
}

/// The operands of an operation that reads these of what is carried, as places
/// whose names begin with `prefix`.
void EngineWriter::setReads(const std::string &prefix,
                            const std::set<std::string_view> &names,
                            const char *map) {
  std::string inputs, operands, types, elements, maps;
  for (const StateText &state : carried) {
    if (!names.contains(state.name))
      continue;
    const char *between = operands.empty() ? "" : ", ";
    inputs += fmt::format("{0}%{1}_ = %l.{1} : !gpuvm.message<!streams>",
                          between, state.name);
    operands += fmt::format("{}%{}_", between, state.name);
    types += fmt::format("{}!streams", between);
    elements += fmt::format("{}%{}: i32", between, state.name);
    maps += fmt::format("{}{}", between, map);
  }
  set(prefix + "Inputs", inputs);
  set(prefix + "Operands", operands);
  set(prefix + "Types", types);
  set(prefix + "Arguments", elements);
  set(prefix + "Maps", maps);
}

/// What a model that is a program is shown: which of the words of an iteration
/// are tokens, and how many.
void EngineWriter::setShown() {
  std::set<std::string_view> names;
  for (int i = 0; i < words(); ++i)
    names.insert(shownStates()[i].name);
  setReads("chunk", names, "affine_map<(s, k) -> (s)>");
  if (records() > 0)
    arguments.conditions.insert("recordShown");
  setReads("shown", {"asked", "clock", "count"}, "#s");
  set("chooseWord", eachOf(words(), [](int i) {
        return fmt::format("        %k{0} = arith.constant {0} : index\n"
                           "        %at{0} = arith.cmpi eq, %k, %k{0} : index\n"
                           "        %word{1} = arith.select %at{0}, %shown{0}, "
                           "%word{0} : i32\n",
                           i, i + 1);
      }));
  set("word", fmt::format("%word{}", words()));
}
