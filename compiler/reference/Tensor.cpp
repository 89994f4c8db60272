//===- Tensor.cpp - the values of the reference interpreter ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Tensor.h"
#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/SmallTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::gpuvm::reference;
using vm::DType;

std::optional<DType> gpuvm::reference::getDType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return DType::I64;
  if (isSmall(element)) // A byte.
    return DType::I8;
  if (element.isF16())
    return DType::F16;
  if (element.isBF16())
    return DType::BF16;
  if (element.isF32())
    return DType::F32;
  if (element.isF64())
    return DType::F64;
  if (!element.isSignlessInteger())
    return std::nullopt;
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
    return DType::I1;
  case 8:
    return DType::I8;
  case 16:
    return DType::I16;
  case 32:
    return DType::I32;
  case 64:
    return DType::I64;
  default:
    return std::nullopt;
  }
}

std::optional<vm::HostTensor> gpuvm::reference::makeZero(Type type,
                                                         int64_t rows) {
  std::optional<DType> dtype = getDType(type);
  if (!dtype)
    return std::nullopt;
  vm::HostTensor tensor;
  tensor.dtype = *dtype;
  if (auto shaped = dyn_cast<RankedTensorType>(type)) {
    if (!shaped.hasStaticShape() && !isBounded(shaped))
      return std::nullopt;
    tensor.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
    if (isBounded(shaped))
      tensor.shape.front() = rows;
  }
  tensor.bytes.resize(tensor.numElements() * byteSize(*dtype));
  return tensor;
}

int32_t gpuvm::reference::getWord(const vm::HostTensor &word) {
  int32_t value;
  std::memcpy(&value, word.bytes.data(), sizeof(value));
  return value;
}

Tensor gpuvm::reference::makeWord(int32_t value) {
  vm::HostTensor word{vm::DType::I32, {}, std::vector<uint8_t>(sizeof(value))};
  std::memcpy(word.bytes.data(), &value, sizeof(value));
  return share(std::move(word));
}

uint64_t gpuvm::reference::rowBytes(const vm::HostTensor &tensor) {
  uint64_t bytes = byteSize(tensor.dtype);
  for (int64_t dim : ArrayRef(tensor.shape).drop_front())
    bytes *= dim;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The low bytes of `bits` (little-endian hosts only, as HostTensor is).
static void storeBits(vm::HostTensor &tensor, uint64_t index,
                      const APInt &bits) {
  uint64_t size = byteSize(tensor.dtype), value = bits.getZExtValue();
  std::memcpy(tensor.bytes.data() + index * size, &value, size);
}

/// A small integer is sign-extended to a byte.
static APInt toBits(const APInt &value) {
  bool isSmall = value.getBitWidth() == 2 || value.getBitWidth() == 4;
  return isSmall ? value.sext(8) : value;
}
static APInt toBits(const APFloat &value) { return value.bitcastToAPInt(); }

template <typename Element>
static void storeElements(vm::HostTensor &tensor, DenseElementsAttr elements) {
  for (auto [i, element] : llvm::enumerate(elements.getValues<Element>()))
    storeBits(tensor, i, toBits(element));
}

static void storeDense(vm::HostTensor &tensor, DenseElementsAttr elements) {
  ArrayRef<char> raw = elements.getRawData();
  // Whole elements are stored as they are in memory; i1 may be packed.
  bool isPlain = tensor.dtype != DType::I1 && !elements.isSplat() &&
                 !gpuvm::isSmallInteger(elements.getElementType()) &&
                 raw.size() == tensor.bytes.size();
  if (isPlain)
    std::memcpy(tensor.bytes.data(), raw.data(), raw.size());
  else if (isa<FloatType>(elements.getElementType()))
    storeElements<APFloat>(tensor, elements);
  else
    storeElements<APInt>(tensor, elements);
}

static bool storeResource(vm::HostTensor &tensor,
                          DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob || blob->getData().size() != tensor.bytes.size())
    return false;
  std::memcpy(tensor.bytes.data(), blob->getData().data(), tensor.bytes.size());
  return true;
}

std::optional<vm::HostTensor>
gpuvm::reference::fromAttribute(Attribute attribute) {
  auto typed = dyn_cast<TypedAttr>(attribute);
  std::optional<vm::HostTensor> tensor =
      typed ? makeZero(typed.getType()) : std::nullopt;
  if (!tensor)
    return std::nullopt;
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    storeBits(*tensor, 0, toBits(integer.getValue()));
  else if (auto number = dyn_cast<FloatAttr>(attribute))
    storeBits(*tensor, 0, number.getValue().bitcastToAPInt());
  else if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    storeDense(*tensor, dense);
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
           !resource || !storeResource(*tensor, resource))
    return std::nullopt;
  return tensor;
}
