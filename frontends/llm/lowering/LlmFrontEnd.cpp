//===- LlmFrontEnd.cpp - language models ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/compile/FrontEnd.h"
#include "frontends/llm/lowering/Lowering.h"
#include "tools/common/CommandLineText.h"

#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

using namespace vm;
using mlir::gpuvm::CompileRequest;
using mlir::gpuvm::CompilerOptions;
using mlir::gpuvm::FrontEndInput;
using mlir::llm::CacheType;
using mlir::llm::kCacheBlock;
using mlir::llm::ModelOptions;

namespace {
/// Of a context that the command line does not say, at most.
constexpr uint32_t kDefaultContext = 2048;
/// Of keys or values of a layer, at most: their numbers are i32.
constexpr uint64_t kCacheElements = INT32_MAX;

class ModelInput : public FrontEndInput {
public:
  ModelInput(llm::GgufFile file, llm::Model model, ModelOptions options)
      : file(std::move(file)), model(std::move(model)), options(options) {
    text = llvm::MemoryBuffer::getMemBufferCopy("", this->file.path());
  }
  void prepare(CompilerOptions & /*compiler*/,
               CompileRequest &request) override {
    request.read = [this](mlir::MLIRContext &context) {
      return mlir::llm::buildModule(context, file, model, options);
    };
  }

private:
  llm::GgufFile file;
  llm::Model model;
  ModelOptions options;
};

class LlmFrontEnd : public mlir::gpuvm::FrontEnd {
public:
  mlir::gpuvm::FrontEndHelp help() const override {
    return {.sources = "a language model (.gguf)"};
  }
  void registerDialects(mlir::DialectRegistry &) const override {}
  void addOptions(CLI::App &app) override;
  bool readsSeveral(llvm::StringRef path) const override {
    return path.ends_with(".gguf");
  }
  Result<std::unique_ptr<FrontEndInput>>
  readFiles(const std::vector<std::string> &paths) const override;

private:
  ModelOptions options;
  uint32_t context = 0; ///< As the command line says; or 0.
  std::string products = "f16", cache = "f16";
  std::vector<float> band; ///< As --llm-regulate says; or empty.
};
} // namespace

void LlmFrontEnd::addOptions(CLI::App &app) {
  auto *group =
      app.add_option_group("Language models (.gguf, docs/language-models.md)");
  group
      ->add_option("--llm-context", context,
                   "Positions that there is room for (default: those that the "
                   "model was trained with, but at most 2048)")
      ->check(countIn(1, 1 << 24));
  group
      ->add_option("--llm-sequences", options.sequences,
                   "Sequences that are generated at once, each with so many "
                   "positions (default: 1)")
      ->check(countIn(1, 1024));
  group
      ->add_option("--llm-positions", options.positions,
                   "Positions that several sequences have together; what they "
                   "have in common counts once (default: a context for each)")
      ->check(countIn(1, 1U << 30));
  group
      ->add_option("--llm-chunk", options.chunk,
                   "Tokens of a prompt that are read at a time (default: 512, "
                   "fewer for wide models; a CPU device is better off with "
                   "32)")
      ->check(countIn(1, 4096));
  group
      ->add_option("--llm-products", products,
                   "f16 (the default): products of many rows take weights and "
                   "activations as f16 and add in f32; f32: as they are")
      ->check(CLI::IsMember({"f16", "f32"}));
  group
      ->add_option("--llm-cache", cache,
                   "What keys and values are kept as: f16 (the default), q8_0, "
                   "about half as many bytes, or f32")
      ->check(CLI::IsMember({"f16", "q8_0", "f32"}));
  group
      ->add_option("--llm-tokens", options.tokens,
                   "Tokens that one execution generates at most (default: 256)")
      ->check(countIn(1, 1 << 20));
  group
      ->add_option("--llm-candidates", options.candidates,
                   "The likeliest tokens, of which one is drawn (default: 128)")
      ->check(countIn(1, 2048));
  group->add_flag("--llm-generate-all", options.drawsFromAll,
                  "With a program generate_all, which draws one of all tokens");
  group->add_flag("--llm-logprobs", options.logprobs,
                  "Tell the log probabilities of drawn tokens, and of the "
                  "likeliest 20 of each step");
  group
      ->add_option("--llm-regulate", band,
                   "Keep the norm of attention in each layer between LOW,HIGH, "
                   "and count what was out of it; 0,1e30 only reports")
      ->type_name("LOW,HIGH")
      ->delimiter(',')
      ->expected(2)
      ->allow_extra_args(false)
      ->check(numberIn(0, 1e30));
}

/// With the tool's name, since no text has a place that it could name.
static Status complain(Code code, const std::string &message) {
  return {code, "gpuvm-compile: error: " + message};
}

/// As many tokens as give a large GPU's 132 units a tile of 64 x 64 results of
/// the narrowest products: a chunk that is not full takes as long as a full
/// one.
static uint32_t chunkFor(uint32_t width) {
  return std::clamp(std::bit_floor(132 * 64 * 64 / width), 128U, 512U);
}

Result<std::unique_ptr<FrontEndInput>>
LlmFrontEnd::readFiles(const std::vector<std::string> &paths) const {
  if (paths.size() != 1)
    return complain(
        Code::Usage,
        fmt::format("One model is compiled, not {} files.", paths.size()));
  Result<llm::GgufFile> file = llm::GgufFile::open(paths.front());
  if (!file.ok())
    return complain(file.status().code(), file.status().message());
  Result<llm::Model> model = llm::readModel(*file);
  if (!model.ok())
    return complain(model.status().code(), model.status().message());
  if (Status status = mlir::llm::checkTypes(*file, *model); !status.ok())
    return complain(status.code(), status.message());

  ModelOptions own = options;
  uint32_t trained = model->trainedContext ? model->trainedContext : UINT32_MAX;
  own.context = context ? context : std::min(trained, kDefaultContext);
  if (own.context > trained)
    return complain(Code::Usage,
                    fmt::format("A context of {} positions is more than the {} "
                                "that \"{}\" was trained with.",
                                own.context, trained, paths.front()));
  if (own.chunk == 0)
    own.chunk = chunkFor(model->width);
  own.chunk = std::min(own.chunk, own.context);
  own.context = llvm::alignTo(own.context, own.chunk); // Whole chunks.
  if (own.positions && own.positions < own.context)
    return complain(Code::Usage,
                    fmt::format("{} positions of all sequences are fewer than "
                                "the {} that one may have.",
                                own.positions, own.context));
  uint64_t together =
      own.positions ? own.positions : uint64_t(own.sequences) * own.context;
  uint64_t width = uint64_t(model->cacheHeads) * model->headSize;
  if (own.sequences > 1 && together > kCacheElements / width)
    return complain(
        Code::Usage,
        fmt::format("{} positions of all sequences are too many (at "
                    "most {}, as a cache has 2147483647 elements).",
                    together, kCacheElements / width));
  own.halves = products == "f16";
  own.cache = llvm::StringSwitch<CacheType>(cache)
                  .Case("f16", CacheType::F16)
                  .Case("f32", CacheType::F32)
                  .Case("q8_0", CacheType::Q8_0);
  if (own.cache == CacheType::Q8_0 && model->headSize % kCacheBlock != 0)
    return complain(
        Code::BadInput,
        fmt::format(
            "\"{}\": a cache of q8_0 has blocks of {} numbers, which do "
            "not divide a head's {}.",
            paths.front(), kCacheBlock, model->headSize));
  own.candidates = std::min(own.candidates, model->vocabulary);
  if (!band.empty()) {
    own.band = {band[0], band[1]};
    if (band[0] > band[1])
      return complain(Code::Usage,
                      fmt::format("--llm-regulate: {} is above {}, the end of "
                                  "the band.",
                                  band[0], band[1]));
  }
  return std::unique_ptr<FrontEndInput>(
      std::make_unique<ModelInput>(std::move(*file), std::move(*model), own));
}

namespace mlir::gpuvm {
std::unique_ptr<FrontEnd> createLlmFrontEnd() {
  return std::make_unique<LlmFrontEnd>();
}
} // namespace mlir::gpuvm
