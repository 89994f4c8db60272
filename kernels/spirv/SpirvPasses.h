//===- SpirvPasses.h - passes that every kernel goes through ---*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::gpuvm {

/// The conversion of a kernel's operations to SPIR-V for one target.
struct SpirvConversion {
  explicit SpirvConversion(spirv::TargetEnvAttr target);

  SPIRVTypeConverter types;
  ScfToSPIRVContext scf;
  ConversionTarget legal;
  FrozenRewritePatternSet patterns;
};

/// Pipelines and patterns that are made once for many kernels, which takes
/// longer than a kernel. Only one kernel at a time goes through them; several
/// threads each have their own, all but the first made while others run.
struct SpirvPasses {
  explicit SpirvPasses(MLIRContext *context);
  SpirvConversion &getConversion(spirv::TargetEnvAttr target);

  FrozenRewritePatternSet expandPatterns; ///< Those of expandOps.
  PassManager expand;    ///< Of a module, before its kernel is converted.
  PassManager interface; ///< Of a spirv.module that has been made of it.
  PassManager simplify;  ///< The same, at last.

private:
  llvm::DenseMap<Attribute, std::unique_ptr<SpirvConversion>> conversions;
};

} // namespace mlir::gpuvm
