//===- BuildSignature.cpp - inputs and outputs of a program ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::linear;
using gpuvm::NamedType;
using gpuvm::ProgramBuilder;
using vm::linear::Buffer;

MachineTypes::MachineTypes(MLIRContext *context, int64_t machines,
                           int64_t words, int64_t phases) {
  Builder b(context);
  Type word = b.getI32Type(), number = b.getF32Type();
  this->machines = RankedTensorType::get({machines}, word);
  registers = RankedTensorType::get({machines, 20}, number);
  shared = RankedTensorType::get({words}, word);
  counts = RankedTensorType::get({phases, 6}, b.getI64Type());
  flag = RankedTensorType::get({}, b.getI1Type());
  state = RankedTensorType::get({machines, 22}, number);
}

static bool isGiven(const Buffer &buffer) {
  return buffer.kind == vm::linear::BufferKind::In ||
         buffer.kind == vm::linear::BufferKind::InOut;
}

static bool isReturned(const Buffer &buffer) {
  return buffer.kind == vm::linear::BufferKind::Out ||
         buffer.kind == vm::linear::BufferKind::InOut;
}

static RankedTensorType numbersOf(MLIRContext *context, const Buffer &buffer) {
  return RankedTensorType::get({buffer.size}, Float32Type::get(context));
}

static RankedTensorType wordsOf(MLIRContext *context, const Buffer &buffer) {
  return RankedTensorType::get({buffer.size}, IntegerType::get(context, 32));
}

std::string mlir::linear::nameOf(const vm::linear::Program &program) {
  return program.name.empty() ? "linear" : program.name;
}

SmallVector<NamedType>
mlir::linear::inputsOf(MLIRContext *context,
                       const vm::linear::Program &program) {
  SmallVector<NamedType> inputs;
  for (uint32_t number : buffersByAddress(program))
    if (const Buffer &buffer = program.buffers[number]; isGiven(buffer))
      inputs.push_back({buffer.name, numbersOf(context, buffer)});
  return inputs;
}

SmallVector<NamedType>
mlir::linear::outputsOf(const vm::linear::Program &program,
                        const MachineTypes &types) {
  SmallVector<NamedType> outputs;
  for (const Buffer &buffer : program.buffers)
    if (isReturned(buffer))
      outputs.push_back(
          {buffer.name, numbersOf(types.flag.getContext(), buffer)});
  llvm::append_range(outputs, ArrayRef<NamedType>{{"state", types.state},
                                                  {"status", types.machines},
                                                  {"fault", types.machines},
                                                  {"counts", types.counts}});
  return outputs;
}

Value mlir::linear::joinBuffers(ProgramBuilder &b,
                                const vm::linear::Program &program,
                                const MachineTypes &types) {
  auto body = [&](ValueRange given) -> gpuvm::Sent {
    SmallVector<Value> parts;
    for (uint32_t number : buffersByAddress(program)) {
      const Buffer &buffer = program.buffers[number];
      RankedTensorType words = wordsOf(b.getContext(), buffer);
      if (!isGiven(buffer)) {
        parts.push_back(b.constant(words, 0));
        continue;
      }
      parts.push_back(arith::BitcastOp::create(b, words, given.front()));
      given = given.drop_front();
    }
    if (parts.empty())
      return {{b.constant(types.shared, 0)}};
    return {{b.concat(parts)}};
  };
  return b.stage("linear.shared", b.inputs(), body).front();
}

SmallVector<Value>
mlir::linear::splitBuffers(ProgramBuilder &b,
                           const vm::linear::Program &program, Value memory) {
  SmallVector<Value> outputs;
  for (const Buffer &buffer : program.buffers) {
    if (!isReturned(buffer))
      continue;
    auto body = [&](ValueRange words) -> gpuvm::Sent {
      Value part = tensor::ExtractSliceOp::create(
          b, wordsOf(b.getContext(), buffer), words.front(), ValueRange(),
          ValueRange(), ValueRange(), ArrayRef<int64_t>{buffer.base},
          ArrayRef<int64_t>{buffer.size}, ArrayRef<int64_t>{1});
      return {{arith::BitcastOp::create(b, numbersOf(b.getContext(), buffer),
                                        part)}};
    };
    llvm::append_range(outputs,
                       b.stage("linear.output." + buffer.name, memory, body));
  }
  return outputs;
}
