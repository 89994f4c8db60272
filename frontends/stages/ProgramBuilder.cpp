//===- ProgramBuilder.cpp - programs of gpuvm, stage by stage -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/stages/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Messages with these payloads, or with those of these messages.
static SmallVector<Type> messagesOf(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) -> Type {
    return MessageType::get(type.getContext(), payloadType(type));
  });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void ProgramBuilder::beginProgram(StringRef name, ArrayRef<NamedType> inputs,
                                  ArrayRef<NamedType> outputs, bool isPrivate) {
  auto typesOf = [](ArrayRef<NamedType> list) {
    return llvm::map_to_vector(list, [](const auto &own) { return own.type; });
  };
  auto namesOf = [&](ArrayRef<NamedType> list) {
    return getStrArrayAttr(llvm::map_to_vector(
        list, [](const auto &own) { return StringRef(own.name); }));
  };
  SmallVector<Type> inputTypes = typesOf(inputs);
  program = ProgramOp::create(*this, name,
                              getFunctionType(inputTypes, typesOf(outputs)),
                              namesOf(inputs), namesOf(outputs));
  if (isPrivate)
    program.setPrivate();
  createBlock(&program.getBody(), {}, inputTypes,
              SmallVector<Location>(inputs.size(), getLoc()));
}

ProgramOp ProgramBuilder::endProgram(ValueRange outputs) {
  gpuvm::ReturnOp::create(*this, outputs);
  library.addCalled(program.getBody().front());
  setInsertionPointAfter(program);
  return program;
}

void ProgramBuilder::heap(const Twine &name, Type type, ElementsAttr initial) {
  HeapOp::create(*this, name.str(), type, initial, /*sym_visibility=*/{},
                 /*window=*/{}, /*shared=*/false, /*rows=*/{});
}

void ProgramBuilder::global(const Twine &name, Type type,
                            ElementsAttr initial) {
  GlobalOp::create(*this, name.str(), type, initial, /*sym_visibility=*/{},
                   /*window=*/{});
}

SmallVector<Value> ProgramBuilder::callProgram(const Twine &name,
                                               ProgramOp callee,
                                               ValueRange inputs) {
  auto op = gpuvm::CallOp::create(
      *this, messagesOf(callee.getFunctionType().getResults()),
      callee.getSymName(), name.str(), inputs);
  return llvm::to_vector_of<Value>(op.getOutputs());
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// A block with arguments of these types, in which `body` adds operations.
template <typename Body>
static void fill(ImplicitLocOpBuilder &b, mlir::Region &region, TypeRange types,
                 Body body) {
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&region, {}, types,
                               SmallVector<Location>(types.size(), b.getLoc()));
  body(block->getArguments());
}

SmallVector<Value> ProgramBuilder::stage(const Twine &name, ValueRange inputs,
                                         Body body, Value when) {
  SmallVector<Value> operands(inputs);
  if (when)
    operands.push_back(when);
  auto payloads = llvm::map_to_vector(operands, [](Value operand) -> Type {
    return payloadType(operand.getType());
  });
  mlir::Region region;
  SmallVector<Type> messages;
  fill(*this, region, payloads, [&](ValueRange arguments) {
    Sent sent = body(arguments.take_front(inputs.size()));
    SendOp::create(*this, sent.payloads, sent.otherwise, /*status=*/Value());
    messages = messagesOf(ValueRange(sent.payloads).getTypes());
  });
  auto op = StageOp::create(*this, messages, name.str(), operands,
                            /*fusion_group=*/{}, /*instances=*/{},
                            /*conditional=*/bool(when));
  op.getBody().takeBody(region);
  return llvm::to_vector_of<Value>(op.getMessages());
}

SmallVector<Value> ProgramBuilder::repeat(const Twine &name, int64_t most,
                                          ValueRange initial,
                                          function_ref<Next(ValueRange)> body) {
  SmallVector<Type> messages = messagesOf(initial.getTypes());
  auto op = RepeatOp::create(*this, messages, name.str(), most, initial);
  fill(*this, op.getBody(), messages, [&](ValueRange carried) {
    Next next = body(carried);
    NextOp::create(*this, next.values, next.until);
  });
  return llvm::to_vector_of<Value>(op.getLast());
}

//===----------------------------------------------------------------------===//
// In bodies
//===----------------------------------------------------------------------===//

SmallVector<Value>
ProgramBuilder::generic(ValueRange inputs, ArrayRef<Type> results,
                        ArrayRef<AffineMap> maps,
                        function_ref<SmallVector<Value>(ValueRange)> body) {
  auto inits = llvm::map_to_vector(results, [&](Type type) -> Value {
    return tensor::EmptyOp::create(*this, cast<RankedTensorType>(type),
                                   ValueRange());
  });
  SmallVector<utils::IteratorType> iterators(maps.front().getNumDims(),
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      *this, results, inputs, inits, maps, iterators,
      [&](OpBuilder &inside, Location, ValueRange arguments) {
        InsertionGuard guard(*this);
        restoreInsertionPoint(inside.saveInsertionPoint());
        linalg::YieldOp::create(*this,
                                body(arguments.take_front(inputs.size())));
      });
  return llvm::to_vector_of<Value>(op.getResults());
}

Value ProgramBuilder::constant(Type type, TypedAttr number) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    number = DenseElementsAttr::get(tensor, Attribute(number));
  return arith::ConstantOp::create(*this, number);
}

Value ProgramBuilder::constant(Type type, int64_t value) {
  return constant(type, getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value ProgramBuilder::constant(Type type, const llvm::APFloat &value) {
  return constant(type, getFloatAttr(getElementTypeOrSelf(type), value));
}
