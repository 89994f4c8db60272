//===- OpenProgram.cpp - the bytes of a program's file --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/OpenProgram.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace fs = llvm::sys::fs;

std::string gpuvm::checkProgram(StringRef path, uint64_t mostBytes) {
  fs::file_status status;
  // Of a folder, and where nothing is, MLIR says what the system says.
  if (path == "-" || fs::status(path, status) || fs::is_directory(status))
    return "";
  if (!fs::is_regular_file(status))
    return llvm::formatv(
        "cannot open input file '{0}': it is not a regular file", path);
  if (status.getSize() > mostBytes)
    return llvm::formatv("cannot open input file '{0}': it has {1} bytes (at "
                         "most {2} are read)",
                         path, status.getSize(), mostBytes);
  return "";
}

static std::unique_ptr<llvm::MemoryBuffer>
readStandardInput(std::string &error, uint64_t mostBytes) {
  std::string text;
  std::vector<char> block(1 << 16);
  while (true) {
    llvm::Expected<size_t> bytes =
        fs::readNativeFile(fs::getStdinHandle(), block);
    if (!bytes)
      error =
          "cannot read standard input: " + llvm::toString(bytes.takeError());
    else if (text.size() + *bytes > mostBytes)
      error = llvm::formatv("standard input has more than {0} bytes, which are "
                            "the most that are read",
                            mostBytes);
    if (!error.empty())
      return nullptr;
    if (*bytes == 0)
      return llvm::MemoryBuffer::getMemBufferCopy(text, "<stdin>");
    text.append(block.data(), *bytes);
  }
}

std::unique_ptr<llvm::MemoryBuffer>
gpuvm::openProgram(StringRef path, std::string &error, uint64_t mostBytes) {
  if (path == "-")
    return readStandardInput(error, mostBytes);
  error = checkProgram(path, mostBytes);
  return error.empty() ? openInputFile(path, &error) : nullptr;
}
