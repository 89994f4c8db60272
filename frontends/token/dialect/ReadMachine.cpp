//===- ReadMachine.cpp - machines from IR ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/dialect/TokenModule.h"

using namespace mlir;
using namespace mlir::token;

using vm::token::Machine;
using vm::token::WorkflowNames;

static std::vector<int32_t> listOf(std::optional<ArrayRef<int32_t>> list) {
  return list ? list->vec() : std::vector<int32_t>();
}

static std::vector<std::string> stringsOf(std::optional<ArrayAttr> list) {
  std::vector<std::string> strings;
  if (list)
    for (auto text : list->getAsValueRange<StringAttr>())
      strings.push_back(text.str());
  return strings;
}

namespace {
class MachineReader {
public:
  Machine read(MachineOp op);

private:
  void readWorkflow(WorkflowOp op, const std::vector<std::string> &tools);
  void readClass(ClassOp op);
  void readPrompt(ZoneOp op, vm::token::Zone &zone);
  void readZone(ZoneOp op);
  void readTestModel(TestModelOp op);
  void resolveEnd();

  Machine machine;
};
} // namespace

void MachineReader::readClass(ClassOp op) {
  for (auto [row, tokens] : llvm::zip_equal(
           op.getRows(), op.getTokens().getAsRange<DenseI32ArrayAttr>())) {
    if (row >= static_cast<int32_t>(machine.rows.size()))
      machine.rows.resize(row + 1);
    machine.rows[row] = {static_cast<int32_t>(op.getNumber()),
                         tokens.asArrayRef().vec()};
  }
}

void MachineReader::readPrompt(ZoneOp op, vm::token::Zone &zone) {
  std::vector<int32_t> &data = machine.tokenData;
  zone.tokenStart = op.getDataBegin().value_or(data.size());
  if (op.getPrompt())
    llvm::append_range(data, *op.getPrompt());
  zone.tokenEnd = op.getDataEnd().value_or(data.size());
}

void MachineReader::readZone(ZoneOp op) {
  vm::token::Zone &zone = machine.zones.emplace_back();
  zone.advance = {!op.getAdvanceOff(), op.getAdvance().vec()};
  zone.advancePattern = static_cast<int32_t>(op.getAdvanceRow());
  zone.nextAddress = static_cast<int32_t>(op.getNext());
  if (op.getJump()) {
    zone.jump = {!op.getJumpOff(), op.getJump()->vec()};
    zone.jumpAddress = static_cast<int32_t>(*op.getJumpTarget());
  }
  zone.escapeOpen = listOf(op.getOpen());
  zone.escapeClose = listOf(op.getClose());
  zone.input = op.getInput();
  zone.output = op.getOutput().has_value();
  if (zone.output)
    zone.callback = static_cast<int32_t>(*op.getOutput());
  zone.inert = !op.getLive();
  zone.timeout = static_cast<int32_t>(op.getTimeout().value_or(0));
  zone.tags = listOf(op.getTags());
  readPrompt(op, zone);
}

void MachineReader::readTestModel(TestModelOp op) {
  vm::token::TestModel &model = machine.testModels.emplace_back();
  model.weight = static_cast<int32_t>(op.getWeight());
  for (auto phrase : op.getPhrases().getAsRange<DenseI32ArrayAttr>())
    model.phrases.push_back(phrase.asArrayRef().vec());
  model.fillers = op.getFillers().vec();
}

void MachineReader::readWorkflow(WorkflowOp op,
                                 const std::vector<std::string> &tools) {
  WorkflowNames names;
  names.name = op.getName().str();
  names.matchesText = op.getMatchesText();
  names.tags = stringsOf(op.getTags());
  names.tools = tools;
  names.entry = machine.end();
  names.firstClass = machine.classes;
  for (auto child : op.getOps<ClassOp>()) {
    readClass(child);
    names.patterns.push_back(child.getText().str());
  }
  for (auto child : op.getOps<ZoneOp>()) {
    readZone(child);
    names.zones.emplace_back(child.getSequence().str(), child.getBlock(),
                             child.getRepetition());
  }
  for (auto child : op.getOps<ExtractOp>())
    names.extracts[child.getName().str()] = {stringsOf(child.getTags()),
                                             !child.getWithoutForced(),
                                             !child.getWithoutPatterns()};
  for (auto child : op.getOps<TestModelOp>())
    readTestModel(child);
  names.size = machine.end() - names.entry;
  machine.classes += static_cast<int32_t>(names.patterns.size());
  machine.tags =
      std::max(machine.tags, static_cast<int32_t>(names.tags.size()));
  machine.workflows.push_back(std::move(names));
}

/// Its number is known when all zones are read.
void MachineReader::resolveEnd() {
  for (vm::token::Zone &zone : machine.zones)
    for (int32_t *address : {&zone.nextAddress, &zone.jumpAddress})
      if (*address == -1)
        *address = machine.end();
}

Machine MachineReader::read(MachineOp op) {
  machine.tokenizer = op.getTokenizer().value_or("bytes").str();
  machine.vocabulary = static_cast<int32_t>(op.getVocabulary());
  machine.padding = static_cast<int32_t>(op.getPadding());
  machine.tokenData = listOf(op.getData());
  std::vector<std::string> tools = stringsOf(op.getTools());
  for (auto workflow : op.getOps<WorkflowOp>())
    readWorkflow(workflow, tools);
  resolveEnd();
  return std::move(machine);
}

Machine mlir::token::readMachine(MachineOp op) {
  return MachineReader().read(op);
}
