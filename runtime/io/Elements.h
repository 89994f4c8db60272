//===- Elements.h - typed access to the elements of a HostTensor ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to runtime/io: one place that knows which C++ type stands for which
// DType, how an element is printed, and how large a shape is.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/io/Bfloat16.h"
#include "runtime/io/HostTensor.h"

#include <cstring>
#include <fmt/format.h>

namespace vm {

/// One stored bool; a type of its own, so that overloads can tell it from i8.
enum class Bool8 : uint8_t {};

/// IEEE binary16, a type of both compilers we build with.
using Half = _Float16;

template <typename T> struct ElementTag {
  using Type = T;
};

template <typename T>
inline constexpr bool isFloat =
    std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16> ||
    std::is_floating_point_v<T>;

/// Calls `visitor(ElementTag<T>())` with the C++ type of `dtype`.
template <typename Visitor>
auto visitElementType(DType dtype, Visitor &&visitor) {
  switch (dtype) {
  case DType::I1:
    return visitor(ElementTag<Bool8>());
  case DType::I8:
    return visitor(ElementTag<int8_t>());
  case DType::I16:
    return visitor(ElementTag<int16_t>());
  case DType::I32:
    return visitor(ElementTag<int32_t>());
  case DType::I64:
    return visitor(ElementTag<int64_t>());
  case DType::F16:
    return visitor(ElementTag<Half>());
  case DType::F32:
    return visitor(ElementTag<float>());
  case DType::BF16:
    return visitor(ElementTag<Bfloat16>());
  case DType::F64:
    break;
  }
  return visitor(ElementTag<double>());
}

/// Element `index` of a tensor whose type is T.
template <typename T> T loadElement(const HostTensor &tensor, uint64_t index) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// The shortest text that reads back as the same value.
template <typename T> std::string formatElement(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>)
    return fmt::format("{}", static_cast<float>(value));
  else if constexpr (std::is_same_v<T, Bool8>)
    return value == Bool8{} ? "0" : "1";
  else
    return fmt::format("{}", value);
}

/// A failure if an i1 element is neither 0 nor 1; kernels rely on that.
Status checkBools(const HostTensor &tensor);

/// Bytes of a tensor of that shape (dims >= 0), or nullopt past 2^63 - 1.
std::optional<uint64_t> checkedByteSize(DType dtype,
                                        std::span<const int64_t> shape);

} // namespace vm
