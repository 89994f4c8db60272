//===- Modes.cpp - the choice of a mode for each phase --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Modes.h"

#include <algorithm>
#include <bit>
#include <set>

using namespace vm;
using namespace vm::linear;

static Status checkCode(const CompiledPhase &code, const CodeCheck &check) {
  if (check)
    for (const CompiledLaunch &launch : code.launches)
      VM_RETURN_IF_ERROR(check(launch));
  return {};
}

static PhaseMode runFaithfully(const Status &why) {
  return {"faithful", why.message(), std::nullopt, why.code() == Code::Excess};
}

static PhaseMode compilePhase(const Program &program, size_t phase,
                              const CodeCheck &check) {
  Result<CompiledPhase> code = planPhase(program, phase);
  if (!code.ok())
    return runFaithfully(code.status());
  if (Status status = checkCode(*code, check); !status.ok())
    return runFaithfully(status);
  return {"compiled", "", std::move(*code)};
}

static PhaseMode fusePhase(const Program &program, size_t phase,
                           const CodeCheck &check) {
  Result<CompiledPhase> code = planPhase(program, phase);
  if (!code.ok())
    return runFaithfully(code.status());
  for (CompiledLaunch &launch : code->launches)
    launch.fused = fuse(program, *launch.launch, launch.code, launch.elements,
                        launch.budget);
  Status status = checkCode(*code, check);
  if (status.ok())
    return {"fused", "", std::move(*code)};
  PhaseMode mode = compilePhase(program, phase, check);
  if (mode.code)
    mode.reason = status.message();
  mode.isTooLarge = true;
  return mode;
}

static PhaseMode chooseMode(const Program &program, size_t phase,
                            std::string_view wanted, const CodeCheck &check) {
  if (wanted == "faithful")
    return {"faithful", "", std::nullopt};
  if (wanted == "fused" && !program.f16State)
    return fusePhase(program, phase, check);
  PhaseMode mode = compilePhase(program, phase, check);
  if (wanted == "fused" && mode.code)
    mode.reason = "the state is f16, to which every step rounds";
  return mode;
}

std::vector<PhaseMode> vm::linear::chooseModes(const Program &program,
                                               std::string_view wanted,
                                               const CodeCheck &check) {
  std::vector<PhaseMode> modes;
  for (size_t phase = 0; phase < program.phases.size(); ++phase)
    modes.push_back(chooseMode(program, phase, wanted, check));
  return modes;
}

/// The runs of a launch, and the linear instructions in none of them.
static void addMatrices(const Program &program, const CompiledLaunch &launch,
                        std::vector<PlacedMatrix> &matrices) {
  const Expanded &code = launch.code;
  std::vector<bool> isInRun(code.steps.size());
  for (const auto &[first, run] : launch.fused->runs) {
    matrices.push_back({code.steps[first].instruction, run.matrix});
    for (uint32_t step = first;; step = code.steps[step].next.front()) {
      isInRun[step] = true;
      if (step == run.last)
        break;
    }
  }
  for (uint32_t step = 0; step < code.steps.size(); ++step) {
    uint32_t number = code.steps[step].instruction;
    const Instruction &own = program.instructions[number];
    bool isLinear = lookUpOpcode(uint32_t(own.opcode))->cls == Class::Linear;
    if (isLinear && !isInRun[step])
      matrices.push_back({number, makeMatrix(own)});
  }
}

/// Two that are the same, of two launches or two calls of a routine, are one.
static void dropCopies(std::vector<PlacedMatrix> &matrices) {
  auto rowsOf = [](const PlacedMatrix &placed) {
    std::vector<std::pair<uint32_t, uint32_t>> words;
    for (const std::vector<Coefficient> &row : placed.matrix.rows) {
      words.emplace_back(UINT32_MAX, row.size());
      for (const Coefficient &c : row)
        words.emplace_back(c.column, std::bit_cast<uint32_t>(c.value));
    }
    return std::pair(placed.instruction, std::move(words));
  };
  std::set<decltype(rowsOf(matrices.front()))> seen;
  std::erase_if(matrices, [&](const PlacedMatrix &placed) {
    return !seen.insert(rowsOf(placed)).second;
  });
  std::ranges::stable_sort(matrices, {}, &PlacedMatrix::instruction);
}

std::vector<PlacedMatrix>
vm::linear::matricesOf(const Program &program,
                       const std::vector<PhaseMode> &modes) {
  auto isFused = [](const PhaseMode &mode) { return mode.name == "fused"; };
  std::vector<PlacedMatrix> matrices;
  if (!std::ranges::all_of(modes, isFused))
    matrices = matricesOf(program);
  for (const PhaseMode &mode : modes)
    if (isFused(mode))
      for (const CompiledLaunch &launch : mode.code->launches)
        addMatrices(program, launch, matrices);
  dropCopies(matrices);
  return matrices;
}

bool vm::linear::areFaithful(const std::vector<PhaseMode> &modes) {
  return std::ranges::none_of(
      modes, [](const PhaseMode &mode) { return mode.code.has_value(); });
}
