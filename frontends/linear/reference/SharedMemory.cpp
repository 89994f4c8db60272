//===- SharedMemory.cpp - shared memory of machines -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/reference/SharedMemory.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace vm::linear {

SharedMemory::SharedMemory(const Program &program)
    : program_(&program), words_(program.sharedWords()),
      byBase_(program.buffers.size()) {
  for (const Buffer &buffer : program.buffers)
    if (buffer.kind == BufferKind::In)
      inputWords_ += buffer.size;
  std::iota(byBase_.begin(), byBase_.end(), 0);
  std::ranges::sort(byBase_, {},
                    [&](uint32_t i) { return program.buffers[i].base; });
}

Result<SharedMemory>
SharedMemory::create(const Program &program,
                     const std::vector<std::vector<float>> &inputs) {
  SharedMemory memory(program);
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer &buffer = program.buffers[i];
    if (buffer.kind != BufferKind::In && buffer.kind != BufferKind::InOut)
      continue;
    size_t size = i < inputs.size() ? inputs[i].size() : 0;
    if (size != buffer.size)
      return Status(Code::BadInput,
                    fmt::format("Buffer \"{}\" has {} elements, its input {}.",
                                buffer.name, buffer.size, size));
    std::ranges::copy(inputs[i], memory.words_.begin() + buffer.base);
  }
  return memory;
}

uint32_t SharedMemory::bufferOf(uint32_t address) const {
  auto after = std::ranges::upper_bound(byBase_, address, {}, [&](uint32_t i) {
    return program_->buffers[i].base;
  });
  return *(after - 1);
}

std::vector<std::vector<float>> SharedMemory::buffers() const {
  std::vector<std::vector<float>> all;
  for (const Buffer &buffer : program_->buffers) {
    auto begin = words_.begin() + buffer.base;
    all.emplace_back(begin, begin + buffer.size);
  }
  return all;
}

AccessRights::AccessRights(const Program &program, const Launch &launch)
    : isLimited_(launch.reads || launch.writes),
      readable_(program.buffers.size()), writable_(program.buffers.size()) {
  for (uint32_t buffer : launch.reads.value_or(std::vector<uint32_t>()))
    readable_[buffer] = true;
  for (uint32_t buffer : launch.writes.value_or(std::vector<uint32_t>()))
    readable_[buffer] = writable_[buffer] = true;
}

} // namespace vm::linear
