//===- ProcessIdentity.h - which process a rank is ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks tell each other which process of which host they are. Those of one host
// can be counted, and seen to have ended long before a message is late.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace vm {

/// Sent as it is.
struct ProcessIdentity {
  uint64_t host = 0;         ///< Of this boot of its kernel.
  uint64_t pidNamespace = 0; ///< In which `pid` means something; or 0.
  int64_t pid = 0;
  std::array<char, 64> hostName{}; ///< Ends with a zero.

  static ProcessIdentity own();
};

enum class ProcessState { Alive, Stopped, Ended };

/// Whether this process could see that one end.
bool isSeen(const ProcessIdentity &process, const ProcessIdentity &own);

/// What a process does; Alive if this one cannot see it.
ProcessState stateOf(const ProcessIdentity &process,
                     const ProcessIdentity &own);

/// "process 4711 of host node7".
std::string describe(const ProcessIdentity &process);

} // namespace vm
