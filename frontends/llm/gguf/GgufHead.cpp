//===- GgufHead.cpp - what precedes the tensors' data in a GGUF file ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/gguf/GgufHead.h"

#include "frontends/llm/gguf/HeadReader.h"
#include "runtime/base/CheckedMath.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace vm::llm {

std::string_view nameOf(GgufType type) {
  constexpr std::string_view names[] = {"u8",  "i8",  "u16",  "i16",    "u32",
                                        "i32", "f32", "bool", "string", "array",
                                        "u64", "i64", "f64"};
  return names[static_cast<uint32_t>(type)];
}

uint64_t sizeBytes(GgufType type) {
  constexpr uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return sizes[static_cast<uint32_t>(type)];
}

std::string describe(const GgufEntry &entry) {
  std::string_view type = nameOf(entry.type);
  return entry.isArray ? fmt::format("{}[{}]", type, entry.count)
                       : std::string(type);
}

namespace {

template <typename... Args>
Status bad(fmt::format_string<Args...> format, Args &&...args) {
  return Status(Code::BadInput,
                fmt::format(format, std::forward<Args>(args)...));
}

/// Parses in the order of the file.
class HeadParser {
public:
  explicit HeadParser(const InputFile &file) : reader_(file), file_(file) {}

  Result<GgufHead> parse();

private:
  Status parseMagicAndVersion();
  Result<uint64_t> parseCount(const char *what, uint64_t minBytes);

  Status parseEntry();
  Result<GgufType> parseType();
  Status parseArray(GgufEntry &entry);
  Status parseStrings(uint64_t count);
  Status parseValues(const GgufEntry &entry);
  Status parseAlignment();

  Status parseTensor();
  Result<uint64_t> parseShape(GgufTensor &tensor);
  Status parseTensorType(GgufTensor &tensor, uint64_t elements);
  Status parseOffset(GgufTensor &tensor);

  Status sortKeys();
  Status sortTensors();
  Status placeTensors();
  Status checkOverlaps() const;

  HeadReader reader_;
  const InputFile &file_;
  GgufHead head_;
  std::vector<uint64_t> keysAt_, tensorsAt_; ///< Where they are described.
};

Status HeadParser::parseMagicAndVersion() {
  constexpr std::string_view magic = "GGUF";
  auto start = reader_.readBytes(4, "the magic word");
  if (!start.ok())
    return start.status();
  std::string_view found(reinterpret_cast<const char *>(start->data()), 4);
  if (found != magic)
    return bad("The file begins with \"{}\", not with \"{}\" as GGUF files do.",
               printable(found), magic);
  auto version = reader_.readU32("the version");
  if (!version.ok())
    return version.status();
  head_.version = *version;
  if (*version == 2 || *version == 3)
    return {};
  if (*version != 0 && (*version & 0xFFFF) == 0)
    return bad("At byte 4, the version is {:#010x}: the file is big-endian "
               "(only little-endian files are read).",
               *version);
  return bad("At byte 4, the version is {} (versions 2 and 3 are read).",
             *version);
}

/// A count of items of at least `minBytes` each.
Result<uint64_t> HeadParser::parseCount(const char *what, uint64_t minBytes) {
  uint64_t at = reader_.position();
  auto count = reader_.readU64(what);
  if (!count.ok())
    return count;
  if (*count > kMaxGgufItems)
    return bad("At byte {}, {} is {} (at most {} are read).", at, what, *count,
               kMaxGgufItems);
  if (*count > reader_.bytesLeft() / minBytes)
    return bad("At byte {}, {} is {}, of at least {} bytes each, but the file "
               "ends after {} more bytes.",
               at, what, *count, minBytes, reader_.bytesLeft());
  return count;
}

//===--- Metadata ---------------------------------------------------------===//

Result<GgufType> HeadParser::parseType() {
  uint64_t at = reader_.position();
  auto code = reader_.readU32("the type of a value");
  if (!code.ok())
    return code.status();
  if (*code > static_cast<uint32_t>(GgufType::F64))
    return bad("At byte {}, the type of a value is {} (0 to {} are defined).",
               at, *code, static_cast<uint32_t>(GgufType::F64));
  return static_cast<GgufType>(*code);
}

Status HeadParser::parseArray(GgufEntry &entry) {
  uint64_t at = reader_.position();
  auto type = parseType();
  if (!type.ok())
    return type.status();
  if (*type == GgufType::Array)
    return bad("At byte {}, an array holds arrays, which are not read.", at);
  entry.type = *type;
  at = reader_.position();
  auto count = reader_.readU64("the length of an array");
  if (!count.ok())
    return count.status();
  if (*count > kMaxArrayValues)
    return bad("At byte {}, an array has {} values (at most {} are read).", at,
               *count, kMaxArrayValues);
  uint64_t each = *type == GgufType::String ? 8 : sizeBytes(*type);
  if (*count > reader_.bytesLeft() / each)
    return bad("At byte {}, an array has {} values of at least {} bytes, but "
               "the file ends after {} more bytes.",
               at, *count, each, reader_.bytesLeft());
  entry.count = *count;
  return {};
}

Status HeadParser::parseStrings(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    auto length = reader_.readU64("the length of a string");
    if (!length.ok())
      return length.status();
    auto bytes = reader_.readBytes(*length, "a string");
    if (!bytes.ok())
      return bytes.status();
  }
  return {};
}

Status HeadParser::parseValues(const GgufEntry &entry) {
  if (entry.type == GgufType::String)
    return parseStrings(entry.count);
  auto bytes = reader_.readBytes(entry.count * sizeBytes(entry.type),
                                 entry.isArray ? "an array" : "a number");
  if (!bytes.ok())
    return bytes.status();
  if (entry.type != GgufType::Bool)
    return {};
  auto wrong = std::ranges::find_if(*bytes, [](uint8_t b) { return b > 1; });
  if (wrong != bytes->end())
    return bad("At byte {}, a bool is {} (0 and 1 are allowed).",
               entry.offset + (wrong - bytes->begin()), *wrong);
  return {};
}

Status HeadParser::parseEntry() {
  keysAt_.push_back(reader_.position());
  auto key = reader_.readName("a key", kMaxKeyBytes);
  if (!key.ok())
    return key.status();
  GgufEntry &entry = head_.entries.emplace_back();
  entry.key = std::move(*key);
  auto parse = [&]() -> Status {
    auto type = parseType();
    if (!type.ok())
      return type.status();
    entry.type = *type;
    entry.isArray = *type == GgufType::Array;
    if (entry.isArray)
      VM_RETURN_IF_ERROR(parseArray(entry));
    entry.offset = reader_.position();
    return parseValues(entry);
  };
  Status status = parse();
  if (!status.ok())
    return status.withContext(fmt::format("reading the value of \"{}\"",
                                          printableLine(entry.key, 80)));
  return {};
}

/// Places 0 to n - 1, ascending by `nameOf` of them.
template <typename NameOf>
std::vector<uint32_t> sortBy(size_t n, NameOf nameOf) {
  std::vector<uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, {}, nameOf);
  return places;
}

/// A failure if two names are equal; `what` has them in common.
template <typename NameOf>
Status checkUnique(const std::vector<uint32_t> &places, NameOf nameOf,
                   const std::vector<uint64_t> &offsets, const char *what) {
  auto twice = std::ranges::adjacent_find(places, {}, nameOf);
  if (twice == places.end())
    return {};
  return bad("The {} \"{}\" is at byte {} and again at byte {}.", what,
             printableLine(nameOf(*twice), 80), offsets[*twice],
             offsets[*std::next(twice)]);
}

Status HeadParser::sortKeys() {
  auto keyOf = [&](uint32_t i) -> const std::string & {
    return head_.entries[i].key;
  };
  head_.entriesByKey = sortBy(head_.entries.size(), keyOf);
  return checkUnique(head_.entriesByKey, keyOf, keysAt_, "key");
}

Status HeadParser::parseAlignment() {
  // The few files that have this key have it early.
  auto entry =
      std::ranges::find(head_.entries, "general.alignment", &GgufEntry::key);
  if (entry == head_.entries.end())
    return {};
  if (entry->isArray || entry->type != GgufType::U32)
    return bad("At byte {}, the value of \"general.alignment\" is of type {} "
               "(it must be u32).",
               entry->offset, describe(*entry));
  head_.alignment = static_cast<uint32_t>(
      loadNumber(reader_.bytes().subspan(entry->offset, 4)));
  if (!std::has_single_bit(head_.alignment) || head_.alignment < 8 ||
      head_.alignment > kMaxAlignment)
    return bad("At byte {}, the alignment is {} (it must be a power of two "
               "from 8 to {}).",
               entry->offset, head_.alignment, kMaxAlignment);
  return {};
}

//===--- Tensors ----------------------------------------------------------===//

/// The number of elements.
Result<uint64_t> HeadParser::parseShape(GgufTensor &tensor) {
  uint64_t at = reader_.position();
  auto rank = reader_.readU32("the number of dimensions");
  if (!rank.ok())
    return rank.status();
  if (*rank == 0 || *rank > kMaxDimensions)
    return bad("At byte {}, the tensor has {} dimensions (1 to {} are "
               "allowed).",
               at, *rank, kMaxDimensions);
  uint64_t elements = 1;
  for (uint32_t i = 0; i < *rank; ++i) {
    at = reader_.position();
    auto size = reader_.readU64("a dimension");
    if (!size.ok())
      return size.status();
    auto product = checkedMul(elements, *size);
    if (*size == 0)
      return bad("At byte {}, dimension {} of the tensor is 0 (at least 1 is "
                 "needed).",
                 at, i);
    if (!product || *product > INT64_MAX)
      return bad("At byte {}, dimension {} of the tensor is {}, which makes "
                 "more elements than the limit ({}).",
                 at, i, *size, INT64_MAX);
    elements = *product;
    tensor.shape.push_back(static_cast<int64_t>(*size));
  }
  std::ranges::reverse(tensor.shape);
  return elements;
}

Status HeadParser::parseTensorType(GgufTensor &tensor, uint64_t elements) {
  uint64_t at = reader_.position();
  auto code = reader_.readU32("the type of a tensor");
  if (!code.ok())
    return code.status();
  auto type = toGgmlType(*code);
  if (!type.ok())
    return type.status().withContext(
        fmt::format("reading the type at byte {}", at));
  tensor.type = *type;
  GgmlBlock block = blockOf(*type);
  if (tensor.shape.back() % block.elements != 0)
    return bad("At byte {}, the type is {}, in blocks of {} elements, but the "
               "rows of the tensor have {} elements.",
               at, block.name, block.elements, tensor.shape.back());
  auto bytes = checkedMul(elements / block.elements, block.bytes);
  if (!bytes || *bytes > INT64_MAX)
    return bad("At byte {}, the type is {}, of which {} elements take more "
               "bytes than the limit ({}).",
               at, block.name, elements, INT64_MAX);
  tensor.sizeBytes = *bytes;
  return {};
}

/// From where data begins; placeTensors adds that.
Status HeadParser::parseOffset(GgufTensor &tensor) {
  uint64_t at = reader_.position();
  auto offset = reader_.readU64("the offset of a tensor");
  if (!offset.ok())
    return offset.status();
  if (!isAligned(*offset, head_.alignment))
    return bad("At byte {}, the offset of the tensor is {} (a multiple of the "
               "alignment, {}, is needed).",
               at, *offset, head_.alignment);
  tensor.offset = *offset;
  return {};
}

Status HeadParser::parseTensor() {
  tensorsAt_.push_back(reader_.position());
  auto name = reader_.readName("the name of a tensor", kMaxTensorNameBytes);
  if (!name.ok())
    return name.status();
  GgufTensor &tensor = head_.tensors.emplace_back();
  tensor.name = std::move(*name);
  auto parse = [&]() -> Status {
    auto elements = parseShape(tensor);
    if (!elements.ok())
      return elements.status();
    VM_RETURN_IF_ERROR(parseTensorType(tensor, *elements));
    return parseOffset(tensor);
  };
  Status status = parse();
  if (!status.ok())
    return status.withContext(
        fmt::format("reading the description of tensor \"{}\"", tensor.name));
  return {};
}

Status HeadParser::sortTensors() {
  auto nameOf = [&](uint32_t i) -> const std::string & {
    return head_.tensors[i].name;
  };
  head_.tensorsByName = sortBy(head_.tensors.size(), nameOf);
  return checkUnique(head_.tensorsByName, nameOf, tensorsAt_, "tensor");
}

/// Makes offsets in the data offsets in the file.
Status HeadParser::placeTensors() {
  uint64_t data = *alignUp(reader_.position(), head_.alignment);
  for (size_t i = 0; i < head_.tensors.size(); ++i) {
    GgufTensor &tensor = head_.tensors[i];
    auto begin = checkedAdd(data, tensor.offset);
    auto end = begin ? checkedAdd(*begin, tensor.sizeBytes) : std::nullopt;
    if (!end || *end > file_.sizeBytes())
      return bad("The tensor \"{}\", described at byte {}, has {} bytes at "
                 "offset {} of the data, which begins at byte {}, and ends "
                 "past the end of the file ({} bytes).",
                 tensor.name, tensorsAt_[i], tensor.sizeBytes, tensor.offset,
                 data, file_.sizeBytes());
    tensor.offset = *begin;
  }
  return checkOverlaps();
}

Status HeadParser::checkOverlaps() const {
  auto tensorOf = [&](uint32_t i) -> const GgufTensor & {
    return head_.tensors[i];
  };
  auto endOf = [](const GgufTensor &tensor) {
    return tensor.offset + tensor.sizeBytes;
  };
  std::vector<uint32_t> places = sortBy(
      head_.tensors.size(), [&](uint32_t i) { return tensorOf(i).offset; });
  for (size_t i = 1; i < places.size(); ++i) {
    const GgufTensor &first = tensorOf(places[i - 1]);
    const GgufTensor &second = tensorOf(places[i]);
    if (endOf(first) > second.offset)
      return bad("The tensors \"{}\" (bytes {} to {}) and \"{}\" (bytes {} to "
                 "{}) overlap.",
                 first.name, first.offset, endOf(first) - 1, second.name,
                 second.offset, endOf(second) - 1);
  }
  return {};
}

Result<GgufHead> HeadParser::parse() {
  VM_RETURN_IF_ERROR(parseMagicAndVersion());
  // The least of a tensor: its name's length, a letter, the number of its
  // dimensions, one of them, its type, its offset. Of a key: its length, a
  // letter, the type and a byte of the value.
  auto tensors = parseCount("the number of tensors", 8 + 1 + 4 + 8 + 4 + 8);
  if (!tensors.ok())
    return tensors.status();
  auto keys = parseCount("the number of keys", 8 + 1 + 4 + 1);
  if (!keys.ok())
    return keys.status();
  for (uint64_t i = 0; i < *keys; ++i)
    VM_RETURN_IF_ERROR(parseEntry());
  VM_RETURN_IF_ERROR(sortKeys());
  VM_RETURN_IF_ERROR(parseAlignment());
  for (uint64_t i = 0; i < *tensors; ++i)
    VM_RETURN_IF_ERROR(parseTensor());
  VM_RETURN_IF_ERROR(sortTensors());
  VM_RETURN_IF_ERROR(placeTensors());
  head_.bytes = reader_.takeBytes();
  return std::move(head_);
}

} // namespace

Result<GgufHead> readGgufHead(const InputFile &file) {
  return HeadParser(file).parse();
}

} // namespace vm::llm
