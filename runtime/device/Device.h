//===- Device.h - an open Vulkan device -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One VkDevice, its compute queue and its functions, and Owned<T>, which
// destroys a Vulkan object with the device it came from.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/DriverCalls.h"
#include "runtime/base/Status.h"
#include "runtime/device/DeviceInfo.h"
#include "runtime/device/Instance.h"
#include "runtime/device/VulkanApi.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace vm {

class Device;

/// The functions of a device. Each call `table->vkX(...)` is a DriverCall if
/// the driver is lavapipe.
class DriverTable {
public:
  DriverTable(const VolkDeviceTable &table, bool isFragile)
      : table_(&table), isFragile_(isFragile) {}

  /// Lives until the end of the expression.
  class Call {
  public:
    explicit Call(const DriverTable &driver)
        : table_(driver.table_), call_(driver.isFragile_) {}
    const VolkDeviceTable *operator->() const { return table_; }

  private:
    const VolkDeviceTable *table_;
    DriverCall call_;
  };
  Call operator->() const { return Call(*this); }

private:
  const VolkDeviceTable *table_;
  bool isFragile_;
};

/// A Vulkan object that is destroyed with its owner. Must not outlive the
/// Device it was made from.
template <typename T> class Owned {
public:
  using Destroy = void(VKAPI_PTR *)(VkDevice, T, const VkAllocationCallbacks *);

  Owned() = default;
  Owned(const Device &device, T handle, Destroy destroy)
      : device_(&device), handle_(handle), destroy_(destroy) {}
  Owned(Owned &&other) noexcept { *this = std::move(other); }
  Owned &operator=(Owned &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~Owned();

  T get() const { return handle_; }
  explicit operator bool() const { return handle_ != VK_NULL_HANDLE; }

private:
  const Device *device_ = nullptr;
  T handle_ = VK_NULL_HANDLE;
  Destroy destroy_ = nullptr;
};

/// What a device checks of the accesses of kernels, where it can.
enum class Robustness : uint8_t {
  None,
  Buffers,  ///< Those of storage buffers.
  Matrices, ///< And of cooperative matrices in storage buffers.
};

class Device {
public:
  /// Opens device `index` of `instance` with every feature a plan can ask for
  /// that the device has, and with as much robustness. The instance must
  /// outlive the device.
  static Result<std::unique_ptr<Device>>
  open(const Instance &instance, uint32_t index, Robustness robustness);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const DeviceInfo &info() const { return info_; }
  VkDevice handle() const { return handle_; }
  VkQueue queue() const { return queue_; }
  DriverTable vk() const { return {table_, info_.lavapipe}; }
  /// Calls a function that destroys an object of this device.
  template <typename T>
  void destroy(typename Owned<T>::Destroy function, T handle) const {
    DriverCall call(info_.lavapipe);
    function(handle_, handle, nullptr);
  }
  /// Whether kernels stay within the memory of their storage buffers, and
  /// whether loads and stores of cooperative matrices do.
  bool boundsBuffers() const { return boundsBuffers_; }
  bool boundsMatrices() const { return boundsMatrices_; }
  /// Whether Workgroup variables may have initializers of zeros.
  bool clearsWorkgroup() const { return clearsWorkgroup_; }
  /// Whether sampleClocks can read the device's clock.
  bool calibratesClocks() const { return calibratesClocks_; }
  /// Whether buffers can be exported as file descriptors.
  bool exportsMemory() const { return exportsMemory_; }
  /// Whether host memory can be imported as buffers.
  bool importsHostMemory() const { return importsHostMemory_; }
  /// Whether VK_EXT_conditional_rendering can be used.
  bool predicates() const { return predicates_; }

  /// Gives a Vulkan object a name for debuggers and validation messages.
  void setName(VkObjectType type, uint64_t handle,
               const std::string &name) const;
  /// Whether a layer or a tool reads labels.
  bool hasLabels() const { return instance_.vk().cmdBeginLabel; }
  /// Labels the commands recorded until endLabel.
  void beginLabel(VkCommandBuffer commands, const std::string &name) const;
  void endLabel(VkCommandBuffer commands) const;

  /// Work on the queue never ended: from now on destroying Vulkan objects would
  /// be undefined, so everything that belongs to this device is leaked, and the
  /// instance with it.
  void abandon() const {
    abandoned_ = true;
    instance_.abandon();
  }
  bool abandoned() const { return abandoned_; }

private:
  Device(const Instance &instance, const DeviceInfo &info)
      : instance_(instance), info_(info) {}
  Status create(const PhysicalDevice &physical, Robustness robustness);

  const Instance &instance_;
  DeviceInfo info_;
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VolkDeviceTable table_ = {};
  bool calibratesClocks_ = false;
  bool exportsMemory_ = false;
  bool importsHostMemory_ = false;
  bool predicates_ = false;
  bool boundsBuffers_ = false, boundsMatrices_ = false;
  bool clearsWorkgroup_ = false;
  mutable bool abandoned_ = false;
};

template <typename T> Owned<T>::~Owned() {
  if (handle_ != VK_NULL_HANDLE && !device_->abandoned())
    device_->destroy(destroy_, handle_);
}

} // namespace vm
