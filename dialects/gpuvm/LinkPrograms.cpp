//===- LinkPrograms.cpp - inlining of called programs ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/LinkPrograms.h"

#include "dialects/gpuvm/EmptyTensors.h"
#include "dialects/gpuvm/InlineCalls.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Operations that calls may add to a program.
static constexpr size_t kMostOperations = 1 << 20;

namespace {

class Linker {
public:
  LogicalResult link(ProgramOp program);

private:
  FailureOr<ProgramOp> findCallee(CallOp call);
  LogicalResult inlineCall(CallOp call, ProgramOp callee);

  CallInliner functions{kMostOperations};
  SmallVector<ProgramOp> open; ///< Each is called by the one before it.
};

} // namespace

//===----------------------------------------------------------------------===//
// What is called
//===----------------------------------------------------------------------===//

/// C2.
static LogicalResult verifyTypes(CallOp call, ProgramOp callee) {
  FunctionType type = callee.getProgramType();
  auto compare = [&](TypeRange given, TypeRange wanted,
                     StringRef what) -> LogicalResult {
    if (given.size() != wanted.size())
      return call.emitOpError("C2: program @")
             << callee.getSymName() << " has " << wanted.size() << ' ' << what
             << "s, the call " << given.size();
    for (auto [number, a, b] : llvm::enumerate(given, wanted)) {
      Type payload = isa<MessageType>(a) ? Type(payloadType(a)) : a;
      if (payload != b)
        return call.emitOpError("C2: ")
               << what << ' ' << number << " of program @"
               << callee.getSymName() << " is " << b << ", not " << payload;
    }
    return success();
  };
  if (failed(compare(call.getInputs().getTypes(), type.getInputs(), "input")))
    return failure();
  return compare(call.getResultTypes(), type.getResults(), "output");
}

FailureOr<ProgramOp> Linker::findCallee(CallOp call) {
  auto module = call->getParentOfType<ModuleOp>();
  auto callee =
      module ? module.lookupSymbol<ProgramOp>(call.getCallee()) : ProgramOp();
  if (!callee) // C1
    return call.emitOpError("C1: there is no program @")
           << call.getCallee()
           << "; it stands in the same file, or in one that --link names";
  if (llvm::is_contained(open, callee)) // C3
    return call.emitOpError("C3: program @")
           << call.getCallee() << " would be a part of itself";
  if (failed(verifyTypes(call, callee)))
    return failure();
  auto ranks = callee.getRanks();
  if (ranks && ranks != open.back().getRanks()) // C5
    return call.emitOpError("C5: program @")
           << call.getCallee() << " is one of " << *ranks
           << " ranks, the program that calls it of "
           << (open.back().getRanks() ? std::to_string(*open.back().getRanks())
                                      : "any number");
  if (callee.isGlobalView() && !open.back().isGlobalView()) // C6
    return call.emitOpError("C6: program @")
           << call.getCallee()
           << " has shardings, the program that calls it has none";
  return callee;
}

//===----------------------------------------------------------------------===//
// In its place
//===----------------------------------------------------------------------===//

/// Whether `name` in `program` is a symbol that the programs of the module
/// share.
static bool isShared(ProgramOp program, StringRef name) {
  if (Operation *own = SymbolTable::lookupSymbolIn(program, name))
    return getSymbolInfo(own).isShared;
  auto module = program->getParentOfType<ModuleOp>();
  Operation *other = module ? module.lookupSymbol(name) : nullptr;
  return other && getSymbolInfo(other).op;
}

/// Puts `prefix` before the names of symbols and stages of `callee`, where they
/// are defined and where they are used.
static void rename(Operation *op, ProgramOp callee, const Twine &prefix) {
  op->walk([&](Operation *inner) {
    for (NamedAttribute attribute : inner->getAttrs()) {
      auto use = dyn_cast<FlatSymbolRefAttr>(attribute.getValue());
      if (use && isShared(callee, use.getValue()))
        continue;
      if (use)
        inner->setAttr(attribute.getName(),
                       FlatSymbolRefAttr::get(inner->getContext(),
                                              (prefix + use.getValue()).str()));
      else if (attribute.getName() == SymbolTable::getSymbolAttrName())
        inner->setAttr(
            attribute.getName(),
            StringAttr::get(
                inner->getContext(),
                prefix + cast<StringAttr>(attribute.getValue()).getValue()));
    }
  });
}

LogicalResult Linker::inlineCall(CallOp call, ProgramOp callee) {
  if (failed(functions.add(callee, call, "C4: ")))
    return failure();
  IRMapping values;
  values.map(callee.getBody().getArguments(), call.getInputs());
  auto program = call->getParentOfType<ProgramOp>();
  OpBuilder symbols = OpBuilder::atBlockBegin(&program.getBody().front());
  OpBuilder b(call);
  std::string prefix = (call.getSymName() + ".").str();
  for (Operation &op : callee.getBody().front().without_terminator()) {
    bool isSymbol = isa<SymbolOpInterface>(op);
    if (getSymbolInfo(&op).isShared)
      continue; // The program around gets it from the module.
    rename((isSymbol ? symbols : b).clone(op, values), callee, prefix);
  }
  auto end = cast<ReturnOp>(callee.getBody().front().getTerminator());
  for (auto [result, value] :
       llvm::zip_equal(call->getResults(), end.getValues()))
    result.replaceAllUsesWith(values.lookup(value));
  call.erase();
  return success();
}

/// A program that is called would find the symbol of its caller.
static LogicalResult verifyNothingHidden(ProgramOp program) {
  auto module = program->getParentOfType<ModuleOp>();
  for (Operation &op : program.getBody().front()) {
    SymbolInfo own = getSymbolInfo(&op);
    if (!module || !own.op || own.isShared)
      continue;
    Operation *other = module.lookupSymbol(SymbolTable::getSymbolName(&op));
    if (!other || !getSymbolInfo(other).op)
      continue;
    InFlightDiagnostic error = op.emitError("hides a symbol of the module");
    error.attachNote(other->getLoc()) << "here";
    return error;
  }
  return success();
}

/// A stage sends the constants that the program returns.
static void sendConstants(ProgramOp program) {
  Operation *terminator = program.getBody().front().getTerminator();
  SymbolTable names(program);
  OpBuilder b(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto constant = operand.get().getDefiningOp<arith::ConstantOp>();
    if (!constant || hasNoElements(constant.getType()))
      continue;
    auto stage = StageOp::create(
        b, constant.getLoc(),
        Type(MessageType::get(b.getContext(), typeOf(constant))), "constant",
        ValueRange(), /*fusion_group=*/IntegerAttr(),
        /*instances=*/IntegerAttr(), /*conditional=*/false);
    auto inside = OpBuilder::atBlockEnd(&stage.getBody().emplaceBlock());
    SendOp::create(inside, constant.getLoc(),
                   inside.clone(*constant)->getResults());
    names.insert(stage);
    operand.set(stage.getResult(0));
    if (constant->use_empty())
      constant.erase();
  }
}

LogicalResult Linker::link(ProgramOp program) {
  if (failed(verifyNothingHidden(program)))
    return failure();
  open.push_back(program);
  SmallVector<CallOp> calls;
  program.walk([&](CallOp call) { calls.push_back(call); });
  for (CallOp call : calls) {
    FailureOr<ProgramOp> callee = findCallee(call);
    if (failed(callee) || failed(link(*callee)) ||
        failed(inlineCall(call, *callee)))
      return failure();
  }
  open.pop_back();
  if (failed(functions.inlineCalls(program)))
    return failure();
  for (auto function :
       llvm::make_early_inc_range(program.getOps<func::FuncOp>()))
    function.erase();
  sendConstants(program);
  return success();
}

//===----------------------------------------------------------------------===//
// What programs share
//===----------------------------------------------------------------------===//

/// Gives `program` the symbols of its module that it uses.
static void importSymbols(ProgramOp program) {
  llvm::DenseSet<Attribute> used;
  program.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto use = dyn_cast<FlatSymbolRefAttr>(attribute.getValue());
          use && !SymbolTable::lookupSymbolIn(program, use.getValue()))
        used.insert(use.getAttr());
  });
  if (used.empty())
    return;
  auto b = OpBuilder::atBlockBegin(&program.getBody().front());
  for (Operation &op : *program->getParentOfType<ModuleOp>().getBody())
    if (getSymbolInfo(&op).op &&
        used.contains(SymbolTable::getSymbolName(&op))) {
      SymbolInfo own = getSymbolInfo(b.clone(op));
      own.isShared = true;
      setSymbolInfo(own);
    }
}

LogicalResult gpuvm::linkProgram(ProgramOp program) {
  if (failed(Linker().link(program)))
    return failure();
  importSymbols(program);
  if (failed(dropEmptyTensors(program)))
    return failure();
  sinkConstants(program);
  return success();
}

void gpuvm::eraseModuleSymbols(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (getSymbolInfo(&op).op)
      op.erase();
}

static InFlightDiagnostic emitTwice(Operation *op, Operation *there,
                                    StringRef what) {
  InFlightDiagnostic error = op->emitError("there is another ")
                             << what << " @"
                             << SymbolTable::getSymbolName(op).getValue();
  error.attachNote(there->getLoc()) << "here";
  return error;
}

LogicalResult gpuvm::addPrograms(ModuleOp module, ModuleOp part) {
  for (Operation &op : llvm::make_early_inc_range(*part.getBody())) {
    bool isShared = getSymbolInfo(&op).op;
    if (!isShared && !isa<ProgramOp>(op))
      continue;
    Operation *there = module.lookupSymbol(SymbolTable::getSymbolName(&op));
    if (!there)
      op.moveBefore(module.getBody(), module.getBody()->end());
    else if (!isShared)
      return emitTwice(&op, there, "program");
    else if (op.getName() != there->getName() ||
             op.getAttrDictionary() != there->getAttrDictionary())
      return emitTwice(&op, there, "symbol, which is declared otherwise,");
  }
  return success();
}
