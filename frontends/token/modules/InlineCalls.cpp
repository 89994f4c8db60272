//===- InlineCalls.cpp - functions in the place of their calls ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/modules/CheckModule.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::token;

/// Operations that calls may add to a module: a few lines that call each other
/// twice would make any number of them.
static constexpr size_t kMostOperations = 1 << 16;

namespace {
class Inliner {
public:
  LogicalResult run(func::FuncOp caller);

private:
  LogicalResult inlineCall(func::CallOp call);

  size_t added = 0;               ///< Operations, by all calls together.
  SmallVector<func::FuncOp> open; ///< Each is called by the one before it.
};
} // namespace

LogicalResult Inliner::inlineCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (llvm::is_contained(open, callee))
    return call.emitOpError("function @")
           << callee.getSymName() << " would be a part of itself";
  if (failed(run(callee)))
    return failure();
  callee.walk([&](Operation *) { ++added; });
  if (added > kMostOperations)
    return call.emitOpError("calls add more than ")
           << kMostOperations << " operations";
  IRMapping values;
  values.map(callee.getArguments(), call.getOperands());
  OpBuilder b(call);
  Block &body = callee.getBody().front();
  for (Operation &op : body.without_terminator())
    b.clone(op, values);
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(values.lookupOrDefault(value));
  call.erase();
  return success();
}

LogicalResult Inliner::run(func::FuncOp caller) {
  open.push_back(caller);
  SmallVector<func::CallOp> calls;
  caller.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls)
    if (failed(inlineCall(call)))
      return failure();
  open.pop_back();
  return success();
}

LogicalResult mlir::token::inlineCalls(func::FuncOp function) {
  return Inliner().run(function);
}
