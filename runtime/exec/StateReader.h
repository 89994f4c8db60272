//===- StateReader.h - the parts of a state file --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Header, list of symbols, values and checksum of a file of saveState()
// (docs/programs.md), without knowing what the symbols are.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/InputFile.h"
#include "runtime/base/Status.h"
#include "schema/Machine.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace vm {

inline constexpr std::array<uint8_t, 8> kStateMagic = {'g', 'v', 's', 't',
                                                       'a', 't', 'e', 1};
/// Of one of several ranks: a StatePart follows the header.
inline constexpr std::array<uint8_t, 8> kRankStateMagic = {'g', 'v', 's', 't',
                                                           'a', 't', 'e', 2};

struct StateHeader {
  std::array<uint8_t, 8> magic = kStateMagic;
  uint64_t layoutBytes = 0;
  uint64_t valueBytes = 0;
};
static_assert(sizeof(StateHeader) == 24);

/// Which part of which save a file is.
struct StatePart {
  uint32_t rank = 0;
  uint32_t ranks = 1;
  uint64_t save = 0; ///< The same in all files of a save, and in no other.
};
static_assert(sizeof(StatePart) == 16);

/// The checksum of what goes by.
class StateChecksum {
public:
  StateChecksum() { XXH3_64bits_reset(&state_); }
  void add(std::span<const uint8_t> bytes) {
    XXH3_64bits_update(&state_, bytes.data(), bytes.size());
  }
  uint64_t value() const { return XXH3_64bits_digest(&state_); }

private:
  XXH3_state_t state_ = {};
};

/// Where values go: the bytes of a region from an offset on.
using WriteValues =
    std::function<Status(Region, uint64_t, std::span<const uint8_t>)>;

/// Code::BadInput: `The state file "<path>" <what>.`
Status badState(const std::string &path, const std::string &what);

class StateReader {
public:
  /// Reads the header; what it says against the size of the file is said here.
  static Result<StateReader> open(const std::string &path);

  const std::string &path() const { return path_; }
  const StatePart &part() const { return part_; }
  uint64_t valueBytes() const { return header_.valueBytes; }
  /// The list of symbols, or its first `most` bytes.
  Result<std::string> readLayout(uint64_t most) const;
  /// Compares the checksum of the whole file.
  Status checkSum() const;
  /// Values from byte `at` of all values on.
  Status readValues(uint64_t at, std::span<uint8_t> bytes) const {
    return file_.readAt(layoutAt_ + header_.layoutBytes + at, bytes);
  }

private:
  StateReader(InputFile file, const std::string &path)
      : file_(std::move(file)), path_(path) {}

  InputFile file_;
  std::string path_;
  StateHeader header_;
  StatePart part_;
  uint64_t layoutAt_ = 0;
};

} // namespace vm
