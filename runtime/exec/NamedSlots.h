//===- NamedSlots.h - finds a plan's slots by name ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and register numbers as users give them, turned into indices, or into a
// sentence that lists what there is.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vm {

/// Code::BadInput: what there is, and what may have been meant.
Status noSuchName(std::string_view kind, std::string_view name,
                  std::span<const std::string> known);

/// Index into plan.inputs. In a plan of several programs the slots of one
/// program are named "program.x", and "x" is accepted if there is no other x.
/// In a plan of one program they are named "x", and "program.x" is accepted.
/// Code::BadInput with the known names if none matches, or several do.
Result<uint32_t> findInput(const Plan &plan, std::string_view name);
Result<uint32_t> findOutput(const Plan &plan, std::string_view name);
Result<uint32_t> findSymbol(const Plan &plan, std::string_view name);

/// The symbol that a program knows by this name, its own or a shared one; null
/// if there is none.
const Symbol *findSymbolOf(const Plan &plan, const Program &program,
                           std::string_view name);

/// The slot of a register; Code::Usage if the instance or register number is
/// out of range, or if the register's message was fused away.
Result<const RegisterSlot *> findRegister(const Plan &plan, uint32_t instance,
                                          uint32_t reg);

/// Bytes of the tensor in `slot`; its window can be longer.
uint64_t byteSizeOf(const Slot &slot);

/// For each input or output the index of the symbol that counts its rows;
/// nullopt where none does. Takes a time linear in them and the symbols.
using RowSymbols = std::vector<std::optional<uint32_t>>;
RowSymbols findInputRows(const Plan &plan);
RowSymbols findOutputRows(const Plan &plan);

/// Symbol "<stage>.metadata" of the stage that is VM instance `instance`;
/// Code::Usage if there is no such instance or its metadata was not kept.
Result<const Symbol *> findMetadata(const Plan &plan, uint32_t instance);

} // namespace vm
