//===- Modes.cpp - which mode runs a phase --------------------------------===//
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

static PhaseMode chooseMode(const Program &program, size_t phase,
                            std::string_view wanted) {
  if (wanted == "faithful")
    return {"faithful", "", std::nullopt};
  Result<CompiledPhase> code = planPhase(program, phase);
  if (!code.ok())
    return {"faithful", code.status().message(), std::nullopt};
  if (wanted != "fused")
    return {"compiled", "", std::move(*code)};
  if (program.f16State)
    return {"compiled", "the state is f16, to which every step rounds",
            std::move(*code)};
  for (CompiledLaunch &launch : code->launches)
    launch.fused = fuse(program, *launch.launch, launch.code, launch.elements,
                        launch.budget);
  return {"fused", "", std::move(*code)};
}

std::vector<PhaseMode> vm::linear::chooseModes(const Program &program,
                                               std::string_view wanted) {
  std::vector<PhaseMode> modes;
  for (size_t phase = 0; phase < program.phases.size(); ++phase)
    modes.push_back(chooseMode(program, phase, wanted));
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
