//===- Sort.cpp - order, ranks and search ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is a stable sort by the order that GpuvmSort.td describes.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Elementwise.h"
#include "compiler/reference/Evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;
using vm::HostTensor;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {
/// The keys of one tensor, as numbers that compare as the keys do.
struct Keys {
  std::vector<double> reals;      ///< Of floats; a NaN as it is.
  std::vector<int64_t> integers;  ///< Of signed integers.
  std::vector<uint64_t> naturals; ///< Of unsigned ones.
  bool descends = false;

  /// Whether element `a` comes before element `b`.
  bool before(size_t a, size_t b) const {
    if (descends)
      std::swap(a, b);
    if (!integers.empty())
      return integers[a] < integers[b];
    if (!naturals.empty())
      return naturals[a] < naturals[b];
    bool isNan = std::isnan(reals[a]);
    return std::isnan(reals[b]) ? !isNan : !isNan && reals[a] < reals[b];
  }
};
} // namespace

/// Elements of `tensor`, as numbers of type To.
template <typename To>
static std::vector<To> convert(std::string_view name, const HostTensor &tensor,
                               vm::DType to) {
  std::vector<To> values(tensor.numElements());
  if (tensor.dtype == to) {
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  ElementwiseFn fn = findConversion(name, tensor.dtype, to, /*exact=*/false);
  const void *operands[] = {tensor.bytes.data()};
  fn(operands, values.data(), values.size());
  return values;
}

static Keys keysOf(const HostTensor &tensor, bool isUnsigned, bool descends) {
  Keys keys;
  keys.descends = descends;
  bool isFloat =
      tensor.dtype == vm::DType::F16 || tensor.dtype == vm::DType::BF16 ||
      tensor.dtype == vm::DType::F32 || tensor.dtype == vm::DType::F64;
  if (isFloat)
    keys.reals = convert<double>("arith.extf", tensor, vm::DType::F64);
  else if (isUnsigned || tensor.dtype == vm::DType::I1)
    keys.naturals = convert<uint64_t>("arith.extui", tensor, vm::DType::I64);
  else
    keys.integers = convert<int64_t>("arith.extsi", tensor, vm::DType::I64);
  return keys;
}

/// Sorts the numbers of elements [first, first + count) by `keys`.
static void sortNumbers(ArrayRef<Keys> keys, size_t first, size_t count,
                        std::vector<size_t> &numbers) {
  auto begin = numbers.begin() + first;
  std::stable_sort(begin, begin + count, [&](size_t a, size_t b) {
    for (const Keys &key : keys) {
      if (key.before(a, b))
        return true;
      if (key.before(b, a))
        return false;
    }
    return false;
  });
}

static std::vector<size_t> iota(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The rows of a tensor of type `type` that has so many elements; a scalar has
/// none.
static int64_t rowsOf(ArrayRef<size_t> numbers, Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  int64_t row = shape.empty() ? 0 : llvm::product_of(shape.drop_front());
  return row ? static_cast<int64_t>(numbers.size()) / row : 0;
}

/// `source` with element numbers[i] in place i, as a `type`.
static Tensor pick(const HostTensor &source, ArrayRef<size_t> numbers,
                   Type type) {
  HostTensor result = *makeZero(type, rowsOf(numbers, type));
  size_t size = byteSize(source.dtype);
  for (auto [i, number] : llvm::enumerate(numbers))
    std::memcpy(result.bytes.data() + i * size,
                source.bytes.data() + number * size, size);
  return std::make_shared<const HostTensor>(std::move(result));
}

/// Numbers as a tensor of i32.
static Tensor toWords(ArrayRef<size_t> numbers, Type type) {
  HostTensor result = *makeZero(type, rowsOf(numbers, type));
  for (auto [i, number] : llvm::enumerate(numbers)) {
    auto word = static_cast<int32_t>(number);
    std::memcpy(result.bytes.data() + i * sizeof(word), &word, sizeof(word));
  }
  return std::make_shared<const HostTensor>(std::move(result));
}

//===----------------------------------------------------------------------===//
// What a user writes
//===----------------------------------------------------------------------===//

Results gpuvm::reference::evaluate(SortOp op, const Environment &env) {
  SmallVector<Keys> keys;
  for (auto [key, isUnsigned, descends] :
       llvm::zip_equal(op.getKeys(), op.getUnsignedKeys(), op.getDescending()))
    keys.push_back(keysOf(*env.get(key), isUnsigned, descends));
  const Tensor &first = env.get(op.getKeys().front());
  size_t length = first->shape.back(), count = first->numElements();
  std::vector<size_t> numbers = iota(count);
  for (size_t row = 0; row < count; row += length)
    sortNumbers(keys, row, length, numbers);
  SmallVector<Tensor> results;
  for (auto [operand, result] : llvm::zip(op.getOperands(), op.getSorted()))
    results.push_back(pick(*env.get(operand), numbers, result.getType()));
  if (!op.getNumbers())
    return results;
  for (size_t &number : numbers)
    number %= length;
  results.push_back(toWords(numbers, op.getSorted().back().getType()));
  return results;
}

Results gpuvm::reference::evaluate(TopKOp op, const Environment &env) {
  const Tensor &input = env.get(op.getInput());
  Keys keys = keysOf(*input, op.getIsUnsigned(), !op.getSmallest());
  size_t length = input->shape.back(), count = input->numElements();
  auto type = cast<RankedTensorType>(op.getValues().getType());
  size_t most = withAllRows(type).getShape().back();
  std::vector<size_t> numbers = iota(count), picked, places;
  for (size_t row = 0; row < count; row += length) {
    sortNumbers(keys, row, length, numbers);
    for (size_t i = 0; i < std::min(most, length); ++i) {
      picked.push_back(numbers[row + i]);
      places.push_back(numbers[row + i] - row);
    }
  }
  return SmallVector<Tensor>{pick(*input, picked, type),
                             toWords(places, op.getNumbers().getType())};
}

Results gpuvm::reference::evaluate(SearchSortedOp op, const Environment &env) {
  const Tensor &table = env.get(op.getTable());
  const Tensor &queries = env.get(op.getQueries());
  HostTensor both = *table; // So that the numbers of both can be compared.
  both.bytes.insert(both.bytes.end(), queries->bytes.begin(),
                    queries->bytes.end());
  size_t length = table->numElements();
  both.shape = {static_cast<int64_t>(length + queries->numElements())};
  Keys keys = keysOf(both, op.getIsUnsigned(), op.getDescending());
  std::vector<size_t> entries = iota(length), found;
  for (size_t i = 0; i < queries->numElements(); ++i) {
    auto before = [&](size_t a, size_t b) { return keys.before(a, b); };
    auto place = op.getRight()
                     ? std::upper_bound(entries.begin(), entries.end(),
                                        length + i, before)
                     : std::lower_bound(entries.begin(), entries.end(),
                                        length + i, before);
    found.push_back(place - entries.begin());
  }
  return SmallVector<Tensor>{toWords(found, op.getResult().getType())};
}

/// Both rows, sorted: the order says that this is what merges them.
Results gpuvm::reference::evaluate(MergeOp op, const Environment &env) {
  auto type = cast<RankedTensorType>(op.getMerged().front().getType());
  size_t length = type.getShape().back();
  auto together = [&](Value first, Value second) {
    const Tensor &a = env.get(first), &b = env.get(second);
    HostTensor both = *makeZero(type.clone(getElementTypeOrSelf(first)));
    size_t rows = both.numElements() / length;
    size_t own = a->bytes.size() / rows, other = b->bytes.size() / rows;
    for (size_t row = 0; row < rows; ++row) {
      uint8_t *to = both.bytes.data() + row * (own + other);
      std::memcpy(to, a->bytes.data() + row * own, own);
      std::memcpy(to + own, b->bytes.data() + row * other, other);
    }
    return both;
  };
  HostTensor key = together(op.getFirst(), op.getSecond());
  Keys keys = keysOf(key, op.getIsUnsigned(), op.getDescending());
  std::vector<size_t> numbers = iota(key.numElements());
  for (size_t row = 0; row < numbers.size(); row += length)
    sortNumbers(keys, row, length, numbers);
  SmallVector<Tensor> results = {pick(key, numbers, type)};
  for (auto [first, second, result] :
       llvm::zip_equal(op.getFirstPayloads(), op.getSecondPayloads(),
                       op.getMerged().drop_front()))
    results.push_back(pick(together(first, second), numbers, result.getType()));
  return results;
}
