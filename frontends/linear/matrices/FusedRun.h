//===- FusedRun.h - runs of linear instructions as one matrix -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In fused mode a run of linear instructions is the product of their matrices,
// computed in binary64 and rounded once (docs/linear-vm.md states the bound).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/matrices/Matrices.h"

#include <optional>
#include <span>

namespace vm::linear {

/// The product of matrices, each with few rows that are not those of the
/// identity, as it grows.
class RunProduct {
public:
  RunProduct();

  /// `matrix` is applied after those that are there.
  void append(const Matrix &matrix);

  /// Rounded to f32; without a value where a coefficient is not finite.
  const std::optional<std::vector<Coefficient>> &row(uint32_t number) const {
    return rounded_[number];
  }
  bool isFinite() const;
  /// Of a product that is finite.
  Matrix matrix() const;

private:
  using Row = std::array<double, kElements>;

  std::array<Row, kElements> rows_ = {};
  std::array<std::optional<std::vector<Coefficient>>, kElements> rounded_;
};

/// The product of the instructions' matrices, the first one applied first;
/// without a value where a coefficient is not finite.
std::optional<Matrix> multiplyRun(std::span<const Instruction> run);

/// Multiplications and additions that `row`, which is row `number`, takes.
unsigned operationsOf(const std::vector<Coefficient> &row, uint32_t number);

} // namespace vm::linear
