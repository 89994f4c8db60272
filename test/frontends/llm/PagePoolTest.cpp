//===- PagePoolTest.cpp - pages that sequences share ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/PagePool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

using namespace vm::llm;

namespace {
using Tokens = std::vector<int32_t>;

Tokens count(size_t tokens, int32_t first = 0) {
  Tokens all(tokens);
  std::iota(all.begin(), all.end(), first);
  return all;
}

Tokens pagesOf(const PagePool &pool, size_t place, size_t most) {
  Tokens own(pool.table().begin() + place * most,
             pool.table().begin() + (place + 1) * most);
  own.erase(std::remove(own.begin(), own.end(), -1), own.end());
  return own;
}
} // namespace

TEST(PagePool, KeepsACommonPrefixOnce) {
  PagePool pool(8, 4, 2, 4);
  Tokens tokens = count(13);
  EXPECT_EQ(pool.cached(tokens), 0u);
  ASSERT_TRUE(pool.begin(0, tokens, 16));
  EXPECT_EQ(pool.cached(tokens), 0u); // Not computed yet.
  pool.publish(0, std::span(tokens).first(10));
  EXPECT_EQ(pool.cached(tokens), 8u);
  EXPECT_EQ(pool.cached(count(7)), 4u);
  EXPECT_EQ(pool.cached(count(13, 1)), 0u);

  Tokens other = count(10);
  other[9] = 99;
  ASSERT_TRUE(pool.begin(1, other, 16));
  Tokens a = pagesOf(pool, 0, 4), b = pagesOf(pool, 1, 4);
  EXPECT_EQ(Tokens(a.begin(), a.begin() + 2), Tokens(b.begin(), b.begin() + 2));
  EXPECT_EQ(std::set<int32_t>({a[2], a[3], b[2], b[3]}).size(), 4u);
}

TEST(PagePool, ReadsTheLastTokenOfAPromptAgain) {
  PagePool pool(8, 4, 2, 4);
  Tokens tokens = count(8);
  ASSERT_TRUE(pool.begin(0, tokens, 8));
  pool.publish(0, tokens);
  ASSERT_TRUE(pool.begin(1, tokens, 8));
  Tokens a = pagesOf(pool, 0, 4), b = pagesOf(pool, 1, 4);
  EXPECT_EQ(a[0], b[0]);
  EXPECT_NE(a[1], b[1]); // Where the last token's row is written.
}

TEST(PagePool, KeepsPagesWithoutASequence) {
  PagePool pool(4, 4, 1, 4);
  Tokens tokens = count(9);
  ASSERT_TRUE(pool.begin(0, tokens, 9));
  pool.publish(0, tokens);
  Tokens first = pagesOf(pool, 0, 4);
  pool.end(0);
  EXPECT_EQ(pool.cached(tokens), 8u);
  ASSERT_TRUE(pool.begin(0, count(5, 50), 5)); // Takes what is empty first,
  EXPECT_EQ(pool.cached(tokens), 8u);
  ASSERT_TRUE(pool.begin(0, count(9, 50), 9)); // then the end of the other one.
  EXPECT_EQ(pool.cached(tokens), 4u);
  pool.end(0);
  ASSERT_TRUE(pool.begin(0, tokens, 9));
  EXPECT_EQ(pagesOf(pool, 0, 4).front(), first.front());
}

TEST(PagePool, ChangesNothingWithoutRoom) {
  PagePool pool(4, 4, 2, 4);
  ASSERT_TRUE(pool.begin(0, count(4), 8));
  ASSERT_TRUE(pool.begin(1, count(4, 10), 4));
  Tokens before = pool.table();
  EXPECT_FALSE(pool.begin(1, count(4, 20), 16));
  EXPECT_EQ(pool.table(), before);
  pool.end(0);
  EXPECT_TRUE(pool.begin(1, count(4, 20), 16));
  EXPECT_EQ(pagesOf(pool, 1, 4).size(), 4u);
}

/// Against a model: what a page holds follows from what was written to it last.
TEST(PagePool, NeverGivesAPageAwayThatIsInUse) {
  constexpr size_t kRows = 4, kMost = 6, kPlaces = 5, kCount = 17;
  PagePool pool(kCount, kRows, kPlaces, kMost);
  std::mt19937 random(3);
  std::vector<Tokens> contents(kCount); // Tokens up to the end of each page.
  std::vector<Tokens> sequences(kPlaces);
  size_t shared = 0;
  for (int step = 0; step < 20000; ++step) {
    size_t place = random() % kPlaces;
    if (random() % 4 == 0) {
      pool.end(place);
      sequences[place].clear();
      continue;
    }
    Tokens tokens(1 + random() % (kMost * kRows - 1));
    for (int32_t &token : tokens)
      token = static_cast<int32_t>(random() % 20 == 0);
    size_t cached = pool.cached(std::span(tokens).first(tokens.size() - 1));
    if (!pool.begin(place, tokens, tokens.size()))
      continue;
    Tokens own = pagesOf(pool, place, kMost);
    ASSERT_EQ(own.size(), (tokens.size() + kRows - 1) / kRows);
    for (size_t page = 0; page < own.size(); ++page) {
      size_t end = std::min((page + 1) * kRows, tokens.size());
      Tokens prefix(tokens.begin(), tokens.begin() + end);
      if ((page + 1) * kRows <= cached) {
        ASSERT_EQ(contents[own[page]], prefix) << "step " << step;
        ++shared;
      }
      contents[own[page]] = prefix;
    }
    sequences[place] = tokens;
    pool.publish(place, tokens);
    for (size_t other = 0; other < kPlaces; ++other) {
      Tokens pages = pagesOf(pool, other, kMost);
      for (size_t page = 0; page < pages.size() && !sequences[other].empty();
           ++page) {
        size_t end = std::min((page + 1) * kRows, sequences[other].size());
        ASSERT_EQ(
            contents[pages[page]],
            Tokens(sequences[other].begin(), sequences[other].begin() + end));
      }
    }
  }
  EXPECT_GT(shared, 1000u);
}
