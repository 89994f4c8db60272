//===- Sidecar.h - the companion file of an engine's plan -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of an engine holds no workflow: the program that runs it binds the
// tensors of one. They are in the file `PLAN.token.json` next to it, with the
// rest that a plan has no place for: names, the tokenizer, and what streams may
// take.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"
#include "frontends/token/ground/ModuleInfo.h"
#include "frontends/token/machine/Tokenizer.h"
#include "frontends/token/reference/Stream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace vm::token {

struct Sidecar {
  uint64_t plan = 0; ///< The plan it belongs to (planIdentity).
  Machine machine;   ///< Checked (machine/CheckMachine.h).
  std::unique_ptr<Tokenizer> tokenizer;
  int32_t streams = 1; ///< At least 1, and what the engine has room for.
  Limits limits;
  std::vector<ModuleInfo> modules; ///< Of the user, in the plan's order.
};

/// The path of that of a plan.
std::string sidecarPath(const std::string &planPath);

/// JSON: `{"format":"gpuvm-token-plan/2","plan","streams","budget",
/// "capture_tokens","answer_tokens","context","tokenizer":{"name","pieces"},
/// "modules":[{"stage","state","initial","resets"}],"machine"}`, the plan as 16
/// hexadecimal digits, the machine in the tensor form (machine/TensorJson.h);
/// `modules` may be absent. The tokenizer is `bytes` or `greedy`, whose pieces
/// are there, so that its file need not be; or it is `gguf`, with an
/// "identity".
std::string writeSidecar(uint64_t plan, const Machine &machine,
                         const Tokenizer &tokenizer, int32_t streams,
                         const Limits &limits,
                         const std::vector<ModuleInfo> &modules = {});

/// Reads and checks. BadInput with a line for each thing that is wrong, by the
/// rules of the tensor form, P03 for a tokenizer, P16 where that of `model`,
/// the path of a language model, is another one, and T12 for a number that is
/// out of range. `file` is for messages.
Result<Sidecar> readSidecar(std::string_view text, const std::string &file,
                            const std::string &model = "");

/// The same of the file next to a plan; P02 where it cannot be read.
Result<Sidecar> loadSidecar(const std::string &planPath,
                            const std::string &model = "");

/// P08 where the plan next to the sidecar is `plan` and not its own: of two
/// compilations, one has left its file here and one not.
Status checkPlanOf(const Sidecar &sidecar, uint64_t plan,
                   const std::string &planPath);

} // namespace vm::token
