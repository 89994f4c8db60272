//===- Report.h - a run as JSON -------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of gpuvm-token, `gpuvm-token-report/1`. Zones and classes are the
// machine's numbers, tags the workflow's; a status and a tool are names. Where
// there are modules of the user that record numbers, `extra` has a list of them
// for each token; where some have a named state, `states` has these by name.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/reference/Resolver.h"

#include <array>

namespace vm::token {

/// The whole report; `requests` is by stream, or empty where none was made.
std::string reportText(const Engine &engine, const TextCodec &codec,
                       const std::vector<StreamRequests> &requests);

/// The same into a file, stream by stream. The file is whole or absent.
Status writeReport(const std::string &path, const Engine &engine,
                   const TextCodec &codec,
                   const std::vector<StreamRequests> &requests);

/// How many streams have each status.
std::array<int64_t, kStreamStatuses> countStatuses(const Engine &engine);

/// A line for each status that a stream has, and one for all.
std::string statusTable(const Engine &engine);

} // namespace vm::token
