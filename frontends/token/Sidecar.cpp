//===- Sidecar.cpp - what stands beside the plan of an engine -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/Sidecar.h"

#include "frontends/SourceText.h"
#include "frontends/token/machine/JsonFields.h"
#include "frontends/token/machine/ParseJson.h"
#include "frontends/token/machine/TensorJson.h"
#include "frontends/token/text/TomlFile.h"

#include <fmt/format.h>

#include <limits>

using namespace vm;
using namespace vm::token;

using Json = nlohmann::json;

static constexpr const char *kFormat = "gpuvm-token-plan/1";

std::string vm::token::sidecarPath(const std::string &planPath) {
  return planPath + ".token.json";
}

//===--- Writing ----------------------------------------------------------===//

/// Pieces are texts, so that each is what it decodes to.
static std::vector<std::string> piecesOf(const Tokenizer &tokenizer) {
  std::vector<std::string> pieces;
  for (int32_t token = kFirstPiece; token < tokenizer.vocabulary(); ++token)
    pieces.push_back(tokenizer.decode({token}));
  return pieces;
}

static std::string tokenizerJson(const Tokenizer &tokenizer) {
  nlohmann::ordered_json json;
  std::vector<std::string> pieces = piecesOf(tokenizer);
  json["name"] = pieces.empty() ? "bytes" : "greedy";
  json["pieces"] = std::move(pieces);
  return json.dump();
}

std::string vm::token::writeSidecar(const Machine &machine,
                                    const Tokenizer &tokenizer, int32_t streams,
                                    const Limits &limits) {
  std::string tensors = writeTensors(machine);
  tensors.pop_back(); // Its line feed.
  return fmt::format(
      "{{\"format\":\"{}\",\"streams\":{},\"budget\":{},"
      "\"capture_tokens\":{},\"answer_tokens\":{},\"context\":{},\n"
      "\"tokenizer\":{},\n\"machine\":{}}}\n",
      kFormat, streams, limits.budget, limits.captureTokens,
      limits.answerTokens, limits.context, tokenizerJson(tokenizer), tensors);
}

//===--- Reading ----------------------------------------------------------===//

namespace {

class SidecarReader {
public:
  SidecarReader(const Place &place, Diagnostics &diagnostics)
      : place_(place), diagnostics_(diagnostics) {}

  Sidecar read(const Json &json);

private:
  int32_t count(JsonFields &fields, const char *key, int32_t least);
  std::unique_ptr<Tokenizer> readTokenizer(const Json &json);

  const Place &place_;
  Diagnostics &diagnostics_;
};

int32_t SidecarReader::count(JsonFields &fields, const char *key,
                             int32_t least) {
  int32_t number = fields.integer(key).value_or(least);
  if (number < least)
    fields.fail("T12", fmt::format("Key \"{}\" of {} is {} ({} to {} is "
                                   "allowed).",
                                   key, fields.what(), number, least,
                                   std::numeric_limits<int32_t>::max()));
  return number;
}

/// Null after an error.
std::unique_ptr<Tokenizer> SidecarReader::readTokenizer(const Json &json) {
  JsonFields fields(json, "\"tokenizer\"", place_, diagnostics_);
  std::optional<std::string> name = fields.string("name");
  std::optional<std::vector<std::string>> pieces = fields.strings("pieces");
  fields.refuseOthers();
  if (!name || !pieces)
    return nullptr;
  if (*name != "bytes" && *name != "greedy") {
    fields.fail("P03", fmt::format("The tokenizer is {} (\"bytes\" or "
                                   "\"greedy\" is wanted).",
                                   inQuotes(*name)));
    return nullptr;
  }
  if (*name == "bytes" && !pieces->empty())
    fields.fail("P03", fmt::format("The tokenizer \"bytes\" has {} pieces (0 "
                                   "is wanted).",
                                   pieces->size()));
  if (!checkPieces(*pieces, place_, diagnostics_))
    return nullptr;
  return makeGreedyTokenizer(std::move(*pieces)); // That of none is `bytes`.
}

Sidecar SidecarReader::read(const Json &json) {
  JsonFields fields(json, "The file", place_, diagnostics_);
  std::optional<std::string> format = fields.string("format");
  if (format && *format != kFormat)
    fields.fail("T10", fmt::format("The format is {} (\"{}\" is wanted).",
                                   inQuotes(*format), kFormat));
  Sidecar sidecar;
  sidecar.streams = count(fields, "streams", 1);
  sidecar.limits.budget = count(fields, "budget", 0);
  sidecar.limits.captureTokens = count(fields, "capture_tokens", 0);
  sidecar.limits.answerTokens = count(fields, "answer_tokens", 0);
  sidecar.limits.context = count(fields, "context", 0);
  if (const Json *tokenizer = fields.any("tokenizer"))
    sidecar.tokenizer = readTokenizer(*tokenizer);
  if (const Json *value = fields.any("machine"))
    if (auto machine = readTensors(*value, place_, diagnostics_))
      sidecar.machine = std::move(*machine);
  fields.refuseOthers();
  if (sidecar.tokenizer)
    sidecar.machine.tokenizer = sidecar.tokenizer->identity();
  return sidecar;
}

} // namespace

Result<Sidecar> vm::token::readSidecar(std::string_view text,
                                       const std::string &file) {
  return readJsonText(
      text, file,
      [](const Json &json, const Place &place, Diagnostics &diagnostics) {
        return SidecarReader(place, diagnostics).read(json);
      });
}

Result<Sidecar> vm::token::loadSidecar(const std::string &planPath) {
  std::string path = sidecarPath(planPath);
  Result<std::string> text = readSourceText(path);
  if (text.ok())
    return readSidecar(*text, path);
  Diagnostics diagnostics;
  diagnostics.error("P02", {path, {0, 0}}, text.status().message());
  return diagnostics.status();
}
