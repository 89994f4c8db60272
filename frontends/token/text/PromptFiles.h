//===- PromptFiles.h - the files of prompts as one table ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/PathBounds.h"
#include "frontends/token/ground/TomlFile.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vm::token {

/// A top-level key of one of the files.
struct PromptEntry {
  const TomlFile *file = nullptr;
  const toml::key *key = nullptr;
  const toml::node *node = nullptr;

  Place place() const { return file->placeOf(*key); }
};

struct PromptFiles {
  std::string path; ///< The file or folder.
  std::vector<std::unique_ptr<TomlFile>> files;
  std::vector<PromptEntry> entries; ///< In the order of files and texts.
  std::map<std::string, PromptEntry, std::less<>> byKey;

  /// The file or folder as a whole.
  Place place() const { return {path, {0, 0}}; }
};

/// Reads the file, or all `*.toml` of the folder. Reports what cannot be read
/// (U01, U02, U50), may not be (P07), and keys in two files (U51).
PromptFiles readPromptFiles(const std::string &path, Diagnostics &diagnostics,
                            const PathBounds &bounds = {});

/// The same of the text of one file.
PromptFiles parsePromptFile(std::string text, const std::string &name,
                            Diagnostics &diagnostics);

} // namespace vm::token
