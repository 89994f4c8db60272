//===- DialectTextFuzz.cpp - any text through the parsers of dialects -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialects of the front ends, linear and token. A text that is refused has
// an error. One that is read is printed as a text that is read again and
// printed the same, in both of MLIR's forms; a token.machine is the machine of
// the operations that are built of it.
//
//===----------------------------------------------------------------------===//

#include "dialects/linear/Linear.h"
#include "frontends/token/dialect/TokenModule.h"
#include "frontends/token/machine/CheckMachine.h"
#include "frontends/token/machine/TensorJson.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>

using namespace mlir;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// MLIR's own parser crashes on some texts (test/tools/parser-crashes.test),
/// which no operation of ours needs: values, types and attributes by name, and
/// whatever nests deeply.
static bool isOurs(StringRef text) {
  constexpr int kMaxNesting = 64;
  int nesting = 0;
  for (char c : text) {
    if (StringRef("%!#^").contains(c))
      return false;
    if (StringRef("([{<").contains(c) && ++nesting > kMaxNesting)
      return false;
    if (StringRef(")]}>").contains(c))
      --nesting;
  }
  return !text.contains("dense"); // Of any number of elements.
}

static std::string print(ModuleOp module, OpPrintingFlags flags) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  return text;
}

static void checkText(ModuleOp module, OpPrintingFlags flags) {
  std::string text = print(module, flags);
  auto again = parseSourceString<ModuleOp>(text, module.getContext());
  require(again && print(*again, flags) == text);
}

static void checkMachine(token::MachineOp op) {
  vm::token::Machine machine = token::readMachine(op);
  vm::token::Diagnostics diagnostics;
  require(vm::token::checkMachine(machine, {}, diagnostics));
  auto built = token::buildModule(*op->getContext(), machine);
  auto again = *built->getOps<token::MachineOp>().begin();
  require(succeeded(verify(again)));
  require(vm::token::writeTensors(token::readMachine(again)) ==
          vm::token::writeTensors(machine));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // MLIR's lexer looks at the zero behind a text.
  std::string text(reinterpret_cast<const char *>(data), size);
  if (!isOurs(text))
    return 0;
  DialectRegistry registry;
  registry.insert<linear::LinearDialect>();
  token::registerTokenDialect(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  int errors = 0;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  auto module = parseSourceString<ModuleOp>(text, &context);
  require(module || errors > 0);
  if (!module)
    return 0;
  checkText(*module, OpPrintingFlags());
  checkText(*module, OpPrintingFlags().printGenericOpForm());
  for (auto op : module->getOps<token::MachineOp>())
    checkMachine(op);
  return 0;
}
