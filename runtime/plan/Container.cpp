//===- Container.cpp - the sections of a .gvplan file ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Container.h"

#include "runtime/plan/Limits.h"
#include "runtime/plan/PlanVersion.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace vm {
namespace {

/// 0x89 catches tools that strip the eighth bit, the line ends those that
/// translate text (PNG specification, section 5.2).
constexpr uint8_t kMagic[8] = {0x89, 'G', 'V', 'P', '\r', '\n', 0x1A, '\n'};

// Offsets within the header and within a table entry.
constexpr uint64_t kMajorAt = 8, kMinorAt = 10, kCountAt = 12;
constexpr uint64_t kFileBytesAt = 16, kTableHashAt = 24;
constexpr uint64_t kKindAt = 0, kIndexAt = 4;
constexpr uint64_t kOffsetAt = 8, kSizeAt = 16, kHashAt = 24;

template <typename T> T load(std::span<const uint8_t> bytes, uint64_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(T(bytes[at + i]) << (8 * i));
  return value;
}

template <typename T>
void store(std::vector<uint8_t> &bytes, uint64_t at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

uint64_t hash(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

template <typename... Args>
Status bad(fmt::format_string<Args...> format, Args &&...args) {
  return Status(Code::BadInput,
                fmt::format(format, std::forward<Args>(args)...));
}

/// The next payload start; file sizes are far below overflow here.
uint64_t alignPayload(uint64_t at) {
  return (at + kPayloadAlignment - 1) / kPayloadAlignment * kPayloadAlignment;
}

bool isKnown(SectionKind kind) {
  return kind == SectionKind::Manifest || kind == SectionKind::Spirv ||
         kind == SectionKind::Data || kind == SectionKind::Module;
}

/// Whether a file may have several sections of the kind.
bool isList(SectionKind kind) {
  return kind == SectionKind::Spirv || kind == SectionKind::Data;
}

uint64_t maxBytes(SectionKind kind) {
  switch (kind) {
  case SectionKind::Manifest:
    return limits::kMaxManifestBytes;
  case SectionKind::Spirv:
    return limits::kMaxSpirvBytes;
  case SectionKind::Module:
    return limits::kMaxModuleBytes;
  case SectionKind::Data:
    break;
  }
  return limits::kMaxFileBytes;
}

/// Magic, version, size and section count: enough to read the table.
Status checkHeader(std::span<const uint8_t> file) {
  VM_RETURN_IF_ERROR(checkMagic(file));
  if (file.size() < kHeaderBytes)
    return bad("The file has {} bytes (the header alone needs {}).",
               file.size(), kHeaderBytes);
  uint16_t major = load<uint16_t>(file, kMajorAt);
  uint16_t minor = load<uint16_t>(file, kMinorAt);
  if (major != kPlanFormatMajor || minor > kPlanFormatMinor)
    return bad("The plan has format version {}.{} (this reader knows {}.0 to "
               "{}.{}).",
               major, minor, kPlanFormatMajor, kPlanFormatMajor,
               kPlanFormatMinor);
  uint64_t fileBytes = load<uint64_t>(file, kFileBytesAt);
  if (fileBytes != file.size())
    return bad("The header states {} bytes and the file has {}.", fileBytes,
               file.size());
  if (fileBytes > limits::kMaxFileBytes)
    return bad("The file has {} bytes (at most {} are allowed).", fileBytes,
               limits::kMaxFileBytes);
  uint32_t count = load<uint32_t>(file, kCountAt);
  if (count < 1 || count > limits::kMaxSections)
    return bad("The plan has {} sections (1 to {} are allowed).", count,
               limits::kMaxSections);
  if (kHeaderBytes + count * kSectionEntryBytes > file.size())
    return bad("The table of {} sections ends at byte {} past the end of the "
               "file ({} bytes).",
               count, kHeaderBytes + count * kSectionEntryBytes, file.size());
  return {};
}

Status checkZeros(std::span<const uint8_t> file, uint64_t begin, uint64_t end) {
  for (uint64_t i = begin; i < end; ++i)
    if (file[i] != 0)
      return bad("Padding byte {} of the file is {} (0 is needed).", i,
                 file[i]);
  return {};
}

/// A manifest comes first; after that the kind stays and the index grows by
/// one, or the kind grows and the index starts at 0.
Status checkOrder(uint32_t number, const Section &section,
                  const Section *before) {
  if (!isKnown(section.kind))
    return bad("Section {} has an unknown kind ({}).", number,
               static_cast<uint32_t>(section.kind));
  bool first =
      section.index == 0 && (before ? section.kind > before->kind
                                    : section.kind == SectionKind::Manifest);
  bool next = before && section.kind == before->kind && isList(section.kind) &&
              section.index == before->index + 1;
  if (first || next)
    return {};
  return bad("Section {} (kind {}, index {}) is out of order.", number,
             static_cast<uint32_t>(section.kind), section.index);
}

/// Reads entry `number`, whose payload must start at byte `start`.
Result<Section> readSection(std::span<const uint8_t> file, uint32_t number,
                            const Section *before, uint64_t start) {
  auto entry = file.subspan(kHeaderBytes + number * kSectionEntryBytes,
                            kSectionEntryBytes);
  Section section;
  section.kind = static_cast<SectionKind>(load<uint32_t>(entry, kKindAt));
  section.index = load<uint32_t>(entry, kIndexAt);
  VM_RETURN_IF_ERROR(checkOrder(number, section, before));
  uint64_t offset = load<uint64_t>(entry, kOffsetAt);
  uint64_t size = load<uint64_t>(entry, kSizeAt);
  if (offset != start)
    return bad("Section {} starts at byte {} (byte {} is next).", number,
               offset, start);
  if (size < 1 || size > maxBytes(section.kind))
    return bad("Section {} has {} bytes (1 to {} are allowed).", number, size,
               maxBytes(section.kind));
  if (start > file.size() || size > file.size() - start)
    return bad("Section {} ends at byte {} past the end of the file ({} "
               "bytes).",
               number, start + size, file.size());
  section.bytes = file.subspan(start, size);
  if (hash(section.bytes) != load<uint64_t>(entry, kHashAt))
    return bad("The checksum of section {} does not match its {} bytes.",
               number, size);
  return section;
}

} // namespace

uint16_t statedMinor(std::span<const uint8_t> file) {
  return load<uint16_t>(file, kMinorAt);
}

uint64_t planIdentity(std::span<const uint8_t> file) {
  return load<uint64_t>(file, kTableHashAt);
}

std::vector<uint8_t> writeContainer(std::span<const Section> sections,
                                    uint16_t minor) {
  uint64_t tableEnd = kHeaderBytes + sections.size() * kSectionEntryBytes;
  uint64_t end = alignPayload(tableEnd);
  for (const Section &section : sections)
    end = alignPayload(end + section.bytes.size());

  std::vector<uint8_t> file(end, 0);
  std::memcpy(file.data(), kMagic, sizeof(kMagic));
  store(file, kMajorAt, kPlanFormatMajor);
  store(file, kMinorAt, minor);
  store(file, kCountAt, static_cast<uint32_t>(sections.size()));
  store(file, kFileBytesAt, end);
  uint64_t entry = kHeaderBytes;
  uint64_t start = alignPayload(tableEnd);
  for (const Section &section : sections) {
    store(file, entry + kKindAt, static_cast<uint32_t>(section.kind));
    store(file, entry + kIndexAt, section.index);
    store(file, entry + kOffsetAt, start);
    store(file, entry + kSizeAt, static_cast<uint64_t>(section.bytes.size()));
    store(file, entry + kHashAt, hash(section.bytes));
    std::copy(section.bytes.begin(), section.bytes.end(),
              file.begin() + static_cast<ptrdiff_t>(start));
    entry += kSectionEntryBytes;
    start = alignPayload(start + section.bytes.size());
  }
  auto table = std::span<const uint8_t>(file).subspan(kHeaderBytes,
                                                      tableEnd - kHeaderBytes);
  store(file, kTableHashAt, hash(table));
  return file;
}

Status checkMagic(std::span<const uint8_t> start) {
  size_t magicBytes = std::min(start.size(), sizeof(kMagic));
  if (start.empty() || std::memcmp(start.data(), kMagic, magicBytes) != 0)
    return bad("The file does not begin with the magic bytes of a plan.");
  return {};
}

Result<std::vector<Section>> readContainer(std::span<const uint8_t> file,
                                           const Deadline &deadline) {
  VM_RETURN_IF_ERROR(checkHeader(file));
  uint32_t count = load<uint32_t>(file, kCountAt);
  uint64_t tableBytes = count * kSectionEntryBytes;
  if (hash(file.subspan(kHeaderBytes, tableBytes)) !=
      load<uint64_t>(file, kTableHashAt))
    return bad("The checksum of the section table does not match its {} "
               "bytes.",
               tableBytes);

  std::vector<Section> sections;
  uint64_t end = kHeaderBytes + tableBytes;
  for (uint32_t i = 0; i < count; ++i) {
    VM_RETURN_IF_ERROR(deadline.check("Reading the plan"));
    uint64_t start = alignPayload(end);
    Result<Section> section = readSection(
        file, i, sections.empty() ? nullptr : &sections.back(), start);
    if (!section.ok())
      return section.status();
    VM_RETURN_IF_ERROR(checkZeros(file, end, start));
    end = start + section->bytes.size();
    sections.push_back(*section);
  }
  if (alignPayload(end) != file.size())
    return bad("The last section ends at byte {} and the file has {} bytes ({} "
               "are needed).",
               end, file.size(), alignPayload(end));
  VM_RETURN_IF_ERROR(checkZeros(file, end, file.size()));
  return sections;
}

} // namespace vm
