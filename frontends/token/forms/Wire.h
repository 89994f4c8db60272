//===- Wire.h - sampled workflows as text ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wire form, `*.wire`: what a client that builds workflows sends to a
// server that has the tokenizer. Base64 of MessagePack, each workflow in one
// way only.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/SampledWorkflow.h"

#include <string>
#include <string_view>

namespace vm::token {

/// The longest text that is read, in bytes.
constexpr size_t kMaxWireBytes = size_t(1) << 29;
/// The deepest nesting, and the most bytes of `misc`.
constexpr int kMaxWireNesting = 64;
constexpr size_t kMaxWireMiscBytes = size_t(1) << 24;
/// The most strings of a list.
constexpr size_t kMaxWireList = size_t(1) << 20;

/// Reads and checks; the first thing that is wrong is reported. BadInput:
///   X01 not base64        X04 a value of another type    X07 a link to no zone
///   X02 not MessagePack   X05 numbers of zones           X08 half a jump
///   X03 a key is missing  X06 a value                    X09 the graph's rules
/// Nothing is accepted that writeWire would write otherwise. The tokenizer and
/// the test model are those by default. `file` is for messages.
Result<SampledWorkflow> readWire(std::string_view text,
                                 const std::string &file);

/// Of a workflow by the rules of readWire; one that was read gives the same
/// text again.
std::string writeWire(const SampledWorkflow &workflow);

} // namespace vm::token
