//===- Model.h - models that propose tokens -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any language model plugs in here. The machine asks it for a proposal only
// where no token is forced, and shows it every token there is.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <memory>

namespace vm::token {

/// A model's state of one stream. Used by one thread at a time.
class StreamModel {
public:
  virtual ~StreamModel() = default;

  /// A token of the vocabulary. Not called where the token is forced: what
  /// proposing changes stays as it is then.
  virtual int32_t propose() = 0;

  /// The token of the step, forced or proposed.
  virtual void observe(int32_t token) = 0;
};

class Model {
public:
  virtual ~Model() = default;

  /// For a stream that begins. It may depend on the seed of the model, on the
  /// stream and on what it observes, on nothing else.
  virtual std::unique_ptr<StreamModel> start(int32_t stream,
                                             int32_t workflow) = 0;
};

/// The model that the specification defines for tests, of each workflow its
/// own. `machine` must live longer. BadInput where a workflow's has neither
/// fillers nor phrases to propose, or an empty phrase.
Result<std::unique_ptr<Model>> makeTestModel(const Machine &machine,
                                             uint32_t seed);

} // namespace vm::token
