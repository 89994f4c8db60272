//===- Model.cpp - models that propose tokens -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Model.h"

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/reference/TestModel.h"

#include <algorithm>
#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

namespace {

class TestStreamModel : public StreamModel {
public:
  TestStreamModel(const TestModel &model, uint32_t seed, uint32_t stream)
      : model_(model), state_(seed, stream) {}

  int32_t propose() override { return state_.propose(model_); }
  void observe(int32_t token) override { state_.observe(token); }

private:
  const TestModel &model_;
  TestModelState state_;
};

class TestModels : public Model {
public:
  TestModels(const Machine &machine, uint32_t seed)
      : machine_(machine), seed_(seed) {}

  std::unique_ptr<StreamModel> start(int32_t stream,
                                     int32_t workflow) override {
    return std::make_unique<TestStreamModel>(machine_.testModels[workflow],
                                             seed_, uint32_t(stream));
  }

private:
  const Machine &machine_;
  uint32_t seed_;
};

/// What is wrong with the model; "" where nothing is.
const char *faultOf(const TestModel &model) {
  if (std::ranges::any_of(model.phrases, &std::vector<int32_t>::empty))
    return "has a phrase without tokens";
  // The byte that is compared with the weight is 0..255.
  bool fills = model.weight < 256 || model.phrases.empty();
  if (fills && model.fillers.empty())
    return "has no fillers";
  return "";
}

} // namespace

Result<std::unique_ptr<Model>> vm::token::makeTestModel(const Machine &machine,
                                                        uint32_t seed) {
  if (machine.testModels.size() != machine.workflows.size())
    return Status(
        Code::BadInput,
        fmt::format("The machine has {} test models and {} workflows.",
                    machine.testModels.size(), machine.workflows.size()));
  for (size_t w = 0; w < machine.testModels.size(); ++w)
    if (std::string fault = faultOf(machine.testModels[w]); !fault.empty())
      return Status(Code::BadInput,
                    fmt::format("The test model of workflow {} ({}) {}.", w,
                                inQuotes(machine.workflows[w].name), fault));
  return std::unique_ptr<Model>(std::make_unique<TestModels>(machine, seed));
}
