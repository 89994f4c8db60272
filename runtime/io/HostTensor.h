//===- HostTensor.h - a tensor in host memory -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tools read from .npy files and command lines, hand to the runtime or
// the interpreter, print and compare: plain bytes with a type and a shape.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vm {

/// A dense row-major tensor; little-endian; i1 is one byte an element.
struct HostTensor {
  DType dtype = DType::F32;
  std::vector<int64_t> shape; ///< Empty for a scalar.
  std::vector<uint8_t> bytes; ///< numElements * byteSize(dtype).
  /// How whole numbers are shown and written; types have no sign.
  bool isUnsigned = false;

  uint64_t numElements() const;
  std::string typeString() const; ///< "8xf32", "i64" for a scalar.
};

/// Leaves the first `rows` of the leading dimension.
void keepRows(HostTensor &tensor, int64_t rows);

/// What is said of a type before there is memory for its elements.
using TypeCheck =
    std::function<Status(DType dtype, const std::vector<int64_t> &shape)>;

// Npy.h -- .npy version 1-3, C order or refused, no pickles; bool and unsigned
// types map to the signless type of their width.
Result<HostTensor> parseNpy(std::span<const uint8_t> bytes);
Result<HostTensor> readNpy(const std::string &path,
                           const TypeCheck &check = {});
/// Part `part` of `parts` equal ones of the leading dimension, of which only
/// that is read. Code::BadInput with both numbers if it does not divide.
Result<HostTensor> readNpyPart(const std::string &path, uint64_t part,
                               uint64_t parts, const TypeCheck &check = {});
Status writeNpy(const std::string &path, const HostTensor &tensor);
/// The same for a file that the caller commits.
Status writeNpy(AtomicFile &file, const HostTensor &tensor);

// TensorText.h -- the grammar of iree-run-module: "@x.npy", "8xf32=1,2,3",
// "2x2xi32=1 2 3 4", "f32=3.5", "8xf32=0" (one value fills), "8xf32=@raw.bin".
Result<HostTensor> parseTensor(std::string_view text,
                               const TypeCheck &check = {});
/// "8xf32=1 2 3 ..."; at most maxElements elements, then "...".
std::string formatTensor(const HostTensor &tensor, uint64_t maxElements);
/// nullopt if equal (integers exactly, floats within tolerance, absolute or
/// relative; 0 = bit-exact up to the sign of zero; NaN equals NaN), else a
/// sentence such as `element at index 0 (-2) does not match the expected
/// (123)`.
std::optional<std::string> findMismatch(const HostTensor &actual,
                                        const HostTensor &expected,
                                        double tolerance);

} // namespace vm
