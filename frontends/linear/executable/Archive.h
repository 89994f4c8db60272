//===- Archive.h - fields of an executable, written and read --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A writer and a reader with the same members, so that one function states the
// fields of a file for both (ExecutableFields.h). All numbers are little-endian
// words. A reader says at which byte and in which field it stopped; from then
// on it gives zeros.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace vm::linear {

class ArchiveWriter {
public:
  static constexpr bool kReads = false;

  template <typename Body> void section(const char *name, Body body) {
    sections_.push_back({name, bytes_.size()});
    size_t at = bytes_.size();
    append(0, 8);
    body();
    uint64_t size = bytes_.size() - at - 8;
    for (unsigned i = 0; i < 8; ++i)
      bytes_[at + i] = static_cast<uint8_t>(size >> (8 * i));
  }

  void word(const char *, uint32_t value) { append(value, 4); }
  void wide(const char *, uint64_t value) { append(value, 8); }
  void flag(const char *, bool value) { append(value, 4); }
  template <typename Enum>
  void choice(const char *, Enum value, uint32_t /*count*/) {
    append(static_cast<uint32_t>(value), 4);
  }
  void text(const char *, const std::string &value) {
    append(value.size(), 4);
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  template <typename T, typename Body>
  void optional(const char *name, const std::optional<T> &value, Body body) {
    flag(name, value.has_value());
    if (value)
      body(*value);
  }
  template <typename List, typename Body>
  void list(const char *, const List &items, size_t /*minBytes*/, Body body) {
    append(items.size(), 4);
    for (const auto &item : items)
      body(item);
  }

  struct Section {
    const char *name;
    size_t at; ///< Its first byte, of its length.
  };
  const std::vector<Section> &sections() const { return sections_; }
  std::vector<uint8_t> &bytes() { return bytes_; }

private:
  void append(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }

  std::vector<uint8_t> bytes_;
  std::vector<Section> sections_;
};

class ArchiveReader {
public:
  static constexpr bool kReads = true;

  /// Reads `file` from byte `at` on.
  ArchiveReader(std::span<const uint8_t> file, size_t at)
      : file_(file), at_(at), end_(file.size()) {}

  const Status &status() const { return status_; }
  size_t position() const { return at_; }

  template <typename Body> void section(const char *name, Body body) {
    section_ = name;
    uint64_t size = take("length", 8);
    if (size > file_.size() - at_)
      return fail("length", "the section has " + std::to_string(size) +
                                " bytes, but only " +
                                std::to_string(file_.size() - at_) +
                                " are left");
    end_ = at_ + size;
    body();
    if (at_ != end_)
      fail("length",
           std::to_string(end_ - at_) + " bytes of the section are left");
    at_ = end_;
    end_ = file_.size();
  }

  void word(const char *name, uint32_t &value) {
    value = static_cast<uint32_t>(take(name, 4));
  }
  void wide(const char *name, uint64_t &value) { value = take(name, 8); }
  void flag(const char *name, bool &value) {
    uint64_t word = take(name, 4);
    if (word > 1)
      fail(name, std::to_string(word) + " is neither 0 nor 1");
    value = word == 1;
  }
  template <typename Enum>
  void choice(const char *name, Enum &value, uint32_t count) {
    uint64_t word = take(name, 4);
    if (word >= count)
      fail(name,
           std::to_string(word) + " is not below " + std::to_string(count));
    value = static_cast<Enum>(word < count ? word : 0);
  }
  void text(const char *name, std::string &value) {
    size_t size = takeCount(name, 1);
    value.assign(reinterpret_cast<const char *>(file_.data()) + at_, size);
    at_ += size;
  }
  template <typename T, typename Body>
  void optional(const char *name, std::optional<T> &value, Body body) {
    bool isThere = false;
    flag(name, isThere);
    if (isThere)
      body(value.emplace());
  }
  /// Each item has at least `minBytes` in the file, so that a count that lies
  /// takes no memory.
  template <typename List, typename Body>
  void list(const char *name, List &items, size_t minBytes, Body body) {
    items.resize(takeCount(name, minBytes));
    for (auto &item : items) {
      if (!status_.ok())
        return;
      body(item);
    }
  }

private:
  uint64_t take(const char *name, size_t bytes);
  size_t takeCount(const char *name, size_t minBytes);
  void fail(const char *name, const std::string &what);

  std::span<const uint8_t> file_;
  size_t at_;
  size_t end_; ///< Of the section.
  const char *section_ = "header";
  Status status_;
};

} // namespace vm::linear
