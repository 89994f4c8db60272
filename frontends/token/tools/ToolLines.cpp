//===- ToolLines.cpp - the lines that a tool on a pipe reads and writes ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/tools/ToolLines.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace vm;
using namespace vm::token;

using Json = nlohmann::json;

std::string vm::token::toolRequestLine(uint64_t id, int32_t stream,
                                       const std::string &tool,
                                       const std::string &text) {
  nlohmann::ordered_json line;
  line["id"] = id;
  line["stream"] = stream;
  line["tool"] = tool;
  line["text"] = text;
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

static Status noAnswer(std::string_view line, const char *why) {
  return Status(Code::BadInput, fmt::format("The line \"{}\" is no answer: {}.",
                                            printable(line, 60), why));
}

/// What lies deeper than an answer needs is not built, so that a line costs no
/// more than a few times its length.
static Json parseFlat(std::string_view line) {
  auto keep = [](int depth, Json::parse_event_t event, Json &) {
    bool begins = event == Json::parse_event_t::object_start ||
                  event == Json::parse_event_t::array_start;
    return !begins || depth == 0;
  };
  return Json::parse(line, keep, /*allow_exceptions=*/false);
}

Result<ToolAnswerLine> vm::token::readToolAnswer(std::string_view line) {
  if (line.size() > kMaxToolLine)
    return noAnswer(line, "it is too long");
  Json json = parseFlat(line);
  if (!json.is_object())
    return noAnswer(line, "it is no JSON object in UTF-8");
  auto id = json.find("id");
  // A number that is written with a minus sign or a fraction is not unsigned.
  if (id == json.end() || !id->is_number_unsigned())
    return noAnswer(line, "its \"id\" is no whole number from 0");
  auto text = json.find("text"), error = json.find("error");
  bool hasText = text != json.end() && text->is_string();
  bool hasError = error != json.end() && error->is_string();
  if (hasText == hasError)
    return noAnswer(line, "it has not exactly one of the strings \"text\" and "
                          "\"error\"");
  ToolAnswerLine answer;
  answer.id = id->get<uint64_t>();
  answer.reply = hasText ? ToolReply::answer(text->get<std::string>())
                         : ToolReply::error(error->get<std::string>());
  return answer;
}

bool ToolLineReader::next(std::string_view &line) {
  size_t end = buffer_.find('\n', searched_);
  if (end != std::string::npos) {
    line = std::string_view(buffer_).substr(begin_, end - begin_);
    begin_ = searched_ = end + 1;
    isTooLong_ = line.size() > kMaxToolLine;
    return true;
  }
  buffer_.erase(0, begin_);
  begin_ = 0;
  searched_ = buffer_.size();
  isTooLong_ = buffer_.size() > kMaxToolLine;
  return false;
}
