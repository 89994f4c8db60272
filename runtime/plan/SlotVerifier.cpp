//===- SlotVerifier.cpp - inputs, outputs, symbols, registers -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Printable.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/plan/Programs.h"
#include "runtime/plan/VerifierHelpers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

namespace vm::verify {
namespace {

/// What goes in and out may have no elements.
template <typename T>
constexpr int64_t kLeastSize =
    std::is_same_v<T, Input> || std::is_same_v<T, Output> ? 0 : 1;

Status verifyShape(const std::string &what, const Slot &slot, int64_t least) {
  if (byteSize(slot.dtype) == 0)
    return bad("{} has an unknown element type ({}).", what,
               static_cast<unsigned>(slot.dtype));
  if (slot.shape.size() > limits::kMaxRank)
    return bad("{} has {} dimensions (at most {} are allowed).", what,
               slot.shape.size(), limits::kMaxRank);
  for (size_t i = 0; i < slot.shape.size(); ++i)
    if (slot.shape[i] < least)
      return bad("{} has dimension {} of size {} (at least {} is needed).",
                 what, i, slot.shape[i], least);
  return {};
}

template <typename T>
Status verifySlot(const std::string &what, const T &slot, const Plan &plan) {
  VM_RETURN_IF_ERROR(verifyShape(what, slot, kLeastSize<T>));
  VM_RETURN_IF_ERROR(checkWindow(what, slot.window, plan));
  auto bytes = tensorByteSize(slot.dtype, slot.shape);
  if (!bytes)
    return bad("{} ({}) has a size that overflows 64 bits.", what,
               typeString(slot));
  if (*bytes > slot.window.length)
    return bad("{} ({}) needs {} bytes and its window has {}.", what,
               typeString(slot), *bytes, slot.window.length);
  return {};
}

/// `Input "x"`, the subject of a sentence.
std::string describe(const char *kind, const std::string &name) {
  std::string text = fmt::format("{} \"{}\"", kind, name);
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// Names and tensors of one list; names are unique within it.
template <typename T>
Status verifyList(const char *kind, const char *plural,
                  const std::vector<T> &slots, const Plan &plan,
                  const Deadline &deadline) {
  VM_RETURN_IF_ERROR(checkCount(plural, slots.size(), limits::kMaxSlots));
  std::set<std::string_view> names;
  for (size_t i = 0; i < slots.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    const T &slot = slots[i];
    VM_RETURN_IF_ERROR(
        checkName(fmt::format("The name of {} {}", kind, i), slot.name));
    if (!names.insert(slot.name).second)
      return bad("Two {} have the name \"{}\".", plural, slot.name);
    VM_RETURN_IF_ERROR(verifySlot(describe(kind, slot.name), slot, plan));
  }
  return {};
}

Status verifyResidency(const Input &input) {
  if (input.residency != Residency::Execution &&
      input.residency != Residency::Load)
    return bad("Input \"{}\" has an unknown residency ({}).", input.name,
               static_cast<unsigned>(input.residency));
  if (input.residency == Residency::Execution &&
      input.window.region == Region::Heap)
    return bad("Input \"{}\" lies in region heap and is copied in every "
               "execution (heap is immutable: residency load is needed).",
               input.name);
  return {};
}

/// Those of a program are uploaded without a barrier between them.
Status verifyInputsDisjoint(const Plan &plan, const Program &program,
                            const Deadline &deadline) {
  std::map<std::pair<Region, uint64_t>, const Input *> byOffset; // Disjoint.
  for (uint32_t i : program.inputs) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    const Input &input = plan.inputs[i];
    auto [place, isNew] = byOffset.emplace(
        std::pair(input.window.region, input.window.offset), &input);
    const Input *other = isNew ? nullptr : place->second;
    auto next = std::next(place);
    if (isNew && next != byOffset.end() &&
        overlap(input.window, next->second->window))
      other = next->second;
    if (isNew && place != byOffset.begin() &&
        overlap(input.window, std::prev(place)->second->window))
      other = std::prev(place)->second;
    if (!other)
      continue;
    auto [first, second] =
        std::minmax({other, &input}, [](const Input *a, const Input *b) {
          return a->window.offset < b->window.offset;
        });
    return bad("Input \"{}\" overlaps input \"{}\" at byte {} of region {}.",
               second->name, first->name, second->window.offset,
               toString(second->window.region));
  }
  return {};
}

Status verifyBound(const Symbol &symbol) {
  if (symbol.bound == 0)
    return {};
  if (symbol.window.region != Region::Control || symbol.dtype != DType::I32)
    return bad(
        "Symbol \"{}\" has a bound and is {} in region {} (i32 in region "
        "control is needed).",
        symbol.name, typeString(symbol), toString(symbol.window.region));
  if (symbol.bound > INT32_MAX)
    return bad("Symbol \"{}\" is bounded by {} (at most {} is allowed).",
               symbol.name, symbol.bound, INT32_MAX);
  return {};
}

using SymbolsByName = std::map<std::string_view, const Symbol *>;

template <typename T>
Status verifyRows(const char *kind, const T &slot,
                  const SymbolsByName &symbols) {
  if (slot.rows.empty())
    return {};
  auto it = symbols.find(slot.rows);
  const Symbol *symbol = it == symbols.end() ? nullptr : it->second;
  if (!symbol || symbol->bound == 0 || !symbol->shape.empty())
    return bad("{} \"{}\" has as many rows as \"{}\" says, which is no "
               "scalar symbol with a bound.",
               kind, slot.name, printable(slot.rows));
  if (slot.shape.empty() || slot.shape[0] != int64_t{symbol->bound})
    return bad("{} \"{}\" ({}) does not have the {} rows that symbol \"{}\" "
               "is bounded by.",
               kind, slot.name, typeString(slot), symbol->bound, symbol->name);
  return {};
}

Status verifyRegister(const RegisterSlot &slot, const Plan &plan) {
  if (slot.instance >= plan.instances)
    return bad("Register \"{}\" belongs to instance {} (the plan has {}).",
               slot.name, slot.instance, plan.instances);
  if (slot.reg >= limits::kMaxSlots)
    return bad("Register \"{}\" is R{} (the last one there may be is R{}).",
               slot.name, slot.reg, limits::kMaxSlots - 1);
  if (slot.window.region != Region::Registers)
    return bad("Register \"{}\" lies in region {} (registers is needed).",
               slot.name, toString(slot.window.region));
  return {};
}

Status verifyRegisters(const Plan &plan, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(
      verifyList("register", "registers", plan.registers, plan, deadline));
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (const RegisterSlot &slot : plan.registers) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    VM_RETURN_IF_ERROR(verifyRegister(slot, plan));
    if (!seen.insert({slot.instance, slot.reg}).second)
      return bad("Register \"{}\" is the second R{} of instance {}.", slot.name,
                 slot.reg, slot.instance);
  }
  return {};
}

} // namespace

Status verifySlots(const Plan &plan, const Deadline &deadline) {
  VM_RETURN_IF_ERROR(
      verifyList("input", "inputs", plan.inputs, plan, deadline));
  for (const Input &input : plan.inputs)
    VM_RETURN_IF_ERROR(verifyResidency(input));
  for (const Program &program : programsOf(plan))
    VM_RETURN_IF_ERROR(verifyInputsDisjoint(plan, program, deadline));
  VM_RETURN_IF_ERROR(
      verifyList("output", "outputs", plan.outputs, plan, deadline));
  VM_RETURN_IF_ERROR(
      verifyList("symbol", "symbols", plan.symbols, plan, deadline));
  SymbolsByName symbols;
  for (const Symbol &symbol : plan.symbols) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    VM_RETURN_IF_ERROR(verifyBound(symbol));
    symbols.emplace(symbol.name, &symbol);
  }
  for (const Input &input : plan.inputs) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    VM_RETURN_IF_ERROR(verifyRows("Input", input, symbols));
    if (!input.rows.empty() && tensorByteSize(input.dtype, input.shape) == 0)
      return bad("Input \"{}\" ({}) has counted rows without elements.",
                 input.name, typeString(input));
  }
  for (const Output &output : plan.outputs) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    VM_RETURN_IF_ERROR(verifyRows("Output", output, symbols));
  }
  return verifyRegisters(plan, deadline);
}

} // namespace vm::verify
