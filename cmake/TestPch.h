//===- TestPch.h - the headers most unit tests include --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "cmake/HostPch.h"

#include <gtest/gtest.h>
