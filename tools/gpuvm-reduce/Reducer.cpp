//===- Reducer.cpp - the smallest program that still shows a bug ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-reduce/Reducer.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tools/gpuvm-reduce/Edits.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::gpuvm::reduce;

std::string gpuvm::reduce::printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  bool isOne = llvm::hasSingleElement(module.getBody()->getOperations());
  Operation *op = isOne ? &module.getBody()->front() : module;
  op->print(out);
  return text + "\n";
}

Reducer::Reducer(ModuleOp module, std::string test)
    : best(module.clone()), test(std::move(test)) {
  if (this->test.find("{}") == std::string::npos)
    this->test += " {}";
}

/// Runs the test, without its output.
bool Reducer::holdsOf(ModuleOp module) {
  ++tests;
  SmallString<128> path;
  int descriptor;
  if (llvm::sys::fs::createTemporaryFile("gpuvm-reduce", "mlir", descriptor,
                                         path))
    return false;
  {
    llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
    file << printModule(module);
  }
  std::string command = test;
  for (size_t at; (at = command.find("{}")) != std::string::npos;)
    command.replace(at, 2, path.str());
  // An empty name is /dev/null.
  std::optional<StringRef> nowhere[] = {StringRef(), StringRef(), StringRef()};
  int code = llvm::sys::ExecuteAndWait("/bin/sh", {"sh", "-c", command},
                                       std::nullopt, nowhere);
  llvm::sys::fs::remove(path);
  return code == 0;
}

bool Reducer::holds() { return holdsOf(*best); }

bool Reducer::tryEdit(function_ref<bool(ModuleOp)> edit) {
  // What edits break is no news.
  ScopedDiagnosticHandler quiet(best->getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = best->clone();
  if (!edit(*copy) || failed(verify(*copy)) || !holdsOf(*copy))
    return false;
  best = std::move(copy);
  return true;
}

bool Reducer::takeOperations() {
  bool any = false;
  for (Instead instead : {Instead::zeros, Instead::other})
    for (size_t count = countOperations(*best); count > 0; count /= 2)
      for (size_t end = countOperations(*best); end > 0;) {
        size_t first = end - std::min(count, end);
        any |= tryEdit([&](ModuleOp module) {
          return takeAway(module, first, end - first, instead);
        });
        end = std::min(first, countOperations(*best));
      }
  return any;
}

bool Reducer::dropOutputs() {
  bool any = false;
  for (size_t i = countOutputs(*best); i-- > 0;)
    any |= tryEdit([&](ModuleOp module) { return dropOutput(module, i); });
  return any;
}

bool Reducer::dropUnused() {
  if (tryEdit([](ModuleOp module) { return reduce::dropUnused(module); }))
    return true;
  bool any = false;
  bool isLast = false;
  for (size_t i = 0; !isLast;) {
    bool hasGone = tryEdit([&](ModuleOp module) {
      bool isThere = reduce::dropUnused(module, i);
      isLast = !isThere;
      return isThere;
    });
    any |= hasGone;
    i += hasGone ? 0 : 1; // The next one has its number then.
  }
  return any;
}

/// What MLIR's own simplifications leave, if that is less.
bool Reducer::simplify() {
  size_t before = printModule(*best).size();
  return tryEdit([&](ModuleOp module) {
    PassManager passes(module->getContext());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    return succeeded(passes.run(module)) && printModule(module).size() < before;
  });
}

void Reducer::run() {
  for (bool goesOn = true; goesOn;) {
    goesOn = dropOutputs();
    goesOn |= takeOperations();
    goesOn |= dropUnused();
    goesOn |= simplify();
  }
}
