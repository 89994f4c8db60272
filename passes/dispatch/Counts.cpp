//===- Counts.cpp - workgroup counts that the device computes -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/dispatch/Counts.h"

#include "kernels/Launches.h"
#include "passes/analysis/Effects.h"

#include <map>

using namespace mlir;
using namespace mlir::gpuvm;

/// Triplets of one kernel: a lane chooses among so many numbers.
static constexpr size_t kMostTriplets = 16;

/// Kernels with one triplet.
using Sharers = SmallVector<flow::DispatchOp>;

/// A triplet {n, 1, 1} for each of `all`, in the body of the kernel that writes
/// them.
static Value makeTriplets(OpBuilder &b, Location loc, Value word,
                          ArrayRef<Sharers> all, GroupsFn groupsOf) {
  int64_t count = all.size();
  return makeWords(
      b, loc, {count, 3}, {},
      [&](ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr>) {
        Expr element = s.read(word, {}), own = s.word(0);
        for (auto [i, sharers] : llvm::enumerate(all)) {
          flow::DispatchOp kernel = sharers.front();
          Expr isOwn = indices[0].signedToWord() == i;
          own = select(isOwn,
                       groupsOf(element, kernel, *kernel.getMostGroups()), own);
        }
        return select(indices[1].signedToWord() == 0, own, 1);
      });
}

/// The device counts workgroups for all launches alike: those that need a
/// number of their own are dropped.
static void keepGroups(flow::DispatchOp kernel) {
  int64_t groups = layOutKernel(kernel)->groups;
  kernel.setMostGroups(groups);
  if (!kernel.getLaunches())
    return;
  SmallVector<Attribute> kept;
  for (LaunchAttr launch : getLaunches(kernel))
    if (LaunchAttr same = withGroups(kernel, launch, groups))
      kept.push_back(same);
  kernel.setLaunchesAttr(ArrayAttr::get(kernel.getContext(), kept));
}

/// A dispatch that computes the triplets; it computes what `copy` does, too,
/// and takes its place.
static void addCountsOfFew(ProgramOp program, Operation *place, Value word,
                           ArrayRef<Sharers> all, GroupsFn groupsOf,
                           flow::DispatchOp copy) {
  OpBuilder b(place);
  int64_t count = all.size();
  llvm::SmallSetVector<Attribute, 4> stages;
  for (const Sharers &sharers : all)
    for (flow::DispatchOp kernel : sharers)
      stages.insert_range(kernel.getStages());
  flow::DispatchOp lead = all.front().front();
  Location loc = lead.getLoc();
  StringRef first = lead.getSymName();
  SmallVector<Type> types = {RankedTensorType::get({count, 3}, b.getI32Type())};
  if (copy) {
    stages.insert_range(copy.getStages());
    llvm::append_range(types, copy.getResultTypes());
  }
  auto counts = flow::DispatchOp::create(
      b, loc, types, freeName(program, first + "_counts"), Root::map,
      b.getArrayAttr(stages.getArrayRef()), ValueRange{word});
  Block *body = b.createBlock(&counts.getBody());
  Value element = body->addArgument(word.getType(), loc);
  SmallVector<Value> made = {makeTriplets(b, loc, element, all, groupsOf)};
  if (copy)
    made.push_back(element);
  YieldOp::create(b, loc, made);
  for (auto [i, sharers] : llvm::enumerate(all))
    for (flow::DispatchOp kernel : sharers) {
      kernel.getGroupsMutable().assign(counts->getResult(0));
      kernel.setGroupsRow(i);
    }
  if (!copy)
    return;
  copy->getResult(0).replaceAllUsesWith(counts->getResult(1));
  copy.erase();
}

void gpuvm::addCounts(ProgramOp program, Operation *place, Value word,
                      ArrayRef<flow::DispatchOp> kernels, GroupsFn groupsOf,
                      GroupsKeyFn keyOf, flow::DispatchOp copy) {
  std::map<SmallVector<int64_t, 4>, size_t> numbers;
  SmallVector<Sharers> all;
  for (flow::DispatchOp kernel : kernels) {
    keepGroups(kernel);
    SmallVector<int64_t, 4> key = keyOf(kernel);
    key.push_back(*kernel.getMostGroups());
    auto [entry, isNew] = numbers.try_emplace(key, all.size());
    if (isNew)
      all.emplace_back();
    all[entry->second].push_back(kernel);
  }
  for (size_t i = 0; i < all.size(); i += kMostTriplets)
    addCountsOfFew(program, place, word,
                   ArrayRef(all).drop_front(i).take_front(kMostTriplets),
                   groupsOf, i == 0 ? copy : flow::DispatchOp());
}
