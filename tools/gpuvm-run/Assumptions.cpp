//===- Assumptions.cpp - features that tests take a device to have --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/Assumptions.h"

#include "runtime/plan/OptionalFeatures.h"
#include "runtime/plan/PlanNames.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace vm::run {

static std::optional<Feature> featureOf(const std::string &text) {
  return fromString<Feature>(text.substr(text.starts_with('-') ? 1 : 0));
}

bool isAssumption(const std::string &text) {
  return featureOf(text).has_value();
}

static Status takeAway(Kernel &kernel, Feature feature) {
  if (!isOptional(kernel, feature))
    return Status(Code::NoDevice,
                  fmt::format("Kernel \"{}\" needs the feature {}, which the "
                              "device is taken not to have.",
                              kernel.name, toString(feature)));
  kernel.spirv = withoutFeature(kernel.spirv, feature);
  return {};
}

/// Commands are left out as they are on a device with the feature, or not.
static void assumeOfCommands(Plan &plan, Feature feature, bool isThere) {
  for (Command &command : plan.commands) {
    if (command.unless != feature)
      continue;
    command.unless.reset();
    if (isThere)
      command.op = LeftOut();
  }
}

Status assume(Plan &plan, const std::vector<std::string> &assumptions) {
  for (const std::string &text : assumptions) {
    assumeOfCommands(plan, featureOf(text).value(), !text.starts_with('-'));
    for (Kernel &kernel : plan.kernels) {
      Feature feature = featureOf(text).value();
      auto found =
          std::find(kernel.features.begin(), kernel.features.end(), feature);
      if (found == kernel.features.end())
        continue;
      if (text.starts_with('-'))
        VM_RETURN_IF_ERROR(takeAway(kernel, feature));
      kernel.features.erase(found);
    }
  }
  return {};
}

} // namespace vm::run
