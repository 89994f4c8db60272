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
#include "runtime/base/InputFile.h"
#include "runtime/base/Printable.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/RankStart.h"
#include "runtime/exec/Transfer.h"
#include "runtime/plan/PlanNames.h"
#include "runtime/ranks/Gather.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

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
namespace {

constexpr std::array<uint8_t, 8> kMagic = {'g', 'v', 's', 't',
                                           'a', 't', 'e', 1};
/// Of one of several ranks: a RankPart follows the header.
constexpr std::array<uint8_t, 8> kRankMagic = {'g', 'v', 's', 't',
                                               'a', 't', 'e', 2};

struct Header {
  std::array<uint8_t, 8> magic = kMagic;
  uint64_t layoutBytes = 0;
  uint64_t valueBytes = 0;
};
static_assert(sizeof(Header) == 24);

/// Which part of which save a file is.
struct RankPart {
  uint32_t rank = 0;
  uint32_t ranks = 1;
  uint64_t save = 0; ///< The same in all files of a save, and in no other.
};
static_assert(sizeof(RankPart) == 16);

/// The checksum of what goes by.
class Checksum {
public:
  Checksum() { XXH3_64bits_reset(&state_); }
  void add(std::span<const uint8_t> bytes) {
    XXH3_64bits_update(&state_, bytes.data(), bytes.size());
  }
  uint64_t value() const { return XXH3_64bits_digest(&state_); }

private:
  XXH3_state_t state_ = {};
};

} // namespace

template <typename T> static std::span<const uint8_t> bytesOf(const T &value) {
  return {reinterpret_cast<const uint8_t *>(&value), sizeof(value)};
}
template <typename T> static std::span<uint8_t> bytesOf(T &value) {
  return {reinterpret_cast<uint8_t *>(&value), sizeof(value)};
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
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  Checksum checksum;
  auto write = [&](std::span<const uint8_t> bytes) {
    checksum.add(bytes);
    return file->write(bytes);
  };
  StateLayout layout = layoutOf(executor.plan());
  Header header;
  header.layoutBytes = layout.text.size();
  header.valueBytes = layout.valueBytes;
  RankPart part{executor.ranks().rank(), executor.ranks().size(), save};
  if (part.ranks > 1)
    header.magic = kRankMagic;
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

static Status bad(const std::string &path, const std::string &what) {
  return Status(Code::BadInput,
                fmt::format("The state file \"{}\" {}.", path, what));
}

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
  InputFile file;
  StateLayout layout;
  RankPart part;
  uint64_t valuesAt = 0; ///< Byte of the first value.
};

} // namespace

/// Reads the header and the layout, which must be that of `state`.
static Status checkLayout(OpenState &state, const std::string &path) {
  const InputFile &file = state.file;
  const StateLayout &layout = state.layout;
  Header header;
  if (file.sizeBytes() < sizeof(header) + sizeof(uint64_t))
    return bad(path, fmt::format("has {} bytes, too few for a state",
                                 file.sizeBytes()));
  VM_RETURN_IF_ERROR(file.readAt(0, bytesOf(header)));
  if (header.magic != kMagic && header.magic != kRankMagic)
    return bad(path, "is not a state that this version has written");
  uint64_t layoutAt = sizeof(header);
  if (header.magic == kRankMagic) {
    layoutAt += sizeof(state.part);
    if (file.sizeBytes() < layoutAt + sizeof(uint64_t))
      return bad(path, fmt::format("has {} bytes, too few for a state",
                                   file.sizeBytes()));
    VM_RETURN_IF_ERROR(file.readAt(sizeof(header), bytesOf(state.part)));
  }
  uint64_t rest = file.sizeBytes() - layoutAt - sizeof(uint64_t);
  if (header.layoutBytes > rest ||
      header.valueBytes != rest - header.layoutBytes)
    return bad(path, fmt::format("is cut or too long: it has {} bytes, {} of "
                                 "them for symbols and {} for values",
                                 file.sizeBytes(), header.layoutBytes,
                                 header.valueBytes));
  // One that is much longer differs, wherever it is cut.
  std::string saved(
      std::min<uint64_t>(header.layoutBytes, layout.text.size() + 4096), '\0');
  VM_RETURN_IF_ERROR(file.readAt(
      layoutAt, {reinterpret_cast<uint8_t *>(saved.data()), saved.size()}));
  if (saved != layout.text)
    return bad(path, difference(saved, layout.text));
  if (header.valueBytes != layout.valueBytes)
    return bad(path, fmt::format("has {} bytes of values (its symbols have {})",
                                 header.valueBytes, layout.valueBytes));
  state.valuesAt = layoutAt + layout.text.size();
  return {};
}

static Status checkSum(const InputFile &file, const std::string &path,
                       std::vector<uint8_t> &memory) {
  Checksum checksum;
  uint64_t end = file.sizeBytes() - sizeof(uint64_t);
  for (uint64_t at = 0; at < end; at += memory.size()) {
    auto piece =
        std::span(memory).first(std::min<uint64_t>(end - at, memory.size()));
    VM_RETURN_IF_ERROR(file.readAt(at, piece));
    checksum.add(piece);
  }
  uint64_t stated = 0;
  VM_RETURN_IF_ERROR(file.readAt(end, bytesOf(stated)));
  if (stated != checksum.value())
    return bad(path, "is damaged: its checksum does not match");
  return {};
}

static Result<OpenState> openState(const Plan &plan, const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(fmt::format("reading \"{}\"", path));
  OpenState state{std::move(*file), layoutOf(plan), {}, 0};
  VM_RETURN_IF_ERROR(checkLayout(state, path));
  std::vector<uint8_t> memory(Transfer::kStagingBytes);
  VM_RETURN_IF_ERROR(checkSum(state.file, path, memory));
  return state;
}

static Status putValues(const OpenState &state, const WriteValues &write) {
  std::vector<uint8_t> memory(Transfer::kStagingBytes);
  uint64_t at = state.valuesAt;
  return forEachPiece(
      state.layout, memory,
      [&](Region region, uint64_t offset, std::span<uint8_t> bytes) -> Status {
        VM_RETURN_IF_ERROR(state.file.readAt(at, bytes));
        at += bytes.size();
        return write(region, offset, bytes);
      });
}

Status readState(const Plan &plan, const std::string &path,
                 const WriteValues &write) {
  Result<OpenState> state = openState(plan, path);
  return state.ok() ? putValues(*state, write) : state.status();
}

static Status checkPart(const RankPart &part, const Communicator &ranks,
                        const std::string &path) {
  if (part.rank == ranks.rank() && part.ranks == ranks.size())
    return {};
  return bad(path,
             fmt::format("is of rank {} of {} (this is rank {} of {})",
                         part.rank, part.ranks, ranks.rank(), ranks.size()));
}

/// Opens the file; with several ranks, whether all have files of one save.
static Result<OpenState> openOwnState(Executor &executor,
                                      const std::string &path) {
  Communicator &ranks = executor.ranks();
  Result<OpenState> state = openState(executor.plan(), path);
  Status own =
      state.ok() ? checkPart(state->part, ranks, path) : state.status();
  if (ranks.size() > 1) {
    own = agree(ranks, own, executor.timeoutNs());
    const std::array<RankFact, 1> facts{
        {{"a state of the save",
          state.ok() ? fmt::format("{:016x}", state->part.save) : ""}}};
    if (own.ok())
      own = checkSame(ranks, facts, executor.timeoutNs());
  }
  if (!own.ok())
    return own;
  return state;
}

Status restoreState(Executor &executor, const std::string &path) {
  VM_RETURN_IF_ERROR(checkIdle(executor, "restore a state"));
  Result<OpenState> state = openOwnState(executor, path);
  if (!state.ok())
    return state.status();
  VM_RETURN_IF_ERROR(putValues(*state, [&](Region region, uint64_t offset,
                                           std::span<const uint8_t> bytes) {
    return executor.writeRegion(region, offset, bytes);
  }));
  return writeRankWords(executor); // They are of this run, not of that one.
}

} // namespace vm
