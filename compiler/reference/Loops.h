//===- Loops.h - a scalar function as a loop over elements ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the reference interpreter: converts a function of one element,
// such as `[](U a, U b) { return a + b; }`, to an ElementwiseFn for every
// element type it is for. Integers of all widths are computed in 64 bits and
// truncated: a parameter of type U sees the element zero-extended, one of type
// I sign-extended. The argument types of the function say what it needs.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/Elementwise.h"
#include "runtime/io/Bfloat16.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace mlir::gpuvm::reference {

using U = uint64_t;
using I = int64_t;
/// How an i1 is stored: one byte, 0 or 1.
enum class Bit : uint8_t {};
using Half = _Float16;
using vm::Bfloat16;

/// A parameter of this type gets the width of the elements in bits.
struct Width {
  unsigned bits;
};

/// The result of a function that is not defined everywhere.
struct Checked {
  U value = 0;
  const char *fault = nullptr;
};

template <typename S>
inline constexpr bool isFloatElement =
    std::is_same_v<S, Half> || std::is_same_v<S, Bfloat16> ||
    std::is_floating_point_v<S>;

/// The type floats are computed in.
template <typename S>
using Compute =
    std::conditional_t<std::is_same_v<S, Half> || std::is_same_v<S, Bfloat16>,
                       float, S>;

/// The type functions of floats are computed in.
template <typename S>
using Wider =
    std::conditional_t<std::is_same_v<S, double>, long double, double>;

template <typename S> constexpr unsigned widthOf() {
  return std::is_same_v<S, Bit> ? 1 : 8 * sizeof(S);
}

/// An element as a parameter of type A sees it.
template <typename A, typename S> A widen(S element) {
  constexpr bool isSigned = std::is_same_v<A, I> && !isFloatElement<S>;
  if constexpr (isSigned && std::is_same_v<S, Bit>)
    return -static_cast<I>(element);
  else if constexpr (isSigned)
    return static_cast<std::make_signed_t<S>>(element);
  else
    return static_cast<A>(element);
}

/// A result as an element.
template <typename S, typename R> S narrow(R result) {
  if constexpr (isFloatElement<S>)
    return result != result
               ? static_cast<S>(std::numeric_limits<float>::quiet_NaN())
               : static_cast<S>(result);
  else if constexpr (std::is_same_v<S, Bit>)
    return static_cast<Bit>(static_cast<U>(result) & 1);
  else
    return static_cast<S>(static_cast<U>(result));
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

template <auto F, typename S, typename R, typename... A> struct Loop {
  static constexpr size_t kOperands = (size_t{!std::is_same_v<A, Width>} + ...);
  using Element = std::conditional_t<std::is_same_v<R, bool>, Bit, S>;
  using Pointers = std::array<const S *, kOperands>;

  template <typename Arg, size_t N>
  static Arg argument(const Pointers &operands, size_t i) {
    if constexpr (std::is_same_v<Arg, Width>)
      return Width{widthOf<S>()};
    else
      return widen<Arg>(operands[N][i]);
  }

  template <size_t... N>
  static Fault run(const void *const *operands, void *result, size_t count,
                   std::index_sequence<N...>) {
    Pointers in;
    for (size_t k = 0; k < kOperands; ++k)
      in[k] = static_cast<const S *>(operands[k]);
    auto *out = static_cast<Element *>(result);
    for (size_t i = 0; i < count; ++i) {
      auto value = F(argument<A, N>(in, i)...);
      if constexpr (std::is_same_v<R, Checked>) {
        if (value.fault)
          return Fault{value.fault, i};
        out[i] = narrow<Element>(value.value);
      } else {
        out[i] = narrow<Element>(value);
      }
    }
    return {};
  }

  static Fault run(const void *const *operands, void *result, size_t count) {
    return run(operands, result, count, std::index_sequence_for<A...>());
  }
};

template <auto F, typename S, typename L, typename R, typename... A>
constexpr ElementwiseFn makeLoop(R (L::*)(A...) const) {
  return &Loop<F, S, R, A...>::run;
}

/// The loop for function F (a lambda with concrete parameter types).
template <auto F, typename S> constexpr ElementwiseFn loopOf() {
  return makeLoop<F, S>(&decltype(F)::operator());
}

//===----------------------------------------------------------------------===//
// Lists of operations
//===----------------------------------------------------------------------===//

/// One operation for the element types it is for; indexed by DType.
struct Family {
  std::string_view name;
  std::array<ElementwiseFn, 9> loops = {};
};

/// An operation on floats of every width, by four loops.
constexpr Family onFloatLoops(std::string_view name, ElementwiseFn f16,
                              ElementwiseFn bf16, ElementwiseFn f32,
                              ElementwiseFn f64) {
  return {name,
          {nullptr, nullptr, nullptr, nullptr, nullptr, f16, f32, f64, bf16}};
}

/// An operation on integers of every width.
template <auto F> constexpr Family onIntegers(std::string_view name) {
  return {name,
          {loopOf<F, Bit>(), loopOf<F, uint8_t>(), loopOf<F, uint16_t>(),
           loopOf<F, uint32_t>(), loopOf<F, uint64_t>()}};
}

/// The loop of a generic lambda with N parameters of the compute type T.
template <auto F, typename S, typename T, size_t N>
constexpr ElementwiseFn floatLoop() {
  if constexpr (N == 1)
    return &Loop<F, S, decltype(F(T())), T>::run;
  else if constexpr (N == 2)
    return &Loop<F, S, decltype(F(T(), T())), T, T>::run;
  else
    return &Loop<F, S, decltype(F(T(), T(), T())), T, T, T>::run;
}

/// `x`, or a zero of its sign if an element S cannot hold it as a normal
/// number.
template <typename S, typename T> T flush(T x) {
  constexpr T smallest = std::is_same_v<S, Half>
                             ? T(0x1p-14)
                             : T(std::numeric_limits<Compute<S>>::min());
  return std::fabs(x) < smallest ? std::copysign(T(0), x) : x;
}

/// F on operands without subnormals, and without a subnormal result.
template <auto F, typename S>
inline constexpr auto flushed = [](auto... operands) {
  auto result = F(flush<S>(operands)...);
  if constexpr (std::is_floating_point_v<decltype(result)>)
    return flush<S>(result);
  else
    return result;
};

/// An operation on floats of every width, computed in their own precision;
/// `Exact`: with subnormal numbers flushed.
template <auto F, size_t N, bool Exact = false>
constexpr Family onFloats(std::string_view name) {
  if constexpr (Exact)
    return onFloatLoops(name, floatLoop<flushed<F, Half>, Half, float, N>(),
                        floatLoop<flushed<F, Bfloat16>, Bfloat16, float, N>(),
                        floatLoop<flushed<F, float>, float, float, N>(),
                        floatLoop<flushed<F, double>, double, double, N>());
  else
    return onFloatLoops(name, floatLoop<F, Half, float, N>(),
                        floatLoop<F, Bfloat16, float, N>(),
                        floatLoop<F, float, float, N>(),
                        floatLoop<F, double, double, N>());
}

/// An operation on floats of every width, computed in a wider type.
template <auto F, size_t N>
constexpr Family onFloatsInWider(std::string_view name) {
  return onFloatLoops(name, floatLoop<F, Half, Wider<Half>, N>(),
                      floatLoop<F, Bfloat16, Wider<Bfloat16>, N>(),
                      floatLoop<F, float, Wider<float>, N>(),
                      floatLoop<F, double, Wider<double>, N>());
}

inline ElementwiseFn find(std::span<const Family> list, std::string_view name,
                          vm::DType type) {
  for (const Family &family : list)
    if (family.name == name)
      return family.loops[static_cast<size_t>(type)];
  return nullptr;
}

} // namespace mlir::gpuvm::reference
