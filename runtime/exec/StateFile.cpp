//===- StateFile.cpp - saved state of a VM --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header, the symbols as text, their values one after the other, and a
// checksum of all that. Values go through a piece of memory, so that a state
// does not need its size twice. Symbols that overlap, which a plan may have by
// the million in one window, are one value: a state has no more bytes than the
// regions.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/StateFile.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Deadline.h"
#include "runtime/base/Printable.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/RankStart.h"
#include "runtime/exec/StateReader.h"
#include "runtime/exec/StateShards.h"
#include "runtime/exec/Transfer.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/ranks/Gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace vm {
template <typename T> static std::span<const uint8_t> bytesOf(const T &value) {
  return {reinterpret_cast<const uint8_t *>(&value), sizeof(value)};
}
namespace {

/// Which bytes of the regions a state has, in which order.
struct StateLayout {
  std::string text;            ///< A line for each symbol.
  std::vector<Window> windows; ///< That do not overlap.
  uint64_t valueBytes = 0;
};

/// What symbols that overlap cover together, or one that overlaps none.
struct Cover {
  Window window;
  uint32_t first; ///< The symbol of the lowest number.
  uint32_t count; ///< Of symbols.
};

struct Covers {
  std::vector<Cover> all;
  std::vector<uint32_t> ofSymbol; ///< By the symbol's number.
};

} // namespace

static Window windowOf(const Symbol &symbol) {
  return {symbol.window.region, symbol.window.offset, byteSizeOf(symbol)};
}

static uint64_t endOf(const Window &window) {
  return window.offset + window.length;
}

static Covers coversOf(const Plan &plan) {
  std::vector<uint32_t> order(plan.symbols.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](uint32_t i) {
    const Window &window = plan.symbols[i].window;
    return std::pair(window.region, window.offset);
  });
  Covers covers{{}, std::vector<uint32_t>(plan.symbols.size())};
  for (uint32_t i : order) {
    Window window = windowOf(plan.symbols[i]);
    Cover *last = covers.all.empty() ? nullptr : &covers.all.back();
    if (last && last->window.region == window.region &&
        window.offset < endOf(last->window)) {
      last->first = std::min(last->first, i);
      ++last->count;
      last->window.length =
          std::max(endOf(last->window), endOf(window)) - last->window.offset;
    } else {
      covers.all.push_back({window, i, 1});
    }
    covers.ofSymbol[i] = static_cast<uint32_t>(covers.all.size() - 1);
  }
  return covers;
}

/// Values come in the order of the first symbol that has a part of them. A line
/// is `globals 1000xf32 prices`. Of symbols that overlap it says where they
/// are, `globals[64] 1000xf32 prices`, since what they share depends on that.
static StateLayout layoutOf(const Plan &plan) {
  Covers covers = coversOf(plan);
  StateLayout layout;
  for (uint32_t i = 0; i < plan.symbols.size(); ++i) {
    const Symbol &symbol = plan.symbols[i];
    const Cover &cover = covers.all[covers.ofSymbol[i]];
    std::string place =
        cover.count == 1 ? "" : fmt::format("[{}]", symbol.window.offset);
    layout.text += fmt::format("{}{} {} {}\n", toString(symbol.window.region),
                               place, typeString(symbol), symbol.name);
    if (i != cover.first)
      continue;
    layout.windows.push_back(cover.window);
    layout.valueBytes += cover.window.length;
  }
  return layout;
}

/// Calls `body(region, offset, bytes)` for the pieces of all values, one after
/// the other.
template <typename Body>
static Status forEachPiece(const StateLayout &layout,
                           std::vector<uint8_t> &memory, Body body) {
  for (const Window &window : layout.windows)
    for (uint64_t at = 0; at < window.length; at += memory.size()) {
      uint64_t length = std::min<uint64_t>(window.length - at, memory.size());
      VM_RETURN_IF_ERROR(body(window.region, window.offset + at,
                              std::span(memory).first(length)));
    }
  return {};
}

static Status checkIdle(const Executor &executor, const char *action) {
  if (!executor.inFlight())
    return {};
  return Status(Code::Usage,
                fmt::format("Cannot {} while an execution is in flight (wait "
                            "for it first).",
                            action));
}

//===--- Saving -----------------------------------------------------------===//

/// A number that rank 0 has drawn.
static Result<uint64_t> drawSave(Executor &executor) {
  std::random_device random;
  uint64_t own = (uint64_t{random()} << 32) | random();
  Result<std::vector<std::string>> drawn = gatherAll(
      executor.ranks(), {reinterpret_cast<const char *>(&own), sizeof(own)},
      executor.timeoutNs());
  if (!drawn.ok())
    return drawn.status();
  std::memcpy(&own, drawn->front().data(),
              std::min(sizeof(own), drawn->front().size()));
  return own;
}

static Result<AtomicFile> writeFile(Executor &executor, const std::string &path,
                                    uint64_t save) {
  VM_RETURN_IF_ERROR(checkIdle(executor, "save the state"));
  Deadline deadline(executor.timeoutNs());
  Result<AtomicFile> file =
      AtomicFile::create(pathOfRank(path, executor.ranks().rank()));
  if (!file.ok())
    return file.status();
  StateChecksum checksum;
  auto write = [&](std::span<const uint8_t> bytes) {
    checksum.add(bytes);
    return file->write(bytes);
  };
  StateLayout layout = layoutOf(executor.plan());
  StateHeader header;
  header.layoutBytes = layout.text.size();
  header.valueBytes = layout.valueBytes;
  StatePart part{executor.ranks().rank(), executor.ranks().size(), save};
  if (part.ranks > 1)
    header.magic = kRankStateMagic;
  VM_RETURN_IF_ERROR(write(bytesOf(header)));
  if (part.ranks > 1)
    VM_RETURN_IF_ERROR(write(bytesOf(part)));
  VM_RETURN_IF_ERROR(
      write({reinterpret_cast<const uint8_t *>(layout.text.data()),
             layout.text.size()}));
  std::vector<uint8_t> memory(Transfer::kStagingBytes);
  auto copy = [&](Region region, uint64_t offset,
                  std::span<uint8_t> bytes) -> Status {
    VM_RETURN_IF_ERROR(deadline.check("Saving the state"));
    VM_RETURN_IF_ERROR(executor.readRegion(region, offset, bytes));
    return write(bytes);
  };
  VM_RETURN_IF_ERROR(forEachPiece(layout, memory, copy));
  uint64_t sum = checksum.value();
  VM_RETURN_IF_ERROR(file->write(bytesOf(sum)));
  return file;
}

Result<AtomicFile> writeState(Executor &executor, const std::string &path) {
  Communicator &ranks = executor.ranks();
  if (ranks.size() == 1)
    return writeFile(executor, path, 0);
  Result<uint64_t> save = drawSave(executor);
  if (!save.ok())
    return save.status();
  Result<AtomicFile> file = writeFile(executor, path, *save);
  VM_RETURN_IF_ERROR(agree(ranks, file.status(), executor.timeoutNs()));
  return file;
}

Status saveState(Executor &executor, const std::string &path) {
  Result<AtomicFile> file = writeState(executor, path);
  if (!file.ok())
    return file.status();
  Communicator &ranks = executor.ranks();
  Status committed = file->commit();
  return ranks.size() == 1 ? committed
                           : agree(ranks, committed, executor.timeoutNs());
}

//===--- Restoring --------------------------------------------------------===//

static std::string_view takeLine(std::string_view &text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// What two layouts differ in first.
static std::string difference(std::string_view saved, std::string_view wanted) {
  std::string_view a, b;
  do {
    a = takeLine(saved);
    b = takeLine(wanted);
  } while (a == b && (!saved.empty() || !wanted.empty()));
  auto text = [](std::string_view line) {
    return line.empty() ? std::string("nothing more")
                        : fmt::format("\"{}\"", printable(std::string(line)));
  };
  return fmt::format("is of other programs: it has {} where these have {}",
                     text(a), text(b));
}

namespace {

/// A file that was checked.
struct OpenState {
  StateReader file;
  StateLayout layout;
};

} // namespace

/// The list of symbols must be that of the plan.
static Status checkLayout(const OpenState &state) {
  const auto &[file, layout] = state;
  // One that is much longer differs, wherever it is cut.
  Result<std::string> saved = file.readLayout(layout.text.size() + 4096);
  if (!saved.ok())
    return saved.status();
  if (*saved != layout.text)
    return badState(file.path(), difference(*saved, layout.text));
  if (file.valueBytes() != layout.valueBytes)
    return badState(file.path(),
                    fmt::format("has {} bytes of values (its symbols have {})",
                                file.valueBytes(), layout.valueBytes));
  return {};
}

static Result<OpenState> openState(const Plan &plan, const std::string &path) {
  Result<StateReader> file = StateReader::open(path);
  if (!file.ok())
    return file.status();
  OpenState state{std::move(*file), layoutOf(plan)};
  VM_RETURN_IF_ERROR(checkLayout(state));
  VM_RETURN_IF_ERROR(state.file.checkSum());
  return state;
}

static Status putValues(const OpenState &state, const WriteValues &write) {
  std::vector<uint8_t> memory(Transfer::kStagingBytes);
  uint64_t at = 0;
  return forEachPiece(
      state.layout, memory,
      [&](Region region, uint64_t offset, std::span<uint8_t> bytes) -> Status {
        VM_RETURN_IF_ERROR(state.file.readValues(at, bytes));
        at += bytes.size();
        return write(region, offset, bytes);
      });
}

Status readState(const Plan &plan, const std::string &path,
                 const WriteValues &write) {
  Result<OpenState> state = openState(plan, path);
  return state.ok() ? putValues(*state, write) : state.status();
}

namespace {

/// What a rank restores: its own file, or parts of those of another number of
/// ranks.
struct OwnState {
  std::optional<OpenState> file;
  std::optional<StateShards> shards;

  uint64_t save() const {
    return file ? file->file.part().save : shards->save();
  }
};

} // namespace

static Status checkPart(const StateReader &file, const Communicator &ranks) {
  const StatePart &part = file.part();
  if (part.rank == ranks.rank() && part.ranks == ranks.size())
    return {};
  return badState(file.path(),
                  fmt::format("is of rank {} of {} (this is rank {} of {})",
                              part.rank, part.ranks, ranks.rank(),
                              ranks.size()));
}

static Result<OwnState> openOwnState(Executor &executor,
                                     const std::string &path) {
  const Communicator &ranks = executor.ranks();
  OwnState own;
  std::string first = pathOfRank(path, 0);
  if (first != path) { // There are files of other ranks.
    Result<StateReader> file = StateReader::open(first);
    if (!file.ok())
      return file.status();
    if (file->part().ranks != ranks.size()) {
      Result<StateShards> shards =
          StateShards::open(executor.plan(), path, ranks.size());
      if (!shards.ok())
        return shards.status();
      own.shards = std::move(*shards);
      return own;
    }
  }
  Result<OpenState> state =
      openState(executor.plan(), pathOfRank(path, ranks.rank()));
  if (!state.ok())
    return state.status();
  VM_RETURN_IF_ERROR(checkPart(state->file, ranks));
  own.file.emplace(std::move(*state));
  return own;
}

/// With several ranks, whether all have files of one save.
static Status agreeOnSave(Executor &executor, const Result<OwnState> &own) {
  Communicator &ranks = executor.ranks();
  if (ranks.size() == 1)
    return own.status();
  VM_RETURN_IF_ERROR(agree(ranks, own.status(), executor.timeoutNs()));
  const std::array<RankFact, 1> facts{
      {{"a state of the save", fmt::format("{:016x}", own->save())}}};
  return checkSame(ranks, facts, executor.timeoutNs());
}

Status restoreState(Executor &executor, const std::string &path) {
  VM_RETURN_IF_ERROR(checkIdle(executor, "restore a state"));
  Result<OwnState> own = openOwnState(executor, path);
  VM_RETURN_IF_ERROR(agreeOnSave(executor, own));
  auto write = [&](Region region, uint64_t offset,
                   std::span<const uint8_t> bytes) {
    return executor.writeRegion(region, offset, bytes);
  };
  VM_RETURN_IF_ERROR(
      own->file
          ? putValues(*own->file, write)
          : own->shards->put(executor.plan(), executor.ranks().rank(), write));
  return writeRankWords(executor); // They are of this run, not of that one.
}

} // namespace vm
