//===- PlanFile.cpp - reading and writing .gvplan files -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanFile.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/InputFile.h"
#include "runtime/plan/BarrierReasons.h"
#include "runtime/plan/Container.h"
#include "runtime/plan/Hazards.h"
#include "runtime/plan/KernelCheck.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/ManifestJson.h"
#include "runtime/plan/PlanVerifier.h"
#include "runtime/plan/PlanVersion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

namespace vm {
namespace {

constexpr const char *kReading = "Reading the plan";

template <typename... Args>
Status bad(fmt::format_string<Args...> format, Args &&...args) {
  return Status(Code::BadInput,
                fmt::format(format, std::forward<Args>(args)...));
}

std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// SPIR-V is stored as little-endian words.
std::vector<uint8_t> toBytes(const std::vector<uint32_t> &words) {
  std::vector<uint8_t> bytes;
  bytes.reserve(words.size() * 4);
  for (uint32_t word : words)
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<uint8_t>(word >> shift));
  return bytes;
}

Result<std::vector<uint32_t>> toWords(std::span<const uint8_t> bytes,
                                      uint32_t kernel) {
  if (bytes.size() % 4 != 0)
    return bad("The SPIR-V of kernel {} has {} bytes (a multiple of 4 is "
               "needed).",
               kernel, bytes.size());
  std::vector<uint32_t> words(bytes.size() / 4);
  for (size_t i = 0; i < bytes.size(); ++i)
    words[i / 4] |= uint32_t(bytes[i]) << (8 * (i % 4));
  return words;
}

/// Fills what the manifest leaves open from the other sections.
Status fillFromSections(const std::vector<Section> &sections, Plan &plan,
                        const Deadline &deadline) {
  size_t kernels = 0, chunks = 0;
  for (const Section &section : sections) {
    kernels += section.kind == SectionKind::Spirv;
    chunks += section.kind == SectionKind::Data;
  }
  if (kernels != plan.kernels.size())
    return bad("The manifest has {} kernels and the file has {} SPIR-V "
               "sections.",
               plan.kernels.size(), kernels);
  if (chunks != plan.initialData.size())
    return bad("The manifest has {} data chunks and the file has {} data "
               "sections.",
               plan.initialData.size(), chunks);
  for (const Section &section : sections) {
    VM_RETURN_IF_ERROR(deadline.check(kReading));
    if (section.kind == SectionKind::Spirv) {
      auto words = toWords(section.bytes, section.index);
      if (!words.ok())
        return words.status();
      plan.kernels[section.index].spirv = std::move(*words);
    } else if (section.kind == SectionKind::Data) {
      auto &bytes = plan.initialData[section.index].bytes;
      if (bytes.size() != section.bytes.size())
        return bad("Data chunk {} has {} bytes in the manifest and {} in its "
                   "section.",
                   section.index, bytes.size(), section.bytes.size());
      bytes.assign(section.bytes.begin(), section.bytes.end());
    } else if (section.kind == SectionKind::Module) {
      plan.module.assign(section.bytes.begin(), section.bytes.end());
    }
  }
  return {};
}

/// What is left to check of a plan that verifyPlan takes.
Status checkVerifiedPlan(const Plan &plan, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(checkKernels(plan, deadline));
  return checkHazards(plan, deadline);
}

Result<Plan> parsePlan(std::span<const uint8_t> bytes,
                       const Deadline &deadline) {
  auto sections = readContainer(bytes, deadline);
  if (!sections.ok())
    return sections.status();
  std::span<const uint8_t> manifest = sections->front().bytes;
  auto plan = manifestFromJson(
      {reinterpret_cast<const char *>(manifest.data()), manifest.size()},
      statedMinor(bytes), bytes.size(), deadline);
  if (!plan.ok())
    return plan.status();
  VM_RETURN_IF_ERROR(fillFromSections(*sections, *plan, deadline));
  VM_RETURN_IF_ERROR(verifyPlan(*plan, deadline));
  VM_RETURN_IF_ERROR(checkMinor(*plan, statedMinor(bytes)));
  VM_RETURN_IF_ERROR(checkVerifiedPlan(*plan, deadline));
  VM_RETURN_IF_ERROR(statedMinor(bytes) >= kMinorOfTrueReasons
                         ? checkReasons(*plan, deadline)
                         : dropUntrueReasons(*plan, deadline));
  return plan;
}

using Header = std::array<uint8_t, kHeaderBytes>;

/// The header of a file that begins as a plan does; zeros after its end.
Result<Header> readHeader(const InputFile &file) {
  Header header = {};
  std::span<uint8_t> start(header.data(),
                           std::min(file.sizeBytes(), kHeaderBytes));
  VM_RETURN_IF_ERROR(file.readAt(0, start));
  VM_RETURN_IF_ERROR(checkMagic(start));
  return header;
}

/// The bytes of a regular file that begins as a plan does. Nothing else is
/// read: neither a pipe without an end nor gigabytes that are no plan.
Result<std::vector<uint8_t>> readFile(const std::string &path) {
  auto file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  if (file->sizeBytes() > limits::kMaxFileBytes)
    return bad("The file has {} bytes (at most {} are allowed).",
               file->sizeBytes(), limits::kMaxFileBytes);
  if (auto header = readHeader(*file); !header.ok())
    return header.status();
  auto bytes = allocateBytes(file->sizeBytes());
  if (bytes.ok())
    VM_RETURN_IF_ERROR(file->readAt(0, *bytes));
  return bytes;
}

} // namespace

Status checkPlan(const Plan &plan, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(verifyPlan(plan, deadline));
  VM_RETURN_IF_ERROR(checkVerifiedPlan(plan, deadline));
  return checkReasons(plan, deadline);
}

std::vector<uint8_t> writePlan(const Plan &plan) {
  std::string manifest = manifestToJson(plan);
  std::vector<std::vector<uint8_t>> modules;
  for (const Kernel &kernel : plan.kernels)
    modules.push_back(toBytes(kernel.spirv));

  std::vector<Section> sections;
  sections.push_back({SectionKind::Manifest, 0, bytesOf(manifest)});
  for (uint32_t i = 0; i < modules.size(); ++i)
    sections.push_back({SectionKind::Spirv, i, modules[i]});
  for (uint32_t i = 0; i < plan.initialData.size(); ++i)
    sections.push_back({SectionKind::Data, i, plan.initialData[i].bytes});
  if (!plan.module.empty())
    sections.push_back({SectionKind::Module, 0, bytesOf(plan.module)});
  return writeContainer(sections,
                        std::max(newestPart(plan).minor, kMinorOfStageIndices));
}

Result<Plan> readPlan(std::span<const uint8_t> bytes,
                      const Deadline &deadline) {
  try {
    Result<Plan> plan = parsePlan(bytes, deadline);
    if (plan.ok())
      plan->identity = planIdentity(bytes);
    return plan;
  } catch (const std::bad_alloc &) {
    return Status(Code::OutOfMemory,
                  fmt::format("Host memory does not suffice for a plan file of "
                              "{} bytes.",
                              bytes.size()));
  }
}

Result<Plan> loadPlan(const std::string &path, uint64_t timeoutNs) {
  std::string context = fmt::format("loading \"{}\"", path);
  try {
    auto bytes = readFile(path);
    if (!bytes.ok())
      return bytes.status().withContext(context);
    auto plan = readPlan(*bytes, Deadline(timeoutNs));
    if (!plan.ok())
      return plan.status().withContext(context);
    return plan;
  } catch (const std::bad_alloc &) {
    return Status(Code::OutOfMemory, "Host memory is exhausted.")
        .withContext(context);
  }
}

/// The bytes of a plan that is checked.
static Result<std::vector<uint8_t>> encode(const Plan &plan) {
  std::vector<uint8_t> bytes = writePlan(plan);
  // The manifest or the file may have become too large to be read back.
  if (auto sections = readContainer(bytes); !sections.ok())
    return sections.status();
  return bytes;
}

Result<std::vector<uint8_t>> encodePlan(const Plan &plan) {
  VM_RETURN_IF_ERROR(checkPlan(plan));
  return encode(plan);
}

Result<std::vector<uint8_t>> encodePlanOfCheckedKernels(const Plan &plan) {
  VM_RETURN_IF_ERROR(verifyPlan(plan));
  VM_RETURN_IF_ERROR(checkHazards(plan));
  return encode(plan);
}

static Status save(const std::string &path,
                   const Result<std::vector<uint8_t>> &bytes) {
  if (!bytes.ok())
    return bytes.status().withContext(fmt::format("saving \"{}\"", path));
  return writeFileAtomically(path, *bytes);
}

Status savePlan(const std::string &path, const Plan &plan) {
  return save(path, encodePlan(plan));
}

Status savePlanOfCheckedKernels(const std::string &path, const Plan &plan) {
  return save(path, encodePlanOfCheckedKernels(plan));
}

Result<uint64_t> readPlanIdentity(const std::string &path) {
  std::string context = fmt::format("reading \"{}\"", path);
  auto file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(context);
  auto header = readHeader(*file);
  if (!header.ok())
    return header.status().withContext(context);
  return planIdentity(*header);
}

} // namespace vm
