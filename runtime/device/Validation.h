//===- Validation.h - messages of the validation layer --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The validation layer speaks through a callback on whatever thread makes a
// Vulkan call. The library prints nothing: messages are kept until asked for.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/device/VulkanApi.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace vm {

/// Collects validation errors and warnings. Safe to use from any thread.
class ValidationSink {
public:
  void add(std::string message);
  /// What is being recorded: the end of the messages that come meanwhile.
  void setContext(std::string context);
  size_t count() const;
  /// All messages since boot, oldest first.
  std::vector<std::string> messages() const;
  /// Ok if no message has come since the last call; else Code::WrongResult
  /// with the first new one and how many there are.
  Status takeStatus();

private:
  mutable std::mutex mutex_;
  std::atomic<bool> fresh_ = false; ///< Whether there is more than was taken.
  std::vector<std::string> messages_;
  std::string context_;
  size_t taken_ = 0;
};

/// The messenger that feeds `sink`; the sink must outlive it.
VkDebugUtilsMessengerCreateInfoEXT messengerInfo(ValidationSink &sink);

/// True if the environment variable GPUVM_VALIDATE is set and not "0".
bool validationFromEnvironment();

} // namespace vm
