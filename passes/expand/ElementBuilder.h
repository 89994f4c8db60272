//===- ElementBuilder.h - elementwise operations, in brief ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For patterns that expand an operation into others: a `linalg.generic` that
// computes tensors element by element, and the scalar code of its body.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm {

/// Scalar code at a place of a body. Numbers are of type i32 or i64 unless a
/// function says index.
class ScalarBuilder {
public:
  ScalarBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(TypedAttr value) { return make<arith::ConstantOp>(value); }
  Value integer(Type type, uint64_t value);
  Value word(uint32_t value) { return integer(b.getI32Type(), value); }
  Value index(int64_t value) { return integer(b.getIndexType(), value); }
  /// Between index and i32; as signed numbers.
  Value toIndex(Value word);
  Value toWord(Value index);

  /// Zero extension of unsigned numbers; to i32, the low half of an i64.
  Value extend(Value x, Type type);
  Value narrow(Value x);

  Value add(Value x, Value y) { return make<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return make<arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return make<arith::MulIOp>(x, y); }
  Value div(Value x, Value y) { return make<arith::DivUIOp>(x, y); }
  Value rem(Value x, Value y) { return make<arith::RemUIOp>(x, y); }
  Value both(Value x, Value y) { return make<arith::AndIOp>(x, y); }
  Value either(Value x, Value y) { return make<arith::OrIOp>(x, y); }
  Value differ(Value x, Value y) { return make<arith::XOrIOp>(x, y); }
  Value shiftLeft(Value x, unsigned bits);
  Value shiftRight(Value x, unsigned bits); ///< Zeros come in.
  Value min(Value x, Value y) { return make<arith::MinSIOp>(x, y); }
  Value max(Value x, Value y) { return make<arith::MaxSIOp>(x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return make<arith::CmpIOp>(predicate, x, y);
  }
  Value less(Value x, Value y) { ///< As signed numbers.
    return compare(arith::CmpIPredicate::slt, x, y);
  }
  Value select(Value condition, Value yes, Value no) {
    return make<arith::SelectOp>(condition, yes, no);
  }

  /// The element of a tensor of the stage at `indices`.
  Value read(Value table, ValueRange indices);
  /// Runs `body` for the numbers, of type index, from `begin` to `end` - 1.
  SmallVector<Value>
  loop(Value begin, Value end, ValueRange start,
       function_ref<SmallVector<Value>(ScalarBuilder &, Value, ValueRange)>
           body);
  /// The first index from `begin` to `end` for which `isBefore` does not hold;
  /// of each for which it does, it holds for all before, too.
  Value search(Value begin, Value end,
               function_ref<Value(ScalarBuilder &, Value)> isBefore);
  /// The operations of `block` but its terminator, for `arguments`; what the
  /// terminator yields.
  SmallVector<Value> inlineBlock(Block &block, ValueRange arguments);
  /// Clones the producers of `scalar`, a value of the stage, down to tensors;
  /// `known` is there already.
  Value inlineScalar(Value scalar, IRMapping &known);

  /// Any other operation with one result.
  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }

private:
  OpBuilder &b;
  Location loc;
};

/// Whether scalar code of the stage computes all `values`, so that a body can
/// hold it, too. Looks at each operation once.
bool isScalarCode(ValueRange values);

/// The elements of `value`, a tensor, in their order, in another shape.
Value reshapeTo(OpBuilder &b, Location loc, Value value,
                ArrayRef<int64_t> shape);

/// The elements at `indices` (of type index) of results, of those of inputs.
using ElementsFn = function_ref<SmallVector<Value>(
    ScalarBuilder &s, ArrayRef<Value> indices, ValueRange elements)>;

/// An elementwise operation of shape `shape` with inputs of that shape and
/// results of these elements.
linalg::GenericOp makeElements(OpBuilder &b, Location loc,
                               ArrayRef<int64_t> shape, TypeRange elementTypes,
                               ValueRange inputs, ElementsFn build);

/// The same with one result, of i32.
Value makeWords(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                ValueRange inputs,
                function_ref<Value(ScalarBuilder &s, ArrayRef<Value> indices,
                                   ValueRange elements)>
                    build);

} // namespace mlir::gpuvm
