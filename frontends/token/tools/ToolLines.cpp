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

#include <optional>

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

namespace {

/// Keeps of a line what an answer has, as far as it is JSON.
class AnswerParser : public Json::json_sax_t {
public:
  bool isObject = false;
  std::optional<uint64_t> id;
  std::optional<std::string> text, error;

  bool null() override { return take(); }
  bool boolean(bool) override { return take(); }
  bool number_integer(int64_t) override { return take(); }
  bool number_unsigned(uint64_t number) override { return take(number); }
  bool number_float(double, const std::string &) override { return take(); }
  bool string(std::string &value) override { return take({}, &value); }
  bool binary(Json::binary_t &) override { return take(); }
  bool key(std::string &name) override {
    if (depth_ == 1)
      key_ = std::move(name);
    return true;
  }
  bool start_object(size_t) override {
    isObject |= depth_ == 0;
    return begin();
  }
  bool start_array(size_t) override { return begin(); }
  bool end_object() override { return --depth_, true; }
  bool end_array() override { return --depth_, true; }
  bool parse_error(size_t, const std::string &,
                   const Json::exception &) override {
    return false;
  }

private:
  bool begin() { return take(), ++depth_, true; }

  /// A value, by what an answer can use of it.
  bool take(std::optional<uint64_t> number = {}, std::string *words = nullptr) {
    if (depth_ != 1)
      return true;
    if (key_ == "id")
      id = number;
    for (auto [name, field] : {std::pair("text", &text), {"error", &error}})
      if (key_ == name)
        *field = words ? std::optional(std::move(*words)) : std::nullopt;
    return true;
  }

  size_t depth_ = 0;
  std::string key_; ///< Of the value that comes next in the object.
};

} // namespace

/// The reply that a line with an `id` holds.
static Result<ToolReply> replyOf(AnswerParser &answer, std::string_view line) {
  if (answer.text.has_value() == answer.error.has_value())
    return noAnswer(line, "it has not exactly one of the strings \"text\" and "
                          "\"error\"");
  return answer.text ? ToolReply::answer(std::move(*answer.text))
                     : ToolReply::error(std::move(*answer.error));
}

Result<ToolAnswerLine> vm::token::readToolAnswer(std::string_view line) {
  if (line.size() > kMaxToolLine)
    return noAnswer(line, "it is too long");
  constexpr const char *kNone = "it is no JSON object in UTF-8";
  AnswerParser answer;
  bool isJson = Json::sax_parse(line, &answer) && answer.isObject;
  if (answer.id)
    return ToolAnswerLine{*answer.id, isJson ? replyOf(answer, line)
                                             : noAnswer(line, kNone)};
  return noAnswer(line,
                  isJson ? "its \"id\" is no whole number from 0" : kNone);
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
