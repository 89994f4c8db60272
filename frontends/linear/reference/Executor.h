//===- Executor.h - one instruction of one machine ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes nothing but its machine: what others see is collected as effects,
// which the scheduler commits at the end of the epoch.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/reference/Machine.h"
#include "frontends/linear/reference/SharedMemory.h"

#include <array>
#include <vector>

namespace vm::linear {

struct PendingWrite {
  uint32_t machine, address;
  float value;
  uint32_t line;
};

struct PendingSpawn {
  uint32_t machine, target;
  float value;
  uint32_t line;
};

/// What a race checker needs besides those.
struct Access {
  enum Kind : uint8_t { Read, Wait, VmId, Kill } kind;
  bool passes = true; ///< Of Wait.
  uint32_t machine;
  uint32_t address = 0;
  float bound = 0;
  uint32_t line = 0;
};

/// What machines do to others in an epoch.
struct Effects {
  std::vector<PendingWrite> writes;
  std::vector<PendingSpawn> spawns;
  std::vector<Access> accesses; ///< If they are wanted.
  bool wantsAccesses = false;
  std::array<uint64_t, 4> counts = {}; ///< By class.

  void clear();
};

class Executor {
public:
  /// `program` and `memory` must live longer; `options.threshold` is set.
  Executor(const Program &program, const SharedMemory &memory,
           const RunOptions &options);

  /// Before the machines of a phase run.
  void enter(const Phase &phase);

  /// The next instruction of a RUNNING machine. A SPAWN leaves the IP and the
  /// status to the scheduler.
  void execute(uint32_t id, Machine &machine, Effects &effects) const;

  /// Whether the WAIT of a BLOCKED machine would pass.
  bool wouldPass(const Machine &machine) const;
  bool standsAtSpawn(const Machine &machine) const {
    return instructionOf(machine).opcode == Opcode::Spawn;
  }

  /// As the state of the program holds it.
  float rounded(float value) const;

private:
  const Instruction &instructionOf(const Machine &machine) const {
    return program_.instructions[machine.ip()];
  }
  uint32_t lineOf(const Machine &machine) const;

  void executeLinear(Machine &machine) const;
  void executeDirectly(Machine &machine) const;
  void executeOracle(Machine &machine) const;
  void executeBranch(Machine &machine) const;
  void executeIo(uint32_t id, Machine &machine, Effects &effects) const;
  void call(Machine &machine, uint32_t target) const;
  void returnFrom(Machine &machine, uint32_t mask) const;
  void read(uint32_t id, Machine &machine, Effects &effects) const;
  void write(uint32_t id, Machine &machine, Effects &effects) const;
  void wait(uint32_t id, Machine &machine, Effects &effects) const;

  /// The address of an access that is allowed; else the machine faults.
  std::optional<uint32_t> access(Machine &machine, float address,
                                 bool isWrite) const;
  void set(Machine &machine, uint32_t reg, float value) const {
    machine.x[kFirstRegister + reg] = rounded(value);
  }

  const Program &program_;
  const SharedMemory &memory_;
  bool direct_;
  float tolerance_;
  std::vector<Class> classes_; ///< Of each instruction.
  MatrixTables tables_;
  std::vector<AccessRights> rights_; ///< Of each launch of the phase.
};

} // namespace vm::linear
