//===- PictureLayout.h - the layout of zones and edges --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layered layout after K. Sugiyama, S. Tagawa and M. Toda (Methods for visual
// understanding of hierarchical system structures, IEEE Trans. SMC 11, 1981),
// without their search for fewer crossings: programs are chains with few
// branches.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/SampledWorkflow.h"

#include <cstdint>
#include <vector>

namespace vm::token {

/// A cell of the grid; layer 0 is at the top, column 0 on the left.
struct PictureCell {
  int32_t layer = 0;
  int32_t column = 0;
};

struct PictureEdge {
  /// Direct ones go from a cell to one of the next layer, or straight down past
  /// empty cells. Others go around the cells on a lane next to the grid: those
  /// that lead down on its right, those that lead back on its left.
  enum class Way { Direct, Right, Left };

  size_t from = 0;
  size_t to = 0; ///< The number of zones is the end.
  bool isJump = false;
  Way way = Way::Direct;
  int32_t lane = 0; ///< From 0, counted away from the grid.
};

struct PictureLayout {
  std::vector<PictureCell> cells; ///< Of each zone, then of the end.
  std::vector<PictureEdge> edges;
  int32_t columns = 1;
  int32_t layers = 1;
  int32_t rightLanes = 0;
  int32_t leftLanes = 0;
};

/// No two zones share a cell; edges that share a lane do not overlap.
PictureLayout layOut(const SampledWorkflow &workflow);

} // namespace vm::token
