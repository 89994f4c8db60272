//===- Check.cpp - diagnostics of a document ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-lsp-server/Check.h"

#include "compiler/Compile.h"
#include "compiler/Diagnostics.h"
#include "compiler/ReadModule.h"
#include "dialects/gpuvm/Gpuvm.h"
#include "frontends/compile/FrontEnd.h"
#include "llvm/ADT/StringExtras.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::lsp;
namespace json = llvm::json;

static constexpr rlim_t kMostSeconds = 20;

//===----------------------------------------------------------------------===//
// In the process of the compiler
//===----------------------------------------------------------------------===//

static void addBuffer(llvm::SourceMgr &sources, StringRef path,
                      StringRef text) {
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, path),
                             llvm::SMLoc());
}

/// The names of the programs to compile, none if there is an error already.
static std::vector<std::string> findPrograms(const DialectRegistry &registry,
                                             StringRef path, StringRef text) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  addBuffer(sources, path, text);
  DiagnosticPrinter diagnostics(sources, context);
  OwningOpRef<ModuleOp> module =
      readModule("gpuvm-lsp-server", sources, context);
  std::vector<std::string> names;
  if (!module)
    return names;
  for (auto program : module->getOps<ProgramOp>()) {
    bool isWhole = !program
                        .walk([&](CallOp call) {
                          return module->lookupSymbol(call.getCallee())
                                     ? WalkResult::advance()
                                     : WalkResult::interrupt();
                        })
                        .wasInterrupted();
    if (isWhole)
      names.push_back(program.getSymName().str());
  }
  return names;
}

void lsp::compileDocument(StringRef path, StringRef text) {
  if (text.contains("\n// -----"))
    return;
  DialectRegistry registry;
  registerAllDialects(registry);
  auto frontEnds = createFrontEnds();
  for (const std::string &name : findPrograms(registry, path, text)) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    llvm::SourceMgr sources;
    addBuffer(sources, path, text);
    DiagnosticPrinter diagnostics(sources, context);
    CompileRequest request;
    request.programNames = {name};
    request.lower = [&](PassManager &passes) {
      for (const auto &frontEnd : frontEnds)
        frontEnd->lower(passes);
    };
    if (failed(compileProgram(context, sources, CompilerOptions(), request)))
      return; // Other programs may have the same parts, and say the same.
  }
}

//===----------------------------------------------------------------------===//
// What it printed
//===----------------------------------------------------------------------===//

static json::Object makePosition(size_t line, size_t column) {
  return json::Object{{"line", static_cast<int64_t>(line)},
                      {"character", static_cast<int64_t>(column)}};
}

/// From a place, counted from 1, to the end of the word there.
static json::Object makeRange(StringRef text, size_t line, size_t column) {
  StringRef rest = text;
  for (size_t i = 1; i < line; ++i)
    rest = rest.split('\n').second;
  size_t length =
      rest.split('\n')
          .first.drop_front(std::min(column - 1, rest.size()))
          .take_while([](char c) {
            return llvm::isAlnum(c) || StringRef("%@_.$#!").contains(c);
          })
          .size();
  return json::Object{{"start", makePosition(line - 1, column - 1)},
                      {"end", makePosition(line - 1, column - 1 + length)}};
}

json::Array lsp::readDiagnostics(StringRef printed, StringRef path,
                                 StringRef uri, StringRef text) {
  json::Array diagnostics;
  for (StringRef line : llvm::split(printed, '\n')) {
    size_t row = 0, column = 0;
    if (!line.consume_front(path) || !line.consume_front(":") ||
        line.consumeInteger(10, row) || !line.consume_front(":") ||
        line.consumeInteger(10, column) || !line.consume_front(": ") ||
        row == 0 || column == 0)
      continue;
    auto [kind, message] = line.split(": ");
    json::Object range = makeRange(text, row, column);
    if (kind != "note") {
      diagnostics.push_back(json::Object{{"range", std::move(range)},
                                         {"severity", kind == "error" ? 1 : 2},
                                         {"source", "gpuvm"},
                                         {"message", message}});
    } else if (!diagnostics.empty()) {
      json::Value &notes =
          (*diagnostics.back().getAsObject())["relatedInformation"];
      if (!notes.getAsArray())
        notes = json::Array();
      json::Object place{{"uri", uri}, {"range", std::move(range)}};
      notes.getAsArray()->push_back(
          json::Object{{"location", std::move(place)}, {"message", message}});
    }
  }
  return diagnostics;
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

/// The file of a document: externals are found next to it.
static StringRef pathOf(StringRef uri) {
  (void)uri.consume_front("file://");
  return uri;
}

void Check::start(std::string documentUri, std::string documentText) {
  stop();
  uri = std::move(documentUri);
  text = std::move(documentText);
  printed.clear();
  int ends[2];
  if (pipe(ends) != 0)
    return; // Then the compiler says nothing.
  process = fork();
  if (process == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    rlimit limit{kMostSeconds, kMostSeconds};
    setrlimit(RLIMIT_CPU, &limit);
    [[maybe_unused]] int priority = nice(10);
    compileDocument(pathOf(uri), text);
    _exit(0);
  }
  close(ends[1]);
  output = ends[0];
  if (process < 0)
    close(output);
}

void Check::stop() {
  if (!isRunning())
    return;
  kill(process, SIGKILL);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR)
    continue;
  close(output);
  process = output = -1;
}

bool Check::read() {
  char bytes[1 << 14];
  ssize_t count;
  do
    count = ::read(output, bytes, sizeof bytes);
  while (count < 0 && errno == EINTR);
  if (count > 0) {
    printed.append(bytes, count);
    return false;
  }
  stop();
  return true;
}

json::Array Check::getDiagnostics() const {
  return readDiagnostics(printed, pathOf(uri), uri, text);
}
