//===- Variants.cpp - the kernels of a plan that suit a device ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Variants.h"

#include "runtime/device/DeviceSelection.h"

#include <algorithm>

namespace vm {

void chooseVariants(Plan &plan, const DeviceInfo &info) {
  size_t count = 0;
  for (Kernel &kernel : plan.kernels) {
    std::vector<uint32_t> variants = std::move(kernel.variants);
    count += variants.size();
    auto chosen =
        std::find_if(variants.begin(), variants.end(), [&](uint32_t number) {
          return refusalReasons(info, requirementsOf(plan.kernels[number]))
              .empty();
        });
    if (chosen != variants.end())
      kernel = std::move(plan.kernels[*chosen]);
    kernel.variants.clear();
  }
  plan.kernels.resize(plan.kernels.size() - count); // They are the last ones.
}

void dropVariants(Plan &plan) {
  size_t count = 0;
  for (Kernel &kernel : plan.kernels) {
    count += kernel.variants.size();
    kernel.variants.clear();
  }
  plan.kernels.resize(plan.kernels.size() - count);
}

} // namespace vm
