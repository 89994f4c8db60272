//===- Hover.h - hovers in a document with a mistake ------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's server knows nothing of a document that it cannot read. What it says
// of the last version without a mistake holds where the text is still the same.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <optional>

namespace mlir::gpuvm::lsp {

/// The section of the reference on an operation, as Markdown; "" if there is
/// none. Generated from the tables of the dialects.
llvm::StringRef getReference(llvm::StringRef operation);

/// Puts the reference into what MLIR's server says of an operation.
void completeHover(llvm::json::Object &message);

/// The line of `good` that line `line` of `text` was, counted from 0: they
/// differ in the lines between those that both begin and end with.
std::optional<size_t> findLine(llvm::StringRef text, llvm::StringRef good,
                               size_t line);

/// What the reference says of the operation whose name is written at a place of
/// `text`, as the result of a request; null if there is none.
llvm::json::Value hoverOverName(llvm::StringRef text, size_t line,
                                size_t character);

} // namespace mlir::gpuvm::lsp
