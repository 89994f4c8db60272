//===- GgufFile.cpp - a model as llama.cpp stores it ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/gguf/GgufFile.h"

#include "frontends/llm/gguf/HeadReader.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

namespace vm::llm {

Result<GgufFile> GgufFile::open(const std::string &path) {
  std::string context = fmt::format("reading \"{}\"", path);
  auto file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(context);
  auto head = readGgufHead(*file);
  if (!head.ok())
    return head.status().withContext(context);
  return GgufFile(path, std::move(*file), std::move(*head));
}

//===--- Lookup -----------------------------------------------------------===//

/// The item of that name; `places` are those of `items` by ascending name.
template <typename Item>
static const Item *findNamed(const std::vector<Item> &items,
                             const std::vector<uint32_t> &places,
                             std::string Item::*name, std::string_view wanted) {
  auto nameOf = [&](uint32_t i) -> std::string_view { return items[i].*name; };
  auto place = std::ranges::lower_bound(places, wanted, {}, nameOf);
  bool isThere = place != places.end() && nameOf(*place) == wanted;
  return isThere ? &items[*place] : nullptr;
}

const GgufEntry *GgufFile::find(std::string_view key) const {
  return findNamed(head_.entries, head_.entriesByKey, &GgufEntry::key, key);
}

const GgufTensor *GgufFile::findTensor(std::string_view name) const {
  return findNamed(head_.tensors, head_.tensorsByName, &GgufTensor::name, name);
}

Status GgufFile::readTensor(const GgufTensor &tensor,
                            std::span<uint8_t> bytes) const {
  assert(bytes.size() == tensor.sizeBytes && "a tensor is read as a whole");
  Status status = file_.readAt(tensor.offset, bytes);
  if (!status.ok())
    return status.withContext(
        fmt::format("reading tensor \"{}\" of \"{}\"", tensor.name, path_));
  return {};
}

//===--- Values -----------------------------------------------------------===//

static bool isFloat(GgufType type) {
  return type == GgufType::F32 || type == GgufType::F64;
}

static bool isBool(GgufType type) { return type == GgufType::Bool; }
static bool isString(GgufType type) { return type == GgufType::String; }

static bool isInteger(GgufType type) {
  return !isFloat(type) && !isBool(type) && !isString(type);
}

static bool isSigned(GgufType type) {
  return type == GgufType::I8 || type == GgufType::I16 ||
         type == GgufType::I32 || type == GgufType::I64;
}

/// The bits of an integer, with its sign in all upper bits.
static uint64_t loadInteger(GgufType type, std::span<const uint8_t> bytes) {
  uint64_t value = loadNumber(bytes);
  unsigned unused = static_cast<unsigned>(64 - 8 * bytes.size());
  return isSigned(type) ? static_cast<uint64_t>(
                              static_cast<int64_t>(value << unused) >> unused)
                        : value;
}

static double loadFloat(GgufType type, std::span<const uint8_t> bytes) {
  uint64_t bits = loadNumber(bytes);
  return type == GgufType::F64
             ? std::bit_cast<double>(bits)
             : std::bit_cast<float>(static_cast<uint32_t>(bits));
}

/// The string whose length is at `at`, which is moved past it.
static std::string_view takeString(std::span<const uint8_t> bytes,
                                   uint64_t &at) {
  uint64_t length = loadNumber(bytes.subspan(at, 8));
  auto text = bytes.subspan(at + 8, length);
  at += 8 + length;
  return {reinterpret_cast<const char *>(text.data()), text.size()};
}

Status GgufFile::refuse(std::string message) const {
  return Status(Code::BadInput, std::move(message))
      .withContext(fmt::format("reading \"{}\"", path_));
}

Result<const GgufEntry *> GgufFile::require(std::string_view key, bool isArray,
                                            bool (*isWanted)(GgufType),
                                            const char *wanted) const {
  const GgufEntry *entry = find(key);
  if (!entry)
    return refuse(fmt::format("The metadata has no key \"{}\" ({} is wanted).",
                              key, wanted));
  if (entry->isArray != isArray || !isWanted(entry->type))
    return refuse(fmt::format("At byte {}, the value of \"{}\" is of type {} "
                              "({} is wanted).",
                              entry->offset, key, describe(*entry), wanted));
  return entry;
}

std::span<const uint8_t> GgufFile::numberAt(const GgufEntry &entry,
                                            uint64_t index) const {
  uint64_t size = llm::sizeBytes(entry.type);
  return std::span(head_.bytes).subspan(entry.offset + index * size, size);
}

Result<uint64_t> GgufFile::uintOf(std::string_view key) const {
  constexpr const char *wanted = "an integer of at least 0";
  auto found = require(key, /*isArray=*/false, isInteger, wanted);
  if (!found.ok())
    return found.status();
  const GgufEntry &entry = **found;
  uint64_t value = loadInteger(entry.type, numberAt(entry, 0));
  if (isSigned(entry.type) && static_cast<int64_t>(value) < 0)
    return refuse(fmt::format("At byte {}, the value of \"{}\" is {} ({} is "
                              "wanted).",
                              entry.offset, key, static_cast<int64_t>(value),
                              wanted));
  return value;
}

Result<double> GgufFile::floatOf(std::string_view key) const {
  auto found = require(key, /*isArray=*/false, isFloat, "f32 or f64");
  if (!found.ok())
    return found.status();
  return loadFloat((*found)->type, numberAt(**found, 0));
}

Result<bool> GgufFile::boolOf(std::string_view key) const {
  auto found = require(key, /*isArray=*/false, isBool, "bool");
  if (!found.ok())
    return found.status();
  return numberAt(**found, 0)[0] != 0;
}

Result<std::string_view> GgufFile::stringOf(std::string_view key) const {
  auto found = require(key, /*isArray=*/false, isString, "string");
  if (!found.ok())
    return found.status();
  uint64_t at = (*found)->offset;
  return takeString(head_.bytes, at);
}

Result<std::vector<int64_t>> GgufFile::intsOf(std::string_view key) const {
  constexpr const char *wanted = "an array of integers up to 2^63 - 1";
  auto found = require(key, /*isArray=*/true, isInteger, wanted);
  if (!found.ok())
    return found.status();
  const GgufEntry &entry = **found;
  std::vector<int64_t> values(entry.count);
  for (uint64_t i = 0; i < entry.count; ++i) {
    uint64_t value = loadInteger(entry.type, numberAt(entry, i));
    if (!isSigned(entry.type) && value > INT64_MAX)
      return refuse(fmt::format("At byte {}, value {} of \"{}\" is {} ({} is "
                                "wanted).",
                                entry.offset + i * llm::sizeBytes(entry.type),
                                i, key, value, wanted));
    values[i] = static_cast<int64_t>(value);
  }
  return values;
}

Result<std::vector<double>> GgufFile::floatsOf(std::string_view key) const {
  auto found =
      require(key, /*isArray=*/true, isFloat, "an array of f32 or f64");
  if (!found.ok())
    return found.status();
  std::vector<double> values((*found)->count);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = loadFloat((*found)->type, numberAt(**found, i));
  return values;
}

Result<std::vector<bool>> GgufFile::boolsOf(std::string_view key) const {
  auto found = require(key, /*isArray=*/true, isBool, "an array of bools");
  if (!found.ok())
    return found.status();
  std::vector<bool> values((*found)->count);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = numberAt(**found, i)[0] != 0;
  return values;
}

Result<std::vector<std::string_view>>
GgufFile::stringsOf(std::string_view key) const {
  auto found = require(key, /*isArray=*/true, isString, "an array of strings");
  if (!found.ok())
    return found.status();
  std::vector<std::string_view> values((*found)->count);
  uint64_t at = (*found)->offset;
  for (std::string_view &value : values)
    value = takeString(head_.bytes, at);
  return values;
}

} // namespace vm::llm
