//===- Engine.h - faithful mode: programs as tables -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In faithful mode a program of the linear-algebra VM is data: the engine, one
// gpuvm program for all of a size class (templates/engine), reads its
// instructions, matrices, phases and launches from Heap. With room given they
// are inputs, and what it does is not known before they are.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/matrices/Matrices.h"
#include "frontends/linear/modes/EngineTables.h"

#include <optional>
#include <string>

namespace vm::linear {

/// A private program, which another one calls: shared memory comes in and goes
/// out, and with it the machines as they end and the counts.
struct EnginePart {
  std::string name;
  bool isGated = false; ///< Is given a flag, without which nothing runs.
};

struct EngineOptions {
  Format format = Format::Hybrid;
  double threshold = 0.15;
  /// For any program that fits, whose tables and shared memory are inputs; not
  /// with other formats than CSR and dense.
  std::optional<EngineSizes> room = {};
  std::optional<EnginePart> part = {}; ///< Not with room.
};

/// The engine with the tables of `program`, or with room for it and others, as
/// the text of a gpuvm.program.
std::string writeEngine(const Program &program, const EngineOptions &options);

} // namespace vm::linear
