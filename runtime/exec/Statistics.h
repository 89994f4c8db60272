//===- Statistics.h - the middle and the spread of repeated measurements --===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every time the tools report is a median with its 10th and 90th percentile.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <vector>

namespace vm {

struct Spread {
  double median = 0;
  double p10 = 0;
  double p90 = 0;
};

/// Percentiles with linear interpolation between the two nearest samples; all
/// zero if there are none.
Spread spreadOf(std::vector<double> samples);

} // namespace vm
