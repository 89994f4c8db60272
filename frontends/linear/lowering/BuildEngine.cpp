//===- BuildEngine.cpp - faithful mode: programs as tables ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In faithful mode a program of the linear-algebra VM is data: the engine reads
// its instructions, matrices, phases and launches from Heap. With room given
// they are inputs, and what it does is not known before they are.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/lowering/Programs.h"

#include "frontends/linear/lowering/EngineFunctions.h"
#include "frontends/linear/matrices/PackedMatrices.h"

#include <algorithm>
#include <bit>
#include <tuple>

using namespace mlir;
using namespace mlir::linear;
using vm::linear::EngineSizes;
using vm::linear::EngineTable;
using vm::linear::EngineTables;
using vm::linear::Format;
using vm::linear::Opcode;

namespace {
/// What an engine is built of.
class EngineBuilder {
public:
  EngineBuilder(Operation *op, Location loc, const vm::linear::Program &program,
                const EngineOptions &options)
      : op(op), loc(loc), program(program), options(options),
        tables(buildEngineTables(program, options.format, options.threshold,
                                 options.room || usesAccess(program))),
        sizes(options.room.value_or(tables.sizes)),
        types(op->getContext(), sizes.machines, sizes.words, sizes.phases) {}

  FailureOr<gpuvm::ProgramOp> build();

private:
  bool uses(std::initializer_list<Opcode> any) const;
  void setLimits();
  void setFormat();
  void setConditions();

  bool hasTable(const EngineTable &table) const;
  void addTables();
  void begin(const vm::linear::Program &signature);
  SmallVector<Value> buildEpochs(Value memory, Value go);
  gpuvm::ProgramBuilder::Next buildEpoch(ValueRange carried);

  /// The stage whose body is the function of its name.
  template <size_t N>
  std::array<Value, N> stage(StringRef name, ValueRange inputs) {
    return b->stage<N>("linear." + name, inputs, name);
  }

  Operation *op;
  Location loc;
  const vm::linear::Program &program;
  const EngineOptions &options;
  EngineTables tables;
  EngineSizes sizes;
  MachineTypes types;
  vm::TemplateArguments places;
  int64_t epochs = 0;
  std::optional<gpuvm::ProgramBuilder> b;
};

template <size_t N> std::array<Value, N> arrayOf(ValueRange values) {
  std::array<Value, N> all;
  llvm::copy(values, all.begin());
  return all;
}
} // namespace

//===----------------------------------------------------------------------===//
// The functions that stand for the bodies of stages
//===----------------------------------------------------------------------===//

/// What the program needs, or with room all there is.
bool EngineBuilder::uses(std::initializer_list<Opcode> any) const {
  return options.room ||
         llvm::any_of(program.instructions,
                      [&](const vm::linear::Instruction &instruction) {
                        return llvm::is_contained(any, instruction.opcode);
                      });
}

/// What is a number in an engine for one program.
void EngineBuilder::setLimits() {
  size_t most = options.room ? sizes.launches : 0;
  // One more iteration for each phase, which finds that it is over.
  epochs = options.room ? INT32_MAX : 0;
  for (const vm::linear::Phase &phase : program.phases) {
    most = std::max(most, phase.launches.size());
    epochs += int64_t(program.budgetOf(phase)) + 1;
  }
  epochs = std::min<int64_t>(epochs, INT32_MAX);
  // Halvings that leave one of them.
  places.set("launchSteps", std::max<int>(std::bit_width(most), 1));
  places.set("lastMachine", sizes.machines - 1);
  places.set("addressEnd", addressEnd(program));
  places.set("lastPhase", program.phases.size() - 1);
  places.set("tolerance", fmt::format("0x{:08X}", program.toleranceBits));
  places.set("frames", uint64_t(sizes.machines) * sizes.stack);
}

/// How matrices are read: the formats besides CSR and dense are in
/// PackedMatrices.h.
void EngineBuilder::setFormat() {
  unsigned side = vm::linear::blockSize(options.format),
           across = vm::linear::blocksAcross(side);
  places.set("blockSide", side);
  places.set("blocksAcross", across);
  places.set("blockPlaces", side * across);
  switch (options.format) {
  case Format::Bsr2:
  case Format::Bsr4:
    places.conditions.insert({"packed", "blocks"});
    break;
  case Format::Dictionary:
  case Format::RunLength:
    places.conditions.insert({"packed", toString(options.format)});
    break;
  default:
    places.conditions.insert("tables");
    break;
  }
}

void EngineBuilder::setConditions() {
  places.setIf(uses({Opcode::Wait}), "wait");
  places.setIf(uses({Opcode::Spawn}), "spawn");
  places.setIf(uses({Opcode::Write}), "write");
  places.setIf(uses({Opcode::Call, Opcode::Return}), "call");
  places.setIf(uses({Opcode::Div, Opcode::DivI}), "divide");
  places.setIf(uses({Opcode::Mod, Opcode::ModI}), "modulo");
  places.setIf(uses({Opcode::Sqrt}), "root");
  places.setIf(uses({Opcode::Sin, Opcode::Cos}), "sine");
  places.setIf(options.room.has_value(), "room");
  places.setIf(options.room || usesAccess(program), "access");
  places.setIf(program.f16State, "f16");
  places.setIf(options.part && options.part->isGated, "gated");
}

//===----------------------------------------------------------------------===//
// The beginning
//===----------------------------------------------------------------------===//

bool EngineBuilder::hasTable(const EngineTable &table) const {
  if (table.name == "limits")
    return options.room.has_value();
  if (table.name == "packed")
    return places.conditions.contains("packed");
  if (table.name == "dictionary")
    return options.format == Format::Dictionary;
  constexpr StringLiteral kUnpacked[] = {"dense", "values", "columns",
                                         "pointers"};
  return !llvm::is_contained(kUnpacked, table.name) ||
         places.conditions.contains("tables");
}

void EngineBuilder::addTables() {
  for (const EngineTable &table : tables.all) {
    if (!hasTable(table))
      continue;
    SmallVector<int64_t> shape = {table.rows ? sizes.*table.rows
                                             : int64_t(table.words.size())};
    if (table.isMatrix)
      shape.push_back(columnsOf(table, sizes));
    auto type = RankedTensorType::get(
        shape, table.isFloat ? Type(b->getF32Type()) : b->getI32Type());
    ElementsAttr value;
    if (!options.room)
      value = DenseElementsAttr::getFromRawBuffer(
          type, ArrayRef(reinterpret_cast<const char *>(table.words.data()),
                         table.words.size() * sizeof(uint32_t)));
    b->heap("linear." + table.name, type, value);
    if (table.name == "limits") {
      auto word = RankedTensorType::get({}, b->getI32Type());
      b->global("linear.stack", word,
                DenseElementsAttr::get(word, int32_t(sizes.stack)));
    }
  }
}

/// Shared memory of an engine for any program, as one.
static vm::linear::Program programWithRoom(const EngineSizes &sizes) {
  vm::linear::Program program;
  program.name = "engine";
  program.buffers.push_back(
      {"memory", sizes.words, vm::linear::BufferKind::InOut, 0, 1});
  return program;
}

/// The program with its symbols.
void EngineBuilder::begin(const vm::linear::Program &signature) {
  if (!options.part) {
    b->beginProgram(op, nameOf(signature),
                    inputsOf(op->getContext(), signature),
                    outputsOf(signature, types));
  } else {
    SmallVector<gpuvm::NamedType> inputs = {{"memory", types.shared}};
    if (options.part->isGated)
      inputs.push_back({"go", types.flag});
    b->beginProgram(op, options.part->name, inputs,
                    {{"memory", types.shared},
                     {"registers", types.registers},
                     {"where", types.machines},
                     {"counts", types.counts}},
                    /*isPrivate=*/true);
  }
  addTables();
}

//===----------------------------------------------------------------------===//
// Epochs
//===----------------------------------------------------------------------===//

gpuvm::ProgramBuilder::Next EngineBuilder::buildEpoch(ValueRange carried) {
  auto [ip, status, fault, sp, launch, x, stack, memory, counts, phase, epoch,
        order] = arrayOf<12>(carried);
  auto [mode, how, cls, at] =
      stage<4>("look", {status, ip, x, memory, phase, epoch});
  auto [listed, place, order1] = stage<3>("list", {cls, order});
  auto [product] = stage<1>("linear", {order1, listed, at, x});
  auto [value, reg, next, state, why, level, frame, address, written, started] =
      stage<10>("execute", {order1, listed, at, x, sp, stack, launch, memory});

  auto [phase1, fresh] = stage<2>("advance", {phase, mode, how});
  auto [ip1, status1, fault1, sp1, launch1] =
      stage<5>("words", {ip, status, fault, sp, launch, cls, at, place, next,
                         state, why, level, phase1, fresh});
  auto [x1] = stage<1>("registers", {x, cls, place, product, value, reg, frame,
                                     stack, phase1, fresh});
  Value stack1 = stack, memory1 = memory;
  if (uses({Opcode::Call, Opcode::Return}))
    stack1 = stage<1>("push", {order1, frame, at, x, stack}).front();
  if (uses({Opcode::Write})) {
    auto [any] = stage<1>("writes", {address});
    auto body = [&](ValueRange payloads) -> gpuvm::Sent {
      return {b->call("commit", payloads), {payloads.back()}};
    };
    memory1 = b->stage("linear.commit", {address, written, memory}, body, any)
                  .front();
  }
  if (uses({Opcode::Spawn})) {
    std::tie(x1, ip1, status1, fault1, sp1, launch1) =
        std::tuple_cat(stage<6>("spawn", {order1, started, x, at, phase, x1,
                                          ip1, status1, fault1, sp1, launch1}));
  }
  auto [counts1, epoch1, done] =
      stage<3>("count", {counts, listed, phase, epoch, mode, how});
  return {{ip1, status1, fault1, sp1, launch1, x1, stack1, memory1, counts1,
           phase1, epoch1, order1},
          done};
}

/// From the machines of the first phase on.
SmallVector<Value> EngineBuilder::buildEpochs(Value memory, Value go) {
  SmallVector<Value> gate;
  if (go)
    gate.push_back(go);
  auto [ip, status, launch, x, stack, counts] = stage<6>("first", gate);
  auto [none, noWord] = stage<2>("none", {});
  Value phase = go ? stage<1>("begin", gate).front() : noWord;
  return b->repeat("linear.epochs", epochs,
                   {ip, status, none, none, launch, x, stack, memory, counts,
                    phase, noWord, none},
                   [&](ValueRange carried) { return buildEpoch(carried); });
}

FailureOr<gpuvm::ProgramOp> EngineBuilder::build() {
  setSizes(places, vm::linear::allEngineSizes(), sizes);
  setLimits();
  setFormat();
  setConditions();
  auto library =
      gpuvm::FunctionLibrary::read(loc, vm::linear::kEngineFunctions, places);
  if (failed(library))
    return failure();
  b.emplace(loc, *library);
  vm::linear::Program any = programWithRoom(sizes);
  const vm::linear::Program &signature = options.room ? any : program;
  begin(signature);
  if (options.part) {
    Value go = options.part->isGated ? b->inputs()[1] : Value();
    SmallVector<Value> last = buildEpochs(b->inputs()[0], go);
    auto [where] = stage<1>("where", {last[0], last[1], last[2]});
    return b->endProgram({last[7], last[5], where, last[8]});
  }
  SmallVector<Value> last =
      buildEpochs(joinBuffers(*b, signature, types), Value());
  auto [state] = stage<1>("state", {last[0], last[5]});
  SmallVector<Value> outputs = splitBuffers(*b, signature, last[7]);
  outputs.append({state, last[1], last[2], last[8]});
  return b->endProgram(outputs);
}

FailureOr<gpuvm::ProgramOp>
mlir::linear::buildEngine(Operation *op, Location loc,
                          const vm::linear::Program &program,
                          const EngineOptions &options) {
  return EngineBuilder(op, loc, program, options).build();
}
