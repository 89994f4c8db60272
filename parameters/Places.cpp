//===- Places.cpp - places in the lines of a text -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "parameters/Places.h"

using namespace vm;

std::vector<Place> vm::findPlaces(std::string_view line,
                                  const IsPlace &isPlace) {
  std::vector<Place> places;
  size_t begin = line.find('@');
  while (begin != line.npos) {
    size_t end = line.find('@', begin + 1);
    if (end == line.npos)
      break;
    std::string_view content = line.substr(begin + 1, end - begin - 1);
    if (!isPlace(content)) { // A symbol, say.
      begin = end;
      continue;
    }
    places.push_back({begin, end + 1 - begin, content});
    begin = line.find('@', end + 1);
  }
  return places;
}

void vm::replace(std::string_view line,
                 const std::vector<Replacement> &replacements,
                 std::string &out) {
  size_t done = 0;
  for (const Replacement &each : replacements) {
    out += line.substr(done, each.begin - done);
    out += each.text;
    done = each.begin + each.size;
  }
  out += line.substr(done);
}
