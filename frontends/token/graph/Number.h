//===- Number.h - numbers of zones, and the rules of the graph ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/graph/Graph.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm::token {

/// Where a zone leads: numbers of zones, or kEnd.
struct ZoneLinks {
  int64_t next = kEnd;
  std::optional<int64_t> jump;
};

/// Zones in the order of their numbers, as indices into `links`, all of which
/// must be in range: depth-first from the source, next before jump, preorder.
/// Those that are not reached have no number. No recursion.
std::vector<int64_t> numberZones(std::span<const ZoneLinks> links,
                                 int64_t source);

/// A zone that breaks the rules of the graph.
struct GraphFault {
  enum class Kind { BadLink, Unreached, Endless };
  Kind kind;
  int64_t zone;         ///< The lowest.
  std::string sentence; ///< Names the zone and what is wrong.
};

/// The first fault: a link that is neither a zone nor kEnd, a zone that the
/// source does not reach, or one from which the end is not reached.
std::optional<GraphFault> checkGraph(std::span<const ZoneLinks> links,
                                     int64_t source);

} // namespace vm::token
