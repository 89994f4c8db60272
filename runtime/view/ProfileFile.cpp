//===- ProfileFile.cpp - a profile that gpuvm-run has printed
//-----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/view/ProfileFile.h"

#include "runtime/base/Printable.h"
#include "runtime/plan/CommandWords.h"
#include "runtime/plan/ManifestParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace vm {
namespace {

using Json = nlohmann::json;

std::string_view lastLine(std::string_view text) {
  size_t end = text.find_last_not_of(" \t\r\n");
  if (end == text.npos)
    return {};
  text = text.substr(0, end + 1);
  return text.substr(text.rfind('\n') + 1);
}

bool isCount(const Json &object, const char *key) {
  return object.contains(key) && object[key].is_number_unsigned();
}

bool isText(const Json &object, const char *key) {
  return object.contains(key) && object[key].is_string() &&
         isPrintable(object[key].get_ref<const std::string &>());
}

bool isSpread(const Json &object, const char *key) {
  if (!object.contains(key) || !object[key].is_object())
    return false;
  return std::ranges::all_of(
      std::vector{"median", "p10", "p90"}, [&](const char *part) {
        const Json &spread = object[key];
        return spread.contains(part) && spread[part].is_number() &&
               spread[part].get<double>() >= 0;
      });
}

bool isTexts(const Json &object, const char *key) {
  return object.contains(key) && object[key].is_array() &&
         std::ranges::all_of(object[key], [](const Json &text) {
           return text.is_string() &&
                  isPrintable(text.get_ref<const std::string &>());
         });
}

bool isWork(const Json &work) {
  return work.is_object() && isText(work, "name") && isCount(work, "calls") &&
         isSpread(work, "total_us") && work.contains("share") &&
         work["share"].is_number() && isCount(work, "bytes") &&
         isTexts(work, "stages");
}

bool isStage(const Json &stage) {
  return stage.is_object() && isText(stage, "name") &&
         isSpread(stage, "alone_us") && isSpread(stage, "fused_us");
}

bool isCommand(const Json &command) {
  return command.is_object() && isCount(command, "index") &&
         isText(command, "name") && isCount(command, "calls") &&
         isSpread(command, "total_us") && isCount(command, "bytes");
}

template <typename Is> bool isList(const Json &object, const char *key, Is is) {
  return object.contains(key) && object[key].is_array() &&
         std::ranges::all_of(object[key], is);
}

/// Whether it has the keys of a profile that are used.
bool isProfile(const Json &json) {
  return json.is_object() && isText(json, "program") &&
         isText(json, "device") && isText(json, "driver") &&
         isCount(json, "executions") && isSpread(json, "total_us") &&
         isList(json, "kernels", isWork) && isList(json, "stages", isStage) &&
         isList(json, "commands", isCommand);
}

/// What a device counts the command as: a variant may have run.
bool isNameOf(const Plan &plan, const Command &command,
              const std::string &name) {
  if (workName(plan, command) == name)
    return true;
  const uint32_t *kernel = nullptr;
  if (auto *dispatch = std::get_if<Dispatch>(&command.op))
    kernel = &dispatch->kernel;
  if (auto *dispatch = std::get_if<DispatchIndirect>(&command.op))
    kernel = &dispatch->kernel;
  return kernel && std::ranges::any_of(
                       plan.kernels[*kernel].variants, [&](uint32_t variant) {
                         return plan.kernels[variant].name == name;
                       });
}

/// How the profile differs from the plan, or nothing.
std::string differenceOf(const Json &json, const Plan &plan) {
  const auto &program = json["program"].get_ref<const std::string &>();
  if (program != plan.program)
    return fmt::format("it is of \"{}\", the plan is \"{}\"",
                       printableLine(program, 80), plan.program);
  if (json["stages"].size() != plan.stages.size())
    return fmt::format("it has {} stages, the plan has {}",
                       json["stages"].size(), plan.stages.size());
  for (size_t i = 0; i < plan.stages.size(); ++i)
    if (json["stages"][i]["name"] != plan.stages[i].name)
      return fmt::format(
          "its stage {} is \"{}\", that of the plan is \"{}\"", i,
          printableLine(json["stages"][i]["name"].get<std::string>(), 80),
          plan.stages[i].name);
  for (const Json &command : json["commands"]) {
    auto index = command["index"].get<uint64_t>();
    const auto &name = command["name"].get_ref<const std::string &>();
    if (index >= plan.commands.size())
      return fmt::format("it has a command {}, the plan has {} commands", index,
                         plan.commands.size());
    if (!isNameOf(plan, plan.commands[index], name))
      return fmt::format("its command {} is \"{}\", that of the plan is \"{}\"",
                         index, printableLine(name, 80),
                         workName(plan, plan.commands[index]));
  }
  return "";
}

} // namespace

Result<nlohmann::json> readProfile(std::string_view text,
                                   const std::string &name, const Plan &plan,
                                   const Deadline &deadline) {
  std::string_view line = lastLine(text);
  Json json;
  auto bad = [&](const std::string &why) {
    return Status(Code::BadInput, fmt::format("\"{}\" {}.", name, why));
  };
  Status status = prescanJson(line, deadline);
  if (status.ok())
    status = parseJson(line, json, deadline);
  if (status.code() == Code::DeviceLost)
    return status;
  if (!status.ok() || !isProfile(json))
    return bad("is no profile (what gpuvm-run --profile=json prints)");
  if (std::string difference = differenceOf(json, plan); !difference.empty())
    return bad("is the profile of another plan: " + difference);
  return json;
}

} // namespace vm
