//===- Features.h - the features of devices that kernels may need -*- C++
//-*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <iterator>
#include <optional>

namespace vm {

enum class Feature : uint8_t {
#define GPUVM_FEATURE(ENUMERATOR, ...) ENUMERATOR,
#include "schema/Features.def"
};

struct FeatureFacts {
  const char *name;  ///< In manifests and in IR.
  uint16_t since;    ///< The minor version of the plan format.
  const char *words; ///< In the terms of Vulkan's documentation.
};

/// By the value of the feature.
inline constexpr FeatureFacts kFeatures[] = {
#define GPUVM_FEATURE(ENUMERATOR, NAME, SINCE, CAPABILITIES, VULKAN, WORDS)    \
  {#NAME, SINCE, WORDS},
#include "schema/Features.def"
};
inline constexpr size_t kNumFeatures = std::size(kFeatures);

constexpr const char *toString(Feature feature) {
  auto index = static_cast<size_t>(feature);
  return index < kNumFeatures ? kFeatures[index].name : "invalid";
}

constexpr const char *describe(Feature feature) {
  auto index = static_cast<size_t>(feature);
  return index < kNumFeatures ? kFeatures[index].words : "invalid";
}

/// The feature that a capability of SPIR-V, by its number, needs.
constexpr std::optional<Feature> featureOfCapability(uint32_t capability) {
#define GPUVM_CAPABILITY(NUMBER, NAME) capability == NUMBER ||
#define GPUVM_FEATURE(ENUMERATOR, NAME, SINCE, CAPABILITIES, ...)              \
  if (CAPABILITIES false)                                                      \
    return Feature::ENUMERATOR;
#include "schema/Features.def"
#undef GPUVM_CAPABILITY
  return std::nullopt;
}

} // namespace vm
