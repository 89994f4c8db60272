//===- GpuvmParameters.cpp - sizes of programs ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Parameters.h"

#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// `4096` or `0.5`; a type is left out.
static ParseResult parseNumber(OpAsmParser &parser, Attribute &number) {
  return parser.parseAttribute(number);
}

static void printNumber(OpAsmPrinter &p, Operation *, Attribute number) {
  p.printAttributeWithoutType(number);
}

#define GET_OP_CLASSES
#include "dialects/gpuvm/GpuvmParameters.cpp.inc"

static bool isNumber(Attribute attribute) {
  auto typed = dyn_cast_or_null<TypedAttr>(attribute);
  return isa_and_nonnull<IntegerAttr, FloatAttr>(attribute) &&
         (typed.getType().isSignlessInteger(64) || typed.getType().isF64());
}

/// Of two numbers of one type. A NaN is not less.
static bool isLess(Attribute a, Attribute b) {
  if (auto integer = dyn_cast<IntegerAttr>(a))
    return integer.getInt() < cast<IntegerAttr>(b).getInt();
  return cast<FloatAttr>(a).getValueAsDouble() <
         cast<FloatAttr>(b).getValueAsDouble();
}

LogicalResult ParameterOp::verify() {
  Attribute value = getValue();
  if (!isNumber(value)) // C1
    return emitOpError("C1: ") << value << " is no number of i64 or f64";
  if (getLeastAttr() == nullptr && getGreatestAttr() == nullptr)
    return success();
  for (Attribute bound : {getLeastAttr(), getGreatestAttr()})
    if (!isNumber(bound) || isa<IntegerAttr>(bound) != isa<IntegerAttr>(value))
      return emitOpError("C1: the value is ")
             << value << ", and a bound is of another type";
  if (isLess(value, getLeastAttr()))
    return emitOpError("C2: ") << value << " is less than the least value ("
                               << getLeastAttr() << ')';
  if (isLess(getGreatestAttr(), value))
    return emitOpError("C2: ") << value << " is more than the greatest value ("
                               << getGreatestAttr() << ')';
  return success();
}

std::string ParameterOp::getValueText() {
  if (auto integer = dyn_cast<IntegerAttr>(getValue()))
    return std::to_string(integer.getInt());
  SmallString<32> text;
  cast<FloatAttr>(getValue()).getValue().toString(text);
  return (text.str().contains('.') ? text : text + ".0").str();
}
