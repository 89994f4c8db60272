//===- RankNames.cpp - {rank} in arguments --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/RankNames.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace vm::run {

static void replaceAll(std::string &text, std::string_view what,
                       const std::string &value) {
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + value.size()))
    text.replace(at, what.size(), value);
}

void placeRank(CommandLine &options, uint32_t rank, uint32_t ranks) {
  auto place = [&](std::string &text) {
    replaceAll(text, "{rank}", fmt::to_string(rank));
    replaceAll(text, "{ranks}", fmt::to_string(ranks));
  };
  for (std::vector<std::string> *list :
       {&options.inputs, &options.sets, &options.outputs, &options.expected,
        &options.streams, &options.streamOutputs})
    for (std::string &text : *list)
      place(text);
  // {rank} of states is replaced where they are read: a rank may need others'.
  for (std::string *text : {&options.restorePath, &options.savePath})
    replaceAll(*text, "{ranks}", fmt::to_string(ranks));
  for (std::string *text : {&options.tracePath, &options.device})
    place(*text);
}

Status checkRankFiles(const CommandLine &options, uint32_t ranks) {
  auto check = [ranks](const char *flag, std::string_view file) {
    if (file.empty() || file.find("{rank}") != file.npos)
      return Status();
    return Status(Code::Usage,
                  fmt::format("{} ranks would write the file \"{}\" of {} "
                              "(\"{{rank}}\" in its name becomes the number "
                              "of each).",
                              ranks, file, flag));
  };
  auto fileOf = [](std::string_view argument, std::string_view sign) {
    size_t at = argument.find(sign);
    return at == argument.npos ? "" : argument.substr(at + sign.size());
  };
  if (ranks == 1)
    return {};
  for (const std::string &output : options.outputs)
    VM_RETURN_IF_ERROR(check("--output", fileOf(output, "=@")));
  for (const std::string &stream : options.streamOutputs)
    VM_RETURN_IF_ERROR(check("--stream-output", fileOf(stream, "=")));
  VM_RETURN_IF_ERROR(check("--save", options.savePath));
  return check("--trace", options.tracePath);
}

} // namespace vm::run
