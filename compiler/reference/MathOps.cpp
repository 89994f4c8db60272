//===- MathOps.cpp - reference of float functions -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed in f64, f64 in long double, and rounded once. That is the correctly
// rounded result but for rare arguments next to a tie (and for f64 where long
// double is no wider, the C library's); a device may differ from it by the
// error of docs/arithmetic.md.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Loops.h"

using namespace mlir::gpuvm::reference;

using D = double;

// In a namespace, since the C library has these names too.
namespace fn {

static constexpr auto acos = [](auto x) { return std::acos(x); };
static constexpr auto acosh = [](auto x) { return std::acosh(x); };
static constexpr auto asin = [](auto x) { return std::asin(x); };
static constexpr auto asinh = [](auto x) { return std::asinh(x); };
static constexpr auto atan = [](auto x) { return std::atan(x); };
static constexpr auto atan2 = [](auto y, auto x) { return std::atan2(y, x); };
static constexpr auto atanh = [](auto x) { return std::atanh(x); };
static constexpr auto cbrt = [](auto x) { return std::cbrt(x); };
static constexpr auto cos = [](auto x) { return std::cos(x); };
static constexpr auto cosh = [](auto x) { return std::cosh(x); };
static constexpr auto erf = [](auto x) { return std::erf(x); };
static constexpr auto erfc = [](auto x) { return std::erfc(x); };
static constexpr auto exp = [](auto x) { return std::exp(x); };
static constexpr auto exp2 = [](auto x) { return std::exp2(x); };
static constexpr auto expm1 = [](auto x) { return std::expm1(x); };
static constexpr auto log = [](auto x) { return std::log(x); };
static constexpr auto log10 = [](auto x) { return std::log10(x); };
static constexpr auto log1p = [](auto x) { return std::log1p(x); };
static constexpr auto log2 = [](auto x) { return std::log2(x); };
static constexpr auto powf = [](auto x, auto y) { return std::pow(x, y); };
static constexpr auto rsqrt = [](auto x) { return 1 / std::sqrt(x); };
static constexpr auto sin = [](auto x) { return std::sin(x); };
static constexpr auto sinh = [](auto x) { return std::sinh(x); };
static constexpr auto sqrt = [](auto x) { return std::sqrt(x); };
static constexpr auto tan = [](auto x) { return std::tan(x); };
static constexpr auto tanh = [](auto x) { return std::tanh(x); };

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
    onFloatsInWider<fn::acos, 1>("math.acos"),
    onFloatsInWider<fn::acosh, 1>("math.acosh"),
    onFloatsInWider<fn::asin, 1>("math.asin"),
    onFloatsInWider<fn::asinh, 1>("math.asinh"),
    onFloatsInWider<fn::atan, 1>("math.atan"),
    onFloatsInWider<fn::atan2, 2>("math.atan2"),
    onFloatsInWider<fn::atanh, 1>("math.atanh"),
    onFloatsInWider<fn::cbrt, 1>("math.cbrt"),
    onFloats<fn::clampf, 3>("math.clampf"),
    onFloatsInWider<fn::cos, 1>("math.cos"),
    onFloatsInWider<fn::cosh, 1>("math.cosh"),
    onFloatsInWider<fn::erf, 1>("math.erf"),
    onFloatsInWider<fn::erfc, 1>("math.erfc"),
    onFloatsInWider<fn::exp, 1>("math.exp"),
    onFloatsInWider<fn::exp2, 1>("math.exp2"),
    onFloatsInWider<fn::expm1, 1>("math.expm1"),
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
    onFloatsInWider<fn::log, 1>("math.log"),
    onFloatsInWider<fn::log10, 1>("math.log10"),
    onFloatsInWider<fn::log1p, 1>("math.log1p"),
    onFloatsInWider<fn::log2, 1>("math.log2"),
    onFloatsInWider<fn::powf, 2>("math.powf"),
    onFloatsInWider<fn::rsqrt, 1>("math.rsqrt"),
    onFloatsInWider<fn::sin, 1>("math.sin"),
    onFloatsInWider<fn::sin, 1>("math.sincos#0"),
    onFloatsInWider<fn::cos, 1>("math.sincos#1"),
    onFloatsInWider<fn::sinh, 1>("math.sinh"),
    onFloatsInWider<fn::sqrt, 1>("math.sqrt"),
    onFloatsInWider<fn::tan, 1>("math.tan"),
    onFloatsInWider<fn::tanh, 1>("math.tanh"),
};

ElementwiseFn mlir::gpuvm::reference::findMathOp(std::string_view name,
                                                 vm::DType type) {
  return find(kMathOps, name, type);
}
