//===- NamedTokenizer.h - tokenizers by their names -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/machine/Tokenizer.h"

namespace vm::token {

/// The tokenizer of a name, `bytes`, `greedy:FILE` or `gguf:FILE`; null after
/// an error. FILE is a language model, or TOML with the one key `pieces`, a
/// list of distinct strings that are not empty, at most kMaxPieceBytes long and
/// in all at most kMaxPiecesBytes; it is relative to `folder` ("": the
/// process's). `place` is where the name is written. P03 of the name, the
/// pieces or the model; P02 where FILE cannot be read, P07 where it is outside
/// of the bounds.
std::unique_ptr<Tokenizer> makeTokenizer(const std::string &name,
                                         const std::string &folder,
                                         const Place &place,
                                         Diagnostics &diagnostics,
                                         const PathBounds &bounds = {});

} // namespace vm::token
