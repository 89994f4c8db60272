//===- Lifetimes.cpp - from where to where values are needed --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/Lifetimes.h"

#include "kernels/InPlace.h"

using namespace mlir;
using namespace mlir::gpuvm;

Lifetimes::Lifetimes(ArrayRef<CommandOpInterface> commands,
                     const Places &places)
    : steps({0}) {
  SmallVector<PlaceAccess> current;
  llvm::DenseSet<Operation *> inStep;
  unsigned now = 1;
  for (CommandOpInterface command : commands) {
    SmallVector<PlaceAccess> accesses = places.accessShared(command);
    bool isExchange = isa<flow::ExchangeOp>(*command);
    bool depends =
        command.isFence() || isExchange || conflicts(accesses, current);
    for (Value operand : command->getOperands())
      depends |=
          operand.getDefiningOp() && inStep.contains(operand.getDefiningOp());
    if (depends) {
      ++now;
      current.clear();
      inStep.clear();
    }
    numbers[command] = steps.size();
    steps.push_back(now);
    inStep.insert(command);
    llvm::append_range(current, accesses);
  }
  steps.push_back(now + 1);
  for (auto [i, command] : llvm::enumerate(commands))
    if (auto exchange = dyn_cast<flow::ExchangeOp>(*command))
      ends[exchange] =
          numbers.lookup(exchange) +
          countMeanwhile(exchange, commands.drop_front(i + 1), places);
}

unsigned gpuvm::countMeanwhile(flow::ExchangeOp exchange,
                               ArrayRef<CommandOpInterface> after,
                               const Places &places) {
  SmallVector<PlaceAccess> accesses = places.access(exchange);
  const auto *end = llvm::find_if(after, [&](CommandOpInterface command) {
    return command.isFence() || isa<flow::ExchangeOp>(*command) ||
           conflicts(places.access(command), accesses);
  });
  return end - after.begin();
}

unsigned Lifetimes::endOf(Operation *command) const {
  auto end = ends.find(command);
  return end == ends.end() ? numbers.lookup(command) : end->second;
}

unsigned Lifetimes::lastUse(Value value) const {
  unsigned last = endOf(value.getDefiningOp());
  for (Operation *user : value.getUsers()) {
    if (isa<ReturnOp>(user))
      return getLast();
    if (isa<CommandOpInterface>(user))
      last = std::max(last, endOf(lastRun(user, value.getDefiningOp())));
  }
  return last;
}

bool Lifetimes::diesIn(Value value, flow::DispatchOp dispatch) const {
  unsigned now = numbers.lookup(dispatch);
  return lastUse(value) == now &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           return !isa<CommandOpInterface>(user) || user == dispatch ||
                  steps[numbers.lookup(user)] < steps[now];
         });
}

bool Lifetimes::canTakeOver(flow::DispatchOp dispatch, Value operand,
                            unsigned result) const {
  if (!diesIn(operand, dispatch) || operand == dispatch.getPredicate() ||
      operand == dispatch.getGroups())
    return false;
  for (auto [i, other] : llvm::enumerate(dispatch.getInputs()))
    if (other == operand && !canUpdateInPlace(dispatch, i, result))
      return false;
  return true;
}
