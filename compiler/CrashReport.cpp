//===- CrashReport.cpp - a sentence where a library crashes ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By LLVM's own handler of signals, which has a stack of its own: it runs when
// the other one is full, which llvm::CrashRecoveryContext does not. The
// sentence is formatted beforehand: a handler may only read, write and exit.
//
//===----------------------------------------------------------------------===//

#include "compiler/CrashReport.h"

#include "runtime/base/FileLimit.h"
#include "runtime/base/Status.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <charconv>
#include <new>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir::gpuvm;

static std::string sentence, noMemory, outputError;
static std::atomic<bool> isWanted = false, isHosted = false;

/// What is followed, if anything is.
static const mlir::AsmParserState *readSoFar = nullptr;
static llvm::StringRef fileText, fileName;

static constexpr llvm::StringLiteral kPlaced =
    ": error: MLIR crashes on what begins here. A number where a tensor "
    "belongs may be why (what linalg.reduce and linalg.map have after outs is "
    "a tensor, such as tensor<f32>), or a number that is far too large.\n";

//===----------------------------------------------------------------------===//
// In the handler
//===----------------------------------------------------------------------===//

static void put(llvm::StringRef text) {
  // There is nothing to be done if standard error cannot be written.
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
}

static void put(size_t number) {
  char digits[20];
  put({digits,
       static_cast<size_t>(std::to_chars(digits, std::end(digits), number).ptr -
                           digits)});
}

/// What follows the last operation that was read, without the names of results.
static llvm::StringRef unreadText() {
  llvm::StringRef rest = fileText;
  auto operations = readSoFar->getOpDefs();
  if (!operations.empty())
    rest = fileText.drop_front(
        std::prev(operations.end())->scopeLoc.End.getPointer() -
        fileText.data());
  rest = rest.ltrim();
  while (rest.starts_with("//"))
    rest = rest.drop_until([](char c) { return c == '\n'; }).ltrim();
  if (rest.starts_with("%"))
    rest =
        rest.drop_until([](char c) { return c == '='; }).drop_front(1).ltrim();
  return rest;
}

static void putPlaced() {
  llvm::StringRef read = fileText.drop_back(unreadText().size());
  size_t line = read.count('\n') + 1;
  size_t column = read.size() - (read.rfind('\n') + 1) + 1;
  put(fileName);
  put(":");
  put(line);
  put(":");
  put(column);
  put(kPlaced);
}

/// Whether there is no room for a thread's stack or an arena of malloc, without
/// which a library crashes instead of saying so.
static bool isMemoryGone() {
  constexpr size_t kRoom = size_t(16) << 20;
  void *room = mmap(nullptr, kRoom, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                    /*fd=*/-1, /*offset=*/0);
  return room == MAP_FAILED || munmap(room, kRoom) != 0;
}

/// With room left, a file that is read has asked for too much or worse.
[[noreturn]] static void endWithSentence() {
  bool isFile = isWanted && !isMemoryGone();
  if (isFile && readSoFar)
    putPlaced();
  else
    put(isFile ? sentence : noMemory);
  _exit(static_cast<int>(isFile ? vm::Code::BadInput : vm::Code::OutOfMemory));
}

static void onSignal(void * /*unused*/) {
  if (isWanted || isMemoryGone())
    endWithSentence();
}

/// Output that cannot be written (a full disk) is no error of LLVM's, which it
/// is to llvm::raw_fd_ostream unless a caller has asked.
static void onFatalError(void * /*unused*/, const char *reason,
                         bool /*unused*/) {
  llvm::StringRef text = reason;
  bool isOutput = text.consume_front("IO failure on output stream: ");
  put(isOutput ? outputError : "LLVM ERROR: ");
  put(text);
  put(isOutput ? ").\n" : "\n");
  if (isOutput)
    _exit(static_cast<int>(vm::Code::Usage));
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

void CrashReport::install(llvm::StringRef tool) {
  outputError = (tool + ": error: An output cannot be written (").str();
  noMemory =
      (tool + ": error: There is not enough memory or address space.\n").str();
  // Nothing removes a handler again; the first one added runs first.
  [[maybe_unused]] static const bool isAdded = [] {
    llvm::sys::AddSignalHandler(onSignal, nullptr);
    vm::surviveFileLimit(); // To LLVM that signal is a crash, too.
    std::set_new_handler([] { endWithSentence(); });
    llvm::install_bad_alloc_error_handler(
        [](void *, const char *, bool) { endWithSentence(); });
    llvm::install_fatal_error_handler(onFatalError);
    return true;
  }();
}

void CrashReport::leaveToHost() { isHosted = true; }

CrashReport::CrashReport(llvm::StringRef tool, llvm::StringRef file) {
  if (isHosted)
    return;
  sentence = (tool + ": error: MLIR crashes on the file \"" + file +
              "\". The last error above, if there is one, says where; "
              "otherwise take parts of the file away until it is read.\n")
                 .str();
  install(tool);
  isWanted = true;
}

void CrashReport::follow(const AsmParserState &read,
                         llvm::MemoryBufferRef text) {
  if (isHosted)
    return;
  fileText = text.getBuffer();
  fileName = text.getBufferIdentifier();
  readSoFar = &read;
}

CrashReport::~CrashReport() {
  if (isHosted)
    return;
  isWanted = false;
  readSoFar = nullptr;
}
