//===- Hover.cpp - hovers in a document with a mistake --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-lsp-server/Hover.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::gpuvm;
using llvm::StringRef;
namespace json = llvm::json;

void lsp::completeHover(json::Object &message) {
  json::Object *result = message.getObject("result");
  json::Object *contents = result ? result->getObject("contents") : nullptr;
  std::optional<StringRef> value =
      contents ? contents->getString("value") : std::nullopt;
  if (!value || !value->starts_with("\""))
    return;
  auto [name, rest] = value->drop_front().split('"');
  StringRef reference = getReference(name);
  if (reference.empty())
    return;
  auto [line, after] = rest.split('\n');
  std::string completed = llvm::formatv("`{0}`{1}\n\n{2}\n\n{3}", name, line,
                                        reference.trim(), after.ltrim());
  (*contents)["value"] = completed;
}

static llvm::SmallVector<StringRef> splitLines(StringRef text) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  return lines;
}

std::optional<size_t> lsp::findLine(StringRef text, StringRef good,
                                    size_t line) {
  llvm::SmallVector<StringRef> now = splitLines(text), then = splitLines(good);
  size_t most = std::min(now.size(), then.size()), front = 0, back = 0;
  while (front < most && now[front] == then[front])
    ++front;
  while (back < most - front &&
         now[now.size() - 1 - back] == then[then.size() - 1 - back])
    ++back;
  if (line < front)
    return line;
  if (line < now.size() && line >= now.size() - back)
    return line + then.size() - now.size();
  return std::nullopt;
}

static bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

json::Value lsp::hoverOverName(StringRef text, size_t line, size_t character) {
  llvm::SmallVector<StringRef> lines = splitLines(text);
  if (line >= lines.size() || character > lines[line].size())
    return nullptr;
  StringRef before = lines[line].take_front(character);
  StringRef after = lines[line].drop_front(character);
  size_t begin = before.size();
  while (begin > 0 && isNameCharacter(before[begin - 1]))
    --begin;
  std::string name =
      (before.drop_front(begin) + after.take_while(isNameCharacter)).str();
  StringRef reference = getReference(name);
  if (reference.empty()) // Where gpuvm's own need no prefix.
    reference = getReference(name = "gpuvm." + name);
  if (reference.empty())
    return nullptr;
  std::string value = llvm::formatv("`{0}`\n\n{1}", name, reference.trim());
  return json::Object{
      {"contents", json::Object{{"kind", "markdown"}, {"value", value}}}};
}
