//===- RegionSplitTest.cpp ------------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/RegionSplit.h"

#include <gtest/gtest.h>

#include <random>

using namespace vm;

namespace {

using Segments = std::vector<Segment>;

Segments split(uint64_t bytes,
               const std::vector<std::array<uint64_t, 2>> &ranges,
               uint64_t maxBytes) {
  std::vector<Window> windows;
  for (auto [offset, length] : ranges)
    windows.push_back({Region::Heap, offset, length});
  Result<Segments> segments = splitRegion(bytes, windows, maxBytes);
  EXPECT_TRUE(segments.ok()) << segments.status().message();
  return segments.ok() ? *segments : Segments();
}

TEST(RegionSplit, KeepsASmallRegionWhole) {
  EXPECT_EQ(split(1000, {{0, 1000}}, 1000), (Segments{{0, 1000}}));
  EXPECT_EQ(split(1, {}, 4096), (Segments{{0, 1}}));
}

TEST(RegionSplit, PutsRangesOnTheHost) {
  std::vector<Window> windows = {{Region::Heap, 512, 1024},
                                 {Region::Heap, 1536, 512}};
  Segments onHost = {{512, 1024, true}, {2304, 700, true}};
  Result<Segments> segments = splitRegion(3004, windows, 1024, onHost);
  ASSERT_TRUE(segments.ok()) << segments.status().message();
  EXPECT_EQ(
      *segments,
      (Segments{{0, 512}, {512, 1024, true}, {1536, 768}, {2304, 700, true}}));
  segments = splitRegion(3004, {}, 512, onHost);
  ASSERT_TRUE(segments.ok());
  EXPECT_EQ(*segments, (Segments{{0, 512},
                                 {512, 512, true},
                                 {1024, 512, true},
                                 {1536, 512},
                                 {2048, 256},
                                 {2304, 512, true},
                                 {2816, 188, true}}));
}

TEST(RegionSplit, AnEmptyRegionHasNoSegments) {
  EXPECT_EQ(split(0, {}, 4096), Segments());
}

TEST(RegionSplit, CutsBetweenWindows) {
  EXPECT_EQ(split(3072, {{0, 1024}, {1024, 1024}, {2048, 1024}}, 2048),
            (Segments{{0, 2048}, {2048, 1024}}));
}

TEST(RegionSplit, NeverCutsAWindow) {
  EXPECT_EQ(split(4096, {{0, 512}, {512, 2048}, {2560, 1536}}, 2560),
            (Segments{{0, 2560}, {2560, 1536}}));
  EXPECT_EQ(split(4096, {{0, 512}, {512, 2048}, {2560, 1536}}, 2304),
            (Segments{{0, 512}, {512, 2048}, {2560, 1536}}));
}

TEST(RegionSplit, CutsInsideBytesThatNoWindowCovers) {
  EXPECT_EQ(split(4096, {}, 1000), (Segments{{0, 768},
                                             {768, 768},
                                             {1536, 768},
                                             {2304, 768},
                                             {3072, 768},
                                             {3840, 256}}));
}

TEST(RegionSplit, TreatsOverlappingWindowsAsOne) {
  EXPECT_EQ(split(3072, {{0, 1024}, {768, 1024}, {2048, 1024}}, 2048),
            (Segments{{0, 2048}, {2048, 1024}}));
  EXPECT_EQ(split(3072, {{256, 1024}, {512, 1536}, {512, 256}}, 1792),
            (Segments{{0, 256}, {256, 1792}, {2048, 1024}}));
}

TEST(RegionSplit, RefusesAWindowThatIsTooLong) {
  std::vector<Window> windows = {{Region::Heap, 256, 2049}};
  Result<Segments> segments = splitRegion(4096, windows, 2048);
  ASSERT_FALSE(segments.ok());
  EXPECT_EQ(segments.status().code(), Code::NoDevice);
  EXPECT_EQ(segments.status().message(),
            "Windows that overlap each other from byte 256 on span more bytes "
            "than one allocation of the device can hold (2048 bytes).");
}

/// The properties of a split, on random windows.
TEST(RegionSplit, HoldsItsContract) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    uint64_t bytes = random() % 100000 + 1;
    uint64_t maxBytes = random() % 20000 + 6000;
    std::vector<Window> windows;
    for (unsigned i = random() % 20; i > 0; --i) {
      uint64_t offset = random() % bytes / 256 * 256;
      uint64_t length = std::min<uint64_t>(random() % 1000 + 1, bytes - offset);
      windows.push_back({Region::Heap, offset, length});
    }
    Result<Segments> segments = splitRegion(bytes, windows, maxBytes);
    ASSERT_TRUE(segments.ok()) << segments.status().message();
    uint64_t end = 0;
    for (const Segment &segment : *segments) {
      ASSERT_EQ(segment.offset, end);
      ASSERT_EQ(segment.offset % kWindowAlignment, 0u);
      ASSERT_GT(segment.length, 0u);
      ASSERT_LE(segment.length, maxBytes);
      end += segment.length;
      for (const Window &window : windows)
        ASSERT_FALSE(window.offset < end && end < window.offset + window.length)
            << "cut at " << end;
    }
    ASSERT_EQ(end, bytes);
  }
}

TEST(RegionSplit, CollectsTheWindowsOfARegion) {
  Plan plan;
  Window x = {Region::Registers, 0, 32}, y = {Region::Registers, 256, 32};
  Window table = {Region::Heap, 0, 64};
  Input input;
  input.window = x;
  plan.inputs = {input};
  plan.commands = {{Dispatch{0, {{0, x}, {4, table}}, {1, 1, 1}}},
                   {Barrier{}},
                   {Copy{x, y}},
                   {DispatchIndirect{0, {{4, table}}, 300}},
                   {Fill{y, 0}}};
  EXPECT_EQ(windowsOf(plan, Region::Registers),
            (std::vector<Window>{x, x, y, y, x}));
  EXPECT_EQ(windowsOf(plan, Region::Heap), (std::vector<Window>{table, table}));
  EXPECT_EQ(windowsOf(plan, Region::Control),
            (std::vector<Window>{{Region::Control, 256, 56}}))
      << "the triplet, from an aligned offset on";
}

} // namespace
