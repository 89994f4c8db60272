//===- PlaceShared.cpp - windows of what programs share -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "passes/Passes.h"
#include "passes/analysis/Commands.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_PLACESHARED
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

class SharedPlacer {
public:
  LogicalResult place(ProgramOp program);
  ArrayRef<int64_t> getBytes() const { return ends; }

private:
  LogicalResult place(const SymbolInfo &symbol);

  llvm::StringMap<SymbolInfo> placed;
  std::array<int64_t, kNumRegions> ends =
      {}; ///< Of each region, where others begin.
};

struct PlaceShared : gpuvm::impl::PlaceSharedBase<PlaceShared> {
  void runOnOperation() override {
    SmallVector<ProgramOp> programs(getOperation().getOps<ProgramOp>());
    if (programs.size() < 2)
      return;
    SharedPlacer placer;
    for (ProgramOp program : programs)
      if (failed(placer.place(program)))
        return signalPassFailure();
    for (ProgramOp program : programs)
      program.setSharedBytes(placer.getBytes());
  }
};

} // namespace

LogicalResult SharedPlacer::place(const SymbolInfo &symbol) {
  StringRef name = SymbolTable::getSymbolName(symbol.op);
  auto [entry, isNew] = placed.try_emplace(name, symbol);
  SymbolInfo &first = entry->second;
  if (isNew) {
    int64_t &end = ends[static_cast<unsigned>(symbol.region)];
    uint64_t length = windowLength(symbol.type);
    first.window =
        WindowAttr::get(symbol.op->getContext(), symbol.region, end, length);
    end = llvm::alignTo(end + length, kWindowAlignment);
  }
  if (first.region != symbol.region || first.type != symbol.type ||
      first.initial != symbol.initial || first.bound != symbol.bound) {
    InFlightDiagnostic error = symbol.op->emitError(
        "is shared, and declared otherwise in another program");
    error.attachNote(first.op->getLoc()) << "here";
    return error;
  }
  SymbolInfo own = symbol;
  own.window = first.window;
  setSymbolInfo(own);
  return success();
}

LogicalResult SharedPlacer::place(ProgramOp program) {
  for (Operation &op : program.getBody().front())
    if (SymbolInfo symbol = getSymbolInfo(&op); symbol.isShared)
      if (failed(place(symbol)))
        return failure();
  return success();
}
