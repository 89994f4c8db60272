//===- ClearingLoops.h - clears the large private variables of a kernel ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To a driver, an initializer of an array is a store of each of its elements.
// Compilers take a time for them that grows with the square of their number:
// lavapipe (Mesa 22.3) compiles 37 s for 1,024 of them, and 0.7 s for a loop.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/SpirvEditor.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace vm {

/// Variables without initializers of the storage classes Function and Private
/// whose types have more than kMaxInitialized scalars. They are cleared in
/// loops at the beginning of their function, or of the entry point.
///
/// The block that a function begins with becomes two: loops have to follow its
/// variables. The second one has the label, which phis refer to.
class ClearingLoops {
public:
  /// With so few, an initializer costs no more than a loop, and does not keep a
  /// driver from holding the array in registers.
  static constexpr uint64_t kMaxInitialized = 64;

  /// `definitions` are those of the module that `editor` writes anew.
  ClearingLoops(const SpirvDefinitions &definitions, SpirvEditor &editor);

  /// Whether it clears the variable; else that is for the caller to do.
  bool clears(uint32_t variable) const { return cleared_.contains(variable); }

  /// Whether all that it has added so far clears all of its variable: not what
  /// has no zero.
  bool clearsAll() const { return clearsAll_; }

  /// Says that a function follows.
  void enter(uint32_t function);
  /// Adds the label of a block, which may be the first one of its function.
  void addLabel(uint32_t label);
  /// Says that a variable has been added.
  void addedVariable(uint32_t variable);

private:
  struct Function {
    uint32_t lastVariable = 0; ///< 0 if there is none.
    std::vector<uint32_t> cleared;
  };

  void noteVariable(SpirvWords words, Function &function);
  uint64_t scalarsOf(uint32_t type);
  void addLoops();
  void clear(uint32_t pointer, uint32_t type);
  void clearMember(uint32_t pointer, uint32_t type, uint32_t index);
  void clearArray(uint32_t pointer, uint32_t type, uint64_t scalars);
  template <typename AddTurn>
  void addLoop(uint64_t end, uint64_t step, AddTurn addTurn);

  const SpirvDefinitions &definitions_;
  SpirvEditor &editor_;
  std::unordered_map<uint32_t, Function> functions_;
  std::unordered_map<uint32_t, uint64_t> scalars_; ///< By type.
  std::unordered_set<uint32_t> cleared_;           ///< Variables.
  const Function *function_ = nullptr; ///< Whose first block follows.
  uint32_t firstLabel_ = 0; ///< That the second half of the block gets.
  uint32_t block_ = 0;      ///< Which what is added belongs to.
  uint32_t storage_ = 0;    ///< Of the variable that is being cleared.
  bool clearsAll_ = true;
};

} // namespace vm
