//===- ModelSymbols.cpp - symbols that programs of a model share ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/ModelSymbols.h"

#include "codecs/Codec.h"
#include "frontends/llm/lowering/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <fmt/format.h>

using namespace mlir;
using namespace mlir::llm;
using vm::llm::GgmlType;

/// What a tensor of the file is as a symbol; null if nothing.
static Type symbolType(MLIRContext *context,
                       const vm::llm::GgufTensor &tensor) {
  if (tensor.type == GgmlType::F32)
    return RankedTensorType::get(tensor.shape, Float32Type::get(context));
  if (tensor.type == GgmlType::F16)
    return RankedTensorType::get(tensor.shape, Float16Type::get(context));
  std::string codec = StringRef(nameOf(tensor.type)).lower();
  if (!gpuvm::lookupCodec(codec))
    return {};
  return gpuvm::PackedType::get(context, codec,
                                /*parameters=*/ArrayRef<int64_t>(),
                                tensor.shape, Float32Type::get(context));
}

vm::Status mlir::llm::checkTypes(const vm::llm::GgufFile &file,
                                 const vm::llm::Model &model) {
  for (const vm::llm::ModelTensor &wanted : tensorsOf(model)) {
    GgmlType type = file.findTensor(wanted.name)->type;
    std::string codec = StringRef(nameOf(type)).lower();
    if (type != GgmlType::F32 && type != GgmlType::F16 &&
        !gpuvm::lookupCodec(codec))
      return {vm::Code::BadInput,
              fmt::format("\"{}\": tensor {} is {}, which no codec reads "
                          "(docs/codecs.md).",
                          file.path(), wanted.name, nameOf(type))};
  }
  return {};
}

void mlir::llm::addModelSymbols(gpuvm::ProgramBuilder &b,
                                const vm::llm::GgufFile &file,
                                const vm::llm::Model &model, ForwardPass &pass,
                                SymbolTypes &types) {
  for (const vm::llm::ModelTensor &tensor : tensorsOf(model)) {
    Type type = symbolType(b.getContext(), *file.findTensor(tensor.name));
    types[tensor.name] = type;
    b.heap(tensor.name, type, {});
  }
  pass.declareCaches();
}

OwningOpRef<ModuleOp> mlir::llm::buildModelModule(
    MLIRContext &context, const vm::llm::GgufFile &file,
    function_ref<void(ModuleOp, const gpuvm::FunctionLibrary &)> build) {
  context
      .loadDialect<gpuvm::GpuvmDialect, arith::ArithDialect, func::FuncDialect,
                   linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                   tensor::TensorDialect>();
  Location loc = FileLineColLoc::get(&context, file.path(), 0, 0);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  FailureOr<gpuvm::FunctionLibrary> library =
      gpuvm::FunctionLibrary::read(loc, {}, {});
  if (failed(library))
    return nullptr;
  build(*module, *library);
  return module;
}
