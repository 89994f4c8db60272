//===- TomlLibrary.cpp - the code of toml++ -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define TOML_IMPLEMENTATION
#include "frontends/token/ground/TomlLibrary.h"
