//===- IterationSpace.h - points of a loop nest and their elements --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which indices the loops have at each point of a run of ScalarCode, and which
// element of an operand belongs to a point.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/ScalarCode.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineMap.h"

#include <array>

namespace mlir::gpuvm::reference {

/// Some of the loops, as one loop in row-major order.
struct LoopNest {
  SmallVector<unsigned> loops;
  SmallVector<int64_t> ranges;
  int64_t count = 1;

  void add(unsigned loop, int64_t range) {
    loops.push_back(loop);
    ranges.push_back(range);
    count *= range;
  }
  /// Sets the indices of these loops at points [0, count) to those of
  /// iterations [first, first + count).
  void fillRun(const ScalarCode &code, int64_t first, int64_t count) const;
  /// Sets the indices at points [0, count) all to those of one iteration.
  void fillSame(const ScalarCode &code, int64_t iteration, int64_t count) const;

private:
  SmallVector<int64_t> getIndex(int64_t iteration) const {
    SmallVector<int64_t> index(loops.size());
    for (size_t d = loops.size(); d-- > 0 && iteration > 0;
         iteration /= ranges[d])
      index[d] = iteration % ranges[d];
    return index;
  }
};

/// Reads or writes the elements of one operand at given points.
class Access {
public:
  /// `isVerified`: the verifier of linalg has seen that a linear map stays in
  /// the tensor's shape, which it can only where shapes are static.
  Access(AffineMap map, const vm::HostTensor &tensor, bool isVerified)
      : map(map), shape(tensor.shape), bytes(byteSize(tensor.dtype)),
        isLinear(isVerified) {
    findCoefficients();
  }

  /// The elements at points [0, count) go to `elements`.
  bool gather(const ScalarCode &code, const vm::HostTensor &tensor,
              int64_t count, void *elements) {
    if (!findOffsets(code, count))
      return false;
    copy(tensor.bytes.data(), static_cast<uint8_t *>(elements), count,
         [](auto *memory, auto *element) { *element = *memory; });
    return true;
  }
  /// Elements go to the places of points [0, count).
  bool scatter(const ScalarCode &code, vm::HostTensor &tensor, int64_t count,
               const void *elements) {
    if (!findOffsets(code, count))
      return false;
    copy(tensor.bytes.data(), static_cast<const uint8_t *>(elements), count,
         [](auto *memory, auto *element) { *memory = *element; });
    return true;
  }

private:
  void findCoefficients();
  std::optional<int64_t> linearize(ArrayRef<int64_t> point) const;
  bool findOffsets(const ScalarCode &code, int64_t count);

  /// Calls `move` with typed pointers to each place and its element.
  template <typename Memory, typename Element, typename Move>
  void copy(Memory *memory, Element *elements, int64_t count, Move move) {
    auto typed = [&]<typename B>(B) {
      using M = std::conditional_t<std::is_const_v<Memory>, const B, B>;
      using E = std::conditional_t<std::is_const_v<Element>, const B, B>;
      for (int64_t i = 0; i < count; ++i)
        move(reinterpret_cast<M *>(memory) + offsets[i],
             reinterpret_cast<E *>(elements) + i);
    };
    if (bytes == 1)
      typed(uint8_t());
    else if (bytes == 2)
      typed(uint16_t());
    else if (bytes == 4)
      typed(uint32_t());
    else
      typed(uint64_t());
  }

  AffineMap map;
  ArrayRef<int64_t> shape;
  uint64_t bytes;
  /// For a linear map: offset = base + sum of coefficient * loop index.
  bool isLinear;
  int64_t base = 0;
  SmallVector<std::pair<unsigned, int64_t>> coefficients;
  std::array<int64_t, ScalarCode::kMaxCount> offsets;
};

/// How often each loop runs, which for one over bounded rows is as often as
/// there are rows. Emits an error if operands do not
/// agree.
FailureOr<SmallVector<int64_t>> findLoopRanges(linalg::GenericOp op,
                                               const Environment &env);

/// Which elements of an operand are unspecified.
struct FlagAccess {
  vm::HostTensor flags;
  Access access;

  FlagAccess(AffineMap map, const Tensor &operand, bool isVerified)
      : flags{vm::DType::I8, operand->shape,
              operand.unspecified()
                  ? operand.unspecified()->flags
                  : std::vector<uint8_t>(operand->numElements())},
        access(map, flags, isVerified) {}
};

} // namespace mlir::gpuvm::reference
