//===- CRanks.h - communicators of gpuvm.h --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an application gives as a gpuvm_communicator, as the runtime takes it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/include/gpuvm.h"
#include "runtime/ranks/Communicator.h"

#include <memory>

namespace vm {

/// `ranks` must outlive it. Code::Usage if it cannot be one.
Result<std::shared_ptr<Communicator>>
makeCommunicator(const gpuvm_communicator &ranks);

} // namespace vm
