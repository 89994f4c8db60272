//===- MathOps.cpp - what float functions compute -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed in f64 and rounded once. That is the correctly rounded result but
// for rare arguments next to a tie (and for f64, where it is the C library's);
// a device may differ from it by the error Vulkan allows.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Loops.h"

using namespace mlir::gpuvm::reference;

using D = double;

// In a namespace, since the C library has these names too.
namespace fn {

static constexpr auto acos = [](D x) { return std::acos(x); };
static constexpr auto acosh = [](D x) { return std::acosh(x); };
static constexpr auto asin = [](D x) { return std::asin(x); };
static constexpr auto asinh = [](D x) { return std::asinh(x); };
static constexpr auto atan = [](D x) { return std::atan(x); };
static constexpr auto atan2 = [](D y, D x) { return std::atan2(y, x); };
static constexpr auto atanh = [](D x) { return std::atanh(x); };
static constexpr auto cbrt = [](D x) { return std::cbrt(x); };
static constexpr auto cos = [](D x) { return std::cos(x); };
static constexpr auto cosh = [](D x) { return std::cosh(x); };
static constexpr auto erf = [](D x) { return std::erf(x); };
static constexpr auto erfc = [](D x) { return std::erfc(x); };
static constexpr auto exp = [](D x) { return std::exp(x); };
static constexpr auto exp2 = [](D x) { return std::exp2(x); };
static constexpr auto expm1 = [](D x) { return std::expm1(x); };
static constexpr auto log = [](D x) { return std::log(x); };
static constexpr auto log10 = [](D x) { return std::log10(x); };
static constexpr auto log1p = [](D x) { return std::log1p(x); };
static constexpr auto log2 = [](D x) { return std::log2(x); };
static constexpr auto powf = [](D x, D y) { return std::pow(x, y); };
static constexpr auto rsqrt = [](D x) { return 1.0 / std::sqrt(x); };
static constexpr auto sin = [](D x) { return std::sin(x); };
static constexpr auto sinh = [](D x) { return std::sinh(x); };
static constexpr auto sqrt = [](D x) { return std::sqrt(x); };
static constexpr auto tan = [](D x) { return std::tan(x); };
static constexpr auto tanh = [](D x) { return std::tanh(x); };

/// minimumf(maximumf(value, low), high): a NaN is kept.
static constexpr auto clampf = [](auto value, auto low, auto high) {
  if (std::isnan(value) || std::isnan(low) || std::isnan(high))
    return value + low + high;
  auto raised = value < low ? low : value;
  return raised > high ? high : raised;
};

static constexpr auto isfinite = [](auto x) { return std::isfinite(x); };
static constexpr auto isinf = [](auto x) { return std::isinf(x); };
static constexpr auto isnan = [](auto x) { return std::isnan(x); };

//===----------------------------------------------------------------------===//
// Operations whose rounding or range depends on the type
//===----------------------------------------------------------------------===//

/// a * b + c, rounded once. f16 is computed in f64, where the sum is exact, or
/// so dominated by one operand that it is not near a tie of f16.
static constexpr auto fma = [](auto a, auto b, auto c) {
  return std::fma(a, b, c);
};

/// The smallest normal numbers; std::isnormal of the compute type would call a
/// subnormal f16 normal.
template <typename S, int Exponent>
static Fault isNormal(const void *const *in, void *out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    D x = std::fabs(D(static_cast<const S *>(in[0])[i]));
    static_cast<Bit *>(out)[i] =
        Bit(std::isfinite(x) && x >= std::ldexp(1.0, Exponent));
  }
  return {};
}

} // namespace fn

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

static constexpr Family kMathOps[] = {
    onFloatsInDouble<fn::acos, 1>("math.acos"),
    onFloatsInDouble<fn::acosh, 1>("math.acosh"),
    onFloatsInDouble<fn::asin, 1>("math.asin"),
    onFloatsInDouble<fn::asinh, 1>("math.asinh"),
    onFloatsInDouble<fn::atan, 1>("math.atan"),
    onFloatsInDouble<fn::atan2, 2>("math.atan2"),
    onFloatsInDouble<fn::atanh, 1>("math.atanh"),
    onFloatsInDouble<fn::cbrt, 1>("math.cbrt"),
    onFloats<fn::clampf, 3>("math.clampf"),
    onFloatsInDouble<fn::cos, 1>("math.cos"),
    onFloatsInDouble<fn::cosh, 1>("math.cosh"),
    onFloatsInDouble<fn::erf, 1>("math.erf"),
    onFloatsInDouble<fn::erfc, 1>("math.erfc"),
    onFloatsInDouble<fn::exp, 1>("math.exp"),
    onFloatsInDouble<fn::exp2, 1>("math.exp2"),
    onFloatsInDouble<fn::expm1, 1>("math.expm1"),
    onFloatLoops("math.fma", floatLoop<fn::fma, Half, double, 3>(),
                 floatLoop<fn::fma, Bfloat16, double, 3>(),
                 floatLoop<fn::fma, float, float, 3>(),
                 floatLoop<fn::fma, double, double, 3>()),
    onFloats<fn::isfinite, 1>("math.isfinite"),
    onFloats<fn::isinf, 1>("math.isinf"),
    onFloats<fn::isnan, 1>("math.isnan"),
    onFloatLoops("math.isnormal", fn::isNormal<Half, -14>,
                 fn::isNormal<Bfloat16, -126>, fn::isNormal<float, -126>,
                 fn::isNormal<double, -1022>),
    onFloatsInDouble<fn::log, 1>("math.log"),
    onFloatsInDouble<fn::log10, 1>("math.log10"),
    onFloatsInDouble<fn::log1p, 1>("math.log1p"),
    onFloatsInDouble<fn::log2, 1>("math.log2"),
    onFloatsInDouble<fn::powf, 2>("math.powf"),
    onFloatsInDouble<fn::rsqrt, 1>("math.rsqrt"),
    onFloatsInDouble<fn::sin, 1>("math.sin"),
    onFloatsInDouble<fn::sin, 1>("math.sincos#0"),
    onFloatsInDouble<fn::cos, 1>("math.sincos#1"),
    onFloatsInDouble<fn::sinh, 1>("math.sinh"),
    onFloatsInDouble<fn::sqrt, 1>("math.sqrt"),
    onFloatsInDouble<fn::tan, 1>("math.tan"),
    onFloatsInDouble<fn::tanh, 1>("math.tanh"),
};

ElementwiseFn mlir::gpuvm::reference::findMathOp(std::string_view name,
                                                 vm::DType type) {
  return find(kMathOps, name, type);
}
