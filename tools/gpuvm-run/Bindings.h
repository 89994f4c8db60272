//===- Bindings.h - command-line tensors matched with a plan --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns `--input=`, `--set=`, `--output=`, `--expected_output=` and the streams
// into data and files with places in the plan. Everything a user can get wrong
// here is found before a device is opened.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/io/HostTensor.h"
#include "runtime/plan/Plan.h"
#include "tools/gpuvm-run/CommandLine.h"
#include "tools/gpuvm-run/StreamFiles.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vm::run {

/// Something the program leaves: an output or a symbol.
struct Source {
  bool isSymbol = false;
  uint32_t index = 0; ///< Into plan.outputs or plan.symbols.
};

struct OutputRequest {
  std::string name;
  Source source;
  std::string path; ///< Empty: print it.
};

struct ExpectedOutput {
  std::string name;
  Source source;
  HostTensor tensor;
};

/// A symbol that gets a value before the first execution.
struct SymbolValue {
  uint32_t index = 0; ///< Into plan.symbols.
  HostTensor tensor;
};

/// An input that a file streams into.
struct StreamedInput {
  uint32_t index = 0; ///< Into plan.inputs.
  StreamReader reader;
};

/// An output that streams into a file.
struct StreamedOutput {
  uint32_t index = 0; ///< Into plan.outputs.
  StreamWriter writer;
};

/// As many bytes of a file as an input has, from `offset` on.
struct FileRange {
  std::string path;
  uint64_t offset = 0;
};

struct Bindings {
  std::vector<uint32_t> programs; ///< To execute, by their number.
  /// By index of the plan's inputs; nothing for those that are streamed, and
  /// those of programs that are not executed.
  std::vector<std::optional<HostTensor>> inputs;
  /// Likewise: inputs that are ranges of files, which are not read yet.
  std::vector<std::optional<FileRange>> files;
  std::vector<SymbolValue> symbols;
  std::vector<OutputRequest> outputs;
  std::vector<ExpectedOutput> expected;
  std::vector<StreamedInput> streams;
  std::vector<StreamedOutput> streamOutputs;
  /// Element types whose whole numbers are unsigned in every file given.
  std::set<DType> unsignedTypes;
};

/// Finds the programs to execute, reads every tensor and checks name, type and
/// shape of each input; all inputs of these programs must be given or streamed
/// once. Without any --output or --expected_output, every output of theirs that
/// is not streamed is printed.
Result<Bindings> bindTensors(const Plan &plan, const CommandLine &options);

/// Reads the ranges of files, which become inputs like the others.
Status readFiles(const Plan &plan, Bindings &bindings);

/// The slot of `source`.
const Slot &slotOf(const Plan &plan, const Source &source);

} // namespace vm::run
