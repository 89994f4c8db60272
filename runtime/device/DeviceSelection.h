//===- DeviceSelection.h - the choice of a device -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pure function of what the devices can do, what the plan needs and what the
// user asks for. A real GPU comes first, lavapipe last: it runs everything and
// is there when nothing else is.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/DeviceInfo.h"
#include "runtime/device/Requirements.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vm {

/// Why one device cannot run the plan: full sentences, one reason each.
struct Refusal {
  uint32_t device = 0; ///< Index into the devices given.
  std::vector<std::string> reasons;
};

struct Selection {
  std::optional<uint32_t> device; ///< Index into the devices given.
  std::vector<Refusal> refusals;  ///< Of wanted devices only.
  Status status;                  ///< Code::NoDevice if there is no device.
};

/// Every reason why `info` cannot satisfy `needs`; empty if it can.
std::vector<std::string> refusalReasons(const DeviceInfo &info,
                                        const Requirements &needs);

/// Picks the best device among those `wanted` names: "" (any), "gpu", "cpu",
/// "lavapipe", an index into `devices`, or a part of a device's name (the case
/// of letters does not matter). Of several that are equally good it is number
/// `number`, counted from 0 and over again: ranks of one host take one each.
Selection selectDevice(std::span<const DeviceInfo> devices,
                       const Requirements &needs, std::string_view wanted,
                       uint32_t number = 0);

} // namespace vm
