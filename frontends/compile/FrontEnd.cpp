//===- FrontEnd.cpp - a language that compiles to programs of gpuvm -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/compile/FrontEnd.h"

#include "compiler/Dialects.h"
#include "runtime/base/AtomicFile.h"

using namespace mlir;
using namespace mlir::gpuvm;

vm::Status FrontEndInput::save(llvm::ArrayRef<uint8_t> plan,
                               const std::string &output) {
  return output.empty() ? vm::Status() : vm::writeFileAtomically(output, plan);
}

vm::Result<std::unique_ptr<FrontEndInput>>
FrontEnd::readFiles(const std::vector<std::string> &) const {
  llvm_unreachable("readsSeveral said no");
}

vm::Result<std::unique_ptr<FrontEndInput>>
FrontEnd::readFile(llvm::StringRef, std::unique_ptr<llvm::MemoryBuffer>,
                   const vm::Settings &) const {
  llvm_unreachable("reads said no");
}

namespace mlir::gpuvm {
#define GPUVM_FRONT_END(Name)                                                  \
  std::unique_ptr<FrontEnd> create##Name##FrontEnd();
#include "frontends/compile/FrontEnds.def"
} // namespace mlir::gpuvm

std::vector<std::unique_ptr<FrontEnd>> gpuvm::createFrontEnds() {
  std::vector<std::unique_ptr<FrontEnd>> all;
#define GPUVM_FRONT_END(Name) all.push_back(create##Name##FrontEnd());
#include "frontends/compile/FrontEnds.def"
  return all;
}

void gpuvm::registerAllDialects(DialectRegistry &registry) {
  registerCompilerDialects(registry);
  for (const auto &frontEnd : createFrontEnds())
    frontEnd->registerDialects(registry);
}
