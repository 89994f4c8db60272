//===- TensorText.cpp - tensors on a command line -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of iree-run-module's --input, read and printed: a file, or a type
// and its elements. Brackets group elements for the eye and are not checked
// against the shape when read.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/InputFile.h"
#include "runtime/io/Elements.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <type_traits>

using namespace vm;

namespace {

struct TensorType {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  uint64_t sizeBytes = 0;
};

Status usage(std::string message) {
  return Status(Code::Usage, std::move(message));
}

std::optional<DType> parseDType(std::string_view text) {
  for (DType dtype : {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64,
                      DType::F16, DType::F32, DType::F64, DType::BF16})
    if (text == toString(dtype))
      return dtype;
  return std::nullopt;
}

Status badType(std::string_view text) {
  return usage(
      fmt::format("\"{}\" is no tensor type; one looks like 8xf32, "
                  "2x3xi8 or i64 (of i1, i8, i16, i32, i64, f16, bf16, "
                  "f32, f64).",
                  text));
}

/// "2x3xf32".
Result<TensorType> parseType(std::string_view text) {
  TensorType type;
  std::string_view rest = text;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    int64_t dim = 0;
    const char *end = rest.data() + rest.size();
    auto [stop, error] = std::from_chars(rest.data(), end, dim);
    if (error != std::errc() || stop == end || *stop != 'x')
      return badType(text);
    type.shape.push_back(dim);
    rest = std::string_view(stop + 1, static_cast<size_t>(end - stop - 1));
  }
  std::optional<DType> dtype = parseDType(rest);
  if (!dtype)
    return badType(text);
  type.dtype = *dtype;
  std::optional<uint64_t> size = checkedByteSize(type.dtype, type.shape);
  if (!size)
    return usage(fmt::format("Type {} has more bytes than the limit "
                             "(9223372036854775807).",
                             text));
  type.sizeBytes = *size;
  return type;
}

template <typename T> bool parseInteger(std::string_view text, T &value) {
  bool hex = text.starts_with("0x");
  const char *begin = text.data() + (hex ? 2 : 0);
  const char *end = text.data() + text.size();
  int base = hex ? 16 : 10;
  auto [stop, error] = std::from_chars(begin, end, value, base);
  if (error == std::errc() && stop == end)
    return true;
  // Types are signless: 255 is an i8 as much as -1 is.
  std::make_unsigned_t<T> bits = 0;
  auto [stopBits, errorBits] = std::from_chars(begin, end, bits, base);
  value = static_cast<T>(bits);
  return errorBits == std::errc() && stopBits == end;
}

template <typename T> bool parseFloat(std::string_view text, T &value) {
  const char *begin = text.data(), *end = begin + text.size();
  auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end;
}

bool parseElement(std::string_view text, Bool8 &value) {
  value = Bool8{text == "1" || text == "true"};
  return value == Bool8{1} || text == "0" || text == "false";
}

bool parseElement(std::string_view text, Half &value) {
  double wide = 0;
  if (!parseFloat(text, wide))
    return false;
  value = static_cast<Half>(wide);
  // A finite text past the largest half (65504) does not fit.
  return !std::isinf(static_cast<float>(value)) || std::isinf(wide);
}

bool parseElement(std::string_view text, Bfloat16 &value) {
  double wide = 0;
  if (!parseFloat(text, wide))
    return false;
  value = Bfloat16(wide);
  return !std::isinf(static_cast<float>(value)) || std::isinf(wide);
}

template <typename T> bool parseElement(std::string_view text, T &value) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  if constexpr (isFloat<T>)
    return parseFloat(text, value);
  else
    return parseInteger(text, value);
}

/// Cuts the next element off `text`; empty at the end.
std::string_view nextToken(std::string_view &text) {
  constexpr std::string_view separators = " ,\t\n[]";
  size_t begin = text.find_first_not_of(separators);
  if (begin == std::string_view::npos)
    return {};
  text.remove_prefix(begin);
  std::string_view token = text.substr(0, text.find_first_of(separators));
  text.remove_prefix(token.size());
  return token;
}

template <typename T>
Status parseElements(std::string_view text, HostTensor &tensor) {
  uint64_t wanted = tensor.numElements(), got = 0;
  for (std::string_view token = nextToken(text); !token.empty();
       token = nextToken(text), ++got) {
    T value{};
    if (!parseElement(token, value))
      return usage(fmt::format("Element {} (\"{}\") is no value of type {}.",
                               got, token, toString(tensor.dtype)));
    if (got < wanted)
      std::memcpy(tensor.bytes.data() + got * sizeof(T), &value, sizeof(T));
  }
  if (got != wanted && got != 1)
    return usage(fmt::format("Type {} takes {} elements, but {} are given.",
                             tensor.typeString(), wanted, got));
  for (uint64_t i = got; i < wanted; ++i)
    std::memcpy(tensor.bytes.data() + i * sizeof(T), tensor.bytes.data(),
                sizeof(T));
  return {};
}

Status readRawFile(const std::string &path, HostTensor &tensor) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  if (file->sizeBytes() != tensor.bytes.size())
    return Status(Code::BadInput,
                  fmt::format("The file has {} bytes where {} takes {}.",
                              file->sizeBytes(), tensor.typeString(),
                              tensor.bytes.size()));
  VM_RETURN_IF_ERROR(file->readAt(0, tensor.bytes));
  return checkBools(tensor);
}

template <typename T>
std::string formatElements(const HostTensor &tensor, uint64_t maxElements) {
  uint64_t count = tensor.numElements();
  uint64_t shown = std::min(count, maxElements);
  std::string out;
  // Each dimension but the outermost opens a bracket at its first element.
  std::vector<uint64_t> strides;
  uint64_t stride = 1;
  for (size_t i = tensor.shape.size(); i > 1; --i)
    strides.push_back(stride *= static_cast<uint64_t>(tensor.shape[i - 1]));
  for (uint64_t i = 0; i < shown; ++i) {
    size_t opens = 0, closes = 0;
    for (uint64_t s : strides) {
      opens += i % s == 0;
      closes += (i + 1) % s == 0;
    }
    if (i > 0 && opens == 0)
      out += ' ';
    out.append(opens, '[');
    out += formatElement(loadElement<T>(tensor, i));
    out.append(closes, ']');
  }
  return shown < count ? out + "..." : out;
}

} // namespace

Result<HostTensor> vm::parseTensor(std::string_view text,
                                   const TypeCheck &check) {
  if (text.starts_with('@'))
    return readNpy(std::string(text.substr(1)), check);
  size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return usage(
        fmt::format("\"{}\" is no tensor; one looks like 4xf32=1,2,3,4 "
                    "or @file.npy.",
                    text));
  Result<TensorType> type = parseType(text.substr(0, equals));
  if (!type.ok())
    return type.status();
  if (check)
    VM_RETURN_IF_ERROR(check(type->dtype, type->shape));
  Result<std::vector<uint8_t>> bytes = allocateBytes(type->sizeBytes);
  if (!bytes.ok())
    return bytes.status();
  HostTensor tensor{type->dtype, std::move(type->shape), std::move(*bytes)};
  std::string_view value = text.substr(equals + 1);
  Status status;
  if (value.starts_with('@')) {
    std::string path(value.substr(1));
    status = readRawFile(path, tensor);
    if (!status.ok())
      return status.withContext(fmt::format("reading \"{}\"", path));
    return tensor;
  }
  status = visitElementType(tensor.dtype, [&]<typename T>(ElementTag<T>) {
    return parseElements<T>(value, tensor);
  });
  if (!status.ok())
    return status;
  return tensor;
}

std::string vm::formatTensor(const HostTensor &tensor, uint64_t maxElements) {
  std::string elements =
      visitElementType(tensor.dtype, [&]<typename T>(ElementTag<T>) {
        if constexpr (std::is_integral_v<T>)
          if (tensor.isUnsigned)
            return formatElements<std::make_unsigned_t<T>>(tensor, maxElements);
        return formatElements<T>(tensor, maxElements);
      });
  return tensor.typeString() + "=" + elements;
}
