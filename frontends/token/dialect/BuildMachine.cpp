//===- BuildMachine.cpp - machines as IR ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/dialect/TokenModule.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::token;

using vm::token::Advance;
using vm::token::Machine;
using vm::token::WorkflowNames;

/// Whether the prompts are the data, one after the other, and so need no places
/// in it. Those that are empty are where the one before ends.
static bool followEachOther(const Machine &machine) {
  int32_t at = 0;
  for (const vm::token::Zone &zone : machine.zones) {
    if (zone.tokenStart != at)
      return false;
    at = zone.tokenEnd;
  }
  return at == static_cast<int32_t>(machine.tokenData.size());
}

namespace {
class MachineBuilder {
public:
  MachineBuilder(MLIRContext &context, const Machine &machine)
      : b(&context), machine(machine), hasData(!followEachOther(machine)) {}

  OwningOpRef<ModuleOp> build();

private:
  Location loc() { return b.getUnknownLoc(); }
  UnitAttr flag(bool isSet) { return isSet ? b.getUnitAttr() : UnitAttr(); }
  IntegerAttr number(int32_t value) { return b.getI32IntegerAttr(value); }
  DenseI32ArrayAttr list(ArrayRef<int32_t> values) {
    return b.getDenseI32ArrayAttr(values);
  }
  DenseI32ArrayAttr listOrNone(ArrayRef<int32_t> values) {
    return values.empty() ? DenseI32ArrayAttr() : list(values);
  }
  ArrayAttr stringsOrNone(ArrayRef<std::string> strings);
  ArrayAttr strings(ArrayRef<std::string> strings);
  ArrayAttr lists(const std::vector<std::vector<int32_t>> &lists);
  IntegerAttr target(int32_t address) {
    return number(address == machine.end() ? -1 : address);
  }

  void addWorkflow(size_t index);
  void addClass(int32_t number, const std::string &text);
  void addZone(int32_t index, const WorkflowNames &names);
  void setJump(ZoneOp op, const vm::token::Zone &zone);
  void setPrompt(ZoneOp op, const vm::token::Zone &zone);
  void addExtract(const std::string &name,
                  const vm::token::Extraction &extract);

  OpBuilder b;
  const Machine &machine;
  bool hasData; ///< That is not made of the zones' prompts.
  std::vector<SmallVector<int32_t, 1>> rows; ///< Of each class.
};
} // namespace

ArrayAttr MachineBuilder::strings(ArrayRef<std::string> strings) {
  return b.getStrArrayAttr(
      SmallVector<StringRef>(strings.begin(), strings.end()));
}

ArrayAttr MachineBuilder::stringsOrNone(ArrayRef<std::string> all) {
  return all.empty() ? ArrayAttr() : strings(all);
}

ArrayAttr
MachineBuilder::lists(const std::vector<std::vector<int32_t>> &lists) {
  return b.getArrayAttr(
      llvm::map_to_vector(lists, [&](const std::vector<int32_t> &one) {
        return static_cast<Attribute>(list(one));
      }));
}

void MachineBuilder::addClass(int32_t number, const std::string &text) {
  auto tokens = llvm::map_to_vector(rows[number], [&](int32_t row) {
    return static_cast<Attribute>(list(machine.rows[row].tokens));
  });
  ClassOp::create(b, loc(), number, text, rows[number], b.getArrayAttr(tokens));
}

void MachineBuilder::setJump(ZoneOp op, const vm::token::Zone &zone) {
  const Advance &jump = zone.jump;
  if (!jump.active && jump.mask.empty() && zone.jumpAddress == 0)
    return;
  op.setJumpOff(!jump.active);
  op.setJump(jump.mask);
  op.setJumpTargetAttr(target(zone.jumpAddress));
}

void MachineBuilder::setPrompt(ZoneOp op, const vm::token::Zone &zone) {
  if (hasData) {
    op.setDataBegin(zone.tokenStart);
    op.setDataEnd(zone.tokenEnd);
  } else if (zone.tokenStart != zone.tokenEnd) {
    op.setPrompt(ArrayRef(machine.tokenData)
                     .slice(zone.tokenStart, zone.tokenEnd - zone.tokenStart));
  }
}

void MachineBuilder::addZone(int32_t index, const WorkflowNames &names) {
  const vm::token::Zone &zone = machine.zones[index];
  const auto &[sequence, block, repetition] = names.zones[index - names.entry];
  OperationState state(loc(), ZoneOp::getOperationName());
  auto op = cast<ZoneOp>(b.create(state));
  op.setNumber(index);
  op.setSequence(sequence);
  op.setBlock(block);
  op.setRepetition(repetition);
  op.setAdvanceOff(!zone.advance.active);
  op.setAdvance(zone.advance.mask);
  op.setAdvanceRow(zone.advancePattern);
  op.setNextAttr(target(zone.nextAddress));
  setJump(op, zone);
  op.setOpenAttr(listOrNone(zone.escapeOpen));
  op.setCloseAttr(listOrNone(zone.escapeClose));
  op.setInput(zone.input);
  if (zone.output)
    op.setOutput(zone.callback);
  op.setLive(!zone.inert);
  if (zone.timeout != 0)
    op.setTimeout(zone.timeout);
  op.setTagsAttr(listOrNone(zone.tags));
  setPrompt(op, zone);
}

void MachineBuilder::addExtract(const std::string &name,
                                const vm::token::Extraction &extract) {
  ExtractOp::create(b, loc(), b.getStringAttr(name), strings(extract.tags),
                    flag(!extract.forced), flag(!extract.patterns));
}

void MachineBuilder::addWorkflow(size_t index) {
  const WorkflowNames &names = machine.workflows[index];
  auto op =
      WorkflowOp::create(b, loc(), b.getStringAttr(names.name),
                         flag(names.matchesText), stringsOrNone(names.tags));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&op.getBody());
  for (auto [i, text] : llvm::enumerate(names.patterns))
    addClass(names.firstClass + static_cast<int32_t>(i), text);
  for (int32_t zone = 0; zone < names.size; ++zone)
    addZone(names.entry + zone, names);
  for (const auto &[name, extract] : names.extracts)
    addExtract(name, extract);
  const vm::token::TestModel &model = machine.testModels[index];
  TestModelOp::create(b, loc(), model.weight, lists(model.phrases),
                      model.fillers);
}

OwningOpRef<ModuleOp> MachineBuilder::build() {
  rows.resize(machine.classes);
  for (auto [i, row] : llvm::enumerate(machine.rows))
    rows[row.patternClass].push_back(static_cast<int32_t>(i));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc());
  b.setInsertionPointToStart(module->getBody());
  auto op = MachineOp::create(
      b, loc(), number(machine.vocabulary), number(machine.padding),
      machine.tokenizer == "bytes" ? StringAttr()
                                   : b.getStringAttr(machine.tokenizer),
      stringsOrNone(machine.workflows.front().tools),
      hasData ? list(machine.tokenData) : DenseI32ArrayAttr());
  b.createBlock(&op.getBody());
  for (size_t i = 0; i < machine.workflows.size(); ++i)
    addWorkflow(i);
  return module;
}

OwningOpRef<ModuleOp> mlir::token::buildModule(MLIRContext &context,
                                               const Machine &machine) {
  context.loadDialect<TokenDialect>();
  return MachineBuilder(context, machine).build();
}
