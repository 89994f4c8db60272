//===- KernelShape.h - expanded size of SPIR-V modules --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers inline every call, so that a module of some kilobytes can become one
// of gigabytes. The time that SPIRV-Tools takes to validate constructs grows
// with the square of their nesting depth. Both are measured and bounded here,
// before anything else sees the module. Works on unvalidated modules, in linear
// time.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace vm {

class KernelShape {
public:
  /// Takes the next instruction of the module, with its first word.
  void visit(uint16_t opcode, std::span<const uint32_t> words);

  /// A variable of the module, or of the function that is open, in memory that
  /// each invocation has of its own.
  void addPrivateBytes(uint64_t bytes);

  /// After the last instruction: why the module is refused, or "".
  std::string problem();

private:
  struct Block {
    uint32_t label = 0;
    uint32_t merge = 0;          ///< Label; 0 if the block is no header.
    uint32_t continueTarget = 0; ///< Label; 0 if the block begins no loop.
    std::vector<uint32_t> successors;
  };
  /// Of a function by itself, or with all functions that it calls.
  struct Size {
    uint64_t instructions = 0;
    uint64_t privateBytes = 0;
    uint32_t depth = 1; ///< Calls in calls.
  };
  enum class State : uint8_t { New, Open, Done };
  struct Function {
    Size size;
    State state = State::New;
    std::vector<uint32_t> callees; ///< Ids.
  };

  void finishFunction();
  bool measure(Function &function);

  std::unordered_map<uint32_t, Function> functions; ///< By id.
  Function *open = nullptr;
  std::vector<Block> blocks; ///< Of the function that is open.
  uint64_t modulePrivateBytes = 0;
  uint32_t deepest = 0; ///< Constructs in constructs.
};

} // namespace vm
