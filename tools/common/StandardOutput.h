//===- StandardOutput.h - writing to standard output ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A full disk under standard output is the same failure in all programs, and
// that of every other output that cannot be written.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <cstdio>
#include <string_view>

namespace vm {

/// Writes what is buffered. Code::Usage if that, or anything before it, cannot
/// be written.
inline Status flushOutput() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return {};
  return Status(Code::Usage, "Standard output cannot be written.");
}

/// What a std::system_error says that reaches main(): fmt::print throws one if
/// standard output cannot be written, a library if it gets no thread.
inline Status systemError() {
  if (std::ferror(stdout))
    return Status(Code::Usage, "Standard output cannot be written.");
  return Status(Code::OutOfMemory, "The host has no memory left for a thread.");
}

/// Prints `text`, and all before it.
inline Status printOutput(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return flushOutput();
}

} // namespace vm
