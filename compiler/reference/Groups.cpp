//===- Groups.cpp - scatters, segments and keys ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Elementwise.h"
#include "compiler/reference/Evaluate.h"
#include "compiler/reference/ScalarCode.h"
#include "dialects/gpuvm/Segments.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

/// A tensor of i32 with these words: a bounded one has so many, another begins
/// with them.
static Tensor wordsOf(Type type, ArrayRef<int32_t> words) {
  vm::HostTensor tensor = *makeZero(type, words.size());
  uint64_t bytes =
      std::min<uint64_t>(tensor.bytes.size(), words.size() * sizeof(int32_t));
  std::memcpy(tensor.bytes.data(), words.data(), bytes);
  return share(std::move(tensor));
}

/// Integers of any width, as signed ones.
static std::vector<int64_t> integersOf(const Tensor &tensor) {
  uint64_t bytes = byteSize(tensor->dtype);
  std::vector<int64_t> values(tensor->numElements());
  for (auto [i, value] : llvm::enumerate(values)) {
    std::memcpy(&value, tensor->bytes.data() + i * bytes, bytes);
    unsigned unused = 64 - 8 * bytes;
    value =
        static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Rows combined in order
//===----------------------------------------------------------------------===//

namespace {
/// A row of each of some tensors.
using Rows = std::vector<std::vector<uint8_t>>;
/// Combines the second rows with the first; null if that has no result.
using CombineRows = std::function<bool(Rows &, const Rows &)>;
} // namespace

/// `result` combined with the rows `numbers` in pieces
/// (docs/reduction-order.md, section 9).
static bool foldRows(ArrayRef<int64_t> numbers, int64_t piece, Rows &result,
                     function_ref<Rows(int64_t)> rowAt,
                     const CombineRows &combine) {
  for (; !numbers.empty();
       numbers = numbers.drop_front(std::min<size_t>(piece, numbers.size()))) {
    Rows own = rowAt(numbers.front());
    for (int64_t number : numbers.take_front(piece).drop_front())
      if (!combine(own, rowAt(number)))
        return false;
    if (!combine(result, own))
      return false;
  }
  return true;
}

/// The elements that a value has at most: where the pieces end that they are
/// combined in does not depend on how many there are.
static int64_t mostElements(Value value) {
  return withAllRows(typeOf(value)).getNumElements();
}

static std::vector<uint8_t> rowOf(const vm::HostTensor &tensor, int64_t row,
                                  uint64_t bytes) {
  auto begin = tensor.bytes.begin() + row * bytes;
  return {begin, begin + bytes};
}

//===----------------------------------------------------------------------===//
// gpuvm.scatter
//===----------------------------------------------------------------------===//

std::string gpuvm::reference::getOperationName(Rule rule, bool isFloat) {
  switch (rule) {
  case Rule::add:
    return isFloat ? "arith.addf" : "arith.addi";
  case Rule::min:
    return isFloat ? "arith.minimumf" : "arith.minsi";
  case Rule::max:
    return isFloat ? "arith.maximumf" : "arith.maxsi";
  case Rule::minu:
    return "arith.minui";
  case Rule::maxu:
    return "arith.maxui";
  case Rule::bit_and:
    return "arith.andi";
  case Rule::bit_or:
    return "arith.ori";
  case Rule::bit_xor:
    return "arith.xori";
  case Rule::last:
    break;
  }
  llvm_unreachable("no operation combines so");
}

Results gpuvm::reference::evaluate(ScatterOp op, const Environment &env) {
  std::vector<int64_t> positions = integersOf(env.get(op.getPositions()));
  SmallVector<Tensor> results;
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    Tensor update = env.get(op.getUpdates()[i]);
    vm::HostTensor result = *env.get(op.getInitial()[i]);
    int64_t rows = result.shape.front();
    uint64_t bytes = rowBytes(result);
    std::map<int64_t, std::vector<int64_t>> byPosition;
    for (auto [number, position] : llvm::enumerate(positions))
      if (position >= 0 && position < rows)
        byPosition[position].push_back(number);
    Rule rule = op.getRule(i);
    ElementwiseFn fn = nullptr;
    if (rule != Rule::last) {
      bool isFloat =
          isa<FloatType>(getElementTypeOrSelf(op.getInitial()[i].getType()));
      vm::DType types[] = {result.dtype, result.dtype};
      fn = findElementwise(getOperationName(rule, isFloat), types, result.dtype,
                           env.exact);
      if (!fn)
        return op.emitOpError("the interpreter cannot combine elements by ")
               << stringifyRule(rule);
    }
    uint64_t width = bytes / byteSize(result.dtype);
    auto combine = [&](Rows &a, const Rows &b) {
      if (rule == Rule::last) {
        a = b;
        return true;
      }
      const void *operands[] = {a[0].data(), b[0].data()};
      return !fn(operands, a[0].data(), width).what;
    };
    for (auto &[position, numbers] : byPosition) {
      Rows row = {rowOf(result, position, bytes)};
      foldRows(
          numbers, rowsPerPiece(mostElements(op.getPositions())), row,
          [&](int64_t n) -> Rows { return {rowOf(*update, n, bytes)}; },
          combine);
      std::memcpy(result.bytes.data() + position * bytes, row[0].data(), bytes);
    }
    results.push_back(share(std::move(result)));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// gpuvm.segment_reduce
//===----------------------------------------------------------------------===//

/// Runs a region that combines two elements of each input on whole rows.
static bool runRegion(const ScalarCode &code, Block &block, Rows &a,
                      const Rows &b, int64_t width) {
  size_t count = a.size();
  for (int64_t at = 0; at < width; at += ScalarCode::kMaxCount) {
    int64_t some = std::min(ScalarCode::kMaxCount, width - at);
    auto bytesOf = [&](size_t i) { return a[i].size() / width; };
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(code.elements(block.getArgument(i)),
                  a[i].data() + at * bytesOf(i), some * bytesOf(i));
      std::memcpy(code.elements(block.getArgument(count + i)),
                  b[i].data() + at * bytesOf(i), some * bytesOf(i));
    }
    if (failed(code.run(some)))
      return false;
    for (auto [i, value] :
         llvm::enumerate(block.getTerminator()->getOperands()))
      std::memcpy(a[i].data() + at * bytesOf(i), code.elements(value),
                  some * bytesOf(i));
  }
  return true;
}

Results gpuvm::reference::evaluate(SegmentReduceOp op, const Environment &env) {
  Block &block = op.getCombine().front();
  FailureOr<ScalarCode> code = ScalarCode::compile(
      block, env, /*numLoops=*/0, SmallPtrSet<Operation *, 1>());
  if (failed(code))
    return failure();
  std::vector<int64_t> offsets = integersOf(env.get(op.getOffsets()));
  SmallVector<Tensor> inputs;
  SmallVector<uint64_t> bytes; ///< Of a row.
  SmallVector<vm::HostTensor> results;
  const Tensor &first = env.get(op.getInputs().front());
  int64_t rows = first->shape.front();
  int64_t most = withAllRows(typeOf(op.getInputs().front())).getDimSize(0);
  int64_t width = static_cast<int64_t>(rowBytes(*first)) /
                  static_cast<int64_t>(byteSize(first->dtype));
  for (auto [input, result] :
       llvm::zip_equal(op.getInputs(), op.getResults())) {
    inputs.push_back(env.get(input));
    bytes.push_back(rowBytes(*inputs.back()));
    results.push_back(*makeZero(result.getType()));
  }
  auto rowsAt = [&](int64_t number) {
    Rows all;
    for (auto [input, size] : llvm::zip_equal(inputs, bytes))
      all.push_back(rowOf(*input, number, size));
    return all;
  };
  auto combine = [&](Rows &a, const Rows &b) {
    return runRegion(*code, block, a, b, width);
  };
  for (size_t segment = 0; segment + 1 < offsets.size(); ++segment) {
    int64_t begin = std::clamp<int64_t>(offsets[segment], 0, rows);
    int64_t end = std::clamp<int64_t>(offsets[segment + 1], begin, rows);
    Rows own;
    for (auto [initial, size] : llvm::zip_equal(op.getInitial(), bytes)) {
      const Tensor &value = env.get(initial);
      if (!value->shape.empty()) {
        own.push_back(rowOf(*value, segment, size));
        continue;
      }
      std::vector<uint8_t> row;
      while (row.size() < size)
        llvm::append_range(row, value->bytes);
      own.push_back(std::move(row));
    }
    std::vector<int64_t> numbers(end - begin);
    std::iota(numbers.begin(), numbers.end(), begin);
    if (!foldRows(numbers, rowsPerPiece(most), own, rowsAt, combine))
      return failure();
    for (auto [i, size] : llvm::enumerate(bytes))
      std::memcpy(results[i].bytes.data() + segment * size, own[i].data(),
                  size);
  }
  SmallVector<Tensor> tensors;
  for (vm::HostTensor &result : results)
    tensors.push_back(share(std::move(result)));
  return tensors;
}

//===----------------------------------------------------------------------===//
// gpuvm.expand
//===----------------------------------------------------------------------===//

Results gpuvm::reference::evaluate(ExpandOp op, const Environment &env) {
  std::vector<int32_t> rows, ordinals;
  size_t most = cast<RankedTensorType>(op.getRows().getType()).getDimSize(0);
  int64_t total = 0;
  for (auto [row, count] :
       llvm::enumerate(integersOf(env.get(op.getCounts())))) {
    total += std::max<int64_t>(count, 0);
    for (int64_t i = 0; i < count && rows.size() < most; ++i) {
      rows.push_back(row);
      ordinals.push_back(i);
    }
  }
  int32_t places = std::min<int64_t>(total, INT32_MAX);
  return SmallVector<Tensor>{wordsOf(op.getRows().getType(), rows),
                             wordsOf(op.getOrdinals().getType(), ordinals),
                             wordsOf(op.getTotal().getType(), places)};
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// The keys of all rows.
static std::vector<std::vector<int64_t>> keysOf(ValueRange columns,
                                                const Environment &env) {
  std::vector<std::vector<int64_t>> keys(env.get(columns[0])->numElements());
  for (Value column : columns)
    for (auto [key, value] : llvm::zip_equal(keys, integersOf(env.get(column))))
      key.push_back(value);
  return keys;
}

Results gpuvm::reference::evaluate(DistinctOp op, const Environment &env) {
  std::vector<std::vector<int64_t>> keys = keysOf(op.getKeys(), env);
  std::map<std::vector<int64_t>, int32_t> firstRow;
  for (auto [row, key] : llvm::enumerate(keys))
    firstRow.try_emplace(key, row);
  std::vector<int32_t> rows, numbers;
  for (auto &[key, row] : firstRow) {
    rows.push_back(row);
    row = rows.size() - 1; // From here on, its number.
  }
  for (const std::vector<int64_t> &key : keys)
    numbers.push_back(firstRow.find(key)->second);
  int32_t count = rows.size();
  return SmallVector<Tensor>{wordsOf(op.getNumbers().getType(), numbers),
                             wordsOf(op.getRows().getType(), rows),
                             wordsOf(op.getCount().getType(), count)};
}

/// MurmurHash3's last step, for numbers of 32 or 64 bits.
static uint64_t hash(uint64_t x, bool isWide) {
  if (isWide) {
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccd;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53;
    return x ^ (x >> 33);
  }
  uint32_t y = x;
  y = (y ^ (y >> 16)) * 0x85ebca6b;
  y = (y ^ (y >> 13)) * 0xc2b2ae35;
  return y ^ (y >> 16);
}

/// The hashes of keys, and of a table's; `widths`: of their columns, in bits.
static std::pair<std::vector<uint64_t>, std::vector<uint64_t>>
hashKeys(const std::vector<std::vector<int64_t>> &keys,
         const std::vector<std::vector<int64_t>> &table,
         ArrayRef<unsigned> widths) {
  unsigned bits = std::accumulate(widths.begin(), widths.end(), 0u);
  std::map<std::vector<int64_t>, uint64_t> numbers;
  if (bits > 64) {
    for (const auto *all : {&keys, &table})
      for (const std::vector<int64_t> &key : *all)
        numbers[key];
    uint64_t next = 0;
    for (auto &[key, number] : numbers)
      number = next++;
  }
  auto hashOf = [&](const std::vector<int64_t> &key) {
    if (bits > 64)
      return hash(numbers[key], /*isWide=*/false);
    uint64_t joined = 0;
    for (auto [value, width] : llvm::zip_equal(key, widths)) {
      uint64_t mask = ~uint64_t(0) >> (64 - width);
      joined =
          width == 64 ? value : (joined << width) | (uint64_t(value) & mask);
    }
    return hash(joined, bits > 32);
  };
  std::pair<std::vector<uint64_t>, std::vector<uint64_t>> result;
  llvm::transform(keys, std::back_inserter(result.first), hashOf);
  llvm::transform(table, std::back_inserter(result.second), hashOf);
  return result;
}

Results gpuvm::reference::evaluate(Histogram2dOp op, const Environment &env) {
  std::vector<int64_t> rows = integersOf(env.get(op.getRows()));
  std::vector<int64_t> columns = integersOf(env.get(op.getColumns()));
  ArrayRef<int64_t> shape = typeOf(op.getCounts()).getShape();
  std::vector<int32_t> counts(shape[0] * shape[1]);
  for (auto [row, column] : llvm::zip_equal(rows, columns))
    if (row >= 0 && row < shape[0] && column >= 0 && column < shape[1])
      ++counts[row * shape[1] + column];
  return SmallVector<Tensor>{wordsOf(op.getCounts().getType(), counts)};
}

Results gpuvm::reference::evaluate(MatchOp op, const Environment &env) {
  SmallVector<unsigned> widths;
  for (Value key : op.getKeys())
    widths.push_back(
        getElementTypeOrSelf(key.getType()).getIntOrFloatBitWidth());
  auto [own, theirs] =
      hashKeys(keysOf(op.getKeys(), env), keysOf(op.getTable(), env), widths);
  std::vector<int32_t> order(theirs.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(
      order, [&](int32_t a, int32_t b) { return theirs[a] < theirs[b]; });
  llvm::sort(theirs);
  std::vector<int32_t> first, counts;
  for (uint64_t key : own) {
    auto [begin, end] = std::equal_range(theirs.begin(), theirs.end(), key);
    first.push_back(begin - theirs.begin());
    counts.push_back(end - begin);
  }
  return SmallVector<Tensor>{wordsOf(op.getFirst().getType(), first),
                             wordsOf(op.getCounts().getType(), counts),
                             wordsOf(op.getOrder().getType(), order)};
}
