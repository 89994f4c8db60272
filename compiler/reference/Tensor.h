//===- Tensor.h - the values of the reference interpreter -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/StepLimit.h"
#include "compiler/reference/Unspecified.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "runtime/io/HostTensor.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace mlir::gpuvm::reference {

/// A value; never changed once it is one. A scalar has rank 0; `index` is i64.
/// An unspecified element is stored as zero, or what was computed of that.
class Tensor {
public:
  Tensor() = default; ///< None.
  Tensor(std::shared_ptr<const vm::HostTensor> value,
         Unspecified unspecified = {})
      : value(std::move(value)),
        missing(unspecified.any() ? std::make_shared<const Unspecified>(
                                        std::move(unspecified))
                                  : nullptr) {}

  const vm::HostTensor &operator*() const { return *value; }
  const vm::HostTensor *operator->() const { return value.get(); }
  explicit operator bool() const { return value != nullptr; }

  /// Which elements are unspecified; null if none is.
  const Unspecified *unspecified() const { return missing.get(); }
  const uint8_t *flags() const {
    return missing ? missing->flags.data() : nullptr;
  }

private:
  std::shared_ptr<const vm::HostTensor> value;
  std::shared_ptr<const Unspecified> missing;
};

inline Tensor share(vm::HostTensor tensor, Unspecified unspecified = {}) {
  return {std::make_shared<const vm::HostTensor>(std::move(tensor)),
          std::move(unspecified)};
}

/// Emits an error if an element of `tensor` is unspecified, which `user` needs.
inline LogicalResult requireSpecified(Operation *user, const Tensor &tensor) {
  return tensor.unspecified()
             ? reportUnspecified(user, tensor.unspecified()->cause)
             : success();
}

/// The element type of a tensor or scalar type, or nullopt if the machine has
/// no such type.
std::optional<vm::DType> getDType(Type type);

/// A zeroed value of a statically shaped tensor type or a scalar type, or
/// nullopt if the machine has no such type. A bounded tensor is a value with as
/// many rows as its count says and no memory for more: `rows`.
std::optional<vm::HostTensor> makeZero(Type type, int64_t rows = 0);

/// The value of a word.
int32_t getWord(const vm::HostTensor &word);
/// The other way.
Tensor makeWord(int32_t value);

/// The bytes of a row of a tensor, whether it has any or not.
uint64_t rowBytes(const vm::HostTensor &tensor);

/// The value of a constant; nullopt for attributes that are no such value.
std::optional<vm::HostTensor> fromAttribute(Attribute attribute);

/// The values known at one point of a program or stage.
class Environment {
public:
  Environment(bool exact, StepLimit &limit) : exact(exact), limit(limit) {}

  void set(Value value, Tensor tensor) { values[value] = std::move(tensor); }
  void set(Value value, vm::HostTensor &&tensor) {
    set(value, share(std::move(tensor)));
  }
  /// Precondition: `value` has been set.
  const Tensor &get(Value value) const {
    auto it = values.find(value);
    assert(it != values.end() && "a value is used before it is computed");
    return it->second;
  }
  bool isUnspecified(Value value) const {
    auto it = values.find(value);
    return it != values.end() && it->second.unspecified();
  }
  /// The value of an `index` scalar.
  int64_t getIndex(Value value) const {
    int64_t index;
    std::memcpy(&index, get(value)->bytes.data(), sizeof(index));
    return index;
  }

  /// The arithmetic of --exact (Elementwise.h).
  const bool exact;
  StepLimit &limit;

private:
  DenseMap<Value, Tensor> values;
};

} // namespace mlir::gpuvm::reference
