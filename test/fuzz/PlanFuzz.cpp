//===- PlanFuzz.cpp - any bytes through the plan reader -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checksums would stop nearly every mutation at the door, so the mutator takes
// the container apart, changes one payload (the manifest mostly as a tree) and
// puts it together again. A plan that is accepted must be sound: it passes all
// checks again, and what is written from it is the same file.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/BoundedKernel.h"
#include "runtime/plan/Container.h"
#include "runtime/plan/Hazards.h"
#include "runtime/plan/KernelReflection.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/view/PlanPage.h"
#include "runtime/view/Values.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <cstring>
#include <random>

using namespace vm;
using json = nlohmann::ordered_json;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static void require(bool condition) {
  if (!condition)
    abort();
}

/// What a page shows of any plan makes sense.
static void checkView(const Plan &plan) {
  Result<PlanValues> found = findValues(plan);
  require(found.ok());
  for (const Value &value : found->values) {
    require(value.begin <= value.end);
    require(plan.commands.empty() || value.end < plan.commands.size());
    for (const ValueReader &reader : value.readers) {
      require(reader.command < plan.commands.size());
      require(reader.bytes > 0 && reader.bytes <= value.window.length);
    }
  }
  Result<std::string> data = viewJson(plan, {.title = plan.program});
  require(data.ok() && json::accept(*data));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Plan> plan = readPlan({data, size});
  if (!plan.ok()) {
    require(plan.status().code() == Code::BadInput);
    require(plan.status().message().ends_with('.'));
    require(plan.status().message().size() < 16384);
    return 0;
  }
  require(checkPlan(*plan).ok());
  std::vector<uint8_t> file = writePlan(*plan);
  Result<Plan> back = readPlan(file);
  require(back.ok() && writePlan(*back) == file);
  (void)findDependences(*plan);
  checkView(*plan);
  for (const Kernel &kernel : plan->kernels)
    (void)decompileToGlsl(kernel.name, kernel.spirv);
  // What has bounds can be given them again.
  if (boundKernels(*plan).ok())
    require(boundKernels(*plan).ok());
  return 0;
}

namespace {

/// Every value of a tree, in order.
void collect(json &value, std::vector<json *> &values) {
  values.push_back(&value);
  for (json &child : value)
    if (value.is_structured())
      collect(child, values);
}

json randomNumber(std::mt19937 &random) {
  static const uint64_t kNumbers[] = {
      0,   1,   2,     4,     5,          64,        255,       256,
      257, 512, 65535, 65536, UINT32_MAX, INT64_MAX, UINT64_MAX};
  switch (random() % 4) {
  case 0:
    return -static_cast<int64_t>(random());
  case 1:
    return random() / 3.0;
  case 2:
    return 256 * (random() % 20);
  default:
    return kNumbers[random() % std::size(kNumbers)];
  }
}

/// One small change of a tree: another number, a copy of another value, or one
/// element more or less.
void mutateTree(json &root, std::mt19937 &random) {
  std::vector<json *> values;
  collect(root, values);
  json &value = *values[random() % values.size()];
  json other = *values[random() % values.size()];
  switch (random() % 4) {
  case 0:
    if (value.is_array() && !value.empty())
      value.erase(random() % value.size());
    else
      value = other;
    return;
  case 1:
    if (value.is_array())
      value.push_back(value.empty() ? other : value[random() % value.size()]);
    else if (value.is_boolean())
      value = !value.get<bool>();
    else
      value = randomNumber(random);
    return;
  case 2:
    if (value.is_number())
      value = randomNumber(random);
    else if (value.type() == other.type())
      value = other;
    return;
  default:
    if (value.is_object() && !value.empty())
      value.erase(std::next(value.begin(), random() % value.size()));
    else if (value.is_number())
      value = randomNumber(random);
    return;
  }
}

std::vector<uint8_t> mutateManifest(std::span<const uint8_t> text,
                                    std::mt19937 &random) {
  json root = json::parse(text.begin(), text.end(), nullptr,
                          /*allow_exceptions=*/false);
  if (root.is_discarded())
    return {text.begin(), text.end()};
  for (unsigned i = 0; i <= random() % 3; ++i)
    mutateTree(root, random);
  std::string changed =
      root.dump(-1, ' ', false, json::error_handler_t::replace);
  return {changed.begin(), changed.end()};
}

std::vector<uint8_t> mutateBytes(std::span<const uint8_t> bytes,
                                 size_t maxSize) {
  std::vector<uint8_t> buffer(bytes.begin(), bytes.end());
  buffer.resize(std::max(maxSize, bytes.size()));
  buffer.resize(LLVMFuzzerMutate(buffer.data(), bytes.size(), buffer.size()));
  return buffer;
}

/// Flips, replaces or swaps whole words: SPIR-V is made of them.
std::vector<uint8_t> mutateWords(std::span<const uint8_t> bytes,
                                 std::mt19937 &random) {
  std::vector<uint8_t> changed(bytes.begin(), bytes.end());
  size_t words = bytes.size() / 4;
  for (unsigned i = 0; words > 0 && i <= random() % 3; ++i) {
    uint32_t word = random() % 3 ? random() % 64 : random();
    size_t to = 4 * (random() % words);
    if (random() % 2)
      std::memcpy(&word, &changed[4 * (random() % words)], 4);
    std::memcpy(&changed[to], &word, 4);
  }
  return changed;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::mt19937 random(seed);
  auto sections = readContainer({data, size});
  if (!sections.ok() || random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  // The manifest as often as everything else together.
  size_t chosen = random() % 2 ? 0 : random() % sections->size();
  Section &section = (*sections)[chosen];
  std::vector<uint8_t> payload;
  if (random() % 4 == 0 || section.kind == SectionKind::Module)
    payload = mutateBytes(section.bytes, maxSize / 2);
  else if (section.kind == SectionKind::Manifest)
    payload = mutateManifest(section.bytes, random);
  else
    payload = mutateWords(section.bytes, random);
  section.bytes = payload;
  std::vector<uint8_t> file =
      writeContainer(*sections, statedMinor({data, size}));
  if (file.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, file.data(), file.size());
  return file.size();
}
