//===- Sampler.h - draws tokens on the device -------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a step of `generate`: from scores of all tokens to the next one,
// and whether it is the last.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/lowering/TensorOps.h"

#include <optional>

namespace mlir::llm {

/// How a token is drawn and what ends an answer, as inputs of a program: words
/// of their own for each row, where there are rows.
class Sampler {
public:
  /// With `rows`, what is said of one sequence has a leading dimension of as
  /// many. The likeliest `candidates` tokens are drawn from; an answer ends
  /// where `context` positions are full.
  Sampler(gpuvm::ProgramBuilder &b, int64_t vocabulary, int64_t candidates,
          int64_t context, std::optional<int64_t> rows = std::nullopt)
      : b(b), ops(b), vocabulary(vocabulary), candidates(candidates),
        context(context), rows(rows) {}

  /// Declares what the host sets for all executions.
  void addSymbols();

  /// The inputs that a program has for it.
  SmallVector<gpuvm::NamedType> inputs() const;

  /// Of one step. `inputs` are payloads of those of the program.
  struct Step {
    Value scores;   ///< Of each token of the vocabulary.
    Value position; ///< Of the token that was read.
    Value made;     ///< Tokens before this one.
    Value state;    ///< Of stop strings.
    Value tokens;   ///< Those that were made.
    ValueRange inputs;
  };
  struct Picked {
    Value token;
    Value position, made, state; ///< Of the next step.
    Value end; ///< Why it is the last one, a vm::llm::End; or 0.
  };
  struct Drawn {
    Value token;
    Value candidates; ///< Tokens, the likeliest first.
    Value stop;       ///< What stop strings make of it.
  };
  /// In the bodies of two stages, of which the second one needs no scores. What
  /// is looked up in a table is a message between them, so that the rest can be
  /// the end of the kernel that compares the token with end tokens.
  Drawn drawNext(const Step &step);
  Picked pick(const Drawn &drawn, const Step &step);

  /// Declares metrics of log probabilities, of so many steps.
  void addLogprobs(int64_t steps);
  /// Stores them for step number `number`: of the model's own scores, before
  /// bias and penalties.
  void storeLogprobs(const Drawn &drawn, Value scores, Value number);

private:
  /// Numbers of the inputs.
  enum Input : unsigned {
    Limit,
    Ends,
    Temperature,
    TopK,
    TopP,
    MinP,
    Seed,
  };

  std::string row(StringRef loops) const;
  Shape withRows(ArrayRef<int64_t> shape) const;
  RankedTensorType perRow(Type element, ArrayRef<int64_t> shape = {}) const;
  Value number(int64_t value); ///< An i32, in each row.
  Value draw(Value scores, Value places, const Step &step);
  Value elementOf(Value values, Value place);
  Value everyRow(Value word);
  RankedTensorType stopTable() const;
  Value adjusted(const Step &step);
  Value stopStep(Value token, Value state);
  SmallVector<Value, 2> likeliest(Value scores);
  Value logprobsOf(Value tokens, StringRef loops, Value scores, Value shift,
                   Value sum);
  Value random(Value seed, Value position);
  Value endOf(const Picked &picked, Value stopStep, ValueRange inputs);

  gpuvm::ProgramBuilder &b;
  TensorOps ops;
  int64_t vocabulary, candidates, context;
  std::optional<int64_t> rows;
};

} // namespace mlir::llm
