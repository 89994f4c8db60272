//===- NpyHeader.h - the header of a .npy file ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to runtime/io. The format is numpy's NEP 1: magic, version, header
// length, then a Python dict literal with exactly the keys descr, fortran_order
// and shape, then the data. Written for hostile files: nothing is allocated
// from a number in the file before that number is checked.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/io/HostTensor.h"

namespace vm {

/// The longest header text that is read; numpy.load's own max_header_size.
inline constexpr uint64_t kMaxNpyHeaderBytes = 10000;
/// Magic, version and the longest (version 2) length field.
inline constexpr uint64_t kMaxNpyPreambleBytes = 12;
/// The most dimensions an array may have; numpy 1's NPY_MAXDIMS.
inline constexpr size_t kMaxNpyRank = 32;

struct NpyHeader {
  DType dtype = DType::F32;
  bool isUnsigned = false;
  std::vector<int64_t> shape;
  uint64_t dataOffset = 0; ///< Bytes before the data.
  uint64_t dataBytes = 0;  ///< The data's size: shape times element size.
};

/// Reads the header from the first bytes of a file (all of it, or at least
/// kMaxNpyPreambleBytes + kMaxNpyHeaderBytes). Says nothing about the data.
Result<NpyHeader> parseNpyHeader(std::span<const uint8_t> bytes);

/// The version 1.0 header numpy itself writes for this type, padded so that
/// the data starts at a multiple of 64 bytes.
std::vector<uint8_t> formatNpyHeader(DType dtype,
                                     const std::vector<int64_t> &shape,
                                     bool isUnsigned = false);

} // namespace vm
