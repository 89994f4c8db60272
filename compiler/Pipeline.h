//===- Pipeline.h - from a program to a plan, in one pipeline -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::gpuvm {

/// The options of `gpuvm-pipeline`; every pass that is not needed for a correct
/// plan can be switched off.
struct CompilerOptions : PassPipelineOptions<CompilerOptions> {
  Option<bool> fuse{*this, "fuse", llvm::cl::desc("Fuse stages (gpuvm-fuse)"),
                    llvm::cl::init(true)};
  Option<bool> group{
      *this, "group",
      llvm::cl::desc("Put several operations of a stage into one kernel"),
      llvm::cl::init(true)};
  Option<std::string> chains{
      *this, "chains",
      llvm::cl::desc("Run dependent kernels in one workgroup: auto, always or "
                     "never (gpuvm-form-chains)"),
      llvm::cl::init("auto")};
  Option<bool> hoist{
      *this, "hoist",
      llvm::cl::desc("Make in front of a repeat what is the same each time"),
      llvm::cl::init(true)};
  Option<bool> schedule{*this, "schedule",
                        llvm::cl::desc("Order commands in waves"),
                        llvm::cl::init(true)};
  Option<bool> reuse{*this, "reuse",
                     llvm::cl::desc("Use windows of dead values again"),
                     llvm::cl::init(true)};
  Option<bool> inPlace{
      *this, "in-place",
      llvm::cl::desc("Make results in the windows of their operands"),
      llvm::cl::init(true)};
  Option<uint64_t> barrierPrice{
      *this, "barrier-price",
      llvm::cl::desc("Bytes of Registers that a barrier more must save"),
      llvm::cl::init(8 << 20)};
  Option<uint64_t> maxWindowBytes{
      *this, "max-window-bytes",
      llvm::cl::desc("Values of more bytes take several windows"),
      llvm::cl::init(1 << 27)};
  Option<bool> minimalBarriers{
      *this, "minimal-barriers",
      llvm::cl::desc("Place only the barriers that a hazard needs"),
      llvm::cl::init(true)};
  Option<bool> simplify{*this, "simplify",
                        llvm::cl::desc("Canonicalize and merge equal code"),
                        llvm::cl::init(true)};
  Option<bool> keepMetadata{
      *this, "keep-metadata",
      llvm::cl::desc("Keep the metadata of all messages for the host"),
      llvm::cl::init(false)};
  ListOption<std::string> targets{
      *this, "targets",
      llvm::cl::desc("Devices that launches are chosen for: generic, lavapipe, "
                     "h200 (gpuvm-choose-launches)")};
  Option<bool> exact{*this, "exact",
                     llvm::cl::desc("Bit-identical arithmetic on every device"),
                     llvm::cl::init(false)};
  Option<std::string> park{
      *this, "park",
      llvm::cl::desc("Kernels that nobody needs while a condition does not "
                     "hold do not run then: auto (where that is worth it), "
                     "always (where it can be) or never"),
      llvm::cl::init("auto")};
  Option<std::string> size{
      *this, "size",
      llvm::cl::desc(
          "Kernels run for the rows that the device counted, not for "
          "all there may be: auto (where that is worth it), always "
          "(where it can be) or never"),
      llvm::cl::init("auto")};
  Option<int64_t> spins{
      *this, "spins",
      llvm::cl::desc("How often a workgroup looks for what another one makes "
                     "before it makes it itself"),
      llvm::cl::init(1 << 14)};
  Option<std::string> report{*this, "report",
                             llvm::cl::desc("File for the fusion report"),
                             llvm::cl::init("")};
  std::string *reportText = nullptr; ///< Gets the report, and no file does.
};

/// Adds the passes that lower the programs of a module to plans.
void buildPipeline(OpPassManager &passes, const CompilerOptions &options);

/// The same in two parts: up to programs of kernels with windows and barriers,
/// and from there.
void buildPlanning(OpPassManager &passes, const CompilerOptions &options);
void buildEmission(OpPassManager &passes, const CompilerOptions &options);

/// Registers all passes and the pipeline `gpuvm-pipeline`.
void registerPassesAndPipeline();

} // namespace mlir::gpuvm
