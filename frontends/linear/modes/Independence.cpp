//===- Independence.cpp - machines that do not meet -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses are followed as c + k vm_id with whole c and k, through the
// instructions that keep this form and while all numbers are exact in f32. What
// is not of that form may be any address that the launch may use.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Expanded.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <span>

using namespace vm;
using namespace vm::linear;

namespace {
/// c + k vm_id, if it is known.
struct Affine {
  bool isKnown = false;
  int64_t c = 0, k = 0;
  bool operator==(const Affine &) const = default;
};

using State = std::array<Affine, kElements>;

/// One access of a launch.
struct Access {
  uint32_t line;
  bool writes;
  Affine address;
  std::span<const AddressRange> ranges; ///< Where it may be, if not known.
  uint32_t first, count;                ///< The machines.
};

class AddressFinder {
public:
  AddressFinder(const Program &program, const Launch &launch,
                const Expanded &code, uint32_t first)
      : program(program), launch(launch), code(code), first(first),
        read(addressesOf(program, launch, false)),
        written(addressesOf(program, launch, true)) {}

  /// Their ranges are this object's.
  void find(std::vector<Access> &accesses);

private:
  void iterate();
  void execute(uint32_t step, State &state) const;
  void moveOrAdd(const Instruction &instruction, State &state) const;
  Affine exact(int64_t c, int64_t k) const;

  const Program &program;
  const Launch &launch;
  const Expanded &code;
  uint32_t first;                          ///< vm_id of its first machine.
  std::vector<AddressRange> read, written; ///< What it may use.
  std::vector<State> before;
  std::vector<bool> isReached;
};
} // namespace

/// Known if all machines' numbers are exact.
Affine AddressFinder::exact(int64_t c, int64_t k) const {
  const int64_t largest = int64_t(1) << (program.f16State ? 11 : 24);
  int64_t last = int64_t(first) + launch.count - 1;
  if (std::abs(c) > largest || std::abs(k) > largest ||
      std::abs(c + k * first) > largest || std::abs(c + k * last) > largest)
    return {};
  return {true, c, k};
}

static Affine literal(uint32_t bits) {
  float value = std::bit_cast<float>(bits);
  if (!(std::abs(value) <= 16777216.0f) || value != std::trunc(value))
    return {};
  return {true, static_cast<int64_t>(value), 0};
}

/// The instructions that keep the form; others leave nothing known.
void AddressFinder::moveOrAdd(const Instruction &instruction,
                              State &state) const {
  const std::array<uint32_t, 4> &o = instruction.operands;
  auto r = [&](unsigned i) -> Affine & { return state[kFirstRegister + o[i]]; };
  auto m = [&](unsigned i) -> Affine & { return state[kFirstMemory + o[i]]; };
  auto times = [&](const Affine &a, const Affine &b) {
    if (!a.isKnown || !b.isKnown || (a.k && b.k))
      return Affine();
    return exact(a.c * b.c, a.c * b.k + a.k * b.c);
  };
  auto plus = [&](const Affine &a, const Affine &b, int64_t sign) {
    return a.isKnown && b.isKnown ? exact(a.c + sign * b.c, a.k + sign * b.k)
                                  : Affine();
  };
  switch (instruction.opcode) {
  case Opcode::Add:
    r(0) = plus(r(1), r(2), 1);
    break;
  case Opcode::Sub:
  case Opcode::Cmp:
    r(0) = plus(r(1), r(2), -1);
    break;
  case Opcode::CmpI:
    r(0) = plus(r(1), literal(o[2]), -1);
    break;
  case Opcode::Mov:
    r(0) = r(1);
    break;
  case Opcode::SetI:
    r(0) = literal(o[1]);
    break;
  case Opcode::Load:
    r(0) = m(1);
    break;
  case Opcode::Store:
    m(1) = r(0);
    break;
  case Opcode::Copy:
    m(0) = m(1);
    break;
  case Opcode::Clear:
    r(0) = {true, 0, 0};
    break;
  case Opcode::Neg:
    r(0) = times(r(1), {true, -1, 0});
    break;
  case Opcode::Scale:
  case Opcode::MulI:
    r(0) = times(r(1), literal(o[2]));
    break;
  case Opcode::Mul:
    r(0) = times(r(1), r(2));
    break;
  case Opcode::VmId:
    r(0) = exact(0, 1);
    break;
  default:
    if (lookUpOpcode(uint32_t(instruction.opcode))->operands[0] == 'd')
      r(0) = {};
    break;
  }
}

void AddressFinder::execute(uint32_t step, State &state) const {
  const Instruction &instruction =
      program.instructions[code.steps[step].instruction];
  if (instruction.opcode == Opcode::Return) {
    // Which registers come back is not followed.
    for (unsigned i = 0; i < kRegisters; ++i)
      if (instruction.operands[0] >> i & 1)
        state[kFirstRegister + i] = {};
    return;
  }
  moveOrAdd(instruction, state);
}

/// What is known before each step, whichever way a machine came.
void AddressFinder::iterate() {
  before.resize(code.steps.size());
  isReached.resize(code.steps.size());
  for (unsigned i = 1; i < kOne; ++i)
    before[0][i] = {true, 0, 0};
  for (const Launch::Initial &initial : launch.initial)
    before[0][initial.element] = literal(initial.bits);
  isReached[0] = true;
  std::vector<uint32_t> pending = {0};
  while (!pending.empty()) {
    uint32_t step = pending.back();
    pending.pop_back();
    State after = before[step];
    execute(step, after);
    for (uint32_t next : code.steps[step].next) {
      State joined = isReached[next] ? before[next] : after;
      for (unsigned i = 0; i < kElements; ++i)
        if (joined[i] != after[i])
          joined[i] = {};
      if (isReached[next] && joined == before[next])
        continue;
      before[next] = joined;
      isReached[next] = true;
      pending.push_back(next);
    }
  }
}

void AddressFinder::find(std::vector<Access> &accesses) {
  iterate();
  for (uint32_t step = 0; step < code.steps.size(); ++step) {
    uint32_t number = code.steps[step].instruction;
    const Instruction &instruction = program.instructions[number];
    bool writes = instruction.opcode == Opcode::Write;
    if (!writes && instruction.opcode != Opcode::Read)
      continue;
    uint32_t address = instruction.operands[writes ? 0 : 1];
    accesses.push_back({program.lines[number], writes,
                        before[step][kFirstRegister + address],
                        writes ? written : read, first, launch.count});
  }
}

/// The addresses of an access, if they are known, from the first to the last
/// machine's.
static AddressRange spanOf(const Access &access) {
  int64_t one = access.address.c + access.address.k * access.first;
  int64_t other = one + access.address.k * (int64_t(access.count) - 1);
  auto [least, most] = std::minmax(one, other);
  if (most < 0)
    return {0, 0}; // All of them fault.
  return {static_cast<uint32_t>(std::max<int64_t>(least, 0)),
          static_cast<uint32_t>(most + 1)};
}

static bool meet(const AddressRange &x, const AddressRange &y) {
  return x.first < y.end && y.first < x.end;
}

/// Whether the addresses that two accesses may use have one in common.
static bool overlap(const Access &a, const Access &b) {
  AddressRange ofA, ofB;
  auto rangesOf = [](const Access &access, AddressRange &span) {
    if (!access.address.isKnown)
      return access.ranges;
    span = spanOf(access);
    return std::span<const AddressRange>(&span, 1);
  };
  for (const AddressRange &x : rangesOf(a, ofA))
    for (const AddressRange &y : rangesOf(b, ofB))
      if (meet(x, y))
        return true;
  return false;
}

/// Whether some machine of one launch and another machine of the other may use
/// one address.
static bool mayMeet(const Access &a, const Access &b) {
  if (!overlap(a, b))
    return false;
  if (!a.address.isKnown || !b.address.isKnown || a.address.k != b.address.k)
    return true; // Not looked at more closely.
  int64_t k = a.address.k, d = a.address.c - b.address.c;
  if (k == 0)
    return d == 0;
  // c_a + k v = c_b + k w, with w - v = d / k.
  if (d % k != 0)
    return false;
  int64_t distance = d / k;
  if (distance == 0)
    return false; // The same machine.
  int64_t least = int64_t(b.first) - (int64_t(a.first) + a.count - 1);
  int64_t most = int64_t(b.first) + b.count - 1 - a.first;
  return distance >= least && distance <= most;
}

Status vm::linear::proveIndependent(const Program &program, const Phase &phase,
                                    const std::vector<Expanded> &launches) {
  if (phase.independent ||
      (phase.launches.size() == 1 && phase.launches.front().count == 1))
    return {};
  std::vector<Access> accesses;
  std::deque<AddressFinder> finders;
  uint32_t first = 0;
  for (size_t i = 0; i < launches.size(); ++i) {
    finders.emplace_back(program, phase.launches[i], launches[i], first);
    finders.back().find(accesses);
    first += phase.launches[i].count;
  }
  for (const Access &write : accesses)
    for (const Access &other : accesses)
      if (write.writes && mayMeet(write, other))
        return {Code::Usage,
                fmt::format("its machines may use one address, written in "
                            "line {} and {} in line {}, and it is not "
                            "`independent`",
                            write.line, other.writes ? "written" : "read",
                            other.line)};
  return {};
}
