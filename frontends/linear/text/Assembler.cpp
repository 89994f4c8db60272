//===- Assembler.cpp - programs as text -----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/Assembler.h"

#include "frontends/linear/text/Outline.h"
#include "frontends/linear/text/Statements.h"

#include <fmt/format.h>

namespace vm::linear {

Result<Program> assemble(std::string_view text, const std::string &file) {
  if (text.size() > kMaxSourceBytes)
    return Status(Code::BadInput,
                  fmt::format("\"{}\" has {} bytes (the limit is {}).", file,
                              text.size(), kMaxSourceBytes));
  Program program;
  program.file = file;
  SourceErrors errors;
  Outline outlined = outline(text, program, errors);
  AssemblyContext context{text, outlined, program, errors};
  readBuffers(context);
  readSettings(context);
  readInstructions(context);
  readPhases(context);
  if (!errors.empty())
    return errors.status(file);
  return program;
}

Result<Program> assembleFile(const std::string &path) {
  Result<std::string> text = readSourceText(path);
  if (!text.ok())
    return text.status();
  return assemble(*text, path == "-" ? "<stdin>" : path);
}

} // namespace vm::linear
