//===- TokenTensorsFuzz.cpp - any text through the reader of tensors ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that is refused has sentences with codes. A machine that is read is
// written as a text that is read again and written the same, it can be joined
// with itself, and what runs streams takes it.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/CheckMachine.h"
#include "frontends/token/machine/Concatenate.h"
#include "frontends/token/machine/TensorJson.h"
#include "frontends/token/machine/Tokenizer.h"
#include "frontends/token/reference/Reference.h"

#include <cstdlib>

using namespace vm;
using namespace vm::token;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// Lets a stream of each workflow run; every tool answers.
static void run(const Machine &machine) {
  Result<std::unique_ptr<Model>> model = makeTestModel(machine, /*seed=*/1);
  require(model.ok());
  ReferenceOptions options;
  options.streams = int32_t(std::min<size_t>(machine.workflows.size(), 8));
  options.limits = {64, 16, 16};
  auto reference = Reference::create(machine, **model, options);
  require(reference.ok());
  for (int round = 0; round < 16; ++round) {
    require((*reference)->advance().ok());
    for (int32_t b = 0; b < options.streams; ++b)
      if ((*reference)->status(b) == StreamStatus::Waiting)
        require((*reference)
                    ->resolve(b, {Resolution::Kind::Answer, {97, 33}})
                    .ok());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  Result<Machine> machine = readTensors(text, "x");
  if (!machine.ok()) {
    require(machine.status().code() == Code::BadInput);
    require(machine.status().message().starts_with("x: error: "));
    require(machine.status().message().size() < 20 * 2048);
    return 0;
  }
  std::string written = writeTensors(*machine);
  Result<Machine> again = readTensors(written, "x");
  require(again.ok() && writeTensors(*again) == written);
  Diagnostics diagnostics;
  auto joined = concatenate(
      {{*machine, {"x", {0, 0}}}, {*again, {"x", {0, 0}}}}, diagnostics);
  require(joined && checkMachine(*joined, {"x", {0, 0}}, diagnostics));
  run(*joined);
  return 0;
}
