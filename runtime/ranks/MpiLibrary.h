//===- MpiLibrary.h - Open MPI, opened at run time ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of MPI that messages need, found in libmpi.so.40: Open MPI 4
// and 5, whose handles are addresses of objects that the library exports
// (ompi_mpi_comm_world and others; mpi.h). No header of MPI is needed to build
// this, and programs without ranks run where there is no MPI.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <cstddef>
#include <string>

namespace vm {

/// Types and values of Open MPI's binary interface (ompi/include/mpi.h).
namespace mpi {
struct CommObject;
struct RequestObject;
struct DatatypeObject;
struct ErrhandlerObject;
using Comm = CommObject *;
using Request = RequestObject *;
using Datatype = DatatypeObject *;
using Errhandler = ErrhandlerObject *;
struct MessageStatus {
  int source, tag, error;
  int cancelled;
  size_t bytes;
};
constexpr int kSuccess = 0;
constexpr int kTruncated = 15;         ///< MPI_ERR_TRUNCATE
constexpr int kThreadSerialized = 2;   ///< MPI_THREAD_SERIALIZED
constexpr int kAnySource = -1;         ///< MPI_ANY_SOURCE
constexpr int kMaxErrorString = 256;   ///< MPI_MAX_ERROR_STRING
constexpr int kMaxVersionString = 256; ///< MPI_MAX_LIBRARY_VERSION_STRING
} // namespace mpi

/// Is never closed: MPI leaves threads and handlers in its process.
struct MpiLibrary {
  mpi::Comm world;
  mpi::Datatype byte;
  mpi::Errhandler errorsReturn;
  mpi::Request nullRequest;
  std::string version; ///< "Open MPI v4.1.4".

  int (*initialized)(int *flag);
  int (*finalized)(int *flag);
  int (*initThread)(int *argc, char ***argv, int required, int *provided);
  int (*finalize)();
  int (*commSize)(mpi::Comm, int *size);
  int (*commRank)(mpi::Comm, int *rank);
  int (*commIdup)(mpi::Comm, mpi::Comm *copy, mpi::Request *request);
  int (*commSetErrhandler)(mpi::Comm, mpi::Errhandler);
  int (*isend)(const void *data, int count, mpi::Datatype, int rank, int tag,
               mpi::Comm, mpi::Request *);
  int (*irecv)(void *data, int count, mpi::Datatype, int rank, int tag,
               mpi::Comm, mpi::Request *);
  int (*test)(mpi::Request *, int *flag, mpi::MessageStatus *);
  int (*cancel)(mpi::Request *);
  int (*requestFree)(mpi::Request *);
  int (*getCount)(const mpi::MessageStatus *, mpi::Datatype, int *count);
  int (*errorString)(int error, char *text, int *length);

  /// Code::Usage if there is no MPI here, or another one than Open MPI.
  static Result<MpiLibrary> open();

  /// The sentence of an error of MPI, without its full stop.
  std::string describe(int error) const;
};

} // namespace vm
