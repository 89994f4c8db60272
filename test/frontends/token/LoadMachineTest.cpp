//===- LoadMachineTest.cpp - a machine from files of any form -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/files/LoadMachine.h"

#include "frontends/token/forms/Wire.h"
#include "frontends/token/machine/TensorJson.h"
#include "frontends/token/reference/Report.h"
#include "test/frontends/token/TokenTesting.h"
#include "test/frontends/token/WorkflowTesting.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

const char *const kPrompts = R"([config]
zone_patterns = ["[P]", "[A]", "[E]"]
required_patterns = ["[P]"]
valid_tags = ["Seen", "Final"]
default_max_token_length = 30
sequences = ["ask", "result", "check"]
control_pattern = "[J]"
escape_patterns = ["[<]", "[>]"]
tools = ["calc"]
[[ask]]
text = "[P]Compute {what}.[A]"
tags = [["Seen"], []]
[ask.what]
name = "what"
type = "argument"
[[result]]
text = "[P]result [A]"
tags = [[], ["Seen"]]
[[check]]
text = "[P]ok?[A]"
tags = [["Seen"], ["Final"]]
)";

std::string workflow(const std::string &name, const std::string &more = "") {
  return "[workflow]\nname = \"" + name + "\"\nudpl = \"prompts.toml\"\n" +
         more + R"([program]
main = [ { loop = "check", body = [ { capture = "ask", tool = "calc" },
                                    { feed = "result" } ] },
         { extract = "final", tags = ["Final"], patterns = false } ]
)";
}

/// A folder with the prompts and two workflows.
class TokenLoadMachine : public testing::Test {
protected:
  TokenLoadMachine() {
    folder.write("prompts.toml", kPrompts);
    one = folder.write("one.workflow.toml", workflow("one"));
    two = folder.write("two.workflow.toml", workflow("two"));
    options.arguments = {{"what", "6*7"}};
  }

  LoadedMachine mustLoad(const std::vector<std::string> &paths) {
    Result<LoadedMachine> loaded = loadMachine(paths, options);
    if (loaded.ok())
      return std::move(*loaded);
    ADD_FAILURE() << loaded.status().message();
    return {};
  }
  Status refuse(const std::vector<std::string> &paths) {
    Result<LoadedMachine> loaded = loadMachine(paths, options);
    EXPECT_FALSE(loaded.ok());
    return loaded.ok() ? Status() : loaded.status();
  }

  std::string besides(const std::string &name) const {
    return (std::filesystem::path(one).parent_path() / name).string();
  }

  TemporaryFolder folder;
  std::string one, two;
  LoadOptions options;
};

/// The report of some streams, which answer with the number of characters.
std::string runAll(const LoadedMachine &loaded, int32_t streams = 6) {
  Result<std::unique_ptr<Model>> model = makeTestModel(loaded.machine, 3);
  ReferenceOptions options;
  options.limits = {2000, defaultCaptureTokens(loaded.machine), 100};
  options.streams = streams;
  std::unique_ptr<Reference> reference =
      std::move(*Reference::create(loaded.machine, **model, options));
  ToolSet tools;
  EXPECT_TRUE(tools
                  .addCallback("calc",
                               [](const std::string &text) {
                                 return ToolReply::answer(
                                     std::to_string(text.size()));
                               })
                  .ok());
  Result<RunOutcome> outcome = runToEnd(*reference, tools, *loaded.tokenizer);
  EXPECT_TRUE(outcome.ok());
  return reportText(*reference, *loaded.tokenizer, outcome->requests);
}

TEST_F(TokenLoadMachine, RunsAWorkflow) {
  LoadedMachine loaded = mustLoad({one});
  EXPECT_EQ(loaded.warnings, "");
  // Three sequences of one block, three zones each.
  EXPECT_EQ(loaded.machine.end(), 9);
  std::string report = runAll(loaded);
  EXPECT_NE(report.find("\"status\":\"DONE\""), std::string::npos);
  EXPECT_NE(report.find("Compute 6*7."), std::string::npos);
  EXPECT_NE(report.find("{\"tool\":\"calc\""), std::string::npos);
}

TEST_F(TokenLoadMachine, EveryFormRunsTheSame) {
  LoadedMachine loaded = mustLoad({one});
  std::string report = runAll(loaded);
  std::string tensors =
      folder.write("one.token.json", writeTensors(loaded.machine));
  Result<LoadedWorkflow> sampled = loadWorkflow(one, options);
  ASSERT_TRUE(sampled.ok());
  std::string wire = folder.write("one.wire", writeWire(sampled->workflow));
  options.arguments.clear(); // They are in the texts.
  EXPECT_EQ(runAll(mustLoad({tensors})), report);
  EXPECT_EQ(runAll(mustLoad({wire})), report);
}

TEST_F(TokenLoadMachine, SeveralFilesAreOneMachine) {
  LoadedMachine first = mustLoad({one});
  std::string tensors =
      folder.write("one.token.json", writeTensors(first.machine));
  LoadedMachine all = mustLoad({two, tensors});
  ASSERT_EQ(all.machine.workflows.size(), 2u);
  EXPECT_EQ(all.machine.workflows[0].name, "two");
  EXPECT_EQ(all.machine.workflows[1].name, "one");
  EXPECT_EQ(all.machine.workflows[1].entry, 9);
  EXPECT_EQ(all.machine.end(), 18);
  // One tool, which both ask.
  EXPECT_EQ(usedTools(all.machine), std::vector<std::string>{"calc"});
}

/// Stream b of W workflows is stream b of its workflow alone, but for numbers.
TEST_F(TokenLoadMachine, AWorkflowDoesTheSameBesideOthers) {
  using Json = nlohmann::json;
  Json alone = Json::parse(runAll(mustLoad({one})))["streams"];
  Json both = Json::parse(runAll(mustLoad({two, one})))["streams"];
  for (int b : {1, 3, 5})
    for (const char *key : {"tokens", "token_num", "tags", "forced", "event",
                            "requests", "text", "extract", "status"})
      EXPECT_EQ(both[b][key], alone[b][key]) << b << key;
  EXPECT_EQ(both[1]["final"]["zone"], 18);
  EXPECT_EQ(alone[1]["final"]["zone"], 9);
}

TEST_F(TokenLoadMachine, SaysWhatIsWrongInEachFile) {
  std::string tensors = folder.write("a.token.json", "{}");
  std::string wire = folder.write("a.wire", "!");
  std::string text = folder.write("bad.workflow.toml", "x = ");
  Status status = refuse({one, tensors, wire, text, besides("no.wire")});
  EXPECT_EQ(status.code(), Code::BadInput);
  const std::string &message = status.message();
  EXPECT_EQ(message.find("one.workflow.toml"), std::string::npos);
  for (const char *line : {"a.token.json: error: ", "a.wire: error: ",
                           "bad.workflow.toml:1:", "no.wire: error: "})
    EXPECT_NE(message.find(line), std::string::npos) << line << '\n' << message;
  EXPECT_NE(message.find("[X01]"), std::string::npos);
  EXPECT_NE(message.find("[P02]"), std::string::npos);
}

TEST_F(TokenLoadMachine, AnotherFileIsAMisuse) {
  Status status = refuse({one, "a.json"});
  EXPECT_EQ(status.code(), Code::Usage);
  EXPECT_EQ(status.message(), "The input \"a.json\" is neither .workflow.toml "
                              "nor .wire nor .token.json.");
  EXPECT_EQ(refuse({}).code(), Code::Usage);
}

TEST_F(TokenLoadMachine, WarningsOfAllFilesAreKept) {
  std::string more = R"(other = [ { run = "check" } ]
)";
  std::string a = folder.write("a.workflow.toml", workflow("a") + more);
  std::string b = folder.write("b.workflow.toml", workflow("b") + more);
  std::string warnings = mustLoad({a, b}).warnings;
  EXPECT_NE(warnings.find("a.workflow.toml:"), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("\n" + b), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("[W12]"), std::string::npos);
}

//===--- Tokenizers -------------------------------------------------------===//

TEST_F(TokenLoadMachine, AWorkflowsTokenizerLiesBesideIt) {
  folder.write("pieces.toml", "pieces = [\"Compute \"]\n");
  std::string greedy =
      folder.write("greedy.workflow.toml",
                   workflow("greedy", "tokenizer = \"greedy:pieces.toml\"\n"));
  LoadedMachine loaded = mustLoad({greedy});
  EXPECT_EQ(loaded.machine.vocabulary, 258);
  EXPECT_EQ(loaded.tokenizer->encode("Compute x"),
            (std::vector<int32_t>{257, 'x'}));
  EXPECT_EQ(std::count(loaded.machine.tokenData.begin(),
                       loaded.machine.tokenData.end(), 257),
            1);
  EXPECT_NE(runAll(loaded).find("Compute 6*7."), std::string::npos);
}

TEST_F(TokenLoadMachine, AWorkflowsTokenizerIsInItsFolder) {
  std::string pieces = folder.write("pieces.toml", "pieces = [\"Compute \"]\n");
  std::filesystem::create_directory(besides("own"));
  folder.write("own/prompts.toml", kPrompts);
  std::filesystem::create_symlink("../pieces.toml", besides("own/link.toml"));
  for (const std::string &file :
       {std::string("../pieces.toml"), std::string("link.toml"), pieces}) {
    std::string path =
        folder.write("own/w.workflow.toml",
                     workflow("w", "tokenizer = \"greedy:" + file + "\"\n"));
    options.allowOutside = false;
    std::string refusal = refuse({path}).message();
    EXPECT_NE(refusal.find("leads out of the workflow's folder"),
              std::string::npos)
        << refusal;
    EXPECT_NE(refusal.find("[P07]"), std::string::npos) << refusal;
    options.allowOutside = true;
    EXPECT_EQ(mustLoad({path}).machine.vocabulary, 258);
  }
  // What the command line names is the user's.
  Result<LoadedWorkflow> sampled = loadWorkflow(one, options);
  std::string wire = folder.write("own/one.wire", writeWire(sampled->workflow));
  options.allowOutside = false;
  options.arguments.clear();
  options.tokenizer = "greedy:" + pieces;
  EXPECT_EQ(mustLoad({wire}).machine.vocabulary, 258);
}

TEST_F(TokenLoadMachine, AllMustHaveOneTokenizer) {
  folder.write("pieces.toml", "pieces = [\"Compute \"]\n");
  std::string greedy =
      folder.write("greedy.workflow.toml",
                   workflow("greedy", "tokenizer = \"greedy:pieces.toml\"\n"));
  EXPECT_NE(refuse({one, greedy}).message().find("[P16]"), std::string::npos);
  options.tokenizer = "bytes";
  EXPECT_NE(refuse({greedy}).message().find("[P16]"), std::string::npos);
  options.tokenizer = "greedy:" + besides("pieces.toml");
  mustLoad({greedy});
  EXPECT_EQ(mustLoad({one}).machine.vocabulary, 258); // It names none.
}

TEST_F(TokenLoadMachine, AWireFormTakesTheTokenizerOfTheCommandLine) {
  std::string pieces = folder.write("pieces.toml", "pieces = [\"Compute \"]\n");
  Result<LoadedWorkflow> sampled = loadWorkflow(one, options);
  ASSERT_TRUE(sampled.ok());
  std::string wire = folder.write("one.wire", writeWire(sampled->workflow));
  EXPECT_EQ(mustLoad({wire}).machine.vocabulary, 257);
  options.tokenizer = "greedy:" + pieces;
  EXPECT_EQ(mustLoad({wire}).machine.vocabulary, 258);
  options.tokenizer = "other";
  Status status = refuse({wire});
  EXPECT_TRUE(status.message().starts_with("command line: error: "));
  EXPECT_NE(status.message().find("[P03]"), std::string::npos);
}

} // namespace
