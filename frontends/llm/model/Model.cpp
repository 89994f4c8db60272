//===- Model.cpp - sizes and tensors of a language model ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/model/Model.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace vm::llm {

#define GPUVM_ARCHITECTURE(name) ReadArchitecture read_##name;
#include "frontends/llm/model/Architectures.def"

namespace {
struct Architecture {
  std::string_view name;
  ReadArchitecture *read;
};
constexpr Architecture kArchitectures[] = {
#define GPUVM_ARCHITECTURE(name) {#name, read_##name},
#include "frontends/llm/model/Architectures.def"
};

Status bad(std::string message) { return {Code::BadInput, std::move(message)}; }

/// Limits of sizes, so that products of two fit 64 bits by far.
constexpr uint32_t kMaxLayers = 1024;
constexpr uint32_t kMaxWidth = 1 << 20;
constexpr uint32_t kMaxHeads = 4096;
constexpr uint32_t kMaxHeadSize = 512; ///< C5 of gpuvm.attention.
constexpr uint32_t kMaxContext = 1 << 30;
/// Bytes of a text of the file that a message quotes.
constexpr size_t kMaxQuoted = 80;
} // namespace

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

std::string ModelKeys::name(std::string_view key) const {
  return fmt::format("{}.{}", architecture, key);
}

Status ModelKeys::refuse(std::string_view key, std::string_view value,
                         std::string_view why) const {
  return bad(fmt::format("\"{}\": {} is {}, which {}.", file.path(), name(key),
                         printableLine(value, kMaxQuoted), why));
}

Status ModelKeys::read(std::string_view key, uint32_t &value,
                       uint32_t most) const {
  Result<uint64_t> number = file.uintOf(name(key));
  if (!number.ok())
    return number.status();
  if (*number < 1 || *number > most)
    return refuse(key, std::to_string(*number),
                  fmt::format("is not from 1 to {}", most));
  value = static_cast<uint32_t>(*number);
  return {};
}

Status ModelKeys::readOptional(std::string_view key, uint32_t &value,
                               uint32_t most) const {
  if (!has(key))
    return {};
  Result<uint64_t> number = file.uintOf(name(key));
  if (!number.ok())
    return number.status();
  if (*number > most)
    return refuse(key, std::to_string(*number),
                  fmt::format("is more than {}", most));
  value = static_cast<uint32_t>(*number);
  return {};
}

Status ModelKeys::readOptional(std::string_view key, double &value) const {
  if (!has(key))
    return {};
  Result<double> number = file.floatOf(name(key));
  if (!number.ok())
    return number.status();
  if (!std::isfinite(*number) || *number < 0)
    return refuse(key, fmt::format("{}", *number),
                  "is not a finite number from 0 on");
  value = *number;
  return {};
}

Status ModelKeys::readOptional(std::string_view key, float &value) const {
  double number = value;
  VM_RETURN_IF_ERROR(readOptional(key, number));
  value = static_cast<float>(number);
  return {};
}

Status ModelKeys::read(std::string_view key, float &value) const {
  if (!has(key))
    return file.floatOf(name(key)).status();
  return readOptional(key, value);
}

Result<std::string> ModelKeys::text(std::string_view key) const {
  Result<std::string_view> value = file.stringOf(name(key));
  if (!value.ok())
    return value.status();
  return std::string(*value);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// What all architectures have under the same keys.
static Status readSizes(const GgufFile &file, const ModelKeys &keys,
                        Model &model) {
  VM_RETURN_IF_ERROR(keys.read("block_count", model.layers, kMaxLayers));
  VM_RETURN_IF_ERROR(keys.read("embedding_length", model.width, kMaxWidth));
  VM_RETURN_IF_ERROR(
      keys.read("feed_forward_length", model.feedForward, kMaxWidth));
  VM_RETURN_IF_ERROR(keys.read("attention.head_count", model.heads, kMaxHeads));
  model.cacheHeads = model.heads;
  if (keys.has("attention.head_count_kv"))
    VM_RETURN_IF_ERROR(
        keys.read("attention.head_count_kv", model.cacheHeads, model.heads));
  if (model.heads % model.cacheHeads)
    return keys.refuse("attention.head_count_kv",
                       std::to_string(model.cacheHeads),
                       fmt::format("does not divide {} heads", model.heads));

  model.headSize = model.width / model.heads;
  if (keys.has("attention.key_length"))
    VM_RETURN_IF_ERROR(
        keys.read("attention.key_length", model.headSize, kMaxHeadSize));
  if (model.headSize < 1 || model.headSize > kMaxHeadSize)
    return keys.refuse("attention.head_count", std::to_string(model.heads),
                       fmt::format("makes heads of {} numbers ({} at most)",
                                   model.headSize, kMaxHeadSize));
  uint32_t valueSize = model.headSize;
  if (keys.has("attention.value_length"))
    VM_RETURN_IF_ERROR(
        keys.read("attention.value_length", valueSize, kMaxHeadSize));
  if (valueSize != model.headSize)
    return keys.refuse("attention.value_length", std::to_string(valueSize),
                       fmt::format("is not that of keys, {}", model.headSize));

  model.rotated = model.headSize;
  if (keys.has("rope.dimension_count"))
    VM_RETURN_IF_ERROR(
        keys.read("rope.dimension_count", model.rotated, model.headSize));
  if (model.rotated % 2 || model.rotated != model.headSize)
    return keys.refuse(
        "rope.dimension_count", std::to_string(model.rotated),
        fmt::format("is not the even size of a head, {}", model.headSize));

  model.attentionScale = 1 / std::sqrt(static_cast<float>(model.headSize));
  VM_RETURN_IF_ERROR(
      keys.readOptional("context_length", model.trainedContext, kMaxContext));
  VM_RETURN_IF_ERROR(
      keys.read("attention.layer_norm_rms_epsilon", model.epsilon));
  auto pooling = static_cast<uint32_t>(model.pooling);
  VM_RETURN_IF_ERROR(keys.readOptional("pooling_type", pooling,
                                       static_cast<uint32_t>(Pooling::Rank)));
  model.pooling = static_cast<Pooling>(pooling);

  VM_RETURN_IF_ERROR(keys.readOptional("rope.freq_base", model.angles.base));
  if (keys.has("rope.scaling.type")) {
    Result<std::string> type = keys.text("rope.scaling.type");
    if (!type.ok())
      return type.status();
    if (*type == "linear") {
      double factor = 1;
      VM_RETURN_IF_ERROR(keys.readOptional("rope.scaling.factor", factor));
      model.angles.scale = factor == 0 ? 1 : 1 / factor;
    } else if (*type != "none") {
      return keys.refuse("rope.scaling.type", *type,
                         "is not supported (none and linear are)");
    }
  }

  const GgufTensor *embedding = file.findTensor("token_embd.weight");
  if (!embedding)
    return bad(
        fmt::format("\"{}\" has no tensor token_embd.weight.", file.path()));
  if (embedding->shape.size() != 2 || embedding->shape[0] > kMaxWidth)
    return bad(fmt::format("\"{}\": tensor token_embd.weight is {}, not a "
                           "matrix of at most {} rows.",
                           file.path(), fmt::join(embedding->shape, "x"),
                           kMaxWidth));
  model.vocabulary = static_cast<uint32_t>(embedding->shape[0]);
  model.isTied = !file.findTensor("output.weight");
  return {};
}

static Status checkTensors(const GgufFile &file, const Model &model) {
  for (const ModelTensor &wanted : tensorsOf(model)) {
    const GgufTensor *tensor = file.findTensor(wanted.name);
    if (!tensor)
      return bad(fmt::format("\"{}\" has no tensor {}, which a model of the "
                             "architecture {} has.",
                             file.path(), wanted.name, model.architecture));
    if (tensor->shape != wanted.shape)
      return bad(fmt::format("\"{}\": tensor {} is {}, and its model has it "
                             "as {}.",
                             file.path(), wanted.name,
                             fmt::join(tensor->shape, "x"),
                             fmt::join(wanted.shape, "x")));
  }
  return {};
}

Result<Model> readModel(const GgufFile &file) {
  if (file.find("split.count")) {
    Result<uint64_t> parts = file.uintOf("split.count");
    if (!parts.ok())
      return parts.status();
    if (*parts > 1)
      return bad(fmt::format("\"{}\" is one of {} parts of a model; models in "
                             "one file are supported.",
                             file.path(), *parts));
  }
  Result<std::string_view> name = file.stringOf("general.architecture");
  if (!name.ok())
    return name.status();
  for (const Architecture &architecture : kArchitectures) {
    if (architecture.name != *name)
      continue;
    Model model;
    model.architecture = *name;
    ModelKeys keys(file, model.architecture);
    VM_RETURN_IF_ERROR(readSizes(file, keys, model));
    VM_RETURN_IF_ERROR(architecture.read(keys, model));
    VM_RETURN_IF_ERROR(checkTensors(file, model));
    return model;
  }
  std::vector<std::string_view> known;
  for (const Architecture &architecture : kArchitectures)
    known.push_back(architecture.name);
  return bad(fmt::format("\"{}\": general.architecture is \"{}\", which is not "
                         "supported ({} are).",
                         file.path(), printableLine(*name, kMaxQuoted),
                         fmt::join(known, ", ")));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::string layerTensor(uint32_t layer, std::string_view part) {
  return fmt::format("blk.{}.{}", layer, part);
}

std::vector<ModelTensor> tensorsOf(const Model &model) {
  int64_t width = model.width, feedForward = model.feedForward;
  int64_t queries = int64_t(model.heads) * model.headSize;
  int64_t keys = int64_t(model.cacheHeads) * model.headSize;

  std::vector<ModelTensor> tensors;
  tensors.push_back({"token_embd.weight", {model.vocabulary, width}});
  if (model.hasFrequencyFactors)
    tensors.push_back({"rope_freqs.weight", {model.rotated / 2}});
  for (uint32_t layer = 0; layer < model.layers; ++layer) {
    auto add = [&](std::string_view part, std::vector<int64_t> shape) {
      tensors.push_back({layerTensor(layer, part), std::move(shape)});
    };
    add("attn_norm.weight", {width});
    add("attn_q.weight", {queries, width});
    add("attn_k.weight", {keys, width});
    add("attn_v.weight", {keys, width});
    if (model.hasBias) {
      add("attn_q.bias", {queries});
      add("attn_k.bias", {keys});
      add("attn_v.bias", {keys});
    }
    if (model.hasHeadNorms) {
      add("attn_q_norm.weight", {model.headSize});
      add("attn_k_norm.weight", {model.headSize});
    }
    add("attn_output.weight", {width, queries});
    if (model.hasPostNorms)
      add("post_attention_norm.weight", {width});
    add("ffn_norm.weight", {width});
    add("ffn_gate.weight", {feedForward, width});
    add("ffn_up.weight", {feedForward, width});
    add("ffn_down.weight", {width, feedForward});
    if (model.hasPostNorms)
      add("post_ffw_norm.weight", {width});
  }
  tensors.push_back({"output_norm.weight", {width}});
  if (!model.isTied)
    tensors.push_back({"output.weight", {model.vocabulary, width}});
  return tensors;
}

} // namespace vm::llm
