//===- PlanMutation.cpp - plan files with one thing wrong -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/PlanMutation.h"

#include "runtime/plan/Container.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/PlanVersion.h"
#include "test/runtime/plan/TestPlans.h"

#include <nlohmann/json.hpp>
#include <xxhash.h>

#include <map>
#include <sstream>

namespace vm::test {
namespace {

using json = nlohmann::ordered_json;

constexpr uint64_t kCountAt = 12, kTableHashAt = 24;

/// Splits "word rest of the line".
std::pair<std::string, std::string> splitWord(const std::string &line) {
  size_t space = line.find(' ');
  if (space == std::string::npos)
    return {line, ""};
  return {line.substr(0, space), line.substr(space + 1)};
}

uint64_t load(const std::vector<uint8_t> &file, uint64_t at, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i)
    value |= uint64_t(file.at(at + i)) << (8 * i);
  return value;
}

void store(std::vector<uint8_t> &file, uint64_t at, uint64_t value,
           unsigned width) {
  for (unsigned i = 0; i < width; ++i)
    file.at(at + i) = static_cast<uint8_t>(value >> (8 * i));
}

void fixTableHash(std::vector<uint8_t> &file) {
  uint64_t size = load(file, kCountAt, 4) * kSectionEntryBytes;
  if (kHeaderBytes + size <= file.size())
    store(file, kTableHashAt, XXH3_64bits(file.data() + kHeaderBytes, size), 8);
}

/// Where a field of a table entry is: `offset` within it and its width.
const std::map<std::string, std::pair<uint64_t, unsigned>> kEntryFields = {
    {"kind", {0, 4}},
    {"index", {4, 4}},
    {"offset", {8, 8}},
    {"size", {16, 8}},
    {"hash", {24, 8}}};
/// The same for the header.
const std::map<std::string, std::pair<uint64_t, unsigned>> kHeaderFields = {
    {"magic", {0, 1}},     {"major", {8, 2}},  {"minor", {10, 2}},
    {"sections", {12, 4}}, {"bytes", {16, 8}}, {"table_hash", {24, 8}}};

} // namespace

PlanMutation::PlanMutation() {
  std::vector<uint8_t> file = writePlan(makeSamplePlan());
  auto sections = readContainer(file);
  for (const Section &section : *sections) {
    std::vector<uint8_t> bytes(section.bytes.begin(), section.bytes.end());
    if (section.kind == SectionKind::Manifest)
      manifest.assign(bytes.begin(), bytes.end());
    else
      payloads.push_back({static_cast<uint32_t>(section.kind), section.index,
                          std::move(bytes)});
  }
}

bool PlanMutation::applyToManifest(const std::string &verb,
                                   const std::string &rest) {
  auto [where, what] = splitWord(rest);
  if (verb == "manifest") {
    manifest = rest;
  } else if (verb == "char") {
    manifest.at(std::stoul(where)) =
        static_cast<char>(std::stoul(what, nullptr, 0));
  } else if (verb == "nest") {
    manifest = std::string(std::stoul(rest), '[');
  } else if (verb == "labels") {
    json root = json::parse(manifest);
    for (json &command : root["commands"]) {
      command.erase("stages");
      command["stage"] = "";
    }
    manifest = root.dump();
  } else if (verb == "replace") {
    // replace FROM TO, the first occurrence, no spaces in FROM.
    size_t at = manifest.find(where);
    if (at == std::string::npos)
      return false;
    manifest.replace(at, where.size(), what);
  } else if (verb == "set" || verb == "remove" || verb == "append") {
    json root = json::parse(manifest);
    json::json_pointer pointer(where);
    if (verb == "set") {
      root[pointer] = json::parse(what);
    } else if (verb == "append") {
      root.at(pointer).push_back(json::parse(what));
    } else {
      json &parent = root.at(pointer.parent_pointer());
      if (parent.is_array())
        parent.erase(std::stoul(pointer.back()));
      else
        parent.erase(pointer.back());
    }
    manifest = root.dump();
  } else {
    return false;
  }
  return true;
}

/// Sections are numbered as in the file: 0 is the manifest.
bool PlanMutation::applyToSections(const std::string &verb,
                                   const std::string &rest) {
  auto [first, second] = splitWord(rest);
  if (verb == "drop" && first == "0") {
    dropManifest = true;
  } else if (verb == "drop") {
    payloads.erase(payloads.begin() + (std::stol(first) - 1));
  } else if (verb == "swap") {
    std::swap(payloads.at(std::stoul(first) - 1),
              payloads.at(std::stoul(second) - 1));
  } else if (verb == "add") {
    // add KIND INDEX TEXT: one more section at the end.
    auto [index, text] = splitWord(second);
    payloads.push_back({static_cast<uint32_t>(std::stoul(first)),
                        static_cast<uint32_t>(std::stoul(index)),
                        {text.begin(), text.end()}});
  } else if (verb == "resize") {
    payloads.at(std::stoul(first) - 1).bytes.resize(std::stoul(second));
  } else if (verb == "word") {
    // word SECTION INDEX VALUE: one 32-bit word of a payload.
    auto [index, value] = splitWord(second);
    store(payloads.at(std::stoul(first) - 1).bytes, 4 * std::stoul(index),
          std::stoull(value, nullptr, 0), 4);
  } else {
    return false;
  }
  return true;
}

bool PlanMutation::applyToFile(const std::string &verb,
                               const std::string &rest) {
  auto [first, second] = splitWord(rest);
  if (verb == "size") {
    fileSize = std::stol(first);
  } else if (verb == "byte") {
    pokes.push_back({std::stoull(first), std::stoull(second, nullptr, 0), 1});
  } else if (verb == "header") {
    auto [at, width] = kHeaderFields.at(first);
    pokes.push_back({at, std::stoull(second, nullptr, 0), width});
  } else if (verb == "entry") {
    auto [field, value] = splitWord(second);
    auto [at, width] = kEntryFields.at(field);
    pokes.push_back({kHeaderBytes + kSectionEntryBytes * std::stoul(first) + at,
                     std::stoull(value, nullptr, 0), width, true});
  } else {
    return false;
  }
  return true;
}

bool PlanMutation::apply(const std::string &edit) {
  auto [verb, rest] = splitWord(edit);
  return applyToManifest(verb, rest) || applyToSections(verb, rest) ||
         applyToFile(verb, rest);
}

std::vector<uint8_t> PlanMutation::bytes() const {
  std::vector<Section> sections;
  if (!dropManifest)
    sections.push_back({SectionKind::Manifest,
                        0,
                        {reinterpret_cast<const uint8_t *>(manifest.data()),
                         manifest.size()}});
  for (const Payload &payload : payloads)
    sections.push_back(
        {static_cast<SectionKind>(payload.kind), payload.index, payload.bytes});
  std::vector<uint8_t> file = writeContainer(sections, kPlanFormatMinor);
  bool fixTable = false;
  for (const Poke &poke : pokes) {
    store(file, poke.offset, poke.value, poke.width);
    fixTable |= poke.fixTable;
  }
  if (fixTable)
    fixTableHash(file);
  if (fileSize >= 0)
    file.resize(static_cast<size_t>(fileSize));
  return file;
}

} // namespace vm::test
