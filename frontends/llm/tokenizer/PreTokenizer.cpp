//===- PreTokenizer.cpp - how a text is split into words ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns are those of the models' own tokenizer.json, as Hugging Face's
// tokenizers read it: each stage cuts out what matches (behaviour Isolated).
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/PreTokenizer.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

using namespace vm;
using namespace vm::llm;

namespace {

// "ByteLevel" of Hugging Face's tokenizers.
#define GPT2                                                                   \
  R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"
#define ENDINGS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define SPACES R"(\s*[\r\n]+|\s+(?!\S)|\s+)"
#define WORDS_UP_TO_DIGITS(digits)                                             \
  ENDINGS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|)" digits                               \
          R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|)" SPACES
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
/// Words end where a small letter is followed by a capital one.
#define WORDS_BY_CASE(endings, digits)                                         \
  R"([^\r\n\p{L}\p{N}]?)" UPPER "*" LOWER "+" endings                          \
  R"(|[^\r\n\p{L}\p{N}]?)" UPPER "+" LOWER "*" endings "|" digits              \
  R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES
#define CJK R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)"
#define CJK_AND_HANGUL                                                         \
  R"([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)"
// Letters of the scripts that have capitals.
#define CASED_LETTERS                                                          \
  "A-Za-z"                                                                     \
  R"(\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF})"           \
  R"(\x{1C4}-\x{293}\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377})"             \
  R"(\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C})"                     \
  R"(\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F})"            \
  R"(\x{531}-\x{556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5})"                       \
  R"(\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF})"                     \
  R"(\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A})"                     \
  R"(\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45})"                     \
  R"(\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D})"              \
  R"(\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE})"             \
  R"(\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3})"                     \
  R"(\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4})"                     \
  R"(\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115})"              \
  R"(\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D})"              \
  R"(\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149})"             \
  R"(\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"              \
  R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D})"                      \
  R"(\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787})"                     \
  R"(\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06})"                     \
  R"(\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A})"                     \
  R"(\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB})"               \
  R"(\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF})"               \
  R"(\x{1E900}-\x{1E943})"

struct Definition {
  std::array<std::string_view, 10> names; ///< In tokenizer.ggml.pre.
  bool takesWholeWords = false;
  bool addsBos = false;
  std::array<const char *, 6> stages{};
};

constexpr Definition kDefinitions[] = {
    {.names = {"default"},
     .stages = {R"([\p{P}$+<=>^~|]+)", GPT2, R"(\p{N}+)", "[0-9]{3}"}},
    {.names = {"gpt-2", "phi-2", "mpt", "olmo", "jais", "gigachat", "a.x-4.0",
               "mellum", "exaone4", "trillion"},
     .stages = {GPT2}},
    {.names = {"smollm", "starcoder", "refact", "command-r", "codeshell",
               "exaone", "minerva-7b"},
     .stages = {R"(\p{N})", GPT2}},
    {.names = {"falcon"}, .stages = {R"([\p{P}$+<=>^~|`]+)", GPT2, "[0-9]{3}"}},
    {.names = {"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1",
               "pixtral", "midm-2.0", "lfm2"},
     .takesWholeWords = true,
     .addsBos = true,
     .stages = {WORDS_UP_TO_DIGITS(R"(\p{N}{1,3})")}},
    {.names = {"dbrx", "smaug-bpe", "chatglm-bpe"},
     .stages = {WORDS_UP_TO_DIGITS(R"(\p{N}{1,3})")}},
    {.names = {"glm4"},
     .takesWholeWords = true,
     .stages = {WORDS_UP_TO_DIGITS(R"(\p{N}{1,3})")}},
    {.names = {"qwen2", "deepseek-r1-qwen", "stablelm2", "megrez", "hunyuan",
               "grok-2", "solar-open"},
     .stages = {WORDS_UP_TO_DIGITS(R"(\p{N})")}},
    {.names = {"qwen35"},
     .stages = {ENDINGS R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N})"
                        R"(| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" SPACES}},
    {.names = {"tekken"},
     .takesWholeWords = true,
     .addsBos = true,
     .stages = {WORDS_BY_CASE("", R"(\p{N})")}},
    {.names = {"gpt-4o", "llama4", "kanana2"},
     .stages = {WORDS_BY_CASE(ENDINGS "?", R"(\p{N}{1,3})")}},
    // Its "\s+$" tried at each space would take quadratic time.
    {.names = {"deepseek-llm"},
     .stages =
         {R"([\r\n])", R"(\s?[)" CASED_LETTERS "]+",
          R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F})"
          R"(\x{3000}-\x{3002}]+)",
          R"((?<!\s)\s++$)", CJK_AND_HANGUL, R"(\p{N})"}},
    {.names = {"deepseek-coder"},
     .stages = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", CJK_AND_HANGUL,
                R"(\p{N})"}},
    {.names = {"deepseek-v3", "hunyuan-dense"},
     .stages =
         {R"(\p{N}{1,3})", CJK,
          R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+)"
          R"(|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)" SPACES}},
};

} // namespace

Result<PreTokenizer> PreTokenizer::create(std::string_view name) {
  std::string_view wanted = name.empty() ? "default" : name;
  const Definition *definition =
      std::ranges::find_if(kDefinitions, [&](const Definition &each) {
        return std::ranges::find(each.names, wanted) != each.names.end();
      });
  if (definition == std::end(kDefinitions))
    return Status(
        Code::BadInput,
        fmt::format("The pre-tokenizer \"{}\" is not known.", printable(name)));
  PreTokenizer result;
  result.takesWholeWords_ = definition->takesWholeWords;
  result.addsBos_ = definition->addsBos;
  for (const char *pattern : definition->stages) {
    if (!pattern)
      break;
    Result<Regex> stage = Regex::compile(pattern);
    if (!stage.ok())
      return stage.status();
    result.stages_.push_back(std::move(*stage));
  }
  return result;
}

Result<std::vector<std::string_view>>
PreTokenizer::split(std::string_view text) const {
  std::vector<std::string_view> words{text};
  for (const Regex &stage : stages_) {
    std::vector<std::string_view> parts;
    parts.reserve(words.size());
    for (std::string_view word : words)
      VM_RETURN_IF_ERROR(stage.split(word, parts));
    words = std::move(parts);
  }
  return words;
}
