//===- RunModule.cpp - a module of the user on the reference --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/modules/RunModule.h"

#include "compiler/reference/ScalarCode.h"

#include <cstring>
#include <deque>
#include <mutex>

using namespace mlir;
using namespace mlir::token;

using gpuvm::reference::Environment;
using gpuvm::reference::ScalarCode;
using gpuvm::reference::StepLimit;
using vm::token::Module;
using vm::token::ModuleFailure;
using vm::token::ModuleStage;
using vm::token::Source;

namespace {

/// A function on the interpreter. Its code has room for one call at a time, so
/// there is one a thread, created beforehand: a context is for one thread.
class Evaluator {
public:
  static std::shared_ptr<Evaluator> make(func::FuncOp function, StringRef path,
                                         unsigned threads, uint64_t maxSteps);

  /// `numbers`: the operands, and then the results. Throws ModuleFailure, after
  /// a diagnostic, where an operation has no result.
  void call(ArrayRef<int64_t> operands, MutableArrayRef<int64_t> results);

private:
  struct Code {
    std::unique_ptr<StepLimit> limit;
    ScalarCode code;
  };
  Code *take();
  void give(Code *code);

  func::FuncOp function;
  std::string path;
  std::deque<Code> all;
  std::vector<Code *> unused;
  std::mutex mutex; ///< Of `unused`.
};

} // namespace

std::shared_ptr<Evaluator> Evaluator::make(func::FuncOp function,
                                           StringRef path, unsigned threads,
                                           uint64_t maxSteps) {
  auto evaluator = std::make_shared<Evaluator>();
  evaluator->function = function;
  evaluator->path = path.str();
  for (unsigned i = 0; i < threads; ++i) {
    auto limit = std::make_unique<StepLimit>(maxSteps);
    FailureOr<ScalarCode> code = ScalarCode::compile(
        function.getBody().front(), Environment(/*exact=*/false, *limit),
        /*numLoops=*/0, SmallPtrSet<Operation *, 1>());
    if (failed(code))
      return nullptr;
    evaluator->all.push_back({std::move(limit), std::move(*code)});
  }
  for (Code &code : evaluator->all)
    evaluator->unused.push_back(&code);
  return evaluator;
}

Evaluator::Code *Evaluator::take() {
  std::lock_guard lock(mutex);
  Code *code = unused.back();
  unused.pop_back();
  return code;
}

void Evaluator::give(Code *code) {
  std::lock_guard lock(mutex);
  unused.push_back(code);
}

/// Numbers are i32 or i64, as the type says.
static void write(void *to, Type type, int64_t number) {
  std::memcpy(to, &number, type.getIntOrFloatBitWidth() / 8);
}

static int64_t read(const void *from, Type type) {
  int64_t number;
  int32_t narrow;
  bool isWide = type.isInteger(64);
  std::memcpy(isWide ? static_cast<void *>(&number) : &narrow, from,
              isWide ? sizeof(number) : sizeof(narrow));
  return isWide ? number : narrow;
}

void Evaluator::call(ArrayRef<int64_t> operands,
                     MutableArrayRef<int64_t> results) {
  Code *own = take();
  ScalarCode *code = &own->code;
  for (auto [argument, number] :
       llvm::zip_equal(function.getArguments(), operands))
    write(code->elements(argument), argument.getType(), number);
  LogicalResult isDone = code->run(1);
  Operation *end = function.getBody().front().getTerminator();
  for (auto [number, value] : llvm::zip_equal(results, end->getOperands()))
    number = read(code->elements(value), value.getType());
  bool isOver = own->limit->exceeded();
  give(own);
  if (failed(isDone))
    throw ModuleFailure{"Module \"" + path + "\" has no result.",
                        isOver ? vm::Code::DeviceLost : vm::Code::BadInput};
}

//===--- As the reference calls it ----------------------------------------===//

static auto manipulation(const std::shared_ptr<Evaluator> &evaluator) {
  return [evaluator](int32_t &state, int32_t pc, int32_t tokenNumber,
                     int32_t &token, Source &source) {
    int64_t results[3];
    evaluator->call({state, pc, tokenNumber, token, int64_t(source)}, results);
    state = int32_t(results[0]);
    token = int32_t(results[1]);
    source = Source(results[2]);
  };
}

static auto transition(const std::shared_ptr<Evaluator> &evaluator) {
  return [evaluator](int32_t &state, int32_t pc, int32_t tokenNumber,
                     std::vector<bool> &triggers) {
    uint64_t bits = 0;
    for (size_t c = 0; c < triggers.size(); ++c)
      bits |= uint64_t(triggers[c]) << c;
    int64_t results[2];
    evaluator->call({state, pc, tokenNumber, int64_t(bits)}, results);
    state = int32_t(results[0]);
    for (size_t c = 0; c < triggers.size(); ++c)
      triggers[c] = (uint64_t(results[1]) >> c) & 1;
  };
}

static auto post(const std::shared_ptr<Evaluator> &evaluator) {
  return [evaluator](int32_t &state, int32_t pc, int32_t tokenNumber,
                     int32_t nextPc, int32_t nextTokenNumber, int32_t token,
                     bool forced) {
    int64_t results[2];
    evaluator->call(
        {state, pc, tokenNumber, nextPc, nextTokenNumber, token, forced},
        results);
    state = int32_t(results[0]);
    return int32_t(results[1]);
  };
}

std::optional<Module> mlir::token::makeModule(const ModuleFile &file,
                                              unsigned threads,
                                              uint64_t maxSteps) {
  auto evaluator =
      Evaluator::make(file.function(), file.path(), threads, maxSteps);
  if (!evaluator)
    return std::nullopt;
  Module module;
  const vm::token::ModuleInfo &info = file.info();
  module.state = info.state;
  module.initial = info.initial;
  module.resetsOnZoneChange = info.resetsOnZoneChange;
  switch (info.stage) {
  case ModuleStage::Manipulation:
    module.manipulate = manipulation(evaluator);
    break;
  case ModuleStage::Transition:
    module.transit = transition(evaluator);
    break;
  case ModuleStage::Post:
    module.post = post(evaluator);
    break;
  }
  return module;
}
