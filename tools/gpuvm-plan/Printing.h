//===- Printing.h - a plan as text for people and other tools -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function takes a plan that loadPlan returned and gives the text of one
// subcommand; main prints it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/PlanText.h"

#include <string>

namespace vm::tools {

/// `show`: regions, windows, kernels and commands; under each barrier why it is
/// there.
std::string showText(const Plan &plan);

/// `disassemble`: SPIR-V assembly and GLSL of kernel `name`, or of all if it is
/// empty. Code::Usage if there is no such kernel. A kernel that SPIRV-Cross
/// cannot express in GLSL has the reason in its place.
Result<std::string> disassembleText(const Plan &plan, const std::string &name);
/// The same as a JSON array of {name, spirv, glsl}; glsl is null where there is
/// none.
Result<std::string> disassembleJson(const Plan &plan, const std::string &name);

/// `dot`: commands and their dependences for Graphviz, one rank per wave.
/// Code::BadInput if they are too many to be drawn.
Result<std::string> dotText(const Plan &plan);

/// `1x2x3`
std::string sizeText(const std::array<uint32_t, 3> &size);
/// `dispatch`, `dispatch_indirect`, `barrier`, `copy` or `fill`
const char *opName(const Command &command);

} // namespace vm::tools
