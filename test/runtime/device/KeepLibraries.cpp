//===- KeepLibraries.cpp - nothing is unloaded before the process ends ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into sanitized programs: LeakSanitizer runs at exit and can neither
// name nor suppress what an unloaded driver has left behind.
//
//===----------------------------------------------------------------------===//

extern "C" int dlclose(void *) { return 0; }
