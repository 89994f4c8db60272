//===- ExchangeVerifier.cpp - transfers between ranks ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/CheckedMath.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/Programs.h"
#include "runtime/plan/VerifierHelpers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

using namespace vm;
using namespace vm::verify;

namespace {
/// Checks one transfer of command `index`.
class TransferVerifier {
public:
  TransferVerifier(const Plan &plan, uint32_t index, size_t number,
                   const RankTransfer &transfer)
      : plan(plan), transfer(transfer),
        name(fmt::format("ransfer {} of command {}", number, index)) {}
  Status verify() const;

private:
  Status verifyLengths() const;
  Status verifyRows() const;
  Status verifyWords(const char *what,
                     const std::optional<Window> &words) const;
  Status verifyTarget(const Window &window) const;

  const Plan &plan;
  const RankTransfer &transfer;
  std::string name; ///< After its first letter, a capital or not.
};
} // namespace

Status TransferVerifier::verifyTarget(const Window &window) const {
  if (window.region == Region::Heap)
    return bad("T{} writes region heap (heap is immutable).", name);
  return {};
}

Status TransferVerifier::verifyLengths() const {
  uint64_t from = transfer.source.length, to = transfer.destination.length;
  if (transfer.kind == TransferKind::AllGather) {
    if (checkedMul(from, plan.ranks) != to)
      return bad("T{} gathers {} bytes of each of {} ranks in a window of {} "
                 "bytes.",
                 name, from, plan.ranks, to);
    return {};
  }
  if (from != to)
    return bad("T{} moves {} bytes to a window of {} bytes.", name, from, to);
  if (transfer.kind == TransferKind::AllToAll && from % plan.ranks != 0)
    return bad("T{} has {} bytes, which are no blocks for {} ranks.", name,
               from, plan.ranks);
  return {};
}

Status TransferVerifier::verifyWords(const char *what,
                                     const std::optional<Window> &words) const {
  if (!words)
    return bad("T{} counts rows and has no window \"{}\".", name, what);
  VM_RETURN_IF_ERROR(checkWindow(
      fmt::format("Window \"{}\" of t{}", what, name), *words, plan));
  if (words->length != uint64_t(plan.ranks) * sizeof(uint32_t))
    return bad("Window \"{}\" of t{} has {} bytes (a word for each of {} ranks "
               "is needed).",
               what, name, words->length, plan.ranks);
  return {};
}

Status TransferVerifier::verifyRows() const {
  if (!transfer.rowBytes && !transfer.counts && !transfer.received)
    return {};
  if (transfer.kind != TransferKind::AllToAll)
    return bad("T{} counts rows, which all_to_all does.", name);
  uint64_t block = transfer.source.length / plan.ranks;
  if (!transfer.rowBytes || block % transfer.rowBytes != 0)
    return bad("T{} has blocks of {} bytes, which are no rows of {} bytes.",
               name, block, transfer.rowBytes);
  VM_RETURN_IF_ERROR(verifyWords("counts", transfer.counts));
  VM_RETURN_IF_ERROR(verifyWords("received", transfer.received));
  return verifyTarget(*transfer.received);
}

Status TransferVerifier::verify() const {
  if (transfer.kind > TransferKind::ShiftDown)
    return bad("T{} has an unknown kind ({}).", name,
               static_cast<unsigned>(transfer.kind));
  VM_RETURN_IF_ERROR(checkWindow(fmt::format("The source of t{}", name),
                                 transfer.source, plan));
  VM_RETURN_IF_ERROR(checkWindow(fmt::format("The destination of t{}", name),
                                 transfer.destination, plan));
  VM_RETURN_IF_ERROR(verifyTarget(transfer.destination));
  VM_RETURN_IF_ERROR(verifyLengths());
  bool isShift = transfer.kind == TransferKind::ShiftUp ||
                 transfer.kind == TransferKind::ShiftDown;
  if (isShift && (transfer.offset < 1 || transfer.offset > limits::kMaxRanks))
    return bad("T{} shifts by {} ranks (1 to {} are allowed).", name,
               transfer.offset, limits::kMaxRanks);
  if (!isShift && (transfer.offset || transfer.rotate))
    return bad("T{} has an offset or rotates, and is no shift.", name);
  return verifyRows();
}

/// What an exchange writes shares no byte with what else it touches.
static Status verifyApart(uint32_t index, const Exchange &exchange) {
  struct Use {
    Window window;
    bool isWritten;
  };
  std::vector<Use> uses;
  for (const RankTransfer &transfer : exchange.transfers) {
    uses.push_back({transfer.source, false});
    uses.push_back({transfer.destination, true});
    if (transfer.counts)
      uses.push_back({*transfer.counts, false});
    if (transfer.received)
      uses.push_back({*transfer.received, true});
  }
  std::ranges::sort(uses, {}, [](const Use &use) {
    return std::tuple(use.window.region, use.window.offset);
  });
  // Of all before it in its region, and of those that are written.
  const Use *last = nullptr, *lastWritten = nullptr;
  auto raise = [](const Use *&latest, const Use &use) {
    if (!latest || latest->window.region != use.window.region ||
        latest->window.offset + latest->window.length <
            use.window.offset + use.window.length)
      latest = &use;
  };
  for (const Use &use : uses) {
    const Use *other = use.isWritten ? last : lastWritten;
    if (other && overlap(other->window, use.window))
      return bad("Command {} exchanges bytes that overlap at byte {} of region "
                 "{}, and writes them.",
                 index, use.window.offset, toString(use.window.region));
    raise(last, use);
    if (use.isWritten)
      raise(lastWritten, use);
  }
  return {};
}

Status verify::verifyExchange(const Plan &plan, uint32_t index,
                              const Exchange &exchange,
                              const Deadline &deadline) {
  if (plan.ranks == 0)
    return bad("Command {} is an exchange (the plan does not say for how many "
               "ranks it is).",
               index);
  if (exchange.transfers.empty())
    return bad("Command {} exchanges nothing.", index);
  VM_RETURN_IF_ERROR(checkCount(fmt::format("transfers of command {}", index),
                                exchange.transfers.size(),
                                limits::kMaxTransfers));
  for (size_t i = 0; i < exchange.transfers.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    VM_RETURN_IF_ERROR(
        TransferVerifier(plan, index, i, exchange.transfers[i]).verify());
  }
  return verifyApart(index, exchange);
}

/// One exchange is under way at a time, and ends in the list that it is in.
Status verify::verifyExchangeOrder(const Plan &plan, const Deadline &deadline) {
  struct List {
    size_t end;
    std::optional<size_t> exchange = {}; ///< That is under way.
  };
  std::vector<List> lists; // Outer ones first.
  auto close = [&]() -> Status {
    List list = lists.back();
    lists.pop_back();
    if (list.exchange)
      return bad("Command {} is an exchange that is not awaited where it "
                 "stands.",
                 *list.exchange);
    return {};
  };
  std::vector<CommandRange> programs = programOfCommands(plan);
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    while (!lists.empty() && lists.back().end == i)
      VM_RETURN_IF_ERROR(close());
    if (lists.empty())
      lists.push_back({programs[i].end});
    const auto &op = plan.commands[i].op;
    if (auto *repeat = std::get_if<Repeat>(&op))
      lists.push_back({i + 1 + repeat->commands});
    if (std::holds_alternative<Exchange>(op)) {
      for (const List &list : lists)
        if (list.exchange)
          return bad("Command {} is an exchange (that of command {} is under "
                     "way).",
                     i, *list.exchange);
      lists.back().exchange = i;
    }
    if (std::holds_alternative<Await>(op)) {
      if (!lists.back().exchange)
        return bad("Command {} awaits an exchange (none is under way in its "
                   "list).",
                   i);
      lists.back().exchange.reset();
    }
  }
  while (!lists.empty())
    VM_RETURN_IF_ERROR(close());
  return {};
}
