//===- JsonSchemaTest.cpp - grammars of JSON that fits a schema -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/JsonSchema.h"

#include "frontends/llm/grammar/IntegerRange.h"
#include "test/frontends/llm/GrammarTesting.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace vm;
using namespace vm::llm;

static void expectValues(const std::string &schema,
                         std::initializer_list<const char *> good,
                         std::initializer_list<const char *> bad) {
  Result<std::string> gbnf = gbnfOfSchema(schema);
  ASSERT_TRUE(gbnf.ok()) << gbnf.status().message();
  Result<Grammar> grammar = parseGbnf(*gbnf);
  ASSERT_TRUE(grammar.ok()) << *gbnf << grammar.status().message();
  GrammarAutomaton automaton(*grammar);
  for (const char *text : good)
    EXPECT_TRUE(isTextOf(automaton, text)) << schema << " has not " << text;
  for (const char *text : bad)
    EXPECT_FALSE(isTextOf(automaton, text)) << schema << " has " << text;
}

TEST(LlmJsonSchema, Values) {
  expectValues("{}",
               {"1", "-0.5e3", "\"a\\u00e9\\n\"", "[1, []]", "{\"a\": {}}",
                "true", "null", "{\"a\":1,\n  \"b\":2}"},
               {"01", "\"\n\"", "[1,]", "{\"a\"}", "tru", ""});
  expectValues(R"({"type": "boolean"})", {"true", "false "}, {"1", "null"});
  expectValues(R"({"type": ["string", "null"], "maxLength": 2})",
               {"null", "\"ab\"", "\"\\u00e9é\""}, {"\"abc\"", "1"});
  expectValues(R"({"enum": ["a", 1, {"b": [2]}]})",
               {"\"a\"", "1", "{\"b\":[2]}"}, {"a", "2"});
  expectValues(R"({"const": "a\"\\\n"})", {R"("a\"\\\n")"}, {"\"a\""});
  expectValues(R"({"type": "string", "format": "date"})", {"\"2026-11-29\""},
               {"\"2026-13-01\"", "\"x\""});
  expectValues(R"({"type": "string", "minLength": 1})", {"\"a\""}, {"\"\""});
}

TEST(LlmJsonSchema, Objects) {
  expectValues(R"({"type": "object", "properties": {"a": {"type": "null"},
                   "b": {"type": "null"}, "c": {"type": "null"}},
                   "required": ["b"], "additionalProperties": false})",
               {R"({"b":null})", R"({"a": null, "b": null})",
                R"({"b":null,"c":null})", R"({"a":null,"b":null,"c":null})"},
               {"{}", R"({"a":null})", R"({"b":null,"a":null})",
                R"({"b":null,})", R"({"b":1})", R"({"b":null,"d":null})"});
  expectValues(R"({"properties": {"a": {"type": "null"},
                   "ab": {"type": "null"}}, "additionalProperties": {"const": 1}})",
               {"{}", R"({"a":null})", R"({"ab":null,"x":1,"abc":1,"":1})",
                R"({"x":1,"y":1})", R"({"ac":1})"},
               {R"({"a":1})", R"({"ab":1})", R"({"x":null})"});
  expectValues(R"({"type": "object"})", {"{}", R"({"a":[{"b":1}]})"}, {"[]"});
}

TEST(LlmJsonSchema, Arrays) {
  expectValues(R"({"type": "array", "items": {"type": "integer"},
                   "minItems": 1, "maxItems": 3})",
               {"[1]", "[1, 2,3]"}, {"[]", "[1,2,3,4]", "[true]"});
  expectValues(R"({"items": {"type": "null"}, "minItems": 2})",
               {"[null,null]", "[null,null,null]"}, {"[null]"});
  expectValues(R"({"type": "array", "maxItems": 0})", {"[]"}, {"[1]"});
  expectValues(R"({"type": "array", "prefixItems": [{"const": 1}, true]})",
               {"[1,\"a\"]", "[1, [2]]"}, {"[1]", "[2,1]"});
}

TEST(LlmJsonSchema, ChoicesAndReferences) {
  expectValues(R"({"anyOf": [{"type": "null"}, {"const": 3}]})", {"null", "3"},
               {"2"});
  expectValues(R"({"type": "string", "oneOf": [{"maxLength": 1},
                   {"minLength": 4}]})",
               {"\"\"", "\"abcd\""}, {"\"ab\"", "1"});
  expectValues(R"({"type": "object", "properties": {"next": {"$ref": "#"},
                   "x": {"$ref": "#/$defs/a~1b"}}, "required": ["x"],
                   "$defs": {"a/b": {"type": "integer"}}})",
               {R"({"x":1})", R"({"next":{"next":{"x":1},"x":2},"x":3})"},
               {R"({"next":{},"x":1})"});
}

TEST(LlmJsonSchema, IntegersBetweenBounds) {
  for (auto [least, most] : {std::pair(0, 0),
                             {7, 7},
                             {0, 9},
                             {3, 12},
                             {10, 99},
                             {15, 1042},
                             {-1, 1},
                             {-20, -3},
                             {-105, 27},
                             {99, 101},
                             {0, 1000}}) {
    Result<Grammar> grammar =
        parseGbnf("root ::= " + gbnfOfIntegers(least, most));
    ASSERT_TRUE(grammar.ok()) << grammar.status().message();
    GrammarAutomaton automaton(*grammar);
    for (int i = -1200; i <= 1200; ++i)
      EXPECT_EQ(isTextOf(automaton, std::to_string(i)), i >= least && i <= most)
          << i << " of " << least << " to " << most;
    EXPECT_FALSE(isTextOf(automaton, "007"));
  }
  expectValues(R"({"type": "integer", "exclusiveMinimum": 2, "maximum": 4.5})",
               {"3", "4"}, {"2", "5", "3.5"});
  expectValues(R"({"type": "integer", "minimum": 12})",
               {"12", "9999999999999999"}, {"11", "-12"});
}

static std::string patternSchema(const std::string &pattern) {
  return nlohmann::json({{"type", "string"}, {"pattern", pattern}}).dump();
}

TEST(LlmJsonSchema, Patterns) {
  expectValues(patternSchema("^a+b?$"), {"\"a\"", "\"aaab\""},
               {"\"\"", "\"b\"", "\"abb\"", "\"xa\"", "a"});
  expectValues(patternSchema("b"), {"\"b\"", "\"abc\"", "\"a\\\"bé\""},
               {"\"\"", "\"ac\""});
  expectValues(patternSchema("^x|y$"), {"\"xa\"", "\"ay\"", "\"x\""},
               {"\"ax\"", "\"ya\""});
  expectValues(patternSchema("^(\\d{3}-|(?:\\+[1-9]))\\d{2,4}$"),
               {"\"123-45\"", "\"+91234\""}, {"\"123-4\"", "\"+0123\""});
  expectValues(patternSchema("^[^a-c\\]]$"),
               {"\"d\"", "\"\\\"\"", "\"\\\\\"", "\"é\"", "\"\\n\"",
                "\"\\u0007\"", "\"\\u001F\""},
               {"\"b\"", "\"]\"", "\"\\\"", "\"\n\"", "\"\""});
  expectValues(patternSchema("^.$"), {"\"a\"", "\"\\t\"", "\"\U0001F600\""},
               {"\"\\n\"", "\"ab\""});
  expectValues(patternSchema("^[\\w.-]+@\\S+\\x2E(?<end>com|org)$"),
               {"\"a.b-c@d.com\"", "\"_@\\\\.org\""}, {"\"a@b.net\""});
  expectValues(patternSchema("^\\uD83D\\uDE00\\u00e9\\/\\\\$"),
               {"\"\U0001F600é/\\\\\""}, {"\"é\""});
  expectValues(patternSchema("^(a|)(b*?){0,2}$"), {"\"\"", "\"abb\"", "\"b\""},
               {"\"ba\""});
  expectValues(patternSchema(""), {"\"\"", "\"x\""}, {"1"});
  expectValues(R"({"type": ["string", "null"], "pattern": "^a$"})",
               {"null", "\"a\""}, {"\"b\""});
  expectValues(R"({"pattern": "^a$"})", {"\"a\""}, {"\"b\"", "1"});
}

TEST(LlmJsonSchema, PatternsThatAreNone) {
  auto refusal = [](const std::string &pattern) {
    Result<std::string> gbnf = gbnfOfSchema(patternSchema(pattern));
    EXPECT_FALSE(gbnf.ok()) << pattern;
    return gbnf.ok() ? "" : gbnf.status().message();
  };
  EXPECT_EQ(refusal("^a(?=b)"),
            "The JSON schema at #: \"pattern\" has, at byte 4, a group that "
            "looks around, or has flags, which is not supported.");
  EXPECT_EQ(refusal("(a)\\1"),
            "The JSON schema at #: \"pattern\" has, at byte 4, a "
            "backreference, which no grammar has.");
  EXPECT_EQ(refusal("^(a*)*$"),
            "The JSON schema at #: \"pattern\" has, at byte 6, a repetition "
            "without end of what may be empty.");
  for (const char *pattern :
       {"a(?!b)", "(?<=a)b", "(?<!a)b", "(?i:a)",          "\\k<a>", "\\b",
        "\\p{L}", "\\",      "\\u12",   "\\uD800",         "(",      ")",
        "[",      "[]",      "[b-a]",   "[a-\\d]",         "a**",    "*",
        "a{",     "a{1",     "a{2,1}",  "a{999999999999}", "a^",     "$a",
        "(^a)",   "{2}",     "(|a)+"})
    EXPECT_NE(refusal(pattern).find("\"pattern\" has, at byte"),
              std::string::npos)
        << pattern;
  std::string deep(60000, '(');
  EXPECT_NE(refusal(deep + std::string(60000, ')'))
                .find("more than 128 groups within each other"),
            std::string::npos);
  Result<std::string> large =
      gbnfOfSchema(patternSchema("^((a{999}){999}){999}$"));
  ASSERT_TRUE(large.ok());
  EXPECT_TRUE(parseGbnf(*large).ok());
  Result<std::string> larger = gbnfOfSchema(patternSchema("^a{262144}{2}$"));
  EXPECT_FALSE(larger.ok());
  larger = gbnfOfSchema(patternSchema("^a{200000}b{200000}$"));
  ASSERT_TRUE(larger.ok());
  EXPECT_EQ(parseGbnf(*larger).status().message().find("Line"), 0U);
}

TEST(LlmJsonSchema, AllOf) {
  expectValues(R"({"allOf": [{"$ref": "#/$defs/a"},
                   {"properties": {"y": {"type": "integer", "maximum": 7}},
                    "required": ["y"]}], "description": "both",
                   "$defs": {"a": {"type": "object", "required": ["x"],
                   "properties": {"x": {"type": "null"},
                   "y": {"type": "number", "minimum": 3}}}}})",
               {R"({"x":null,"y":3})", R"({"x":null,"y":7})"},
               {R"({"x":null})", R"({"y":3})", R"({"x":null,"y":8})",
                R"({"x":null,"y":2})"});
  expectValues(R"({"allOf": [{"type": "string"}, {"minLength": 2},
                   {"maxLength": 5, "minLength": 1}, true]})",
               {"\"ab\"", "\"abcde\""}, {"\"a\"", "\"abcdef\"", "1"});
  expectValues(R"({"allOf": [{"enum": [1, 2, "a"]}, {"enum": ["a", 2, 3]}]})",
               {"2", "\"a\""}, {"1", "3"});
  expectValues(R"({"allOf": [{"allOf": [{"$ref": "#/$defs/a"}]}],
                   "$defs": {"a": {"type": "array", "items": {"$ref": "#"}}}})",
               {"[]", "[[],[[]]]"}, {"1", "[1]"});
}

TEST(LlmJsonSchema, AllOfThatIsNotMerged) {
  auto refusal = [](const std::string &schema) {
    Result<std::string> gbnf = gbnfOfSchema(schema);
    EXPECT_FALSE(gbnf.ok()) << schema;
    return gbnf.ok() ? "" : gbnf.status().message();
  };
  EXPECT_EQ(
      refusal(R"({"allOf": [{"type": "string"}, {"type": "null"}]})"),
      "The JSON schema at #: no \"type\" is in all schemas of \"allOf\".");
  EXPECT_EQ(refusal(R"({"allOf": [{"pattern": "a"}, {"pattern": "b"}]})"),
            "The JSON schema at #: two schemas of \"allOf\" have \"pattern\", "
            "which are not merged.");
  EXPECT_EQ(
      refusal(R"({"allOf": [{"properties": {"a": {}},
                  "additionalProperties": false}, {"properties": {"b": {}}}]})"),
      "The JSON schema at #: \"additionalProperties\" of a schema of \"allOf\" "
      "is for \"b\" of another one, too, which is not supported.");
  EXPECT_EQ(refusal(R"({"allOf": [{"$ref": "#/a"}]})"),
            "The JSON schema at #: \"allOf\" has a \"$ref\" to nothing in this "
            "document.");
  EXPECT_EQ(refusal(R"({"allOf": []})"),
            "The JSON schema at #: \"allOf\" is not an array of at least one "
            "schema.");
  EXPECT_EQ(refusal(R"({"allOf": [{"$ref": "#"}]})"),
            "The JSON schema at #: \"allOf\" joins more than 256 schemas.");
  // Both grow with each level.
  EXPECT_NE(refusal(R"({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
                        "$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/a"}}},
                        "b": {"properties": {"x": {"$ref": "#/$defs/b"}}}}})")
                .find("joins more than 256 schemas."),
            std::string::npos);
  std::string twice;
  for (int i = 0; i < 60; ++i)
    twice += fmt::format(R"("d{0}":{{"allOf":[{{"$ref":"#/$defs/d{1}"}},)"
                         R"({{"$ref":"#/$defs/d{1}"}}]}},)",
                         i, i + 1);
  EXPECT_NE(
      refusal(R"({"$ref":"#/$defs/d0","$defs":{)" + twice + R"("d60":{}}})")
          .find("joins more than 256 schemas."),
      std::string::npos);
}

TEST(LlmJsonSchema, SaysWhatItDoesNotHave) {
  auto refusal = [](const std::string &schema) {
    Result<std::string> gbnf = gbnfOfSchema(schema);
    EXPECT_FALSE(gbnf.ok()) << schema;
    return gbnf.ok() ? "" : gbnf.status().message();
  };
  EXPECT_EQ(refusal("{"), "The JSON schema is not JSON.");
  EXPECT_EQ(refusal("3"), "The JSON schema at #: it is number, not an object.");
  EXPECT_EQ(
      refusal(R"({"properties": {"a": {"not": {"type": "null"}}}})"),
      "The JSON schema at #/properties/a: \"not\" is not supported there.");
  EXPECT_EQ(refusal(R"({"type": "word"})"),
            "The JSON schema at #: \"type\" is \"word\", which no value has.");
  EXPECT_EQ(refusal(R"({"$ref": "#/$defs/a"})"),
            "The JSON schema at #: \"$ref\" is \"#/$defs/a\", which is nothing "
            "in this document.");
  EXPECT_EQ(refusal(R"({"type": "integer", "minimum": 5, "maximum": 4})"),
            "The JSON schema at #: no integer is from 5 to 4.");
  EXPECT_EQ(refusal(R"({"type": "object", "required": ["a"]})"),
            "The JSON schema at #: \"required\" has \"a\", which is not in "
            "\"properties\".");
  EXPECT_EQ(refusal(R"({"type": "array", "minItems": 3, "maxItems": 2})"),
            "The JSON schema at #: \"maxItems\" is 2, and \"minItems\" 3.");
  EXPECT_EQ(refusal(R"({"type": "string", "maxLength": -1})"),
            "The JSON schema at #: \"maxLength\" is not an integer from 0 to "
            "262144.");
  EXPECT_EQ(refusal(R"({"enum": []})"),
            "The JSON schema at #: \"enum\" is not an array of at least one "
            "value.");
  std::string deep;
  for (int i = 0; i < 60000; ++i)
    deep += "{\"items\":";
  EXPECT_EQ(refusal(deep + "{}" + std::string(60000, '}')),
            "The JSON schema has 60001 levels (the limit is 128).");
}

TEST(LlmJsonSchema, AChainOfReferences) {
  std::string definitions;
  for (int i = 0; i < 20000; ++i)
    definitions += "\"d" + std::to_string(i) + "\":{\"$ref\":\"#/$defs/d" +
                   std::to_string(i + 1) + "\"},";
  expectValues("{\"$ref\":\"#/$defs/d0\",\"$defs\":{" + definitions +
                   "\"d20000\":{\"const\":1}}}",
               {"1"}, {"2"});
}
