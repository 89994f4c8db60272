//===- FloatOps.cpp - what float arithmetic computes ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IEEE 754, round to nearest even, every operation rounded by itself (this file
// is compiled without contraction). With `exact`, subnormal f32 operands and
// results of addf, subf and mulf are zeros of the same sign, which is what
// kernels do on a device that cannot promise to keep subnormals.
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

static float flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}
static constexpr auto addfExact = [](float a, float b) {
  return flush(flush(a) + flush(b));
};
static constexpr auto subfExact = [](float a, float b) {
  return flush(flush(a) - flush(b));
};
static constexpr auto mulfExact = [](float a, float b) {
  return flush(flush(a) * flush(b));
};

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

template <typename B> struct Sign {
  static Fault negf(const void *const *in, void *out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      static_cast<B *>(out)[i] = static_cast<const B *>(in[0])[i] ^ signOf<B>;
    return {};
  }
  static Fault absf(const void *const *in, void *out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      static_cast<B *>(out)[i] = static_cast<const B *>(in[0])[i] & ~signOf<B>;
    return {};
  }
  static Fault copysign(const void *const *in, void *out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      B magnitude = static_cast<const B *>(in[0])[i] & ~signOf<B>;
      B sign = static_cast<const B *>(in[1])[i] & signOf<B>;
      static_cast<B *>(out)[i] = magnitude | sign;
    }
    return {};
  }
};

static constexpr Family onSigns(std::string_view name, ElementwiseFn f16,
                                ElementwiseFn f32, ElementwiseFn f64) {
  return {name, {nullptr, nullptr, nullptr, nullptr, nullptr, f16, f32, f64}};
}

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

static constexpr Family kFloatOps[] = {
    onFloats<addf, 2>("arith.addf"),
    onFloats<subf, 2>("arith.subf"),
    onFloats<mulf, 2>("arith.mulf"),
    onFloats<divf, 2>("arith.divf"),
    onFloats<remf, 2>("arith.remf"),
    onFloats<maximumf, 2>("arith.maximumf"),
    onFloats<minimumf, 2>("arith.minimumf"),
    onFloats<maxnumf, 2>("arith.maxnumf"),
    onFloats<minnumf, 2>("arith.minnumf"),
    onSigns("arith.negf", Sign<uint16_t>::negf, Sign<uint32_t>::negf,
            Sign<uint64_t>::negf),
    onSigns("math.absf", Sign<uint16_t>::absf, Sign<uint32_t>::absf,
            Sign<uint64_t>::absf),
    onSigns("math.copysign", Sign<uint16_t>::copysign, Sign<uint32_t>::copysign,
            Sign<uint64_t>::copysign),
    onFloats<oeq, 2>("arith.cmpf.oeq"),
    onFloats<ogt, 2>("arith.cmpf.ogt"),
    onFloats<oge, 2>("arith.cmpf.oge"),
    onFloats<olt, 2>("arith.cmpf.olt"),
    onFloats<ole, 2>("arith.cmpf.ole"),
    onFloats<one, 2>("arith.cmpf.one"),
    onFloats<ord, 2>("arith.cmpf.ord"),
    onFloats<ueq, 2>("arith.cmpf.ueq"),
    onFloats<ugt, 2>("arith.cmpf.ugt"),
    onFloats<uge, 2>("arith.cmpf.uge"),
    onFloats<ult, 2>("arith.cmpf.ult"),
    onFloats<ule, 2>("arith.cmpf.ule"),
    onFloats<une, 2>("arith.cmpf.une"),
    onFloats<uno, 2>("arith.cmpf.uno"),
    onFloats<always, 2>("arith.cmpf.true"),
    onFloats<never, 2>("arith.cmpf.false"),
};

static constexpr Family onF32(std::string_view name, ElementwiseFn f32) {
  return onSigns(name, nullptr, f32, nullptr);
}

/// What `exact` changes.
static constexpr Family kExactOps[] = {
    onF32("arith.addf", loopOf<addfExact, float>()),
    onF32("arith.subf", loopOf<subfExact, float>()),
    onF32("arith.mulf", loopOf<mulfExact, float>()),
};

ElementwiseFn mlir::gpuvm::reference::findFloatOp(std::string_view name,
                                                  vm::DType type, bool exact) {
  if (exact)
    if (ElementwiseFn fn = find(kExactOps, name, type))
      return fn;
  return find(kFloatOps, name, type);
}
