//===- Fuse.cpp - fused mode: runs of linear instructions as matrices -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Fuse.h"

#include "frontends/linear/matrices/FusedRun.h"
#include "frontends/linear/modes/Loops.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace vm;
using namespace vm::linear;

namespace {
/// A run that takes so many operations more than its steps is not followed
/// further.
constexpr unsigned kPatience = 64;

class RunFinder {
public:
  RunFinder(const Program &program, const Expanded &code,
            const std::vector<uint32_t> &elements, FusedCode &fused)
      : program(program), code(code), elements(elements), fused(fused),
        isLeader(findLeaders(code, findLoopEdges(code))) {}

  void find();

private:
  std::optional<FusedRun> findRun(uint32_t step) const;
  bool isWithoutEffect(uint32_t step) const;
  std::optional<uint32_t> nextInBlock(uint32_t step) const;
  template <typename Rows> unsigned operationsOfRows(const Rows &rows) const;

  const Instruction &at(uint32_t step) const {
    return program.instructions[code.steps[step].instruction];
  }

  const Program &program;
  const Expanded &code;
  const std::vector<uint32_t> &elements;
  FusedCode &fused;
  std::vector<bool> isLeader;
  bool restores = false; ///< Some RETURN gives back a register.
};
} // namespace

static Class classOf(const Instruction &instruction) {
  return lookUpOpcode(uint32_t(instruction.opcode))->cls;
}

/// One with `bits` in `element`.
static Matrix makeConstant(uint32_t element, uint32_t bits) {
  Matrix matrix;
  for (uint32_t i = 0; i < kElements; ++i)
    matrix.rows[i] = {{i, 1}};
  matrix.rows[0].push_back({kOne, 1});
  matrix.rows[element].clear();
  if (bits != 0)
    matrix.rows[element].push_back({kOne, std::bit_cast<float>(bits)});
  return matrix;
}

/// Whether a coefficient can be that number: it is not -0, nor NaN or infinite.
static bool isCoefficient(uint32_t bits) {
  return bits == 0 || std::isnormal(std::bit_cast<float>(bits));
}

std::optional<Matrix> vm::linear::matrixOfStep(const Program &program,
                                               const Expanded &code,
                                               const FusedCode &fused,
                                               uint32_t step) {
  const Instruction &own = program.instructions[code.steps[step].instruction];
  if (fused.values[step]) {
    if (!isCoefficient(*fused.values[step]))
      return std::nullopt;
    return makeConstant(writtenElement(own), *fused.values[step]);
  }
  if (classOf(own) != Class::Linear)
    return std::nullopt;
  return makeMatrix(own);
}

/// A jump, or a branch that has one way; a call that nothing is kept of.
bool RunFinder::isWithoutEffect(uint32_t step) const {
  if (classOf(at(step)) != Class::Branch || code.steps[step].next.size() != 1)
    return false;
  bool isCall =
      at(step).opcode == Opcode::Call || at(step).opcode == Opcode::Return;
  return !isCall || !restores;
}

/// The step that follows without a new block.
std::optional<uint32_t> RunFinder::nextInBlock(uint32_t step) const {
  const std::vector<uint32_t> &next = code.steps[step].next;
  if (next.size() != 1 || isLeader[next.front()])
    return std::nullopt;
  return next.front();
}

static const std::vector<Coefficient> &rowOf(const Matrix &matrix,
                                             uint32_t number) {
  return matrix.rows[number];
}

static const std::vector<Coefficient> &rowOf(const RunProduct &product,
                                             uint32_t number) {
  return *product.row(number);
}

template <typename Rows>
unsigned RunFinder::operationsOfRows(const Rows &rows) const {
  unsigned count = 0;
  for (uint32_t element : elements)
    count += operationsOf(rowOf(rows, element), element);
  return count;
}

/// The longest run from `first` on that takes no more operations than its
/// steps.
std::optional<FusedRun> RunFinder::findRun(uint32_t first) const {
  RunProduct product;
  FusedRun run;
  std::optional<FusedRun> best;
  unsigned apart = 0, together = 0, matrices = 0;
  for (std::optional<uint32_t> step = first; step; step = nextInBlock(*step)) {
    std::optional<Matrix> matrix = matrixOfStep(program, code, fused, *step);
    if (!matrix && !isWithoutEffect(*step))
      break;
    run.last = *step;
    ++run.counts[static_cast<size_t>(classOf(at(*step)))];
    if (!matrix)
      continue;
    product.append(*matrix);
    if (!product.isFinite())
      break;
    apart += operationsOfRows(*matrix);
    together = operationsOfRows(product);
    if (together > apart + kPatience)
      break;
    if (++matrices < 2 || together > apart)
      continue;
    best = run;
    best->matrix = product.matrix();
  }
  if (!best)
    return best;
  uint32_t after = code.steps[best->last].next.front();
  auto distance =
      static_cast<float>(static_cast<int64_t>(code.steps[after].instruction) -
                         static_cast<int64_t>(code.steps[first].instruction));
  best->matrix.rows[0] = {{0, 1}};
  if (distance != 0)
    best->matrix.rows[0].push_back({kOne, distance});
  return best;
}

void RunFinder::find() {
  for (const Expanded::Step &step : code.steps) {
    const Instruction &own = program.instructions[step.instruction];
    restores |= own.opcode == Opcode::Return && own.operands[0] != 0;
  }
  for (uint32_t leader = 0; leader < code.steps.size(); ++leader) {
    if (!isLeader[leader])
      continue;
    for (std::optional<uint32_t> step = leader; step;) {
      uint32_t last = *step;
      bool isFirst = matrixOfStep(program, code, fused, *step).has_value();
      if (std::optional<FusedRun> run =
              isFirst ? findRun(*step) : std::nullopt) {
        last = run->last;
        fused.runs.emplace(*step, std::move(*run));
      }
      step = nextInBlock(last);
    }
  }
}

FusedCode vm::linear::fuse(const Program &program, const Launch &launch,
                           Expanded &code,
                           const std::vector<uint32_t> &elements,
                           uint32_t budget) {
  FusedCode fused;
  fused.unrolledLoops =
      unrollLoops(program, launch, code, std::min<size_t>(kMaxSteps, budget));
  auto known = findKnown(program, launch, code);
  fused.values.resize(code.steps.size());
  for (uint32_t step = 0; step < code.steps.size(); ++step)
    if (known[step])
      fused.values[step] = evaluate(
          program.instructions[code.steps[step].instruction], *known[step]);
  RunFinder(program, code, elements, fused).find();
  return fused;
}
