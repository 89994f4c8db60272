//===- gpuvm-interpret.cpp - runs a program on the reference --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// main() and the order of things: parse, match the command line's tensors with
// the program as if it were a plan, execute, compare, print.
//
//===----------------------------------------------------------------------===//

#include "compiler/Diagnostics.h"
#include "compiler/Dialects.h"
#include "compiler/ReadModule.h"
#include "compiler/reference/Machine.h"
#include "dialects/gpuvm/LinkPrograms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "tools/common/FileKind.h"
#include "tools/gpuvm-interpret/CommandLine.h"
#include "tools/gpuvm-run/Report.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace mlir;
using gpuvm::ProgramOp;
using gpuvm::reference::Machine;
using vm::Code;
using vm::HostTensor;
using vm::Plan;
using vm::Result;
using vm::Status;
using vm::interpret::CommandLine;
using vm::run::Bindings;
using vm::run::RunResult;

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static Result<ProgramOp> findProgram(ModuleOp module,
                                     const CommandLine &options) {
  SmallVector<ProgramOp> programs(module.getOps<ProgramOp>());
  std::string known;
  for (ProgramOp program : programs) {
    if (program.getSymName() == options.program ||
        (options.program.empty() && programs.size() == 1))
      return program;
    known += (known.empty() ? "" : ", ") + program.getSymName().str();
  }
  if (programs.empty())
    return Status(Code::BadInput, "The file \"" + options.sourcePath +
                                      "\" holds no gpuvm.program.");
  if (options.program.empty())
    return Status(Code::Usage, "The file \"" + options.sourcePath +
                                   "\" holds several programs (" + known +
                                   "); --program picks one.");
  return Status(Code::Usage, "There is no program named \"" + options.program +
                                 "\" (known: " + known + ").");
}

/// Puts what the program calls in the place of the calls.
static LogicalResult link(ProgramOp program, const CommandLine &options) {
  for (const std::string &path : options.linked)
    if (failed(gpuvm::addPrograms(program->getParentOfType<ModuleOp>(), path)))
      return failure();
  return success(succeeded(gpuvm::linkProgram(program)) &&
                 succeeded(verify(program)));
}

template <typename Slot> static Slot makeSlot(StringRef name, Type type) {
  RankedTensorType memory = gpuvm::withAllRows(gpuvm::memoryType(type));
  Slot slot;
  slot.name = name.str();
  slot.dtype = *gpuvm::reference::getDType(memory);
  slot.shape.assign(memory.getShape().begin(), memory.getShape().end());
  return slot;
}

/// The inputs, outputs and symbols of a program, as its plan names them. Heap
/// symbols without an initial value come behind the other inputs.
static Plan describe(ProgramOp program) {
  Plan plan;
  FunctionType type = program.getProgramType();
  for (auto [name, input] :
       llvm::zip_equal(program.getInputNames().getAsValueRange<StringAttr>(),
                       type.getInputs()))
    plan.inputs.push_back(makeSlot<vm::Input>(name, input));
  for (auto [name, output] :
       llvm::zip_equal(program.getOutputNames().getAsValueRange<StringAttr>(),
                       type.getResults()))
    plan.outputs.push_back(makeSlot<vm::Output>(name, output));
  if (auto rows = program->getAttrOfType<ArrayAttr>(gpuvm::kOutputRowsAttr))
    for (auto [output, symbol] : llvm::zip_equal(plan.outputs, rows))
      if (auto name = dyn_cast<StringAttr>(symbol))
        output.rows = name.str();
  for (Operation &op : program.getBody().front()) {
    gpuvm::SymbolInfo symbol = gpuvm::getSymbolInfo(&op);
    if (!symbol.op)
      continue;
    StringRef name = SymbolTable::getSymbolName(&op);
    plan.symbols.push_back(makeSlot<vm::Symbol>(name, symbol.type));
    if (symbol.region == gpuvm::Region::heap && !symbol.initial)
      plan.inputs.push_back(makeSlot<vm::Input>(name, symbol.type));
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// Output `index`, as many rows of it as its symbol says.
static HostTensor keepRows(const Machine &machine, const Plan &plan,
                           ArrayRef<HostTensor> outputs, size_t index) {
  HostTensor tensor = outputs[index];
  const std::string &symbol = plan.outputs[index].rows;
  if (symbol.empty())
    return tensor;
  int32_t rows;
  std::memcpy(&rows, machine.getSymbol(symbol)->bytes.data(), sizeof(rows));
  vm::keepRows(tensor, std::clamp<int64_t>(rows, 0, tensor.shape.front()));
  return tensor;
}

static RunResult collect(const Machine &machine, const Plan &plan,
                         const Bindings &bindings,
                         ArrayRef<HostTensor> outputs) {
  auto read = [&](const vm::run::Source &source) {
    return source.isSymbol ? *machine.getSymbol(plan.symbols[source.index].name)
                           : keepRows(machine, plan, outputs, source.index);
  };
  RunResult result;
  for (const vm::run::OutputRequest &request : bindings.outputs)
    result.outputs.push_back(read(request.source));
  for (const vm::run::ExpectedOutput &expected : bindings.expected)
    result.expected.push_back(read(expected.source));
  return result;
}

/// Fails after a located diagnostic.
static FailureOr<RunResult> execute(Machine &machine, const Plan &plan,
                                    Bindings &bindings,
                                    const CommandLine &options) {
  SmallVector<gpuvm::reference::Tensor> inputs;
  size_t numArguments = machine.getProgram().getInputNames().size();
  for (auto [i, input] : llvm::enumerate(bindings.inputs)) {
    auto tensor = std::make_shared<const HostTensor>(std::move(*input));
    if (i < numArguments)
      inputs.push_back(std::move(tensor));
    else
      machine.setSymbol(plan.inputs[i].name, std::move(tensor));
  }
  FailureOr<SmallVector<HostTensor>> outputs;
  for (uint64_t i = 0; i < options.run.iterations; ++i)
    if (outputs = machine.execute(inputs); failed(outputs))
      return failure();
  return collect(machine, plan, bindings, *outputs);
}

//===----------------------------------------------------------------------===//
// main
//===----------------------------------------------------------------------===//

static int fail(const Status &status) {
  llvm::errs() << "gpuvm-interpret: error: " << status.message() << '\n';
  return static_cast<int>(status.code());
}

static int runProgram(ModuleOp module, const CommandLine &options) {
  Result<ProgramOp> program = findProgram(module, options);
  if (!program.ok())
    return fail(program.status());
  if (failed(link(*program, options)))
    return static_cast<int>(Code::BadInput);
  FailureOr<Machine> machine = Machine::boot(*program, options.exact);
  if (failed(machine))
    return static_cast<int>(Code::BadInput);
  Plan plan = describe(machine->getProgram());
  Result<Bindings> bindings = bindTensors(plan, options.run);
  if (!bindings.ok())
    return fail(bindings.status());
  FailureOr<RunResult> result = execute(*machine, plan, *bindings, options);
  if (failed(result))
    return static_cast<int>(machine->hasExcess() ? Code::Excess
                                                 : Code::BadInput);
  if (!compareOutputs(*bindings, *result, options.run))
    return static_cast<int>(Code::WrongResult);
  Status status = deliverOutputs(*bindings, *result, options.run);
  if (status.ok() && std::fflush(stdout) != 0)
    status = Status(Code::BadInput, "Standard output cannot be written.");
  return status.ok() ? 0 : fail(status);
}

int main(int argc, char **argv) {
  vm::interpret::ParsedCommandLine parsed =
      vm::interpret::parseCommandLine(argc, argv);
  if (parsed.exitCode)
    return *parsed.exitCode;
  if (std::string advice = vm::planAdvice(parsed.options.sourcePath);
      !advice.empty())
    return fail(Status(Code::BadInput, advice));
  DialectRegistry registry;
  gpuvm::registerCompilerDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  gpuvm::DiagnosticPrinter diagnostics(sources, context);
  OwningOpRef<ModuleOp> module = gpuvm::readModule(
      "gpuvm-interpret", parsed.options.sourcePath, sources, context);
  if (!module)
    return static_cast<int>(Code::BadInput);
  return runProgram(*module, parsed.options);
}
