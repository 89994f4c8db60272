//===- KernelScan.cpp - facts read straight from SPIR-V instructions ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/KernelScan.h"

#include "runtime/plan/KernelShape.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/SpirvTools.h"
#include "runtime/plan/WorkgroupLayout.h"

#include <fmt/format.h>
#include <spirv_cross/spirv.h>

#include <algorithm>
#include <unordered_map>

namespace vm {
namespace {

class Scanner {
public:
  KernelFacts facts;
  KernelShape shape;
  std::string problem; ///< Why the module is refused; empty if it is not.

  bool visit(const spv_parsed_instruction_t &instruction);

private:
  using Words = std::span<const uint32_t>;

  bool refuse(std::string sentence) {
    problem = std::move(sentence);
    return false;
  }
  bool count(uint32_t &counter, uint32_t limit, const char *what) {
    if (++counter <= limit)
      return true;
    return refuse(fmt::format("has more than {} {}", limit, what));
  }
  bool checkExtent(const WorkgroupLayout::Extent &extent);
  bool visitVariable(Words words);
  void visitDecoration(Words words);
  void visitWorkgroupSize(Words words);
  bool visitUse(const spv_parsed_instruction_t &instruction, Words words);
  bool visitOtherUse(const spv_parsed_instruction_t &instruction, Words words);
  KernelFacts::Buffer *bufferOf(uint32_t pointer) {
    auto it = rootOf.find(pointer);
    return it == rootOf.end() ? nullptr : &facts.buffers[it->second];
  }
  void touch(uint32_t pointer, bool reads, bool writes) {
    if (KernelFacts::Buffer *buffer = bufferOf(pointer)) {
      buffer->reads |= reads;
      buffer->writes |= writes;
    }
  }

  WorkgroupLayout layout;
  std::unordered_map<uint32_t, uint32_t> rootOf; ///< Pointer id -> variable id.
  std::optional<uint32_t> workgroupSizeId;
  uint32_t numTypes = 0;
  uint32_t numBuffers = 0;
  uint32_t numFunctions = 0;
  uint32_t numBlocks = 0;
};

bool isAtomicUpdate(uint16_t opcode) {
  return (opcode >= SpvOpAtomicExchange && opcode <= SpvOpAtomicXor) ||
         opcode == SpvOpAtomicFAddEXT || opcode == SpvOpAtomicFMinEXT ||
         opcode == SpvOpAtomicFMaxEXT;
}

bool isType(uint16_t opcode) {
  return (opcode >= SpvOpTypeVoid && opcode <= SpvOpTypeForwardPointer) ||
         opcode == SpvOpTypeCooperativeMatrixNV;
}

/// A module of n words would hold n^2 decorations.
bool decoratesGroup(uint16_t opcode) {
  return opcode == SpvOpDecorationGroup || opcode == SpvOpGroupDecorate ||
         opcode == SpvOpGroupMemberDecorate;
}

bool isSpecConstant(uint16_t opcode) {
  return opcode >= SpvOpSpecConstantTrue && opcode <= SpvOpSpecConstantOp;
}

bool Scanner::visit(const spv_parsed_instruction_t &instruction) {
  Words words(instruction.words, instruction.num_words);
  shape.visit(instruction.opcode, words);
  if (isSpecConstant(instruction.opcode))
    return refuse("has specialization constants (plans carry none)");
  if (decoratesGroup(instruction.opcode))
    return refuse("has groups of decorations (each id has its own)");
  if (isType(instruction.opcode) &&
      !count(numTypes, limits::kMaxTypes, "types"))
    return false;
  if (auto extent = layout.define(instruction.opcode, words))
    return checkExtent(*extent);
  switch (instruction.opcode) {
  case SpvOpCapability:
    facts.capabilities.push_back(words[1]);
    return true;
  case SpvOpExtension:
    facts.extensions.push_back(spirvString(words.subspan(1)));
    return true;
  case SpvOpExecutionMode:
    facts.executionModes.push_back({words[2], words.size() > 3 ? words[3] : 0});
    return true;
  case SpvOpDecorate:
    visitDecoration(words);
    return true;
  case SpvOpConstantComposite:
    visitWorkgroupSize(words);
    return true;
  case SpvOpVariable:
    return visitVariable(words);
  case SpvOpFunction:
    return count(numFunctions, limits::kMaxFunctions, "functions");
  case SpvOpLabel:
    return count(numBlocks, limits::kMaxBlocks, "basic blocks");
  default:
    return visitUse(instruction, words);
  }
}

bool Scanner::checkExtent(const WorkgroupLayout::Extent &extent) {
  if (extent.depth > limits::kMaxTypeDepth)
    return refuse(fmt::format("nests types deeper than the limit ({})",
                              limits::kMaxTypeDepth));
  if (extent.leaves > limits::kMaxTypeLeaves)
    return refuse(fmt::format("has a type of more than {} members",
                              limits::kMaxTypeLeaves));
  return true;
}

bool Scanner::visitVariable(Words words) {
  uint32_t type = words[1], id = words[2], storage = words[3];
  if (storage == SpvStorageClassStorageBuffer) {
    rootOf[id] = id;
    facts.buffers[id];
    return count(numBuffers, limits::kMaxBuffers, "storage buffers");
  }
  if (storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate) {
    // Pointers and other opaque things have no size.
    shape.addPrivateBytes(layout.append(0, type).value_or(0));
    return true;
  }
  if (storage != SpvStorageClassWorkgroup)
    return true;
  if (auto end = layout.append(facts.workgroupMemoryBytes, type)) {
    facts.workgroupMemoryBytes = *end;
    return true;
  }
  return refuse("has a workgroup variable whose size is not known");
}

void Scanner::visitDecoration(Words words) {
  if (words.size() > 3 && words[2] == SpvDecorationBuiltIn &&
      words[3] == SpvBuiltInWorkgroupSize)
    workgroupSizeId = words[1];
}

void Scanner::visitWorkgroupSize(Words words) {
  if (workgroupSizeId != words[2] || words.size() != 6)
    return;
  auto &size = facts.workgroupSize.emplace();
  for (unsigned i = 0; i < 3; ++i)
    size[i] = static_cast<uint32_t>(layout.constant(words[3 + i]).value_or(0));
}

/// Instructions that may use a pointer, with the pointers' places. Word 1 is
/// the result type and word 2 the result of those that have one.
bool Scanner::visitUse(const spv_parsed_instruction_t &instruction,
                       Words words) {
  switch (instruction.opcode) {
  case SpvOpAccessChain:
  case SpvOpInBoundsAccessChain:
  case SpvOpCopyObject:
    if (auto it = rootOf.find(words[3]); it != rootOf.end())
      rootOf[words[2]] = uint32_t(it->second);
    return true;
  case SpvOpLoad:
  case SpvOpAtomicLoad:
    touch(words[3], true, false);
    return true;
  case SpvOpAtomicStore:
    touch(words[1], false, true);
    return true;
  case SpvOpStore:
    if (bufferOf(words[2])) // A pointer stored as a value.
      return visitOtherUse(instruction, words);
    touch(words[1], false, true);
    return true;
  case SpvOpCopyMemory:
    touch(words[1], false, true);
    touch(words[2], true, false);
    return true;
  case SpvOpArrayLength:
    return true;
  default:
    if (!isAtomicUpdate(instruction.opcode))
      return visitOtherUse(instruction, words);
    touch(words[3], true, true);
    return true;
  }
}

bool Scanner::visitOtherUse(const spv_parsed_instruction_t &instruction,
                            Words words) {
  if (instruction.opcode == SpvOpExtInst &&
      isNonSemantic(instruction.ext_inst_type))
    return true;
  for (uint16_t i = 0; i < instruction.num_operands; ++i) {
    const spv_parsed_operand_t &operand = instruction.operands[i];
    if (operand.type == SPV_OPERAND_TYPE_ID && bufferOf(words[operand.offset]))
      return refuse(
          fmt::format("passes a storage buffer pointer to Op{} (loads, "
                      "stores, atomics and access chains are allowed)",
                      spvOpcodeString(instruction.opcode)));
  }
  return true;
}

spv_result_t visitInstruction(void *scanner,
                              const spv_parsed_instruction_t *instruction) {
  return static_cast<Scanner *>(scanner)->visit(*instruction)
             ? SPV_SUCCESS
             : SPV_REQUESTED_TERMINATION;
}

} // namespace

Result<KernelFacts> scanKernel(const std::string &name,
                               std::span<const uint32_t> spirv) {
  Scanner scanner;
  KnownModule known = toKnownModule(spirv);
  if (known.isPredecessor)
    return Status(Code::BadInput,
                  fmt::format("Kernel \"{}\" uses SPV_NV_cooperative_matrix "
                              "(plans allow SPV_KHR_cooperative_matrix).",
                              name));
  SpirvContext context(known.environment);
  SpirvDiagnostic diagnostic;
  spv_result_t result = spvBinaryParse(
      context.get(), &scanner, known.words.data(), known.words.size(),
      /*parse_header=*/nullptr, visitInstruction, diagnostic.out());
  if (scanner.problem.empty() && result == SPV_SUCCESS)
    scanner.problem = scanner.shape.problem();
  if (!scanner.problem.empty())
    return Status(Code::BadInput,
                  fmt::format("Kernel \"{}\" {}.", name, scanner.problem));
  if (result != SPV_SUCCESS)
    return Status(Code::BadInput,
                  fmt::format("Kernel \"{}\" is not SPIR-V ({}).", name,
                              diagnostic.firstLine()));
  KernelFacts facts = std::move(scanner.facts);
  facts.capabilities.insert(facts.capabilities.end(),
                            known.leftOutCapabilities.begin(),
                            known.leftOutCapabilities.end());
  facts.matrices = std::move(known.matrices);
  return facts;
}

} // namespace vm
