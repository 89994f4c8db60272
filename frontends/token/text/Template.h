//===- Template.h - texts with placeholders -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Prompts.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vm::token {

/// The placeholders of a block, each once, numbered in the order of the text.
class PlaceholderKeys {
public:
  /// The number of a key, a new one where it was not seen.
  int number(std::string_view key);

  const std::vector<std::string> &inOrder() const { return inOrder_; }
  bool contains(std::string_view key) const { return numbers_.contains(key); }

private:
  std::vector<std::string> inOrder_;
  std::map<std::string, int, std::less<>> numbers_;
};

/// Cuts a text at its placeholders `{name}`, name = [A-Za-z_][A-Za-z0-9_]*,
/// and appends the parts; `{{` and `}}` are braces. Anything else with a brace
/// is returned as it is written.
std::optional<std::string> parseTemplate(std::string_view text,
                                         PlaceholderKeys &keys,
                                         std::vector<TemplatePart> &parts);

} // namespace vm::token
