//===- SetConstants.h - other values of constants ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "parameters/Parameters.h"
#include "runtime/base/Status.h"

#include <string>
#include <string_view>

namespace vm::linear {

/// An assembly text in which constants (`.const WIDTH 96`) have the numbers of
/// `settings`, all else where it was. BadInput if there is no such constant.
Result<std::string> setConstants(std::string_view text, const std::string &file,
                                 const Settings &settings);

} // namespace vm::linear
