//===- LinearLower.cpp - gpuvm programs for the linear-algebra VM ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "frontends/linear/lowering/EmitRoutine.h"
#include "frontends/linear/lowering/Programs.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace mlir::linear {
#define GEN_PASS_DEF_LINEARLOWER
#include "frontends/linear/lowering/Passes.h.inc"
} // namespace mlir::linear

using namespace mlir;
using namespace mlir::linear;

namespace {
struct LinearLower : linear::impl::LinearLowerBase<LinearLower> {
  using Base::Base;
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<gpuvm::GpuvmDialect, arith::ArithDialect,
                    cf::ControlFlowDialect, func::FuncDialect,
                    linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                    tensor::TensorDialect, ub::UBDialect>();
  }
  void runOnOperation() override;

private:
  LogicalResult lower(ProgramOp op);
  LogicalResult lowerMixed(ProgramOp op, const vm::linear::Program &program,
                           const std::vector<vm::linear::PhaseMode> &modes,
                           const Routines &routines);
  LogicalResult lowerFaithful(ProgramOp op, const vm::linear::Program &program);
  FailureOr<EngineOptions> engineOptions(ProgramOp op,
                                         const vm::linear::Program &program);
  LogicalResult addRoom(ProgramOp op, const vm::linear::Program &program,
                        EngineOptions &options);
};
} // namespace

FailureOr<EngineOptions>
LinearLower::engineOptions(ProgramOp op, const vm::linear::Program &program) {
  std::optional<vm::linear::Format> chosen = vm::linear::parseFormat(format);
  if (!chosen)
    return op.emitError("the format of matrices is hybrid, csr, dense, bsr2, "
                        "bsr4, dictionary or runlength, not ")
           << format;
  if (!threshold.empty() && !vm::linear::isThreshold(threshold))
    return op.emitError("the threshold is auto or a number from 0 to 1e30, "
                        "not ")
           << threshold;
  EngineOptions options;
  options.format = *chosen;
  options.threshold = vm::linear::thresholdOf(program, threshold);
  if (!vm::linear::tablesFit(program, options.format, options.threshold))
    return op.emitError("the matrices of ")
           << program.instructions.size() << " instructions in format "
           << format << " take more than " << UINT32_MAX << " bytes";
  if (!engine.empty() && failed(addRoom(op, program, options)))
    return failure();
  return options;
}

/// Makes it an engine for any program that fits.
LogicalResult LinearLower::addRoom(ProgramOp op,
                                   const vm::linear::Program &program,
                                   EngineOptions &options) {
  using vm::linear::Format;
  if (options.format == Format::Hybrid)
    options.format = Format::Csr; // No matrix of an instruction is dense.
  if (options.format != Format::Csr && options.format != Format::Dense)
    return op.emitError("an engine has matrices in csr or dense, not ")
           << format;
  auto room = vm::linear::parseRoom(
      engine,
      vm::linear::buildEngineTables(program, options.format, 0, true).sizes,
      options.format);
  if (!room.ok())
    return op.emitError(room.status().message());
  options.room = *room;
  return success();
}

LogicalResult
LinearLower::lowerMixed(ProgramOp op, const vm::linear::Program &program,
                        const std::vector<vm::linear::PhaseMode> &modes,
                        const Routines &routines) {
  FailureOr<EngineOptions> options = EngineOptions();
  if (llvm::any_of(modes, [](const auto &phase) { return !phase.code; }))
    options = engineOptions(op, program);
  if (failed(options))
    return failure();
  return buildPhases(op, program, modes, routines, *options);
}

LogicalResult LinearLower::lowerFaithful(ProgramOp op,
                                         const vm::linear::Program &program) {
  FailureOr<EngineOptions> options = engineOptions(op, program);
  if (failed(options))
    return failure();
  return buildEngine(op, op.getLoc(), program, *options);
}

/// Says which phases run in another mode than the one that was asked for, or
/// faithfully for their size.
static void remarkOn(ProgramOp op, StringRef wanted,
                     const std::vector<vm::linear::PhaseMode> &modes) {
  for (auto [phase, mode] : llvm::zip_equal(op.getOps<PhaseOp>(), modes))
    if (mode.isTooLarge || (wanted != "auto" && !mode.reason.empty()))
      phase.emitRemark("phase ")
          << phase.getSymName() << " runs "
          << (mode.name == "faithful" ? "faithfully" : mode.name) << ": "
          << mode.reason;
}

/// The modes of the phases, and the routines of those that are compiled.
static std::vector<vm::linear::PhaseMode>
chooseModes(Location loc, const vm::linear::Program &program, StringRef wanted,
            Routines &routines) {
  auto check = [&](const vm::linear::CompiledLaunch &launch) -> vm::Status {
    auto routine = makeRoutine(loc, program, launch);
    if (!routine.ok())
      return routine.status();
    routines[launch.function] = std::move(*routine);
    return {};
  };
  return vm::linear::chooseModes(program, wanted, check);
}

std::vector<vm::linear::PhaseMode>
mlir::linear::chooseModes(const vm::linear::Program &program,
                          std::string_view wanted) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                      func::FuncDialect, math::MathDialect, scf::SCFDialect,
                      tensor::TensorDialect, ub::UBDialect>();
  Routines routines;
  return ::chooseModes(UnknownLoc::get(&context), program, wanted, routines);
}

LogicalResult LinearLower::lower(ProgramOp op) {
  vm::linear::Program program = readProgram(op);
  if (budget)
    for (vm::linear::Phase &phase : program.phases)
      phase.budget = budget;
  if (!engine.empty())
    return lowerFaithful(op, program);
  Routines routines;
  std::vector<vm::linear::PhaseMode> modes =
      ::chooseModes(op.getLoc(), program, mode, routines);
  remarkOn(op, mode, modes);
  return vm::linear::areFaithful(modes)
             ? lowerFaithful(op, program)
             : lowerMixed(op, program, modes, routines);
}

void LinearLower::runOnOperation() {
  SmallVector<ProgramOp> programs(getOperation().getOps<ProgramOp>());
  for (ProgramOp op : programs) {
    if (failed(lower(op)))
      return signalPassFailure();
    op.erase();
  }
}
