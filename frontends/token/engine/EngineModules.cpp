//===- EngineModules.cpp - modules of the user in an engine ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each is a function of the program, called in a step. %called7 is what it
// gives: its state, and more as its stage says.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/EngineWriter.h"

using namespace vm;
using namespace vm::token;

/// The lines of a step.
static constexpr const char *kIndent = "            ";

void EngineWriter::addModuleStates() {
  for (size_t i = 0; i < modules.size(); ++i) {
    const char *name = keep(engineModuleName(i));
    const char *before = keep(fmt::format("%module{}", i));
    std::string after = modules[i].info.resetsOnZoneChange
                            ? fmt::format("%again{}", i)
                            : fmt::format("%called{}#0", i);
    states.push_back({name, keep(fmt::format("%initial{}", i)), before,
                      keep(after), before});
  }
}

/// The token and its source, from one module to the next.
void EngineWriter::setManipulations() {
  std::string text, token = "%t#0", source = "%source3";
  for (size_t i = 0; i < modules.size(); ++i) {
    if (modules[i].info.stage != ModuleStage::Manipulation)
      continue;
    text += fmt::format(
        "{0}%called{1}:3 = func.call @module{1}(%module{1}, %pc, %number, {2}, "
        "{3}) : (i32, i32, i32, i32, i32) -> (i32, i32, i32)\n"
        "{0}%isToken{1} = arith.cmpi ult, %called{1}#1, %vocabulary : i32\n"
        "{0}%token{1}_ = arith.select %isToken{1}, %called{1}#1, %padding : "
        "i32\n"
        "{0}%isSource{1} = arith.cmpi ule, %called{1}#2, %five : i32\n"
        "{0}%source{1}_ = arith.select %isSource{1}, %called{1}#2, %five : "
        "i32\n",
        kIndent, i, token, source);
    token = fmt::format("%token{}_", i);
    source = fmt::format("%source{}_", i);
  }
  bool has = !text.empty();
  if (has)
    arguments.conditions.insert("manipulation");
  set("manipulations", text);
  set("token", token);
  set("source", source);
  set("isForced", has ? "%nowForced" : "%isForced");
  set("isAnswer", has ? "%nowAnswer" : "%isAnswer");
  set("isPattern", has ? "%nowPattern" : "%isPattern");
  set("isOwn", has ? "%nowOwn" : "%isText");
}

/// A mask of 64 bits of a zone, whose words begin at column `first`.
std::string EngineWriter::wideMask(const char *name, int first) const {
  auto word = [&](int i) {
    return fmt::format(
        "{0}%{1}Column{2} = arith.constant {3} : index\n"
        "{0}%{1}Word{2} = func.call @masks(%tables, %zi, %{1}Column{2}) : "
        "(!tables, index, index) -> i32\n"
        "{0}%{1}{4} = arith.extui %{1}Word{2} : i32 to i64\n",
        kIndent, name, i, first + i,
        sizes.classWords == 1 ? "" : fmt::format("Part{}", i));
  };
  if (sizes.classWords == 1)
    return word(0);
  return word(0) + word(1) +
         fmt::format("{0}%{1}Moved = arith.shli %{1}Part1, %half : i64\n"
                     "{0}%{1} = arith.ori %{1}Part0, %{1}Moved : i64\n",
                     kIndent, name);
}

/// The classes that are complete, from one module to the next.
void EngineWriter::setTransitions() {
  std::string text, triggers = "%hit#4";
  for (size_t i = 0; i < modules.size(); ++i) {
    if (modules[i].info.stage != ModuleStage::Transition)
      continue;
    text += fmt::format(
        "{0}%called{1}:2 = func.call @module{1}(%module{1}, %pc, %number, {2}) "
        ": (i32, i32, i32, i64) -> (i32, i64)\n"
        "{0}%triggers{1} = arith.andi %called{1}#1, %classMask : i64\n",
        kIndent, i, triggers);
    triggers = fmt::format("%triggers{}", i);
  }
  if (text.empty())
    return;
  arguments.conditions.insert("transition");
  // What is recorded.
  for (int i = 0; i < sizes.classWords; ++i)
    text +=
        fmt::format("{0}%moved{1}_ = arith.shrui {2}, {3} : i64\n"
                    "{0}%complete{1}_ = arith.trunci %moved{1}_ : i64 to i32\n",
                    kIndent, i, triggers, i == 0 ? "%none64" : "%half");
  set("transitions", text);
  set("triggers", triggers);
  set("zoneMasks", wideMask("jumpMask", 2 * sizes.classWords) +
                       wideMask("advanceMask", 3 * sizes.classWords));
}

void EngineWriter::setPosts() {
  std::string text;
  for (size_t i = 0; i < modules.size(); ++i) {
    const ModuleInfo &info = modules[i].info;
    if (info.stage == ModuleStage::Post)
      text += fmt::format(
          "{0}%called{1}:2 = func.call @module{1}(%module{1}, %pc, %number, "
          "%v#0, %v#1, {2}, %forced) : (i32, i32, i32, i32, i32, i32, i32) -> "
          "(i32, i32)\n",
          kIndent, i, arguments.places["token"]);
    if (info.resetsOnZoneChange)
      text += fmt::format("{0}%again{1} = arith.select %isEvent, %initial{1}, "
                          "%called{1}#0 : i32\n",
                          kIndent, i);
  }
  set("posts", text);
}

/// What is recorded of a step besides its word.
void EngineWriter::setExtras() {
  std::string stepped, kept;
  for (int i = 0; i < sizes.triggers * sizes.classWords; ++i)
    stepped += fmt::format(", %complete{}_", i);
  for (size_t i = 0; i < modules.size(); ++i)
    if (modules[i].info.stage == ModuleStage::Post)
      stepped += fmt::format(", %called{}#1", i);
  for (int i = 0; i < extras(); ++i)
    kept += ", %none";
  set("extraStepped", extras() == 0 ? "" : stepped);
  set("extraKept", kept);
}

void EngineWriter::setModules() {
  std::string functions, constants, initials;
  for (size_t i = 0; i < modules.size(); ++i) {
    functions += modules[i].function;
    int32_t initial = modules[i].info.initial;
    constants += fmt::format("        %initial{} = arith.constant {} : i32\n",
                             i, initial);
    initials += fmt::format(
        "    %initial{} = arith.constant dense<{}> : !streams\n", i, initial);
  }
  constants += "        %half = arith.constant 32 : i64\n"
               "        %none64 = arith.constant 0 : i64\n"
               "        %one64 = arith.constant 1 : i64\n"
               "        %bits64 = arith.constant 64 : i64\n"
               "        %not64 = arith.constant -1 : i64\n";
  if (!modules.empty())
    arguments.conditions.insert("modules");
  set("moduleFunctions", functions);
  set("moduleConstants", constants);
  set("initials", initials);
  setManipulations();
  setTransitions();
  setPosts();
}
