//===- Container.h - the sections of a .gvplan file -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Header, section table and payloads, without knowing what the payloads mean.
// The layout is canonical: sections in a fixed order, each at the first aligned
// byte after the one before, zeros between. So there is one file for one list
// of sections, and nothing can overlap or hide.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vm {

/// What a section holds. Sections are sorted by kind, then by index.
enum class SectionKind : uint32_t {
  Manifest = 1, ///< JSON text; exactly one.
  Spirv = 2,    ///< The module of kernel `index`.
  Data = 3,     ///< The bytes of initial data chunk `index`.
  Module = 4,   ///< MLIR text; at most one.
};

struct Section {
  SectionKind kind = SectionKind::Manifest;
  uint32_t index = 0;
  std::span<const uint8_t> bytes; ///< Within the file or the writer's input.
};

/// Bytes of the fixed header, of a table entry, and between payloads' starts.
inline constexpr uint64_t kHeaderBytes = 32;
inline constexpr uint64_t kSectionEntryBytes = 32;
inline constexpr uint64_t kPayloadAlignment = 256;

/// The file for `sections`, which must be in the canonical order. It states
/// minor version `minor`.
std::vector<uint8_t> writeContainer(std::span<const Section> sections,
                                    uint16_t minor);

/// Checks everything that can be checked without looking into a payload
/// (version, sizes, order, padding, checksums) and returns views into `file`:
/// one Manifest, Spirv 0..n-1, Data 0..m-1, at most one Module.
Result<std::vector<Section>> readContainer(std::span<const uint8_t> file,
                                           const Deadline &deadline = {});

/// Whether a file that begins with `start` (up to kHeaderBytes of it) can be a
/// plan: asked before the rest is read.
Status checkMagic(std::span<const uint8_t> start);

/// The minor version that a file which readContainer accepts states.
uint16_t statedMinor(std::span<const uint8_t> file);

/// What tells that file from others: the checksum of its section table, which
/// has the checksum of each section. Stands in the header.
uint64_t planIdentity(std::span<const uint8_t> file);

} // namespace vm
