//===- CApi.cpp - the C interface of the compiler -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/CrashReport.h"
#include "compiler/Diagnostics.h"
#include "frontends/compile/CommandLine.h"
#include "frontends/include/gpuvm-compiler.h"
#include "frontends/library/Recovery.h"
#include "tools/common/CommandLineText.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

using mlir::DiagnosticSeverity;
using mlir::gpuvm::LocatedMessage;
using vm::Code;
using vm::Status;

struct gpuvm_compilation {
  int status = GPUVM_COMPILE_OK;
  std::vector<uint8_t> plan;
  std::vector<LocatedMessage> diagnostics;
  std::string messages;
};

namespace {
/// What a request has, copied.
struct Request {
  std::vector<std::string> paths, options;
  std::string text, name;
  bool hasText = false;
  std::function<void(const std::string &)> progress;
  const int *cancel = nullptr; ///< The caller's.
  bool isCancelled() const {
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
  }
};
} // namespace

static Status usage(std::string message) {
  return {Code::Usage, std::move(message)};
}

//===--- The request ------------------------------------------------------===//

static vm::Result<std::vector<std::string>>
copyStrings(const char *const *strings, size_t count, const char *what) {
  std::vector<std::string> copies;
  if (count != 0 && !strings)
    return usage(fmt::format("The request has {} {} and no pointer to them.",
                             count, what));
  for (size_t i = 0; i < count; ++i) {
    if (!strings[i])
      return usage(fmt::format("Number {} of the {} is null.", i, what));
    copies.emplace_back(strings[i]);
  }
  return copies;
}

/// What a caller with an older header has given; the rest is 0.
static gpuvm_compile_request widen(const gpuvm_compile_request &given) {
  gpuvm_compile_request request = {};
  std::memcpy(&request, &given, std::min(given.struct_bytes, sizeof request));
  return request;
}

static vm::Result<Request> readRequest(const gpuvm_compile_request &given) {
  if (given.struct_bytes < offsetof(gpuvm_compile_request, paths))
    return usage(fmt::format("The struct_bytes of the request is {}, not {}.",
                             given.struct_bytes,
                             sizeof(gpuvm_compile_request)));
  gpuvm_compile_request wide = widen(given);
  auto paths = copyStrings(wide.paths, wide.num_paths, "paths");
  if (!paths.ok())
    return paths.status();
  auto options = copyStrings(wide.options, wide.num_options, "options");
  if (!options.ok())
    return options.status();
  Request request;
  request.paths = std::move(*paths);
  request.options = std::move(*options);
  request.hasText = wide.text || wide.text_bytes != 0;
  if (request.hasText == !request.paths.empty())
    return usage("A request has either paths or a text.");
  if (!wide.text && wide.text_bytes != 0)
    return usage(fmt::format("The request has a text of {} bytes and no "
                             "pointer to it.",
                             wide.text_bytes));
  if (request.hasText)
    request.text.assign(wide.text, wide.text_bytes);
  request.name = wide.name && *wide.name ? wide.name : "<text>";
  request.cancel = wide.cancel;
  if (wide.progress)
    request.progress = [told = wide.progress,
                        user = wide.user](const std::string &what) {
      told(user, what.c_str());
    };
  return request;
}

//===--- Compiling --------------------------------------------------------===//

/// Options only: CLI11 takes the last one first.
static Status parseOptions(CLI::App &app,
                           const std::vector<std::string> &options) {
  try {
    app.parse(std::vector<std::string>(options.rbegin(), options.rend()));
    return {};
  } catch (const CLI::ParseError &error) {
    return usage(vm::explain(app, error));
  }
}

static vm::Result<std::vector<uint8_t>> compile(const Request &request) {
  mlir::gpuvm::CommandLine line;
  CLI::App app;
  app.set_help_flag();
  app.add_option("-o,--output", line.output, "The plan file to write");
  line.addOptions(app);
  VM_RETURN_IF_ERROR(parseOptions(app, request.options));
  line.sources = request.paths;
  if (request.hasText) {
    line.text =
        llvm::MemoryBuffer::getMemBufferCopy(request.text, request.name);
    line.sources = {request.name};
  }
  for (const std::string &path : request.paths)
    if (path == "-")
      return usage("\"-\" is no path: standard input is the host's.");
  if (line.makesNoPlan())
    return usage("The options ask for something else than a plan.");
  mlir::gpuvm::CompileListener listener = {request.progress, {}, {}};
  if (request.cancel)
    listener.isCancelled = [&] { return request.isCancelled(); };
  return line.compile(app, listener);
}

/// Of a failure without a message, diagnostics say what it is.
static void setStatus(gpuvm_compilation &made, const Status &status) {
  made.status = static_cast<int>(status.code());
  if (!status.message().empty())
    llvm::append_range(made.diagnostics,
                       mlir::gpuvm::parseMessages(status.message()));
}

static void compileInto(gpuvm_compilation &made, const Request &request) {
  mlir::gpuvm::KeptMessages kept;
  Status status;
  try {
    auto plan = compile(request);
    if (plan.ok())
      made.plan = std::move(*plan);
    else
      status = plan.status();
  } catch (const std::bad_alloc &) {
    status = {Code::OutOfMemory, "There is not enough memory to compile."};
  } catch (const std::exception &error) {
    status = {Code::BadInput,
              fmt::format("The compiler fails ({}).", error.what())};
  }
  made.diagnostics = std::move(kept.all);
  setStatus(made, status);
}

/// A compilation that crashes may leave `made` in any state.
static void run(gpuvm_compilation &made, const Request &request) {
  mlir::gpuvm::CrashReport::leaveToHost();
  auto *inner = new gpuvm_compilation;
  vm::Outcome outcome = vm::runRecovered([&] { compileInto(*inner, request); });
  const std::string &name =
      request.hasText ? request.name : request.paths.front();
  if (outcome == vm::Outcome::Crashed) {
    return setStatus(
        made,
        {Code::BadInput,
         fmt::format("The compiler crashes on \"{}\". A number where a tensor "
                     "belongs may be why, a number that is far too large, or "
                     "text that is nested too deeply: take parts away until "
                     "it is read.",
                     name)});
  }
  if (outcome == vm::Outcome::NoThread)
    setStatus(made, {Code::OutOfMemory,
                     "There is no memory left for a thread of the compiler."});
  else
    made = std::move(*inner);
  delete inner;
}

/// What was wrong then is what was not done.
static void endIfCancelled(gpuvm_compilation &made, const Request &request) {
  if (made.status == GPUVM_COMPILE_OK || !request.isCancelled())
    return;
  made.diagnostics =
      mlir::gpuvm::parseMessages("The compilation is cancelled.");
  made.status = GPUVM_COMPILE_CANCELLED;
}

static void joinMessages(gpuvm_compilation &made) {
  for (const LocatedMessage &message : made.diagnostics)
    made.messages += message.text;
}

static int severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return GPUVM_ERROR;
  case DiagnosticSeverity::Warning:
    return GPUVM_WARNING;
  case DiagnosticSeverity::Remark:
    return GPUVM_REMARK;
  case DiagnosticSeverity::Note:
    return GPUVM_NOTE;
  }
  return GPUVM_ERROR;
}

//===--- The interface ----------------------------------------------------===//

extern "C" {

const char *vmc_version(void) { return GPUVM_VERSION; }

uint32_t vmc_abi_version(void) { return GPUVM_COMPILER_ABI_VERSION; }

int vmc_compile(const gpuvm_compile_request *request,
                gpuvm_compilation **compilation) try {
  if (compilation)
    *compilation = nullptr;
  if (!compilation || !request)
    return GPUVM_COMPILE_USAGE;
  auto made = std::make_unique<gpuvm_compilation>();
  auto wanted = readRequest(*request);
  if (wanted.ok()) {
    run(*made, *wanted);
    endIfCancelled(*made, *wanted);
  } else {
    setStatus(*made, wanted.status());
  }
  joinMessages(*made);
  *compilation = made.release();
  return (*compilation)->status;
} catch (const std::exception &) {
  return GPUVM_COMPILE_OUT_OF_MEMORY;
}

const void *vmc_plan(const gpuvm_compilation *compilation, size_t *size) {
  bool isThere = compilation && !compilation->plan.empty();
  if (size)
    *size = isThere ? compilation->plan.size() : 0;
  return isThere ? compilation->plan.data() : nullptr;
}

size_t vmc_diagnostic_count(const gpuvm_compilation *compilation) {
  return compilation ? compilation->diagnostics.size() : 0;
}

int vmc_diagnostic(const gpuvm_compilation *compilation, size_t index,
                   gpuvm_diagnostic *diagnostic) {
  if (!diagnostic || index >= vmc_diagnostic_count(compilation))
    return GPUVM_COMPILE_USAGE;
  const LocatedMessage &found = compilation->diagnostics[index];
  gpuvm_diagnostic all = {};
  all.struct_bytes = diagnostic->struct_bytes;
  all.severity = severityOf(found.severity);
  all.file = found.file.c_str();
  all.line = found.line;
  all.column = found.column;
  all.message = found.message.c_str();
  all.text = found.text.c_str();
  std::memcpy(diagnostic, &all, std::min(all.struct_bytes, sizeof all));
  return GPUVM_COMPILE_OK;
}

const char *vmc_messages(const gpuvm_compilation *compilation) {
  return compilation ? compilation->messages.c_str() : "";
}

void vmc_free(gpuvm_compilation *compilation) { delete compilation; }

} // extern "C"
