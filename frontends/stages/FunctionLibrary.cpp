//===- FunctionLibrary.cpp - MLIR's text as functions ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/stages/FunctionLibrary.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::gpuvm;

SmallVector<Value> gpuvm::inlineFunction(OpBuilder &b, func::FuncOp function,
                                         ValueRange operands) {
  IRMapping mapping;
  Block &body = function.getBody().front();
  mapping.map(body.getArguments(), operands);
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Whether a program may have the function: its numbers are no tensors.
static bool isScalar(func::FuncOp function) {
  return llvm::none_of(function.getArgumentTypes(), llvm::IsaPred<ShapedType>);
}

/// Inlines functions that read tensors, in the order of the text.
static void inlineBodies(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (isScalar(callee))
        continue;
      OpBuilder b(call);
      call.replaceAllUsesWith(inlineFunction(b, callee, call.getOperands()));
      call.erase();
    }
  }
}

/// Lines of the text as lines of its files.
static void setPlaces(ModuleOp module, std::span<const vm::TextFile> files) {
  MLIRContext *context = module.getContext();
  auto placeOf = [&](Location loc) -> Location {
    auto place = dyn_cast<FileLineColLoc>(loc);
    if (!place)
      return loc;
    unsigned line = place.getLine();
    for (const vm::TextFile &file : files) {
      unsigned lines = llvm::count(file.text, '\n');
      if (line <= lines)
        return FileLineColLoc::get(context, file.name, line, place.getColumn());
      line -= lines;
    }
    return loc;
  };
  module.walk([&](Operation *op) {
    op->setLoc(placeOf(op->getLoc()));
    for (mlir::Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(placeOf(argument.getLoc()));
  });
}

FailureOr<FunctionLibrary>
FunctionLibrary::read(Location loc, std::span<const vm::TextFile> files,
                      vm::TemplateArguments arguments) {
  arguments.keepsLines = true;
  // Functions stand outside of stages, and what they load outside of programs.
  ParserConfig config(loc.getContext(), /*verifyAfterParse=*/false);
  auto module = parseSourceString<ModuleOp>(fillTemplate(files, arguments),
                                            config, "functions.mlir");
  if (!module)
    return emitError(loc, "the functions that this calls are wrong");
  setPlaces(*module, files);
  inlineBodies(*module);
  return FunctionLibrary(std::move(module));
}

func::FuncOp FunctionLibrary::find(StringRef name) const {
  auto function = module.get().lookupSymbol<func::FuncOp>(name);
  assert(function && "no file has the function");
  return function;
}

void FunctionLibrary::addCalled(Block &body) const {
  SmallVector<func::FuncOp> called;
  auto add = [&](func::CallOp call) {
    func::FuncOp callee = find(call.getCallee());
    if (!llvm::is_contained(called, callee))
      called.push_back(callee);
  };
  body.walk(add);
  for (size_t i = 0; i < called.size(); ++i)
    func::FuncOp(called[i]).walk(add);
  auto b = OpBuilder::atBlockBegin(&body);
  for (auto function : module.get().getOps<func::FuncOp>())
    if (llvm::is_contained(called, function))
      b.clone(*function);
}
