//===- FloatOps.cpp - reference of float arithmetic -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IEEE 754, round to nearest even, every operation rounded by itself (this file
// is compiled without contraction). With `exact`, subnormal operands and
// results are zeros of the same sign, which is what kernels do on a device that
// cannot promise to keep subnormals.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Loops.h"

using namespace mlir::gpuvm::reference;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static constexpr auto addf = [](auto a, auto b) { return a + b; };
static constexpr auto subf = [](auto a, auto b) { return a - b; };
static constexpr auto mulf = [](auto a, auto b) { return a * b; };
static constexpr auto divf = [](auto a, auto b) { return a / b; };
static constexpr auto remf = [](auto a, auto b) { return std::fmod(a, b); };

//===----------------------------------------------------------------------===//
// Whole numbers
//===----------------------------------------------------------------------===//

namespace whole { // The C library has these names, too.
static constexpr auto ceil = [](auto a) { return std::ceil(a); };
static constexpr auto floor = [](auto a) { return std::floor(a); };
/// Halves away from zero.
static constexpr auto round = [](auto a) { return std::round(a); };
/// Halves to even; the rounding mode is never changed.
static constexpr auto roundeven = [](auto a) { return std::nearbyint(a); };
static constexpr auto trunc = [](auto a) { return std::trunc(a); };
} // namespace whole

//===----------------------------------------------------------------------===//
// Minimum and maximum: +0 is greater than -0
//===----------------------------------------------------------------------===//

template <typename T> static T greater(T a, T b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T> static T lesser(T a, T b) {
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// A NaN operand is the result.
static constexpr auto maximumf = [](auto a, auto b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : greater(a, b);
};
static constexpr auto minimumf = [](auto a, auto b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : lesser(a, b);
};
/// A NaN operand is ignored.
static constexpr auto maxnumf = [](auto a, auto b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : greater(a, b);
};
static constexpr auto minnumf = [](auto a, auto b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : lesser(a, b);
};

//===----------------------------------------------------------------------===//
// Signs: bits only, so that a NaN keeps its own
//===----------------------------------------------------------------------===//

template <typename B> static constexpr B signOf = B{1} << (sizeof(B) * 8 - 1);

/// Subnormal operands are zeros if `Exponent`, the bits of the exponent, is
/// given.
template <typename B, B Exponent> struct Sign {
  static B magnitude(const void *in, size_t i) {
    B x = static_cast<const B *>(in)[i];
    return Exponent != 0 && (x & Exponent) == 0 ? 0 : x & ~signOf<B>;
  }
  static B sign(const void *in, size_t i) {
    return static_cast<const B *>(in)[i] & signOf<B>;
  }
  static Fault flush(const void *const *in, void *out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      static_cast<B *>(out)[i] = magnitude(in[0], i) | sign(in[0], i);
    return {};
  }
  static Fault negf(const void *const *in, void *out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      static_cast<B *>(out)[i] =
          magnitude(in[0], i) | (sign(in[0], i) ^ signOf<B>);
    return {};
  }
  static Fault absf(const void *const *in, void *out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      static_cast<B *>(out)[i] = magnitude(in[0], i);
    return {};
  }
  static Fault copysign(const void *const *in, void *out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      static_cast<B *>(out)[i] = magnitude(in[0], i) | sign(in[1], i);
    return {};
  }
};

template <bool Exact> struct Signs {
  using F16 = Sign<uint16_t, Exact ? 0x7c00 : 0>;
  using BF16 = Sign<uint16_t, Exact ? 0x7f80 : 0>;
  using F32 = Sign<uint32_t, Exact ? 0x7f800000 : 0>;
  using F64 = Sign<uint64_t, Exact ? 0x7ff0000000000000 : 0>;
};

//===----------------------------------------------------------------------===//
// Comparison: ordered ones are false for NaN, unordered ones true
//===----------------------------------------------------------------------===//

static constexpr auto uno = [](auto a, auto b) {
  return std::isnan(a) || std::isnan(b);
};
static constexpr auto ord = [](auto a, auto b) { return !uno(a, b); };
static constexpr auto oeq = [](auto a, auto b) { return a == b; };
static constexpr auto ogt = [](auto a, auto b) { return a > b; };
static constexpr auto oge = [](auto a, auto b) { return a >= b; };
static constexpr auto olt = [](auto a, auto b) { return a < b; };
static constexpr auto ole = [](auto a, auto b) { return a <= b; };
static constexpr auto one = [](auto a, auto b) { return a < b || a > b; };
static constexpr auto ueq = [](auto a, auto b) { return !one(a, b); };
static constexpr auto ugt = [](auto a, auto b) { return !ole(a, b); };
static constexpr auto uge = [](auto a, auto b) { return !olt(a, b); };
static constexpr auto ult = [](auto a, auto b) { return !oge(a, b); };
static constexpr auto ule = [](auto a, auto b) { return !ogt(a, b); };
static constexpr auto une = [](auto a, auto b) { return a != b; };
static constexpr auto always = [](auto, auto) { return true; };
static constexpr auto never = [](auto, auto) { return false; };

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

template <bool Exact>
static constexpr Family kFloatOps[] = {
    onFloats<addf, 2, Exact>("arith.addf"),
    onFloats<subf, 2, Exact>("arith.subf"),
    onFloats<mulf, 2, Exact>("arith.mulf"),
    onFloats<divf, 2, Exact>("arith.divf"),
    onFloats<remf, 2, Exact>("arith.remf"),
    onFloats<maximumf, 2, Exact>("arith.maximumf"),
    onFloats<minimumf, 2, Exact>("arith.minimumf"),
    onFloats<maxnumf, 2, Exact>("arith.maxnumf"),
    onFloats<minnumf, 2, Exact>("arith.minnumf"),
    onFloats<whole::ceil, 1, Exact>("math.ceil"),
    onFloats<whole::floor, 1, Exact>("math.floor"),
    onFloats<whole::round, 1, Exact>("math.round"),
    onFloats<whole::roundeven, 1, Exact>("math.roundeven"),
    onFloats<whole::trunc, 1, Exact>("math.trunc"),
    onFloatLoops("arith.negf", Signs<Exact>::F16::negf,
                 Signs<Exact>::BF16::negf, Signs<Exact>::F32::negf,
                 Signs<Exact>::F64::negf),
    onFloatLoops("math.absf", Signs<Exact>::F16::absf, Signs<Exact>::BF16::absf,
                 Signs<Exact>::F32::absf, Signs<Exact>::F64::absf),
    onFloatLoops("math.copysign", Signs<Exact>::F16::copysign,
                 Signs<Exact>::BF16::copysign, Signs<Exact>::F32::copysign,
                 Signs<Exact>::F64::copysign),
    onFloatLoops("gpuvm.flush", Signs<true>::F16::flush,
                 Signs<true>::BF16::flush, Signs<true>::F32::flush,
                 Signs<true>::F64::flush),
    onFloats<oeq, 2, Exact>("arith.cmpf.oeq"),
    onFloats<ogt, 2, Exact>("arith.cmpf.ogt"),
    onFloats<oge, 2, Exact>("arith.cmpf.oge"),
    onFloats<olt, 2, Exact>("arith.cmpf.olt"),
    onFloats<ole, 2, Exact>("arith.cmpf.ole"),
    onFloats<one, 2, Exact>("arith.cmpf.one"),
    onFloats<ord, 2, Exact>("arith.cmpf.ord"),
    onFloats<ueq, 2, Exact>("arith.cmpf.ueq"),
    onFloats<ugt, 2, Exact>("arith.cmpf.ugt"),
    onFloats<uge, 2, Exact>("arith.cmpf.uge"),
    onFloats<ult, 2, Exact>("arith.cmpf.ult"),
    onFloats<ule, 2, Exact>("arith.cmpf.ule"),
    onFloats<une, 2, Exact>("arith.cmpf.une"),
    onFloats<uno, 2, Exact>("arith.cmpf.uno"),
    onFloats<always, 2, Exact>("arith.cmpf.true"),
    onFloats<never, 2, Exact>("arith.cmpf.false"),
};

ElementwiseFn mlir::gpuvm::reference::findFloatOp(std::string_view name,
                                                  vm::DType type, bool exact) {
  return exact ? find(kFloatOps<true>, name, type)
               : find(kFloatOps<false>, name, type);
}
