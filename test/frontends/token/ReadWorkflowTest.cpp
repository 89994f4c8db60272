//===- ReadWorkflowTest.cpp - workflows from files ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadWorkflow.h"

#include "WorkflowTesting.h"

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace fs = std::filesystem;

namespace {

using Strings = std::vector<std::string>;
using Arguments = std::map<std::string, std::string>;

//===--- Files that are read ----------------------------------------------===//

constexpr const char *kPrompts = R"([config]
zone_patterns = ["[P]", "[E]"]
required_patterns = ["[P]"]
valid_tags = ["Seen", "Final"]
default_max_token_length = 10
sequences = ["setup", "again", "ask", "result", "check", "a", "b"]
control_pattern = "[J]"
escape_patterns = ["[<]", "[>]"]
tools = ["search"]
[[setup]]
text = "[P]{n} {topic}[E]"
tags = [["Seen"]]
[setup.n]
name = "n"
type = "custom"
[setup.topic]
name = "topic"
[[again]]
text = "[P]again[E]"
tags = [[]]
[[ask]]
text = "[P]ask[E]"
tags = [[]]
[[result]]
text = "[P]result"
tags = [[]]
[[check]]
text = "[P]check[E]"
tags = [[]]
[[a]]
text = "[P]a {who}[E]"
tags = [[]]
[a.who]
name = "who"
type = "argument"
[[b]]
text = "[P]b[E]"
tags = [["Final"]]
)";

/// The example of the specification, whole.
constexpr const char *kChat = R"([workflow]
name = "chat"
udpl = "prompts.toml"
[resources]
topic = "whales"
who = { kind = "static", text = "you" }
list = { kind = "list", items = ["x", "y"] }
seen = { kind = "lru", size = 2 }
[program]
main = [ { run = "setup", with = { n = 3 } },
         { loop = "again", body = [ { capture = "ask", tool = "search" }, { feed = "result" } ] },
         { when = "check", then = [ { run = "a" } ], else = [ { subroutine = "other" } ] },
         { extract = "final", tags = ["Final"], forced = false, patterns = false } ]
other = [ { run = "b" } ]
[test_model]
weight = 0
phrases = ["[E]", "hello"]
fillers = "xyz"
)";

class ReadWorkflowTest : public testing::Test {
protected:
  std::optional<SampledWorkflow> read(const std::string &workflow,
                                      const Arguments &arguments = {},
                                      uint64_t seed = 0) {
    folder.write("prompts.toml", kPrompts);
    std::string path = folder.write("x.workflow.toml", workflow);
    return readWorkflow(path, arguments, seed, diagnostics);
  }
  std::string messages() const {
    return diagnostics.status().message() + diagnostics.warnings();
  }

  TemporaryFolder folder;
  Diagnostics diagnostics;
};

std::string programs(const std::string &text, const std::string &tables = "") {
  return "[workflow]\nname = \"x\"\nudpl = \"prompts.toml\"\n" + tables +
         "[program]\n" + text;
}

TEST_F(ReadWorkflowTest, ExampleOfTheSpecification) {
  auto workflow = read(kChat);
  ASSERT_TRUE(workflow) << messages();
  EXPECT_EQ(messages(), "");
  EXPECT_EQ(workflow->name, "chat");
  EXPECT_EQ(flowOf(*workflow),
            "setup>1 setup>2 again>3 again>4|8 ask>5 ask>6 result>7 result>2 "
            "check>9 check>10|12 a>11 a>E b>13 b>E");
  EXPECT_EQ(
      textsOf(*workflow),
      (Strings{"[P]", "3 whales[E]", "[P]", "again[E]", "[P]", "ask[E]", "[P]",
               "result", "[P]", "check[E]", "[P]", "a you[E]", "[P]", "b[E]"}));
  EXPECT_EQ(workflow->zones[5].tool, "search");
  EXPECT_TRUE(workflow->zones[7].input);
  ASSERT_EQ(workflow->extractions.size(), 1u);
  EXPECT_EQ(workflow->extractions["final"].tags, Strings{"Final"});
  EXPECT_FALSE(workflow->extractions["final"].forced);
  EXPECT_FALSE(workflow->extractions["final"].patterns);
  EXPECT_EQ(workflow->testModel.weight, 0);
  EXPECT_EQ(workflow->testModel.phrases, (Strings{"[E]", "hello"}));
  EXPECT_EQ(workflow->testModel.fillers, "xyz");
  EXPECT_EQ(workflow->config.controlPattern, "[J]");
  EXPECT_TRUE(workflow->place.file.ends_with("x.workflow.toml"));
  EXPECT_TRUE(workflow->zones[5].place.file.ends_with("prompts.toml"));
  EXPECT_EQ(workflow->zones[5].place.where.line, 21u);
}

TEST_F(ReadWorkflowTest, Defaults) {
  auto workflow = read(programs("main = [{ run = \"b\" }, { extract = \"x\", "
                                "tags = [\"Final\"] }]\n"));
  ASSERT_TRUE(workflow) << messages();
  EXPECT_EQ(workflow->tokenizer, "");
  EXPECT_FALSE(workflow->liveAnswers);
  EXPECT_EQ(workflow->testModel.weight, 64);
  EXPECT_FALSE(workflow->testModel.phrases);
  EXPECT_FALSE(workflow->testModel.fillers);
  EXPECT_TRUE(workflow->extractions["x"].forced);
  EXPECT_TRUE(workflow->extractions["x"].patterns);
}

TEST_F(ReadWorkflowTest, OptionsOfTheWorkflow) {
  auto workflow = read("[workflow]\nname = \"x\"\nudpl = \"prompts.toml\"\n"
                       "main = \"go\"\ntokenizer = \"greedy:words.toml\"\n"
                       "answers = \"live\"\n[program]\n"
                       "go = [{ run = \"b\" }]\n[test_model]\nweight = 256\n");
  ASSERT_TRUE(workflow) << messages();
  EXPECT_EQ(workflow->tokenizer, "greedy:words.toml");
  EXPECT_TRUE(workflow->liveAnswers);
  EXPECT_EQ(workflow->testModel.weight, 256);
}

TEST_F(ReadWorkflowTest, InertIsWritten) {
  auto workflow = read("[workflow]\nname = \"x\"\nudpl = \"prompts.toml\"\n"
                       "answers = \"inert\"\ntokenizer = \"bytes\"\n"
                       "[program]\nmain = [{ run = \"b\" }]\n");
  ASSERT_TRUE(workflow) << messages();
  EXPECT_FALSE(workflow->liveAnswers);
}

TEST_F(ReadWorkflowTest, ProgramsAreAlsoArraysOfTables) {
  auto workflow = read("[workflow]\nname = \"x\"\nudpl = \"prompts.toml\"\n"
                       "[[program.main]]\nloop = \"again\"\n"
                       "[[program.main.body]]\nrun = \"ask\"\n"
                       "[[program.main]]\nrun = \"b\"\n");
  ASSERT_TRUE(workflow) << messages();
  EXPECT_EQ(flowOf(*workflow), "again>1 again>2|4 ask>3 ask>0 b>5 b>E");
}

TEST_F(ReadWorkflowTest, ListsOfScopesMayBeAbsent) {
  auto workflow =
      read(programs("main = [{ loop = \"again\" }, { when = \"check\" }]\n"));
  ASSERT_TRUE(workflow) << messages();
  EXPECT_EQ(flowOf(*workflow), "again>1 again>0|2 check>3 check>E|E");
}

TEST_F(ReadWorkflowTest, ArgumentsAndSeed) {
  std::string text = programs("main = [{ run = \"a\" }]\n");
  auto workflow = read(text, {{"who", "Ada"}});
  ASSERT_TRUE(workflow) << messages();
  EXPECT_EQ(textsOf(*workflow)[1], "a Ada[E]");
  EXPECT_FALSE(read(text));
  EXPECT_EQ(codesOf(diagnostics), "R03");
}

TEST_F(ReadWorkflowTest, SeedChoosesTheDraws) {
  std::string prompts = kPrompts;
  prompts.replace(prompts.find("\"a\", \"b\"]"), 9, "\"a\", \"b\", \"l\"]");
  prompts += "[[l]]\ntext = \"[P]{l}[E]\"\ntags = [[]]\nrepeats = 8\n[l.l]\n"
             "name = \"l\"\narguments = { num_samples = 1 }\n";
  folder.write("p.toml", prompts);
  std::string path = folder.write(
      "l.workflow.toml",
      "[workflow]\nname = \"x\"\nudpl = \"p.toml\"\n[resources]\nl = { kind = "
      "\"list\", items = [\"p\", \"q\", \"r\", \"s\"] }\n[program]\nmain = [{ "
      "run = \"l\" }]\n");
  // Of the model of ResourcesTest.
  for (auto [seed, draws] :
       {std::pair(0, "pqrsqspr"), {1, "sqprqprs"}, {2, "rpsqpqrs"}}) {
    auto workflow = readWorkflow(path, {}, uint64_t(seed), diagnostics);
    ASSERT_TRUE(workflow) << messages();
    std::string found;
    for (const SampledZone &zone : workflow->zones)
      if (zone.text != "[P]")
        found += zone.text[0];
    EXPECT_EQ(found, draws);
  }
}

TEST_F(ReadWorkflowTest, PromptsMayBeAFolder) {
  std::string path = folder.write("prompts.toml", kPrompts);
  fs::path prompts = fs::path(path).parent_path() / "prompts";
  fs::create_directory(prompts);
  fs::rename(path, prompts / "all.toml");
  std::string workflow = folder.write(
      "f.workflow.toml", "[workflow]\nname = \"x\"\nudpl = \"prompts\"\n"
                         "[program]\nmain = [{ run = \"b\" }]\n");
  EXPECT_TRUE(readWorkflow(workflow, {}, 0, diagnostics)) << messages();
}

/// A stranger's workflow names its own files and no others.
TEST_F(ReadWorkflowTest, PromptsAreInItsFolder) {
  fs::path home =
      fs::path(folder.write("prompts.toml", kPrompts)).parent_path();
  fs::create_directories(home / "own" / "more");
  auto workflow = [&](const std::string &prompts) {
    return folder.write("own/w.workflow.toml",
                        "[workflow]\nname = \"x\"\nudpl = \"" + prompts +
                            "\"\n[program]\nmain = [{ run = \"b\" }]\n");
  };
  fs::copy(home / "prompts.toml", home / "own" / "own.toml");
  fs::create_symlink("../prompts.toml", home / "own" / "link.toml");
  fs::create_symlink("own.toml", home / "own" / "inner.toml");
  fs::create_symlink("../../prompts.toml", home / "own" / "more" / "a.toml");
  fs::create_symlink("..", home / "own" / "up");
  for (const std::string &prompts :
       {std::string("../prompts.toml"), std::string("more/../../prompts.toml"),
        std::string("link.toml"), std::string("up/prompts.toml"),
        std::string("more"), std::string("../own2/x.toml"),
        std::string("up/no.toml"), (home / "prompts.toml").string()}) {
    Diagnostics found;
    std::string path = workflow(prompts);
    EXPECT_FALSE(readWorkflow(path, {}, 0, found)) << prompts;
    EXPECT_EQ(codesOf(found), "P07") << prompts;
    Diagnostics allowed;
    bool isThere =
        !prompts.ends_with("/x.toml") && !prompts.ends_with("no.toml");
    EXPECT_EQ(
        readWorkflow(path, {}, 0, allowed, /*allowOutside=*/true).has_value(),
        isThere)
        << prompts;
  }
  for (const std::string &prompts :
       {std::string("own.toml"), std::string("more/../own.toml"),
        std::string("../own/own.toml"), std::string("inner.toml"),
        (home / "own" / "own.toml").string()})
    EXPECT_TRUE(readWorkflow(workflow(prompts), {}, 0, diagnostics))
        << prompts << messages();
  // A folder whose name only begins like the other one's.
  fs::create_directory(home / "owner");
  fs::copy(home / "prompts.toml", home / "owner" / "own.toml");
  Diagnostics found;
  EXPECT_FALSE(readWorkflow(workflow("../owner/own.toml"), {}, 0, found));
  EXPECT_EQ(codesOf(found), "P07");
}

TEST_F(ReadWorkflowTest, FileThatIsMissing) {
  EXPECT_FALSE(
      readWorkflow("/nonexistent/x.workflow.toml", {}, 0, diagnostics));
  ASSERT_EQ(codesOf(diagnostics), "P02");
  EXPECT_TRUE(toText(diagnostics.all()[0])
                  .starts_with("/nonexistent/x.workflow.toml: error: "));
}

TEST_F(ReadWorkflowTest, ErrorsOfTheCallerDoNotMatter) {
  for (size_t i = 0; i < Diagnostics::kMax; ++i)
    diagnostics.error("X01", {"other", {1, 1}}, "Something is wrong.");
  EXPECT_TRUE(read(programs("main = [{ run = \"b\" }]\n")));
}

//===--- Hostile files ----------------------------------------------------===//

/// Programs p0 to p(count - 1), each of which calls the next, the last with a
/// sequence; main calls p0.
std::string chain(int count) {
  std::string text = "main = [{ subroutine = \"p0\" }]\n";
  for (int i = 0; i < count - 1; ++i)
    text += fmt::format("p{} = [{{ subroutine = \"p{}\" }}]\n", i, i + 1);
  return text + fmt::format("p{} = [{{ run = \"b\" }}]\n", count - 1);
}

TEST_F(ReadWorkflowTest, LongChainsOfCalls) {
  auto workflow = read(programs(chain(999)));
  ASSERT_TRUE(workflow) << messages();
  EXPECT_EQ(flowOf(*workflow), "b>1 b>E");
  EXPECT_FALSE(read(programs(chain(20000))));
  EXPECT_EQ(codesOf(diagnostics).substr(0, 3), "G03");
}

TEST_F(ReadWorkflowTest, LongCycleOfCalls) {
  std::string text = chain(5000);
  text.replace(text.rfind("run = \"b\""), 9, "subroutine = \"p0\"");
  EXPECT_FALSE(read(programs(text)));
  ASSERT_EQ(codesOf(diagnostics), "S06");
  EXPECT_LT(diagnostics.all()[0].sentence.size(), 500u);
}

TEST_F(ReadWorkflowTest, CallsThatDouble) {
  std::string text = "main = [{ subroutine = \"p0\" }]\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("p{0} = [{{ subroutine = \"p{1}\" }}, {{ subroutine = "
                        "\"p{1}\" }}]\n",
                        i, i + 1);
  text += "p60 = [{ run = \"b\" }]\n";
  EXPECT_FALSE(read(programs(text)));
  EXPECT_EQ(codesOf(diagnostics), "G03");
}

TEST_F(ReadWorkflowTest, DeepScopes) {
  std::string text = "main = [";
  for (int depth = 0; depth < 40; ++depth)
    text += "{ loop = \"again\", body = [";
  text += "{ run = \"b\" }";
  for (int depth = 0; depth < 40; ++depth)
    text += "] }";
  auto workflow = read(programs(text + "]\n"));
  ASSERT_TRUE(workflow) << messages();
  EXPECT_EQ(workflow->zones.size(), 82u);
  EXPECT_EQ(workflow->zones[81].next, 78);
}

TEST_F(ReadWorkflowTest, ScopesBeyondWhatTomlNests) {
  std::string text = "main = [";
  for (int depth = 0; depth < 5000; ++depth)
    text += "{ loop = \"again\", body = [";
  EXPECT_FALSE(read(programs(text)));
  EXPECT_EQ(codesOf(diagnostics), "P02");
}

TEST_F(ReadWorkflowTest, ManyErrors) {
  std::string text = "main = [";
  for (int step = 0; step < 1000; ++step)
    text += "{ run = \"x\" }, ";
  EXPECT_FALSE(read(programs(text + "]\n")));
  EXPECT_EQ(diagnostics.all().size(), Diagnostics::kMax);
}

TEST_F(ReadWorkflowTest, NamesAreMadeSafeToShow) {
  EXPECT_FALSE(read(programs("main = [{ run = \"\\u001B[31mx\\n\" }]\n")));
  ASSERT_EQ(codesOf(diagnostics), "S03");
  EXPECT_EQ(diagnostics.all()[0].sentence.find('\x1B'), std::string::npos);
  EXPECT_EQ(diagnostics.all()[0].sentence.find('\n'), std::string::npos);
}

TEST_F(ReadWorkflowTest, PathOfPromptsWithAZero) {
  EXPECT_FALSE(read("[workflow]\nname = \"x\"\nudpl = \"prompts.toml\\u0000\"\n"
                    "[program]\nmain = [{ run = \"b\" }]\n"));
  EXPECT_EQ(codesOf(diagnostics), "P04");
}

} // namespace
