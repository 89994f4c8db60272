//===- Conversions.cpp - reference of conversions and select --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Loops.h"

#include <algorithm>
#include <cstring>

using namespace mlir::gpuvm::reference;
using vm::DType;

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

/// The integer below |x|, kept in the range of the type: a NaN is 0.
template <typename To> static U toSigned(double x) {
  double limit = std::ldexp(1.0, widthOf<To>() - 1);
  if (std::isnan(x))
    return 0;
  if (x >= limit)
    return (U{1} << (widthOf<To>() - 1)) - 1;
  return static_cast<U>(static_cast<I>(std::max(x, -limit)));
}
template <typename To> static U toUnsigned(double x) {
  if (std::isnan(x) || x <= 0)
    return 0;
  if (x >= std::ldexp(1.0, widthOf<To>()))
    return ~U{0};
  return static_cast<U>(x);
}

/// An integer as bf16, rounded once: what f64 cannot hold gets an odd last bit.
template <typename Integer> static Bfloat16 roundToBfloat(Integer x) {
  constexpr Integer kLow = 0x7ff, kExact = Integer{1} << 53;
  bool fits = x < kExact && (std::is_unsigned_v<Integer> || -kExact < x);
  Integer kept = fits ? x : (x & ~kLow) | (x & kLow ? kLow + 1 : 0);
  return Bfloat16(static_cast<double>(kept));
}

/// An integer as a float, rounded once. Integers that f64 cannot hold exactly
/// are infinite as f16, so the detour does not round twice.
template <typename To, typename Integer> static To toFloat(Integer x) {
  if constexpr (std::is_same_v<To, Half>)
    return static_cast<Half>(static_cast<double>(x));
  else if constexpr (std::is_same_v<To, Bfloat16>)
    return roundToBfloat(x);
  else
    return static_cast<To>(x);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

enum class Kind {
  Signed,
  Unsigned,
  Floats,
  FlushedFloats,
  FromSigned,
  FromUnsigned,
  ToSigned,
  ToUnsigned
};

template <Kind K, typename From, typename To> static To convert(From x) {
  if constexpr (K == Kind::Signed)
    return narrow<To>(widen<I>(x));
  else if constexpr (K == Kind::Unsigned)
    return narrow<To>(widen<U>(x));
  else if constexpr (K == Kind::FromSigned)
    return toFloat<To>(widen<I>(x));
  else if constexpr (K == Kind::FromUnsigned)
    return toFloat<To>(widen<U>(x));
  else if constexpr (K == Kind::ToSigned)
    return narrow<To>(toSigned<To>(static_cast<double>(x)));
  else if constexpr (K == Kind::ToUnsigned)
    return narrow<To>(toUnsigned<To>(static_cast<double>(x)));
  else if constexpr (K == Kind::FlushedFloats)
    return narrow<To>(flush<From>(static_cast<Compute<From>>(x)));
  else
    return narrow<To>(static_cast<Compute<From>>(x));
}

template <Kind K, typename From, typename To>
static Fault convertLoop(const void *const *in, void *out, size_t count) {
  auto *from = static_cast<const From *>(in[0]);
  auto *to = static_cast<To *>(out);
  for (size_t i = 0; i < count; ++i)
    to[i] = convert<K, From, To>(from[i]);
  return {};
}

/// Calls `visitor` with a value of the C++ type of `type`.
template <typename Visitor>
static ElementwiseFn visit(DType type, Visitor visitor) {
  switch (type) {
  case DType::I1:
    return visitor(Bit());
  case DType::I8:
    return visitor(uint8_t());
  case DType::I16:
    return visitor(uint16_t());
  case DType::I32:
    return visitor(uint32_t());
  case DType::I64:
    return visitor(uint64_t());
  case DType::F16:
    return visitor(Half());
  case DType::F32:
    return visitor(float());
  case DType::F64:
    return visitor(double());
  case DType::BF16:
    return visitor(Bfloat16());
  }
  return nullptr;
}

template <Kind K> static ElementwiseFn findLoop(DType from, DType to) {
  constexpr bool floats = K == Kind::Floats || K == Kind::FlushedFloats;
  constexpr bool fromFloat =
      floats || K == Kind::ToSigned || K == Kind::ToUnsigned;
  constexpr bool toFloat =
      floats || K == Kind::FromSigned || K == Kind::FromUnsigned;
  return visit(from, [&]<typename From>(From) {
    return visit(to, [&]<typename To>(To) -> ElementwiseFn {
      if constexpr (isFloatElement<From> == fromFloat &&
                    isFloatElement<To> == toFloat)
        return &convertLoop<K, From, To>;
      else
        return nullptr;
    });
  });
}

template <typename B>
static Fault copyLoop(const void *const *in, void *out, size_t count) {
  std::copy_n(static_cast<const B *>(in[0]), count, static_cast<B *>(out));
  return {};
}

template <typename B>
static Fault selectLoop(const void *const *in, void *out, size_t count) {
  auto *condition = static_cast<const Bit *>(in[0]);
  auto *yes = static_cast<const B *>(in[1]),
       *no = static_cast<const B *>(in[2]);
  for (size_t i = 0; i < count; ++i)
    static_cast<B *>(out)[i] = condition[i] != Bit{} ? yes[i] : no[i];
  return {};
}

/// A float to the power of an integer.
template <typename S, typename N>
static Fault fpowiLoop(const void *const *in, void *out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    auto base = static_cast<Wider<S>>(static_cast<const S *>(in[0])[i]);
    I power = widen<I>(static_cast<const N *>(in[1])[i]);
    static_cast<S *>(out)[i] =
        narrow<S>(std::pow(base, static_cast<Wider<S>>(power)));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

ElementwiseFn mlir::gpuvm::reference::findConversion(std::string_view name,
                                                     DType from, DType to,
                                                     bool exact) {
  if (name == "arith.extsi" || name == "arith.trunci" ||
      name == "arith.index_cast")
    return findLoop<Kind::Signed>(from, to);
  if (name == "arith.extui" || name == "arith.index_castui")
    return findLoop<Kind::Unsigned>(from, to);
  if (name == "arith.extf" || name == "arith.truncf")
    return exact ? findLoop<Kind::FlushedFloats>(from, to)
                 : findLoop<Kind::Floats>(from, to);
  if (name == "arith.sitofp")
    return findLoop<Kind::FromSigned>(from, to);
  if (name == "arith.uitofp")
    return findLoop<Kind::FromUnsigned>(from, to);
  if (name == "arith.fptosi")
    return findLoop<Kind::ToSigned>(from, to);
  if (name == "arith.fptoui")
    return findLoop<Kind::ToUnsigned>(from, to);
  if (name != "arith.bitcast" || byteSize(from) != byteSize(to))
    return nullptr;
  return visit(from,
               []<typename S>(S) -> ElementwiseFn { return &copyLoop<S>; });
}

static void convertFloats(DType from, DType to, const void *source,
                          void *target, size_t count) {
  if (from == to) {
    std::memcpy(target, source, count * byteSize(from));
    return;
  }
  const void *operands[] = {source};
  findLoop<Kind::Floats>(from, to)(operands, target, count);
}

std::vector<double>
mlir::gpuvm::reference::toDoubles(const vm::HostTensor &tensor) {
  std::vector<double> values(tensor.numElements());
  convertFloats(tensor.dtype, DType::F64, tensor.bytes.data(), values.data(),
                values.size());
  return values;
}

void mlir::gpuvm::reference::fromDoubles(std::span<const double> values,
                                         vm::HostTensor &tensor) {
  convertFloats(DType::F64, tensor.dtype, values.data(), tensor.bytes.data(),
                values.size());
}

static ElementwiseFn findSelect(DType type) {
  return visit(type,
               []<typename S>(S) -> ElementwiseFn { return &selectLoop<S>; });
}

static ElementwiseFn findFPowI(DType base, DType power) {
  return visit(base, [&]<typename S>(S) {
    return visit(power, [&]<typename N>(N) -> ElementwiseFn {
      if constexpr (isFloatElement<S> && !isFloatElement<N>)
        return &fpowiLoop<S, N>;
      else
        return nullptr;
    });
  });
}

ElementwiseFn
mlir::gpuvm::reference::findElementwise(std::string_view name,
                                        std::span<const DType> operands,
                                        DType result, bool exact) {
  if (operands.empty())
    return nullptr;
  if (name == "arith.select")
    return findSelect(result);
  if (name == "math.fpowi")
    return findFPowI(operands[0], operands[1]);
  if (ElementwiseFn fn = findIntegerOp(name, operands[0]))
    return fn;
  if (ElementwiseFn fn = findFloatOp(name, operands[0], exact))
    return fn;
  if (ElementwiseFn fn = findMathOp(name, operands[0]))
    return fn;
  return findConversion(name, operands[0], result, exact);
}
