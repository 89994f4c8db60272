//===- Concatenate.h - several workflows in one machine -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"

#include <optional>
#include <vector>

namespace vm::token {

/// A machine that becomes a part of another, and where messages place it.
struct MachinePart {
  Machine machine;
  Place place;
  Place tokenizerPlace = {}; ///< Of its tokenizer; no file = that is `place`.

  const Place &placeOfTokenizer() const {
    return tokenizerPlace.file.empty() ? place : tokenizerPlace;
  }
};

/// The machines, each of which was checked, one after the other: the tables in
/// this order with numbers moved up, one END, one list of tools in which those
/// of one name are one. Nothing after an error: none is given or their
/// tokenizers differ (P16), or the machine is too large (T13).
std::optional<Machine> concatenate(std::vector<MachinePart> parts,
                                   Diagnostics &diagnostics);

} // namespace vm::token
