//===- Status.cpp - errors as values --------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Status.h"

namespace vm {

Status Status::withContext(const std::string &context) const {
  if (ok())
    return *this;
  std::string sentence = message_;
  if (!sentence.empty() && sentence.back() == '.')
    sentence.pop_back();
  return Status(code_, sentence + " - while " + context + ".");
}

} // namespace vm
