//===- OptionalFeatures.cpp - optional features of kernels ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/OptionalFeatures.h"

#include "runtime/plan/SpirvEditor.h"
#include "runtime/plan/SpirvTools.h"

#include <spirv_cross/spirv.h>

#include <algorithm>

namespace vm {

static bool contains(const std::vector<Feature> &list, Feature feature) {
  return std::find(list.begin(), list.end(), feature) != list.end();
}

bool isOptional(const Kernel &kernel, Feature feature) {
  Feature rounding = feature == Feature::SignedZeroInfNan32
                         ? Feature::RoundToEven32
                         : Feature::RoundToEven64;
  return (feature == Feature::SignedZeroInfNan32 ||
          feature == Feature::SignedZeroInfNan64) &&
         contains(kernel.features, feature) &&
         !contains(kernel.features, rounding);
}

namespace {
/// The float controls that a module has besides the one that is removed.
struct Others {
  bool preserving = false; ///< The same mode, for another width.
  bool any = false;
};
} // namespace

/// OpExecutionMode: entry point, mode, width.
static bool isPreserving(uint16_t opcode, SpirvWords words) {
  return opcode == SpvOpExecutionMode && words.size() > 3 &&
         words[2] == SpvExecutionModeSignedZeroInfNanPreserve;
}

static Others othersThan(SpirvWords spirv, uint32_t width) {
  Others others;
  forEachSpirvInstruction(spirv, [&](uint16_t opcode, SpirvWords words) {
    if (opcode != SpvOpExecutionMode || words.size() < 4)
      return;
    bool preserves = isPreserving(opcode, words) && words[3] != width;
    others.preserving |= preserves;
    others.any |= preserves || words[2] == SpvExecutionModeRoundingModeRTE;
  });
  return others;
}

std::vector<uint32_t> withoutFeature(SpirvWords spirv, Feature feature) {
  uint32_t width = feature == Feature::SignedZeroInfNan64 ? 64 : 32;
  Others others = othersThan(spirv, width);
  SpirvDefinitions definitions(spirv);
  SpirvEditor editor(definitions);
  forEachSpirvInstruction(spirv, [&](uint16_t opcode, SpirvWords words) {
    editor.reach(opcode);
    bool asks = isPreserving(opcode, words) && words[3] == width;
    bool allows = opcode == SpvOpCapability && !others.preserving &&
                  words[1] == SpvCapabilitySignedZeroInfNanPreserve;
    bool extends = opcode == SpvOpExtension && !others.any &&
                   spirvString(words.subspan(1)) == "SPV_KHR_float_controls";
    if (!asks && !allows && !extends)
      editor.copy(words);
  });
  return editor.take();
}

void dropOptionalFeatures(Plan &plan, const std::vector<Feature> &there) {
  for (Kernel &kernel : plan.kernels)
    for (Feature feature :
         {Feature::SignedZeroInfNan32, Feature::SignedZeroInfNan64}) {
      if (!isOptional(kernel, feature) || contains(there, feature))
        continue;
      kernel.spirv = withoutFeature(kernel.spirv, feature);
      std::erase(kernel.features, feature);
    }
}

} // namespace vm
