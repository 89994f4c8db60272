//===- Elements.cpp - checks and comparison of elements -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Elements.h"

#include <algorithm>
#include <cmath>

using namespace vm;

std::optional<uint64_t> vm::checkedByteSize(DType dtype,
                                            std::span<const int64_t> shape) {
  // int64_t is the limit so that sizes also fit a file offset.
  int64_t size = static_cast<int64_t>(byteSize(dtype));
  bool empty = false;
  for (int64_t dim : shape) {
    empty |= dim == 0;
    if (dim != 0 && __builtin_mul_overflow(size, dim, &size))
      return std::nullopt;
  }
  return empty ? 0 : static_cast<uint64_t>(size);
}

Status vm::checkBools(const HostTensor &tensor) {
  if (tensor.dtype != DType::I1)
    return {};
  auto it = std::find_if(tensor.bytes.begin(), tensor.bytes.end(),
                         [](uint8_t byte) { return byte > 1; });
  if (it == tensor.bytes.end())
    return {};
  return Status(Code::BadInput,
                fmt::format("Element {} of the bool array is {}, neither 0 nor "
                            "1.",
                            it - tensor.bytes.begin(), unsigned(*it)));
}

/// Equality of findMismatch for floats.
static bool isClose(double actual, double expected, double tolerance) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return true;
  if (!std::isfinite(actual) || !std::isfinite(expected))
    return false;
  double difference = std::fabs(actual - expected);
  return difference <= tolerance ||
         difference <= tolerance * std::fabs(expected);
}

template <typename T>
static bool matches(T actual, T expected, double tolerance) {
  if constexpr (isFloat<T>)
    return isClose(static_cast<double>(actual), static_cast<double>(expected),
                   tolerance);
  else
    return actual == expected;
}

template <typename T>
static std::optional<std::string>
findElementMismatch(const HostTensor &actual, const HostTensor &expected,
                    double tolerance) {
  uint64_t count = actual.numElements();
  for (uint64_t i = 0; i < count; ++i) {
    T a = loadElement<T>(actual, i), e = loadElement<T>(expected, i);
    if (!matches(a, e, tolerance))
      return fmt::format("element at index {} ({}) does not match the expected "
                         "({})",
                         i, formatElement(a), formatElement(e));
  }
  return std::nullopt;
}

std::optional<std::string> vm::findMismatch(const HostTensor &actual,
                                            const HostTensor &expected,
                                            double tolerance) {
  if (actual.dtype != expected.dtype || actual.shape != expected.shape)
    return fmt::format("type {} does not match the expected {}",
                       actual.typeString(), expected.typeString());
  if (actual.bytes == expected.bytes)
    return std::nullopt;
  return visitElementType(actual.dtype, [&]<typename T>(ElementTag<T>) {
    return findElementMismatch<T>(actual, expected, tolerance);
  });
}
