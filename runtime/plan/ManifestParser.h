//===- ManifestParser.h - the JSON of a manifest, read with care ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nlohmann-json accepts nesting deep enough to overflow the stack later on and
// silently lets the last of two equal keys win. A first pass refuses both while
// no value has been built yet. Both passes end at a deadline, which
// nlohmann-json's own does not know.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace vm {

/// Ok if `json` is well-formed, at most limits::kMaxJsonDepth deep, and no
/// object has two equal keys. Code::DeviceLost when the deadline is over.
Status prescanJson(std::string_view json, const Deadline &deadline);

/// Sets `root` to what `json`, which prescanJson takes, describes.
/// Code::DeviceLost when the deadline is over.
Status parseJson(std::string_view json, nlohmann::json &root,
                 const Deadline &deadline);

} // namespace vm
