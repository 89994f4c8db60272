//===- ResourcesTest.cpp - resources and what is drawn from them ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The draws are those of a model in Python that has lists and integers of any
// length, written after the specification alone.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Resources.h"

#include <gtest/gtest.h>

#include <limits>

using namespace vm;
using namespace vm::token;

namespace {

using Strings = std::vector<std::string>;

Strings draws(const Resource &resource, const std::string &name, uint64_t seed,
              uint64_t count, int times) {
  ResourceSampler sampler(resource, name, seed);
  Strings texts;
  for (int i = 0; i < times; ++i)
    texts.push_back(sampler.draw({.all = false, .count = count}));
  return texts;
}

Resource letters() { return Resource::list({"a", "b", "c", "d", "e"}); }

nlohmann::ordered_json json(const char *text) {
  return nlohmann::ordered_json::parse(text);
}

//===--- Numbers ----------------------------------------------------------===//

TEST(SplitMix64Test, HasThePublishedNumbers) {
  SplitMix64 random(0);
  EXPECT_EQ(random.next(), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(random.next(), 0x6E789E6AA1B965F4u);
  EXPECT_EQ(random.next(), 0x06C45D188009454Fu);
}

TEST(FnvTest, HasThePublishedHashes) {
  EXPECT_EQ(fnv1a64(""), 0xCBF29CE484222325u);
  EXPECT_EQ(fnv1a64("a"), 0xAF63DC4C8601EC8Cu);
  EXPECT_EQ(fnv1a64("foobar"), 0x85944171F73967E8u);
}

//===--- Sampling ---------------------------------------------------------===//

TEST(ResourceSamplerTest, DrawsWithoutReplacementAndRefillsWhenShort) {
  // One item is left after two draws of two, so the third begins anew.
  EXPECT_EQ(draws(letters(), "letters", 0, 2, 6),
            (Strings{"c\ne", "d\na", "d\nb", "e\nc", "d\na", "b\nc"}));
  EXPECT_EQ(draws(letters(), "letters", 1, 2, 6),
            (Strings{"e\nc", "a\nd", "d\na", "e\nb", "a\nb", "e\nc"}));
  EXPECT_EQ(
      draws(letters(), "letters", std::numeric_limits<uint64_t>::max(), 2, 6),
      (Strings{"a\nb", "c\nd", "b\nd", "a\ne", "c\nb", "a\nd"}));
}

TEST(ResourceSamplerTest, EveryItemComesBeforeOneComesAgain) {
  EXPECT_EQ(
      draws(letters(), "letters", 0, 1, 12),
      (Strings{"c", "e", "d", "a", "b", "b", "e", "d", "c", "a", "d", "a"}));
}

TEST(ResourceSamplerTest, MoreThanThereAreIsAllInSomeOrder) {
  EXPECT_EQ(draws(letters(), "letters", 7, 9, 2),
            (Strings{"c\ne\nd\nb\na", "b\ne\nc\na\nd"}));
}

TEST(ResourceSamplerTest, AllLeavesThePool) {
  Resource list = letters();
  ResourceSampler sampler(list, "letters", 7);
  EXPECT_EQ(sampler.draw({.count = 3}), "c\ne\nd");
  EXPECT_EQ(sampler.draw({.all = true}), "a\nb\nc\nd\ne");
  EXPECT_EQ(sampler.draw({.count = 2}), "b\na");
  EXPECT_EQ(sampler.draw({.all = true}), "a\nb\nc\nd\ne");
  EXPECT_EQ(sampler.draw({.count = 1}), "b");
}

TEST(ResourceSamplerTest, SeedIsOfTheBytesOfTheName) {
  EXPECT_EQ(draws(letters(),
                  "gr\xC3\xB6\xC3\x9F"
                  "e",
                  0, 1, 5),
            (Strings{"d", "a", "e", "b", "c"}));
}

TEST(ResourceSamplerTest, ManyItems) {
  Strings items;
  for (int i = 0; i < 1000; ++i)
    items.push_back(std::to_string(i));
  Resource list = Resource::list(items);
  ResourceSampler sampler(list, "big", 42);
  Strings first;
  for (int i = 0; i < 8; ++i)
    first.push_back(sampler.draw({.count = 1}));
  EXPECT_EQ(first,
            (Strings{"905", "620", "478", "773", "667", "747", "467", "907"}));
  // 992 are left, then 2, which is too few.
  EXPECT_TRUE(sampler.draw({.count = 990})
                  .ends_with("\n571\n51\n666\n166\n504\n27\n207\n443"));
  EXPECT_EQ(sampler.draw({.count = 3}), "420\n56\n17");
}

TEST(ResourceSamplerTest, CountBeyondAnyListEnds) {
  EXPECT_EQ(draws(Resource::list({"x"}), "n", 0,
                  std::numeric_limits<int64_t>::max(), 2),
            (Strings{"x", "x"}));
}

TEST(SamplePoolTest, IsAListWithoutWhatWasRemoved) {
  SamplePool pool(6);
  EXPECT_EQ(pool.remove(5), 5u);
  EXPECT_EQ(pool.remove(0), 0u);
  EXPECT_EQ(pool.remove(1), 2u); // Of 1 2 3 4.
  EXPECT_EQ(pool.remove(2), 4u); // Of 1 3 4.
  EXPECT_EQ(pool.size(), 2u);
  EXPECT_EQ(pool.remove(0), 1u);
  EXPECT_EQ(pool.remove(0), 3u);
  pool.refill();
  EXPECT_EQ(pool.size(), 6u);
  EXPECT_EQ(pool.remove(3), 3u);
}

//===--- Kinds ------------------------------------------------------------===//

TEST(ResourceTest, TextIsItself) {
  EXPECT_EQ(draws(Resource::text("a\nb"), "n", 3, 1, 2),
            (Strings{"a\nb", "a\nb"}));
}

TEST(ResourceTest, LruDropsWhatIsBeyondItsSize) {
  Resource lru = Resource::lru(2, {"new", "old", "oldest"});
  ResourceSampler sampler(lru, "n", 0);
  EXPECT_EQ(sampler.draw({.all = true}), "new\nold");
}

TEST(ResourceTest, PushComesFirstAndDropsTheOldest) {
  Resource lru = Resource::lru(2, {"b", "a"});
  ASSERT_TRUE(lru.push("c").ok());
  EXPECT_EQ(ResourceSampler(lru, "n", 0).draw({.all = true}), "c\nb");
  ASSERT_TRUE(lru.push("d").ok());
  EXPECT_EQ(ResourceSampler(lru, "n", 0).draw({.all = true}), "d\nc");
}

TEST(ResourceTest, EmptyLruHoldsOneEmptyText) {
  Resource lru = Resource::lru(2);
  EXPECT_EQ(lru.size(), 1u);
  EXPECT_EQ(draws(lru, "n", 0, 1, 2), (Strings{"", ""}));
  EXPECT_EQ(ResourceSampler(lru, "n", 0).draw({.all = true}), "");
  // The empty text is not one that was pushed.
  ASSERT_TRUE(lru.push("a").ok());
  EXPECT_EQ(ResourceSampler(lru, "n", 0).draw({.all = true}), "a");
}

TEST(ResourceTest, OnlyAnLruTakesAPush) {
  Resource list = letters();
  Status status = list.push("f");
  EXPECT_EQ(status.code(), Code::Usage);
  EXPECT_NE(status.message().find("\"list\""), std::string::npos);
  EXPECT_EQ(list.size(), 5u);
  EXPECT_FALSE(Resource::text("a").push("b").ok());
}

TEST(ResourcesTest, CopiesShareResources) {
  Resources resources;
  resources.add("seen", Resource::lru(3));
  Resources copy = resources;
  ASSERT_TRUE(resources.find("seen")->push("x").ok());
  EXPECT_EQ(copy.find("seen")->item(0), "x");
  EXPECT_EQ(copy.find("unseen"), nullptr);
}

//===--- Arguments --------------------------------------------------------===//

TEST(ArgumentsTest, TextTakesNone) {
  EXPECT_FALSE(checkArguments(Resource::Kind::Static, json("{}")));
  auto problem =
      checkArguments(Resource::Kind::Static, json(R"({"num_samples":1})"));
  ASSERT_TRUE(problem);
  EXPECT_STREQ(problem->code, "R04");
  EXPECT_NE(problem->sentence.find("\"num_samples\""), std::string::npos);
}

TEST(ArgumentsTest, ListAndLruTakeACount) {
  for (Resource::Kind kind : {Resource::Kind::List, Resource::Kind::Lru}) {
    EXPECT_FALSE(checkArguments(kind, json(R"({"num_samples":1})")));
    EXPECT_FALSE(checkArguments(kind, json(R"({"num_samples":"all"})")));
    for (const char *wrong :
         {"{}", R"({"num_samples":0})", R"({"num_samples":-1})",
          R"({"num_samples":true})", R"({"num_samples":1.0})",
          R"({"num_samples":"ALL"})", R"({"num_samples":[1]})"}) {
      auto problem = checkArguments(kind, json(wrong));
      ASSERT_TRUE(problem) << wrong;
      EXPECT_STREQ(problem->code, "R05") << wrong;
    }
    auto unknown = checkArguments(kind, json(R"({"num_samples":1,"num":2})"));
    ASSERT_TRUE(unknown);
    EXPECT_STREQ(unknown->code, "R04");
    EXPECT_NE(unknown->sentence.find("\"num\""), std::string::npos);
  }
}

TEST(ArgumentsTest, CountIsWhatIsWritten) {
  EXPECT_TRUE(drawCount(json(R"({"num_samples":"all"})")).all);
  DrawCount three = drawCount(json(R"({"num_samples":3})"));
  EXPECT_FALSE(three.all);
  EXPECT_EQ(three.count, 3u);
}

} // namespace
