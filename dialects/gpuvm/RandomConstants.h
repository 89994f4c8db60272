//===- RandomConstants.h - the constants of gpuvm.random ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/random.md says how they are used. The kernel and the reference are
// written from there, each by itself.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <cstdint>

namespace mlir::gpuvm::random {

// Philox 4x32-10: the multipliers of words 0 and 2, and what is added to the
// key after each round (Salmon et al., SC 2011, sections 3.3 and 4).
inline constexpr unsigned kRounds = 10;
inline constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
inline constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;

// Permutations: rounds of the Feistel network, and the odd constants of its
// round function (the golden ratio; the finalizer of MurmurHash3).
inline constexpr unsigned kFeistelRounds = 12;
inline constexpr uint32_t kGolden = 0x9E3779B9;
inline constexpr uint32_t kMix0 = 0x85EBCA6B, kMix1 = 0xC2B2AE35;

// Normal numbers. log(1 + f) / f for 1 + f in [sqrt(1/2), sqrt(2)), by powers
// of f: minimax, off by 1.7e-7 of itself at most.
inline constexpr uint32_t kSqrtHalf = 0x3F3504F3; ///< The bits of sqrt(1/2).
inline constexpr float kLog2 = 0x1.62e430p-1f;
inline constexpr std::array<float, 8> kLog = {
    0x1.fffffep-1f, -0x1.00007ap-1f, 0x1.5559dcp-2f, -0x1.ff623cp-3f,
    0x1.978e2ep-3f, -0x1.614c08p-3f, 0x1.4c3d0ap-3f, -0x1.9dfa74p-4f};

/// z / x by powers of w - centre, where z is the normal number and
/// w = -log(1 - x^2); minimax, off by 3e-8 of itself at most.
struct NormalPiece {
  float centre;
  std::array<float, 11> coefficients;
};
inline constexpr float kNormalTail = 7.0f; ///< From this w on, the second one.
inline constexpr NormalPiece kNormalPieces[2] = {
    {3.5f,
     {0x1.3b7c66p+1f, 0x1.54d5d4p-2f, -0x1.3746f8p-7f, -0x1.64bd14p-11f,
      0x1.d666f0p-13f, -0x1.78a76ep-16f, -0x1.2f03c2p-21f, 0x1.00c430p-21f,
      -0x1.9fcbeap-25f, -0x1.d72808p-29f, 0x1.bbfed4p-31f}},
    {14.25f,
     {0x1.46fa8ep+2f, 0x1.82fe1ep-3f, -0x1.ac22d4p-9f, 0x1.cfe40ep-14f,
      -0x1.34b710p-18f, 0x1.b10cdep-23f, -0x1.22140cp-27f, 0x1.1b010ep-31f,
      -0x1.9a3dfep-36f, -0x1.1d0c9ap-38f, 0x1.c85528p-42f}}};

} // namespace mlir::gpuvm::random
