//===- TokenWireFuzz.cpp - any bytes through the reader of the wire form --===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes are MessagePack, base64 is put around them; bytes that begin with
// `=` are taken as text. A workflow that is read is written as it was, and is
// encoded, or refused with a code, and drawn.
//
//===----------------------------------------------------------------------===//

#include "frontends/Base64.h"
#include "frontends/token/forms/Picture.h"
#include "frontends/token/forms/Wire.h"
#include "frontends/token/machine/EncodeWorkflow.h"

#include <cstdlib>

using namespace vm;
using namespace vm::token;

static void require(bool condition) {
  if (!condition)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  std::string text = bytes.starts_with('=') ? std::string(bytes.substr(1))
                                            : encodeBase64(bytes);
  Result<SampledWorkflow> workflow = readWire(text, "x");
  if (!workflow.ok()) {
    require(workflow.status().code() == Code::BadInput);
    require(workflow.status().message().starts_with("x: error: "));
    require(workflow.status().message().size() < 2048);
    return 0;
  }
  require(writeWire(*workflow) == text);
  Diagnostics diagnostics;
  auto machine = encodeWorkflow(*workflow, *makeByteTokenizer(), diagnostics);
  require(machine.has_value() == !diagnostics.hasErrors());
  require(drawWorkflow(*workflow).ends_with("</svg>\n"));
  return 0;
}
