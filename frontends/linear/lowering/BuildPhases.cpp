//===- BuildPhases.cpp - phases in their modes: the gpuvm program ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/Programs.h"

#include "frontends/linear/lowering/ProgramFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::linear;
using gpuvm::Sent;

namespace {
/// Where a machine stands that is FREE (CompiledLaunch).
constexpr uint32_t kFreeMachine = 5 << 24;

/// A phase that is compiled, or faithful ones that follow each other.
struct Step {
  size_t phase = 0, phases = 1;
  const vm::linear::CompiledPhase *code = nullptr; ///< Null if faithful.
  gpuvm::ProgramOp part = nullptr;                 ///< ..., its engine.
  PhaseOp op;                                      ///< The first one.
};

class PhasesBuilder {
public:
  PhasesBuilder(ProgramOp op, const vm::linear::Program &program,
                const Routines &routines, const gpuvm::FunctionLibrary &library)
      : op(op), program(program), routines(routines), b(op.getLoc(), library),
        types(op.getContext(), program.maxMachines(),
              std::max<uint32_t>(program.sharedWords(), 1),
              program.phases.size()) {}

  void findSteps(const std::vector<vm::linear::PhaseMode> &modes);
  LogicalResult buildParts(const EngineOptions &options);
  void build();

private:
  void buildCompiled(const Step &step);
  Value commit(const Step &step, ArrayRef<LaunchMessages> launches);
  void addMachines(const Step &step, ArrayRef<Value> rows,
                   ArrayRef<Value> where);
  void end(const Step &step, ArrayRef<LaunchMessages> launches);
  SmallVector<Value> addUp(ValueRange counts, size_t launches);
  void buildFaithful(const Step &step);
  void endPart(const Step &step, Value partCounts);
  SmallVector<Value> outputs();
  std::string nameOf(const Twine &kind, const Step &step) const {
    return ("linear." + kind + "." + Twine(step.phase)).str();
  }

  ProgramOp op;
  const vm::linear::Program &program;
  const Routines &routines;
  gpuvm::ProgramBuilder b;
  MachineTypes types;
  SmallVector<Step> steps;

  // Before a step: shared memory, the machines, and whether the step runs, as
  // all but the first one do if the phases before ended well.
  Value memory, rows, where, go;
  SmallVector<Value> counts; ///< The rows of all steps so far.
};
} // namespace

void PhasesBuilder::findSteps(const std::vector<vm::linear::PhaseMode> &modes) {
  for (auto [number, phase, mode] :
       llvm::enumerate(op.getOps<PhaseOp>(), modes)) {
    if (!mode.code && !steps.empty() && !steps.back().code)
      ++steps.back().phases;
    else
      steps.push_back(
          {number, 1, mode.code ? &*mode.code : nullptr, nullptr, phase});
  }
}

//===----------------------------------------------------------------------===//
// A compiled phase
//===----------------------------------------------------------------------===//

/// What the launches wrote.
Value PhasesBuilder::commit(const Step &step,
                            ArrayRef<LaunchMessages> launches) {
  SmallVector<Value> operands;
  for (const LaunchMessages &launch : launches)
    for (auto [address, bits] : launch.writes)
      operands.append({address, bits});
  operands.push_back(memory);
  auto body = [&](ValueRange payloads) -> Sent {
    Value before = payloads.back(), last = before;
    auto rule = b.getAttr<gpuvm::RuleAttr>(gpuvm::Rule::last);
    for (size_t i = 0; i + 1 < payloads.size(); i += 2) {
      auto scatter =
          gpuvm::ScatterOp::create(b, last.getType(), payloads[i + 1],
                                   payloads[i], last, b.getArrayAttr(rule));
      scatter.setDistinct(true);
      last = scatter.getResult(0);
    }
    return {{last}, go ? SmallVector<Value>{before} : SmallVector<Value>()};
  };
  return b.stage(nameOf("commit", step), operands, body, go).front();
}

/// The machines of the step, and after them free ones.
void PhasesBuilder::addMachines(const Step &step, ArrayRef<Value> ownRows,
                                ArrayRef<Value> ownWhere) {
  SmallVector<Value> operands;
  for (auto [x, w] : llvm::zip_equal(ownRows, ownWhere))
    operands.append({x, w});
  if (go)
    operands.append({rows, where});
  auto body = [&](ValueRange payloads) -> Sent {
    SmallVector<Value> x, w;
    int64_t used = 0;
    for (size_t i = 0; i < 2 * ownRows.size(); i += 2) {
      x.push_back(payloads[i]);
      w.push_back(payloads[i + 1]);
      used += gpuvm::payloadType(w.back().getType()).getDimSize(0);
    }
    if (int64_t free = types.machines.getDimSize(0) - used) {
      x.push_back(
          b.constant(types.registers.clone({free, 20}), llvm::APFloat(0.0f)));
      w.push_back(b.constant(types.machines.clone({free}), kFreeMachine));
    }
    auto join = [&](ArrayRef<Value> parts) {
      return parts.size() == 1 ? parts.front() : b.concat(parts);
    };
    return {{join(x), join(w)},
            SmallVector<Value>(payloads.drop_front(2 * ownRows.size()))};
  };
  SmallVector<Value> machines =
      b.stage(nameOf("state", step), operands, body, go);
  rows = machines[0];
  where = machines[1];
}

/// The sums of the counts of the launches, which `counts` has launch by launch;
/// last the largest of the most instructions of a machine.
SmallVector<Value> PhasesBuilder::addUp(ValueRange counts, size_t launches) {
  size_t each = counts.size() / launches;
  SmallVector<Value> sums;
  for (size_t i = 0; i < each; ++i) {
    Value sum;
    for (size_t l = 0; l < launches; ++l) {
      Value own = tensor::ExtractOp::create(b, counts[l * each + i]);
      bool isMost = i + 1 == each;
      if (isMost)
        own = arith::ExtUIOp::create(b, b.getI64Type(), own);
      sum = l == 0   ? own
            : isMost ? Value(arith::MaxUIOp::create(b, sum, own))
                     : Value(arith::AddIOp::create(b, sum, own));
    }
    sums.push_back(sum);
  }
  return sums;
}

/// The counts of the phase, how it ended, and whether the next one runs.
void PhasesBuilder::end(const Step &step, ArrayRef<LaunchMessages> launches) {
  SmallVector<Value> operands;
  for (const LaunchMessages &launch : launches) {
    llvm::append_range(operands, launch.counts);
    operands.push_back(launch.most);
  }
  if (go)
    operands.push_back(go);
  auto body = [&](ValueRange payloads) -> Sent {
    SmallVector<Value> sums =
        addUp(payloads.drop_back(go ? 1 : 0), launches.size());
    SmallVector<Value> ended = b.call("ended", sums[4]);
    if (go) {
      Value ran = tensor::ExtractOp::create(b, payloads.back());
      ended = b.call("ended_if", {ran, ended[0], ended[1]});
    }
    Value row = tensor::FromElementsOp::create(
        b, RankedTensorType::get({1, 6}, b.getI64Type()),
        ValueRange{sums[5], sums[0], sums[1], sums[2], sums[3], ended[0]});
    return {{row, tensor::FromElementsOp::create(b, types.flag, ended[1])}};
  };
  SmallVector<Value> messages = b.stage(nameOf("end", step), operands, body);
  counts.push_back(messages[0]);
  go = messages[1];
}

void PhasesBuilder::buildCompiled(const Step &step) {
  PhaseOp phase = step.op;
  SmallVector<LaunchMessages> launches;
  SmallVector<Value> ownRows, ownWhere;
  for (auto [number, launch, run] :
       llvm::enumerate(step.code->launches, phase.getOps<RunOp>())) {
    b.setLoc(run.getLoc());
    launches.push_back(buildLaunch(
        b, nameOf("run", step) + "." + Twine(number), program, launch,
        routines.find(launch.function)->second.get(), memory, go));
    ownRows.push_back(launches.back().rows);
    ownWhere.push_back(launches.back().where);
  }
  b.setLoc(phase.getLoc());
  memory = commit(step, launches);
  addMachines(step, ownRows, ownWhere);
  end(step, launches);
}

//===----------------------------------------------------------------------===//
// Faithful phases
//===----------------------------------------------------------------------===//

/// `program` with the phases of `step` alone.
static vm::linear::Program phasesOf(const vm::linear::Program &program,
                                    const Step &step) {
  vm::linear::Program part = program;
  auto first = program.phases.begin() + step.phase;
  part.phases.assign(first, first + step.phases);
  return part;
}

LogicalResult PhasesBuilder::buildParts(const EngineOptions &options) {
  for (Step &step : steps) {
    if (step.code)
      continue;
    EngineOptions own = options;
    own.part = {
        .name = (linear::nameOf(program) + ".part." + Twine(step.phase)).str(),
        .isGated = step.phase > 0};
    FailureOr<gpuvm::ProgramOp> part =
        buildEngine(op, step.op.getLoc(), phasesOf(program, step), own);
    if (failed(part))
      return failure();
    step.part = *part;
  }
  return success();
}

/// Its rows of the counts, which say that nothing ran where nothing did, and
/// whether the next phase runs.
void PhasesBuilder::endPart(const Step &step, Value partCounts) {
  SmallVector<Value> operands = {partCounts};
  if (go)
    operands.push_back(go);
  auto body = [&](ValueRange payloads) -> Sent {
    Value own = payloads.front();
    Value last = b.constant(b.getIndexType(), step.phases - 1);
    Value five = b.constant(b.getIndexType(), 5);
    Value good = b.constant(b.getI64Type(), 0);
    Value end = tensor::ExtractOp::create(b, own, ValueRange{last, five});
    Value goes = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, end, good);
    if (go) {
      Value ran = tensor::ExtractOp::create(b, payloads.back());
      goes = arith::AndIOp::create(b, goes, ran);
    }
    Value flag = tensor::FromElementsOp::create(b, types.flag, goes);
    if (!go)
      return {{own, flag}};
    AffineMap vw = b.getMultiDimIdentityMap(2);
    return {{b.generic(payloads, own.getType(),
                       {vw, AffineMap::get(2, 0, b.getContext()), vw},
                       [&](ValueRange words) {
                         Value word = linalg::IndexOp::create(b, 1);
                         return b.call("count_if", {words[0], words[1], word});
                       })
                 .front(),
             flag}};
  };
  SmallVector<Value> messages = b.stage(nameOf("end", step), operands, body);
  counts.push_back(messages[0]);
  go = messages[1];
}

void PhasesBuilder::buildFaithful(const Step &step) {
  SmallVector<Value> operands = {memory};
  if (go)
    operands.push_back(go);
  SmallVector<Value> results =
      b.callProgram(nameOf("part", step), step.part, operands);
  memory = results[0];
  addMachines(step, results[1], results[2]);
  endPart(step, results[3]);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// The machines at the end and the counts of all phases.
SmallVector<Value> PhasesBuilder::outputs() {
  SmallVector<Value> operands = {rows, where};
  llvm::append_range(operands, counts);
  auto body = [&](ValueRange payloads) -> Sent {
    SmallVector<Value> sent = b.call("outputs", payloads.take_front(2));
    sent.push_back(b.concat(payloads.drop_front(2)));
    return {sent};
  };
  return b.stage("linear.outputs", operands, body);
}

void PhasesBuilder::build() {
  Operation *before = op;
  for (Step &step : llvm::reverse(steps))
    if (step.part)
      before = step.part;
  b.beginProgram(before, linear::nameOf(program),
                 inputsOf(b.getContext(), program), outputsOf(program, types));
  memory = joinBuffers(b, program, types);
  for (const Step &step : steps) {
    b.setLoc(step.op->getLoc());
    if (step.code)
      buildCompiled(step);
    else
      buildFaithful(step);
  }
  b.setLoc(op.getLoc());
  SmallVector<Value> machines = outputs();
  SmallVector<Value> all = splitBuffers(b, program, memory);
  llvm::append_range(all, machines);
  b.endProgram(all);
}

LogicalResult
mlir::linear::buildPhases(ProgramOp op, const vm::linear::Program &program,
                          const std::vector<vm::linear::PhaseMode> &modes,
                          const Routines &routines,
                          const EngineOptions &options) {
  vm::TemplateArguments arguments;
  arguments.set("machines", program.maxMachines());
  arguments.set("words", std::max<uint32_t>(program.sharedWords(), 1));
  arguments.set("phases", program.phases.size());
  auto library = gpuvm::FunctionLibrary::read(
      op.getLoc(), vm::linear::kProgramFunctions, arguments);
  if (failed(library))
    return failure();
  PhasesBuilder builder(op, program, routines, *library);
  builder.findSteps(modes);
  if (failed(builder.buildParts(options)))
    return failure();
  builder.build();
  return success();
}
