//===- PlanNames.h - names of the plan's enumerations, both ways ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterparts of the toString functions of Plan.h, and the size of a
// tensor. The names are those of the manifest and of every printed plan.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <optional>
#include <string_view>

namespace vm {

const char *toString(Residency residency); ///< "execution", "load"

/// The value whose toString is `name`, or nullopt.
template <typename Enum>
std::optional<Enum> fromString(std::string_view name) = delete;
template <> std::optional<Region> fromString(std::string_view name);
template <> std::optional<DType> fromString(std::string_view name);
template <> std::optional<Residency> fromString(std::string_view name);
template <> std::optional<Feature> fromString(std::string_view name);
template <> std::optional<DeviceKind> fromString(std::string_view name);
template <> std::optional<HazardKind> fromString(std::string_view name);
template <> std::optional<TransferKind> fromString(std::string_view name);

/// The bindings of a kernel and of its variants, sorted, with what any of them
/// does: what a dispatch of it has windows for.
std::vector<Binding> dispatchBindings(const Plan &plan, uint32_t kernel);

/// Bytes of a dense tensor, or nullopt if a dimension is negative or the
/// product does not fit 64 bits.
std::optional<uint64_t> tensorByteSize(DType dtype,
                                       const std::vector<int64_t> &shape);

/// "8x4xf32", or "f32" for a scalar.
std::string typeString(DType dtype, const std::vector<int64_t> &shape);
std::string typeString(const Slot &slot);

} // namespace vm
