//===- SignatureText.cpp - inputs and outputs of a program
//-----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/SignatureText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

using namespace vm;
using namespace vm::linear;

static bool isGiven(const Buffer &buffer) {
  return buffer.kind == BufferKind::In || buffer.kind == BufferKind::InOut;
}

static bool isReturned(const Buffer &buffer) {
  return buffer.kind == BufferKind::Out || buffer.kind == BufferKind::InOut;
}

static std::string join(const std::vector<std::string> &parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<uint32_t> vm::linear::buffersByAddress(const Program &program) {
  std::vector<uint32_t> buffers(program.buffers.size());
  std::iota(buffers.begin(), buffers.end(), 0);
  std::ranges::sort(buffers, {}, [&](uint32_t buffer) {
    return program.buffers[buffer].base;
  });
  return buffers;
}

/// The stage that concatenates all buffers to one array.
static void writeBody(const Program &program, SignatureText &text) {
  std::vector<std::string> inputs, operands, parts, types;
  for (uint32_t buffer : buffersByAddress(program)) {
    const Buffer &b = program.buffers[buffer];
    parts.push_back("%part." + b.name);
    types.push_back(fmt::format("tensor<{}xi32>", b.size));
    if (!isGiven(b)) {
      text.body += fmt::format("    %part.{} = arith.constant dense<0> : {}\n",
                               b.name, types.back());
      continue;
    }
    inputs.push_back(fmt::format("%in.{}: tensor<{}xf32>", b.name, b.size));
    operands.push_back(
        fmt::format("%given.{0} = %in.{0} : tensor<{1}xf32>", b.name, b.size));
    text.body += fmt::format("    %part.{0} = arith.bitcast %given.{0} : "
                             "tensor<{1}xf32> to tensor<{1}xi32>\n",
                             b.name, b.size);
  }
  if (parts.empty())
    text.body += "    %s = arith.constant dense<0> : !shared";
  else
    text.body +=
        fmt::format("    %s = tensor.concat dim(0) {} : ({}) -> !shared",
                    join(parts), join(types));
  text.inputs = join(inputs);
  text.operands = join(operands);
}

SignatureText vm::linear::writeSignature(const Program &program) {
  SignatureText text{
      program, program.name.empty() ? "linear" : program.name, {}, {}, {}, {}};
  writeBody(program, text);
  std::vector<std::string> outputs;
  for (const Buffer &b : program.buffers)
    if (isReturned(b))
      outputs.push_back(fmt::format("{}: tensor<{}xf32>", b.name, b.size));
  outputs.push_back(
      fmt::format("state: tensor<{}x22xf32>", program.maxMachines()));
  outputs.push_back("status: !machines");
  outputs.push_back("fault: !machines");
  outputs.push_back("counts: !counts");
  text.outputs = join(outputs);
  return text;
}

std::string SignatureText::returnStages(const std::string &memory) const {
  std::string stages;
  for (const Buffer &b : program.buffers)
    if (isReturned(b))
      stages += fmt::format(
          "  %l.out.{0} = gpuvm.stage @linear.output.{0}(%m = {3} : "
          "!gpuvm.message<!shared>) -> tensor<{1}xf32> {{\n"
          "    %part = tensor.extract_slice %m[{2}] [{1}] [1] : !shared to "
          "tensor<{1}xi32>\n"
          "    %value = arith.bitcast %part : tensor<{1}xi32> to "
          "tensor<{1}xf32>\n"
          "    gpuvm.send %value : tensor<{1}xf32>\n  }}\n",
          b.name, b.size, b.base, memory);
  return stages;
}

std::string SignatureText::returned(const std::string &state,
                                    const std::string &status,
                                    const std::string &fault,
                                    const std::string &counts) const {
  std::vector<std::string> values, types;
  for (const Buffer &b : program.buffers)
    if (isReturned(b)) {
      values.push_back("%l.out." + b.name);
      types.push_back(fmt::format("!gpuvm.message<tensor<{}xf32>>", b.size));
    }
  for (const std::string &value : {state, status, fault, counts})
    values.push_back(value);
  types.push_back(
      fmt::format("!gpuvm.message<tensor<{}x22xf32>>", program.maxMachines()));
  types.push_back("!gpuvm.message<!machines>");
  types.push_back("!gpuvm.message<!machines>");
  types.push_back("!gpuvm.message<!counts>");
  return fmt::format("{} : {}", join(values), join(types));
}
