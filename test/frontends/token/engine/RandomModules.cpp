//===- RandomModules.cpp - modules for random workflows -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/frontends/token/engine/RandomModules.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

//===--- The functions in MLIR --------------------------------------------===//

/// Now and then another token, which may be none, or next to where the
/// vocabulary of 257 ends, from a source of chance, which may be none either.
static constexpr const char *kManipulation = R"(
func.func private @{}(%state: i32, %pc: i32, %tn: i32, %token: i32, %source: i32) -> (i32, i32, i32) {{
  %a = arith.constant 1664525 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c12 = arith.constant 12 : i32
  %c16 = arith.constant 16 : i32
  %c20 = arith.constant 20 : i32
  %c24 = arith.constant 24 : i32
  %c31 = arith.constant 31 : i32
  %c97 = arith.constant 97 : i32
  %c255 = arith.constant 255 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s0 = arith.muli %state, %a : i32
  %s1 = arith.muli %token, %c31 : i32
  %s2 = arith.muli %pc, %c7 : i32
  %s3 = arith.muli %source, %c5 : i32
  %s4 = arith.addi %s0, %s1 : i32
  %s5 = arith.addi %s2, %s3 : i32
  %s6 = arith.addi %s4, %s5 : i32
  %s7 = arith.addi %s6, %tn : i32
  %next = arith.addi %s7, %c3 : i32
  %high = arith.shrui %next, %c24 : i32
  %is = arith.cmpi ult, %high, %c24 : i32
  %r:2 = scf.if %is -> (i32, i32) {{
    %l0 = arith.shrui %next, %c8 : i32
    %l1 = arith.andi %l0, %c7 : i32
    %letter = arith.addi %l1, %c97 : i32
    %n0 = arith.shrui %next, %c12 : i32
    %n1 = arith.andi %n0, %c31 : i32
    %isNone = arith.cmpi eq, %n1, %zero : i32
    %isEdge = arith.cmpi eq, %n1, %one : i32
    %e0 = arith.shrui %next, %c20 : i32
    %e1 = arith.andi %e0, %c3 : i32
    %edge = arith.addi %e1, %c255 : i32
    %t0 = arith.select %isNone, %next, %letter : i32
    %t = arith.select %isEdge, %edge, %t0 : i32
    %f0 = arith.shrui %next, %c16 : i32
    %f = arith.remui %f0, %c7 : i32
    scf.yield %t, %f : i32, i32
  }} else {{
    scf.yield %token, %source : i32, i32
  }}
  func.return %next, %r#0, %r#1 : i32, i32, i32
}}
)";

/// Now and then a class more, or one less.
static constexpr const char *kTransition = R"(
func.func private @{}(%state: i32, %pc: i32, %tn: i32, %triggers: i64) -> (i32, i64) {{
  %a = arith.constant 22695477 : i32
  %one = arith.constant 1 : i64
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c28 = arith.constant 28 : i32
  %c32 = arith.constant 32 : i64
  %c63 = arith.constant 63 : i64
  %s0 = arith.muli %state, %a : i32
  %low = arith.trunci %triggers : i64 to i32
  %up0 = arith.shrui %triggers, %c32 : i64
  %up = arith.trunci %up0 : i64 to i32
  %s1 = arith.addi %s0, %low : i32
  %s2 = arith.muli %up, %c3 : i32
  %s3 = arith.addi %s1, %s2 : i32
  %s4 = arith.addi %pc, %tn : i32
  %s5 = arith.addi %s3, %s4 : i32
  %next = arith.addi %s5, %c3 : i32
  %high = arith.shrui %next, %c28 : i32
  %is = arith.cmpi ult, %high, %c4 : i32
  %b0 = arith.shrui %next, %c4 : i32
  %b1 = arith.extui %b0 : i32 to i64
  %b2 = arith.andi %b1, %c63 : i64
  %bit = arith.shli %one, %b2 : i64
  %other = arith.xori %triggers, %bit : i64
  %r = arith.select %is, %other, %triggers : i64
  func.return %next, %r : i32, i64
}}
)";

/// A sum of all that it is given, by way of a loop.
static constexpr const char *kPost = R"(
func.func private @{}(%state: i32, %pc: i32, %tn: i32, %nextPc: i32, %nextTn: i32, %token: i32, %forced: i32) -> (i32, i32) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %c31 = arith.constant 31 : i32
  %turns0 = arith.andi %tn, %three : i32
  %turns = arith.index_cast %turns0 : i32 to index
  %next = scf.for %i = %zero to %turns step %one iter_args(%s = %state) -> (i32) {{
    %s0 = arith.muli %s, %c31 : i32
    %s1 = arith.addi %s0, %token : i32
    scf.yield %s1 : i32
  }}
  %v0 = arith.muli %pc, %c31 : i32
  %v1 = arith.addi %v0, %nextPc : i32
  %v2 = arith.muli %v1, %c31 : i32
  %v3 = arith.addi %v2, %nextTn : i32
  %v4 = arith.muli %v3, %c31 : i32
  %v5 = arith.addi %v4, %forced : i32
  %v6 = arith.muli %v5, %c31 : i32
  %v = arith.addi %v6, %next : i32
  func.return %next, %v : i32, i32
}}
)";

//===--- The same in C++ --------------------------------------------------===//

static void manipulate(int32_t &state, int32_t pc, int32_t tokenNumber,
                       int32_t &token, Source &source) {
  uint32_t next = uint32_t(state) * 1664525u + uint32_t(token) * 31u +
                  uint32_t(pc) * 7u + uint32_t(source) * 5u +
                  uint32_t(tokenNumber) + 3u;
  state = int32_t(next);
  if (next >> 24 >= 24)
    return;
  uint32_t kind = (next >> 12) & 31;
  token = kind == 0   ? int32_t(next)
          : kind == 1 ? 255 + int32_t((next >> 20) & 3)
                      : 'a' + int32_t((next >> 8) & 7);
  source = Source((next >> 16) % 7);
}

static void transit(int32_t &state, int32_t pc, int32_t tokenNumber,
                    std::vector<bool> &triggers) {
  uint64_t bits = 0;
  for (size_t c = 0; c < triggers.size(); ++c)
    bits |= uint64_t(triggers[c]) << c;
  uint32_t next = uint32_t(state) * 22695477u + uint32_t(bits) +
                  uint32_t(bits >> 32) * 3u + uint32_t(pc) +
                  uint32_t(tokenNumber) + 3u;
  state = int32_t(next);
  size_t other = (next >> 4) & 63;
  if (next >> 28 < 4 && other < triggers.size())
    triggers[other] = !triggers[other];
}

static int32_t post(int32_t &state, int32_t pc, int32_t tokenNumber,
                    int32_t nextPc, int32_t nextTokenNumber, int32_t token,
                    bool forced) {
  uint32_t next = uint32_t(state);
  for (int32_t i = 0; i < (tokenNumber & 3); ++i)
    next = next * 31u + uint32_t(token);
  state = int32_t(next);
  uint32_t value = uint32_t(pc) * 31u + uint32_t(nextPc);
  value = value * 31u + uint32_t(nextTokenNumber);
  value = value * 31u + uint32_t(forced);
  return int32_t(value * 31u + next);
}

//===--- Sets -------------------------------------------------------------===//

static RandomModule makeModule(const ModuleInfo &info, size_t number) {
  RandomModule module;
  module.engine.info = info;
  module.reference.state = info.state;
  module.reference.initial = info.initial;
  module.reference.resetsOnZoneChange = info.resetsOnZoneChange;
  const char *text = kPost;
  if (info.stage == ModuleStage::Manipulation) {
    module.reference.manipulate = manipulate;
    text = kManipulation;
  } else if (info.stage == ModuleStage::Transition) {
    module.reference.transit = transit;
    text = kTransition;
  } else {
    module.reference.post = post;
  }
  module.engine.function =
      fmt::format(fmt::runtime(text), engineModuleName(number));
  return module;
}

std::vector<RandomModule> vm::token::randomModules(const std::string &set) {
  using enum ModuleStage;
  std::vector<ModuleInfo> infos;
  if (set == "all")
    infos = {{Post, "first", 5, true},      {Manipulation, "", -1, false},
             {Transition, "", 77, true},    {Manipulation, "mood", 2, true},
             {Transition, "way", 0, false}, {Post, "", 0, false}};
  else if (set == "each")
    infos = {{Manipulation, "mood", 0, false},
             {Transition, "way", 1, true},
             {Post, "count", 0, false}};
  else if (set == "post")
    infos = {{Post, "count", INT32_MIN, true}};
  std::vector<RandomModule> modules;
  for (const ModuleInfo &info : infos)
    modules.push_back(makeModule(info, modules.size()));
  return modules;
}
