//===- RankNames.h - {rank} in arguments ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks have the same command line. What is each rank's own in it stands in
// braces.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "tools/gpuvm-run/CommandLine.h"

#include <cstdint>

namespace vm::run {

/// Puts numbers for {rank} and {ranks} in what names tensors and files, and in
/// the device.
void placeRank(CommandLine &options, uint32_t rank, uint32_t ranks);

/// Code::Usage if `ranks` ranks would write one file. Before placeRank.
Status checkRankFiles(const CommandLine &options, uint32_t ranks);

} // namespace vm::run
