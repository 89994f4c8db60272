//===- TokenModuleFuzz.cpp - any text through the checks of --module files ===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is refused has an error. The function of one that is taken has
// its calls in their places, is valid, and is printed as the engine gets it: a
// text that is read again and printed the same.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/InlineCalls.h"
#include "frontends/token/modules/CheckModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>

using namespace mlir;

using vm::token::ModuleStage;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// MLIR's own parser crashes on some texts (test/tools/parser-crashes.test),
/// which no module needs: results and blocks by number, attributes and types by
/// name, elements without end, and whatever nests deeply.
static bool isOurs(StringRef text) {
  constexpr int kMaxNesting = 64;
  int nesting = 0;
  for (char c : text) {
    if (StringRef("!#^").contains(c))
      return false;
    if (StringRef("([{<").contains(c) && ++nesting > kMaxNesting)
      return false;
    if (StringRef(")]}>").contains(c))
      --nesting;
  }
  return !text.contains("dense");
}

static std::string print(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream, OpPrintingFlags().useLocalScope());
  return text;
}

/// The function as the engine has it among its own, alone and private.
static void checkText(func::FuncOp function) {
  OwningOpRef<func::FuncOp> copy(function.clone());
  copy->setPrivate();
  std::string text = print(*copy);
  auto again = parseSourceString<ModuleOp>(text, function.getContext());
  require(bool(again));
  auto functions = again->getOps<func::FuncOp>();
  require(llvm::hasSingleElement(functions));
  require(print(*functions.begin()) == text);
}

static bool take(ModuleOp module) {
  func::FuncOp function = token::findFunction(module, "x");
  if (!function)
    return false;
  bool isTaken = false;
  for (ModuleStage stage :
       {ModuleStage::Manipulation, ModuleStage::Transition, ModuleStage::Post})
    isTaken |= succeeded(token::checkSignature(function, stage)) &&
               token::readInfo(function, stage);
  constexpr size_t kMostOperations = 1 << 12;
  if (!isTaken ||
      failed(gpuvm::CallInliner(kMostOperations).inlineCalls(function)))
    return false;
  require(succeeded(verify(module)));
  require(function.getOps<func::CallOp>().empty());
  checkText(function);
  return true;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // MLIR's lexer looks at the zero behind a text.
  std::string text(reinterpret_cast<const char *>(data), size);
  if (!isOurs(text))
    return 0;
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  scf::SCFDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  int errors = 0;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  auto module = parseSourceString<ModuleOp>(text, &context);
  require((module && take(*module)) || errors > 0);
  return 0;
}
