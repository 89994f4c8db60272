//===- JsonSchemaFuzz.cpp - any text through the converter of schemas -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schema that is accepted gives a grammar that is read, or is over one of the
// limits of these.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/Grammar.h"
#include "frontends/llm/grammar/JsonSchema.h"

#include <cstdlib>

using namespace vm;
using namespace vm::llm;

static void require(bool condition) {
  if (!condition)
    abort();
}

static void requireSentence(const Status &status) {
  require(status.code() == Code::Usage);
  require(status.message().ends_with('.'));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view schema(reinterpret_cast<const char *>(data), size);
  Result<std::string> gbnf = gbnfOfSchema(schema);
  if (!gbnf.ok()) {
    requireSentence(gbnf.status());
    return 0;
  }
  Result<Grammar> grammar = parseGbnf(*gbnf);
  if (grammar.ok())
    return 0;
  requireSentence(grammar.status());
  const std::string &why = grammar.status().message();
  require(why.find("limit") != std::string::npos ||
          why.find("more than") != std::string::npos);
  return 0;
}
