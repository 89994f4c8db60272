//===- FileKind.h - a plan where a program is wanted, or the opposite -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file is, by its first bytes, so that a tool can say which other tool
// takes it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace vm {

/// The first bytes of a file; none of what is no regular file, whose bytes can
/// be read only once.
inline std::string firstBytes(const std::string &path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return "";
  std::string bytes(1 << 16, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

/// Of a plan file, which tools take it; else empty.
inline std::string planAdvice(const std::string &path) {
  if (!firstBytes(path).starts_with("\x89GVP\r\n\x1A\n"))
    return "";
  return fmt::format("\"{0}\" is a plan, not a program: gpuvm-run {0} runs it, "
                     "gpuvm-plan show {0} shows what it holds.",
                     path);
}

/// Of a file with a program, how to compile it to a plan; else empty.
inline std::string programAdvice(const std::string &path) {
  std::string bytes = firstBytes(path);
  bool isMlir = bytes.starts_with("ML\xEFR") || path.ends_with(".mlir") ||
                bytes.find("gpuvm.program") != std::string::npos;
  if (bytes.empty() || bytes.front() == '\x89' || !isMlir)
    return "";
  std::string plan =
      std::filesystem::path(path).replace_extension(".gvplan").string();
  return fmt::format("\"{0}\" is a program, not a plan: gpuvm-compile {0} -o "
                     "{1} makes one, gpuvm-interpret {0} runs it without.",
                     path, plan);
}

} // namespace vm
