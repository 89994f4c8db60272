//===- Wrapper.cpp - the user's interface to streams ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Wrapper.h"

#include "frontends/token/ground/TextCodec.h"

#include <algorithm>

using namespace vm;
using namespace vm::token;

const WorkflowNames &Wrapper::namesOf(int32_t stream) const {
  return engine_.machine().workflows[engine_.workflowOf(stream)];
}

bool Wrapper::done() const {
  for (int32_t stream = 0; stream < engine_.streams(); ++stream)
    if (engine_.status(stream) == StreamStatus::Running)
      return false;
  return !callbacksReady();
}

bool Wrapper::callbacksReady() const {
  for (int32_t stream = 0; stream < engine_.streams(); ++stream)
    if (engine_.status(stream) == StreamStatus::Waiting)
      return true;
  return false;
}

//===--- The stream -------------------------------------------------------===//

std::vector<int32_t> Wrapper::rawStream(int32_t stream) const {
  std::vector<int32_t> tokens;
  for (const TokenRecord &record : engine_.record(stream))
    tokens.push_back(record.token);
  return tokens;
}

std::string Wrapper::text(int32_t stream) const {
  return codec_.decode(rawStream(stream));
}

std::vector<std::string> Wrapper::generativeSequence() const {
  std::vector<std::string> texts;
  for (int32_t stream = 0; stream < engine_.streams(); ++stream)
    texts.push_back(text(stream));
  return texts;
}

std::vector<Wrapper::TokenStatus> Wrapper::status(int32_t stream) const {
  std::vector<TokenStatus> all;
  for (const TokenRecord &record : engine_.record(stream))
    all.push_back({record.zone, record.tokenNumber, record.triggers});
  return all;
}

std::vector<int32_t> Wrapper::decisions(int32_t stream) const {
  std::vector<int32_t> zones;
  bool begins = true;
  for (const TokenRecord &record : engine_.record(stream)) {
    if (begins)
      zones.push_back(record.zone);
    begins = record.event != Event::None;
  }
  return zones;
}

//===--- Extracts ---------------------------------------------------------===//

/// Of each token: how many of its bytes are not of the pattern that closed its
/// visit, or follow it.
static std::vector<int32_t> cutPatterns(const StreamRecord &record) {
  std::vector<int32_t> kept(record.size(), TokenPart::kAll);
  for (size_t i = 0; i < record.size(); ++i) {
    size_t first = i + 1 - size_t(record[i].closing);
    for (size_t token = first; token <= i; ++token)
      kept[token] = token == first ? record[i].before : 0;
  }
  return kept;
}

/// The indices of the tags, ascending.
static IndexSet toIndices(const std::vector<std::string> &tags,
                          const WorkflowNames &names) {
  IndexSet indices;
  for (size_t i = 0; i < names.tags.size(); ++i)
    if (std::ranges::find(tags, names.tags[i]) != tags.end())
      indices.push_back(int32_t(i));
  return indices;
}

static bool meet(const IndexSet &a, const IndexSet &b) {
  return std::ranges::find_first_of(a, b) != a.end();
}

std::string Wrapper::extractOne(const StreamRecord &record,
                                const std::vector<int32_t> &kept,
                                const Extraction &extraction,
                                const IndexSet &tags) const {
  const std::vector<Zone> &zones = engine_.machine().zones;
  std::vector<TokenPart> parts;
  for (size_t i = 0; i < record.size(); ++i) {
    int32_t bytes = extraction.patterns ? TokenPart::kAll : kept[i];
    bool isLeftOut = bytes == 0 || (record[i].forced && !extraction.forced);
    if (!isLeftOut && meet(zones[record[i].zone].tags, tags))
      parts.push_back({record[i].token, bytes});
  }
  return codec_.decode(parts);
}

std::map<std::string, std::string> Wrapper::extract(int32_t stream) const {
  const WorkflowNames &names = namesOf(stream);
  const StreamRecord &record = engine_.record(stream);
  std::vector<int32_t> kept = cutPatterns(record);
  std::map<std::string, std::string> texts;
  for (const auto &[name, extraction] : names.extracts)
    texts[name] =
        extractOne(record, kept, extraction, toIndices(extraction.tags, names));
  return texts;
}
