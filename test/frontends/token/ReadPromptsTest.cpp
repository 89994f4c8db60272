//===- ReadPromptsTest.cpp - prompts from files ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadPrompts.h"

#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace vm;
using namespace vm::token;

namespace fs = std::filesystem;

namespace {

//===--- Reading ----------------------------------------------------------===//

/// A folder that goes when the test ends.
class Folder {
public:
  Folder() {
    std::string name = testing::TempDir() + "promptsXXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }

  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  const fs::path &path() const { return path_; }

private:
  fs::path path_;
};

const std::string kConfig = R"([config]
zone_patterns = ["[P]", "[A]", "[E]"]
required_patterns = ["[P]", "[A]"]
valid_tags = ["Ask", "Seen"]
default_max_token_length = 20
sequences = ["talk", "end"]
control_pattern = "[J]"
escape_patterns = ["[Esc]", "[EndEsc]"]
)";

const std::string kEnd = R"([[end]]
text = "[P][A]"
tags = [[], []]
)";

/// Reads config, the text and the sequence `end`; errors fail the test.
Prompts read(const std::string &text, Diagnostics &diagnostics) {
  Folder folder;
  std::string path = folder.write("p.toml", kConfig + text + kEnd);
  Prompts prompts = readPrompts(path, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << diagnostics.status().message();
  return prompts;
}

PromptBlock firstBlock(const std::string &text) {
  Diagnostics diagnostics;
  Prompts prompts = read(text, diagnostics);
  EXPECT_EQ(diagnostics.warnings(), "");
  if (prompts.sequences.empty() || prompts.sequences[0].blocks.empty()) {
    ADD_FAILURE() << "no block";
    return PromptBlock();
  }
  return prompts.sequences[0].blocks[0];
}

/// Text as it is, a placeholder as <key>.
std::string joined(const ZoneTemplate &zone, const PromptBlock &block) {
  std::string text;
  for (const TemplatePart &part : zone.parts)
    text += part.placeholder < 0
                ? part.text
                : "<" + block.placeholders[size_t(part.placeholder)].key + ">";
  return text;
}

TEST(ReadPrompts, ConfigIsKept) {
  Diagnostics diagnostics;
  Prompts prompts =
      read("[[talk]]\ntext = '[P][A]'\ntags = [[], []]\n", diagnostics);
  const PromptConfig &config = prompts.config;
  EXPECT_EQ(config.zonePatterns,
            (std::vector<std::string>{"[P]", "[A]", "[E]"}));
  EXPECT_EQ(config.requiredPatterns, (std::vector<std::string>{"[P]", "[A]"}));
  EXPECT_EQ(config.validTags, (std::vector<std::string>{"Ask", "Seen"}));
  EXPECT_EQ(config.defaultMaxTokenLength, 20);
  EXPECT_EQ(config.sequences, (std::vector<std::string>{"talk", "end"}));
  EXPECT_EQ(config.controlPattern, "[J]");
  EXPECT_EQ(config.escapeOpen, "[Esc]");
  EXPECT_EQ(config.escapeClose, "[EndEsc]");
  EXPECT_TRUE(config.tools.empty());
  EXPECT_TRUE(config.alternatives.empty());
  EXPECT_EQ(config.misc.dump(), "{}");
  EXPECT_EQ(config.place.where, (SourceLocation{1, 1}));
  EXPECT_EQ(config.keys.at("sequences").where, (SourceLocation{6, 1}));
  EXPECT_EQ(config.keys.size(), 7u);
}

TEST(ReadPrompts, OptionalKeysOfConfigAreKept) {
  Diagnostics diagnostics;
  Prompts prompts = read(R"(tools = ["calc", "search"]
[config.misc]
z = 1
a = [true, "x", 0.5]
[config.alternatives]
"[E]" = ["[End]", "</s>"]
"[J]" = ["[Jump]"]
[[talk]]
text = "[P][A]"
tags = [[], []]
)",
                         diagnostics);
  EXPECT_EQ(diagnostics.warnings(), "");
  EXPECT_EQ(prompts.config.tools, (std::vector<std::string>{"calc", "search"}));
  EXPECT_EQ(prompts.config.misc.dump(), R"({"z":1,"a":[true,"x",0.5]})");
  Alternatives expected{{"[E]", {"[End]", "</s>"}}, {"[J]", {"[Jump]"}}};
  EXPECT_EQ(prompts.config.alternatives, expected);
}

TEST(ReadPrompts, ABlockIsCutIntoZones) {
  PromptBlock block =
      firstBlock("[[talk]]\n  text = '[P] What is AI? [A] It is.'\n"
                 "tags = [['Ask'], ['Seen', 'Ask']]\n");
  ASSERT_EQ(block.zones.size(), 3u);
  EXPECT_EQ(joined(block.zones[0], block), "[P]");
  EXPECT_EQ(joined(block.zones[1], block), " What is AI? [A]");
  EXPECT_EQ(joined(block.zones[2], block), " It is.");
  EXPECT_EQ(block.zones[0].advancePattern, "[P]");
  EXPECT_EQ(block.zones[1].advancePattern, "[A]");
  EXPECT_EQ(block.zones[2].advancePattern, "[E]");
  std::vector<std::vector<std::vector<std::string>>> tags = {
      {{"Ask"}, {"Seen", "Ask"}}};
  EXPECT_EQ(block.tags, tags);
  EXPECT_FALSE(block.hasTagset);
  EXPECT_EQ(block.repeats, 1);
  EXPECT_EQ(block.maxGenTokens, 20);
  // The config has 8 lines.
  EXPECT_EQ(block.place.where, (SourceLocation{9, 1}));
  EXPECT_EQ(block.textPlace.where, (SourceLocation{10, 3}));
}

TEST(ReadPrompts, RepeatsAndLimit) {
  PromptBlock block =
      firstBlock("[[talk]]\ntext = '[P][A]'\ntags = [[], []]\n"
                 "repeats = 100\nmax_gen_tokens = 2147483647\n");
  EXPECT_EQ(block.repeats, 100);
  EXPECT_EQ(block.maxGenTokens, 2147483647);
  EXPECT_EQ(block.tags.size(), 1u);
}

TEST(ReadPrompts, ATagsetIsOneOfEachRepetition) {
  PromptBlock block = firstBlock("[[talk]]\ntext = '[P][A]'\n"
                                 "tagset = [[['Ask'], []], [[], ['Seen']]]\n");
  std::vector<std::vector<std::vector<std::string>>> tags = {{{"Ask"}, {}},
                                                             {{}, {"Seen"}}};
  EXPECT_EQ(block.tags, tags);
  EXPECT_TRUE(block.hasTagset);
  EXPECT_EQ(block.repeats, 2);
}

TEST(ReadPrompts, PlaceholdersAreInTheOrderOfTheText) {
  PromptBlock block = firstBlock(R"([[talk]]
text = "[P]a {z}{b} [A] {{z}} {z} c"
tags = [[], []]
[talk.b]
name = "topic"
type = "custom"
arguments = {num_samples = 3, more = [1, "x"]}
[talk.z]
name = "b"
)");
  ASSERT_EQ(block.placeholders.size(), 2u);
  const Placeholder &z = block.placeholders[0], &b = block.placeholders[1];
  EXPECT_EQ(z.key, "z");
  EXPECT_EQ(z.resource, "b");
  EXPECT_EQ(z.binding, Binding::Standard);
  EXPECT_EQ(z.arguments.dump(), "{}");
  EXPECT_EQ(z.place.where, (SourceLocation{16, 1}));
  EXPECT_EQ(b.key, "b");
  EXPECT_EQ(b.resource, "topic");
  EXPECT_EQ(b.binding, Binding::Custom);
  EXPECT_EQ(b.arguments.dump(), R"({"num_samples":3,"more":[1,"x"]})");
  EXPECT_EQ(joined(block.zones[1], block), "a <z><b> [A]");
  EXPECT_EQ(joined(block.zones[2], block), " {z} <z> c");
}

TEST(ReadPrompts, BindingsByName) {
  for (auto [name, binding] : {std::pair("standard", Binding::Standard),
                               {"custom", Binding::Custom},
                               {"argument", Binding::Argument}}) {
    PromptBlock block = firstBlock(
        fmt::format("[[talk]]\ntext = '[P][A]{{x}}'\ntags = [[], []]\n"
                    "[talk.x]\nname = 'n'\ntype = '{}'\n",
                    name));
    EXPECT_EQ(block.placeholders.at(0).binding, binding) << name;
  }
}

TEST(ReadPrompts, SequencesAreInTheOrderOfConfig) {
  Folder folder;
  std::string config = kConfig;
  config.replace(config.find("[\"talk\", \"end\"]"), 15, "[\"end\", \"talk\"]");
  std::string path = folder.write(
      "p.toml", config +
                    "[[talk]]\ntext = '[P][A]'\ntags = [[], []]\n"
                    "[[talk]]\ntext = '[P]2[A]'\ntags = [[], []]\n" +
                    kEnd);
  Diagnostics diagnostics;
  Prompts prompts = readPrompts(path, diagnostics);
  ASSERT_EQ(prompts.sequences.size(), 2u) << diagnostics.status().message();
  EXPECT_EQ(prompts.sequences[0].name, "end");
  EXPECT_EQ(prompts.sequences[0].blocks.size(), 1u);
  EXPECT_EQ(prompts.sequences[1].name, "talk");
  EXPECT_EQ(prompts.sequences[1].blocks.size(), 2u);
  EXPECT_EQ(prompts.find("talk"), &prompts.sequences[1]);
  EXPECT_EQ(prompts.find("other"), nullptr);
}

TEST(ReadPrompts, AFolderIsItsTomlFilesAlone) {
  Folder folder;
  folder.write("z.toml", kConfig);
  folder.write("a.toml", "[[talk]]\ntext = '[P][A]'\ntags = [[], []]\n");
  folder.write("B.toml", kEnd);
  folder.write("readme.txt", "no TOML");
  folder.write(".hidden.toml", "no TOML");
  fs::create_directories(folder.path() / "below.toml");
  folder.write("below.toml/x.toml", "no TOML");
  Diagnostics diagnostics;
  Prompts prompts = readPrompts(folder.path().string(), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.status().message();
  ASSERT_EQ(prompts.sequences.size(), 2u);
  EXPECT_EQ(prompts.sequences[0].place.file,
            (folder.path() / "a.toml").string());
  EXPECT_EQ(prompts.config.place.file, (folder.path() / "z.toml").string());
}

TEST(ReadPrompts, FilesOfAFolderAreInByteOrder) {
  Folder folder;
  folder.write("a.toml", "= 1");
  folder.write("B.toml", "= 1");
  folder.write("a-.toml", "= 1");
  Diagnostics diagnostics;
  readPrompts(folder.path().string(), diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 3u);
  std::vector<std::string> names;
  for (const Diagnostic &diagnostic : diagnostics.all())
    names.push_back(fs::path(diagnostic.place.file).filename());
  EXPECT_EQ(names, (std::vector<std::string>{"B.toml", "a-.toml", "a.toml"}));
}

TEST(ReadPrompts, WhatCannotBeReadIsNamed) {
  Folder folder;
  std::error_code error;
  fs::create_symlink("nowhere", folder.path() / "x.toml", error);
  std::string missing = (folder.path() / "missing.toml").string();
  for (const std::string &path : {missing, folder.path().string()}) {
    Diagnostics diagnostics;
    readPrompts(path, diagnostics);
    ASSERT_EQ(diagnostics.all().size(), 1u) << path;
    const Diagnostic &diagnostic = diagnostics.all()[0];
    EXPECT_EQ(diagnostic.code, "U02");
    EXPECT_EQ(diagnostic.place.where, (SourceLocation{0, 0}));
    EXPECT_NE(diagnostic.sentence.find(diagnostic.place.file),
              std::string::npos);
  }
}

TEST(ReadPrompts, AFoldersFilesHaveALimitTogether) {
  Folder folder;
  std::string comment = "#" + std::string(kMaxTomlBytes / 2, 'x');
  folder.write("a.toml", comment);
  folder.write("b.toml", comment);
  Diagnostics diagnostics;
  readPrompts(folder.path().string(), diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].code, "U02");
  EXPECT_EQ(diagnostics.all()[0].place.file,
            (folder.path() / "b.toml").string());
}

TEST(ReadPrompts, ErrorsOfTheCallerDoNotEndTheReading) {
  Diagnostics diagnostics;
  diagnostics.error("P01", {"w", {1, 1}}, "Before.");
  Folder folder;
  std::string path = folder.write("p.toml", kConfig + "[[talk]]\n" + kEnd);
  readPrompts(path, diagnostics);
  // The block has neither tags nor a text.
  ASSERT_EQ(diagnostics.all().size(), 3u);
  EXPECT_EQ(diagnostics.all()[0].code, "P01");
  EXPECT_EQ(diagnostics.all()[1].code, "U23");
  EXPECT_EQ(diagnostics.all()[2].code, "U22");
}

//===--- Hostile files ----------------------------------------------------===//

/// Reads the text, which must be over soon; the number of errors.
size_t errorsIn(const std::string &text) {
  Diagnostics diagnostics;
  readPromptText(text, "p", diagnostics);
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    EXPECT_LT(diagnostic.sentence.size(), 1000u);
    EXPECT_EQ(diagnostic.place.file, "p");
  }
  return diagnostics.all().size();
}

TEST(HostilePrompts, MessagesAreLimitedInNumberAndLength) {
  std::string blocks;
  for (int i = 0; i < 20000; ++i)
    blocks += "[[talk]]\n";
  EXPECT_EQ(errorsIn(kConfig + blocks + kEnd), Diagnostics::kMax);
  std::string name(1 << 20, 'n');
  EXPECT_EQ(errorsIn(kConfig + "[[talk]]\ntext = '[P][A]{" + name +
                     "}'\ntags = [[], []]\n" + kEnd),
            1u);
  EXPECT_EQ(errorsIn(kConfig + name + " = 1\n"), 1u);
  EXPECT_EQ(
      errorsIn(kConfig + "[[talk]]\n" + name + " = '" + name + "'\n" + kEnd),
      3u);
}

TEST(HostilePrompts, ManyPatternsInAManyMore) {
  // Each of 1000 patterns is a part of all longer ones.
  std::string patterns;
  for (size_t length = 1; length <= 1000; ++length)
    patterns += fmt::format("'{}', ", std::string(length, 'a'));
  std::string config = kConfig;
  config.replace(config.find("\"[P]\", \"[A]\", \"[E]\""), 19,
                 "'[P]', '[A]', '[E]', " + patterns);
  // Warnings alone, and one error: 2 lists of tags where 1002 are wanted.
  EXPECT_EQ(errorsIn(config + kEnd + "[[talk]]\n" + kEnd.substr(8)),
            Diagnostics::kMax + 2);
}

} // namespace
