//===- MachineRules.cpp - the rules of a token.machine --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules are those of every machine; the errors are placed at the operations
// that they are about.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/dialect/TokenModule.h"
#include "frontends/token/machine/CheckMachine.h"

using namespace mlir;
using namespace mlir::token;

using vm::token::Subject;

namespace {
class Rules : public MachineRules {
public:
  using MachineRules::MachineRules;

  LogicalResult verify(MachineOp machine) const override;
};
} // namespace

/// The operation of that number among those of `OpTy`.
template <typename OpTy>
static Operation *find(MachineOp machine, int32_t number) {
  for (auto workflow : machine.getOps<WorkflowOp>())
    for (auto op : workflow.getOps<OpTy>())
      if (number-- == 0)
        return op;
  return machine;
}

static Operation *findRow(MachineOp machine, int32_t row) {
  for (auto workflow : machine.getOps<WorkflowOp>())
    for (auto op : workflow.getOps<ClassOp>())
      if (llvm::is_contained(op.getRows(), row))
        return op;
  return machine;
}

static Operation *find(MachineOp machine, Subject subject) {
  switch (subject.kind) {
  case Subject::Kind::Machine:
    return machine;
  case Subject::Kind::Workflow:
    return *std::next(machine.getOps<WorkflowOp>().begin(), subject.number);
  case Subject::Kind::Class:
    return find<ClassOp>(machine, subject.number);
  case Subject::Kind::Row:
    return findRow(machine, subject.number);
  case Subject::Kind::Zone:
    return find<ZoneOp>(machine, subject.number);
  case Subject::Kind::TestModel:
    return find<TestModelOp>(machine, subject.number);
  }
  return machine;
}

LogicalResult Rules::verify(MachineOp machine) const {
  vm::token::Diagnostics diagnostics;
  if (vm::token::checkMachine(readMachine(machine), {}, diagnostics))
    return success();
  for (const vm::token::Diagnostic &diagnostic : diagnostics.all())
    find(machine, diagnostic.subject)->emitError(diagnostic.sentence)
        << " [" << diagnostic.code << ']';
  return failure();
}

void mlir::token::registerTokenDialect(DialectRegistry &registry) {
  registry.insert<TokenDialect>();
  registry.addExtension(+[](MLIRContext *, TokenDialect *dialect) {
    dialect->addInterfaces<Rules>();
  });
}
