//===- NamedTokenizer.cpp - tokenizers by their names ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/NamedTokenizer.h"

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/machine/GgufTokenizer.h"

#include <fmt/format.h>

#include <filesystem>

using namespace vm;
using namespace vm::token;

static std::unique_ptr<Tokenizer> readPieces(const std::string &path,
                                             const Place & /*place*/,
                                             Diagnostics &diagnostics,
                                             const PathBounds &bounds) {
  if (!checkBounds(path, bounds, diagnostics))
    return nullptr;
  std::unique_ptr<TomlFile> file =
      TomlFile::read(path, diagnostics, {"P02", "P02"});
  if (!file)
    return nullptr;
  Diagnostics found;
  TableReader reader(*file, file->root(), "The tokenizer",
                     {"P03", "P03", "P03"}, found);
  auto pieces = reader.strings("pieces", Need::Required);
  reader.refuseOthers();
  for (const Diagnostic &diagnostic : found.all())
    diagnostics.error(diagnostic.code, diagnostic.place, diagnostic.sentence);
  if (found.hasErrors() ||
      !checkPieces(*pieces, reader.placeOf("pieces"), diagnostics))
    return nullptr;
  return makeGreedyTokenizer(std::move(*pieces));
}

static std::unique_ptr<Tokenizer> readModelTokenizer(const std::string &path,
                                                     const Place &place,
                                                     Diagnostics &diagnostics,
                                                     const PathBounds &bounds) {
  if (!checkBounds(path, bounds, diagnostics))
    return nullptr;
  Result<std::unique_ptr<Tokenizer>> tokenizer = readGgufTokenizer(path);
  if (tokenizer.ok())
    return std::move(*tokenizer);
  diagnostics.error("P03", place, tokenizer.status().message());
  return nullptr;
}

std::unique_ptr<Tokenizer> vm::token::makeTokenizer(const std::string &name,
                                                    const std::string &folder,
                                                    const Place &place,
                                                    Diagnostics &diagnostics,
                                                    const PathBounds &bounds) {
  if (name == "bytes")
    return makeByteTokenizer();
  for (auto [kind, read] : {std::pair("greedy:", &readPieces),
                            std::pair("gguf:", &readModelTokenizer)}) {
    std::string file = name.starts_with(kind)
                           ? name.substr(std::string_view(kind).size())
                           : "";
    if (file.empty())
      continue;
    bool isPlain = folder.empty() && file != "-"; // A file of that name.
    std::filesystem::path path = isPlain || !folder.empty() ? folder : ".";
    return read((path / file).string(), place, diagnostics, bounds);
  }
  diagnostics.error("P03", place,
                    fmt::format("The tokenizer is {} (\"bytes\", "
                                "\"greedy:FILE\" or \"gguf:FILE\" is wanted).",
                                inQuotes(name)));
  return nullptr;
}
