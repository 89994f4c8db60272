//===- LinearLower.cpp - gpuvm programs for the linear-algebra VM ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"
#include "frontends/linear/lowering/EmitRoutine.h"
#include "frontends/linear/lowering/Lowering.h"
#include "frontends/linear/modes/Engine.h"
#include "frontends/linear/modes/Modes.h"
#include "frontends/linear/modes/ProgramText.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"

namespace mlir::linear {
#define GEN_PASS_DEF_LINEARLOWER
#include "frontends/linear/lowering/Passes.h.inc"
} // namespace mlir::linear

using namespace mlir;
using namespace mlir::linear;

/// What machines of launches do, by the names of the launches' functions.
using Routines = llvm::StringMap<OwningOpRef<func::FuncOp>>;

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
  FailureOr<vm::linear::EngineOptions>
  engineOptions(ProgramOp op, const vm::linear::Program &program);
  LogicalResult addRoom(ProgramOp op, const vm::linear::Program &program,
                        vm::linear::EngineOptions &options);
};
} // namespace

FailureOr<vm::linear::EngineOptions>
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
  vm::linear::EngineOptions options;
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
                                   vm::linear::EngineOptions &options) {
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

/// `in.x`, as the texts name their inputs, becomes `x`.
static void nameInputs(gpuvm::ProgramOp program) {
  Builder b(program.getContext());
  program.setInputNamesAttr(b.getArrayAttr(llvm::map_to_vector(
      program.getInputNames(), [&](Attribute name) -> Attribute {
        StringRef text = cast<StringAttr>(name).getValue();
        text.consume_front("in.");
        return b.getStringAttr(text);
      })));
}

/// The module that `text` holds; null after a diagnostic.
static OwningOpRef<ModuleOp> parse(Operation *op, const std::string &text) {
  // Calls of launches take a tensor until they are replaced.
  ParserConfig config(op->getContext(), /*verifyAfterParse=*/false);
  auto module = parseSourceString<ModuleOp>(text, config, "linear.mlir");
  if (!module)
    op->emitError("the program that was made of this is wrong");
  return module;
}

/// Moves what `module` holds to before `op`.
static void insertPrograms(Operation *op, ModuleOp module) {
  for (Operation &made : llvm::make_early_inc_range(*module.getBody())) {
    if (auto program = dyn_cast<gpuvm::ProgramOp>(made))
      nameInputs(program);
    made.moveBefore(op);
  }
}

/// Puts a copy of the function's body in the place of a call.
static void inlineCall(func::CallOp call, func::FuncOp function) {
  OpBuilder b(call);
  IRMapping mapping;
  Block &body = function.getBody().front();
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

static void inlineLaunches(ModuleOp module, const Routines &routines) {
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls)
    if (auto routine = routines.find(call.getCallee());
        routine != routines.end())
      inlineCall(call, routine->second.get());
}

LogicalResult
LinearLower::lowerMixed(ProgramOp op, const vm::linear::Program &program,
                        const std::vector<vm::linear::PhaseMode> &modes,
                        const Routines &routines) {
  FailureOr<vm::linear::EngineOptions> options = vm::linear::EngineOptions();
  if (llvm::any_of(modes, [](const auto &phase) { return !phase.code; }))
    options = engineOptions(op, program);
  if (failed(options))
    return failure();
  vm::linear::ProgramText text =
      vm::linear::writeProgram(program, modes, *options);
  OwningOpRef<ModuleOp> module = parse(op, text.program);
  if (!module)
    return failure();
  inlineLaunches(*module, routines);
  insertPrograms(op, *module);
  for (const std::string &part : text.parts) {
    OwningOpRef<ModuleOp> engine = parse(op, part);
    if (!engine)
      return failure();
    insertPrograms(op, *engine);
  }
  return success();
}

LogicalResult LinearLower::lowerFaithful(ProgramOp op,
                                         const vm::linear::Program &program) {
  FailureOr<vm::linear::EngineOptions> options = engineOptions(op, program);
  if (failed(options))
    return failure();
  OwningOpRef<ModuleOp> module =
      parse(op, vm::linear::writeEngine(program, *options));
  if (!module)
    return failure();
  insertPrograms(op, *module);
  return success();
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
