//===- StateFileFuzz.cpp - any bytes through the reader of state files ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one small plan, whose symbols overlap in part. The checksum
// would stop nearly every mutation at the door, so the mutator puts it right. A
// file that is refused leaves all values as they are; one that is taken gives
// each byte of the symbols once.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/StateFile.h"

#include <xxhash.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace vm;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static void require(bool condition) {
  if (!condition)
    abort();
}

static Symbol symbol(const char *name, DType dtype, std::vector<int64_t> shape,
                     Window window) {
  Symbol symbol;
  symbol.name = name;
  symbol.dtype = dtype;
  symbol.shape = std::move(shape);
  symbol.window = window;
  return symbol;
}

static Plan makePlan() {
  Plan plan;
  plan.regionBytes = {0, 256, 1024, 256, 0};
  plan.symbols = {
      symbol("prices", DType::F32, {3, 4}, {Region::Globals, 256, 48}),
      symbol("all prices", DType::I8, {64}, {Region::Globals, 256, 64}),
      symbol("count", DType::I64, {}, {Region::Metrics, 0, 8}),
      symbol("stop", DType::I32, {}, {Region::Control, 0, 4}),
  };
  return plan;
}

/// Bytes of the regions that are in a symbol.
static constexpr size_t kValueBytes = 64 + 8 + 4;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Plan plan = makePlan();
  static const int file = memfd_create("state", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  require(ftruncate(file, 0) == 0 &&
          pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  std::set<std::pair<Region, uint64_t>> places;
  std::vector<uint8_t> written;
  auto write = [&](Region region, uint64_t offset,
                   std::span<const uint8_t> bytes) {
    for (size_t i = 0; i < bytes.size(); ++i)
      places.insert({region, offset + i});
    written.insert(written.end(), bytes.begin(), bytes.end());
    return Status();
  };
  Status status = readState(plan, path, write);
  if (!status.ok()) {
    require(status.code() == Code::BadInput && written.empty());
    require(status.message().ends_with('.'));
    require(status.message().size() < 16384);
    return 0;
  }
  require(written.size() == kValueBytes && places.size() == kValueBytes);
  // They are the last of the file but for its checksum.
  const uint8_t *values = data + size - sizeof(uint64_t) - kValueBytes;
  require(std::memcmp(written.data(), values, kValueBytes) == 0);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, maxSize);
  if (size < sizeof(uint64_t) || seed % 8 == 0)
    return size;
  uint64_t sum = XXH3_64bits(data, size - sizeof(sum));
  std::memcpy(data + size - sizeof(sum), &sum, sizeof(sum));
  return size;
}
