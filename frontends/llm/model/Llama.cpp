//===- Llama.cpp - Llama 1 to 3.2, SmolLM2, TinyLlama, Mistral ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files have the rows of queries and keys in an order in which adjacent numbers
// rotate with each other (convert_hf_to_gguf.py, permute).
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/model/Model.h"

namespace vm::llm {

ReadArchitecture read_llama;

Status read_llama(const ModelKeys &keys, Model &model) {
  uint32_t experts = 0;
  if (keys.has("expert_count"))
    VM_RETURN_IF_ERROR(keys.readOptional("expert_count", experts, UINT32_MAX));
  if (experts > 0)
    return keys.refuse("expert_count", std::to_string(experts),
                       "is a mixture of experts; dense models are supported");
  model.hasFrequencyFactors = keys.hasTensor("rope_freqs.weight");
  model.hasBias = keys.hasTensor("blk.0.attn_q.bias");
  return {};
}

} // namespace vm::llm
