//===- RenderChat.cpp - renders a conversation ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads {"template", "bos", "eos", "messages": [{"role", "content"}]} as JSON a
// line, and prints [family, [[text, isTemplate]]], or a sentence, a line. Run
// by chat_templates.py.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/chat/ChatTemplate.h"

#include <nlohmann/json.hpp>

#include <iostream>

using namespace vm;
using namespace vm::llm;
using nlohmann::json;

static json render(const json &request) {
  Result<ChatTemplate> found = ChatTemplate::recognize(
      request["template"].get<std::string>(), request["bos"], request["eos"]);
  if (!found.ok())
    return found.status().message();
  std::vector<ChatMessage> messages;
  for (const json &message : request["messages"])
    messages.push_back({message["role"], message["content"]});
  Result<std::vector<TextPiece>> pieces = found->render(messages);
  if (!pieces.ok())
    return {std::string(found->family()), pieces.status().message()};
  json result = json::array();
  for (const TextPiece &piece : *pieces)
    result.push_back({piece.text, piece.isTemplate});
  return {std::string(found->family()), result};
}

int main() {
  for (std::string line; std::getline(std::cin, line);)
    std::cout << render(json::parse(line)).dump() << "\n";
}
