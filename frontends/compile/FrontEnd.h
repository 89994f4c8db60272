//===- FrontEnd.h - a language that compiles to programs of gpuvm ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A front end is a folder of frontends/ with a class of this kind and a name in
// GPUVM_FRONT_ENDS (frontends/compile/CMakeLists.txt). The tools ask all of
// them and know none.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/Compile.h"
#include "runtime/base/Status.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mlir::gpuvm {

/// What one compilation reads. Messages of failures are all that is to be
/// printed; an empty one has been.
class FrontEndInput {
public:
  virtual ~FrontEndInput() = default;

  /// The text that the compiler reads, and its messages quote.
  std::unique_ptr<llvm::MemoryBuffer> text;

  /// Says what the compiler is to do with it.
  virtual void prepare(CompilerOptions & /*options*/,
                       CompileRequest & /*request*/) {}
  /// Why it cannot be compiled, found out meanwhile.
  virtual vm::Status problem() const { return {}; }
  /// Writes the bytes of the plan to `output`, if that is not empty, and files
  /// that belong to it.
  virtual vm::Status save(llvm::ArrayRef<uint8_t> plan,
                          const std::string &output);
};

/// What gpuvm-compile --help says of a front end.
struct FrontEndHelp {
  const char *sources;      ///< What it compiles, with the suffixes of files.
  const char *example = ""; ///< A command line.
  const char *output = "";  ///< Sentences on what is written besides a plan.
};

class FrontEnd {
public:
  virtual ~FrontEnd() = default;

  virtual FrontEndHelp help() const = 0;

  virtual void registerDialects(DialectRegistry &registry) const = 0;
  virtual void registerPasses() const {}
  /// Adds the passes that make programs of gpuvm of its dialect, wherever that
  /// stands.
  virtual void lower(PassManager & /*passes*/) const {}

  /// Options of gpuvm-compile.
  virtual void addOptions(CLI::App &app) = 0;

  /// Whether it reads the file of this name, several of them together.
  virtual bool readsSeveral(llvm::StringRef /*path*/) const { return false; }
  /// Whether it reads this file of this name.
  virtual bool reads(llvm::StringRef /*path*/,
                     llvm::StringRef /*bytes*/) const {
    return false;
  }
  /// Whether the options of a command line fit, where it reads the files, and
  /// where it does not read the first one, `path`.
  virtual vm::Status checkUsed(const CLI::App & /*app*/) const { return {}; }
  virtual vm::Status checkUnused(llvm::StringRef /*path*/) const { return {}; }

  /// Whether its options ask for something else than a plan, which `writeForm`
  /// makes of the files.
  virtual bool makesNoPlan() const { return false; }
  virtual vm::Status writeForm(const std::vector<std::string> & /*paths*/,
                               const std::string & /*output*/) const {
    return {};
  }

  virtual vm::Result<std::unique_ptr<FrontEndInput>>
  readFiles(const std::vector<std::string> &paths) const;
  /// `settings` are what --set says.
  virtual vm::Result<std::unique_ptr<FrontEndInput>>
  readFile(llvm::StringRef path, std::unique_ptr<llvm::MemoryBuffer> file,
           const vm::Settings &settings) const;
};

/// One of each that this build has.
std::vector<std::unique_ptr<FrontEnd>> createFrontEnds();

/// The dialects of all of them, and of the compiler.
void registerAllDialects(DialectRegistry &registry);

} // namespace mlir::gpuvm
