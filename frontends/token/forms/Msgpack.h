//===- Msgpack.h - values as bytes ----------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The MessagePack format as far as the wire form needs it, in its smallest
// encodings only: each value has one spelling. Maps have keys of any type,
// which the libraries at hand do not read.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vm::token {

class MsgpackWriter {
public:
  void nil() { bytes_ += '\xC0'; }
  void boolean(bool value) { bytes_ += value ? '\xC3' : '\xC2'; }
  void integer(int64_t value);
  void unsignedInteger(uint64_t value);
  /// Of 32 bits where these hold the same number.
  void real(double value);
  void string(std::string_view value);
  /// As many values, or pairs of them, follow.
  void list(size_t size) { container(size, 0x90, 0xDC); }
  void map(size_t size) { container(size, 0x80, 0xDE); }
  /// Values that are encoded already.
  void raw(std::string_view bytes) { bytes_ += bytes; }

  std::string take() { return std::move(bytes_); }

private:
  void container(size_t size, uint8_t small, uint8_t large);
  void big(uint64_t value, int bytes);
  void tagged(uint8_t tag, uint64_t value, int bytes);

  std::string bytes_;
};

enum class MsgpackType {
  Nil,
  Boolean,
  Integer,
  Real,
  String,
  List,
  Map,
  Other, ///< Bytes, an extension, or no MessagePack at all.
  End
};

/// Takes values from bytes, one after the other. The first thing that is wrong
/// stays; nothing is taken any more, and values are 0 or empty.
class MsgpackReader {
public:
  explicit MsgpackReader(std::string_view bytes) : bytes_(bytes) {}

  struct Failure {
    std::string code; ///< X02, or the caller's.
    size_t offset = 0;
    std::string reason; ///< `has ...`
  };
  bool ok() const { return !failure_; }
  const std::optional<Failure> &failure() const { return failure_; }
  /// Keeps a failure at the value that was taken last, if it is the first.
  void fail(const char *code, std::string reason);
  /// The same at the next value.
  void failHere(const char *code, std::string reason);

  MsgpackType peek() const;
  /// Where the next value begins.
  size_t offset() const { return at_; }
  std::string_view slice(size_t begin, size_t end) const {
    return bytes_.substr(begin, end - begin);
  }

  /// Of the type that peek() says, which must be the one asked for.
  void nil() { ++at_; }
  bool boolean();
  /// Whether it fits; nothing but a positive one does not.
  struct Integer {
    int64_t value = 0;
    bool isUnsigned = false; ///< The value is beyond int64_t: its bits.
  };
  Integer integer();
  double real();
  /// UTF-8.
  std::string_view string();
  /// How many values, or pairs of them, follow. May be far more than there are
  /// bytes.
  size_t list() { return container(0x90, 0xDC); }
  size_t map() { return container(0x80, 0xDE); }

private:
  uint8_t next() const { return uint8_t(bytes_[at_]); }
  bool has(size_t bytes);
  uint64_t big(int bytes);
  size_t container(uint8_t small, uint8_t large);
  bool isSmallest(bool fitsLess);

  std::string_view bytes_;
  size_t at_ = 0;
  size_t last_ = 0; ///< Where the value that was taken last begins.
  std::optional<Failure> failure_;
};

} // namespace vm::token
