//===- Instance.cpp - the Vulkan loader and its devices -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the library once per process, creates the instance, and queries every
// device.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Instance.h"

#include "runtime/base/AddressSpace.h"
#include "runtime/base/DriverCalls.h"
#include "runtime/device/DriverManifests.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

namespace vm {

static const char *const kValidationLayer = "VK_LAYER_KHRONOS_validation";

/// Keeps the drivers loaded until the process ends, with an instance that is
/// never destroyed: NVIDIA's driver (580) cannot be loaded any more after some
/// thirty times in one process (VK_ERROR_INCOMPATIBLE_DRIVER).
static void keepDriversLoaded() {
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  static VkInstance instance = VK_NULL_HANDLE;
  vkCreateInstance(&info, nullptr, &instance);
}

static Status loadVulkan() {
  static std::once_flag once;
  static VkResult result = VK_ERROR_INITIALIZATION_FAILED;
  std::call_once(once, [] {
    DriverCall call(loaderFindsLavapipe());
    result = volkInitialize();
    if (result == VK_SUCCESS && vkCreateInstance)
      keepDriversLoaded();
  });
  if (result == VK_SUCCESS && vkCreateInstance)
    return {};
  return Status(
      Code::NoDevice,
      "Vulkan is not installed on this machine (libvulkan.so.1 is not "
      "found; Debian has it in the packages libvulkan1 and "
      "mesa-vulkan-drivers).");
}

static Result<bool> hasLayer(const char *name) {
  static const char *const kAction = "list the Vulkan layers";
  uint32_t count = 0;
  VM_RETURN_IF_VK_ERROR(vkEnumerateInstanceLayerProperties(&count, nullptr),
                        kAction);
  std::vector<VkLayerProperties> layers(count);
  VM_RETURN_IF_VK_ERROR(
      vkEnumerateInstanceLayerProperties(&count, layers.data()), kAction);
  for (const VkLayerProperties &layer : layers)
    if (std::strcmp(layer.layerName, name) == 0)
      return true;
  return false;
}

static Result<bool> hasExtension(const char *layer, const char *name) {
  static const char *const kAction = "list the extensions of Vulkan";
  uint32_t count = 0;
  VM_RETURN_IF_VK_ERROR(
      vkEnumerateInstanceExtensionProperties(layer, &count, nullptr), kAction);
  std::vector<VkExtensionProperties> extensions(count);
  VM_RETURN_IF_VK_ERROR(
      vkEnumerateInstanceExtensionProperties(layer, &count, extensions.data()),
      kAction);
  for (const VkExtensionProperties &extension : extensions)
    if (std::strcmp(extension.extensionName, name) == 0)
      return true;
  return false;
}

/// Whether the loader, or the validation layer if it is to be used, knows
/// VK_EXT_debug_utils.
static Result<bool> hasDebugUtils(bool validate) {
  Result<bool> known = hasExtension(nullptr, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (!known.ok() || *known || !validate)
    return known;
  return hasExtension(kValidationLayer, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
}

/// What loader, lavapipe and LLVM map, and llvmpipe's threads, of which there
/// are at most 16 for drawing and 16 for computing, with some of the drivers'
/// own.
static uint64_t lavapipeBytes() {
  constexpr uint64_t kLibraries = 224u << 20; // Mesa 22.3, LLVM 15: 180 MiB.
  constexpr uint64_t kMaxThreads = 16, kOtherThreads = 4;
  uint64_t threads =
      std::clamp<uint64_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
  return kLibraries + (2 * threads + kOtherThreads) * threadStackBytes();
}

/// Of a process that has loaded the drivers before, there is an instance.
static Status checkMemoryForDrivers() {
  static std::atomic<bool> loaded = false;
  if (!loaded && loaderFindsLavapipe())
    VM_RETURN_IF_ERROR(
        checkAddressSpace(lavapipeBytes(), "load the Vulkan drivers"));
  loaded = true;
  return {};
}

Result<std::unique_ptr<Instance>>
Instance::create(bool validate, std::shared_ptr<ValidationSink> sink) {
  VM_RETURN_IF_ERROR(checkMemoryForDrivers());
  VM_RETURN_IF_ERROR(loadVulkan());
  std::unique_ptr<Instance> instance(new Instance(std::move(sink)));
  VM_RETURN_IF_ERROR(instance->createHandle(validate));
  instance->loadTable();
  VM_RETURN_IF_ERROR(instance->listDevices());
  return instance;
}

Status Instance::createHandle(bool validate) {
  if (volkGetInstanceVersion() < VK_API_VERSION_1_2)
    return Status(Code::NoDevice,
                  "The Vulkan loader of this machine is older than the oldest "
                  "version that works (1.2).");
  Result<bool> layer = validate ? hasLayer(kValidationLayer) : true;
  if (!layer.ok())
    return layer.status();
  if (!*layer)
    return Status(Code::NoDevice,
                  "Validation is asked for, but the layer "
                  "VK_LAYER_KHRONOS_validation is not installed (Debian has it "
                  "in the package vulkan-validationlayers).");
  validates_ = validate;

  std::vector<const char *> extensions;
  Result<bool> debugUtils = hasDebugUtils(validate);
  if (!debugUtils.ok())
    return debugUtils.status();
  debugUtils_ = *debugUtils;
  if (debugUtils_)
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (validate)
    extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);

  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "gpuvm";
  application.pEngineName = "gpuvm";
  application.apiVersion = VK_API_VERSION_1_3;

  VkValidationFeatureEnableEXT enables[] = {
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  VkValidationFeaturesEXT features = {
      VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = enables;
  VkDebugUtilsMessengerCreateInfoEXT messenger = messengerInfo(*sink_);
  messenger.pNext = &features;

  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (validate) {
    info.pNext = &messenger;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
  }
  std::unique_lock lock = lockLoader();
  DriverCall call(loaderFindsLavapipe());
  return checkVulkan(vkCreateInstance(&info, nullptr, &handle_),
                     "create a Vulkan instance");
}

void Instance::loadTable() {
  std::unique_lock lock = lockLoader();
  auto load = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        vkGetInstanceProcAddr(handle_, name));
  };
  load(table_.destroyInstance, "vkDestroyInstance");
  load(table_.enumeratePhysicalDevices, "vkEnumeratePhysicalDevices");
  load(table_.enumerateDeviceExtensions,
       "vkEnumerateDeviceExtensionProperties");
  load(table_.getProperties, "vkGetPhysicalDeviceProperties");
  load(table_.getProperties2, "vkGetPhysicalDeviceProperties2");
  load(table_.getFeatures2, "vkGetPhysicalDeviceFeatures2");
  load(table_.getMemoryProperties, "vkGetPhysicalDeviceMemoryProperties");
  load(table_.getMemoryProperties2, "vkGetPhysicalDeviceMemoryProperties2");
  load(table_.getQueueFamilies, "vkGetPhysicalDeviceQueueFamilyProperties");
  load(table_.getExternalBuffers,
       "vkGetPhysicalDeviceExternalBufferProperties");
  load(table_.createDevice, "vkCreateDevice");
  load(table_.getMatrices, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
  load(table_.getTimeDomains, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT");
  PFN_vkGetDeviceProcAddr getDeviceProcAddr = nullptr;
  load(getDeviceProcAddr, "vkGetDeviceProcAddr");
  // volkLoadDeviceTable needs this one global. It is the loader's own function,
  // which is the same for every instance.
  static std::once_flag once;
  std::call_once(once, [&] { vkGetDeviceProcAddr = getDeviceProcAddr; });
  if (!debugUtils_)
    return;
  load(table_.createMessenger, "vkCreateDebugUtilsMessengerEXT");
  load(table_.destroyMessenger, "vkDestroyDebugUtilsMessengerEXT");
  load(table_.setObjectName, "vkSetDebugUtilsObjectNameEXT");
  load(table_.cmdBeginLabel, "vkCmdBeginDebugUtilsLabelEXT");
  load(table_.cmdEndLabel, "vkCmdEndDebugUtilsLabelEXT");
}

Status Instance::listDevices() {
  if (validates_ && table_.createMessenger) {
    VkDebugUtilsMessengerCreateInfoEXT info = messengerInfo(*sink_);
    VM_RETURN_IF_VK_ERROR(
        table_.createMessenger(handle_, &info, nullptr, &messenger_),
        "create a debug messenger");
  }
  auto enumerate = [&](uint32_t *count, VkPhysicalDevice *handles) {
    DriverCall call(loaderFindsLavapipe());
    return checkVulkan(table_.enumeratePhysicalDevices(handle_, count, handles),
                       "list the Vulkan devices");
  };
  uint32_t count = 0;
  VM_RETURN_IF_ERROR(enumerate(&count, nullptr));
  std::vector<VkPhysicalDevice> handles(count);
  VM_RETURN_IF_ERROR(enumerate(&count, handles.data()));
  for (VkPhysicalDevice handle : handles) {
    PhysicalDevice device;
    device.handle = handle;
    infos_.push_back(queryDevice(table_, device));
    physical_.push_back(device);
  }
  return {};
}

uint64_t Instance::freeDeviceBytes(uint32_t index) const {
  return queryFreeBytes(table_, physical_[index], infos_[index]);
}

/// Keeps the sink of an instance that is never destroyed: its messenger may
/// still write to it.
static void keepForever(std::shared_ptr<ValidationSink> sink) {
  static std::mutex mutex;
  static auto &sinks = *new std::vector<std::shared_ptr<ValidationSink>>();
  std::lock_guard lock(mutex);
  sinks.push_back(std::move(sink));
}

Instance::~Instance() {
  if (abandoned_) {
    keepForever(sink_);
    return;
  }
  std::unique_lock lock = lockLoader();
  DriverCall call(loaderFindsLavapipe());
  if (messenger_)
    table_.destroyMessenger(handle_, messenger_, nullptr);
  if (handle_ && table_.destroyInstance)
    table_.destroyInstance(handle_, nullptr);
}

} // namespace vm
