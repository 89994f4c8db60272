//===- SortSteps.cpp - the steps of a sort --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that gpuvm-generalize expands gpuvm.sort to, so that a program can
// be run in the middle of the pipeline, too. Keys are compared as their images:
// numbers as wide as the key that have its place in the order.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;
using vm::HostTensor;

namespace {
/// How the keys of a step are ordered.
struct KeyOrder {
  Type type;
  bool isUnsigned, descends;

  unsigned width() const { return 8 * elementBytes(type); }
  uint64_t ones() const { return ~uint64_t(0) >> (64 - width()); }
  uint64_t sign() const { return uint64_t(1) << (width() - 1); }

  uint64_t ascending(uint64_t bits) const {
    if (auto real = dyn_cast<FloatType>(type)) {
      uint64_t size = bits & ~sign();
      if (size > APFloat::getInf(real.getFloatSemantics())
                     .bitcastToAPInt()
                     .getZExtValue())
        return ones(); // NaN
      return bits & sign() && size ? bits ^ ones() : size | sign();
    }
    return isUnsigned || type.isInteger(1) ? bits : bits ^ sign();
  }
  uint64_t image(uint64_t bits) const {
    return descends ? ascending(bits) ^ ones() : ascending(bits);
  }
  /// A key that no key comes after.
  uint64_t last() const {
    bool isFloat = isa<FloatType>(type);
    if (isFloat && descends)
      return APFloat::getInf(cast<FloatType>(type).getFloatSemantics(),
                             /*Negative=*/true)
          .bitcastToAPInt()
          .getZExtValue();
    if (isFloat)
      return ones() ^ sign();
    uint64_t first = isUnsigned || type.isInteger(1) ? 0 : sign();
    return descends ? first : first ^ ones();
  }
};
} // namespace

template <typename Op> static KeyOrder orderOf(Op op) {
  return {getElementTypeOrSelf(op.getKey().getType()), op.getIsUnsigned(),
          op.getDescending()};
}

static uint64_t elementOf(const HostTensor &tensor, size_t i) {
  uint64_t bits = 0;
  size_t size = tensor.bytes.size() / tensor.numElements();
  std::memcpy(&bits, tensor.bytes.data() + i * size, size);
  return bits;
}

static std::vector<uint64_t> imagesOf(const HostTensor &tensor,
                                      const KeyOrder &order) {
  std::vector<uint64_t> images(tensor.numElements());
  for (size_t i = 0; i < images.size(); ++i)
    images[i] = order.image(elementOf(tensor, i));
  return images;
}

static constexpr size_t kNone = std::numeric_limits<size_t>::max();

/// `source` with element numbers[i] in place i; for kNone `rest`.
static Tensor pick(const HostTensor &source, ArrayRef<size_t> numbers,
                   uint64_t rest, Type type) {
  HostTensor result = *makeZero(type);
  size_t size = source.bytes.size() / source.numElements();
  for (auto [i, number] : llvm::enumerate(numbers)) {
    uint64_t bits = number == kNone ? rest : elementOf(source, number);
    std::memcpy(result.bytes.data() + i * size, &bits, size);
  }
  return std::make_shared<const HostTensor>(std::move(result));
}

/// The numbers of all elements, each stretch of `run` elements of a row of
/// `length` in the stable order of `values`.
static std::vector<size_t> sortRuns(ArrayRef<uint64_t> values, size_t length,
                                    size_t run) {
  std::vector<size_t> numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  for (size_t row = 0; row < values.size(); row += length)
    for (size_t first = 0; first < length; first += run)
      std::stable_sort(
          numbers.begin() + row + first,
          numbers.begin() + row + std::min(first + run, length),
          [&](size_t a, size_t b) { return values[a] < values[b]; });
  return numbers;
}

template <typename Op>
static SmallVector<Tensor> pickAll(Op op, const Environment &env,
                                   ArrayRef<size_t> numbers) {
  SmallVector<Value> moved = {op.getKey()};
  llvm::append_range(moved, op.getPayloads());
  SmallVector<Tensor> results;
  for (auto [operand, result] : llvm::zip_equal(moved, op.getSorted()))
    results.push_back(pick(*env.get(operand), numbers,
                           operand == op.getKey() ? orderOf(op).last() : 0,
                           result.getType()));
  return results;
}

Results gpuvm::reference::evaluate(SortRunsOp op, const Environment &env) {
  const Tensor &key = env.get(op.getKey());
  size_t length = key->shape.back(), run = op.getRun();
  std::vector<size_t> numbers =
      sortRuns(imagesOf(*key, orderOf(op)), length, run);
  if (!op.getKeep())
    return pickAll(op, env, numbers);
  std::vector<size_t> kept;
  for (size_t row = 0; row < numbers.size(); row += length)
    for (size_t first = 0; first < length; first += run)
      for (size_t i = first; i < first + *op.getKeep(); ++i)
        kept.push_back(i < std::min(first + run, length) ? numbers[row + i]
                                                         : kNone);
  return pickAll(op, env, kept);
}

Results gpuvm::reference::evaluate(MergeRunsOp op, const Environment &env) {
  const Tensor &key = env.get(op.getKey());
  size_t length = key->shape.back();
  return pickAll(op, env,
                 sortRuns(imagesOf(*key, orderOf(op)), length, length));
}

template <typename Op>
static std::vector<uint64_t> digitsOf(Op op, const Environment &env) {
  std::vector<uint64_t> digits = imagesOf(*env.get(op.getKey()), orderOf(op));
  uint64_t number = elementOf(*env.get(op.getDigit()), 0);
  for (uint64_t &digit : digits)
    digit = digit >> (8 * number & 63) & 255;
  return digits;
}

Results gpuvm::reference::evaluate(CountDigitsOp op, const Environment &env) {
  std::vector<uint64_t> digits = digitsOf(op, env);
  auto type = cast<RankedTensorType>(op.getOffsets().getType());
  size_t length = env.get(op.getKey())->shape.back(), chunk = op.getChunk();
  size_t chunks = type.getShape().drop_back().back();
  std::vector<int32_t> offsets(type.getNumElements());
  for (size_t row = 0; row * length < digits.size(); ++row) {
    int32_t *own = offsets.data() + row * chunks * 256;
    for (size_t i = 0; i < length; ++i)
      ++own[i / chunk * 256 + digits[row * length + i]];
    int32_t next = 0;
    for (size_t digit = 0; digit < 256; ++digit)
      for (size_t c = 0; c < chunks; ++c)
        next += std::exchange(own[c * 256 + digit], next);
  }
  HostTensor result = *makeZero(type);
  std::memcpy(result.bytes.data(), offsets.data(), result.bytes.size());
  return SmallVector<Tensor>{
      std::make_shared<const HostTensor>(std::move(result))};
}

Results gpuvm::reference::evaluate(ScatterDigitsOp op, const Environment &env) {
  size_t length = env.get(op.getKey())->shape.back();
  return pickAll(op, env, sortRuns(digitsOf(op, env), length, length));
}
