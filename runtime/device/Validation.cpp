//===- Validation.cpp - messages of the validation layer ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The debug-utils callback and the list it appends to.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Validation.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <cstdlib>
#include <new>
#include <string_view>

namespace vm {

void ValidationSink::add(std::string message) {
  std::lock_guard lock(mutex_);
  if (!context_.empty())
    message += fmt::format(" - while recording \"{}\"", context_);
  messages_.push_back(std::move(message));
  fresh_ = true;
}

void ValidationSink::setContext(std::string context) {
  std::lock_guard lock(mutex_);
  context_ = std::move(context);
}

size_t ValidationSink::count() const {
  std::lock_guard lock(mutex_);
  return messages_.size();
}

std::vector<std::string> ValidationSink::messages() const {
  std::lock_guard lock(mutex_);
  return messages_;
}

Status ValidationSink::takeStatus() {
  if (!fresh_) // Every call asks: a lock would cost more than a poll.
    return {};
  std::lock_guard lock(mutex_);
  fresh_ = false;
  size_t fresh = messages_.size() - taken_;
  if (fresh == 0)
    return {};
  std::string first = messages_[taken_];
  taken_ = messages_.size();
  return Status(Code::WrongResult,
                fmt::format("Vulkan validation reports {} (allowed: 0), first: "
                            "{}",
                            fresh, first));
}

static VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(
    VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
    const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  try {
    // It may quote a module of the plan.
    static_cast<ValidationSink *>(user)->add(
        printableLines(data->pMessage ? data->pMessage : "(no text)"));
  } catch (const std::bad_alloc &) {
    // There is no memory for it, and no way through a C library for more.
    return VK_FALSE;
  }
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messengerInfo(ValidationSink &sink) {
  VkDebugUtilsMessengerCreateInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = onMessage;
  info.pUserData = &sink;
  return info;
}

bool validationFromEnvironment() {
  const char *value = std::getenv("GPUVM_VALIDATE");
  return value && *value && std::string_view(value) != "0";
}

} // namespace vm
