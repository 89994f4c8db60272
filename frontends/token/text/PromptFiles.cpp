//===- PromptFiles.cpp - the files of prompts as one table ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/PromptFiles.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace vm;
using namespace vm::token;

namespace fs = std::filesystem;

namespace {

/// A path as a whole: it is the user's, and its end tells files apart.
std::string shown(const std::string &path) {
  return fmt::format("\"{}\"", printableLines(path));
}

/// A broken link counts, so that it is reported and not passed over.
bool isPromptFile(const fs::directory_entry &entry) {
  std::string name = entry.path().filename().string();
  std::error_code error;
  return name.ends_with(".toml") && !name.starts_with(".") &&
         !entry.is_directory(error);
}

/// The paths of a folder's prompt files, ascending by the bytes of their names.
std::vector<std::string> pathsIn(const std::string &folder,
                                 Diagnostics &diagnostics) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    if (isPromptFile(*it))
      names.push_back(it->path().filename().string());
  if (error) {
    diagnostics.error("U02", {folder, {0, 0}},
                      fmt::format("The folder {} cannot be read ({}).",
                                  shown(folder), error.message()));
    return {};
  }
  if (names.empty())
    diagnostics.error(
        "U50", {folder, {0, 0}},
        fmt::format("The folder {} has no file *.toml.", shown(folder)));
  std::sort(names.begin(), names.end());
  for (std::string &name : names)
    name = (fs::path(folder) / name).string();
  return names;
}

/// False where the files before and this one have more bytes than are read.
bool fits(const std::string &path, uint64_t &bytes, Diagnostics &diagnostics) {
  std::error_code error;
  uint64_t size = fs::file_size(path, error);
  bytes += error ? 0 : size;
  if (bytes <= kMaxTomlBytes)
    return true;
  diagnostics.error("U02", {path, {0, 0}},
                    fmt::format("The file {} is the one with which the prompts "
                                "have {} bytes (the limit is {}).",
                                shown(path), bytes, kMaxTomlBytes));
  return false;
}

/// Null is a file that could not be read.
void addFile(PromptFiles &prompts, std::unique_ptr<TomlFile> read,
             Diagnostics &diagnostics) {
  if (!read)
    return;
  prompts.files.push_back(std::move(read));
  const TomlFile &file = *prompts.files.back();
  size_t first = prompts.entries.size();
  for (auto &&[key, node] : file.root())
    prompts.entries.push_back({&file, &key, &node});
  auto isBefore = [](const PromptEntry &a, const PromptEntry &b) {
    return a.key->source().begin < b.key->source().begin;
  };
  std::sort(prompts.entries.begin() + std::ptrdiff_t(first),
            prompts.entries.end(), isBefore);
  for (size_t i = first; i < prompts.entries.size(); ++i) {
    const PromptEntry &entry = prompts.entries[i];
    auto [at, isNew] =
        prompts.byKey.try_emplace(std::string(entry.key->str()), entry);
    if (!isNew)
      diagnostics.error(
          "U51", entry.place(),
          fmt::format("Key {} is in {} and in {} (one file may have it).",
                      inQuotes(entry.key->str()),
                      shown(at->second.file->path()), shown(file.path())));
  }
}

} // namespace

PromptFiles vm::token::readPromptFiles(const std::string &path,
                                       Diagnostics &diagnostics,
                                       const PathBounds &bounds) {
  PromptFiles prompts;
  prompts.path = path;
  std::vector<std::string> paths{path};
  std::error_code error;
  if (!checkBounds(path, bounds, diagnostics))
    return prompts;
  if (fs::is_directory(path, error))
    paths = pathsIn(path, diagnostics);
  uint64_t bytes = 0;
  for (const std::string &name : paths) {
    if (diagnostics.isFull() || !checkBounds(name, bounds, diagnostics) ||
        !fits(name, bytes, diagnostics))
      break;
    addFile(prompts, TomlFile::read(name, diagnostics), diagnostics);
  }
  return prompts;
}

PromptFiles vm::token::parsePromptFile(std::string text,
                                       const std::string &name,
                                       Diagnostics &diagnostics) {
  PromptFiles prompts;
  prompts.path = name;
  addFile(prompts, TomlFile::parse(std::move(text), name, diagnostics),
          diagnostics);
  return prompts;
}
