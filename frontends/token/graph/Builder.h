//===- Builder.h - programs of prompts, word by word (SFCS) ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words with which a workflow is written: sequences of prompts one after
// the other, loops, branches and subroutines. By default a loop loops and a
// branch takes `then`; the control pattern, generated in the last zone of the
// sequence, leaves the loop or takes `otherwise`.
//
//   Program program = newProgram(sequences, resources, config, diagnostics);
//   program.run("setup", {{"n", 3}});
//   Scope again = program.loop("again");
//   again.capture("ask", "search");
//   again.feed("result");
//   again.close();
//   program.extract("final", {"Final"});
//   std::optional<Factory> factory = program.compile();
//   std::optional<SampledWorkflow> workflow =
//       (*factory)({{"name", "Ada"}}, /*seed=*/0, diagnostics);
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/graph/Bindings.h"
#include "frontends/token/graph/Graph.h"
#include "frontends/token/graph/Sample.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vm::token {

/// Where a step is, for messages.
struct StepPlace {
  Place word = builderPlace();            ///< Of the word's value.
  std::map<std::string, Place> keys = {}; ///< Of its other keys.

  const Place &of(const std::string &key) const;
};

class Program;
class Scope;
struct Branches;

/// The words of programs and scopes. A copy is the same program or scope. A
/// word that fails reports why and returns false, or a scope whose words do
/// nothing; the program cannot be compiled any more, but more words may find
/// more errors. A word of a scope that is closed, or that has an inner scope
/// which is not, fails with S20.
class Words {
public:
  /// Appends the zones of the sequence (S03, S05, R01, R02, R04, R05, W10).
  bool run(const std::string &sequence, const With &with = {},
           const StepPlace &place = {});
  /// The same; what is generated in the last zone goes to the tool (S10).
  bool capture(const std::string &sequence, const std::string &tool,
               const With &with = {}, const StepPlace &place = {});
  /// The same; the last zone is fed with the last answer of a tool.
  bool feed(const std::string &sequence, const With &with = {},
            const StepPlace &place = {});
  /// The same, then the scope, then the sequence again; a jump leaves.
  Scope loop(const std::string &sequence, const With &with = {},
             const StepPlace &place = {});
  /// The same, then one of two scopes; a jump takes `otherwise`.
  Branches when(const std::string &sequence, const With &with = {},
                const StepPlace &place = {});
  /// Inlines the steps and extracts of a program as they are now. It must have
  /// a sequence (S07), the same [config] (S09), no open scope (S20) and not be
  /// the program itself (S06); programs nest to kMaxSubroutineDepth (G03).
  bool subroutine(const Program &program, const StepPlace &place = {});

protected:
  struct State;
  friend class Program;

  Words(std::shared_ptr<State> state, int list)
      : state_(std::move(state)), list_(list) {}

  bool reference(const std::string &sequence, const With &with,
                 const StepPlace &place, SequenceReference &&reference);
  bool checkOpen(const Place &place);
  bool fail(const char *code, const Place &place, std::string sentence);
  Scope openScope(const std::string &sequence);

  std::shared_ptr<State> state_; ///< Null: the words do nothing.
  int list_;                     ///< 0 is the program's.
};

/// The body of a loop or a branch.
class Scope : public Words {
public:
  /// Ends the scope, once, after its inner ones (S20).
  bool close(const Place &place = builderPlace());

private:
  friend class Words;
  using Words::Words;
};

struct Branches {
  Scope then;
  Scope otherwise;
};

struct ExtractOptions {
  bool forced = true;
  bool patterns = true;
};

class Program : public Words {
public:
  /// The diagnostics must outlive the program.
  Program(std::shared_ptr<ProgramContext> context, std::string name,
          Diagnostics &diagnostics);

  /// Names what is tagged by one of the tags (S11, S12), of which there is
  /// one. A second one of the same name must be the same (S13).
  bool extract(const std::string &name, const std::vector<std::string> &tags,
               ExtractOptions options = {}, const StepPlace &place = {});
  /// The program as it is now; nothing after an error of one of its words, or
  /// without a sequence (S07). A program that gets too large is G03.
  std::optional<Factory> compile(const Place &place = builderPlace());

  /// Keeps the program from being compiled, after an error that the caller has
  /// reported.
  void reject();

  const std::string &name() const;
  /// Whether it, or one of its subroutines, has a sequence.
  bool hasSequence() const;

private:
  friend class Words;
};

/// A program of these prompts, whose standard placeholders are bound to
/// `resources` as they are named now. `config` and `sequences` are those of
/// readPrompts.
Program newProgram(std::vector<PromptSequence> sequences, Resources resources,
                   PromptConfig config, Diagnostics &diagnostics,
                   std::string name = "main");

} // namespace vm::token
