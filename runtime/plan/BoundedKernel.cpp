//===- BoundedKernel.cpp - kernels that stay within their memory ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The addressing of plans is Logical and without variable pointers, so every
// access of memory goes through chains of typed indices from a variable, also
// in a function that got the pointer as an argument. Chains into storage
// buffers stay as they are: those are the device's part.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/BoundedKernel.h"

#include "runtime/plan/ClearingLoops.h"
#include "runtime/plan/SpirvEditor.h"
#include "runtime/plan/ValueRanges.h"

#include <fmt/format.h>
#include <spirv_cross/spirv.h>

#include <algorithm>

namespace vm {
namespace {

class Bounder {
public:
  explicit Bounder(const Kernel &kernel)
      : kernel_(kernel), definitions_(kernel.spirv),
        ranges_(definitions_, kernel.localSize), editor_(definitions_),
        loops_(definitions_, editor_) {}

  Result<std::vector<uint32_t>> run();

private:
  template <typename... Args>
  Status refuse(fmt::format_string<Args...> format, Args &&...args) const {
    return Status(
        Code::BadInput,
        fmt::format("Kernel \"{}\" {}.", kernel_.name,
                    fmt::format(format, std::forward<Args>(args)...)));
  }

  Status visit(uint16_t opcode, SpirvWords words);
  Status checkPointer(uint16_t opcode, SpirvWords words) const;
  Status addVariable(SpirvWords words);
  Status addZeros(SpirvWords words);
  Status addChain(SpirvWords words, uint64_t span = 1);
  Status addDynamicElement(SpirvWords words, uint32_t vectorType,
                           size_t indexAt);
  Status addMatrixAccess(SpirvWords words, size_t pointerAt);
  Status checkLiterals(SpirvWords words, size_t compositeAt) const;

  /// The pointer type of a pointer, and its storage class.
  SpirvWords pointerType(uint32_t pointer) const {
    return definitions_.find(definitions_.typeOf(pointer));
  }
  uint32_t storageOf(uint32_t pointer) const { return pointerType(pointer)[2]; }
  /// What `index` selects from `type`.
  uint32_t elementType(uint32_t type, uint32_t index) const;
  uint32_t bounded(uint32_t index, uint64_t last);
  uint32_t boundedInMatrix(uint32_t index, uint32_t type);
  uint32_t asWord(uint32_t index);

  std::optional<uint64_t> spanOf(SpirvWords words, size_t pointerAt,
                                 uint32_t pointee) const;

  const Kernel &kernel_;
  SpirvDefinitions definitions_;
  ValueRanges ranges_;
  SpirvEditor editor_;
  ClearingLoops loops_;
};

//===--- Indices ----------------------------------------------------------===//

/// Narrow indices become words as their type says; SPIR-V has them signed.
uint32_t Bounder::asWord(uint32_t index) {
  uint32_t type = definitions_.typeOf(index), result = editor_.newId();
  uint32_t word = editor_.wordType();
  uint32_t width = definitions_.widthOf(type);
  uint16_t conversion = width == 32                   ? SpvOpBitcast
                        : definitions_.isSigned(type) ? SpvOpSConvert
                                                      : SpvOpUConvert;
  if (width == 32 && !definitions_.isSigned(type))
    return index;
  editor_.add(conversion, {word, result, index});
  return result;
}

/// An index that is at most `last`, with the same value if `index` is.
uint32_t Bounder::bounded(uint32_t index, uint64_t last) {
  uint32_t type = definitions_.typeOf(index);
  bool isNarrow = definitions_.widthOf(type) < 32;
  if (auto value = definitions_.constant(index)) {
    if (*value <= last && !isNarrow)
      return index;
    return editor_.constant(isNarrow ? editor_.wordType() : type,
                            std::min(*value, last));
  }
  if (isNarrow) {
    uint32_t word = editor_.wordType(), wide = asWord(index);
    return editor_.minimum(word, wide, editor_.constant(word, last));
  }
  if (ranges_.of(index).high <= last)
    return index;
  return editor_.minimum(type, index, editor_.constant(type, last));
}

/// The elements of a cooperative matrix that an invocation has: the device
/// knows how many.
uint32_t Bounder::boundedInMatrix(uint32_t index, uint32_t type) {
  uint32_t word = editor_.wordType(), wide = asWord(index);
  uint32_t length = editor_.newId(), last = editor_.newId();
  editor_.add(kOpCooperativeMatrixLength, {word, length, type});
  editor_.add(SpvOpISub, {word, last, length, editor_.constant(word, 1)});
  return editor_.minimum(word, wide, last);
}

uint32_t Bounder::elementType(uint32_t type, uint32_t index) const {
  SpirvWords words = definitions_.find(type);
  if (definitions_.opcodeOf(type) != SpvOpTypeStruct)
    return words[2];
  uint64_t member = definitions_.constant(index).value_or(0);
  return member + 2 < words.size() ? words[member + 2] : 0;
}

/// `span`: how many elements of the last array are accessed, which has as many.
Status Bounder::addChain(SpirvWords words, uint64_t span) {
  constexpr size_t kBaseAt = 3;
  // Drivers may take OpInBoundsAccessChain for a promise.
  std::vector<uint32_t> chain(words.begin(), words.end());
  chain[0] = chain[0] >> 16 << 16 | SpvOpAccessChain;
  uint32_t storage = storageOf(words[kBaseAt]);
  uint32_t type = pointerType(words[kBaseAt])[3];
  size_t end = storage == SpvStorageClassStorageBuffer ? 0 : words.size();
  for (size_t i = kBaseAt + 1; i < end; ++i) {
    uint16_t kind = definitions_.opcodeOf(type);
    uint64_t count = definitions_.countOf(type).value_or(0);
    if (kind == kOpTypeCooperativeMatrix)
      chain[i] = boundedInMatrix(words[i], type);
    else if (count)
      chain[i] = bounded(words[i], count - (i + 1 == end ? span : 1));
    else if (kind != SpvOpTypeStruct)
      return refuse("indexes an array in storage class {} whose length is not "
                    "a constant",
                    storage);
    type = elementType(type, words[i]);
  }
  editor_.copy(chain);
  return {};
}

Status Bounder::addDynamicElement(SpirvWords words, uint32_t vectorType,
                                  size_t indexAt) {
  auto count = definitions_.countOf(vectorType);
  if (!count || !*count)
    return refuse("takes an element of what is no vector");
  std::vector<uint32_t> changed(words.begin(), words.end());
  changed[indexAt] = bounded(words[indexAt], *count - 1);
  editor_.copy(changed);
  return {};
}

/// Literals are validated, but not those into a cooperative matrix, whose
/// length the device knows.
Status Bounder::checkLiterals(SpirvWords words, size_t compositeAt) const {
  uint32_t type = definitions_.typeOf(words[compositeAt]);
  for (uint32_t literal : words.subspan(compositeAt + 1)) {
    if (definitions_.opcodeOf(type) == kOpTypeCooperativeMatrix)
      return refuse("takes element {} of a cooperative matrix (an access chain "
                    "into a variable can be bounded)",
                    literal);
    SpirvWords composite = definitions_.find(type);
    bool isStruct = definitions_.opcodeOf(type) == SpvOpTypeStruct;
    size_t at = 2 + (isStruct ? literal : 0);
    type = at < composite.size() ? composite[at] : 0;
  }
  return {};
}

//===--- Cooperative matrices ---------------------------------------------===//

/// How many elements of `pointee` a load or store of a matrix reaches from its
/// pointer on; nullopt if that is not known.
std::optional<uint64_t> Bounder::spanOf(SpirvWords words, size_t pointerAt,
                                        uint32_t pointee) const {
  bool isLoad = pointerAt == 3;
  size_t layoutAt = isLoad ? 4 : 3;
  if (words.size() < layoutAt + 2)
    return std::nullopt;
  uint32_t type = isLoad ? words[1] : definitions_.typeOf(words[2]);
  SpirvWords matrix = definitions_.find(type);
  auto layout = definitions_.constant(words[layoutAt]);
  auto stride = definitions_.constant(words[layoutAt + 1]);
  auto rows = definitions_.constant(matrix[4]);
  auto columns = definitions_.constant(matrix[5]);
  constexpr uint64_t kMost = 1 << 20; // Of any: products fit.
  if (!layout || *layout > 1 || !stride || *stride > kMost || !rows ||
      *rows > kMost || !columns || *columns > kMost || !*rows || !*columns)
    return std::nullopt;
  uint64_t major = *layout ? *columns : *rows;
  uint64_t minor = *layout ? *rows : *columns;
  uint64_t lanes = definitions_.countOf(pointee).value_or(1);
  uint32_t scalar =
      definitions_.countOf(pointee) ? definitions_.find(pointee)[2] : pointee;
  uint64_t unit = lanes * definitions_.widthOf(scalar);
  if (!unit)
    return std::nullopt;
  uint64_t bits = minor * definitions_.widthOf(matrix[2]);
  return (major - 1) * *stride + (bits + unit - 1) / unit;
}

/// The pointer is one of its own for this access: others of the same chain may
/// reach further.
Status Bounder::addMatrixAccess(SpirvWords words, size_t pointerAt) {
  uint32_t pointer = words[pointerAt];
  if (storageOf(pointer) == SpvStorageClassStorageBuffer) {
    editor_.copy(words);
    return {};
  }
  SpirvWords chain = definitions_.find(pointer);
  uint16_t opcode = definitions_.opcodeOf(pointer);
  bool isChain =
      (opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain) &&
      chain.size() > 4;
  uint32_t array = isChain ? pointerType(chain[3])[3] : 0;
  for (size_t i = 4; isChain && i + 1 < chain.size(); ++i)
    array = elementType(array, chain[i]);
  auto count = definitions_.opcodeOf(array) == SpvOpTypeArray
                   ? definitions_.countOf(array)
                   : std::nullopt;
  auto span = spanOf(words, pointerAt, pointerType(pointer)[3]);
  if (!count || !span || *span > *count)
    return refuse("has a cooperative matrix in storage class {} that is not "
                  "known to fit its array (an index of the array and constant "
                  "layout and stride are needed)",
                  storageOf(pointer));
  std::vector<uint32_t> own(chain.begin(), chain.end());
  own[2] = editor_.newId();
  VM_RETURN_IF_ERROR(addChain(own, *span));
  std::vector<uint32_t> access(words.begin(), words.end());
  access[pointerAt] = own[2];
  editor_.copy(access);
  return {};
}

//===--- Variables and undefined values -----------------------------------===//

Status Bounder::addVariable(SpirvWords words) {
  constexpr size_t kWithoutInitializer = 4;
  bool isPrivate =
      words[3] == SpvStorageClassPrivate || words[3] == SpvStorageClassFunction;
  if (!isPrivate || words.size() > kWithoutInitializer ||
      loops_.clears(words[2])) {
    editor_.copy(words);
    return {};
  }
  auto zero = editor_.zero(definitions_.find(words[1])[3]);
  if (!zero)
    return refuse("has a variable of a type that has no zero");
  editor_.add(SpvOpVariable, {words[1], words[2], words[3], *zero});
  return {};
}

Status Bounder::addZeros(SpirvWords words) {
  if (editor_.addZero(words[1], words[2]))
    return {};
  return refuse("has an undefined value of a type that has no zero");
}

//===--- The module -------------------------------------------------------===//

Status Bounder::checkPointer(uint16_t opcode, SpirvWords words) const {
  size_t at = resultOf(opcode).typeAt;
  if (!at || definitions_.opcodeOf(words[at]) != SpvOpTypePointer)
    return {};
  switch (opcode) {
  case SpvOpVariable:
  case SpvOpFunctionParameter:
  case SpvOpAccessChain:
  case SpvOpInBoundsAccessChain:
  case SpvOpCopyObject:
    return {};
  default:
    return refuse("makes a pointer with instruction {} (access chains from "
                  "variables can be bounded)",
                  opcode);
  }
}

Status Bounder::visit(uint16_t opcode, SpirvWords words) {
  editor_.reach(opcode);
  VM_RETURN_IF_ERROR(checkPointer(opcode, words));
  switch (opcode) {
  case SpvOpFunction:
    loops_.enter(words[2]);
    break;
  case SpvOpLabel:
    loops_.addLabel(words[1]);
    return {};
  case SpvOpVariable:
    VM_RETURN_IF_ERROR(addVariable(words));
    loops_.addedVariable(words[2]);
    return {};
  case SpvOpUndef:
    return addZeros(words);
  case SpvOpAccessChain:
  case SpvOpInBoundsAccessChain:
    return addChain(words);
  case SpvOpVectorExtractDynamic:
    return addDynamicElement(words, definitions_.typeOf(words[3]), 4);
  case SpvOpVectorInsertDynamic:
    return addDynamicElement(words, words[1], 5);
  case SpvOpCompositeExtract:
    VM_RETURN_IF_ERROR(checkLiterals(words, 3));
    break;
  case SpvOpCompositeInsert:
    VM_RETURN_IF_ERROR(checkLiterals(words, 4));
    break;
  case kOpCooperativeMatrixLoad:
    return addMatrixAccess(words, 3);
  case kOpCooperativeMatrixStore:
    return addMatrixAccess(words, 1);
  default:
    break;
  }
  editor_.copy(words);
  return {};
}

Result<std::vector<uint32_t>> Bounder::run() {
  Status status;
  forEachSpirvInstruction(kernel_.spirv,
                          [&](uint16_t opcode, SpirvWords words) {
                            if (status.ok())
                              status = visit(opcode, words);
                          });
  if (!status.ok())
    return status;
  if (!loops_.clearsAll())
    return refuse("has a variable of a type that has no zero");
  return editor_.take();
}

} // namespace

Result<std::vector<uint32_t>> boundKernel(const Kernel &kernel) {
  return Bounder(kernel).run();
}

Status boundKernels(Plan &plan) {
  for (Kernel &kernel : plan.kernels) {
    auto words = boundKernel(kernel);
    if (!words.ok())
      return words.status();
    kernel.spirv = std::move(*words);
  }
  return {};
}

std::vector<uint32_t> withClearedWorkgroup(SpirvWords spirv) {
  constexpr size_t kWithoutInitializer = 4;
  SpirvDefinitions definitions(spirv);
  SpirvEditor editor(definitions);
  forEachSpirvInstruction(spirv, [&](uint16_t opcode, SpirvWords words) {
    editor.reach(opcode);
    std::optional<uint32_t> zero;
    if (opcode == SpvOpVariable && words[3] == SpvStorageClassWorkgroup &&
        words.size() == kWithoutInitializer)
      zero = editor.zero(definitions.find(words[1])[3]);
    if (zero)
      editor.add(SpvOpVariable, {words[1], words[2], words[3], *zero});
    else
      editor.copy(words);
  });
  return editor.take();
}

} // namespace vm
