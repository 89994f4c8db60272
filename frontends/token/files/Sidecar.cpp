//===- Sidecar.cpp - the companion file of an engine's plan ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/files/Sidecar.h"

#include "frontends/SourceText.h"
#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/machine/GgufTokenizer.h"
#include "frontends/token/machine/JsonFields.h"
#include "frontends/token/machine/ParseJson.h"
#include "frontends/token/machine/TensorJson.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

using namespace vm;
using namespace vm::token;

using Json = nlohmann::json;

static constexpr const char *kFormat = "gpuvm-token-plan/2";

std::string vm::token::sidecarPath(const std::string &planPath) {
  return planPath + ".token.json";
}

//===--- Writing ----------------------------------------------------------===//

/// Pieces are texts, so that each is what it decodes to.
static std::vector<std::string> piecesOf(const Tokenizer &tokenizer) {
  std::vector<std::string> pieces;
  for (int32_t token = kFirstPiece; token < tokenizer.vocabulary(); ++token)
    pieces.push_back(tokenizer.bytes(token));
  return pieces;
}

static std::string tokenizerJson(const Tokenizer &tokenizer) {
  nlohmann::ordered_json json;
  if (tokenizer.isOfModel()) {
    json["name"] = "gguf";
    json["identity"] = tokenizer.identity();
    return json.dump();
  }
  std::vector<std::string> pieces = piecesOf(tokenizer);
  json["name"] = pieces.empty() ? "bytes" : "greedy";
  json["pieces"] = std::move(pieces);
  return json.dump();
}

/// The key with its line, where there are modules.
static std::string modulesJson(const std::vector<ModuleInfo> &modules) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ModuleInfo &module : modules)
    list.push_back({{"stage", toString(module.stage)},
                    {"state", module.state},
                    {"initial", module.initial},
                    {"resets", module.resetsOnZoneChange}});
  return modules.empty() ? "" : "\"modules\":" + list.dump() + ",\n";
}

std::string vm::token::writeSidecar(uint64_t plan, const Machine &machine,
                                    const Tokenizer &tokenizer, int32_t streams,
                                    const Limits &limits,
                                    const std::vector<ModuleInfo> &modules) {
  std::string tensors = writeTensors(machine);
  tensors.pop_back(); // Its line feed.
  return fmt::format(
      "{{\"format\":\"{}\",\"plan\":\"{:016x}\",\"streams\":{},\"budget\":{},"
      "\"capture_tokens\":{},\"answer_tokens\":{},\"context\":{},\n"
      "\"tokenizer\":{},\n{}\"machine\":{}}}\n",
      kFormat, plan, streams, limits.budget, limits.captureTokens,
      limits.answerTokens, limits.context, tokenizerJson(tokenizer),
      modulesJson(modules), tensors);
}

//===--- Reading ----------------------------------------------------------===//

namespace {

class SidecarReader {
public:
  SidecarReader(const Place &place, Diagnostics &diagnostics,
                const std::string &model)
      : place_(place), diagnostics_(diagnostics), model_(model) {}

  Sidecar read(const Json &json);

private:
  uint64_t readPlan(JsonFields &fields);
  int32_t count(JsonFields &fields, const char *key, int32_t least);
  std::unique_ptr<Tokenizer> readTokenizer(const Json &json);
  std::unique_ptr<Tokenizer> readModelTokenizer(JsonFields &fields);
  ModuleInfo readModule(const Json &json, size_t number);
  std::vector<ModuleInfo> readModules(JsonFields &fields);

  const Place &place_;
  Diagnostics &diagnostics_;
  const std::string &model_; ///< The path of a language model; or "".
};

uint64_t SidecarReader::readPlan(JsonFields &fields) {
  std::optional<std::string> text = fields.string("plan");
  uint64_t plan = 0;
  if (!text)
    return plan;
  const char *end = text->data() + text->size();
  auto [at, error] = std::from_chars(text->data(), end, plan, /*base=*/16);
  if (text->size() != 16 || error != std::errc() || at != end)
    fields.fail("T12", fmt::format("Key \"plan\" of {} is {} (16 hexadecimal "
                                   "digits are wanted).",
                                   fields.what(), inQuotes(*text)));
  return plan;
}

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
std::unique_ptr<Tokenizer>
SidecarReader::readModelTokenizer(JsonFields &fields) {
  std::optional<std::string> identity = fields.string("identity");
  fields.refuseOthers();
  if (!identity)
    return nullptr;
  if (model_.empty()) {
    fields.fail("P03", fmt::format("The tokenizer is that of a language model, "
                                   "{}, whose file is to be named (--model).",
                                   *identity));
    return nullptr;
  }
  Result<std::unique_ptr<Tokenizer>> tokenizer = readGgufTokenizer(model_);
  if (!tokenizer.ok()) {
    fields.fail("P03", tokenizer.status().message());
    return nullptr;
  }
  if ((*tokenizer)->identity() == *identity)
    return std::move(*tokenizer);
  fields.fail("P16", fmt::format("The tokenizer of \"{}\" is {}, but that of "
                                 "the plan is {}.",
                                 model_, (*tokenizer)->identity(), *identity));
  return nullptr;
}

/// Null after an error.
std::unique_ptr<Tokenizer> SidecarReader::readTokenizer(const Json &json) {
  JsonFields fields(json, "\"tokenizer\"", place_, diagnostics_);
  std::optional<std::string> name = fields.string("name");
  if (name == "gguf")
    return readModelTokenizer(fields);
  std::optional<std::vector<std::string>> pieces = fields.strings("pieces");
  fields.refuseOthers();
  if (!name || !pieces)
    return nullptr;
  if (*name != "bytes" && *name != "greedy") {
    fields.fail("P03", fmt::format("The tokenizer is {} (\"bytes\", \"greedy\" "
                                   "or \"gguf\" is wanted).",
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

ModuleInfo SidecarReader::readModule(const Json &json, size_t number) {
  JsonFields fields(json, fmt::format("module {}", number), place_,
                    diagnostics_);
  ModuleInfo module;
  std::string stage = fields.string("stage").value_or("post");
  module.state = fields.string("state").value_or("");
  module.initial = fields.integer("initial").value_or(0);
  module.resetsOnZoneChange = fields.boolean("resets").value_or(false);
  fields.refuseOthers();
  if (auto known = toModuleStage(stage))
    module.stage = *known;
  else
    fields.fail("T12", fmt::format("Key \"stage\" of {} is {}, which is none.",
                                   fields.what(), inQuotes(stage)));
  return module;
}

std::vector<ModuleInfo> SidecarReader::readModules(JsonFields &fields) {
  std::vector<ModuleInfo> modules;
  const Json *list = fields.list("modules");
  for (size_t i = 0; list && i < list->size() && !diagnostics_.isFull(); ++i)
    modules.push_back(readModule((*list)[i], i));
  return modules;
}

Sidecar SidecarReader::read(const Json &json) {
  JsonFields fields(json, "The file", place_, diagnostics_);
  std::optional<std::string> format = fields.string("format");
  if (format && *format != kFormat)
    fields.fail("T10", fmt::format("The format is {} (\"{}\" is wanted, which "
                                   "gpuvm-compile writes beside a plan).",
                                   inQuotes(*format), kFormat));
  Sidecar sidecar;
  sidecar.plan = readPlan(fields);
  sidecar.streams = count(fields, "streams", 1);
  sidecar.limits.budget = count(fields, "budget", 0);
  sidecar.limits.captureTokens = count(fields, "capture_tokens", 0);
  sidecar.limits.answerTokens = count(fields, "answer_tokens", 0);
  sidecar.limits.context = count(fields, "context", 0);
  if (const Json *tokenizer = fields.any("tokenizer"))
    sidecar.tokenizer = readTokenizer(*tokenizer);
  if (fields.has("modules"))
    sidecar.modules = readModules(fields);
  if (const Json *value = fields.any("machine"))
    if (auto machine = readTensors(*value, place_, diagnostics_))
      sidecar.machine = std::move(*machine);
  fields.refuseOthers();
  if (sidecar.tokenizer) {
    sidecar.machine.tokenizer = sidecar.tokenizer->identity();
    if (sidecar.machine.matchesText())
      sidecar.machine.tokenTexts = sidecar.tokenizer->texts();
  }
  return sidecar;
}

} // namespace

Result<Sidecar> vm::token::readSidecar(std::string_view text,
                                       const std::string &file,
                                       const std::string &model) {
  return readJsonText(
      text, file,
      [&](const Json &json, const Place &place, Diagnostics &diagnostics) {
        return SidecarReader(place, diagnostics, model).read(json);
      });
}

Result<Sidecar> vm::token::loadSidecar(const std::string &planPath,
                                       const std::string &model) {
  std::string path = sidecarPath(planPath);
  Result<std::string> text = readSourceText(path);
  if (text.ok())
    return readSidecar(*text, path, model);
  Diagnostics diagnostics;
  diagnostics.error("P02", {path, {0, 0}}, text.status().message());
  return diagnostics.status();
}

Status vm::token::checkPlanOf(const Sidecar &sidecar, uint64_t plan,
                              const std::string &planPath) {
  if (sidecar.plan == plan)
    return {};
  Diagnostics diagnostics;
  diagnostics.error(
      "P08", {sidecarPath(planPath), {0, 0}},
      fmt::format("The file belongs to the plan {:016x}, and the one that it "
                  "stands beside is {:016x}: gpuvm-compile writes both anew.",
                  sidecar.plan, plan));
  return diagnostics.status();
}
