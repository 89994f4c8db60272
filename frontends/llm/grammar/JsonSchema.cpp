//===- JsonSchema.cpp - grammars of JSON that fits a schema ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/JsonSchema.h"

#include "frontends/llm/grammar/Grammar.h"
#include "frontends/llm/grammar/IntegerRange.h"
#include "frontends/llm/grammar/PatternGrammar.h"
#include "frontends/llm/grammar/SchemaMerge.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <vector>

using namespace vm;
using namespace vm::llm;

using Json = nlohmann::ordered_json;

/// Rules that others use, as llama.cpp's converter has them.
static constexpr std::array<std::pair<const char *, const char *>, 15> kRules =
    {{
        {"space", R"(| " " | "\n"{1,2} [ \t]{0,20})"},
        {"value", "object | array | string | number | boolean | null"},
        {"object",
         R"("{" space ( string ":" space value ( "," space string ":")"
         R"( space value )* )? "}" space)"},
        {"array", R"("[" space ( value ( "," space value )* )? "]" space)"},
        {"char", R"([^"\\\x7F\x00-\x1F] | "\\" ( ["\\bfnrt] | "u" )"
                 R"([0-9a-fA-F]{4} ))"},
        {"string", R"("\"" char* "\"" space)"},
        {"integral", R"("0" | [1-9] [0-9]{0,15})"},
        {"number", R"("-"? integral ( "." [0-9]{1,16} )? )"
                   R"(( [eE] [-+]? [0-9]{1,3} )? space)"},
        {"integer", R"("-"? integral space)"},
        {"boolean", R"(( "true" | "false" ) space)"},
        {"null", R"("null" space)"},
        {"date", R"([0-9]{4} "-" ( "0" [1-9] | "1" [0-2] ) "-" )"
                 R"(( "0" [1-9] | [12] [0-9] | "3" [01] ))"},
        {"clock", R"(( [01] [0-9] | "2" [0-3] ) ":" [0-5] [0-9])"},
        {"time", R"(clock ":" [0-5] [0-9] ( "." [0-9]{3} )? )"
                 R"(( "Z" | [-+] clock ))"},
        {"uuid", R"([0-9a-fA-F]{8} ( "-" [0-9a-fA-F]{4} ){3} "-" )"
                 R"([0-9a-fA-F]{12})"},
    }};

namespace {
class Converter {
public:
  explicit Converter(const Json &document)
      : document(document),
        merger([this](const std::string &pointer) { return find(pointer); }) {}
  Result<std::string> convert();

private:
  /// An expression for the values that fit a schema, which stands at `path`.
  using Expression = std::optional<std::string>; ///< Nothing: see `problem`.
  Expression visit(const Json &schema, const std::string &path);
  Expression visitTyped(const Json &schema, const std::string &type,
                        const std::string &path);
  Expression reference(const Json &schema, const std::string &path);
  Expression constant(const Json &schema, const std::string &path);
  Expression choice(const Json &schema, const std::string &path);
  Expression object(const Json &schema, const std::string &path);
  Expression array(const Json &schema, const std::string &path);
  Expression string(const Json &schema, const std::string &path);
  Expression pattern(const Json &schema, const std::string &path);
  Expression merged(const Json &schema, const std::string &path);
  Expression integer(const Json &schema, const std::string &path);

  bool onlyHas(const Json &schema, const std::string &path,
               std::initializer_list<std::string_view> keys);
  bool readCount(const Json &schema, const char *key, const std::string &path,
                 std::optional<uint64_t> &count);
  bool readBound(const Json &schema, const char *key, bool isLeast,
                 bool isExclusive, const std::string &path, int64_t &bound);
  const Json *find(const std::string &pointer) const;
  Expression fail(const std::string &path, const std::string &what);

  std::string rule(const std::string &expression);
  std::string use(const std::string &name);

  const Json &document;
  SchemaMerger merger;
  std::string problem;
  std::string rules; ///< In GBNF.
  size_t count = 0;
  std::map<std::string, std::string> references; ///< Rules by pointer.
  /// Those without a rule yet: what they refer to may be a long chain.
  std::vector<std::pair<std::string, const Json *>> waiting;
  std::set<std::string> used; ///< Of kRules.
};
} // namespace

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// A text of GBNF that makes `text`.
static std::string literal(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (static_cast<uint8_t>(c) < 0x20)
      quoted += fmt::format("\\x{:02X}", c);
    else
      quoted += c;
  return quoted + "\"";
}

/// As JSON spells it.
static std::string spelled(const Json &value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static std::string join(const std::vector<std::string> &parts,
                        const char *between) {
  return fmt::format("{}", fmt::join(parts, between));
}

Converter::Expression Converter::fail(const std::string &path,
                                      const std::string &what) {
  if (problem.empty())
    problem = fmt::format("The JSON schema at {}: {}", path, what);
  return std::nullopt;
}

std::string Converter::rule(const std::string &expression) {
  std::string name = fmt::format("r{}", count++);
  rules += fmt::format("{} ::= {}\n", name, expression);
  return name;
}

std::string Converter::use(const std::string &name) {
  if (!used.insert(name).second)
    return name;
  for (const auto &[own, expression] : kRules) {
    if (own != name)
      continue;
    rules += fmt::format("{} ::= {}\n", name, expression);
    for (const auto &[other, unused] : kRules)
      if (std::string_view(expression).find(other) != std::string_view::npos)
        use(other);
  }
  return name;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

bool Converter::onlyHas(const Json &schema, const std::string &path,
                        std::initializer_list<std::string_view> keys) {
  for (const auto &[key, value] : schema.items())
    if (!isAnnotation(key) && std::ranges::find(keys, key) == keys.end()) {
      fail(path,
           fmt::format("\"{}\" is not supported there.", key.substr(0, 40)));
      return false;
    }
  return true;
}

bool Converter::readCount(const Json &schema, const char *key,
                          const std::string &path,
                          std::optional<uint64_t> &number) {
  auto found = schema.find(key);
  if (found == schema.end())
    return true;
  if (!found->is_number_integer() || found->get<int64_t>() < 0 ||
      found->get<int64_t>() > int64_t(kMaxGrammarSymbols)) {
    fail(path, fmt::format("\"{}\" is not an integer from 0 to {}.", key,
                           kMaxGrammarSymbols));
    return false;
  }
  number = found->get<uint64_t>();
  return true;
}

bool Converter::readBound(const Json &schema, const char *key, bool isLeast,
                          bool isExclusive, const std::string &path,
                          int64_t &bound) {
  auto found = schema.find(key);
  if (found == schema.end())
    return true;
  constexpr auto kLimit = static_cast<double>(kLargestInteger);
  if (!found->is_number() || !(std::abs(found->get<double>()) < kLimit)) {
    fail(path, fmt::format("\"{}\" is not a number between -{} and {}.", key,
                           kLargestInteger, kLargestInteger));
    return false;
  }
  double number = found->get<double>();
  double whole = isLeast ? std::ceil(number) : std::floor(number);
  auto own = static_cast<int64_t>(whole);
  if (isExclusive && whole == number)
    own += isLeast ? 1 : -1;
  bound = isLeast ? std::max(bound, own) : std::min(bound, own);
  return true;
}

/// What a reference points to; null if nothing.
const Json *Converter::find(const std::string &pointer) const {
  const Json *at = &document;
  if (!pointer.starts_with('#'))
    return nullptr;
  for (size_t first = 1; first < pointer.size();) {
    if (pointer[first] != '/')
      return nullptr;
    size_t past = std::min(pointer.find('/', first + 1), pointer.size());
    std::string key = pointer.substr(first + 1, past - first - 1);
    for (auto [escape, meaning] : {std::pair("~1", "/"), std::pair("~0", "~")})
      for (size_t i = key.find(escape); i != std::string::npos;
           i = key.find(escape, i + 1))
        key.replace(i, 2, meaning);
    if (at->is_array() && !key.empty() && key.size() < 7 &&
        std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; })) {
      size_t number = std::stoul(key);
      at = number < at->size() ? &(*at)[number] : nullptr;
    } else {
      auto found = at->is_object() ? at->find(key) : at->end();
      at = found != at->end() ? &*found : nullptr;
    }
    if (!at)
      return nullptr;
    first = past;
  }
  return at;
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

Converter::Expression Converter::reference(const Json &schema,
                                           const std::string &path) {
  const Json &target = schema["$ref"];
  if (!onlyHas(schema, path, {"$ref"}))
    return std::nullopt;
  if (!target.is_string())
    return fail(path, "\"$ref\" is not a string.");
  auto pointer = target.get<std::string>();
  const Json *found = find(pointer);
  if (!found)
    return fail(path, fmt::format("\"$ref\" is \"{}\", which is nothing in "
                                  "this document.",
                                  pointer.substr(0, 80)));
  auto [entry, isNew] = references.try_emplace(pointer);
  if (isNew) {
    entry->second = fmt::format("r{}", count++);
    waiting.emplace_back(pointer, found);
  }
  return entry->second;
}

Converter::Expression Converter::constant(const Json &schema,
                                          const std::string &path) {
  if (!onlyHas(schema, path, {"const", "enum", "type"}))
    return std::nullopt;
  std::vector<std::string> values;
  if (auto own = schema.find("const"); own != schema.end()) {
    values.push_back(literal(spelled(*own)));
  } else {
    const Json &list = schema["enum"];
    if (!list.is_array() || list.empty())
      return fail(path, "\"enum\" is not an array of at least one value.");
    for (const Json &value : list)
      values.push_back(literal(spelled(value)));
  }
  return fmt::format("( {} ) {}", join(values, " | "), use("space"));
}

/// anyOf and oneOf; of the latter a value may fit several, too.
Converter::Expression Converter::choice(const Json &schema,
                                        const std::string &path) {
  const char *key = schema.contains("anyOf") ? "anyOf" : "oneOf";
  const Json &list = schema[key];
  if (!onlyHas(schema, path, {key, "type"}))
    return std::nullopt;
  if (!list.is_array() || list.empty())
    return fail(
        path,
        fmt::format("\"{}\" is not an array of at least one schema.", key));
  std::vector<std::string> all;
  for (size_t i = 0; i < list.size(); ++i) {
    Json own = list[i];
    if (own.is_object() && !own.contains("type") && schema.contains("type") &&
        !own.contains("$ref"))
      own["type"] = schema["type"];
    Expression expression = visit(own, fmt::format("{}/{}/{}", path, key, i));
    if (!expression)
      return std::nullopt;
    all.push_back(*expression);
  }
  return fmt::format("( {} )", join(all, " | "));
}

/// Characters by which names are told apart: as many groups are nested.
static constexpr size_t kMaxNameDepth = kMaxGrammarGroups / 2;

namespace {
/// Names by their characters, so that a grammar can make all others.
struct NameTree {
  std::map<std::string, NameTree> children; ///< By a character.
  bool isName = false;

  void add(std::string_view name) {
    NameTree *at = this;
    for (size_t depth = 0; !name.empty() && depth <= kMaxNameDepth; ++depth) {
      size_t bytes = 1;
      while (bytes < name.size() && (name[bytes] & 0xC0) == 0x80)
        ++bytes;
      at = &at->children[std::string(name.substr(0, bytes))];
      name.remove_prefix(bytes);
    }
    at->isName = true;
  }
};
} // namespace

/// Names that are not in the tree, without quotes: as soon as one is another
/// one, it may be anything.
static std::string othersOf(const NameTree &tree, size_t depth) {
  std::string seen;
  std::vector<std::string> all;
  // What begins alike for so long is no other one.
  bool isCut = depth >= kMaxNameDepth;
  for (const auto &[character, child] : tree.children) {
    bool isSpecial = character == "]" || character == "[" || character == "^" ||
                     character == "-";
    // JSON spells some characters otherwise: these are left out.
    if (character != "\"" && character != "\\" &&
        static_cast<uint8_t>(character[0]) >= 0x20 && character != "\x7F")
      seen += isSpecial ? fmt::format("\\x{:02X}", character[0]) : character;
    else
      continue;
    if (!isCut)
      all.push_back(literal(character) + " " + othersOf(child, depth + 1));
  }
  all.push_back(fmt::format("[^\"\\\\\\x7F\\x00-\\x1F{}] char*", seen));
  if (!tree.isName)
    all.emplace_back("\"\"");
  return "( " + join(all, " | ") + " )";
}

Converter::Expression Converter::object(const Json &schema,
                                        const std::string &path) {
  if (!onlyHas(schema, path,
               {"type", "properties", "required", "additionalProperties"}))
    return std::nullopt;
  Json properties = schema.value("properties", Json::object());
  Json required = schema.value("required", Json::array());
  if (!properties.is_object())
    return fail(path, "\"properties\" is not an object.");
  if (!required.is_array())
    return fail(path, "\"required\" is not an array.");
  for (const Json &name : required)
    if (!name.is_string() || !properties.contains(name.get<std::string>()))
      return fail(path, fmt::format("\"required\" has {}, which is not in "
                                    "\"properties\".",
                                    spelled(name).substr(0, 80)));

  std::string space = use("space");
  // Members after the named ones, as those of other names; or nothing.
  std::string first = "\"\"", rest = "\"\"";
  Json more = schema.value("additionalProperties",
                           Json(!schema.contains("properties")));
  if (!more.is_boolean() || more.get<bool>()) {
    Expression value = visit(more, path + "/additionalProperties");
    if (!value)
      return std::nullopt;
    NameTree names;
    for (const auto &[name, unused] : properties.items())
      names.add(name);
    use("char");
    std::string member =
        rule(fmt::format(R"("\"" {} "\"" {} ":" {} {})", othersOf(names, 0),
                         space, space, *value));
    rest = rule(fmt::format(R"(( "," {} {} )*)", space, member));
    first = rule(fmt::format("( {} {} )?", member, rest));
  }

  // From the last one on: what may follow where there is no member yet, and
  // where there is one.
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto &[name, value] : properties.items()) {
    Expression expression =
        visit(value, fmt::format("{}/properties/{}", path, name));
    if (!expression)
      return std::nullopt;
    members.emplace_back(name, fmt::format("{} {} \":\" {} {}",
                                           literal(spelled(Json(name))), space,
                                           space, *expression));
  }
  for (auto &[name, member] : std::views::reverse(members)) {
    bool isOptional = std::ranges::find(required, Json(name)) == required.end();
    std::string own = rule(member);
    std::string otherwise = isOptional ? " | " + first : "";
    first = rule(fmt::format("{} {}{}", own, rest, otherwise));
    otherwise = isOptional ? " | " + rest : "";
    rest = rule(fmt::format("\",\" {} {} {}{}", space, own, rest, otherwise));
  }
  return fmt::format(R"("{{" {} {} "}}" {})", space, first, space);
}

Converter::Expression Converter::array(const Json &schema,
                                       const std::string &path) {
  if (!onlyHas(schema, path,
               {"type", "items", "prefixItems", "minItems", "maxItems"}))
    return std::nullopt;
  std::string space = use("space");
  if (auto list = schema.find("prefixItems"); list != schema.end()) {
    if (!onlyHas(schema, path, {"type", "prefixItems", "items"}) ||
        schema.value("items", Json(false)) != Json(false))
      return fail(path, "\"prefixItems\" stands with other items.");
    if (!list->is_array())
      return fail(path, "\"prefixItems\" is not an array.");
    std::vector<std::string> all;
    for (size_t i = 0; i < list->size(); ++i) {
      Expression item =
          visit((*list)[i], fmt::format("{}/prefixItems/{}", path, i));
      if (!item)
        return std::nullopt;
      all.push_back(*item);
    }
    return fmt::format(R"("[" {} {} "]" {})", space,
                       join(all, fmt::format(R"( "," {} )", space).c_str()),
                       space);
  }
  std::optional<uint64_t> least, most;
  if (!readCount(schema, "minItems", path, least) ||
      !readCount(schema, "maxItems", path, most))
    return std::nullopt;
  uint64_t from = least.value_or(0);
  if (most && *most < from)
    return fail(path, fmt::format("\"maxItems\" is {}, and \"minItems\" {}.",
                                  *most, from));
  if (most == 0U)
    return fmt::format(R"("[" {} "]" {})", space, space);
  Expression value = visit(schema.value("items", Json(true)), path + "/items");
  if (!value)
    return std::nullopt;
  std::string item = rule(*value);
  std::string others = fmt::format(R"({} ( "," {} {} ){{{},{}}})", item, space,
                                   item, from == 0 ? 0 : from - 1,
                                   most ? std::to_string(*most - 1) : "");
  return fmt::format(R"("[" {} ( {} ){} "]" {})", space, others,
                     from == 0 ? "?" : "", space);
}

Converter::Expression Converter::pattern(const Json &schema,
                                         const std::string &path) {
  if (!onlyHas(schema, path, {"type", "pattern"}))
    return std::nullopt;
  const Json &pattern = schema["pattern"];
  if (!pattern.is_string())
    return fail(path, "\"pattern\" is not a string.");
  Result<std::string> text = gbnfOfPattern(
      pattern.get_ref<const std::string &>(),
      [this](const std::string &expression) { return rule(expression); },
      use("char"));
  if (!text.ok())
    return fail(path, text.status().message());
  return fmt::format(R"("\"" {} "\"" {})", *text, use("space"));
}

Converter::Expression Converter::string(const Json &schema,
                                        const std::string &path) {
  if (schema.contains("pattern"))
    return pattern(schema, path);
  if (!onlyHas(schema, path, {"type", "minLength", "maxLength", "format"}))
    return std::nullopt;
  std::optional<uint64_t> least, most;
  if (!readCount(schema, "minLength", path, least) ||
      !readCount(schema, "maxLength", path, most))
    return std::nullopt;
  std::string space = use("space");
  if (auto format = schema.find("format"); format != schema.end()) {
    if (least || most)
      return fail(path, "\"format\" stands with lengths.");
    std::string name = format->is_string() ? format->get<std::string>() : "";
    std::string text;
    if (name == "date" || name == "time" || name == "uuid")
      text = use(name);
    else if (name == "date-time")
      text = fmt::format("{} \"T\" {}", use("date"), use("time"));
    else
      return fail(path, fmt::format("\"format\" is {} (known are \"date\", "
                                    "\"time\", \"date-time\", \"uuid\").",
                                    spelled(*format).substr(0, 40)));
    return fmt::format(R"("\"" {} "\"" {})", text, space);
  }
  if (!least && !most)
    return use("string");
  if (most && *most < least.value_or(0))
    return fail(path, fmt::format("\"maxLength\" is {}, and \"minLength\" {}.",
                                  *most, *least));
  return fmt::format(R"("\"" {}{{{},{}}} "\"" {})", use("char"),
                     least.value_or(0), most ? std::to_string(*most) : "",
                     space);
}

Converter::Expression Converter::integer(const Json &schema,
                                         const std::string &path) {
  if (!onlyHas(schema, path,
               {"type", "minimum", "maximum", "exclusiveMinimum",
                "exclusiveMaximum"}))
    return std::nullopt;
  int64_t least = -kLargestInteger, most = kLargestInteger;
  if (!readBound(schema, "minimum", true, false, path, least) ||
      !readBound(schema, "exclusiveMinimum", true, true, path, least) ||
      !readBound(schema, "maximum", false, false, path, most) ||
      !readBound(schema, "exclusiveMaximum", false, true, path, most))
    return std::nullopt;
  if (least > most)
    return fail(path, fmt::format("no integer is from {} to {}.", least, most));
  if (least == -kLargestInteger && most == kLargestInteger)
    return use("integer");
  return gbnfOfIntegers(least, most) + " " + use("space");
}

Converter::Expression Converter::visitTyped(const Json &schema,
                                            const std::string &type,
                                            const std::string &path) {
  if (type == "object")
    return object(schema, path);
  if (type == "array")
    return array(schema, path);
  if (type == "string")
    return string(schema, path);
  if (type == "integer")
    return integer(schema, path);
  if (type != "number" && type != "boolean" && type != "null")
    return fail(path, fmt::format("\"type\" is \"{}\", which no value has.",
                                  type.substr(0, 40)));
  if (!onlyHas(schema, path, {"type"}))
    return std::nullopt;
  return use(type);
}

Converter::Expression Converter::merged(const Json &schema,
                                        const std::string &path) {
  Result<Json> one = merger.merge(schema);
  if (!one.ok())
    return fail(path, one.status().message());
  return visit(*one, path);
}

Converter::Expression Converter::visit(const Json &schema,
                                       const std::string &path) {
  if (rules.size() > kMaxGrammarBytes)
    return fail(path, fmt::format("its grammar has more than {} bytes.",
                                  kMaxGrammarBytes));
  if (schema == Json(true))
    return use("value");
  if (!schema.is_object())
    return fail(path, fmt::format("it is {}, not an object.",
                                  schema == Json(false) ? "false"
                                                        : schema.type_name()));
  if (schema.contains("allOf"))
    return merged(schema, path);
  if (schema.contains("$ref"))
    return reference(schema, path);
  if (schema.contains("const") || schema.contains("enum"))
    return constant(schema, path);
  if (schema.contains("anyOf") || schema.contains("oneOf"))
    return choice(schema, path);
  auto type = schema.find("type");
  if (type == schema.end()) {
    if (schema.contains("properties") ||
        schema.contains("additionalProperties"))
      return object(schema, path);
    if (schema.contains("items") || schema.contains("prefixItems"))
      return array(schema, path);
    if (schema.contains("pattern") || schema.contains("format"))
      return string(schema, path);
    if (!onlyHas(schema, path, {}))
      return std::nullopt;
    return use("value");
  }
  if (type->is_string())
    return visitTyped(schema, type->get<std::string>(), path);
  if (!type->is_array() || type->empty())
    return fail(path, "\"type\" is neither a string nor an array of strings.");
  // Each type with the keys that are its own.
  static const std::map<std::string, std::set<std::string>> kKeys = {
      {"object", {"properties", "required", "additionalProperties"}},
      {"array", {"items", "prefixItems", "minItems", "maxItems"}},
      {"string", {"minLength", "maxLength", "format", "pattern"}},
      {"integer",
       {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}}};
  std::vector<std::string> all;
  for (const Json &name : *type) {
    if (!name.is_string() || std::ranges::count(*type, name) > 1)
      return fail(path, "\"type\" has what is no string, or twice the same.");
    Json own = schema;
    own["type"] = name;
    for (const auto &[other, keys] : kKeys)
      if (other != name.get<std::string>() &&
          std::ranges::find(*type, Json(other)) != type->end())
        for (const std::string &key : keys)
          own.erase(key);
    Expression expression = visit(own, path);
    if (!expression)
      return std::nullopt;
    all.push_back(*expression);
  }
  return fmt::format("( {} )", join(all, " | "));
}

Result<std::string> Converter::convert() {
  references["#"] = "root";
  waiting.emplace_back("#", &document);
  for (size_t i = 0; i < waiting.size(); ++i) {
    auto [pointer, schema] = waiting[i];
    Expression expression = visit(*schema, pointer);
    if (!expression)
      return Status(Code::Usage, problem);
    rules += fmt::format("{} ::= {}\n", references[pointer], *expression);
  }
  return rules;
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

size_t vm::llm::jsonDepth(std::string_view text) {
  size_t depth = 0, most = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isString) {
      i += c == '\\';
      isString = c != '"';
    } else if (c == '"') {
      isString = true;
    } else if (c == '{' || c == '[') {
      most = std::max(most, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return most;
}

Result<std::string> vm::llm::gbnfOfSchema(std::string_view schema) {
  if (schema.size() > kMaxGrammarBytes)
    return Status(Code::Usage,
                  fmt::format("The JSON schema has {} bytes (the limit is {}).",
                              schema.size(), kMaxGrammarBytes));
  if (size_t depth = jsonDepth(schema); depth > kMaxSchemaDepth)
    return Status(Code::Usage, fmt::format("The JSON schema has {} levels (the "
                                           "limit is {}).",
                                           depth, kMaxSchemaDepth));
  Json document = Json::parse(schema, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return Status(Code::Usage, "The JSON schema is not JSON.");
  return Converter(document).convert();
}

std::string vm::llm::gbnfOfObjects() {
  return *gbnfOfSchema(R"({"type": "object"})");
}
