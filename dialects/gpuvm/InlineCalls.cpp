//===- InlineCalls.cpp - functions in the place of their calls ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/InlineCalls.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::gpuvm;

LogicalResult CallInliner::add(Operation *callee, Operation *call,
                               StringRef rule) {
  callee->walk([&](Operation *) { ++added; });
  if (added <= mostOperations)
    return success();
  return call->emitOpError(rule)
         << "calls add more than " << mostOperations << " operations";
}

LogicalResult CallInliner::inlineCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (callee.isExternal())
    return call.emitOpError("function @")
           << callee.getSymName() << " has no body";
  if (llvm::is_contained(open, callee))
    return call.emitOpError("function @")
           << callee.getSymName() << " would be a part of itself";
  if (failed(inlineCalls(callee)) || failed(add(callee, call)))
    return failure();
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

LogicalResult CallInliner::inlineCalls(Operation *caller) {
  open.push_back(caller);
  SmallVector<func::CallOp> calls;
  caller->walk([&](func::CallOp call) {
    auto around = call->getParentOfType<func::FuncOp>();
    if (!around || around == caller)
      calls.push_back(call);
  });
  for (func::CallOp call : calls)
    if (failed(inlineCall(call)))
      return failure();
  open.pop_back();
  return success();
}
