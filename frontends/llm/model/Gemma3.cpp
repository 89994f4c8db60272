//===- Gemma3.cpp - Gemma 3, text -----------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Five layers with a window, then one without. Files have 1 added to the
// weights of norms.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/model/Model.h"

#include <cmath>

namespace vm::llm {

ReadArchitecture read_gemma3;

Status read_gemma3(const ModelKeys &keys, Model &model) {
  model.rotation = Rotation::Halves;
  model.activation = Activation::GeluTanh;
  model.hasHeadNorms = true;
  model.hasPostNorms = true;
  model.embeddingScale = std::sqrt(static_cast<float>(model.width));
  VM_RETURN_IF_ERROR(
      keys.readOptional("attention.sliding_window", model.window, 1 << 30));
  model.globalEvery = 6;
  if (!keys.has("rope.freq_base"))
    model.angles.base = 1e6;
  VM_RETURN_IF_ERROR(
      keys.readOptional("rope.freq_base_swa", model.windowAngles.base));
  VM_RETURN_IF_ERROR(
      keys.readOptional("attn_logit_softcapping", model.attentionCap));
  VM_RETURN_IF_ERROR(
      keys.readOptional("final_logit_softcapping", model.logitCap));
  // The largest of them, 27B, divides by the width of a head of the stream.
  if (model.layers == 62)
    model.attentionScale =
        1 / std::sqrt(static_cast<float>(model.width) / model.heads);
  return {};
}

} // namespace vm::llm
