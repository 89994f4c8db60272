//===- BuildModule.cpp - programs as IR, and back -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/Lowering.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::linear;

namespace {
class ModuleBuilder {
public:
  ModuleBuilder(MLIRContext &context, const vm::linear::Program &program)
      : b(&context), program(program) {}

  OwningOpRef<ModuleOp> build();

private:
  Location at(uint32_t line);
  ArrayAttr symbols(const std::vector<uint32_t> &buffers);
  void addBuffer(const vm::linear::Buffer &buffer);
  void addRoutine(const vm::linear::Routine &routine);
  void addPhase(const vm::linear::Phase &phase);
  void addLaunch(const vm::linear::Launch &launch);

  OpBuilder b;
  const vm::linear::Program &program;
};
} // namespace

Location ModuleBuilder::at(uint32_t line) {
  return FileLineColLoc::get(b.getContext(), program.file, line, 1);
}

ArrayAttr ModuleBuilder::symbols(const std::vector<uint32_t> &buffers) {
  return b.getArrayAttr(
      llvm::map_to_vector(buffers, [&](uint32_t buffer) -> Attribute {
        return FlatSymbolRefAttr::get(b.getContext(),
                                      program.buffers[buffer].name);
      }));
}

void ModuleBuilder::addBuffer(const vm::linear::Buffer &buffer) {
  BufferOp::create(b, at(1), buffer.name,
                   static_cast<linear::BufferKind>(buffer.kind), buffer.size);
}

void ModuleBuilder::addRoutine(const vm::linear::Routine &routine) {
  auto op =
      RoutineOp::create(b, at(program.lines[routine.first]), routine.name);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&op.getBody());
  for (uint32_t i = routine.first; i < routine.first + routine.count; ++i) {
    const vm::linear::Instruction &instruction = program.instructions[i];
    StringRef kinds =
        vm::linear::lookUpOpcode(uint32_t(instruction.opcode))->operands;
    auto operands = llvm::map_to_vector(
        ArrayRef(instruction.operands).take_front(kinds.size()),
        [](uint32_t operand) { return static_cast<int32_t>(operand); });
    DoOp::create(b, at(program.lines[i]), uint32_t(instruction.opcode),
                 operands);
  }
}

void ModuleBuilder::addLaunch(const vm::linear::Launch &launch) {
  SmallVector<int32_t> elements, bits;
  for (const vm::linear::Launch::Initial &initial : launch.initial) {
    elements.push_back(initial.element);
    bits.push_back(static_cast<int32_t>(initial.bits));
  }
  auto listOf = [&](ArrayRef<int32_t> list) {
    return list.empty() ? DenseI32ArrayAttr() : b.getDenseI32ArrayAttr(list);
  };
  RunOp::create(b, at(launch.line),
                FlatSymbolRefAttr::get(b.getContext(),
                                       program.routines[launch.routine].name),
                b.getI32IntegerAttr(launch.count), listOf(elements),
                listOf(bits),
                launch.reads ? symbols(*launch.reads) : ArrayAttr(),
                launch.writes ? symbols(*launch.writes) : ArrayAttr());
}

void ModuleBuilder::addPhase(const vm::linear::Phase &phase) {
  auto number = [&](std::optional<uint32_t> value) {
    return value ? b.getI32IntegerAttr(*value) : IntegerAttr();
  };
  auto op = PhaseOp::create(
      b, at(phase.line), b.getStringAttr(phase.name),
      number(phase.spawn ? std::optional(phase.spawn) : std::nullopt),
      number(phase.budget), phase.independent ? b.getUnitAttr() : UnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&op.getBody());
  for (const vm::linear::Launch &launch : phase.launches)
    addLaunch(launch);
}

OwningOpRef<ModuleOp> ModuleBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(at(1));
  b.setInsertionPointToStart(module->getBody());
  auto op = ProgramOp::create(
      b, at(1), b.getStringAttr(program.name.empty() ? "linear" : program.name),
      b.getI32IntegerAttr(program.stack), b.getI32IntegerAttr(program.budget),
      program.f16State ? b.getUnitAttr() : UnitAttr(),
      program.toleranceBits
          ? b.getF32FloatAttr(llvm::bit_cast<float>(program.toleranceBits))
          : FloatAttr(),
      program.threshold ? b.getF64FloatAttr(*program.threshold) : FloatAttr());
  b.createBlock(&op.getBody());
  for (const vm::linear::Buffer &buffer : program.buffers)
    addBuffer(buffer);
  for (const vm::linear::Routine &routine : program.routines)
    addRoutine(routine);
  for (const vm::linear::Phase &phase : program.phases)
    addPhase(phase);
  return module;
}

OwningOpRef<ModuleOp>
mlir::linear::buildModule(MLIRContext &context,
                          const vm::linear::Program &program) {
  context.loadDialect<LinearDialect>();
  return ModuleBuilder(context, program).build();
}

//===----------------------------------------------------------------------===//
// And back
//===----------------------------------------------------------------------===//

static uint32_t lineOf(Operation *op) {
  auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return loc ? loc.getLine() : 1;
}

static uint32_t indexOf(StringRef name, ArrayRef<std::string> names) {
  return llvm::find(names, name) - names.begin();
}

static std::optional<std::vector<uint32_t>>
buffersOf(std::optional<ArrayAttr> list, ArrayRef<std::string> names) {
  if (!list)
    return std::nullopt;
  std::vector<uint32_t> buffers;
  for (Attribute name : *list)
    buffers.push_back(indexOf(cast<FlatSymbolRefAttr>(name).getValue(), names));
  llvm::sort(buffers);
  return buffers;
}

static vm::linear::Launch readLaunch(RunOp op, ArrayRef<std::string> routines,
                                     ArrayRef<std::string> buffers) {
  vm::linear::Launch launch;
  launch.routine = indexOf(op.getRoutine(), routines);
  launch.count = op.getCount();
  if (op.getElements())
    for (auto [element, bits] :
         llvm::zip_equal(*op.getElements(), *op.getBits()))
      launch.initial.push_back(
          {static_cast<uint32_t>(element), static_cast<uint32_t>(bits)});
  launch.reads = buffersOf(op.getReads(), buffers);
  launch.writes = buffersOf(op.getWrites(), buffers);
  launch.line = lineOf(op);
  return launch;
}

/// Gives each buffer its first address: those of kind `in` come first.
static void placeBuffers(vm::linear::Program &program) {
  uint32_t base = 0;
  for (bool isIn : {true, false})
    for (vm::linear::Buffer &buffer : program.buffers)
      if ((buffer.kind == vm::linear::BufferKind::In) == isIn) {
        buffer.base = base;
        base += buffer.size;
      }
}

vm::linear::Program mlir::linear::readProgram(ProgramOp op) {
  vm::linear::Program program;
  program.name = op.getSymName();
  program.f16State = op.getF16();
  program.stack = op.getStack();
  program.budget = op.getBudget();
  if (op.getTolerance())
    program.toleranceBits = op.getTolerance()->bitcastToAPInt().getZExtValue();
  if (op.getThreshold())
    program.threshold = op.getThreshold()->convertToDouble();
  std::vector<std::string> buffers, routines;
  for (auto buffer : op.getOps<BufferOp>()) {
    buffers.push_back(buffer.getSymName().str());
    program.buffers.push_back(
        {buffers.back(), buffer.getSize(),
         static_cast<vm::linear::BufferKind>(buffer.getKind()), 0});
  }
  placeBuffers(program);
  for (auto routine : op.getOps<RoutineOp>()) {
    routines.push_back(routine.getSymName().str());
    uint32_t first = program.instructions.size();
    for (auto instruction : routine.getOps<DoOp>()) {
      vm::linear::Instruction &own = program.instructions.emplace_back();
      own.opcode = static_cast<vm::linear::Opcode>(instruction.getOpcode());
      llvm::copy(instruction.getOperands(), own.operands.begin());
      program.lines.push_back(lineOf(instruction));
    }
    uint32_t count = program.instructions.size() - first;
    program.routines.push_back({routines.back(), first, count});
  }
  for (auto phase : op.getOps<PhaseOp>()) {
    vm::linear::Phase &own = program.phases.emplace_back();
    own.name = phase.getSymName();
    own.spawn = phase.getSpawn().value_or(0);
    own.budget = phase.getBudget();
    own.independent = phase.getIndependent();
    own.line = lineOf(phase);
    for (auto run : phase.getOps<RunOp>())
      own.launches.push_back(readLaunch(run, routines, buffers));
  }
  return program;
}
