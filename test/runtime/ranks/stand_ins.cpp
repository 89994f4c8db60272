//===- stand_ins.cpp - what NCCL and CUDA's driver are asked for ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries with the names and functions of theirs, of which none does anything
// but ncclCommInitRank: it connects, fails or hangs, as STAND_IN_NCCL says.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <cstring>
#include <string_view>

#include <unistd.h>

#define STAND_IN(NAME)                                                         \
  extern "C" int NAME();                                                       \
  extern "C" int NAME() { return 0; }

// The names are CUDA's. NOLINTBEGIN(readability-identifier-naming)
#ifdef STAND_IN_CUDA
STAND_IN(cuInit)
STAND_IN(cuDeviceGet)
STAND_IN(cuDevicePrimaryCtxRetain)
STAND_IN(cuDevicePrimaryCtxRelease_v2)
STAND_IN(cuCtxSetCurrent)
STAND_IN(cuStreamCreate)
STAND_IN(cuStreamDestroy_v2)
STAND_IN(cuStreamQuery)
STAND_IN(cuImportExternalMemory)
STAND_IN(cuExternalMemoryGetMappedBuffer)
STAND_IN(cuDestroyExternalMemory)
STAND_IN(cuMemFree_v2)
STAND_IN(cuGetErrorName)

extern "C" int cuDeviceGetCount(int *count);
extern "C" int cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}
extern "C" int cuDeviceGetUuid_v2(unsigned char *uuid, int device);
extern "C" int cuDeviceGetUuid_v2(unsigned char *uuid, int) {
  const unsigned char own[16] = {1, 2, 3};
  std::memcpy(uuid, own, sizeof(own));
  return 0;
}
#else
STAND_IN(ncclGetUniqueId)
STAND_IN(ncclCommDestroy)
STAND_IN(ncclCommAbort)
STAND_IN(ncclCommGetAsyncError)
STAND_IN(ncclGroupStart)
STAND_IN(ncclGroupEnd)
STAND_IN(ncclSend)
STAND_IN(ncclRecv)

extern "C" int ncclGetVersion(int *version);
extern "C" int ncclGetVersion(int *version) {
  *version = 22803;
  return 0;
}
extern "C" const char *ncclGetErrorString(int error);
extern "C" const char *ncclGetErrorString(int) { return "no network"; }

extern "C" int ncclCommInitRank(void **comm);
extern "C" int ncclCommInitRank(void **comm) {
  const char *what = std::getenv("STAND_IN_NCCL");
  std::string_view does = what ? what : "";
  if (does == "hangs")
    sleep(3600);
  if (does != "connects")
    return 1;
  static int connected;
  *comm = &connected;
  return 0;
}
#endif
// NOLINTEND(readability-identifier-naming)
