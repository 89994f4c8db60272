//===- ProgramVerifier.cpp - several programs in one plan -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Limits.h"
#include "runtime/plan/VerifierHelpers.h"

#include <set>

using namespace vm;
using namespace vm::verify;

/// What a program has of a list: ascending, and all there.
static Status verifyIndices(const Program &program, const char *what,
                            const std::vector<uint32_t> &indices, size_t size) {
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= size)
      return bad("Program \"{}\" has {} {} (the plan has {}).", program.name,
                 what, indices[i], size);
    if (i > 0 && indices[i] <= indices[i - 1])
      return bad("Program \"{}\" has {} {} after {} (they ascend).",
                 program.name, what, indices[i], indices[i - 1]);
  }
  return {};
}

/// Those of which every program has its own.
static Status verifyOwner(const char *what, const std::string &name,
                          uint32_t owners) {
  if (owners == 1)
    return {};
  return bad("{} \"{}\" is of {} programs (it is of one).", what, name, owners);
}

static Status verifyOwners(const Plan &plan) {
  std::vector<uint32_t> ofInput(plan.inputs.size());
  std::vector<uint32_t> ofOutput(plan.outputs.size());
  for (const Program &program : plan.programs) {
    for (uint32_t i : program.inputs)
      ++ofInput[i];
    for (uint32_t i : program.outputs)
      ++ofOutput[i];
  }
  for (size_t i = 0; i < ofInput.size(); ++i)
    if (plan.inputs[i].residency == Residency::Execution)
      VM_RETURN_IF_ERROR(verifyOwner("Input", plan.inputs[i].name, ofInput[i]));
  for (size_t i = 0; i < ofOutput.size(); ++i)
    VM_RETURN_IF_ERROR(
        verifyOwner("Output", plan.outputs[i].name, ofOutput[i]));
  return {};
}

Status verify::verifyPrograms(const Plan &plan, const Deadline &deadline) {
  if (plan.programs.empty())
    return {};
  VM_RETURN_IF_ERROR(
      checkCount("programs", plan.programs.size(), limits::kMaxPrograms));
  std::set<std::string_view> names;
  uint64_t stages = 0, commands = 0;
  for (size_t i = 0; i < plan.programs.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    const Program &program = plan.programs[i];
    VM_RETURN_IF_ERROR(
        checkName(fmt::format("The name of program {}", i), program.name));
    if (!names.insert(program.name).second)
      return bad("Two programs have the name \"{}\".", program.name);
    VM_RETURN_IF_ERROR(
        verifyIndices(program, "input", program.inputs, plan.inputs.size()));
    VM_RETURN_IF_ERROR(
        verifyIndices(program, "output", program.outputs, plan.outputs.size()));
    VM_RETURN_IF_ERROR(
        verifyIndices(program, "symbol", program.symbols, plan.symbols.size()));
    stages += program.stages;
    commands += program.commands;
  }
  if (stages != plan.stages.size())
    return bad("The programs have {} stages together (the plan has {}).",
               stages, plan.stages.size());
  if (commands != plan.commands.size())
    return bad("The programs have {} commands together (the plan has {}).",
               commands, plan.commands.size());
  return verifyOwners(plan);
}
