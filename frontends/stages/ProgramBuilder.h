//===- ProgramBuilder.h - programs of gpuvm, stage by stage -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a front end lowers to: a program with stages, whose results are values
// of C++. The types of messages follow from what bodies send.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "frontends/stages/FunctionLibrary.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>

namespace mlir::gpuvm {

struct NamedType {
  std::string name;
  Type type;
};

/// What a stage sends, and with a condition that is false.
struct Sent {
  SmallVector<Value> payloads, otherwise = {};
};

class ProgramBuilder : public ImplicitLocOpBuilder {
public:
  /// Bodies may call functions of `library`, which must live longer.
  ProgramBuilder(Location loc, const FunctionLibrary &library)
      : ImplicitLocOpBuilder(loc, loc.getContext()), library(library) {}

  /// Begins a program before `op`. What follows is added to it.
  void beginProgram(Operation *op, StringRef name, ArrayRef<NamedType> inputs,
                    ArrayRef<NamedType> outputs, bool isPrivate = false) {
    setInsertionPoint(op);
    beginProgram(name, inputs, outputs, isPrivate);
  }
  /// ... where the builder stands.
  void beginProgram(StringRef name, ArrayRef<NamedType> inputs,
                    ArrayRef<NamedType> outputs, bool isPrivate = false);
  ValueRange inputs() { return program.getBody().getArguments(); }
  /// Ends it with its outputs, and the functions that bodies call. The builder
  /// stands after it.
  ProgramOp endProgram(ValueRange outputs);

  /// Without a value one that is an input.
  void heap(const Twine &name, Type type, ElementsAttr initial);
  void global(const Twine &name, Type type, ElementsAttr initial);

  /// A stage: what `body` makes of payloads is what it sends. It runs if `when`
  /// is there and true.
  using Body = llvm::function_ref<Sent(ValueRange)>;
  SmallVector<Value> stage(const Twine &name, ValueRange inputs, Body body,
                           Value when = {});
  /// ... whose body is a function of the library that returns N values.
  template <size_t N>
  std::array<Value, N> stage(const Twine &name, ValueRange inputs,
                             StringRef function) {
    std::array<Value, N> messages;
    llvm::copy(stage(name, inputs,
                     [&](ValueRange payloads) -> Sent {
                       return {call(function, payloads)};
                     }),
               messages.begin());
    return messages;
  }

  /// Iterations until the flag is true that `body` returns with the next
  /// values.
  struct Next {
    SmallVector<Value> values;
    Value until;
  };
  SmallVector<Value> repeat(const Twine &name, int64_t most, ValueRange initial,
                            llvm::function_ref<Next(ValueRange)> body);

  SmallVector<Value> callProgram(const Twine &name, ProgramOp callee,
                                 ValueRange inputs);

  // In bodies.

  /// The function's operations.
  SmallVector<Value> call(StringRef function, ValueRange operands) {
    return library.call(*this, function, operands);
  }
  /// A linalg.generic of parallel dimensions; operands and results are indexed
  /// by the maps, in this order.
  SmallVector<Value>
  generic(ValueRange inputs, ArrayRef<Type> results, ArrayRef<AffineMap> maps,
          llvm::function_ref<SmallVector<Value>(ValueRange)> body);
  Value concat(ValueRange parts) {
    return tensor::ConcatOp::create(*this, /*dim=*/0, parts);
  }
  /// A number, or a tensor of it.
  Value constant(Type type, int64_t value);
  Value constant(Type type, const llvm::APFloat &value);

private:
  Value constant(Type type, TypedAttr number);

  const FunctionLibrary &library;
  ProgramOp program;
};

} // namespace mlir::gpuvm
