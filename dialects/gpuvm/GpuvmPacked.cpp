//===- GpuvmPacked.cpp - packed tensors and their decoding ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A packed type is written `packed<codec<parameters>, shape x element>`. The
// element may be left out where the codec has one of its own.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// The type of an element, by name; null if there is none.
static Type elementNamed(StringRef name, MLIRContext *context) {
  Builder b(context);
  unsigned width;
  if (name.consume_front("i"))
    return name.getAsInteger(10, width) || width == 0 || width > 64
               ? Type()
               : b.getIntegerType(width);
  return llvm::StringSwitch<Type>(name)
      .Case("f16", b.getF16Type())
      .Case("bf16", b.getBF16Type())
      .Case("f32", b.getF32Type())
      .Case("f64", b.getF64Type())
      .Default(Type());
}

/// A shape whose element may be left out: "64x4096", "64x4096xf16". To the
/// lexer it is a number, of "0x32" all of it, and a word.
static ParseResult parseShape(AsmParser &parser,
                              SmallVectorImpl<int64_t> &shape, Type &element) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t number;
  StringRef word;
  if (parser.parseInteger(number))
    return failure();
  (void)parser.parseOptionalKeyword(&word);
  const char *begin = loc.getPointer();
  const char *end = parser.getCurrentLocation().getPointer();
  SmallVector<StringRef> pieces;
  StringRef(begin, end - begin).trim().split(pieces, 'x');
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    int64_t size;
    bool isSize = !piece.getAsInteger(10, size) && size >= 0;
    if (isSize)
      shape.push_back(size);
    else if (i + 1 == pieces.size())
      element = elementNamed(piece, parser.getContext());
    if (!isSize && !element)
      return parser.emitError(loc)
             << "\"" << piece
             << "\" is neither a size nor the type of an element";
  }
  return success();
}

Type PackedType::parse(AsmParser &parser) {
  std::string codecName;
  SmallVector<int64_t> parameters, shape;
  Type element;
  auto parseParameter = [&] {
    return parser.parseInteger(parameters.emplace_back());
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeywordOrString(&codecName))
    return Type();
  if (succeeded(parser.parseOptionalLess()) &&
      (parser.parseCommaSeparatedList(parseParameter) || parser.parseGreater()))
    return Type();
  if (parser.parseComma() || parseShape(parser, shape, element) ||
      parser.parseGreater())
    return Type();
  const Codec *codec = lookupCodec(codecName);
  if (!element && codec)
    element = codec->getDefaultElement(parser.getContext());
  if (!element && codec)
    return parser.emitError(loc, "codec \"")
               << codecName << "\" decodes to more than one type; write which, "
               << "as in 1000xi32",
           Type();
  return PackedType::getChecked([&] { return parser.emitError(loc); },
                                parser.getContext(), StringRef(codecName),
                                ArrayRef<int64_t>(parameters),
                                ArrayRef<int64_t>(shape), element);
}

void PackedType::print(AsmPrinter &p) const {
  p << '<' << getCodecName();
  if (!getParameters().empty()) {
    p << '<';
    llvm::interleaveComma(getParameters(), p);
    p << '>';
  }
  p << ", ";
  llvm::interleave(getShape(), p, "x");
  if (getElementType() != getCodec().getDefaultElement(getContext()))
    p << 'x' << getElementType();
  p << '>';
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult PackedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef codecName,
                                 ArrayRef<int64_t> parameters,
                                 ArrayRef<int64_t> shape, Type element) {
  const Codec *codec = lookupCodec(codecName);
  if (!codec)
    return emitError() << "there is no codec \"" << codecName
                       << "\" (there are " << listCodecs() << ')';
  if (shape.empty() || !isVmTensor(RankedTensorType::get(shape, element)))
    return emitError() << "a packed tensor has the shape and the elements of a "
                          "tensor of the machine and at least one dimension";
  PackedLayout layout{parameters, shape, element};
  std::string whyNot = codec->whyNot(layout);
  if (!whyNot.empty())
    return emitError() << "codec \"" << codecName << "\" " << whyNot;
  if (codec->getBytes(layout) > INT32_MAX)
    return emitError() << "a packed tensor takes at most " << INT32_MAX
                       << " bytes, not " << codec->getBytes(layout);
  return success();
}

const Codec &PackedType::getCodec() const {
  return *lookupCodec(getCodecName());
}

RankedTensorType PackedType::getDecodedType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

RankedTensorType PackedType::getBytesType() const {
  auto bytes = static_cast<int64_t>(getCodec().getBytes(getLayout()));
  return RankedTensorType::get(bytes, IntegerType::get(getContext(), 8));
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

PackedType DecodeOp::getPackedType() {
  if (std::optional<PackedType> layout = getLayout())
    return *layout;
  return cast<PackedType>(getSource().getType());
}

LogicalResult DecodeOp::verify() {
  Type source = getSource().getType();
  if (!getLayout() && !isa<PackedType>(source)) // C1
    return emitOpError("C1: a tensor of bytes is decoded `as` a packed type");
  PackedType packed = getPackedType();
  if (memoryType(source) != packed.getBytesType()) // C2
    return emitOpError("C2: ")
           << packed << " takes " << packed.getBytesType().getNumElements()
           << " bytes, the operand is a " << source << " of "
           << cast<RankedTensorType>(memoryType(source)).getNumElements();
  if (getResult().getType() != packed.getDecodedType()) // C3
    return emitOpError("C3: ")
           << packed << " decodes to " << packed.getDecodedType() << ", not "
           << getResult().getType();
  return success();
}
