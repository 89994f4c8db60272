//===- WriteReport.cpp - the report on fusion -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes over one program run side by side with those over another, so they
// only keep their decisions, and this one writes the file, once.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/fusion/Decisions.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_WRITEREPORT
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

LogicalResult gpuvm::checkMode(ProgramOp program, StringRef what,
                               StringRef mode) {
  if (mode == "auto" || mode == "always" || mode == "never")
    return success();
  return program.emitError("the mode of ")
         << what << " is \"auto\", \"always\" or \"never\", not \"" << mode
         << '"';
}

void gpuvm::keepDecisions(ProgramOp program, StringRef kind,
                          ArrayRef<Attribute> decisions) {
  NamedAttrList all;
  if (std::optional<DictionaryAttr> kept = program.getDecisions())
    all.append(kept->getValue());
  Builder b(program.getContext());
  all.set(kind, b.getArrayAttr(decisions));
  program.setDecisionsAttr(all.getDictionary(program.getContext()));
}

static llvm::json::Value toJson(Attribute attribute) {
  return TypeSwitch<Attribute, llvm::json::Value>(attribute)
      .Case([](DictionaryAttr dictionary) {
        llvm::json::Object object;
        for (NamedAttribute entry : dictionary)
          object[entry.getName().getValue()] = toJson(entry.getValue());
        return object;
      })
      .Case([](ArrayAttr array) {
        llvm::json::Array values;
        for (Attribute value : array)
          values.push_back(toJson(value));
        return values;
      })
      .Case([](StringAttr text) { return text.getValue().str(); })
      .Case([](BoolAttr truth) { return truth.getValue(); })
      .Case([](IntegerAttr number) { return number.getInt(); })
      .Case([](FloatAttr number) { return number.getValueAsDouble(); });
}

namespace {
struct WriteReport : gpuvm::impl::WriteReportBase<WriteReport> {
  using Base::Base;
  explicit WriteReport(std::string &text) : text(&text) {}
  void runOnOperation() override;

private:
  void writeFile(StringRef report);

  std::string *text = nullptr; ///< Gets the report in place of a file.
};
} // namespace

std::unique_ptr<Pass> gpuvm::createWriteReport(std::string &text) {
  return std::make_unique<WriteReport>(text);
}

void WriteReport::writeFile(StringRef report) {
  std::error_code error;
  llvm::ToolOutputFile output(file, error, llvm::sys::fs::OF_Text);
  if (!error) {
    output.os() << report;
    output.os().flush();
    error = output.os().error();
    output.os().clear_error();
  }
  if (!error)
    return output.keep();
  getOperation().emitError("cannot write the fusion report \"")
      << file << "\" (" << error.message() << ")";
  signalPassFailure();
}

void WriteReport::runOnOperation() {
  llvm::json::Array programs;
  for (auto program : getOperation().getOps<ProgramOp>()) {
    llvm::json::Object entry{{"program", program.getSymName()}};
    if (std::optional<DictionaryAttr> kept = program.getDecisions())
      for (NamedAttribute kind : *kept)
        entry[kind.getName().getValue()] = toJson(kind.getValue());
    program.removeDecisionsAttr();
    programs.push_back(std::move(entry));
  }
  llvm::json::Value root =
      llvm::json::Object{{"programs", std::move(programs)}};
  std::string report = llvm::formatv("{0:2}\n", root).str();
  if (text)
    *text = std::move(report);
  else
    writeFile(report);
}
