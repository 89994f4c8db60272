//===- WorkgroupLayout.cpp - sizes of SPIR-V types in workgroup memory ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/WorkgroupLayout.h"

#include "runtime/base/CheckedMath.h"

#include <spirv_cross/spirv.h>

#include <algorithm>

namespace vm {

WorkgroupLayout::Type WorkgroupLayout::find(uint32_t id) const {
  auto it = types.find(id);
  return it == types.end() ? Type() : it->second;
}

/// A vector is aligned to its size; one of three elements like one of four.
WorkgroupLayout::Type WorkgroupLayout::vectorOf(uint32_t element,
                                                uint64_t count) const {
  Type type = find(element);
  if (type.size) {
    uint64_t scalar = *type.size;
    type.size = checkedMul(scalar, count);
    type.alignment = count <= 4 ? scalar * (count == 3 ? 4 : count) : 1;
  }
  type.alignment = std::max<uint64_t>(type.alignment, 1);
  ++type.extent.depth;
  return type;
}

WorkgroupLayout::Type
WorkgroupLayout::arrayOf(uint32_t element,
                         std::optional<uint64_t> count) const {
  Type type = find(element);
  std::optional<uint64_t> stride;
  if (type.size)
    stride = alignUp(*type.size, type.alignment);
  type.size = stride && count ? checkedMul(*stride, *count) : std::nullopt;
  ++type.extent.depth;
  return type;
}

WorkgroupLayout::Type
WorkgroupLayout::structOf(std::span<const uint32_t> members) const {
  Type type;
  type.size = 0;
  for (uint32_t id : members) {
    Type member = find(id);
    type.extent.depth = std::max(type.extent.depth, member.extent.depth + 1);
    type.extent.leaves = static_cast<uint32_t>(std::min<uint64_t>(
        uint64_t(type.extent.leaves) + member.extent.leaves, UINT32_MAX));
    type.alignment = std::max(type.alignment, member.alignment);
    if (type.size)
      type.size = alignUp(*type.size, member.alignment);
    type.size = type.size && member.size ? checkedAdd(*type.size, *member.size)
                                         : std::nullopt;
  }
  if (type.size)
    type.size = alignUp(*type.size, type.alignment);
  return type;
}

std::optional<WorkgroupLayout::Extent>
WorkgroupLayout::define(uint16_t opcode, std::span<const uint32_t> words) {
  Type type;
  switch (opcode) {
  case SpvOpConstant:
    constants[words[2]] =
        words[3] | (words.size() > 4 ? uint64_t(words[4]) << 32 : 0);
    return std::nullopt;
  case SpvOpTypeBool:
    type.size = type.alignment = 4;
    break;
  case SpvOpTypeInt:
  case SpvOpTypeFloat:
    type.size = type.alignment = std::max<uint64_t>(words[2] / 8, 1);
    break;
  case SpvOpTypeVector:
  case SpvOpTypeMatrix:
    type = opcode == SpvOpTypeVector ? vectorOf(words[2], words[3])
                                     : arrayOf(words[2], words[3]);
    break;
  case SpvOpTypeArray:
    type = arrayOf(words[2], constant(words[3]));
    break;
  case SpvOpTypeRuntimeArray:
    type = arrayOf(words[2], std::nullopt);
    break;
  case SpvOpTypeStruct:
    type = structOf(words.subspan(2));
    break;
  case SpvOpTypePointer:
    type.pointee = words[3];
    type.extent = find(words[3]).extent;
    ++type.extent.depth;
    break;
  default:
    return std::nullopt;
  }
  types[words[1]] = type;
  return type.extent;
}

std::optional<uint64_t> WorkgroupLayout::constant(uint32_t id) const {
  auto it = constants.find(id);
  return it == constants.end() ? std::nullopt : std::optional(it->second);
}

std::optional<uint64_t> WorkgroupLayout::append(uint64_t offset,
                                                uint32_t pointerType) const {
  Type type = find(find(pointerType).pointee);
  std::optional<uint64_t> start = alignUp(offset, type.alignment);
  return start && type.size ? checkedAdd(*start, *type.size) : std::nullopt;
}

} // namespace vm
