//===- Modules.h - functions that users add to the step -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step is three lists of modules: token manipulation, transitions and what
// comes after them. The built-in ones are Step.h; a user's come at the end of
// each list, in their order.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/reference/Stream.h"
#include "runtime/base/Status.h"

#include <functional>
#include <string>

namespace vm::token {

/// Thrown by a function that has no result for what it is given; the advance()
/// of the reference fails with the sentence.
struct ModuleFailure {
  std::string sentence;
  Code code = Code::BadInput; ///< DeviceLost, as of a timeout: of its steps.
};

/// Functions of one of the three places; the others are empty. Each is given
/// the module's state (one number a stream) and may change it. They are called
/// from several threads at once.
struct Module {
  std::string state;   ///< The name the host reads the state by; may be "".
  int32_t initial = 0; ///< The state of a stream that begins.
  bool resetsOnZoneChange = false; ///< To `initial`, before the next step.

  /// After the sources of a token. With a token of its own it gives Module as
  /// the source, and the token counts as forced. A token that is not of the
  /// vocabulary becomes padding, and what is no source Module.
  std::function<void(int32_t &state, int32_t pc, int32_t tokenNumber,
                     int32_t &token, Source &source)>
      manipulate;

  /// Between escapes and transitions; the flags are those of all classes.
  std::function<void(int32_t &state, int32_t pc, int32_t tokenNumber,
                     std::vector<bool> &triggers)>
      transit;

  /// After everything else. Its value is recorded with the token.
  std::function<int32_t(int32_t &state, int32_t pc, int32_t tokenNumber,
                        int32_t nextPc, int32_t nextTokenNumber, int32_t token,
                        bool forced)>
      post;
};

} // namespace vm::token
