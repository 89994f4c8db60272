//===- Expression.h - numbers computed in texts -----------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in a place of a text:
//
//     sum     = product {("+" | "-") product}
//     product = factor {("*" | "/" | "mod" | "floordiv" | "ceildiv") factor}
//     factor  = "-" factor | number | name | "(" sum ")"
//             | ("min" | "max") "(" sum {"," sum} ")"
//
// Integers are i64, and nothing overflows or is rounded: "/" of integers that
// leaves a remainder is an error. mod, floordiv and ceildiv are those of affine
// maps. With a float, which has a point, all is computed in f64.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace vm {

using Number = std::variant<int64_t, double>;

/// As MLIR reads it: `-5`, `0.5`, `1.0e-05`.
std::string toText(const Number &number);

/// The number that all of `text` is, an integer or a float as toText writes it;
/// none if it is none, or out of range.
std::optional<Number> parseNumber(std::string_view text);

bool isLess(const Number &a, const Number &b);

/// Whether `name` is that of a parameter: letters, digits, "_", "." and no
/// digit first, and no word of expressions.
bool isParameterName(std::string_view name);

/// Null if there is no such name.
using ValueOfName = std::function<const Number *(std::string_view)>;

/// The value of an expression. A failure (Code::BadInput) is the part of a
/// sentence without its full stop.
Result<Number> evaluate(std::string_view expression,
                        const ValueOfName &valueOf);

/// Calls `take` with each name in the text of an expression, which need not be
/// well-formed. False if a character is in it that no expression has.
bool visitNames(std::string_view expression,
                const std::function<void(std::string_view)> &take);

/// Whether `expression` follows the grammar, whatever the names are.
bool isWellFormed(std::string_view expression);

} // namespace vm
