//===- Regex.h - a regular expression of Unicode text ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thin layer over PCRE2 for patterns that are written here, none from a file.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <memory>
#include <string_view>
#include <vector>

struct pcre2_real_code_8;

namespace vm::llm {

class Regex {
public:
  /// `\s` and `\S` go by the property White_Space, as in Oniguruma, with which
  /// Hugging Face's tokenizers match; PCRE2's own takes U+180E in.
  static Result<Regex> compile(std::string_view pattern);

  /// Appends `text`, cut at both ends of each match: matches and what lies
  /// between them, in order. `text` must be UTF-8.
  Status split(std::string_view text,
               std::vector<std::string_view> &parts) const;

private:
  struct Free {
    void operator()(pcre2_real_code_8 *code) const;
  };
  std::unique_ptr<pcre2_real_code_8, Free> code_;
};

} // namespace vm::llm
