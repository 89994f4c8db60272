//===- RoutineFacts.cpp - static analysis of routines ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over the graph of instructions finds its strongly connected
// components, each after all it leads to (R. Tarjan, Depth-first search and
// linear graph algorithms, 1972, without recursion), so that a component's
// facts follow from those of its successors.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/RoutineFacts.h"

#include <algorithm>

namespace vm::linear {
namespace {

constexpr uint32_t kUnknownDepth = UINT32_MAX;
constexpr uint64_t kUnknownPath = UINT64_MAX;
constexpr uint32_t kUnseen = 0;        ///< As an order.
constexpr uint32_t kDone = UINT32_MAX; ///< Its component is complete.

/// Of an instruction and all that can follow it until the frame ends.
struct Facts {
  uint16_t read = 0, written = 0;
  uint32_t depth = 0;
  uint64_t path = 0;
};

struct Successors {
  std::array<uint32_t, 2> targets;
  unsigned count = 0;
  bool firstIsCall = false;
};

Successors successorsOf(const Program &program, uint32_t number) {
  const Instruction &instruction = program.instructions[number];
  switch (instruction.opcode) {
  case Opcode::Return:
  case Opcode::Halt:
  case Opcode::Kill:
    return {};
  case Opcode::Jump:
    return {{instruction.operands[0], 0}, 1};
  case Opcode::Call:
    return {{instruction.operands[0], number + 1}, 2, true};
  default:
    break;
  }
  if (lookUpOpcode(static_cast<uint32_t>(instruction.opcode))->cls ==
      Class::Branch)
    return {{instruction.operands[1], number + 1}, 2};
  return {{number + 1, 0}, 1};
}

class FactFinder {
public:
  explicit FactFinder(const Program &program)
      : program_(program), order_(program.instructions.size(), kUnseen),
        facts_(program.instructions.size()) {}

  const Facts &of(uint32_t number) {
    if (order_[number] == kUnseen)
      walk(number);
    return facts_[number];
  }

private:
  struct Frame {
    uint32_t number;
    uint32_t low;      ///< The least order that is reached from here.
    unsigned next = 0; ///< The successor to look at.
  };

  void walk(uint32_t root);
  void enter(uint32_t number);
  void leave();
  void complete(size_t from);
  Facts join(uint32_t number, bool isLoop) const;
  bool isInside(uint32_t number) const { return order_[number] != kDone; }

  const Program &program_;
  std::vector<uint32_t> order_; ///< From 1; kUnseen and kDone.
  std::vector<Facts> facts_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> open_; ///< Not yet in a complete component.
  uint32_t lastOrder_ = 0;
};

void FactFinder::enter(uint32_t number) {
  order_[number] = ++lastOrder_;
  frames_.push_back({number, lastOrder_});
  open_.push_back(number);
}

void FactFinder::walk(uint32_t root) {
  enter(root);
  while (!frames_.empty()) {
    Frame &frame = frames_.back();
    Successors successors = successorsOf(program_, frame.number);
    if (frame.next == successors.count) {
      leave();
      continue;
    }
    uint32_t target = successors.targets[frame.next++];
    if (order_[target] == kUnseen)
      enter(target);
    else if (order_[target] != kDone)
      frame.low = std::min(frame.low, order_[target]);
  }
}

void FactFinder::leave() {
  Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.low == order_[frame.number]) {
    size_t from = open_.size();
    while (open_[--from] != frame.number)
      ;
    complete(from);
  }
  if (!frames_.empty())
    frames_.back().low = std::min(frames_.back().low, frame.low);
}

/// An instruction's facts from those of its successors. Those in its own
/// component (which are not done) are joined by the caller.
Facts FactFinder::join(uint32_t number, bool isLoop) const {
  const Instruction &instruction = program_.instructions[number];
  Facts facts;
  if (instruction.opcode == Opcode::Load)
    facts.read = 1u << instruction.operands[1];
  if (instruction.opcode == Opcode::Store)
    facts.written = 1u << instruction.operands[1];
  if (instruction.opcode == Opcode::Copy) {
    facts.written = 1u << instruction.operands[0];
    facts.read = 1u << instruction.operands[1];
  }
  Successors successors = successorsOf(program_, number);
  uint64_t path = 0;
  for (unsigned i = 0; i < successors.count; ++i) {
    bool isCall = i == 0 && successors.firstIsCall;
    uint32_t target = successors.targets[i];
    if (isInside(target)) {
      facts.depth = isCall ? kUnknownDepth : facts.depth;
      continue;
    }
    const Facts &next = facts_[target];
    facts.read |= next.read;
    facts.written |= next.written;
    bool isKnown = next.depth != kUnknownDepth;
    facts.depth = std::max(facts.depth, next.depth + (isCall && isKnown));
    bool isUnknownPath = next.path == kUnknownPath || path == kUnknownPath;
    uint64_t longer =
        successors.firstIsCall ? path + next.path : std::max(path, next.path);
    path = isUnknownPath ? kUnknownPath : longer;
  }
  bool isTooLong = path >= kLongestPath;
  facts.path = isLoop || isTooLong ? kUnknownPath : path + 1;
  return facts;
}

/// The component of the open instructions from index `from` on.
void FactFinder::complete(size_t from) {
  auto isOwn = [&](uint32_t number) {
    Successors successors = successorsOf(program_, number);
    auto end = successors.targets.begin() + successors.count;
    return std::find(successors.targets.begin(), end, number) != end;
  };
  bool isLoop = open_.size() - from > 1 || isOwn(open_.back());
  Facts all;
  for (size_t i = from; i < open_.size(); ++i) {
    Facts facts = join(open_[i], isLoop);
    all.read |= facts.read;
    all.written |= facts.written;
    all.depth = std::max(all.depth, facts.depth);
    all.path = facts.path;
  }
  for (size_t i = from; i < open_.size(); ++i) {
    facts_[open_[i]] = all;
    order_[open_[i]] = kDone;
  }
  open_.resize(from);
}

} // namespace

ProgramFacts findFacts(const Program &program) {
  ProgramFacts result;
  FactFinder finder(program);
  for (const Routine &routine : program.routines) {
    const Facts &facts = finder.of(routine.first);
    RoutineFacts &known = result.routines.emplace_back(
        RoutineFacts{facts.read, facts.written, {}});
    if (facts.path != kUnknownPath)
      known.longestPath = facts.path;
  }
  uint32_t depth = 0;
  for (const Phase &phase : program.phases)
    for (const Launch &launch : phase.launches)
      depth = std::max(depth,
                       finder.of(program.routines[launch.routine].first).depth);
  for (const Instruction &instruction : program.instructions)
    if (instruction.opcode == Opcode::Spawn)
      depth = std::max(depth, finder.of(instruction.operands[0]).depth);
  if (depth != kUnknownDepth)
    result.callDepth = depth;
  return result;
}

} // namespace vm::linear
