//===- Remains.h - abandoned executions -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that runs cannot be stopped, and nothing that it uses may be freed.
// When a VM gives an execution up, the instance, the device and the executor
// come here, until the kernel ends after all. An instance of its own each: on
// lavapipe the devices of one instance wait for each other's kernels.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/device/Device.h"
#include "runtime/device/Instance.h"
#include "runtime/exec/Executor.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace vm {

/// In the order of creation, so that it is destroyed in reverse. Neither copied
/// nor moved: an assignment would destroy the old members in the order of their
/// declaration, the instance before its device.
struct Remains {
  Remains(std::unique_ptr<Instance> instance, std::unique_ptr<Device> device,
          std::unique_ptr<Executor> executor)
      : instance(std::move(instance)), device(std::move(device)),
        executor(std::move(executor)) {}
  Remains(const Remains &) = delete;
  Remains &operator=(const Remains &) = delete;

  std::unique_ptr<Instance> instance;
  std::unique_ptr<Device> device;
  std::unique_ptr<Executor> executor;
};

/// Keeps `remains` as long as the device works on them; from any thread.
void keepWhileBusy(std::unique_ptr<Remains> remains);

/// Frees the remains that no device works on any more, and counts the others.
size_t freeFinishedRemains();

} // namespace vm
