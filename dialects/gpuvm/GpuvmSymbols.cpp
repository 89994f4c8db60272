//===- GpuvmSymbols.cpp - region symbols and their accesses ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/SymbolLookup.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::gpuvm;

SymbolInfo gpuvm::getSymbolInfo(Operation *op) {
  return TypeSwitch<Operation *, SymbolInfo>(op)
      .Case<RegisterOp, MetricOp, GlobalOp, ControlOp, HeapOp>([](auto symbol) {
        SymbolInfo info{symbol,
                        symbol.getRegion(),
                        withAllRows(memoryType(symbol.getType())),
                        symbol.getType(),
                        symbol.getInitialAttr(),
                        symbol.getWindowAttr(),
                        std::nullopt,
                        symbol.getShared()};
        if constexpr (std::is_same_v<decltype(symbol), ControlOp>)
          info.bound = symbol.getBound();
        return info;
      })
      .Default([](Operation *) { return SymbolInfo(); });
}

void gpuvm::setSymbolInfo(const SymbolInfo &symbol) {
  TypeSwitch<Operation *>(symbol.op)
      .Case<RegisterOp, MetricOp, GlobalOp, ControlOp, HeapOp>([&](auto op) {
        op.setTypeAttr(TypeAttr::get(symbol.declaredType));
        op.setWindowAttr(symbol.window);
        op.setShared(symbol.isShared);
      });
}

SymbolInfo gpuvm::lookupSymbol(Operation *from, StringRef name) {
  auto program = from->getParentOfType<ProgramOp>();
  if (!program)
    return {};
  Operation *op = SymbolTable::lookupSymbolIn(program, name);
  if (auto module = program->getParentOfType<ModuleOp>(); !op && module)
    op = module.lookupSymbol(name);
  return op ? getSymbolInfo(op) : SymbolInfo();
}

SymbolInfo gpuvm::lookupSymbol(SymbolTableCollection &tables, Operation *from,
                               StringRef name) {
  auto program = from->getParentOfType<ProgramOp>();
  if (!program)
    return {};
  auto symbol = StringAttr::get(from->getContext(), name);
  Operation *op = tables.lookupSymbolIn(program, symbol);
  if (auto module = program->getParentOfType<ModuleOp>(); !op && module)
    op = tables.lookupSymbolIn(module, symbol);
  return op ? getSymbolInfo(op) : SymbolInfo();
}

//===----------------------------------------------------------------------===//
// Symbol operations
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyInitial(OpTy op) {
  ElementsAttr initial = op.getInitialAttr();
  RankedTensorType type = memoryType(op.getType());
  if (initial && initial.getShapedType() != type) // C1
    return op.emitOpError("C1: the initial value has type ")
           << initial.getShapedType() << ", the symbol " << type;
  return success();
}

LogicalResult RegisterOp::verify() { return verifyInitial(*this); }
LogicalResult MetricOp::verify() { return verifyInitial(*this); }
LogicalResult GlobalOp::verify() { return verifyInitial(*this); }
LogicalResult HeapOp::verify() {
  if (getInitial() && (isBounded(getType()) || getRows())) // C2
    return emitOpError("C2: the host says how many rows there are, so there is "
                       "no initial value");
  return verifyInitial(*this);
}
LogicalResult ControlOp::verify() {
  if (!cast<RankedTensorType>(getType()).getElementType().isInteger(32)) // C2
    return emitOpError("C2: Control holds i32 words, not ") << getType();
  if (auto bound = getBound();
      bound && (*bound < 1 || *bound > INT32_MAX)) // C3
    return emitOpError("C3: no word is bounded by ") << *bound;
  return verifyInitial(*this);
}

//===----------------------------------------------------------------------===//
// Load and store
//===----------------------------------------------------------------------===//

static LogicalResult verifySlice(Operation *op, const SymbolInfo &symbol,
                                 RankedTensorType slice, int64_t offset) {
  RankedTensorType whole = symbol.type;
  bool fits = whole.getRank() > 0 && slice.getRank() == whole.getRank() &&
              slice.getElementType() == whole.getElementType() &&
              slice.getShape().drop_front() == whole.getShape().drop_front() &&
              offset >= 0 &&
              offset <= whole.getDimSize(0) - slice.getDimSize(0);
  if (!fits) // C2
    return op->emitOpError("C2: the slice ")
           << slice << " at " << offset << " is not inside the symbol's "
           << whole;
  if (hasNoElements(whole))
    return success();
  uint64_t start = offset * (tensorBytes(whole) /
                             static_cast<uint64_t>(whole.getDimSize(0)));
  if (start % kWindowAlignment != 0) // C3
    return op->emitOpError("C3: the slice starts at byte ")
           << start << ", which is not a multiple of " << kWindowAlignment;
  return success();
}

/// C6: what one of the instances of a stage has of a symbol.
static LogicalResult verifyOwn(Operation *op, const SymbolInfo &symbol,
                               Type type, bool hasPlace) {
  auto stage = op->getParentOfType<StageOp>();
  if (!stage || !stage.getInstances()) // C6
    return op->emitOpError("C6: stands in no stage with instances, so nothing "
                           "is its own");
  RankedTensorType whole = symbol.type;
  auto own = dyn_cast<RankedTensorType>(type);
  int64_t count = *stage.getInstances();
  bool fits = own && whole == symbol.declaredType && whole.getRank() > 0 &&
              whole.getDimSize(0) == count &&
              own.getElementType() == whole.getElementType() &&
              own.getShape() == whole.getShape().drop_front();
  if (hasPlace || !fits) // C6
    return op->emitOpError("C6: symbol @")
           << cast<SymbolOpInterface>(symbol.op).getName() << " of type "
           << symbol.declaredType << " is not " << count << " of " << type;
  return success();
}

static LogicalResult verifyAccess(Operation *op, const SymbolInfo &symbol,
                                  StringRef name, Type type,
                                  std::optional<int64_t> offset, bool isOwn) {
  if (!symbol.op) // C1
    return op->emitOpError("C1: there is no register, metric, global, control "
                           "or heap symbol @")
           << name << " in the program";
  if (isOwn)
    return verifyOwn(op, symbol, type, offset.has_value());
  bool isPacked = isa<PackedType>(type) || isa<PackedType>(symbol.declaredType);
  if (offset && (isPacked || isBounded(symbol.declaredType))) // C2
    return op->emitOpError("C2: the ")
           << (isPacked ? "packed" : "bounded") << " symbol @" << name
           << " has no slices";
  if (offset)
    return verifySlice(op, symbol, cast<RankedTensorType>(type), *offset);
  if (type != symbol.declaredType) // C2
    return op->emitOpError("C2: symbol @")
           << name << " has type " << symbol.declaredType << ", not " << type;
  return success();
}

LogicalResult LoadOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolInfo symbol = lookupSymbol(tables, *this, getSymbol());
  return verifyAccess(*this, symbol, getSymbol(), getValue().getType(),
                      getOffset(), getOwn());
}

/// C5: a slice at a position that the device knows.
static LogicalResult verifyPositioned(StoreOp op, const SymbolInfo &symbol) {
  auto slice = cast<RankedTensorType>(op.getValue().getType());
  RankedTensorType whole = symbol.type;
  if (op.getOwn() && whole.getRank() > 0) {
    auto own = RankedTensorType::get(whole.getShape().drop_front(),
                                     whole.getElementType());
    if (failed(verifyOwn(op, symbol, own, /*hasPlace=*/false)))
      return failure();
    whole = own;
  }
  bool fits = whole.getRank() > 0 && slice.getRank() == whole.getRank() &&
              slice.getElementType() == whole.getElementType() &&
              slice.getShape().drop_front() == whole.getShape().drop_front() &&
              slice.getDimSize(0) <= whole.getDimSize(0);
  if (op.getOffset() || isa<PackedType>(symbol.declaredType) || !fits)
    return op.emitOpError("C5: ")
           << slice << " is no slice of the symbol's " << symbol.declaredType
           << " to store at a position";
  return success();
}

LogicalResult StoreOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolInfo symbol = lookupSymbol(tables, *this, getSymbol());
  if (symbol.region == gpuvm::Region::heap) // C4
    return emitOpError("C4: heap symbol @") << getSymbol() << " is immutable";
  if (getPosition() && symbol.op)
    return verifyPositioned(*this, symbol);
  return verifyAccess(*this, symbol, getSymbol(), getValue().getType(),
                      getOffset(), getOwn());
}

LogicalResult gpuvm::verifySymbolAccess(Operation *op, const SymbolInfo &symbol,
                                        StringRef name, Type type,
                                        std::optional<int64_t> offset) {
  return verifyAccess(op, symbol, name, type, offset, /*isOwn=*/false);
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}
