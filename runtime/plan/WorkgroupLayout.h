//===- WorkgroupLayout.h - sizes of SPIR-V types in workgroup memory ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroup variables carry no layout, so Vulkan defines their size by std430
// rules, bool as a 32-bit integer (Vulkan 1.2, "Shared Memory": chapter
// "Shaders", and maxComputeSharedMemorySize).
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

namespace vm {

class WorkgroupLayout {
public:
  /// How large a type is for an algorithm that recurses over it.
  struct Extent {
    uint32_t depth = 1;  ///< Nesting levels; a scalar has 1.
    uint32_t leaves = 1; ///< Scalars, an array counted once; saturating.
  };

  /// Remembers a type or integer constant; the extent of a type, or nullopt if
  /// the instruction defines none. Unknown operands make a type without a size.
  std::optional<Extent> define(uint16_t opcode,
                               std::span<const uint32_t> words);

  /// The value of an integer constant defined before.
  std::optional<uint64_t> constant(uint32_t id) const;

  /// Where a variable of pointer type `pointerType` ends if it is placed at the
  /// first aligned byte from `offset` on; nullopt if its type has no size.
  std::optional<uint64_t> append(uint64_t offset, uint32_t pointerType) const;

private:
  struct Type {
    std::optional<uint64_t> size;
    uint64_t alignment = 1;
    Extent extent;
    uint32_t pointee = 0; ///< Of a pointer.
  };

  Type find(uint32_t id) const;
  Type vectorOf(uint32_t element, uint64_t count) const;
  Type arrayOf(uint32_t element, std::optional<uint64_t> count) const;
  Type structOf(std::span<const uint32_t> members) const;

  std::unordered_map<uint32_t, Type> types;
  std::unordered_map<uint32_t, uint64_t> constants;
};

} // namespace vm
