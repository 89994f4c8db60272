//===- BuildLaunch.cpp - the stage of a launch ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::linear;
using gpuvm::ProgramBuilder;

namespace {
/// A map has so many results; more of them are several maps.
constexpr size_t kMaxResults = 20;

class LaunchBuilder {
public:
  LaunchBuilder(ProgramBuilder &b, const vm::linear::Program &program,
                const vm::linear::CompiledLaunch &launch, func::FuncOp routine)
      : b(b), program(program), launch(launch), routine(routine) {}

  /// What LaunchMessages has, in its order.
  gpuvm::Sent buildBody(Value memory);

private:
  void buildMaps(Value memory);
  Value buildRows();
  Value buildElement(uint32_t element, Value machine);
  SmallVector<Value> buildSums();

  RankedTensorType vectorOf(Type element) const {
    return RankedTensorType::get({launch.launch->count}, element);
  }
  Value index(unsigned dimension) {
    return linalg::IndexOp::create(b, dimension);
  }

  ProgramBuilder &b;
  const vm::linear::Program &program;
  const vm::linear::CompiledLaunch &launch;
  func::FuncOp routine;
  SmallVector<Value> results; ///< Of the routine, of all machines.
};
} // namespace

/// The function's results, in as many maps as it takes.
void LaunchBuilder::buildMaps(Value memory) {
  auto types =
      llvm::map_to_vector(routine.getResultTypes(),
                          [&](Type type) -> Type { return vectorOf(type); });
  AffineMap v = b.getMultiDimIdentityMap(1);
  for (ArrayRef<Type> rest = types; !rest.empty();
       rest = rest.drop_front(std::min(rest.size(), kMaxResults))) {
    size_t first = types.size() - rest.size();
    ArrayRef<Type> own = rest.take_front(kMaxResults);
    auto body = [&](ValueRange) {
      Value number = arith::IndexCastOp::create(b, b.getI32Type(), index(0));
      Value machine = arith::AddIOp::create(
          b, number, b.constant(b.getI32Type(), launch.firstMachine));
      SmallVector<Value> all =
          gpuvm::inlineFunction(b, routine, {machine, memory});
      return SmallVector<Value>(ArrayRef(all).slice(first, own.size()));
    };
    llvm::append_range(
        results,
        b.generic({}, own, SmallVector<AffineMap>(own.size(), v), body));
  }
}

/// What an element begins with, or where the code uses it what it ends with;
/// null where that is 0.
Value LaunchBuilder::buildElement(uint32_t element, Value machine) {
  auto used = llvm::find(launch.elements, element);
  if (used != launch.elements.end())
    return tensor::ExtractOp::create(b, results[used - launch.elements.begin()],
                                     machine);
  uint32_t bits = 0;
  for (const vm::linear::Launch::Initial &initial : launch.launch->initial)
    if (initial.element == element)
      bits = initial.bits;
  if (bits == 0)
    return {};
  llvm::APFloat value(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits));
  Value number = b.constant(b.getF32Type(), value);
  if (!program.f16State)
    return number;
  return func::CallOp::create(b, "half", b.getF32Type(), number).getResult(0);
}

/// The elements as rows of the state.
Value LaunchBuilder::buildRows() {
  auto body = [&](ValueRange) -> SmallVector<Value> {
    Value machine = index(0), place = index(1);
    Value chosen = b.constant(b.getF32Type(), llvm::APFloat(0.0f));
    for (uint32_t element = 1; element < vm::linear::kOne; ++element) {
      Value own = buildElement(element, machine);
      if (!own)
        continue;
      Value number = b.constant(b.getIndexType(), element - 1);
      Value isIt =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place, number);
      chosen = arith::SelectOp::create(b, isIt, own, chosen);
    }
    return {chosen};
  };
  Type rows = RankedTensorType::get({launch.launch->count, 20}, b.getF32Type());
  return b.generic({}, rows, b.getMultiDimIdentityMap(2), body).front();
}

/// Instructions of each class, how many machines faulted and how many still
/// run, and the most that one machine executed.
SmallVector<Value> LaunchBuilder::buildSums() {
  ValueRange counted =
      ArrayRef(results).slice(launch.elements.size(), 5); // With where it is.
  AffineMap v = b.getMultiDimIdentityMap(1);
  SmallVector<Type> longs(5, vectorOf(b.getI64Type()));
  SmallVector<Value> sums =
      b.generic(counted, longs, SmallVector<AffineMap>(10, v),
                [&](ValueRange own) { return b.call("counted", own); });
  SmallVector<Value> most =
      b.generic(counted.drop_front(), vectorOf(b.getI32Type()),
                SmallVector<AffineMap>(5, v),
                [&](ValueRange own) { return b.call("executed", own); });
  auto reduce = [&]<typename Op>(Value all, Op) -> Value {
    Type element = getElementTypeOrSelf(all.getType());
    Value none = b.constant(RankedTensorType::get({}, element), 0);
    auto op = linalg::ReduceOp::create(
        b, all, none, ArrayRef<int64_t>{0},
        [](OpBuilder &inside, Location loc, ValueRange pair) {
          linalg::YieldOp::create(
              inside, loc,
              Op::create(inside, loc, pair[1], pair[0]).getResult());
        });
    return op->getResult(0);
  };
  for (Value &sum : sums)
    sum = reduce(sum, arith::AddIOp());
  sums.push_back(reduce(most.front(), arith::MaxUIOp()));
  return sums;
}

gpuvm::Sent LaunchBuilder::buildBody(Value memory) {
  buildMaps(memory);
  size_t at = launch.elements.size();
  gpuvm::Sent sent{{buildRows(), results[at]}};
  llvm::append_range(sent.payloads, buildSums());
  llvm::append_range(sent.payloads, ArrayRef(results).drop_front(at + 5));
  return sent;
}

LaunchMessages
mlir::linear::buildLaunch(ProgramBuilder &b, const Twine &name,
                          const vm::linear::Program &program,
                          const vm::linear::CompiledLaunch &launch,
                          func::FuncOp routine, Value memory, Value when) {
  LaunchBuilder builder(b, program, launch, routine);
  SmallVector<Value> messages = b.stage(
      name, memory,
      [&](ValueRange payloads) { return builder.buildBody(payloads.front()); },
      when);
  LaunchMessages all{messages[0], messages[1], {}, messages[7], {}};
  llvm::copy(ArrayRef(messages).slice(2, 5), all.counts.begin());
  for (size_t i = 8; i < messages.size(); i += 2)
    all.writes.emplace_back(messages[i], messages[i + 1]);
  return all;
}
