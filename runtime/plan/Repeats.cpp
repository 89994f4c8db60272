//===- Repeats.cpp - rotating windows -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Repeats.h"

namespace vm {

const Turns::Places &Turns::placesOf(const Repeat &repeat) {
  auto [entry, isNew] = known_.try_emplace(&repeat);
  Places &places = entry->second;
  if (!isNew)
    return places;
  places.period = periodOf(repeat);
  for (const Rotation &rotation : repeat.rotations)
    for (size_t i = 0; i < rotation.size(); ++i)
      places.sorted.push_back({rotation[i].offset, &rotation, i});
  std::sort(places.sorted.begin(), places.sorted.end(),
            [](const Place &a, const Place &b) { return a.offset < b.offset; });
  return places;
}

void Turns::rotate(const Repeat &repeat, uint32_t number, bool begins) {
  if (repeat.rotations.empty())
    return;
  if (begins)
    open_.push_back({&placesOf(repeat), repeat.phase + uint64_t(number)});
  else
    open_.pop_back();
}

Window Turns::at(Window window) const {
  if (window.region != Region::Registers)
    return window;
  for (const auto &[places, turns] : open_) {
    auto next = std::upper_bound(places->sorted.begin(), places->sorted.end(),
                                 window.offset,
                                 [](uint64_t offset, const Place &place) {
                                   return offset < place.offset;
                                 });
    if (next == places->sorted.begin())
      continue;
    const auto &[offset, rotation, index] = *std::prev(next);
    if (window.offset - offset >= (*rotation)[index].length)
      continue;
    const Window &now = (*rotation)[(index + turns) % rotation->size()];
    window.offset = window.offset - offset + now.offset;
    return window;
  }
  return window;
}

size_t Turns::state() const {
  size_t state = 0;
  for (const auto &[places, turns] : open_)
    state = state * places->period + turns % places->period;
  return state;
}

size_t Turns::numStates() const {
  size_t count = 1;
  for (const Open &open : open_)
    count *= open.places->period;
  return count;
}

} // namespace vm
