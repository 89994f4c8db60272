//===- KeyValueCache.cpp - keys or values of all positions ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/KeyValueCache.h"

#include "frontends/llm/model/Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;

/// What the largest magnitude of a block becomes.
static constexpr double kLargest = 127;

static std::string scalesOf(const std::string &name) {
  return name + ".scales";
}

Type KeyValueCache::elementType() const {
  switch (layout.type) {
  case CacheType::F16:
    return b.getF16Type();
  case CacheType::F32:
    return b.getF32Type();
  case CacheType::Q8_0:
    return b.getI8Type();
  }
  llvm_unreachable("unknown type of a cache");
}

RankedTensorType KeyValueCache::numbersType() const {
  return ops.tensor({layout.rows, width()}, elementType());
}

/// One row of all: rows of a few blocks each could not be read as vectors.
RankedTensorType KeyValueCache::scalesType() const {
  return ops.tensor({layout.rows * blocks()}, b.getF16Type());
}

void KeyValueCache::declare(const std::string &name) {
  b.global(name, numbersType(), {});
  if (hasBlocks())
    b.global(scalesOf(name), scalesType(), {});
}

//===----------------------------------------------------------------------===//
// Storing
//===----------------------------------------------------------------------===//

void KeyValueCache::store(Value x, int64_t count, const std::string &name,
                          Value slots) {
  if (hasBlocks())
    return storeBlocks(x, count, name, slots);
  x = ops.reshape(ops.convert(x, elementType()), {count, width()});
  if (layout.places > 1)
    ops.storeEach(x, name, numbersType(), slots);
  else
    ops.store(x, name, slots);
}

/// As ggml's quantize_row_q8_0.
void KeyValueCache::storeBlocks(Value x, int64_t count, const std::string &name,
                                Value slots) {
  Value split = ops.reshape(x, {count, blocks(), kCacheBlock});
  Value largest = ops.loops("rbI", {{split, "rbi"}}, {{b.getF32Type(), "rb"}},
                            [](ArrayRef<Expr> e) -> SmallVector<Expr> {
                              return {max(e[1], abs(e[0]))};
                            })
                      .front();
  Value numbers =
      ops.map("rbi", {{split, "rbi"}, {largest, "rb"}}, {b.getI8Type(), "rbi"},
              [&](ArrayRef<Expr> e) {
                Expr scale = e[1] / kLargest;
                Expr factor = select(scale == 0.0, 0.0, 1.0 / scale);
                Expr number = e[0] * factor;
                Expr nearest =
                    number.builder().make<math::RoundOp>(Value(number));
                return nearest.toSigned(b.getI8Type());
              });
  Value scales = ops.map("rb", {{largest, "rb"}}, {b.getF16Type(), "rb"},
                         [&](ArrayRef<Expr> e) {
                           return (e[0] / kLargest).truncate(b.getF16Type());
                         });
  numbers = ops.reshape(numbers, {count, width()});
  if (layout.places > 1) {
    ops.storeEach(numbers, name, numbersType(), slots);
    ops.storeEach(scales, scalesOf(name), scalesType(), slots);
    return;
  }
  ops.store(numbers, name, slots);
  Value first = arith::MulIOp::create(
      b, slots, ops.number(static_cast<int32_t>(blocks())));
  ops.store(ops.reshape(scales, {count * blocks()}), scalesOf(name), first);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Those elements of all that are in pages, one after the other.
Value KeyValueCache::pagesOf(Value all, Value pages) {
  auto type = cast<RankedTensorType>(all.getType());
  int64_t inAll = layout.rows / vm::llm::kPageRows;
  int64_t size = type.getNumElements() / inAll;
  int64_t count = TensorOps::shapeOf(pages)[0];
  Value flat = ops.reshape(all, {type.getNumElements()});
  Value own = gpuvm::GatherOp::create(
      b, ops.tensor({count, size}, type.getElementType()),
      ops.reshape(flat, {inAll, size}), pages);
  return ops.reshape(own, {count * size});
}

/// All numbers, in one row.
Value KeyValueCache::decode(Value numbers, Value scales) {
  int64_t count = TensorOps::shapeOf(scales)[0];
  Value split = ops.reshape(numbers, {count, kCacheBlock});
  Value decoded = ops.map("bi", {{split, "bi"}, {scales, "b"}},
                          {b.getF16Type(), "bi"}, [&](ArrayRef<Expr> e) {
                            Expr scale = e[1].extend(b.getF32Type());
                            Expr x = e[0].signedToFloat(b.getF32Type());
                            return (x * scale).truncate(b.getF16Type());
                          });
  return ops.reshape(decoded, {count * kCacheBlock});
}

Value KeyValueCache::load(const std::string &name, Value pages,
                          int64_t sequences) {
  auto read = [&](const std::string &symbol, RankedTensorType type) {
    Value all = ops.load(symbol, type);
    return pages ? pagesOf(all, pages) : all;
  };
  Value all = read(name, numbersType());
  int64_t rows = cast<RankedTensorType>(all.getType()).getNumElements() /
                 width() / sequences;
  if (hasBlocks()) {
    all = ops.reshape(all, {sequences * rows * width()});
    all = decode(all, read(scalesOf(name), scalesType()));
  }
  if (sequences == 1)
    return ops.transpose(ops.reshape(all, {rows, heads, headSize}), {1, 0, 2});
  all = ops.transpose(ops.reshape(all, {sequences, rows, heads, headSize}),
                      {0, 2, 1, 3});
  return ops.reshape(all, {sequences * heads, rows, headSize});
}
