//===- StateShards.cpp - a state for another number of ranks --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/StateShards.h"

#include "runtime/base/Printable.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/RankStart.h"
#include "runtime/exec/Transfer.h"
#include "runtime/plan/PlanNames.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace vm {

std::string pathOfRank(std::string path, uint32_t rank) {
  constexpr std::string_view kPlace = "{rank}";
  std::string number = fmt::to_string(rank);
  for (size_t at = path.find(kPlace); at != std::string::npos;
       at = path.find(kPlace, at + number.size()))
    path.replace(at, kPlace.size(), number);
  return path;
}

//===--- Lines of a state -------------------------------------------------===//

namespace {
/// `globals 1000xf32 prices`
struct SavedSymbol {
  std::string region, name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
};
} // namespace

/// Cuts off what comes before the next `end`.
static std::string_view takeUntil(std::string_view &text, char end) {
  std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

static std::optional<SavedSymbol> parseLine(std::string_view line) {
  SavedSymbol symbol;
  symbol.region = takeUntil(line, ' ');
  std::string_view type = takeUntil(line, ' ');
  symbol.name = line;
  while (type.find('x') != type.npos) {
    std::string_view digits = takeUntil(type, 'x');
    int64_t size = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (error != std::errc() || end != digits.data() + digits.size())
      return std::nullopt;
    symbol.shape.push_back(size);
  }
  std::optional<DType> dtype = fromString<DType>(type);
  if (!dtype)
    return std::nullopt;
  symbol.dtype = *dtype;
  return symbol;
}

/// Whether all of them together are as long as all of those.
static bool isCut(const SavedSymbol &saved, uint64_t oldRanks,
                  const Symbol &symbol, uint64_t ranks) {
  const std::vector<int64_t> &a = saved.shape, &b = symbol.shape;
  return !a.empty() && a.size() == b.size() &&
         std::equal(a.begin() + 1, a.end(), b.begin() + 1) &&
         static_cast<uint64_t>(a[0]) * oldRanks ==
             static_cast<uint64_t>(b[0]) * ranks;
}

//===--- Opening ----------------------------------------------------------===//

Status StateShards::openFiles(const std::string &path) {
  uint32_t count = 1;
  for (uint32_t rank = 0; rank < count; ++rank) {
    Result<StateReader> file = StateReader::open(pathOfRank(path, rank));
    if (!file.ok())
      return file.status();
    const StatePart &part = file->part();
    if (rank == 0)
      count = part.ranks;
    const StatePart &first = rank == 0 ? part : files_.front().part();
    if (part.rank != rank || part.ranks != count || part.save != first.save)
      return badState(file->path(),
                      fmt::format("is of rank {} of {} and of the save {:016x} "
                                  "(that of rank 0 is of {} ranks and the save "
                                  "{:016x})",
                                  part.rank, part.ranks, part.save, count,
                                  first.save));
    VM_RETURN_IF_ERROR(file->checkSum());
    files_.push_back(std::move(*file));
  }
  return {};
}

Status StateShards::place(const Plan &plan, uint32_t ranks) {
  const StateReader &first = files_.front();
  Result<std::string> layout = first.readLayout(UINT64_MAX);
  if (!layout.ok())
    return layout.status();
  for (const StateReader &file : files_) {
    Result<std::string> other = file.readLayout(UINT64_MAX);
    if (!other.ok())
      return other.status();
    if (*other != *layout || file.valueBytes() != first.valueBytes())
      return badState(file.path(), "has other symbols than that of rank 0");
  }
  std::string_view lines = *layout;
  uint64_t at = 0;
  for (const Symbol &symbol : plan.symbols) {
    std::string line(takeUntil(lines, '\n'));
    std::optional<SavedSymbol> saved = parseLine(line);
    bool isKnown = saved && saved->name == symbol.name &&
                   saved->dtype == symbol.dtype &&
                   saved->region == toString(symbol.window.region);
    bool isSame = isKnown && saved->shape == symbol.shape;
    if (!isSame && (!isKnown || !isCut(*saved, files_.size(), symbol, ranks)))
      return badState(first.path(),
                      fmt::format("of {} ranks has \"{}\", which is no part of "
                                  "\"{} {} {}\" of {} ranks",
                                  files_.size(), printable(line),
                                  toString(symbol.window.region),
                                  typeString(symbol), symbol.name, ranks));
    Place place{at, tensorByteSize(saved->dtype, saved->shape).value_or(0),
                !isSame};
    at += place.bytes;
    if (at > first.valueBytes())
      break;
    if (isSame)
      VM_RETURN_IF_ERROR(checkSame(symbol, place));
    places_.push_back(place);
  }
  if (at != first.valueBytes() || !lines.empty())
    return badState(first.path(), "is of other programs");
  return {};
}

/// What each rank has of its own cannot be given to others.
Status StateShards::checkSame(const Symbol &symbol, const Place &place) const {
  if (isRankWord(symbol) || symbol.window.region == Region::Metrics)
    return {};
  std::vector<uint8_t> first(Transfer::kStagingBytes), other(first.size());
  for (uint64_t at = 0; at < place.bytes; at += first.size()) {
    uint64_t length = std::min<uint64_t>(place.bytes - at, first.size());
    VM_RETURN_IF_ERROR(files_.front().readValues(
        place.at + at, std::span(first).first(length)));
    for (const StateReader &file : files_) {
      VM_RETURN_IF_ERROR(
          file.readValues(place.at + at, std::span(other).first(length)));
      if (!std::equal(first.begin(), first.begin() + ptrdiff_t(length),
                      other.begin()))
        return badState(file.path(),
                        fmt::format("has another \"{}\" ({}) than that of rank "
                                    "0, which cannot go to another number of "
                                    "ranks",
                                    symbol.name, typeString(symbol)));
    }
  }
  return {};
}

Result<StateShards> StateShards::open(const Plan &plan, const std::string &path,
                                      uint32_t ranks) {
  StateShards shards;
  VM_RETURN_IF_ERROR(shards.openFiles(path));
  VM_RETURN_IF_ERROR(shards.place(plan, ranks));
  return shards;
}

//===--- Values -----------------------------------------------------------===//

Status StateShards::read(const Place &place, uint64_t from,
                         std::span<uint8_t> bytes) const {
  while (!bytes.empty()) {
    uint64_t file = place.isCut ? from / place.bytes : 0;
    uint64_t at = place.isCut ? from % place.bytes : from;
    auto piece =
        bytes.first(std::min<uint64_t>(place.bytes - at, bytes.size()));
    VM_RETURN_IF_ERROR(files_[file].readValues(place.at + at, piece));
    bytes = bytes.subspan(piece.size());
    from += piece.size();
  }
  return {};
}

Status StateShards::put(const Plan &plan, uint32_t rank,
                        const WriteValues &write) const {
  std::vector<uint8_t> memory(Transfer::kStagingBytes);
  for (size_t i = 0; i < places_.size(); ++i) {
    const Symbol &symbol = plan.symbols[i];
    uint64_t size = byteSizeOf(symbol);
    uint64_t first = places_[i].isCut ? rank * size : 0;
    for (uint64_t at = 0; at < size; at += memory.size()) {
      auto piece =
          std::span(memory).first(std::min<uint64_t>(size - at, memory.size()));
      VM_RETURN_IF_ERROR(read(places_[i], first + at, piece));
      VM_RETURN_IF_ERROR(
          write(symbol.window.region, symbol.window.offset + at, piece));
    }
  }
  return {};
}

} // namespace vm
