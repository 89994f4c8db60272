//===- NamedSlots.cpp - finds a plan's slots by name ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear searches for one name: plans have tens of slots, and a lookup is a
// host call. What is looked up for every slot of a plan has an index.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/NamedSlots.h"

#include "runtime/base/NearName.h"
#include "runtime/plan/PlanNames.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace vm {

uint64_t byteSizeOf(const Slot &slot) {
  // The verifier has checked that this does not overflow.
  return tensorByteSize(slot.dtype, slot.shape).value_or(slot.window.length);
}

Status noSuchName(std::string_view kind, std::string_view name,
                  std::span<const std::string> known) {
  std::string meant = didYouMean(name, known);
  return Status(
      Code::BadInput,
      fmt::format("The program has no {} named \"{}\" ({}{}).", kind, name,
                  known.empty()
                      ? std::string("it has none")
                      : fmt::format("known: {}", fmt::join(known, ", ")),
                  meant.empty() ? "" : "; " + meant));
}

/// Whether `name` is what the program of that name calls `full`.
static bool isOwn(std::string_view full, std::string_view program,
                  std::string_view name) {
  return full.size() == program.size() + 1 + name.size() &&
         full.starts_with(program) && full[program.size()] == '.' &&
         full.ends_with(name);
}

template <typename SlotT>
static Result<uint32_t> findByName(const Plan &plan,
                                   const std::vector<SlotT> &slots,
                                   std::string_view name, const char *kind) {
  for (uint32_t i = 0; i < slots.size(); ++i)
    if (slots[i].name == name)
      return i;
  if (plan.programs.size() <= 1)
    for (uint32_t i = 0; i < slots.size(); ++i)
      if (isOwn(name, plan.program, slots[i].name))
        return i;
  std::vector<uint32_t> own;
  for (uint32_t i = 0; i < slots.size(); ++i)
    for (const Program &program : plan.programs)
      if (isOwn(slots[i].name, program.name, name))
        own.push_back(i);
  if (own.size() == 1)
    return own.front();
  if (!own.empty())
    return Status(Code::BadInput,
                  fmt::format("Several programs have the {} \"{}\" ({}, {}{}).",
                              kind, name, slots[own[0]].name,
                              slots[own[1]].name,
                              own.size() > 2 ? ", ..." : ""));
  std::vector<std::string> names;
  for (const SlotT &slot : slots)
    names.push_back(slot.name);
  return noSuchName(kind, name, names);
}

Result<uint32_t> findInput(const Plan &plan, std::string_view name) {
  return findByName(plan, plan.inputs, name, "input");
}

Result<uint32_t> findOutput(const Plan &plan, std::string_view name) {
  return findByName(plan, plan.outputs, name, "output");
}

Result<uint32_t> findSymbol(const Plan &plan, std::string_view name) {
  return findByName(plan, plan.symbols, name, "symbol");
}

const Symbol *findSymbolOf(const Plan &plan, const Program &program,
                           std::string_view name) {
  for (uint32_t i : program.symbols)
    if (const Symbol &symbol = plan.symbols[i];
        symbol.name == name || isOwn(symbol.name, program.name, name))
      return &symbol;
  return nullptr;
}

static Status checkInstance(const Plan &plan, uint32_t instance) {
  if (instance < plan.instances)
    return {};
  return Status(Code::Usage,
                fmt::format("VM instance {} does not exist (the program has {} "
                            "instances, counted from 0).",
                            instance, plan.instances));
}

Result<const RegisterSlot *> findRegister(const Plan &plan, uint32_t instance,
                                          uint32_t reg) {
  VM_RETURN_IF_ERROR(checkInstance(plan, instance));
  for (const RegisterSlot &slot : plan.registers)
    if (slot.instance == instance && slot.reg == reg)
      return &slot;
  return Status(Code::Usage,
                fmt::format("Register R{} of VM instance {} has no place in "
                            "memory: the program does not use it, or its "
                            "message was fused away (--disable-fusion keeps "
                            "it).",
                            reg, instance));
}

template <typename T>
static RowSymbols findRows(const Plan &plan, const std::vector<T> &slots) {
  std::unordered_map<std::string_view, uint32_t> symbols;
  for (uint32_t i = 0; i < plan.symbols.size(); ++i)
    symbols.emplace(plan.symbols[i].name, i);
  RowSymbols result(slots.size());
  for (uint32_t i = 0; i < slots.size(); ++i)
    if (auto it = symbols.find(slots[i].rows);
        it != symbols.end() && !slots[i].rows.empty())
      result[i] = it->second;
  return result;
}

RowSymbols findInputRows(const Plan &plan) {
  return findRows(plan, plan.inputs);
}

RowSymbols findOutputRows(const Plan &plan) {
  return findRows(plan, plan.outputs);
}

static bool isMetadataOf(const Symbol &symbol, const Stage &stage) {
  std::string_view name = symbol.name;
  return name.starts_with(stage.name) &&
         name.substr(stage.name.size()) == ".metadata" &&
         symbol.window.length >= kMetadataBytes;
}

Result<const Symbol *> findMetadata(const Plan &plan, uint32_t instance) {
  VM_RETURN_IF_ERROR(checkInstance(plan, instance));
  for (const Stage &stage : plan.stages)
    if (stage.instance == instance)
      for (const Symbol &symbol : plan.symbols)
        if (isMetadataOf(symbol, stage))
          return &symbol;
  return Status(Code::Usage,
                fmt::format("The program does not keep the message metadata of "
                            "VM instance {} (compile it with --keep-metadata).",
                            instance));
}

} // namespace vm
