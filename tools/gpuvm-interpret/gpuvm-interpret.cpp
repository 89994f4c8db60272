//===- gpuvm-interpret.cpp - runs a program on the reference --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// main() and the order of things: parse, match the command line's tensors with
// the programs as if they were a plan, execute, compare, print.
//
//===----------------------------------------------------------------------===//

#include "compiler/CrashReport.h"
#include "compiler/Diagnostics.h"
#include "compiler/Dialects.h"
#include "compiler/ReadModule.h"
#include "compiler/ReadPart.h"
#include "compiler/reference/Machine.h"
#include "dialects/gpuvm/LinkPrograms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "tools/common/FileKind.h"
#include "tools/common/StandardOutput.h"
#include "tools/gpuvm-interpret/CommandLine.h"
#include "tools/gpuvm-run/RankNames.h"
#include "tools/gpuvm-run/Report.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <future>
#include <system_error>

using namespace mlir;
using gpuvm::ProgramOp;
using gpuvm::reference::Machine;
using gpuvm::reference::Rendezvous;
using gpuvm::reference::StepLimit;
using vm::Code;
using vm::HostTensor;
using vm::Plan;
using vm::Result;
using vm::Status;
using vm::interpret::CommandLine;
using vm::run::Bindings;
using vm::run::RunResult;

//===----------------------------------------------------------------------===//
// The programs
//===----------------------------------------------------------------------===//

namespace {
/// A machine for each program that is run, and what they have together, named
/// as in their plan.
struct Programs {
  /// What a slot of the plan is in its machine.
  struct Place {
    size_t machine;
    unsigned index;   ///< Of an argument or a result.
    std::string name; ///< Of a symbol; empty otherwise.
  };
  std::vector<Machine> machines;
  /// By machine, of the last execution.
  std::vector<std::optional<SmallVector<HostTensor>>> outputs;
  Plan plan;
  SmallVector<Place> inputs, results, symbols; ///< By the plan's lists.
  SmallVector<std::string> shared;
};
} // namespace

static Result<SmallVector<ProgramOp>> findPrograms(ModuleOp module,
                                                   const CommandLine &options) {
  SmallVector<ProgramOp> programs(module.getOps<ProgramOp>());
  std::string known;
  for (ProgramOp program : programs)
    known += (known.empty() ? "" : ", ") + program.getSymName().str();
  if (programs.empty())
    return Status(Code::BadInput, "The file \"" + options.sourcePath +
                                      "\" holds no gpuvm.program" +
                                      gpuvm::suggestProgram(module) + ".");
  if (options.run.programs.empty() && programs.size() > 1)
    return Status(Code::Usage, "The file \"" + options.sourcePath +
                                   "\" holds several programs (" + known +
                                   "); --program picks one.");
  if (options.run.programs.empty())
    return programs;
  SmallVector<ProgramOp> wanted;
  for (const std::string &name : options.run.programs) {
    auto program = module.lookupSymbol<ProgramOp>(name);
    if (!program)
      return Status(Code::Usage, "There is no program named \"" + name +
                                     "\" (known: " + known + ").");
    if (!llvm::is_contained(wanted, program))
      wanted.push_back(program);
  }
  return wanted;
}

/// Puts what the programs call in the place of the calls.
static LogicalResult link(ModuleOp module, ArrayRef<ProgramOp> programs,
                          llvm::SourceMgr &sources,
                          const CommandLine &options) {
  vm::Settings settings = options.settings;
  for (const std::string &path : options.linked) {
    OwningOpRef<ModuleOp> part =
        gpuvm::readPart("gpuvm-interpret", path, sources, *module.getContext(),
                        gpuvm::takeSettings(settings, gpuvm::partName(path)));
    if (!part || failed(gpuvm::addPrograms(module, *part)))
      return failure();
  }
  for (ProgramOp program : programs)
    if (failed(gpuvm::linkProgram(program)) || failed(verify(program)))
      return failure();
  return success();
}

template <typename Slot> static Slot makeSlot(StringRef name, Type type) {
  RankedTensorType memory = gpuvm::withAllRows(gpuvm::memoryType(type));
  Slot slot;
  slot.name = name.str();
  slot.dtype = *gpuvm::reference::getDType(memory);
  slot.shape.assign(memory.getShape().begin(), memory.getShape().end());
  return slot;
}

/// Adds a symbol and, if it is bound from outside, an input, unless another
/// program that shares it has done so.
static void addSymbol(Programs &all, vm::Program &program, Operation *op,
                      const std::string &prefix) {
  gpuvm::SymbolInfo symbol = gpuvm::getSymbolInfo(op);
  std::string name = SymbolTable::getSymbolName(op).str();
  Programs::Place place{all.machines.size() - 1, 0, name};
  bool isInput = symbol.region == gpuvm::Region::heap && !symbol.initial;
  if (symbol.isShared && llvm::is_contained(all.shared, name)) {
    for (auto [i, input] : llvm::enumerate(all.plan.inputs))
      if (isInput && input.name == name)
        program.inputs.push_back(i);
    return;
  }
  if (symbol.isShared)
    all.shared.push_back(name);
  std::string full = symbol.isShared ? name : prefix + name;
  all.symbols.push_back(place);
  all.plan.symbols.push_back(makeSlot<vm::Symbol>(full, symbol.type));
  if (!isInput)
    return;
  program.inputs.push_back(all.plan.inputs.size());
  all.inputs.push_back(place);
  auto input = makeSlot<vm::Input>(full, symbol.type);
  if (auto heap = dyn_cast<gpuvm::HeapOp>(op))
    input.rows = heap.getRows().value_or("").str();
  all.plan.inputs.push_back(std::move(input));
}

/// Adds the inputs, outputs and symbols of the last machine's program. Heap
/// symbols without an initial value come after its other inputs.
static void describe(Programs &all, const std::string &prefix) {
  ProgramOp op = all.machines.back().getProgram();
  FunctionType type = op.getProgramType();
  size_t machine = all.machines.size() - 1;
  vm::Program program;
  program.name = op.getSymName().str();
  /// The machine's name of the count of input or output `i`.
  auto rowsOf = [](std::optional<ArrayAttr> counts, size_t i) {
    StringAttr symbol = ProgramOp::getCount(counts, i);
    return symbol ? symbol.str() : "";
  };
  for (auto [i, name, input] :
       llvm::enumerate(op.getInputNames().getAsValueRange<StringAttr>(),
                       type.getInputs())) {
    program.inputs.push_back(all.plan.inputs.size());
    all.inputs.push_back({machine, static_cast<unsigned>(i), ""});
    auto slot = makeSlot<vm::Input>(prefix + name.str(), input);
    slot.rows = rowsOf(op.getInputCounts(), i);
    all.plan.inputs.push_back(std::move(slot));
  }
  for (auto [i, name, output] :
       llvm::enumerate(op.getOutputNames().getAsValueRange<StringAttr>(),
                       type.getResults())) {
    program.outputs.push_back(all.plan.outputs.size());
    all.results.push_back({machine, static_cast<unsigned>(i), ""});
    auto slot = makeSlot<vm::Output>(prefix + name.str(), output);
    slot.rows = rowsOf(op.getOutputCounts(), i);
    all.plan.outputs.push_back(std::move(slot));
  }
  for (Operation &symbol : op.getBody().front())
    if (gpuvm::getSymbolInfo(&symbol).op)
      addSymbol(all, program, &symbol, prefix);
  all.plan.programs.push_back(std::move(program));
}

static FailureOr<Programs> boot(ArrayRef<ProgramOp> programs,
                                const std::shared_ptr<StepLimit> &limit,
                                const CommandLine &options) {
  Programs all;
  for (ProgramOp program : programs) {
    FailureOr<Machine> machine = Machine::boot(program, options.exact, limit);
    if (failed(machine))
      return failure();
    all.machines.push_back(std::move(*machine));
    describe(all, programs.size() > 1 ? program.getSymName().str() + "." : "");
  }
  all.plan.program = all.plan.programs.front().name;
  all.outputs.resize(programs.size());
  return all;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// An output, as many rows of it as its symbol says.
static HostTensor readOutput(const Programs &all, size_t index) {
  const Programs::Place &place = all.results[index];
  HostTensor tensor = (*all.outputs[place.machine])[place.index];
  const std::string &symbol = all.plan.outputs[index].rows;
  if (symbol.empty())
    return tensor;
  int32_t rows;
  std::memcpy(&rows,
              all.machines[place.machine].getSymbol(symbol)->bytes.data(),
              sizeof(rows));
  vm::keepRows(tensor, std::clamp<int64_t>(rows, 0, tensor.shape.front()));
  return tensor;
}

static Result<RunResult> collect(const Programs &all,
                                 const Bindings &bindings) {
  RunResult result;
  auto read = [&](const vm::run::Source &source,
                  std::vector<HostTensor> &to) -> Status {
    if (source.isSymbol) {
      const Programs::Place &place = all.symbols[source.index];
      to.push_back(*all.machines[place.machine].getSymbol(place.name));
      return {};
    }
    if (!all.outputs[all.results[source.index].machine])
      return Status(Code::Usage, "Output \"" +
                                     all.plan.outputs[source.index].name +
                                     "\" has no value before the first "
                                     "execution.");
    to.push_back(readOutput(all, source.index));
    return {};
  };
  for (const vm::run::OutputRequest &request : bindings.outputs)
    VM_RETURN_IF_ERROR(read(request.source, result.outputs));
  for (const vm::run::ExpectedOutput &expected : bindings.expected)
    VM_RETURN_IF_ERROR(read(expected.source, result.expected));
  return result;
}

/// Runs one program, and gives the others what it shares with them.
static LogicalResult execute(Programs &all, uint32_t number,
                             ArrayRef<gpuvm::reference::Tensor> inputs) {
  SmallVector<gpuvm::reference::Tensor> arguments;
  for (auto [i, place] : llvm::enumerate(all.inputs))
    if (place.machine == number && place.name.empty())
      arguments.push_back(inputs[i]);
  Machine &machine = all.machines[number];
  FailureOr<SmallVector<HostTensor>> outputs = machine.execute(arguments);
  if (failed(outputs))
    return failure();
  all.outputs[number] = std::move(*outputs);
  for (const std::string &name : all.shared)
    if (gpuvm::reference::Tensor value = machine.getSymbol(name))
      for (Machine &other : all.machines)
        if (other.getSymbol(name))
          other.setSymbol(name, value);
  return success();
}

/// Fails after a located diagnostic.
static LogicalResult execute(Programs &all, Bindings &bindings,
                             uint64_t iterations) {
  SmallVector<gpuvm::reference::Tensor> inputs;
  for (auto [i, input] : llvm::enumerate(bindings.inputs)) {
    auto tensor =
        input ? std::make_shared<const HostTensor>(std::move(*input)) : nullptr;
    const Programs::Place &place = all.inputs[i];
    inputs.push_back(tensor);
    if (place.name.empty() || !tensor)
      continue;
    for (auto [number, machine] : llvm::enumerate(all.machines))
      if (number == place.machine || llvm::is_contained(all.shared, place.name))
        if (machine.getSymbol(place.name))
          machine.setSymbol(place.name, tensor);
  }
  for (uint64_t i = 0; i < iterations; ++i)
    for (uint32_t number : bindings.programs)
      if (failed(execute(all, number, inputs)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

namespace {
/// One of the ranks that run the programs.
struct Rank {
  Rank(Programs programs, const vm::run::CommandLine &options)
      : programs(std::move(programs)), options(options) {}
  Rank(Rank &&) = default;
  Rank &operator=(Rank &&) = default;

  Programs programs;
  Bindings bindings;
  vm::run::CommandLine options; ///< With its number.
};
} // namespace

/// How many ranks run the programs: as many as one of them says, or else as the
/// command line does.
static Result<uint32_t> countRanks(ArrayRef<ProgramOp> programs,
                                   const CommandLine &options) {
  uint32_t ranks = options.ranks;
  std::string source = "--ranks";
  for (ProgramOp program : programs) {
    uint64_t own = program.getRanks().value_or(0);
    if (program.isGlobalView()) // Written for one process, on whole tensors.
      own = 1;
    if (own == 0)
      continue;
    if (ranks != 0 && ranks != own)
      return Status(Code::Usage, "Program \"" + program.getSymName().str() +
                                     "\" is one of " + std::to_string(own) +
                                     " ranks, not of " + std::to_string(ranks) +
                                     " (" + source + ").");
    ranks = own;
    source = "program \"" + program.getSymName().str() + "\"";
  }
  return std::max(ranks, 1u);
}

static Result<Rank> makeRank(ArrayRef<ProgramOp> programs, uint32_t number,
                             uint32_t count,
                             const std::shared_ptr<StepLimit> &limit,
                             const CommandLine &options) {
  FailureOr<Programs> all = boot(programs, limit, options);
  if (failed(all))
    return Status(Code::BadInput, "");
  Rank rank(std::move(*all), options.run);
  placeRank(rank.options, number, count);
  Result<Bindings> bindings = bindTensors(rank.programs.plan, rank.options);
  if (!bindings.ok())
    return bindings.status();
  rank.bindings = std::move(*bindings);
  VM_RETURN_IF_ERROR(readFiles(rank.programs.plan, rank.bindings));
  return rank;
}

/// Runs all ranks, a thread each of which one runs at a time. Diagnostics say
/// on which rank they came up.
static LogicalResult execute(std::vector<Rank> &ranks, MLIRContext &context,
                             uint64_t iterations) {
  if (ranks.size() == 1)
    return execute(ranks[0].programs, ranks[0].bindings, iterations);
  auto meeting = std::make_shared<Rendezvous>(ranks.size());
  ScopedDiagnosticHandler names(&context, [&](Diagnostic &diagnostic) {
    diagnostic.attachNote()
        << "on rank " << meeting->running() << " of " << meeting->size();
    return failure(); // Others print it.
  });
  std::vector<std::exception_ptr> thrown(ranks.size());
  auto run = [&](size_t number) {
    Rank &rank = ranks[number];
    for (Machine &machine : rank.programs.machines)
      machine.join(meeting, static_cast<int64_t>(number));
    bool ok = succeeded(meeting->begin(static_cast<int64_t>(number)));
    try {
      ok = ok && succeeded(execute(rank.programs, rank.bindings, iterations));
    } catch (...) {
      thrown[number] = std::current_exception();
      ok = false;
    }
    meeting->end(static_cast<int64_t>(number), ok);
    return ok;
  };
  std::vector<std::future<bool>> ends;
  for (size_t i = 0; i < ranks.size(); ++i)
    ends.push_back(std::async(std::launch::async, run, i));
  bool ok = true;
  for (std::future<bool> &end : ends)
    ok = end.get() && ok;
  for (const std::exception_ptr &exception : thrown)
    if (exception)
      std::rethrow_exception(exception);
  return success(ok);
}

//===----------------------------------------------------------------------===//
// main
//===----------------------------------------------------------------------===//

static int fail(const Status &status) {
  if (!status.message().empty())
    llvm::errs() << "gpuvm-interpret: error: " << status.message() << '\n';
  return static_cast<int>(status.code());
}

/// Compares, prints and writes what the ranks leave. What is said of an output
/// begins with its rank, as gpuvm-run says it.
static int report(std::vector<Rank> &ranks) {
  bool same = true;
  std::vector<RunResult> results;
  for (auto [number, rank] : llvm::enumerate(ranks)) {
    Result<RunResult> result = collect(rank.programs, rank.bindings);
    if (!result.ok())
      return fail(result.status());
    std::string prefix = "rank " + std::to_string(number) + ": ";
    if (ranks.size() > 1)
      for (vm::run::OutputRequest &output : rank.bindings.outputs)
        output.name = prefix + output.name;
    if (ranks.size() > 1)
      for (vm::run::ExpectedOutput &expected : rank.bindings.expected)
        expected.name = prefix + expected.name;
    same &= compareOutputs(rank.bindings, *result, rank.options);
    results.push_back(std::move(*result));
  }
  if (!same)
    return static_cast<int>(Code::WrongResult);
  for (auto [rank, result] : llvm::zip_equal(ranks, results))
    if (Status status = deliverOutputs(rank.bindings, result, rank.options);
        !status.ok())
      return fail(status);
  Status status = vm::flushOutput();
  return status.ok() ? 0 : fail(status);
}

static int runPrograms(ModuleOp module, llvm::SourceMgr &sources,
                       const CommandLine &options) {
  Result<SmallVector<ProgramOp>> wanted = findPrograms(module, options);
  if (!wanted.ok())
    return fail(wanted.status());
  Result<uint32_t> count = countRanks(*wanted, options);
  if (!count.ok())
    return fail(count.status());
  if (Status status = checkRankFiles(options.run, *count); !status.ok())
    return fail(status);
  if (failed(link(module, *wanted, sources, options)))
    return static_cast<int>(Code::BadInput);
  auto limit = std::make_shared<StepLimit>(options.maxSteps);
  std::vector<Rank> ranks;
  for (uint32_t number = 0; number < *count; ++number) {
    Result<Rank> rank = makeRank(*wanted, number, *count, limit, options);
    if (!rank.ok())
      return fail(rank.status());
    ranks.push_back(std::move(*rank));
  }
  if (failed(execute(ranks, *module.getContext(), options.run.iterations))) {
    if (limit->exceeded())
      return static_cast<int>(Code::DeviceLost); // As a timeout.
    bool isExcess = llvm::any_of(ranks, [](const Rank &rank) {
      return llvm::any_of(rank.programs.machines,
                          [](const Machine &m) { return m.hasExcess(); });
    });
    return static_cast<int>(isExcess ? Code::Excess : Code::BadInput);
  }
  return report(ranks);
}

int main(int argc, char **argv) {
  gpuvm::CrashReport::install("gpuvm-interpret");
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
  vm::Settings settings = parsed.options.settings;
  for (const std::string &path : parsed.options.linked)
    gpuvm::takeSettings(settings, gpuvm::partName(path)); // Of those it is.
  OwningOpRef<ModuleOp> module = gpuvm::readModule(
      "gpuvm-interpret", parsed.options.sourcePath, sources, context, settings);
  if (!module)
    return static_cast<int>(Code::BadInput);
  try {
    return runPrograms(*module, sources, parsed.options);
  } catch (const std::system_error &) {
    return fail(vm::systemError());
  }
}
