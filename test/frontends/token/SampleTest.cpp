//===- SampleTest.cpp - texts that the factory of workflows draws ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuilderTesting.h"

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

using SampleTest = BuilderTest;

//===--- Resources --------------------------------------------------------===//

constexpr const char *kTopic = "tags = [[]]\n[s.t]\nname = \"topic\"\n";

TEST_F(SampleTest, StandardIsOfTheResources) {
  resources.add("topic", Resource::text("whales"));
  Program program = make(oneBlock("[P]on {t}.[E]", kTopic));
  program.run("s");
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  EXPECT_EQ(textsOf(*workflow), (Strings{"[P]", "on whales.[E]"}));
  EXPECT_EQ(codesOf(diagnostics), "");
}

TEST_F(SampleTest, StandardThatIsMissing) {
  Program program = make(oneBlock("[P]on {t}.[E]", kTopic));
  EXPECT_FALSE(program.run("s"));
  expectOnly("R01", {"\"topic\"", "{t}", "block 0", "\"s\""});
  EXPECT_FALSE(program.compile());
}

TEST_F(SampleTest, StandardIsBoundWhenTheProgramBegins) {
  Program program = make(oneBlock("[P]on {t}.[E]", kTopic));
  resources.add("topic", Resource::text("too late"));
  EXPECT_FALSE(program.run("s"));
  EXPECT_EQ(codesOf(diagnostics), "R01");
}

TEST_F(SampleTest, WithDoesNotFillAStandardPlaceholder) {
  resources.add("topic", Resource::text("whales"));
  Program program = make(oneBlock("[P]on {t}.[E]", kTopic));
  EXPECT_FALSE(program.run("s", {{"topic", "ships"}}));
  expectOnly("S05", {"\"topic\"", "\"s\""});
}

std::string typed(const std::string &type) {
  return fmt::format("{}type = \"{}\"\n", kTopic, type);
}

TEST_F(SampleTest, CustomIsOfWithAndThenOfTheResources) {
  resources.add("topic", Resource::text("whales"));
  Program program = make(oneBlock("[P]on {t}.[E]", typed("custom")));
  EXPECT_TRUE(program.run("s"));
  EXPECT_EQ(codesOf(diagnostics), "");
  EXPECT_TRUE(program.run("s", {{"topic", 42}}));
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  EXPECT_EQ(textsOf(*workflow),
            (Strings{"[P]", "on whales.[E]", "[P]", "on 42.[E]"}));
  expectOnly("W10", {"\"topic\"", "warning"});
}

TEST_F(SampleTest, CustomThatIsMissing) {
  Program program = make(oneBlock("[P]on {t}.[E]", typed("custom")));
  EXPECT_TRUE(program.run("s", {{"topic", -7}}));
  EXPECT_FALSE(program.run("s"));
  expectOnly("R02", {"\"topic\"", "{t}", "block 0", "\"s\""});
}

TEST_F(SampleTest, ArgumentIsLookedUpInThreePlaces) {
  resources.add("topic", Resource::text("resource"));
  Program program = make(oneBlock("[P]on {t}.[E]", typed("argument")));
  program.run("s");
  program.run("s", {{"topic", "with"}});
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  EXPECT_EQ(textsOf(*workflow),
            (Strings{"[P]", "on resource.[E]", "[P]", "on with.[E]"}));
  workflow = build(program, {{"topic", "argument"}});
  ASSERT_TRUE(workflow);
  EXPECT_EQ(textsOf(*workflow),
            (Strings{"[P]", "on argument.[E]", "[P]", "on argument.[E]"}));
}

TEST_F(SampleTest, ArgumentThatIsMissing) {
  Program program = make(oneBlock("[P]on {t}.[E]", typed("argument")));
  program.run("s");
  program.run("s");
  std::optional<Factory> factory = program.compile();
  ASSERT_TRUE(factory);
  EXPECT_FALSE((*factory)({}, 0, diagnostics));
  expectOnly("R03",
             {"p.toml:12:1: error:", "\"topic\"", "{t}", "block 0", "\"s\""});
  EXPECT_TRUE((*factory)({{"topic", "x"}}, 0, diagnostics));
}

TEST_F(SampleTest, UnknownArgument) {
  resources.add("topic", Resource::text("whales"));
  Program program = make(oneBlock("[P]on {t}.[E]", kTopic));
  program.run("s");
  EXPECT_FALSE(build(program, {{"topic", "x"}}));
  expectOnly("R07", {"<builder>: error:", "\"topic\""});
}

TEST_F(SampleTest, ArgumentsOfAText) {
  resources.add("topic", Resource::text("whales"));
  std::string table = std::string(kTopic) + "arguments = {num_samples = 1}\n";
  Program program = make(oneBlock("[P]on {t}.[E]", table));
  EXPECT_FALSE(program.run("s"));
  EXPECT_FALSE(program.run("s")); // Is said once.
  expectOnly("R04", {":14:1: error:", "\"topic\"", "\"num_samples\"", "{t}",
                     "block 0"});
}

TEST_F(SampleTest, ArgumentsAreOfWhatIsFound) {
  resources.add("topic", Resource::list({"a", "b"}));
  std::string table =
      typed("argument") + "arguments = {num_samples = \"all\"}\n";
  Program program = make(oneBlock("[P]on {t}.[E]", table));
  program.run("s");
  ASSERT_TRUE(build(program));
  EXPECT_FALSE(build(program, {{"topic", "text"}}));
  expectOnly("R04", {"\"topic\"", "\"num_samples\""});
}

TEST_F(SampleTest, CustomTextWithArguments) {
  resources.add("topic", Resource::list({"a", "b"}));
  std::string table = typed("custom") + "arguments = {num_samples = \"all\"}\n";
  Program program = make(oneBlock("[P]on {t}.[E]", table));
  EXPECT_TRUE(program.run("s"));
  EXPECT_FALSE(program.run("s", {{"topic", "text"}}));
  EXPECT_EQ(codesOf(diagnostics), "W10 R04");
}

TEST_F(SampleTest, CountThatIsWrong) {
  resources.add("topic", Resource::lru(2));
  Program program = make(oneBlock("[P]on {t}.[E]", kTopic));
  EXPECT_FALSE(program.run("s"));
  expectOnly("R05", {"\"topic\"", "\"num_samples\"", "{t}", "block 0"});
}

//===--- Draws ------------------------------------------------------------===//

// Single draws of `letters` with seed 0 are c e d a b, then b e d c a
// (ResourcesTest).

Resource letters() { return Resource::list({"a", "b", "c", "d", "e"}); }

std::string drawing(const std::string &keys, const std::string &rest) {
  std::string text = rest;
  for (char key : keys)
    text += fmt::format("[s.{}]\nname = \"letters\"\narguments = {{num_samples "
                        "= 1}}\n",
                        key);
  return text;
}

TEST_F(SampleTest, ZonesOfARepetitionShareADraw) {
  resources.add("letters", letters());
  std::string text = oneBlock("[P]{x}-{x}[A]{x}[E]",
                              drawing("x", "tags = [[], []]\nrepeats = 3\n"));
  text.replace(text.find("\"[E]\""), 5, "\"[A]\", \"[E]\"");
  Program program = make(text);
  program.run("s");
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  EXPECT_EQ(textsOf(*workflow),
            (Strings{"[P]", "c-c[A]", "c[E]", "[P]", "e-e[A]", "e[E]", "[P]",
                     "d-d[A]", "d[E]"}));
}

TEST_F(SampleTest, PlaceholdersDrawInTheOrderOfTheText) {
  resources.add("letters", letters());
  Program program =
      make(oneBlock("[P]{y}{x}[E]", drawing("xy", "tags = [[]]\n")));
  program.run("s");
  program.run("s");
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  EXPECT_EQ(textsOf(*workflow), (Strings{"[P]", "ce[E]", "[P]", "da[E]"}));
}

TEST_F(SampleTest, DrawsAreInTheOrderOfTheNumbers) {
  resources.add("letters", letters());
  std::string text = fmt::format("{}sequences = [\"w\", \"t\", \"o\", "
                                 "\"z\"]\n",
                                 kConfig);
  for (char name : std::string("wtoz"))
    text += fmt::format("[[{0}]]\ntext = '[P]{{x}}[E]'\ntags = [[]]\n[{0}.x]\n"
                        "name = \"letters\"\narguments = {{num_samples = 1}}\n",
                        name);
  Program program = make(text);
  Branches branches = program.when("w");
  branches.otherwise.run("o");
  branches.otherwise.close();
  branches.then.run("t");
  branches.then.close();
  program.run("z");
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  EXPECT_EQ(textsOf(*workflow, "w")[1], "c[E]");
  EXPECT_EQ(textsOf(*workflow, "t")[1], "e[E]");
  EXPECT_EQ(textsOf(*workflow, "z")[1], "d[E]");
  EXPECT_EQ(textsOf(*workflow, "o")[1], "a[E]");
}

TEST_F(SampleTest, EachCallOfTheFactoryBeginsAnew) {
  resources.add("letters", letters());
  Program program =
      make(oneBlock("[P]{x}[E]", drawing("x", "tags = [[]]\nrepeats = 3\n")));
  program.run("s");
  std::optional<Factory> factory = program.compile();
  ASSERT_TRUE(factory);
  for (int call = 0; call < 2; ++call) {
    auto workflow = (*factory)({}, 0, diagnostics);
    ASSERT_TRUE(workflow);
    EXPECT_EQ(textsOf(*workflow),
              (Strings{"[P]", "c[E]", "[P]", "e[E]", "[P]", "d[E]"}));
  }
  // Seed 1 draws "e\nc", "a\nd" in pairs, so e, c, a one by one.
  EXPECT_EQ(textsOf(*(*factory)({}, 1, diagnostics)),
            (Strings{"[P]", "e[E]", "[P]", "c[E]", "[P]", "a[E]"}));
}

TEST_F(SampleTest, PushesWorkBetweenCalls) {
  resources.add("topic", Resource::lru(2, {"one"}));
  std::string table =
      std::string(kTopic) + "arguments = {num_samples = \"all\"}\n";
  Program program = make(oneBlock("[P]{t}[E]", table));
  program.run("s");
  std::optional<Factory> factory = program.compile();
  ASSERT_TRUE(factory);
  EXPECT_EQ(textsOf(*(*factory)({}, 0, diagnostics))[1], "one[E]");
  ASSERT_TRUE(resources.find("topic")->push("two").ok());
  EXPECT_EQ(textsOf(*(*factory)({}, 0, diagnostics))[1], "two\none[E]");
  ASSERT_TRUE(resources.find("topic")->push("three").ok());
  EXPECT_EQ(textsOf(*(*factory)({}, 0, diagnostics))[1], "three\ntwo[E]");
}

//===--- Filled texts -----------------------------------------------------===//

TEST_F(SampleTest, PatternInAResource) {
  for (const char *pattern : {"[E]", "[J]", "[P]"}) {
    diagnostics = {};
    resources.add("topic", Resource::text(fmt::format("a{}b", pattern)));
    Program program =
        make(oneBlock("[P]on {t}.[E]", fmt::format("repeats = 2\n{}", kTopic)));
    program.run("s");
    EXPECT_TRUE(build(program));
    expectOnly("W11", {"p.toml:12:1: warning:", pattern, "\"topic\"", "{t}",
                       "block 0", "\"s\""});
  }
}

TEST_F(SampleTest, EscapesInAResourceMustBeBalanced) {
  for (const char *text : {"[<]", "a[>]b", "[>][<]", "[<][<][>]"}) {
    diagnostics = {};
    resources.add("topic", Resource::text(text));
    Program program = make(oneBlock("[P]on {t}.[E]", kTopic));
    program.run("s");
    EXPECT_FALSE(build(program)) << text;
    expectOnly("R06",
               {"p.toml:12:1: error:", "\"topic\"", "{t}", "block 0", "\"s\""});
  }
  diagnostics = {};
  resources.add("topic", Resource::text("[<]x[>]"));
  Program program = make(oneBlock("[P]on {t}.[E]", kTopic));
  program.run("s");
  EXPECT_TRUE(build(program));
  EXPECT_EQ(codesOf(diagnostics), "");
}

TEST_F(SampleTest, EscapeMayBeginInTheTextAndEndInTheResource) {
  // The block itself is balanced only where the resource adds as much as it
  // takes away.
  resources.add("topic", Resource::text("[>]x[<]"));
  Program program = make(oneBlock("[P][<]{t}[>][E]", kTopic));
  program.run("s");
  EXPECT_TRUE(build(program));
  EXPECT_EQ(codesOf(diagnostics), "");
}

TEST_F(SampleTest, WorkflowOfTooMuchText) {
  // A long tag is counted, too, and takes less time than a long text.
  std::string tag(1 << 20, 'q');
  std::string text = oneBlock("[P]x[E]", fmt::format("tags = [[\"{}\"]]\n"
                                                     "repeats = 200\n",
                                                     tag));
  text.replace(text.find("\"R\""), 3, "\"" + tag + "\"");
  Program program = make(text);
  program.run("s");
  EXPECT_FALSE(build(program));
  expectOnly("G03", {"\"s\"", "block 0", "134217728"});
}

} // namespace
