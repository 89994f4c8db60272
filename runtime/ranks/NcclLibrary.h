//===- NcclLibrary.h - NCCL and CUDA's driver, opened at run time ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that links need, of libnccl.so.2 and libcuda.so.1, whose binary
// interfaces their makers keep (nccl.h, cuda.h).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace vm {

/// Types and values of the driver's binary interface.
namespace cuda {
struct ContextObject;
struct StreamObject;
struct ExternalMemoryObject;
using Context = ContextObject *;
using Stream = StreamObject *;
using ExternalMemory = ExternalMemoryObject *;
using Uuid = std::array<uint8_t, 16>;
/// CUDA_EXTERNAL_MEMORY_HANDLE_DESC
struct ExternalMemoryHandle {
  int type = 1; ///< CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
  union {
    int descriptor;
    void *other[2];
  };
  unsigned long long bytes = 0;
  unsigned flags = 0;
  unsigned reserved[16] = {};
};
/// CUDA_EXTERNAL_MEMORY_BUFFER_DESC
struct ExternalMemoryBuffer {
  unsigned long long offset = 0, bytes = 0;
  unsigned flags = 0;
  unsigned reserved[16] = {};
};
constexpr int kSuccess = 0;
constexpr int kNotReady = 600;       ///< CUDA_ERROR_NOT_READY
constexpr unsigned kNonBlocking = 1; ///< CU_STREAM_NON_BLOCKING
} // namespace cuda

namespace nccl {
struct CommObject;
using Comm = CommObject *;
struct UniqueId {
  char bytes[128];
};
constexpr int kSuccess = 0;
constexpr int kUint8 = 1; ///< ncclUint8
} // namespace nccl

/// Is never closed: both leave threads in their process.
struct NcclLibrary {
  std::string version; ///< "NCCL 2.28.9"

  // The driver.
  int (*init)(unsigned flags);
  int (*deviceGetCount)(int *count);
  int (*deviceGet)(int *device, int ordinal);
  int (*deviceGetUuid)(cuda::Uuid *uuid, int device);
  int (*contextRetain)(cuda::Context *context, int device);
  int (*contextRelease)(int device);
  int (*contextSet)(cuda::Context context);
  int (*streamCreate)(cuda::Stream *stream, unsigned flags);
  int (*streamDestroy)(cuda::Stream stream);
  int (*streamQuery)(cuda::Stream stream);
  int (*importMemory)(cuda::ExternalMemory *memory,
                      const cuda::ExternalMemoryHandle *handle);
  int (*mapMemory)(void **address, cuda::ExternalMemory memory,
                   const cuda::ExternalMemoryBuffer *buffer);
  int (*destroyMemory)(cuda::ExternalMemory memory);
  int (*freeAddress)(void *address);
  int (*errorName)(int error, const char **name);

  // NCCL.
  int (*getUniqueId)(nccl::UniqueId *id);
  int (*commInitRank)(nccl::Comm *comm, int ranks, nccl::UniqueId id, int rank);
  int (*commDestroy)(nccl::Comm comm);
  int (*commAbort)(nccl::Comm comm);
  int (*commGetAsyncError)(nccl::Comm comm, int *error);
  int (*groupStart)();
  int (*groupEnd)();
  int (*send)(const void *data, size_t count, int type, int rank,
              nccl::Comm comm, cuda::Stream stream);
  int (*receive)(void *data, size_t count, int type, int rank, nccl::Comm comm,
                 cuda::Stream stream);
  const char *(*errorString)(int error);

  static Result<NcclLibrary> open();
  /// Ok, or `Cannot <action> (<the error's name>).`
  Status checkCuda(int result, const char *action) const;
  Status checkNccl(int result, const char *action) const;
};

} // namespace vm
