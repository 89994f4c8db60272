//===- GgufVocabulary.cpp - the vocabulary of a model file ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/GgufVocabulary.h"

#include <algorithm>

using namespace vm;
using namespace vm::llm;

namespace {

/// Copies values of keys that are there; stays at the first failure.
class KeyReader {
public:
  explicit KeyReader(const GgufFile &file) : file_(file) {}

  Status status() const { return status_; }

  void read(const char *key, std::string &value) {
    readAs<std::string_view>(
        key, [&](std::string_view text) { value = text; }, &GgufFile::stringOf);
  }
  void read(const char *key, std::vector<std::string> &values) {
    readAs<std::vector<std::string_view>>(
        key,
        [&](const auto &texts) { values.assign(texts.begin(), texts.end()); },
        &GgufFile::stringsOf);
  }
  void read(const char *key, std::vector<float> &values) {
    readAs<std::vector<double>>(
        key,
        [&](const auto &numbers) {
          values.assign(numbers.begin(), numbers.end());
        },
        &GgufFile::floatsOf);
  }
  void read(const char *key, std::vector<TokenType> &values) {
    readAs<std::vector<int64_t>>(
        key,
        [&](const auto &numbers) {
          for (int64_t number : numbers)
            values.push_back(TokenType(number));
        },
        &GgufFile::intsOf);
  }
  void read(const char *key, std::optional<bool> &value) {
    readAs<bool>(key, [&](bool flag) { value = flag; }, &GgufFile::boolOf);
  }
  /// What is no token's number stays no token's number.
  void read(const char *key, std::optional<int32_t> &value) {
    readAs<uint64_t>(
        key,
        [&](uint64_t number) {
          value = int32_t(std::min<uint64_t>(number, INT32_MAX));
        },
        &GgufFile::uintOf);
  }

private:
  template <typename T, typename Take>
  void readAs(const char *key, const Take &take,
              Result<T> (GgufFile::*get)(std::string_view) const) {
    if (!status_.ok() || !file_.find(key))
      return;
    Result<T> value = (file_.*get)(key);
    if (value.ok())
      take(*value);
    else
      status_ = value.status();
  }

  const GgufFile &file_;
  Status status_;
};

} // namespace

Result<Vocabulary> vm::llm::readVocabulary(const GgufFile &file) {
  for (const char *key : {"tokenizer.ggml.model", "tokenizer.ggml.tokens"})
    if (!file.find(key))
      return Status(Code::BadInput, "The file has no key \"" +
                                        std::string(key) +
                                        "\", which a tokenizer needs.")
          .withContext("reading \"" + file.path() + "\"");
  Vocabulary vocabulary;
  KeyReader reader(file);
  reader.read("tokenizer.ggml.model", vocabulary.model);
  reader.read("tokenizer.ggml.pre", vocabulary.preTokenizer);
  reader.read("tokenizer.ggml.tokens", vocabulary.tokens);
  reader.read("tokenizer.ggml.token_type", vocabulary.types);
  reader.read("tokenizer.ggml.scores", vocabulary.scores);
  reader.read("tokenizer.ggml.merges", vocabulary.merges);
  reader.read("tokenizer.ggml.bos_token_id", vocabulary.bos);
  reader.read("tokenizer.ggml.eos_token_id", vocabulary.eos);
  reader.read("tokenizer.ggml.eot_token_id", vocabulary.eot);
  reader.read("tokenizer.ggml.unknown_token_id", vocabulary.unknown);
  reader.read("tokenizer.ggml.add_bos_token", vocabulary.addBos);
  reader.read("tokenizer.ggml.add_eos_token", vocabulary.addEos);
  reader.read("tokenizer.ggml.add_space_prefix", vocabulary.addSpacePrefix);
  if (!reader.status().ok())
    return reader.status();
  return vocabulary;
}
