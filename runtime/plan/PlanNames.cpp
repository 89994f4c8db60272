//===- PlanNames.cpp - names and sizes of enumerations --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanNames.h"

#include "runtime/base/CheckedMath.h"

#include <algorithm>
#include <cstddef>

namespace vm {
namespace {

// Indexed by the enumerators' values.
constexpr const char *kResidencyNames[] = {"execution", "load"};
constexpr const char *kDeviceKindNames[] = {"cpu", "gpu"};
constexpr const char *kHazardNames[] = {"RAW", "WAR", "WAW"};
constexpr const char *kTransferNames[] = {"all_gather", "all_to_all",
                                          "shift_up", "shift_down"};

template <typename Enum, size_t N>
const char *nameOf(Enum value, const char *const (&names)[N]) {
  auto index = static_cast<size_t>(value);
  return index < N ? names[index] : "invalid";
}

template <typename Enum, size_t N>
std::optional<Enum> valueOf(std::string_view name,
                            const char *const (&names)[N]) {
  for (size_t i = 0; i < N; ++i)
    if (name == names[i])
      return static_cast<Enum>(i);
  return std::nullopt;
}

} // namespace

const char *toString(Region region) { return nameOf(region, kRegionNames); }
const char *toString(DType dtype) { return nameOf(dtype, kDTypeNames); }
const char *toString(Residency residency) {
  return nameOf(residency, kResidencyNames);
}
const char *toString(DeviceKind kind) { return nameOf(kind, kDeviceKindNames); }
const char *toString(HazardKind kind) { return nameOf(kind, kHazardNames); }
const char *toString(TransferKind kind) { return nameOf(kind, kTransferNames); }

uint64_t byteSize(DType dtype) {
  auto index = static_cast<size_t>(dtype);
  return index < std::size(kDTypeBytes) ? kDTypeBytes[index] : 0;
}

template <> std::optional<Region> fromString(std::string_view name) {
  return valueOf<Region>(name, kRegionNames);
}
template <> std::optional<DType> fromString(std::string_view name) {
  return valueOf<DType>(name, kDTypeNames);
}
template <> std::optional<Residency> fromString(std::string_view name) {
  return valueOf<Residency>(name, kResidencyNames);
}
template <> std::optional<Feature> fromString(std::string_view name) {
  for (size_t i = 0; i < kNumFeatures; ++i)
    if (name == kFeatures[i].name)
      return static_cast<Feature>(i);
  return std::nullopt;
}
template <> std::optional<DeviceKind> fromString(std::string_view name) {
  return valueOf<DeviceKind>(name, kDeviceKindNames);
}
template <> std::optional<HazardKind> fromString(std::string_view name) {
  return valueOf<HazardKind>(name, kHazardNames);
}
template <> std::optional<TransferKind> fromString(std::string_view name) {
  return valueOf<TransferKind>(name, kTransferNames);
}

std::vector<Binding> dispatchBindings(const Plan &plan, uint32_t kernel) {
  std::vector<Binding> all = plan.kernels[kernel].bindings;
  for (uint32_t variant : plan.kernels[kernel].variants)
    for (const Binding &own : plan.kernels[variant].bindings) {
      auto place =
          std::lower_bound(all.begin(), all.end(), own.binding,
                           [](const Binding &binding, uint32_t number) {
                             return binding.binding < number;
                           });
      if (place == all.end() || place->binding != own.binding) {
        all.insert(place, own);
        continue;
      }
      place->reads |= own.reads;
      place->writes |= own.writes;
    }
  return all;
}

std::optional<uint64_t> tensorByteSize(DType dtype,
                                       const std::vector<int64_t> &shape) {
  std::optional<uint64_t> bytes = byteSize(dtype);
  for (int64_t dim : shape) {
    if (dim < 0 || !bytes)
      return std::nullopt;
    bytes = checkedMul(*bytes, static_cast<uint64_t>(dim));
  }
  return bytes;
}

std::string typeString(DType dtype, const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t dim : shape)
    text += std::to_string(dim) + "x";
  return text + toString(dtype);
}

std::string typeString(const Slot &slot) {
  return typeString(slot.dtype, slot.shape);
}

} // namespace vm
