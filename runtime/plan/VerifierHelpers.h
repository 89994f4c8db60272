//===- VerifierHelpers.h - helpers of the verifier ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PlanVerifier.cpp runs the parts below in this order; each checks one list of
// the plan and may rely on the lists before it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <fmt/format.h>

#include <string_view>

namespace vm::verify {

/// What takes longer than a deadline. Loops that a plan makes long look at it.
inline constexpr const char *kChecking = "Checking the plan";

/// A Code::BadInput whose message is the formatted sentence.
template <typename... Args>
Status bad(fmt::format_string<Args...> format, Args &&...args) {
  return Status(Code::BadInput,
                fmt::format(format, std::forward<Args>(args)...));
}

/// `<what> (<count>) is more than ...` if count exceeds limit.
Status checkCount(std::string_view what, uint64_t count, uint64_t limit);

/// A name is 1 to kMaxNameBytes bytes of printable text (Printable.h).
Status checkName(std::string_view what, std::string_view name);
/// As checkName, but may be empty.
Status checkText(std::string_view what, std::string_view text);

/// Whether the enumerator exists: a Plan built from bytes may hold any value.
bool isValid(Region region);

/// Inside its region, not empty, and starting at a multiple of `alignment`.
/// `what` begins the sentence, e.g. `The window of input "x"`.
Status checkWindow(std::string_view what, const Window &window,
                   const Plan &plan, uint64_t alignment = kWindowAlignment);

/// Whether two windows share a byte.
bool overlap(const Window &a, const Window &b);

// ProgramVerifier.cpp
Status verifyPrograms(const Plan &plan, const Deadline &deadline);
// SlotVerifier.cpp
Status verifySlots(const Plan &plan, const Deadline &deadline);
// KernelVerifier.cpp
Status verifyKernels(const Plan &plan, const Deadline &deadline);
// CommandVerifier.cpp
Status verifyCommands(const Plan &plan, const Deadline &deadline);
// ExchangeVerifier.cpp
Status verifyExchange(const Plan &plan, uint32_t index,
                      const Exchange &exchange, const Deadline &deadline);
/// Exchanges and their ends alternate in each list (V44). Of verified repeats.
Status verifyExchangeOrder(const Plan &plan, const Deadline &deadline);
// RepeatVerifier.cpp
/// Repeats lie in one another or side by side, and do not run for ever.
Status verifyRepeats(const Plan &plan, const Deadline &deadline);
/// Windows of rotations overlap no other windows (V33), and end where they
/// began (V34). Of verified commands.
Status verifyRotations(const Plan &plan, const Deadline &deadline);

} // namespace vm::verify
