//===- CStream.cpp - streams through callbacks of C -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CStream.h"

#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/Stream.h"

#include <fmt/format.h>

#include <cstring>

namespace vm {

static Status stopped(const char *callback, const char *name, uint64_t chunk,
                      int value) {
  return Status(Code::Usage,
                fmt::format("The {} callback of \"{}\" stopped the stream at "
                            "chunk {} (it returned {}).",
                            callback, name, chunk, value));
}

static Status checkPointers(const gpuvm_stream &stream) {
  auto missing = [](const char *const *names, size_t count, bool callback) {
    if (count > 0 && (!names || !callback))
      return true;
    for (size_t i = 0; i < count; ++i)
      if (!names[i])
        return true;
    return false;
  };
  if (missing(stream.inputs, stream.num_inputs, stream.refill))
    return Status(Code::Usage, "The stream's inputs, one of their names or its "
                               "refill callback is a null pointer.");
  if (missing(stream.outputs, stream.num_outputs, stream.drain))
    return Status(Code::Usage, "The stream's outputs, one of their names or "
                               "its drain callback is a null pointer.");
  return {};
}

using Scope = SharedVm::StreamScope;

static StreamInput makeInput(Scope &scope, const gpuvm_stream &stream,
                             const Input &input, uint32_t index,
                             const char *name) {
  uint64_t capacity = input.shape.empty() ? 0 : uint64_t(input.shape[0]);
  auto refill = [&scope, &stream, name,
                 capacity](uint64_t chunk,
                           std::span<uint8_t> bytes) -> Result<Refill> {
    uint64_t rows = capacity;
    int last = 0;
    int value = scope.unlocked([&] {
      return stream.refill(stream.user, name, chunk, bytes.data(), bytes.size(),
                           &rows, &last);
    });
    if (value != 0)
      return stopped("refill", name, chunk, value);
    return Refill{rows, last != 0};
  };
  return {index, refill};
}

static StreamOutput makeOutput(Scope &scope, const gpuvm_stream &stream,
                               uint32_t index, const char *name) {
  auto drain = [&scope, &stream, name](
                   uint64_t chunk, std::span<const uint8_t> bytes) -> Status {
    int value = scope.unlocked([&] {
      return stream.drain(stream.user, name, chunk, bytes.data(), bytes.size());
    });
    return value == 0 ? Status() : stopped("drain", name, chunk, value);
  };
  return {index, drain};
}

static Status runStream(Executor &executor, Scope &scope,
                        const gpuvm_stream &stream, uint64_t &chunks) {
  const Plan &plan = executor.plan();
  std::vector<StreamInput> inputs;
  for (size_t i = 0; i < stream.num_inputs; ++i) {
    Result<uint32_t> index = findInput(plan, stream.inputs[i]);
    if (!index.ok())
      return index.status();
    inputs.push_back(makeInput(scope, stream, plan.inputs[*index], *index,
                               stream.inputs[i]));
  }
  std::vector<StreamOutput> outputs;
  for (size_t i = 0; i < stream.num_outputs; ++i) {
    Result<uint32_t> index = findOutput(plan, stream.outputs[i]);
    if (!index.ok())
      return index.status();
    outputs.push_back(makeOutput(scope, stream, *index, stream.outputs[i]));
  }
  StreamOptions options;
  options.wait = [&scope] { return scope.wait(); };
  options.executed = [&scope, &chunks] {
    ++chunks;
    return scope.checkCancelled();
  };
  return runStream(executor, inputs, outputs, options).status();
}

/// The stream of a caller whose struct may be an older, shorter one.
static Result<gpuvm_stream> copyOf(const gpuvm_stream &stream) {
  constexpr size_t kFirstBytes = 64; // Of the first version of the struct.
  gpuvm_stream full = {};
  if (stream.struct_bytes < kFirstBytes || stream.struct_bytes > sizeof(full))
    return Status(Code::Usage,
                  fmt::format("The stream has {} bytes (this library's has "
                              "{}; set struct_bytes to sizeof(gpuvm_stream)).",
                              stream.struct_bytes, sizeof(full)));
  std::memcpy(&full, &stream, stream.struct_bytes);
  VM_RETURN_IF_ERROR(checkPointers(full));
  return full;
}

Status runStream(SharedVm &shared, const gpuvm_stream &stream,
                 uint64_t &chunks) {
  return shared.stream([&](Executor &executor, Scope &scope) -> Status {
    Result<gpuvm_stream> full = copyOf(stream);
    return full.ok() ? runStream(executor, scope, *full, chunks)
                     : full.status();
  });
}

} // namespace vm
