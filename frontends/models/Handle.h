//===- Handle.h - common code of gpuvm-models.h ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/DevicePlan.h"
#include "frontends/include/gpuvm-models.h"
#include "runtime/base/Status.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

namespace vm::models {

/// The sentence of a thread's last failure.
inline std::string &lastError() {
  thread_local std::string text;
  return text;
}

/// Runs `body`, which returns a Status; nothing is thrown.
template <typename Body> int guard(Body body) {
  try {
    Status status = body();
    lastError() = status.ok() ? "" : status.message();
    return static_cast<int>(status.code());
  } catch (const std::bad_alloc &) {
    return static_cast<int>(Code::OutOfMemory); // Without words.
  } catch (const std::exception &error) {
    lastError() = error.what();
    return static_cast<int>(Code::OutOfMemory);
  }
}

inline std::string textOf(const char *text) { return text ? text : ""; }

inline std::vector<std::string> textsOf(const char *const *texts,
                                        size_t count) {
  std::vector<std::string> copies;
  for (size_t i = 0; texts && i < count; ++i)
    copies.push_back(textOf(texts[i]));
  return copies;
}

/// What a caller with an older header has given; the rest is as `init` leaves
/// it.
template <typename Struct>
Result<Struct> widen(const Struct *given, void (*init)(Struct *)) {
  if (!given)
    return Status(Code::Usage, "A struct is a null pointer.");
  if (given->struct_bytes < sizeof(size_t))
    return Status(Code::Usage, "The field struct_bytes is not set.");
  Struct full;
  init(&full);
  std::memcpy(static_cast<void *>(&full), given,
              std::min(given->struct_bytes, sizeof full));
  full.struct_bytes = sizeof full;
  return full;
}

/// Gives the caller as much of `full` as it has room for.
template <typename Struct> Status fill(Struct *out, Struct full) {
  if (!out || out->struct_bytes < sizeof(size_t))
    return {Code::Usage, "A struct is a null pointer, or its struct_bytes is "
                         "not set."};
  full.struct_bytes = out->struct_bytes;
  std::memcpy(static_cast<void *>(out), &full,
              std::min(out->struct_bytes, sizeof full));
  return {};
}

inline DeviceOptions deviceOf(const gpuvm_place &place) {
  DeviceOptions options;
  options.device = textOf(place.device);
  if (place.timeout_ms)
    options.timeoutMs = place.timeout_ms;
  options.vramBudgetBytes = place.vram_budget_bytes;
  options.validate = place.validate != 0;
  return options;
}

inline bool isSet(const int *flag) {
  return flag && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

} // namespace vm::models
