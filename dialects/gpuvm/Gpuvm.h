//===- Gpuvm.h - the gpuvm dialect ----------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the dialect of programs for the GPU virtual machine: its types,
// attributes and operations (GpuvmOps.td says what they mean). Also the few
// queries about them that the dialect, the passes and the reference interpreter
// have to answer alike.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "codecs/Codec.h"
#include "dialects/gpuvm/OpPlaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "schema/Machine.h"

#include "dialects/gpuvm/GpuvmDialect.h.inc"
#include "dialects/gpuvm/GpuvmEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/gpuvm/GpuvmAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/gpuvm/GpuvmTypes.h.inc"

namespace mlir::gpuvm {
/// What a command reads or writes.
struct Access {
  WindowAttr window;
  bool writes;
};
} // namespace mlir::gpuvm

#include "dialects/gpuvm/GpuvmInterfaces.h.inc"

namespace mlir::gpuvm {
class ProgramOp;
class SendOp;

using vm::kInbox;
using vm::kNumRegions;
using vm::kNumRegisters;
using vm::kOutbox;
using vm::kTripletBytes;
using vm::kWindowAlignment;
using vm::kWordBytes;

/// Whether `op` only says where elements are found: a slice, a reshape, a
/// concatenation, padding, a slice put into another tensor, or rows picked.
bool movesElements(Operation *op);

/// Whether the elements of `op`'s results are rematerialised in every consumer
/// and computed nowhere else: it moves elements, or decodes them.
bool isMadeWhereRead(Operation *op);

/// What `value` is a reshape of, or `value` itself.
Value withoutReshapes(Value value);

/// The result of a root in the body of a dispatch that `value` is, perhaps in
/// another shape; null if it is none.
OpResult getRootResult(Value value);

/// The type of a tensor.
inline RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

/// Whether `type` is a statically shaped tensor of 1 to 2^31-1 elements of
/// type i1, i8, i16, i32, i64, f16, bf16, f32 or f64.
bool isVmTensor(Type type);
/// Whether `type` is that of a tensor, or of a message with a tensor, with a
/// static shape one of whose dimensions is 0.
bool hasNoElements(Type type);
/// Whether `type` is that of a tensor without elements that a program may be
/// given or give.
bool isEmptyVmTensor(Type type);

/// The static type of a bounded tensor with all the rows it may have; null if
/// `type` has no dynamic leading dimension with a bound.
RankedTensorType boundedTo(RankedTensorType type);
/// The same, and `type` itself if it is not bounded.
RankedTensorType withAllRows(RankedTensorType type);
/// The other way: any of the rows that `type` has.
RankedTensorType boundedFrom(RankedTensorType type);
bool isBounded(Type type);
/// Whether `type` is that of a tensor of the machine, bounded or not.
bool hasRows(Type type);
/// Emits the error that `type`, in `op`, is not that of such a tensor.
InFlightDiagnostic emitNoRows(Operation *op, Type type);

/// Verifies that `windows`, if there are any, are as long as what has `types`
/// needs; `constraint` is what the reference of `op` calls that.
LogicalResult verifyWindows(Operation *op, StringRef constraint,
                            std::optional<ArrayAttr> windows, TypeRange types);

/// The same of the windows of all operands and results.
template <typename OpT>
LogicalResult verifyWindows(OpT op, StringRef constraint) {
  if (failed(verifyWindows(op, constraint, op.getInputWindows(),
                           op->getOperandTypes())))
    return failure();
  return verifyWindows(op, constraint, op.getOutputWindows(),
                       op->getResultTypes());
}

/// Verifies that region `combine` of `op` combines two elements of each of
/// `inputs` to one; `constraint` is what the reference calls that.
LogicalResult verifyCombine(Operation *op, mlir::Region &combine,
                            ValueRange inputs, StringRef constraint);

/// Whether elements of type `type` have a meaning under `rule`.
bool canCombine(Rule rule, Type type);

/// How many ranks the program around `op` is compiled for; 0 if it runs on any
/// number of them.
int64_t getRanks(Operation *op);

/// Whether `op` is an exchange between ranks, or one stands in it.
bool hasExchanges(Operation *op);

/// Emits an error at `op`, which stands between stages; `constraint` is what
/// the reference calls the rule.
LogicalResult emitStrayOp(Operation &op, StringRef constraint);

/// Bytes one element takes in a region: i1 takes one byte.
uint64_t elementBytes(Type elementType);

/// Bytes a tensor takes in a region.
uint64_t tensorBytes(RankedTensorType type);

/// The payload of a message type, or the tensor type itself.
RankedTensorType payloadType(Type messageOrTensor);

/// Whether a receiver of `message`, which a stage with a condition sends, may
/// run although the stage does not. If all receivers have the same condition,
/// none does.
bool isReceivedElsewhere(OpResult message);

/// Clones the constants that are operands of stages of `program` into their
/// bodies, and erases those that are then unused.
void sinkConstants(ProgramOp program);

/// What a value of a tensor or packed type is in memory.
RankedTensorType memoryType(Type tensorOrPacked);

/// A symbol of a program or of its module: what the five symbol operations have
/// in common.
struct SymbolInfo {
  Operation *op = nullptr;
  Region region = Region::registers;
  RankedTensorType type;        ///< In memory.
  Type declaredType;            ///< That, or a packed type.
  ElementsAttr initial;         ///< Null if there is none.
  WindowAttr window;            ///< Null before gpuvm-plan-memory.
  std::optional<int64_t> bound; ///< Of the words of a control symbol.
  bool isShared = false;        ///< By the programs of a plan.
};

/// What `op` declares, or a null op if it declares no region symbol.
SymbolInfo getSymbolInfo(Operation *op);

/// Sets the declared type, the window and whether it is shared of the symbol
/// that `symbol.op` declares.
void setSymbolInfo(const SymbolInfo &symbol);

/// The region symbol `name` of the program around `from`, or else of its
/// module.
SymbolInfo lookupSymbol(Operation *from, StringRef name);

/// Verifies that `op` may load `type` from `symbol`, which is called `name`, or
/// store it there: the whole, or a slice that starts at row `offset`.
LogicalResult verifySymbolAccess(Operation *op, const SymbolInfo &symbol,
                                 StringRef name, Type type,
                                 std::optional<int64_t> offset);
} // namespace mlir::gpuvm

#define GET_OP_CLASSES
#include "dialects/gpuvm/GpuvmOps.h.inc"
