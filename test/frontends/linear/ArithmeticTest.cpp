//===- ArithmeticTest.cpp - numbers of the linear-algebra VM --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each operation against the same one in numbers that are wide enough to be
// exact, or to be rounded twice without harm.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/Arithmetic.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace vm::linear;

namespace {

/// 113 bits: enough to round a sum, product, quotient or root of binary32 twice
/// (2 * 24 + 2).
__extension__ typedef __float128 Quad;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
float fromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

/// The same number, zeros by sign, or both NaN.
::testing::AssertionResult same(float got, float want) {
  if (bitsOf(got) == bitsOf(want) || (std::isnan(got) && std::isnan(want)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << std::hexfloat << got << " instead of " << want;
}

/// Finite and infinite, of all magnitudes, never subnormal.
class Numbers {
public:
  float next() {
    float value = flush(fromBits(random_()));
    switch (random_() % 8) {
    case 0:
      return static_cast<float>(int(random_() % 64) - 32);
    case 1: // Near each other.
      return fromBits(0x3f800000 + random_() % 64);
    case 2: // Near the least ones.
      return fromBits((random_() & 0x80000000) | (0x800000 + random_() % 4096));
    default:
      return std::isnan(value) ? kInf : value;
    }
  }

private:
  std::mt19937 random_{7};
};

const std::vector<float> kSpecial = {
    0.0f,    -0.0f, 1.0f,           -1.0f,           kInf,
    -kInf,   kNan,  0x1p-126f,      -0x1p-126f,      0x1.fffffep127f,
    0x1p24f, 0.5f,  0x1.fffffep-1f, 0x1.000002p-126f};

using Operation = std::function<float(float, float)>;

/// Of random pairs, and of all pairs of special numbers.
void compare(const Operation &got, const Operation &want) {
  Numbers numbers;
  for (int i = 0; i < 200000; ++i) {
    float a = numbers.next(), b = numbers.next();
    ASSERT_TRUE(same(got(a, b), want(a, b)))
        << std::hexfloat << " of " << a << " and " << b;
  }
  for (float a : kSpecial)
    for (float b : kSpecial)
      ASSERT_TRUE(same(got(a, b), want(a, b))) << " of " << a << " and " << b;
}

/// Rounded with gradual underflow, then flushed.
float fl(Quad exact) {
  auto value = static_cast<float>(exact);
  bool isSubnormal = value != 0 && std::fabs(value) < 0x1p-126f;
  return isSubnormal ? std::copysign(0.0f, value) : value;
}

//===--- Rounding ---------------------------------------------------------===//

TEST(LinearArithmetic, FlushesSubnormalNumbersToTheirZero) {
  EXPECT_TRUE(same(flush(0x1p-126f), 0x1p-126f));
  EXPECT_TRUE(same(flush(0x1.fffffcp-127f), 0.0f));
  EXPECT_TRUE(same(flush(-0x1p-149f), -0.0f));
  EXPECT_TRUE(same(flush(-0.0f), -0.0f));
  EXPECT_TRUE(same(flush(-kInf), -kInf));
  EXPECT_TRUE(same(flush(kNan), kNan));
}

TEST(LinearArithmetic, RoundsWithGradualUnderflowBeforeItFlushes) {
  // 2^-126 (1 - 2^-24) is half way to the least normal number, which is even.
  EXPECT_TRUE(same(multiply(0x1.fffffep-1f, 0x1p-126f), 0x1p-126f));
  EXPECT_TRUE(same(multiply(0x1.fffffcp-1f, 0x1p-126f), 0.0f));
  EXPECT_TRUE(same(multiply(0x1.fffffep-64f, 0x1.000002p-63f), 0x1p-126f));
  EXPECT_TRUE(same(subtract(0x1.8p-126f, 0x1p-126f), 0.0f));
  EXPECT_TRUE(same(subtract(0x1p-126f, 0x1.8p-126f), -0.0f));
}

TEST(LinearArithmetic, AddsAndMultipliesAsWideNumbersDo) {
  compare(add, [](float a, float b) { return fl(Quad(a) + Quad(b)); });
  compare(subtract, [](float a, float b) { return fl(Quad(a) - Quad(b)); });
  compare(multiply, [](float a, float b) { return fl(Quad(a) * Quad(b)); });
}

TEST(LinearArithmetic, DividesCorrectlyRounded) {
  compare(divide, [](float a, float b) { return fl(Quad(a) / Quad(b)); });
  EXPECT_TRUE(same(divide(1, -0.0f), -kInf));
  EXPECT_TRUE(same(divide(0, 0), kNan));
}

/// Half way to its neighbours, exactly, and squared: 50 bits.
TEST(LinearArithmetic, TakesRootsCorrectlyRounded) {
  Numbers numbers;
  for (int i = 0; i < 200000; ++i) {
    float x = std::fabs(numbers.next()), root = squareRoot(x);
    if (x == 0 || std::isinf(x)) {
      ASSERT_TRUE(same(root, x));
      continue;
    }
    Quad low = (Quad(root) + std::nextafter(root, 0.0f)) / 2;
    Quad high = (Quad(root) + std::nextafter(root, kInf)) / 2;
    ASSERT_TRUE(low * low < Quad(x) && Quad(x) < high * high) << x;
  }
  EXPECT_TRUE(same(squareRoot(-0.0f), -0.0f));
  EXPECT_TRUE(same(squareRoot(-1), kNan));
  EXPECT_TRUE(same(squareRoot(kNan), kNan));
}

//===--- Remainder --------------------------------------------------------===//

/// m 2^e of a finite number that is not 0.
struct Parts {
  uint64_t mantissa;
  int exponent;
  explicit Parts(float value) {
    uint32_t bits = bitsOf(value) & 0x7fffffff;
    bool isNormal = bits >> 23 != 0;
    mantissa = (bits & 0x7fffff) | (isNormal ? 0x800000 : 0);
    exponent = isNormal ? int(bits >> 23) - 150 : -149;
  }
};

/// |a| mod |b|, with integers alone.
float remainderOf(float a, float b) {
  Parts x(a), y(b);
  for (; x.exponent > y.exponent; --x.exponent)
    x.mantissa = x.mantissa * 2 % y.mantissa;
  int up = y.exponent - x.exponent;
  if (up < 40) // Else |a| < |b|.
    x.mantissa %= y.mantissa << up;
  return std::ldexp(static_cast<float>(x.mantissa), x.exponent);
}

TEST(LinearArithmetic, TakesRemaindersExactly) {
  compare(modulo, [](float a, float b) {
    if (std::isnan(a) || std::isnan(b) || std::isinf(a) || b == 0)
      return kNan;
    if (std::isinf(b) || a == 0)
      return a;
    return flush(std::copysign(remainderOf(a, b), a));
  });
  EXPECT_TRUE(same(modulo(-6, 3), -0.0f));
  EXPECT_TRUE(same(modulo(5.5f, -2), 1.5f));
  // Its result would be subnormal.
  EXPECT_TRUE(same(modulo(-0x1.8p-126f, 0x1p-126f), -0.0f));
}

//===--- Minimum and maximum ----------------------------------------------===//

TEST(LinearArithmetic, OrdersZerosAndPassesNanOn) {
  compare(minimum, [](float a, float b) {
    if (std::isnan(a) || std::isnan(b))
      return kNan;
    if (a == 0 && b == 0)
      return std::signbit(a) || std::signbit(b) ? -0.0f : 0.0f;
    return b < a ? b : a;
  });
  compare(maximum, [](float a, float b) {
    if (std::isnan(a) || std::isnan(b))
      return kNan;
    if (a == 0 && b == 0)
      return std::signbit(a) && std::signbit(b) ? -0.0f : 0.0f;
    return b > a ? b : a;
  });
}

//===--- Sine and cosine --------------------------------------------------===//

/// x, SIN, COS: computed with exact fractions by the recipe.
constexpr uint32_t kSines[][3] = {
    {0x39800000, 0x39800000, 0x3f800000}, {0x3f000000, 0x3ef57744, 0x3f60a940},
    {0xbf000000, 0xbef57744, 0x3f60a940}, {0x3f490fda, 0x3f3504f3, 0x3f3504f4},
    {0x3f490fdb, 0x3f3504f4, 0x3f3504f3}, {0x3f800000, 0x3f576aa4, 0x3f0a5140},
    {0x3fc90fda, 0x3f800000, 0x33a22169}, {0xbfc90fdb, 0xbf800000, 0xb33bbd2e},
    {0x40000000, 0x3f68c7b7, 0xbed51132}, {0x40400000, 0x3e1081c3, 0xbf7d7026},
    {0x40490fdb, 0xb3bbbd2e, 0xbf800000}, {0xc0490fdb, 0x33bbbd2e, 0xbf800000},
    {0x40800000, 0xbf41bdcf, 0xbf275530}, {0x40a00000, 0xbf757c10, 0x3e913c2b},
    {0x40c90fdb, 0x343bbd2e, 0x3f800000}, {0x40e00000, 0x3f283046, 0x3f40ffbd},
    {0xc1200000, 0x3f0b44f7, 0xbf56cd64}, {0x42c80000, 0xbf01a12e, 0x3f5cc0ee},
    {0x43b18000, 0xb7fcde82, 0xbf800000}, {0x461c4000, 0xbe9c797d, 0xbf73c074},
    {0x47800000, 0x3f312b34, 0xbf38ca2a}, {0x49742400, 0xbeb3325a, 0x3f6fcefd},
    {0x4b800000, 0xbf47917c, 0x3f2056b4}, {0xccbebc20, 0xbf6e7fe5, 0xbeba0d9c},
    {0x501502f9, 0xbef99a64, 0x3f5f84c4}, {0x590e1bca, 0x3f7dd7bf, 0x3e04a7f1},
    {0x64078678, 0xbf3becc4, 0x3f2dd6f7}, {0xf149f2ca, 0x3f4a89b0, 0xbf1c9221},
    {0x7f7fffff, 0xbf0599b3, 0x3f5a5f96}, {0x5d1a3f4e, 0x3f5f400a, 0xbefa8ff4},
    {0x6f79be45, 0x3f800000, 0xb0ddeea9}, {0x7f7ffffe, 0xbf24672c, 0xbf443bd2},
    {0x40490fda, 0x34222169, 0xbf800000},
};

TEST(LinearArithmetic, HasTheBitsOfTheRecipe) {
  for (const auto &[x, sin, cos] : kSines) {
    EXPECT_EQ(bitsOf(sine(fromBits(x))), sin) << std::hex << x;
    EXPECT_EQ(bitsOf(cosine(fromBits(x))), cos) << std::hex << x;
  }
}

TEST(LinearArithmetic, HasSinesOfSmallAndOfInfiniteNumbers) {
  EXPECT_TRUE(same(sine(-0.0f), -0.0f));
  EXPECT_TRUE(same(cosine(-0.0f), 1));
  EXPECT_TRUE(same(sine(0x1.fffffep-13f), 0x1.fffffep-13f));
  EXPECT_TRUE(same(cosine(0x1.fffffep-13f), 1));
  for (float x : {kInf, -kInf, kNan}) {
    EXPECT_TRUE(same(sine(x), kNan));
    EXPECT_TRUE(same(cosine(x), kNan));
  }
}

/// |got - want| in units of the last place of `want`.
long double errorInUlp(float got, long double want) {
  int exponent = std::max(std::ilogb(want), -126);
  return std::fabs(got - want) / std::ldexp(1.0L, exponent - 23);
}

TEST(LinearArithmetic, IsWithinItsBoundOfTheSine) {
  constexpr long double kBound = 1.55L; // 1.53 is met in 8,000,000 numbers.
  std::mt19937 random(11);
  for (int i = 0; i < 40000; ++i) {
    float x = fromBits(random());
    if (!std::isnormal(x))
      continue;
    ASSERT_LE(errorInUlp(sine(x), std::sin(static_cast<long double>(x))),
              kBound)
        << std::hexfloat << x;
    ASSERT_LE(errorInUlp(cosine(x), std::cos(static_cast<long double>(x))),
              kBound)
        << std::hexfloat << x;
  }
}

//===--- Binary16 ---------------------------------------------------------===//

/// The value of a finite binary16 by its definition.
double halfValue(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  double value = exponent == 0 ? std::ldexp(mantissa, -24)
                               : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

TEST(LinearArithmetic, KeepsEveryBinary16) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = fromHalf(static_cast<uint16_t>(bits));
    if ((bits & 0x7fff) > 0x7c00) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(roundToHalf(value)));
      continue;
    }
    if ((bits & 0x7fff) < 0x7c00) {
      ASSERT_EQ(value, halfValue(static_cast<uint16_t>(bits)));
    }
    ASSERT_EQ(toHalf(value), bits);
  }
}

/// Between neighbours: half way to the even one, else to the nearer.
TEST(LinearArithmetic, RoundsToTheNearestBinary16) {
  for (uint32_t low = 0; low < 0x7bff; ++low) {
    auto a = static_cast<float>(halfValue(static_cast<uint16_t>(low)));
    auto b = static_cast<float>(halfValue(static_cast<uint16_t>(low + 1)));
    float middle = (a + b) / 2;
    uint32_t even = low % 2 == 0 ? low : low + 1;
    ASSERT_EQ(toHalf(middle), even);
    ASSERT_EQ(toHalf(-middle), even | 0x8000);
    ASSERT_EQ(toHalf(std::nextafter(middle, 0.0f)), low);
    ASSERT_EQ(toHalf(std::nextafter(middle, kInf)), low + 1);
  }
  EXPECT_EQ(toHalf(0x1.ffdffep15f), 0x7bff); // Below 65520, half way.
  EXPECT_EQ(toHalf(65520), 0x7c00);
  EXPECT_EQ(toHalf(0x1.fffffep127f), 0x7c00);
  EXPECT_EQ(toHalf(-kInf), 0xfc00);
  EXPECT_EQ(toHalf(-0x1p-126f), 0x8000);
}

//===--- Addresses --------------------------------------------------------===//

TEST(LinearArithmetic, TruncatesAddresses) {
  EXPECT_EQ(toAddress(-0.5f, 4), 0u);
  EXPECT_EQ(toAddress(-0.0f, 4), 0u);
  EXPECT_EQ(toAddress(-0x1.fffffep-1f, 4), 0u);
  EXPECT_EQ(toAddress(3.99f, 4), 3u);
  EXPECT_EQ(toAddress(16777215, 1u << 24), 16777215u);
  EXPECT_EQ(toAddress(4, 4), std::nullopt);
  EXPECT_EQ(toAddress(-1, 4), std::nullopt);
  EXPECT_EQ(toAddress(kNan, 4), std::nullopt);
  EXPECT_EQ(toAddress(kInf, 4), std::nullopt);
  EXPECT_EQ(toAddress(-kInf, 4), std::nullopt);
  EXPECT_EQ(toAddress(0, 0), std::nullopt);
}

} // namespace
