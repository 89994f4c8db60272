//===- TextTemplateTest.cpp - programs with places to fill in -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/engine/TextTemplate.h"

#include <gtest/gtest.h>

using namespace vm;

namespace {

std::string fill(std::string_view text,
                 std::set<std::string, std::less<>> conditions = {}) {
  return fillTemplate(text, {{{"rows", "7"}, {"name", "q6"}, {"empty", ""}},
                             std::move(conditions)});
}

//===--- Places -----------------------------------------------------------===//

TEST(TextTemplate, PlacesAreReplaced) {
  EXPECT_EQ(fill("tensor<@rows@xf32>\n"), "tensor<7xf32>\n");
  EXPECT_EQ(fill("@rows@@rows@ @name@\n"), "77 q6\n");
  EXPECT_EQ(fill("heap @x : !x@empty@\n"), "heap @x : !x\n");
}

TEST(TextTemplate, SymbolsStay) {
  EXPECT_EQ(fill("program @@name@(%x) calls @half and @rows\n"),
            "program @q6(%x) calls @half and @rows\n");
  EXPECT_EQ(fill("@unknown@ @rows@\n"), "@unknown@ 7\n");
  EXPECT_EQ(fill("at the end @\n"), "at the end @\n");
}

TEST(TextTemplate, ValuesAreNotFilledAgain) {
  TemplateArguments arguments{{{"a", "@b@"}, {"b", "wrong"}}, {}};
  EXPECT_EQ(fillTemplate("@a@\n", arguments), "@b@\n");
}

TEST(TextTemplate, LinesEndWithALineFeed) {
  EXPECT_EQ(fill(""), "");
  EXPECT_EQ(fill("\n\n"), "\n\n");
  EXPECT_EQ(fill("last"), "last\n");
}

//===--- Conditions -------------------------------------------------------===//

TEST(TextTemplate, AConditionChoosesLines) {
  const char *text =
      "before\n  //@if a\nyes\n  //@else\nno\n  //@end\nbehind\n";
  EXPECT_EQ(fill(text, {"a"}), "before\nyes\nbehind\n");
  EXPECT_EQ(fill(text, {"b"}), "before\nno\nbehind\n");
}

TEST(TextTemplate, OneOfSeveralConditionsIsEnough) {
  const char *text = "//@if wait or spawn\nyes\n//@end\n";
  EXPECT_EQ(fill(text, {"wait"}), "yes\n");
  EXPECT_EQ(fill(text, {"spawn"}), "yes\n");
  EXPECT_EQ(fill(text, {"write"}), "");
}

TEST(TextTemplate, ConditionsAreWholeWords) {
  EXPECT_EQ(fill("//@if spawn\nyes\n//@end\n", {"spawning", "spa"}), "");
}

TEST(TextTemplate, ConditionsNest) {
  const char *text = "//@if a\na\n//@if b\nab\n//@else\na only\n//@end\n"
                     "//@else\nno a\n//@if b\nb only\n//@end\n//@end\n";
  EXPECT_EQ(fill(text, {"a", "b"}), "a\nab\n");
  EXPECT_EQ(fill(text, {"a"}), "a\na only\n");
  EXPECT_EQ(fill(text, {"b"}), "no a\nb only\n");
  EXPECT_EQ(fill(text), "no a\n");
}

TEST(TextTemplate, OtherCommentsStay) {
  EXPECT_EQ(fill("// @if a\n//@other a\n"), "// @if a\n//@other a\n");
}

TEST(TextTemplate, LinesMayKeepTheirNumbers) {
  TemplateArguments arguments{{{"rows", "7"}}, {"a"}, /*keepsLines=*/true};
  EXPECT_EQ(fillTemplate("//@if a\n@rows@\n//@else\nno\nno\n//@end\nlast\n",
                         arguments),
            "\n7\n\n\n\n\nlast\n");
}

TEST(TextTemplate, FilesAreOneText) {
  TextFile files[] = {{"a", "//@if x\nfirst\n"}, {"b", "//@end\n@rows@\n"}};
  TemplateArguments arguments;
  arguments.set("rows", 7);
  EXPECT_EQ(fillTemplate(files, arguments), "7\n");
}

//===--- Macros -----------------------------------------------------------===//

constexpr const char *kSum = "//@define sum x y r\n"
                             "  {r} = add {x}, {y} : @rows@\n"
                             "  use {r}\n"
                             "//@end\n";

TEST(TextTemplate, AMacroIsItsLines) {
  EXPECT_EQ(fill(std::string(kSum) + "a\n    @sum %a %b %c@\nb\n"),
            "a\n  %c = add %a, %b : 7\n  use %c\nb\n");
}

TEST(TextTemplate, AMacroIsUsedByItselfWithAllItsWords) {
  for (const char *line : {"@sum %a %b@\n", "@sum %a %b %c %d@\n", "@sum@\n",
                           "x @sum %a %b %c@\n"})
    EXPECT_EQ(fill(std::string(kSum) + line), line);
}

TEST(TextTemplate, ParametersAreWholeWords) {
  EXPECT_EQ(fill("//@define m c col\n{c} {col} c {other}\n//@end\n@m 1 2@\n"),
            "1 2 c {other}\n");
}

TEST(TextTemplate, AMacroMayUseAnother) {
  EXPECT_EQ(fill("//@define one x\none {x}\n//@end\n"
                 "//@define two x\n@one {x}@\ntwo {x}\n//@end\n"
                 "@two %a@\n"),
            "one %a\ntwo %a\n");
}

TEST(TextTemplate, AConditionChoosesAMacro) {
  const char *text = "//@if f16\n//@define kept x\nhalf {x}\n//@end\n"
                     "//@else\n//@define kept x\nwhole {x}\n//@end\n//@end\n"
                     "@kept %a@\n";
  EXPECT_EQ(fill(text, {"f16"}), "half %a\n");
  EXPECT_EQ(fill(text), "whole %a\n");
}

TEST(TextTemplate, AMacroBehindAConditionIsNotUsed) {
  EXPECT_EQ(fill(std::string(kSum) + "//@if a\n@sum 1 2 3@\n//@end\n"), "");
}

} // namespace
