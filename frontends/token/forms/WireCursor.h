//===- WireCursor.h - the values of the wire form, by key and type --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/forms/Msgpack.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace vm::token {

/// Takes values of known types from MessagePack. The first failure stays (X02
/// of the bytes, X03 of keys, X04 of types, X06 of sizes); after it all values
/// are 0 or empty.
class WireCursor {
public:
  explicit WireCursor(std::string_view bytes) : reader_(bytes) {}

  bool ok() const { return reader_.ok(); }
  const std::optional<MsgpackReader::Failure> &failure() const {
    return reader_.failure();
  }
  /// The name of the value that failed, after which the reason goes on.
  const std::string &failed() const { return failed_; }
  /// Fails at the value that was taken last; `reason` goes on after its name,
  /// e.g. `is empty`.
  void fail(const char *code, const std::string &reason) {
    reader_.fail(code, reason);
    nameFailure(name());
  }

  /// The same of a key of "config".
  void failConfig(const std::string &key, const std::string &reason) {
    reader_.fail("X06", reason);
    nameFailure("Key \"" + key + "\" of \"config\"");
  }

  /// Begins a map of `least` to `most` keys, each of which is then taken, up to
  /// endMap(); how many there are. `of` names it.
  size_t beginMap(std::string of, size_t least, size_t most);
  void endMap() { open_.pop_back(); }
  /// Takes the key of that name; X03 where it is another or there is none.
  void key(const char *name);
  /// Takes a key that is any text, or an integer.
  std::string stringKey();
  int64_t integerKey();

  std::string string();
  std::optional<std::string> optionalString();
  int64_t integer();
  std::optional<int64_t> optionalInteger();
  bool boolean();
  std::vector<std::string> strings();
  /// The size of a list, whose elements are then taken.
  size_t list();
  /// A map of what TOML has. `bytes` is how it is written.
  nlohmann::ordered_json carried(std::string &bytes);
  /// X02 where bytes are left.
  void end();

private:
  struct OpenMap {
    std::string of;
    size_t left = 0; ///< Keys.
  };

  /// Of what is being taken.
  std::string name() const;
  /// Whether the next value is of the type; X04 otherwise.
  bool expect(MsgpackType type, const char *wanted);
  void failHere(const char *code, const std::string &reason) {
    reader_.failHere(code, reason);
    nameFailure(name());
  }
  void nameFailure(const std::string &name) {
    if (failed_.empty())
      failed_ = name;
  }
  /// A value that the reader took; names it where the reader failed.
  template <typename T> T named(T value) {
    if (!ok())
      nameFailure(name());
    return value;
  }
  nlohmann::ordered_json value(int nesting);
  nlohmann::ordered_json object(int nesting);
  nlohmann::ordered_json array(int nesting);

  MsgpackReader reader_;
  std::vector<OpenMap> open_;
  std::string key_; ///< The last of the innermost map.
  std::string failed_;
};

} // namespace vm::token
