//===- NpyHeader.cpp - the header of a .npy file --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive-descent parser without the recursion: the dict literal is flat,
// so one cursor and one function per Python literal do.
//
//===----------------------------------------------------------------------===//

#include "runtime/io/NpyHeader.h"
#include "runtime/io/Elements.h"

#include <charconv>
#include <fmt/format.h>

using namespace vm;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct DescrEntry {
  std::string_view code; ///< Kind and size, without the byte order.
  DType dtype;
};

// .npy has no bf16; ml_dtypes writes its bfloat16 as two bytes of any kind, V2.
// Signless types: unsigned maps to the type of its width. The first entry of
// a DType is the one that is written, unless it is of the wrong sign.
constexpr DescrEntry kDescrs[] = {
    {"b1", DType::I1},   {"i1", DType::I8},  {"u1", DType::I8},
    {"i2", DType::I16},  {"u2", DType::I16}, {"i4", DType::I32},
    {"u4", DType::I32},  {"i8", DType::I64}, {"u8", DType::I64},
    {"f2", DType::F16},  {"f4", DType::F32}, {"f8", DType::F64},
    {"V2", DType::BF16},
};

/// numpy may leave out the byte order of one byte, and of bytes of any kind.
bool hasNoOrder(DType dtype) {
  return byteSize(dtype) == 1 || dtype == DType::BF16;
}

Status bad(std::string message) {
  return Status(Code::BadInput, std::move(message));
}

/// Printable form of file text, cut to a readable length.
std::string quote(std::string_view text) {
  constexpr size_t limit = 40;
  std::string out = "\"";
  for (unsigned char c : text.substr(0, limit))
    out += c >= 0x20 && c < 0x7f ? std::string(1, static_cast<char>(c))
                                 : fmt::format("\\x{:02x}", c);
  return out + (text.size() > limit ? "...\"" : "\"");
}

/// Parses the header text into dtype and shape.
class DictParser {
public:
  explicit DictParser(std::string_view text) : text_(text) {}

  Result<NpyHeader> parse();

private:
  Status parseEntry();
  Status parseValue(std::string_view key);
  Status parseDescr();
  Status parseFortranOrder();
  Status parseShape();
  Status parseDim();
  Result<std::string_view> parseString(const char *what);
  Status checkComplete() const;
  Status expectEnd();

  void skipSpace();
  bool accept(char c);
  Status unexpected(const char *wanted) const;

  std::string_view text_;
  size_t pos_ = 0;
  NpyHeader header_;
  bool hasDescr_ = false, hasOrder_ = false, hasShape_ = false;
};

void DictParser::skipSpace() {
  while (pos_ < text_.size() &&
         (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\n'))
    ++pos_;
}

bool DictParser::accept(char c) {
  skipSpace();
  if (pos_ == text_.size() || text_[pos_] != c)
    return false;
  ++pos_;
  return true;
}

Status DictParser::unexpected(const char *wanted) const {
  if (pos_ == text_.size())
    return bad(fmt::format("The header ends where {} is expected.", wanted));
  return bad(fmt::format("The header has {} at byte {} where {} is expected.",
                         quote(text_.substr(pos_, 1)), pos_, wanted));
}

Result<NpyHeader> DictParser::parse() {
  if (!accept('{'))
    return unexpected("\"{\"");
  while (!accept('}')) {
    VM_RETURN_IF_ERROR(parseEntry());
    if (accept(','))
      continue;
    if (!accept('}'))
      return unexpected("\",\" or \"}\"");
    break;
  }
  VM_RETURN_IF_ERROR(expectEnd());
  VM_RETURN_IF_ERROR(checkComplete());
  return header_;
}

Status DictParser::parseEntry() {
  Result<std::string_view> key = parseString("a key");
  if (!key.ok())
    return key.status();
  if (!accept(':'))
    return unexpected("\":\"");
  skipSpace();
  return parseValue(*key);
}

Status DictParser::parseValue(std::string_view key) {
  bool *seen = key == "descr"           ? &hasDescr_
               : key == "fortran_order" ? &hasOrder_
               : key == "shape"         ? &hasShape_
                                        : nullptr;
  if (!seen)
    return bad(fmt::format("The header has the unknown key {}.", quote(key)));
  if (*seen)
    return bad(fmt::format("The header has the key {} twice.", quote(key)));
  *seen = true;
  if (seen == &hasDescr_)
    return parseDescr();
  return seen == &hasOrder_ ? parseFortranOrder() : parseShape();
}

Result<std::string_view> DictParser::parseString(const char *what) {
  skipSpace();
  char mark = pos_ < text_.size() ? text_[pos_] : '\0';
  if (mark != '\'' && mark != '"')
    return unexpected(what);
  size_t start = ++pos_;
  while (pos_ < text_.size() && text_[pos_] != mark) {
    if (text_[pos_] == '\\' || text_[pos_] == '\n')
      return unexpected("a plain character");
    ++pos_;
  }
  if (pos_ == text_.size())
    return unexpected("a closing quote");
  return text_.substr(start, pos_++ - start);
}

Status DictParser::parseDescr() {
  if (pos_ < text_.size() && text_[pos_] == '[')
    return bad("The array has a structured type; only plain numbers are read.");
  Result<std::string_view> parsed = parseString("a type");
  if (!parsed.ok())
    return parsed.status();
  std::string_view descr = *parsed;
  std::string_view code = descr.substr(descr.empty() ? 0 : 1);
  if (descr.ends_with('O'))
    return bad(fmt::format("The array holds pickled Python objects (type {}), "
                           "which are never read.",
                           quote(descr)));
  if (descr.starts_with('>'))
    return bad(fmt::format("The array is big-endian (type {}); only "
                           "little-endian data is read.",
                           quote(descr)));
  if (descr == "bfloat16")
    code = "V2", descr = "<V2";
  for (const DescrEntry &entry : kDescrs) {
    bool orderFits = descr.starts_with('<') ||
                     (descr.starts_with('|') && hasNoOrder(entry.dtype));
    if (entry.code == code && orderFits) {
      header_.dtype = entry.dtype;
      header_.isUnsigned = entry.code[0] == 'u';
      return {};
    }
  }
  return bad(
      fmt::format("The array's type {} is not supported; bool, integers "
                  "of 8 to 64 bits, floats of 16 to 64 bits and bfloat16 "
                  "(V2) are.",
                  quote(descr)));
}

Status DictParser::parseFortranOrder() {
  std::string_view rest = text_.substr(pos_);
  if (rest.starts_with("True"))
    return bad("The array is in Fortran order; only C order is read.");
  if (!rest.starts_with("False"))
    return unexpected("True or False");
  pos_ += std::string_view("False").size();
  return {};
}

Status DictParser::parseShape() {
  if (!accept('('))
    return unexpected("\"(\"");
  bool needsComma = false;
  while (!accept(')')) {
    if (header_.shape.size() == kMaxNpyRank)
      return bad(fmt::format("The array has more dimensions than the limit "
                             "({}).",
                             kMaxNpyRank));
    VM_RETURN_IF_ERROR(parseDim());
    needsComma = header_.shape.size() == 1;
    if (accept(',')) {
      needsComma = false;
      continue;
    }
    if (!accept(')'))
      return unexpected("\",\" or \")\"");
    break;
  }
  if (needsComma)
    return bad("The shape is a number in parentheses, not a tuple: a comma is "
               "missing.");
  return {};
}

Status DictParser::parseDim() {
  skipSpace();
  const char *begin = text_.data() + pos_, *end = text_.data() + text_.size();
  if (begin != end && *begin == '-')
    return bad(fmt::format("Dimension {} is negative.", header_.shape.size()));
  int64_t dim = 0;
  auto [rest, error] = std::from_chars(begin, end, dim);
  if (error == std::errc::result_out_of_range)
    return bad(fmt::format("Dimension {} is larger than the limit "
                           "(9223372036854775807).",
                           header_.shape.size()));
  if (error != std::errc())
    return unexpected("a dimension");
  if (*begin == '0' && rest - begin > 1)
    return bad(
        fmt::format("Dimension {} has a leading zero.", header_.shape.size()));
  pos_ += static_cast<size_t>(rest - begin);
  header_.shape.push_back(dim);
  return {};
}

Status DictParser::expectEnd() {
  skipSpace();
  if (pos_ != text_.size())
    return unexpected("the end");
  if (text_.back() != '\n')
    return bad("The header does not end with a line break.");
  return {};
}

Status DictParser::checkComplete() const {
  const char *missing = !hasDescr_   ? "descr"
                        : !hasOrder_ ? "fortran_order"
                        : !hasShape_ ? "shape"
                                     : nullptr;
  if (missing)
    return bad(fmt::format("The header lacks the key \"{}\".", missing));
  return {};
}

/// The header text's place in the file.
struct Preamble {
  uint64_t headerOffset;
  uint64_t headerBytes;
};

Result<Preamble> parsePreamble(std::span<const uint8_t> bytes) {
  if (bytes.empty())
    return bad("The file is empty.");
  size_t compared = std::min(bytes.size(), kMagic.size());
  if (std::memcmp(bytes.data(), kMagic.data(), compared) != 0)
    return bad("The file does not start with the magic string of a .npy file.");
  if (bytes.size() < kMagic.size() + 2)
    return bad(fmt::format("The file ends inside its preamble ({} bytes).",
                           bytes.size()));
  unsigned major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0)
    return bad(fmt::format("The .npy version {}.{} is not supported (1.0, 2.0 "
                           "and 3.0 are).",
                           major, minor));
  uint64_t lengthBytes = major == 1 ? 2 : 4;
  uint64_t headerOffset = kMagic.size() + 2 + lengthBytes;
  if (bytes.size() < headerOffset)
    return bad(fmt::format("The file ends inside its preamble ({} bytes).",
                           bytes.size()));
  uint64_t headerBytes = 0;
  for (uint64_t i = 0; i < lengthBytes; ++i)
    headerBytes |= uint64_t(bytes[kMagic.size() + 2 + i]) << (8 * i);
  return Preamble{headerOffset, headerBytes};
}

} // namespace

Result<NpyHeader> vm::parseNpyHeader(std::span<const uint8_t> bytes) {
  Result<Preamble> preamble = parsePreamble(bytes);
  if (!preamble.ok())
    return preamble.status();
  auto [offset, length] = *preamble;
  if (length > kMaxNpyHeaderBytes)
    return bad(fmt::format("The header is longer ({} bytes) than the limit "
                           "({}).",
                           length, kMaxNpyHeaderBytes));
  if (length > bytes.size() - offset)
    return bad(fmt::format("The header is longer ({} bytes) than the rest of "
                           "the file ({} bytes).",
                           length, bytes.size() - offset));
  std::string_view text(reinterpret_cast<const char *>(bytes.data()) + offset,
                        length);
  Result<NpyHeader> header = DictParser(text).parse();
  if (!header.ok())
    return header;
  std::optional<uint64_t> size = checkedByteSize(header->dtype, header->shape);
  if (!size)
    return bad("The shape has more bytes than the limit "
               "(9223372036854775807).");
  header->dataOffset = offset + length;
  header->dataBytes = *size;
  return header;
}

/// The descr numpy writes: one-byte types have no byte order.
static std::string descrOf(DType dtype, bool isUnsigned) {
  for (const DescrEntry &entry : kDescrs)
    if (entry.dtype == dtype && (!isUnsigned || entry.code[0] != 'i'))
      return fmt::format("{}{}", byteSize(dtype) == 1 ? '|' : '<', entry.code);
  return {};
}

std::vector<uint8_t> vm::formatNpyHeader(DType dtype,
                                         const std::vector<int64_t> &shape,
                                         bool isUnsigned) {
  std::string dims;
  for (int64_t dim : shape)
    dims += fmt::format("{}{}", dims.empty() ? "" : ", ", dim);
  if (shape.size() == 1)
    dims += ',';
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                  descrOf(dtype, isUnsigned), dims);
  constexpr size_t preamble = 10, alignment = 64;
  size_t unpadded = preamble + text.size() + 1;
  text.append((alignment - unpadded % alignment) % alignment, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(text.size() & 0xff),
             static_cast<char>(text.size() >> 8)};
  header += text;
  return {header.begin(), header.end()};
}
