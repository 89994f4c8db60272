//===- NcclLibrary.cpp - NCCL and CUDA's driver, opened at run time -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/NcclLibrary.h"

#include <fmt/format.h>

#include <dlfcn.h>

namespace vm {

static const char *const kDriver = "libcuda.so.1";
static const char *const kNccl = "libnccl.so.2";

static Status refuse(const std::string &why) {
  return Status(Code::NoDevice, why + ".");
}

namespace {
/// A library and the first of its functions that is not there.
class Library {
public:
  explicit Library(const char *name)
      : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_)
      error_ = fmt::format("{} cannot be opened ({})", name, dlerror());
  }
  template <typename T> void load(T &field, const char *name) {
    void *symbol = handle_ ? dlsym(handle_, name) : nullptr;
    if (!symbol && error_.empty())
      error_ = fmt::format("{} has no {}", name_, name);
    field = reinterpret_cast<T>(symbol);
    isComplete_ &= symbol != nullptr;
  }
  bool isComplete() const { return isComplete_; }
  const std::string &error() const { return error_; }

private:
  const char *name_;
  void *handle_;
  bool isComplete_ = true;
  std::string error_;
};
} // namespace

Result<NcclLibrary> NcclLibrary::open() {
  NcclLibrary result{};
  Library driver(kDriver);
  driver.load(result.init, "cuInit");
  driver.load(result.deviceGetCount, "cuDeviceGetCount");
  driver.load(result.deviceGet, "cuDeviceGet");
  driver.load(result.deviceGetUuid, "cuDeviceGetUuid_v2");
  driver.load(result.contextRetain, "cuDevicePrimaryCtxRetain");
  driver.load(result.contextRelease, "cuDevicePrimaryCtxRelease_v2");
  driver.load(result.contextSet, "cuCtxSetCurrent");
  driver.load(result.streamCreate, "cuStreamCreate");
  driver.load(result.streamDestroy, "cuStreamDestroy_v2");
  driver.load(result.streamQuery, "cuStreamQuery");
  driver.load(result.importMemory, "cuImportExternalMemory");
  driver.load(result.mapMemory, "cuExternalMemoryGetMappedBuffer");
  driver.load(result.destroyMemory, "cuDestroyExternalMemory");
  driver.load(result.freeAddress, "cuMemFree_v2");
  driver.load(result.errorName, "cuGetErrorName");
  if (!driver.isComplete())
    return refuse(driver.error());
  Library nccl(kNccl);
  int (*getVersion)(int *) = nullptr;
  nccl.load(getVersion, "ncclGetVersion");
  nccl.load(result.getUniqueId, "ncclGetUniqueId");
  nccl.load(result.commInitRank, "ncclCommInitRank");
  nccl.load(result.commDestroy, "ncclCommDestroy");
  nccl.load(result.commAbort, "ncclCommAbort");
  nccl.load(result.commGetAsyncError, "ncclCommGetAsyncError");
  nccl.load(result.groupStart, "ncclGroupStart");
  nccl.load(result.groupEnd, "ncclGroupEnd");
  nccl.load(result.send, "ncclSend");
  nccl.load(result.receive, "ncclRecv");
  nccl.load(result.errorString, "ncclGetErrorString");
  if (!nccl.isComplete())
    return refuse(nccl.error());
  int version = 0;
  VM_RETURN_IF_ERROR(
      result.checkNccl(getVersion(&version), "ask NCCL for its version"));
  constexpr int kMajor = 10000, kMinor = 100; // Since 2.9.
  result.version = fmt::format("NCCL {}.{}.{}", version / kMajor,
                               version % kMajor / kMinor, version % kMinor);
  return result;
}

Status NcclLibrary::checkCuda(int result, const char *action) const {
  if (result == cuda::kSuccess)
    return {};
  const char *name = nullptr;
  errorName(result, &name);
  return refuse(
      fmt::format("Cannot {} ({})", action, name ? name : "unknown error"));
}

Status NcclLibrary::checkNccl(int result, const char *action) const {
  if (result == nccl::kSuccess)
    return {};
  return refuse(fmt::format("Cannot {} ({})", action, errorString(result)));
}

} // namespace vm
