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
class LaunchBuilder {
public:
  LaunchBuilder(ProgramBuilder &b, const vm::linear::Program &program,
                const vm::linear::CompiledLaunch &launch, func::FuncOp routine)
      : b(b), program(program), launch(launch), routine(routine) {}

  /// What LaunchMessages has, in its order.
  gpuvm::Sent buildBody(Value memory);

private:
  void buildMap(Value memory);
  Value buildRows();
  Value buildElement(uint32_t element, Value machine);
  SmallVector<Value> buildSums();
  template <typename Join>
  Value reduce(ValueRange vectors, Type type,
               function_ref<Value(ValueRange)> ofMachine);

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

/// The function's results.
void LaunchBuilder::buildMap(Value memory) {
  auto types =
      llvm::map_to_vector(routine.getResultTypes(),
                          [&](Type type) -> Type { return vectorOf(type); });
  auto body = [&](ValueRange) {
    Value number = arith::IndexCastOp::create(b, b.getI32Type(), index(0));
    Value machine = arith::AddIOp::create(
        b, number, b.constant(b.getI32Type(), launch.firstMachine));
    return gpuvm::inlineFunction(b, routine, {machine, memory});
  };
  SmallVector<AffineMap> maps(types.size(), b.getMultiDimIdentityMap(1));
  results = b.generic({}, types, maps, body);
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

/// `Join` of what `ofMachine` computes, of `type`, of each machine's numbers.
template <typename Join>
Value LaunchBuilder::reduce(ValueRange vectors, Type type,
                            function_ref<Value(ValueRange)> ofMachine) {
  Value none = b.constant(RankedTensorType::get({}, type), 0);
  SmallVector<AffineMap> maps(vectors.size(), b.getMultiDimIdentityMap(1));
  maps.push_back(AffineMap::get(1, 0, b.getContext()));
  auto op = linalg::GenericOp::create(
      b, none.getType(), vectors, none, maps, utils::IteratorType::reduction,
      [&](OpBuilder &inside, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(inside.saveInsertionPoint());
        Value own = ofMachine(arguments.drop_back());
        linalg::YieldOp::create(
            b, Join::create(b, arguments.back(), own).getResult());
      });
  return op.getResult(0);
}

/// Instructions of each class, how many machines faulted and how many still
/// run, and the most that one machine executed.
SmallVector<Value> LaunchBuilder::buildSums() {
  ValueRange counted =
      ArrayRef(results).slice(launch.elements.size(), 5); // With where it is.
  ValueRange executed = counted.drop_front();
  Type longs = b.getI64Type();
  SmallVector<Value> sums;
  for (Value own : executed)
    sums.push_back(reduce<arith::AddIOp>(own, longs, [&](ValueRange count) {
      return arith::ExtUIOp::create(b, longs, count.front());
    }));
  sums.push_back(
      reduce<arith::AddIOp>(counted.take_front(), longs, [&](ValueRange where) {
        return b.call("standing", where).front();
      }));
  sums.push_back(
      reduce<arith::MaxUIOp>(executed, b.getI32Type(), [&](ValueRange counts) {
        return b.call("executed", counts).front();
      }));
  return sums;
}

gpuvm::Sent LaunchBuilder::buildBody(Value memory) {
  buildMap(memory);
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
