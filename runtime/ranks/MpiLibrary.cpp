//===- MpiLibrary.cpp - Open MPI, opened at run time ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/MpiLibrary.h"

#include <fmt/format.h>

#include <dlfcn.h>

namespace vm {

/// The name that Open MPI has given the library since 3.0.
static const char *const kLibrary = "libmpi.so.40";

namespace {
/// Fills fields of MpiLibrary, and keeps the first name that is not there.
struct Loader {
  void *library;
  std::string missing;

  template <typename T> void load(T &field, const char *name) {
    void *symbol = dlsym(library, name);
    if (!symbol && missing.empty())
      missing = name;
    field = reinterpret_cast<T>(symbol);
  }
};
} // namespace

static Status refuse(const std::string &why) {
  return Status(Code::Usage,
                fmt::format("Several ranks need Open MPI, and {} (Debian: "
                            "openmpi-bin, libopenmpi3; --ranks=off runs this "
                            "process alone).",
                            why));
}

Result<MpiLibrary> MpiLibrary::open() {
  // Open MPI opens plugins, which look for symbols of this library.
  void *library = dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return refuse(fmt::format("{} cannot be opened: {}", kLibrary, dlerror()));
  MpiLibrary mpi{};
  Loader loader{library, ""};
  int (*getVersion)(char *, int *) = nullptr;
  loader.load(getVersion, "MPI_Get_library_version");
  loader.load(mpi.world, "ompi_mpi_comm_world");
  loader.load(mpi.byte, "ompi_mpi_byte");
  loader.load(mpi.errorsReturn, "ompi_mpi_errors_return");
  loader.load(mpi.nullRequest, "ompi_request_null");
  loader.load(mpi.initialized, "MPI_Initialized");
  loader.load(mpi.finalized, "MPI_Finalized");
  loader.load(mpi.initThread, "MPI_Init_thread");
  loader.load(mpi.finalize, "MPI_Finalize");
  loader.load(mpi.commSize, "MPI_Comm_size");
  loader.load(mpi.commRank, "MPI_Comm_rank");
  loader.load(mpi.commIdup, "MPI_Comm_idup");
  loader.load(mpi.commSetErrhandler, "MPI_Comm_set_errhandler");
  loader.load(mpi.isend, "MPI_Isend");
  loader.load(mpi.irecv, "MPI_Irecv");
  loader.load(mpi.test, "MPI_Test");
  loader.load(mpi.cancel, "MPI_Cancel");
  loader.load(mpi.requestFree, "MPI_Request_free");
  loader.load(mpi.getCount, "MPI_Get_count");
  loader.load(mpi.errorString, "MPI_Error_string");
  if (!loader.missing.empty())
    return refuse(fmt::format("the {} of this system has no {}", kLibrary,
                              loader.missing));
  std::string text(mpi::kMaxVersionString, '\0');
  int length = 0;
  getVersion(text.data(), &length);
  text.resize(static_cast<size_t>(length));
  if (!text.starts_with("Open MPI"))
    return refuse(fmt::format("the {} of this system is \"{}\"", kLibrary,
                              text.substr(0, text.find(','))));
  mpi.version = text.substr(0, text.find(','));
  return mpi;
}

std::string MpiLibrary::describe(int error) const {
  std::string text(mpi::kMaxErrorString, '\0');
  int length = 0;
  if (errorString(error, text.data(), &length) != mpi::kSuccess)
    return fmt::format("error {}", error);
  text.resize(static_cast<size_t>(length));
  return text;
}

} // namespace vm
