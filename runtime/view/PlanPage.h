//===- PlanPage.h - a plan as one page of HTML
//--------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page needs nothing from outside. It is the viewer (page/) with the data
// of one plan, which docs/looking-at-plans.md describes.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace vm {

/// A text that places of stages point into, `q6.mlir:12:5`.
struct SourceFile {
  std::string name; ///< Without folders, as in places.
  std::string text;
};

/// Which texts of its kernels a page has.
struct PageCode {
  bool glsl = true;
  bool spirv = true; ///< Assembly: most of what a page of many kernels has.
};

struct PageOptions {
  std::string title;                          ///< The file of the plan.
  std::optional<nlohmann::json> profile = {}; ///< Of readProfile.
  std::vector<SourceFile> sources = {};
  PageCode code = {};
};

/// The data of the page: one JSON object on one line, without the kernels'
/// texts.
Result<std::string> viewJson(const Plan &plan, const PageOptions &options,
                             const Deadline &deadline = {});

/// The page. Nothing of a plan can be taken for a part of it.
Result<std::string> pageHtml(const Plan &plan, const PageOptions &options,
                             const Deadline &deadline = {});

} // namespace vm
