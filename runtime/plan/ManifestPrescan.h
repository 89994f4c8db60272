//===- ManifestPrescan.h - what JSON must satisfy before it is parsed -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nlohmann-json accepts nesting deep enough to overflow the stack later on and
// silently lets the last of two equal keys win. This pass refuses both while
// no value has been built yet.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <string_view>

namespace vm {

/// Ok if `json` is well-formed, at most limits::kMaxJsonDepth deep, and no
/// object has two equal keys.
Status prescanJson(std::string_view json);

} // namespace vm
