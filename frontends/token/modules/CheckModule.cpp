//===- CheckModule.cpp - checks of the user's modules ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/modules/CheckModule.h"

#include "compiler/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::token;

using vm::token::ModuleInfo;
using vm::token::ModuleStage;

//===--- The functions ----------------------------------------------------===//

/// A number of the machine.
static bool isNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type>(
      type);
}

static bool mayStandInModule(Operation *op) {
  bool isArithmetic =
      isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
  return isArithmetic ||
         isa<func::CallOp, func::ReturnOp, scf::IfOp, scf::ForOp, scf::WhileOp,
             scf::YieldOp, scf::ConditionOp>(op);
}

static LogicalResult checkBody(func::FuncOp function) {
  WalkResult result = function.walk([&](Operation *op) {
    if (op == function)
      return WalkResult::advance();
    if (!mayStandInModule(op)) {
      op->emitOpError("cannot stand in a module: arith, math, func.call, "
                      "scf.if, scf.for and scf.while can");
      return WalkResult::interrupt();
    }
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes())))
      if (!isNumber(type)) {
        op->emitOpError("is on ")
            << type << ", and a module computes with numbers: i1, i8, i16, "
            << "i32, i64, index and floats";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

func::FuncOp mlir::token::findFunction(ModuleOp module, StringRef path) {
  func::FuncOp found;
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function) {
      op.emitOpError("stands beside the functions of a module");
      return nullptr;
    }
    if (function.isExternal()) {
      function.emitOpError("has no body");
      return nullptr;
    }
    if (failed(checkBody(function)))
      return nullptr;
    if (function.isPrivate())
      continue;
    if (found) {
      function.emitOpError("is public, and so is @")
          << found.getSymName()
          << ": the others of a module are private (func.func private)";
      return nullptr;
    }
    found = function;
  }
  if (!found)
    emitError(gpuvm::wholeFile(*module.getContext(), path))
        << "a module is a public func.func, and there is none";
  return found;
}

//===--- Its signature ----------------------------------------------------===//

namespace {
/// All are i32, but for triggers.
struct Signature {
  SmallVector<StringRef> operands, results;
};
} // namespace

static Signature signatureOf(ModuleStage stage) {
  switch (stage) {
  case ModuleStage::Manipulation:
    return {{"state", "pc", "tn", "token", "source"},
            {"state", "token", "source"}};
  case ModuleStage::Transition:
    return {{"state", "pc", "tn", "triggers"}, {"state", "triggers"}};
  case ModuleStage::Post:
    break;
  }
  return {{"state", "pc", "tn", "next_pc", "next_tn", "token", "forced"},
          {"state", "value"}};
}

static SmallVector<Type> typesOf(ArrayRef<StringRef> names,
                                 MLIRContext *context) {
  return llvm::map_to_vector(names, [&](StringRef name) -> Type {
    return IntegerType::get(context, name == "triggers" ? 64 : 32);
  });
}

static std::string toText(ArrayRef<StringRef> names, ArrayRef<Type> types) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(llvm::zip_equal(names, types), stream, [&](auto each) {
    auto [name, type] = each;
    stream << name << ": " << type;
  });
  return text;
}

LogicalResult mlir::token::checkSignature(func::FuncOp function,
                                          ModuleStage stage) {
  MLIRContext *context = function.getContext();
  Signature wanted = signatureOf(stage);
  SmallVector<Type> operands = typesOf(wanted.operands, context);
  SmallVector<Type> results = typesOf(wanted.results, context);
  if (function.getFunctionType() ==
      FunctionType::get(context, operands, results))
    return success();
  return function.emitOpError("is ")
         << function.getFunctionType() << ", and a module of the stage "
         << toString(stage) << " is (" << toText(wanted.operands, operands)
         << ") -> (" << toText(wanted.results, results) << ")";
}

//===--- Its attributes ---------------------------------------------------===//

namespace {
/// Reads one attribute after the other. Each fails where it is something else.
class InfoReader {
public:
  InfoReader(func::FuncOp function, ModuleInfo &info)
      : function(function), info(info) {}

  LogicalResult read(NamedAttribute attribute);

private:
  LogicalResult readState(Attribute value);
  LogicalResult readDefault(Attribute value);
  LogicalResult readReset(Attribute value);

  func::FuncOp function;
  ModuleInfo &info;
};
} // namespace

LogicalResult InfoReader::readState(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  if (!text || text.empty())
    return function.emitOpError("has token.state = ")
           << value << ", and a state's name is wanted, as \"mood\"";
  info.state = text.str();
  return success();
}

LogicalResult InfoReader::readDefault(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number || !number.getType().isSignlessInteger(32))
    return function.emitOpError("has token.default = ")
           << value << ", and a number is wanted, as 0 : i32";
  info.initial = static_cast<int32_t>(number.getInt());
  return success();
}

LogicalResult InfoReader::readReset(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  if (!text || text.getValue() != "zone_change")
    return function.emitOpError("has token.reset = ")
           << value << ", and \"zone_change\" is all that resets a state";
  info.resetsOnZoneChange = true;
  return success();
}

LogicalResult InfoReader::read(NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == "token.state")
    return readState(attribute.getValue());
  if (name == "token.default")
    return readDefault(attribute.getValue());
  if (name == "token.reset")
    return readReset(attribute.getValue());
  if (name.starts_with("token."))
    return function.emitOpError("has ")
           << name << ", and a module has token.state, token.default and "
           << "token.reset";
  return success();
}

std::optional<ModuleInfo> mlir::token::readInfo(func::FuncOp function,
                                                ModuleStage stage) {
  ModuleInfo info;
  info.stage = stage;
  InfoReader reader(function, info);
  for (NamedAttribute attribute : function->getAttrs())
    if (failed(reader.read(attribute)))
      return std::nullopt;
  return info;
}
