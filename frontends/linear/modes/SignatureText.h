//===- SignatureText.h - inputs and outputs of a program
//-------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"

#include <string>
#include <vector>

namespace vm::linear {

/// Buffers, ascending by their bases.
std::vector<uint32_t> buffersByAddress(const Program &program);

/// What a gpuvm program for `program` says of its signature and of shared
/// memory, in whatever mode. An input is `in.NAME`, since its name may be one
/// that the text uses; LinearLower gives it its own.
struct SignatureText {
  const Program &program;
  std::string name;     ///< Of the program.
  std::string inputs;   ///< In its signature: each buffer that is given.
  std::string operands; ///< Of the stage that puts shared memory together,
  std::string body;     ///< and its body, which makes %s : !shared of them.
  std::string outputs;  ///< In the signature.

  /// A stage for each buffer that is returned, from the message `memory`.
  std::string returnStages(const std::string &memory) const;
  /// What gpuvm.return returns.
  std::string returned(const std::string &state, const std::string &status,
                       const std::string &fault,
                       const std::string &counts) const;
};

SignatureText writeSignature(const Program &program);

} // namespace vm::linear
