//===- Statistics.h - statistics of a program -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of instructions, machines and bytes, of the format that was chosen
// and of all others.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/matrices/Matrices.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vm::linear {

/// Bytes of device memory that a machine's state may take.
constexpr uint64_t kStateBytes = 128;

/// A matrix, and the first of the instructions that it does.
struct PlacedMatrix {
  uint32_t instruction;
  Matrix matrix;
};

/// Those of a program, one for each linear instruction.
std::vector<PlacedMatrix> matricesOf(const Program &program);

struct Statistics {
  uint64_t instructions = 0, linear = 0, oracle = 0, io = 0, branch = 0;
  uint64_t routines = 0, phases = 0;
  uint64_t maxMachines = 0; ///< Of any phase.
  uint64_t stateBytes = 0;
  uint64_t sharedWords = 0;

  double threshold = kDefaultThreshold;
  uint64_t matrices = 0, csr = 0, dense = 0, nonZeros = 0;
  /// Of the matrices that are CSR, that are dense, of all as they are chosen.
  uint64_t csrBytes = 0, denseBytes = 0, matrixBytes = 0;
  /// Of all matrices in one format.
  uint64_t allDenseBytes = 0, allCsrBytes = 0, allBsr2Bytes = 0,
           allBsr4Bytes = 0, allDictionaryBytes = 0, allRunLengthBytes = 0;

  struct Entry {
    uint32_t instruction;
    unsigned nonZeros;
    Format format;
  };
  std::vector<Entry> formats;

  /// Which mode runs a phase, and why not the one that was asked for; the
  /// reason is empty where it is the one.
  struct PhaseMode {
    std::string phase, mode, reason;
  };
  std::vector<PhaseMode> modes;

  double firstDense() const { return firstDenseNonZeros(threshold); }
  /// 100 (1 - matrixBytes / allDenseBytes) and nonZeros / matrices, with one
  /// decimal, half up; 0 without matrices.
  double savedPercent() const;
  double meanNonZeros() const;

  std::string toJson() const; ///< One object, on lines of two blanks' indent.
  std::string toTable() const;
};

/// `modes` stays empty.
Statistics countStatistics(const Program &program, Format format,
                           double threshold);
/// As the program says: Hybrid, with its threshold.
Statistics countStatistics(const Program &program);
/// With other matrices than one for each linear instruction, as runs in fused
/// mode are.
Statistics countStatistics(const Program &program,
                           std::span<const PlacedMatrix> matrices,
                           Format format, double threshold);

/// countStatistics(program).toJson().
std::string statisticsJson(const Program &program);

} // namespace vm::linear
