//===- TomlFile.h - TOML with places --------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the readers of prompts and of workflow files share: a file read by
// toml++, where its keys and values are, and tables whose keys are asked for
// by name and type. The codes of diagnostics are the caller's.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Diagnostics.h"
#include "frontends/token/ground/TomlLibrary.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vm::token {

/// The longest TOML file that is read, in bytes.
constexpr uint64_t kMaxTomlBytes = uint64_t(1) << 24;
/// The most parts of a dotted key.
constexpr size_t kMaxKeyParts = 32;
/// The deepest nesting of a value that is carried along (toJson).
constexpr int kMaxCarriedNesting = 48;

/// The codes of a file that is no TOML and of one that cannot be read.
struct TomlCodes {
  const char *malformed = "U01";
  const char *unreadable = "U02";
};

/// A TOML file and its text. Does not move, so that nodes may be pointed to.
class TomlFile {
public:
  /// The file of that path (`-`: standard input); null after an error, which
  /// is reported. At most kMaxTomlBytes, keys of at most kMaxKeyParts parts.
  static std::unique_ptr<TomlFile>
  read(const std::string &path, Diagnostics &diagnostics, TomlCodes codes = {});
  /// The same of a text; `path` is how messages name it.
  static std::unique_ptr<TomlFile> parse(std::string text, std::string path,
                                         Diagnostics &diagnostics,
                                         TomlCodes codes = {});
  TomlFile(const TomlFile &) = delete;
  TomlFile &operator=(const TomlFile &) = delete;

  const toml::table &root() const { return root_; }
  const std::string &path() const { return path_; }

  /// The file as a whole.
  Place whole() const { return {path_, {0, 0}}; }
  /// Where a value begins; of a table with a header, its first bracket.
  Place placeOf(const toml::node &node) const;
  Place placeOf(const toml::key &key) const;
  /// Where a table's key is, or where the table is if there is none.
  Place placeOf(const toml::table &table, std::string_view key) const;

private:
  TomlFile(std::string text, std::string path);

  Place place(const toml::source_position &position) const;
  Place placeOfByte(size_t byte) const;
  void indexText();

  /// A line, by the numbers of its first byte and code point.
  struct Line {
    uint32_t byte = 0;
    uint32_t codePoint = 0;
  };

  std::string text_;
  std::string path_;
  toml::table root_;
  std::vector<Line> lines_;
  std::vector<uint32_t> marks_; ///< The byte of each kMarkDistance-th.
};

/// The codes of a table's keys.
struct TableCodes {
  const char *unknown = "U05";
  const char *missing = "U06";
  const char *mistyped = "U07";
};

enum class Need { Optional, Required };

/// A table whose keys are asked for one by one. What is missing though
/// required, or of another type, is reported and comes back as nothing.
class TableReader {
public:
  /// `what` names the table in sentences, e.g. `[config]`. All must outlive
  /// the reader.
  TableReader(const TomlFile &file, const toml::table &table, std::string what,
              TableCodes codes, Diagnostics &diagnostics);

  std::optional<std::string> string(std::string_view key,
                                    Need need = Need::Optional);
  /// A boolean is no integer, nor is 1.0.
  std::optional<int64_t> integer(std::string_view key,
                                 Need need = Need::Optional);
  std::optional<bool> boolean(std::string_view key, Need need = Need::Optional);
  std::optional<std::vector<std::string>> strings(std::string_view key,
                                                  Need need = Need::Optional);
  const toml::table *table(std::string_view key, Need need = Need::Optional);
  const toml::array *array(std::string_view key, Need need = Need::Optional);
  /// Of any type.
  const toml::node *any(std::string_view key, Need need = Need::Optional);

  /// Reports each key that was not asked for, with the nearest that was.
  void refuseOthers();

  /// Where the key is, or the table if it has none.
  Place placeOf(std::string_view key) const;
  /// Where the table is.
  Place place() const { return file_.placeOf(table_); }
  /// Reports that a key's value is not what is wanted, e.g. `a string`.
  void mistyped(std::string_view key, std::string_view wanted);

private:
  const TomlFile &file_;
  const toml::table &table_;
  std::string what_;
  TableCodes codes_;
  Diagnostics &diagnostics_;
  std::set<std::string, std::less<>> asked_;
};

/// A list of strings, or nothing if the node is something else.
std::optional<std::vector<std::string>> stringsOf(const toml::node &node);

/// `a string`, `an integer`, `a list`, ..., for messages.
std::string_view typeName(const toml::node &node);

/// The value as JSON, tables in the order of the text; nothing, and an error
/// with `code` at `place`, where it has a date or a time or nests deeper than
/// kMaxCarriedNesting. `what` names the value, e.g. `Key "misc" of [config]`.
std::optional<nlohmann::ordered_json>
toJson(const toml::node &node, const char *code, const Place &place,
       const std::string &what, Diagnostics &diagnostics);

/// ` (did you mean "x"?)`, or "".
std::string advice(std::string_view name,
                   const std::vector<std::string> &known);

/// The text escaped to be shown on one line: `\n`, `\t` and `\r` are written
/// so, much is cut to `...`.
std::string inBrief(std::string_view text);
/// The same in quotation marks.
std::string inQuotes(std::string_view text);

} // namespace vm::token
