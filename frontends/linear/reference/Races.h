//===- Races.h - accesses that no order covers ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two accesses collide if different machines make them to one address in one
// phase and one of them is a WRITE. The checker sees every access of a run and
// says which ones collide (in `independent` phases) or collide without being
// ordered (in all others). It is FastTrack (Flanagan and Freund, PLDI 2009)
// with sparse clocks, and its verdict is of the run that it sees.
//
// What orders: program order of a machine; from a WRITE to the WAIT that it let
// pass; from a SPAWN to the machine that it starts; a resumption after YIELD,
// from all before to all after. Where a WAIT sees the last of several WRITEs
// of which more than one would let it pass, it is the first of these that it
// is ordered after, since in another schedule it may see no more. A machine
// that is started in the slot of one that killed itself is another one.
//
// Two more things make a result depend on the schedule. A WAIT, if its
// condition may hold and not hold at a time (a WRITE that ends it is neither
// before nor after the WAIT). And the slot of a SPAWN: if a KILL may or may
// not have come before it, if it finds no FREE machine, or if two SPAWNs are
// not ordered and a machine that was started asks for its number. These are
// found in every case, and sometimes where nothing depends on them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace vm::linear {

/// Why a result may depend on the schedule.
enum class RaceKind : uint8_t {
  Collision, ///< Two accesses to an address, one a WRITE.
  Wait,      ///< A WRITE makes the condition of a WAIT false again, and nothing
             ///< says which of them is first.
  Slot ///< Which slot a SPAWN gets, or whether, depends on others, and that
       ///< can be seen.
};

/// `collision`, `wait`, `slot`.
const char *toString(RaceKind kind);

struct Race {
  uint32_t phase = 0;
  uint32_t address = 0; ///< 0 of kind Slot.
  RaceKind kind = RaceKind::Collision;
  /// In the order of the run; a slot is the same machine twice where it was
  /// killed and started again between them.
  uint32_t machines[2] = {};
  uint32_t lines[2] = {};
  bool operator==(const Race &) const = default;
};

/// One phase. Not copyable; for one thread. Within an epoch the accesses of
/// all machines that read come first, then the others in ascending machines.
class RaceChecker {
public:
  /// In an `independent` phase every collision is a race; in others one that
  /// is ordered by a chain of WRITE and WAIT, by a resumption after YIELD or by
  /// a SPAWN is none.
  RaceChecker(uint32_t phase, bool independent, uint32_t machines);
  ~RaceChecker();

  void read(uint32_t machine, uint32_t address, uint32_t line);
  /// `old`: what the address holds before.
  void write(uint32_t machine, uint32_t address, float old, float value,
             uint32_t line);
  /// Each attempt: `passes` if the address holds at least `bound`.
  void wait(uint32_t machine, uint32_t address, float bound, bool passes,
            uint32_t line);
  void spawn(uint32_t spawner, uint32_t machine, uint32_t line);
  /// Each attempt that finds no FREE machine.
  void blockedSpawn(uint32_t machine, uint32_t line);
  void kill(uint32_t machine, uint32_t line);
  void vmId(uint32_t machine, uint32_t line);
  /// All machines that had yielded go on.
  void resume();

  /// One an address and kind at most, in ascending addresses.
  std::vector<Race> finish();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace vm::linear
