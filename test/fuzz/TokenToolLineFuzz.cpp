//===- TokenToolLineFuzz.cpp - any bytes from a tool ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool writes is cut into the same lines however it comes, and a line is
// an answer or is refused with a sentence. A request is one line of UTF-8 that
// says the text it was made of.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/tools/ToolLines.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

using namespace vm;
using namespace vm::token;

static void require(bool condition) {
  if (!condition)
    abort();
}

static std::vector<std::string> cut(std::string_view text, size_t piece) {
  ToolLineReader reader;
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size(); at += piece) {
    reader.append(text.substr(at, piece));
    for (std::string_view line; reader.next(line);)
      lines.emplace_back(line);
  }
  return lines;
}

static void checkAnswer(const std::string &line) {
  Result<ToolAnswerLine> answer = readToolAnswer(line);
  if (!answer.ok()) {
    require(answer.status().code() == Code::BadInput);
    require(answer.status().message().size() < 300);
    return;
  }
  const Result<ToolReply> &reply = answer->reply;
  if (!reply.ok()) {
    require(reply.status().code() == Code::BadInput);
    require(reply.status().message().size() < 300);
    return;
  }
  nlohmann::json json = nlohmann::json::parse(line);
  bool isError = reply->kind == ToolReply::Kind::Error;
  require(json["id"] == answer->id);
  require(json[isError ? "error" : "text"] == reply->text);
}

static void checkRequest(const std::string &text) {
  std::string line = toolRequestLine(1, 2, text, text);
  require(std::ranges::count(line, '\n') == 1 && line.back() == '\n');
  nlohmann::json json = nlohmann::json::parse(line);
  require(json["tool"] == json["text"]);
  auto isAscii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, isAscii))
    require(json["text"] == text);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  std::vector<std::string> lines = cut(text, std::max<size_t>(size, 1));
  require(size_t(std::ranges::count(text, '\n')) == lines.size());
  require(cut(text, 1) == lines && cut(text, 7) == lines);
  std::ranges::for_each(lines, checkAnswer);
  checkAnswer(text);
  checkRequest(text);
  return 0;
}
