//===- IntegerOps.cpp - reference of integer operations -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results are computed in 64 bits and truncated to the width of the elements,
// so everything is modulo 2^width.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Loops.h"

#include <bit>

using namespace mlir::gpuvm::reference;

//===----------------------------------------------------------------------===//
// Division and shifts: not defined for every operand
//===----------------------------------------------------------------------===//

static constexpr const char *kByZero = "division by zero";
static constexpr const char *kOverflow =
    "signed division overflow (the smallest integer by -1)";

/// -2^(width-1), sign-extended.
static constexpr I smallest(Width w) {
  return static_cast<I>(~U{0} << (w.bits - 1));
}

static constexpr const char *signedFault(I a, I b, Width w) {
  if (b == 0)
    return kByZero;
  return a == smallest(w) && b == -1 ? kOverflow : nullptr;
}

static constexpr auto divui = [](U a, U b) -> Checked {
  return b == 0 ? Checked{0, kByZero} : Checked{a / b};
};
static constexpr auto remui = [](U a, U b) -> Checked {
  return b == 0 ? Checked{0, kByZero} : Checked{a % b};
};
static constexpr auto ceildivui = [](U a, U b) -> Checked {
  return b == 0 ? Checked{0, kByZero} : Checked{a / b + (a % b != 0)};
};
static constexpr auto divsi = [](I a, I b, Width w) -> Checked {
  if (const char *fault = signedFault(a, b, w))
    return {0, fault};
  return {static_cast<U>(a / b)};
};
/// The remainder has the sign of the dividend; that by -1 is 0.
static constexpr auto remsi = [](I a, I b) -> Checked {
  if (b == 0)
    return {0, kByZero};
  return {b == -1 ? U{0} : static_cast<U>(a % b)};
};
static constexpr auto ceildivsi = [](I a, I b, Width w) -> Checked {
  if (const char *fault = signedFault(a, b, w))
    return {0, fault};
  bool up = a % b != 0 && (a < 0) == (b < 0);
  return {static_cast<U>(a / b + up)};
};
static constexpr auto floordivsi = [](I a, I b, Width w) -> Checked {
  if (const char *fault = signedFault(a, b, w))
    return {0, fault};
  bool down = a % b != 0 && (a < 0) != (b < 0);
  return {static_cast<U>(a / b - down)};
};

static constexpr auto shli = [](U a, U b, Width w) {
  return b < w.bits ? a << b : 0;
};
static constexpr auto shrui = [](U a, U b, Width w) {
  return b < w.bits ? a >> b : 0;
};
static constexpr auto shrsi = [](I a, I b, Width w) {
  // The amount is unsigned; as a signed number a huge one is negative.
  bool inside = b >= 0 && b < static_cast<I>(w.bits);
  return a >> (inside ? b : 63);
};

//===----------------------------------------------------------------------===//
// Bits and powers
//===----------------------------------------------------------------------===//

static constexpr auto ctlz = [](U a, Width w) -> U {
  return static_cast<U>(std::countl_zero(a)) - (64 - w.bits);
};
static constexpr auto cttz = [](U a, Width w) -> U {
  return a == 0 ? w.bits : static_cast<U>(std::countr_zero(a));
};
static constexpr auto ctpop = [](U a) -> U {
  return static_cast<U>(std::popcount(a));
};

/// By squaring, modulo 2^width. A negative exponent gives the integer part of
/// the inverse: 1 for 1, +-1 for -1, and division by zero for 0.
static constexpr auto ipowi = [](I base, I exponent, Width w) -> Checked {
  if (exponent < 0) {
    if (base == 0)
      return {0, kByZero};
    // In i1 the only non-zero value is -1, which is also 1.
    if (base != 1 && base != -1)
      return {0};
    return {static_cast<U>(exponent % 2 == 0 || w.bits == 1 ? 1 : base)};
  }
  U result = 1, square = static_cast<U>(base);
  for (I left = exponent; left != 0; left >>= 1, square *= square)
    if (left & 1)
      result *= square;
  return {result};
};

static constexpr auto mulHighSigned = [](I a, I b, Width w) -> I {
  return static_cast<I>((static_cast<__int128>(a) * b) >> w.bits);
};
static constexpr auto mulHighUnsigned = [](U a, U b, Width w) -> U {
  return static_cast<U>((static_cast<unsigned __int128>(a) * b) >> w.bits);
};
static constexpr auto addOverflows = [](U a, U b, Width w) -> bool {
  U sum = (a + b) & (~U{0} >> (64 - w.bits));
  return sum < a;
};

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

static constexpr auto addi = [](U a, U b) { return a + b; };
static constexpr auto subi = [](U a, U b) { return a - b; };
static constexpr auto muli = [](U a, U b) { return a * b; };
static constexpr auto andi = [](U a, U b) { return a & b; };
static constexpr auto ori = [](U a, U b) { return a | b; };
static constexpr auto xori = [](U a, U b) { return a ^ b; };
static constexpr auto maxsi = [](I a, I b) { return a > b ? a : b; };
static constexpr auto minsi = [](I a, I b) { return a < b ? a : b; };
static constexpr auto maxui = [](U a, U b) { return a > b ? a : b; };
static constexpr auto minui = [](U a, U b) { return a < b ? a : b; };
static constexpr auto absi = [](I a) -> U {
  return a < 0 ? U{0} - static_cast<U>(a) : static_cast<U>(a);
};

static constexpr auto eq = [](U a, U b) { return a == b; };
static constexpr auto ne = [](U a, U b) { return a != b; };
static constexpr auto slt = [](I a, I b) { return a < b; };
static constexpr auto sle = [](I a, I b) { return a <= b; };
static constexpr auto sgt = [](I a, I b) { return a > b; };
static constexpr auto sge = [](I a, I b) { return a >= b; };
static constexpr auto ult = [](U a, U b) { return a < b; };
static constexpr auto ule = [](U a, U b) { return a <= b; };
static constexpr auto ugt = [](U a, U b) { return a > b; };
static constexpr auto uge = [](U a, U b) { return a >= b; };

static constexpr Family kIntegerOps[] = {
    onIntegers<addi>("arith.addi"),
    onIntegers<subi>("arith.subi"),
    onIntegers<muli>("arith.muli"),
    onIntegers<divui>("arith.divui"),
    onIntegers<divsi>("arith.divsi"),
    onIntegers<remui>("arith.remui"),
    onIntegers<remsi>("arith.remsi"),
    onIntegers<ceildivui>("arith.ceildivui"),
    onIntegers<ceildivsi>("arith.ceildivsi"),
    onIntegers<floordivsi>("arith.floordivsi"),
    onIntegers<andi>("arith.andi"),
    onIntegers<ori>("arith.ori"),
    onIntegers<xori>("arith.xori"),
    onIntegers<shli>("arith.shli"),
    onIntegers<shrui>("arith.shrui"),
    onIntegers<shrsi>("arith.shrsi"),
    onIntegers<maxsi>("arith.maxsi"),
    onIntegers<minsi>("arith.minsi"),
    onIntegers<maxui>("arith.maxui"),
    onIntegers<minui>("arith.minui"),
    onIntegers<addi>("arith.addui_extended#0"),
    onIntegers<addOverflows>("arith.addui_extended#1"),
    onIntegers<muli>("arith.mulsi_extended#0"),
    onIntegers<mulHighSigned>("arith.mulsi_extended#1"),
    onIntegers<muli>("arith.mului_extended#0"),
    onIntegers<mulHighUnsigned>("arith.mului_extended#1"),
    onIntegers<eq>("arith.cmpi.eq"),
    onIntegers<ne>("arith.cmpi.ne"),
    onIntegers<slt>("arith.cmpi.slt"),
    onIntegers<sle>("arith.cmpi.sle"),
    onIntegers<sgt>("arith.cmpi.sgt"),
    onIntegers<sge>("arith.cmpi.sge"),
    onIntegers<ult>("arith.cmpi.ult"),
    onIntegers<ule>("arith.cmpi.ule"),
    onIntegers<ugt>("arith.cmpi.ugt"),
    onIntegers<uge>("arith.cmpi.uge"),
    onIntegers<absi>("math.absi"),
    onIntegers<ctlz>("math.ctlz"),
    onIntegers<cttz>("math.cttz"),
    onIntegers<ctpop>("math.ctpop"),
    onIntegers<ipowi>("math.ipowi"),
};

ElementwiseFn mlir::gpuvm::reference::findIntegerOp(std::string_view name,
                                                    vm::DType type) {
  return find(kIntegerOps, name, type);
}
