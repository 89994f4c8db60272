//===- WireCursor.cpp - the values of the wire form, by key and type ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/WireCursor.h"

#include "frontends/token/forms/Wire.h"
#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <set>

using namespace vm::token;

using Json = nlohmann::ordered_json;

static const char *typeText(MsgpackType type) {
  switch (type) {
  case MsgpackType::Nil:
    return "null";
  case MsgpackType::Boolean:
    return "a boolean";
  case MsgpackType::Integer:
    return "an integer";
  case MsgpackType::Real:
    return "a floating-point number";
  case MsgpackType::String:
    return "a string";
  case MsgpackType::List:
    return "a list";
  case MsgpackType::Map:
    return "a map";
  case MsgpackType::Other:
    return "something else";
  case MsgpackType::End:
    break;
  }
  return "cut off";
}

std::string WireCursor::name() const {
  if (open_.empty())
    return "The workflow";
  if (key_.empty()) {
    std::string of = open_.back().of;
    if (of[0] >= 'a' && of[0] <= 'z')
      of[0] = char(of[0] - 'a' + 'A'); // It begins a sentence.
    return of;
  }
  return fmt::format("Key {} of {}", inQuotes(key_), open_.back().of);
}

bool WireCursor::expect(MsgpackType type, const char *wanted) {
  if (!ok())
    return false;
  MsgpackType found = reader_.peek();
  if (found == type)
    return true;
  failHere(found == MsgpackType::End ? "X02" : "X04",
           fmt::format("is {} ({} is wanted)", typeText(found), wanted));
  return false;
}

//===--- Maps and keys ----------------------------------------------------===//

size_t WireCursor::beginMap(std::string of, size_t least, size_t most) {
  size_t size = expect(MsgpackType::Map, "a map") ? named(reader_.map()) : 0;
  open_.push_back({std::move(of), size});
  key_.clear();
  if (ok() && size > most)
    fail("X03", fmt::format("has {} keys ({} at most are wanted)", size, most));
  // Too few keys are found missing by their names.
  return std::min(std::max(size, least), most);
}

void WireCursor::key(const char *name) {
  key_.clear();
  if (!ok())
    return;
  if (open_.back().left == 0)
    return failHere("X03", fmt::format("has no key \"{}\"", name));
  --open_.back().left;
  if (!expect(MsgpackType::String, "a key that is a string"))
    return;
  std::string_view found = named(reader_.string());
  if (ok() && found != name)
    fail("X03", fmt::format("has key {} where \"{}\" is wanted",
                            inQuotes(found), name));
  key_ = name;
}

std::string WireCursor::stringKey() {
  key_.clear();
  if (!expect(MsgpackType::String, "a key that is a string"))
    return "";
  std::string name(named(reader_.string()));
  key_ = name;
  return name;
}

int64_t WireCursor::integerKey() {
  key_.clear();
  return integer();
}

//===--- Values -----------------------------------------------------------===//

std::string WireCursor::string() {
  if (!expect(MsgpackType::String, "a string"))
    return "";
  std::string_view value = named(reader_.string());
  return std::string(value);
}

std::optional<std::string> WireCursor::optionalString() {
  if (!ok())
    return std::nullopt;
  if (reader_.peek() == MsgpackType::Nil) {
    reader_.nil();
    return std::nullopt;
  }
  if (!expect(MsgpackType::String, "a string or null"))
    return std::nullopt;
  return std::string(named(reader_.string()));
}

int64_t WireCursor::integer() {
  if (!expect(MsgpackType::Integer, "an integer"))
    return 0;
  MsgpackReader::Integer integer = named(reader_.integer());
  if (integer.isUnsigned)
    fail("X06", fmt::format("is {} (the limit is {})", uint64_t(integer.value),
                            INT64_MAX));
  return ok() ? integer.value : 0;
}

std::optional<int64_t> WireCursor::optionalInteger() {
  if (!ok())
    return std::nullopt;
  if (reader_.peek() == MsgpackType::Nil) {
    reader_.nil();
    return std::nullopt;
  }
  if (!expect(MsgpackType::Integer, "an integer or null"))
    return std::nullopt;
  return integer();
}

bool WireCursor::boolean() {
  return expect(MsgpackType::Boolean, "a boolean") && reader_.boolean();
}

size_t WireCursor::list() {
  return expect(MsgpackType::List, "a list") ? named(reader_.list()) : 0;
}

std::vector<std::string> WireCursor::strings() {
  size_t size = list();
  if (size > kMaxWireList)
    fail("X06",
         fmt::format("has {} elements (the limit is {})", size, kMaxWireList));
  std::vector<std::string> strings;
  for (size_t i = 0; i < size && ok(); ++i)
    strings.push_back(string());
  return ok() ? strings : std::vector<std::string>();
}

void WireCursor::end() {
  if (ok() && reader_.peek() != MsgpackType::End)
    failHere("X02", "has bytes after its end");
}

//===--- What is carried along --------------------------------------------===//

Json WireCursor::object(int nesting) {
  size_t size = named(reader_.map());
  // Filled as pairs: a search for each key would take quadratic time.
  Json::object_t object;
  Json::object_t::Container &pairs = object;
  std::set<std::string> seen;
  for (size_t i = 0; i < size && ok(); ++i) {
    if (!expect(MsgpackType::String, "a key that is a string"))
      break;
    std::string key(named(reader_.string()));
    if (!seen.insert(key).second && ok())
      fail("X02", fmt::format("has key {} twice in a map", inQuotes(key)));
    pairs.emplace_back(key, value(nesting + 1));
  }
  return object;
}

Json WireCursor::array(int nesting) {
  size_t size = named(reader_.list());
  Json array = Json::array();
  for (size_t i = 0; i < size && ok(); ++i)
    array.push_back(value(nesting + 1));
  return array;
}

Json WireCursor::value(int nesting) {
  if (!ok())
    return nullptr;
  MsgpackType type = reader_.peek();
  bool nests = type == MsgpackType::Map || type == MsgpackType::List;
  if (nests && nesting > kMaxWireNesting) {
    failHere("X02",
             fmt::format("nests deeper than {} (the limit)", kMaxWireNesting));
    return nullptr;
  }
  switch (type) {
  case MsgpackType::Map:
    return object(nesting);
  case MsgpackType::List:
    return array(nesting);
  case MsgpackType::String:
    return std::string(named(reader_.string()));
  case MsgpackType::Boolean:
    return reader_.boolean();
  case MsgpackType::Real:
    return named(reader_.real());
  case MsgpackType::Integer: {
    MsgpackReader::Integer integer = named(reader_.integer());
    if (integer.isUnsigned)
      return uint64_t(integer.value);
    return integer.value;
  }
  default:
    expect(MsgpackType::Map, "a string, number, boolean, list or map");
    return nullptr;
  }
}

Json WireCursor::carried(std::string &bytes) {
  size_t begin = reader_.offset();
  if (!expect(MsgpackType::Map, "a map"))
    return Json::object();
  Json json = object(int(open_.size()) + 1);
  bytes = reader_.slice(begin, reader_.offset());
  if (ok() && bytes.size() > kMaxWireMiscBytes)
    fail("X06", fmt::format("has {} bytes (the limit is {})", bytes.size(),
                            kMaxWireMiscBytes));
  return ok() ? json : Json::object();
}
