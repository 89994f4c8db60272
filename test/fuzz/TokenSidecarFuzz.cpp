//===- TokenSidecarFuzz.cpp - any text through the reader of sidecars -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that is refused has sentences with codes. One that is read is written
// as a text that is read again and written the same, and keeps what Sidecar.h
// promises to whoever runs the plan.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/files/Sidecar.h"
#include "frontends/token/machine/CheckMachine.h"

#include <cstdlib>

using namespace vm;
using namespace vm::token;

static void require(bool condition) {
  if (!condition)
    abort();
}

static std::string write(const Sidecar &sidecar) {
  return writeSidecar(sidecar.plan, sidecar.machine, *sidecar.tokenizer,
                      sidecar.streams, sidecar.limits, sidecar.modules);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  Result<Sidecar> sidecar = readSidecar(text, "x");
  if (!sidecar.ok()) {
    require(sidecar.status().code() == Code::BadInput);
    require(sidecar.status().message().starts_with("x: error: "));
    require(sidecar.status().message().size() < 20 * 2048);
    return 0;
  }
  require(sidecar->tokenizer && sidecar->streams >= 1);
  Diagnostics diagnostics;
  require(checkMachine(sidecar->machine, {"x", {0, 0}}, diagnostics));
  std::string written = write(*sidecar);
  Result<Sidecar> again = readSidecar(written, "x");
  require(again.ok() && write(*again) == written);
  require(again->plan == sidecar->plan && again->modules == sidecar->modules);
  return 0;
}
