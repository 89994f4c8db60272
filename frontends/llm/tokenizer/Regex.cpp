//===- Regex.cpp - a regular expression of Unicode text -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/Regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <string>

using namespace vm;
using namespace vm::llm;

void Regex::Free::operator()(pcre2_real_code_8 *code) const {
  pcre2_code_free(code);
}

static Status failure(int error, std::string_view what) {
  char text[256] = "";
  pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR *>(text),
                          sizeof(text));
  Code code = error == PCRE2_ERROR_NOMEMORY || error == PCRE2_ERROR_HEAPLIMIT
                  ? Code::OutOfMemory
                  : Code::BadInput;
  return Status(code, fmt::format("{} (PCRE2: {}).", what, text));
}

static std::string withWhiteSpace(std::string_view pattern) {
  std::string result;
  for (size_t i = 0; i < pattern.size(); ++i) {
    bool isEscape = pattern[i] == '\\' && i + 1 < pattern.size();
    std::string_view escape = pattern.substr(i, isEscape ? 2 : 1);
    result += escape == "\\s"   ? "\\p{WSpace}"
              : escape == "\\S" ? "\\P{WSpace}"
                                : escape;
    i += escape.size() - 1;
  }
  return result;
}

Result<Regex> Regex::compile(std::string_view pattern) {
  std::string text = withWhiteSpace(pattern);
  int error = 0;
  PCRE2_SIZE offset = 0;
  Regex regex;
  regex.code_.reset(pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_NO_UTF_CHECK, &error, &offset, nullptr));
  if (!regex.code_)
    return failure(error, fmt::format("The pattern \"{}\" is wrong at byte {}",
                                      pattern, offset));
  // Without it, on a processor PCRE2 has no code for, matching is slower.
  pcre2_jit_compile(regex.code_.get(), PCRE2_JIT_COMPLETE);
  return regex;
}

namespace {

struct FreeMatch {
  void operator()(pcre2_match_data *data) const { pcre2_match_data_free(data); }
};
struct FreeContext {
  void operator()(pcre2_match_context *context) const {
    pcre2_match_context_free(context);
  }
};

} // namespace

Status Regex::split(std::string_view text,
                    std::vector<std::string_view> &parts) const {
  std::unique_ptr<pcre2_match_data, FreeMatch> data(
      pcre2_match_data_create(1, nullptr));
  std::unique_ptr<pcre2_match_context, FreeContext> context(
      pcre2_match_context_create(nullptr));
  if (!data || !context)
    return Status(Code::OutOfMemory, "The host has no memory left.");
  // The limit is against patterns that take exponential time; these do not,
  // and a line of a megabyte may take more steps than the default.
  pcre2_set_match_limit(context.get(), UINT32_MAX);
  const PCRE2_SIZE *match = pcre2_get_ovector_pointer(data.get());
  size_t done = 0; // Bytes that are in `parts`.
  size_t from = 0;
  while (from < text.size()) {
    // With one pair of offsets, a match with groups returns 0.
    int count = pcre2_match(
        code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
        from, PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, data.get(), context.get());
    if (count == PCRE2_ERROR_NOMATCH)
      break;
    if (count < 0)
      return failure(count, fmt::format("A text of {} bytes cannot be split "
                                        "into words",
                                        text.size()));
    if (match[0] > done)
      parts.push_back(text.substr(done, match[0] - done));
    parts.push_back(text.substr(match[0], match[1] - match[0]));
    done = from = match[1];
  }
  if (done < text.size())
    parts.push_back(text.substr(done));
  return {};
}
