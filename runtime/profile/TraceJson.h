//===- TraceJson.h - a trace for Perfetto and chrome://tracing ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Trace Event Format: https://chromium.googlesource.com/catapult, file
// tracing/README.md. One process for the host, one for the device.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/HostEvents.h"
#include "runtime/profile/DeviceTrace.h"

#include <string>

namespace vm {

/// The whole file. `device` may be null: nothing was executed.
std::string traceJson(const HostEvents &host, const DeviceTrace *device);

} // namespace vm
