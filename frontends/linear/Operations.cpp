//===- Operations.cpp - the semantics of instructions ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/Operations.h"

#include "frontends/linear/Arithmetic.h"

#include <cmath>

using namespace vm;
using namespace vm::linear;

float vm::linear::computeOracle(Opcode opcode, float a, float b) {
  switch (opcode) {
  case Opcode::Mul:
  case Opcode::MulI:
    return multiply(a, b);
  case Opcode::Div:
  case Opcode::DivI:
    return divide(a, b);
  case Opcode::Mod:
  case Opcode::ModI:
    return modulo(a, b);
  case Opcode::Cmp:
  case Opcode::CmpI:
    return subtract(a, b);
  case Opcode::Min:
    return minimum(a, b);
  case Opcode::Max:
    return maximum(a, b);
  case Opcode::Abs:
    return std::fabs(a);
  case Opcode::Sqrt:
    return squareRoot(a);
  case Opcode::Sin:
    return sine(a);
  default: // COS.
    return cosine(a);
  }
}

bool vm::linear::isTaken(Opcode opcode, float value, float tolerance) {
  bool isZero = value == 0 || std::fabs(value) < tolerance;
  switch (opcode) {
  case Opcode::BranchEq:
    return isZero;
  case Opcode::BranchNe:
    return !isZero;
  case Opcode::BranchLt:
    return value < 0;
  case Opcode::BranchGt:
    return value > 0;
  case Opcode::BranchLe:
    return value <= 0;
  default: // GE.
    return value >= 0;
  }
}
