//===- HostilePlanTest.cpp - files that the loader must refuse ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two nets: the table in test/hostile/plans.txt, whose cases each name the
// exact message, and a walk over every value of the sample plan's manifest that
// tries every kind of wrong value.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanFile.h"
#include "runtime/plan/PlanVersion.h"
#include "test/runtime/plan/PlanMutation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

using namespace vm;
using test::PlanMutation;

namespace {

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct Case {
  std::string name;
  std::vector<std::string> edits;
  std::string message;
};

/// Blocks separated by empty lines: a name, edits that begin with two spaces,
/// and `  = message`.
std::vector<Case> readTable(const std::string &path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    if (line[0] != ' ')
      cases.push_back({line, {}, ""});
    else if (line.rfind("  = ", 0) == 0)
      cases.back().message = line.substr(4);
    else
      cases.back().edits.push_back(line.substr(2));
  }
  return cases;
}

constexpr size_t kMinorAt = 10; // docs/plan-format.md, 1

std::string messageOf(const std::vector<uint8_t> &bytes) {
  // A copy of exactly this size: AddressSanitizer sees a read past its end.
  std::vector<uint8_t> exact(bytes);
  exact.shrink_to_fit();
  return readPlan(exact).status().message();
}

TEST(HostilePlans, EveryCaseGetsItsExactMessage) {
  std::vector<Case> cases = readTable(GPUVM_HOSTILE_PLANS);
  EXPECT_GE(cases.size(), 80u);
  std::set<std::string> names;
  for (const Case &c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_TRUE(names.insert(c.name).second) << "the name is used twice";
    PlanMutation mutation;
    for (const std::string &edit : c.edits)
      ASSERT_TRUE(mutation.apply(edit)) << "not an edit: " << edit;
    EXPECT_EQ(messageOf(mutation.bytes()), c.message);
    EXPECT_NE(c.message, "") << "the case expects nothing";
  }
}

TEST(HostilePlans, EveryTruncationIsRefused) {
  std::vector<uint8_t> file = PlanMutation().bytes();
  ASSERT_EQ(messageOf(file), "");
  for (size_t size = 0; size < file.size(); ++size) {
    std::string message = messageOf({file.begin(), file.begin() + size});
    ASSERT_NE(message, "") << size;
  }
}

TEST(HostilePlans, EveryFlippedBitIsRefused) {
  const std::vector<uint8_t> file = PlanMutation().bytes();
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::vector<uint8_t> broken = file;
    broken[bit / 8] ^= static_cast<uint8_t>(1 << (bit % 8));
    // The sample has nothing that an older minor version does not have.
    if (bit / 8 == kMinorAt && broken[kMinorAt] <= kPlanFormatMinor)
      continue;
    ASSERT_NE(messageOf(broken), "") << "bit " << bit;
  }
}

//===----------------------------------------------------------------------===//
// Every value of the manifest
//===----------------------------------------------------------------------===//

using json = nlohmann::ordered_json;

/// `/inputs/0/name` as the reader's messages write it: `inputs[0].name`.
std::string pathString(const std::string &pointer) {
  std::string path;
  for (size_t at = 1; at < pointer.size();) {
    size_t end = std::min(pointer.find('/', at), pointer.size());
    std::string part = pointer.substr(at, end - at);
    if (std::isdigit(static_cast<unsigned char>(part[0])))
      path += "[" + part + "]";
    else
      path += (path.empty() ? "" : ".") + part;
    at = end + 1;
  }
  return path;
}

/// Pointers to every value below the root, containers included.
void collect(const json &value, const std::string &pointer,
             std::vector<std::string> &pointers) {
  if (!pointer.empty())
    pointers.push_back(pointer);
  if (value.is_object())
    for (auto it = value.begin(); it != value.end(); ++it)
      collect(*it, pointer + "/" + it.key(), pointers);
  else if (value.is_array())
    for (size_t i = 0; i < value.size(); ++i)
      collect(value[i], pointer + "/" + std::to_string(i), pointers);
}

std::string messageWith(const json &manifest) {
  PlanMutation mutation;
  mutation.manifest = manifest.dump();
  return messageOf(mutation.bytes());
}

class EveryManifestValue : public testing::Test {
protected:
  void SetUp() override {
    manifest = json::parse(PlanMutation().manifest);
    collect(manifest, "", pointers);
    ASSERT_GT(pointers.size(), 200u);
  }
  json with(const std::string &pointer, const json &value) const {
    json changed = manifest;
    changed[json::json_pointer(pointer)] = value;
    return changed;
  }
  const json &at(const std::string &pointer) const {
    return manifest.at(json::json_pointer(pointer));
  }
  /// Whether the value is a field of an object rather than an element.
  bool isField(const std::string &pointer) const {
    return manifest.at(json::json_pointer(pointer).parent_pointer())
        .is_object();
  }
  bool isFeature(const std::string &pointer) const {
    return pointer.find("/features/") != std::string::npos;
  }

  json manifest;
  std::vector<std::string> pointers;
};

TEST_F(EveryManifestValue, MayNotBeMissing) {
  for (const std::string &pointer : pointers) {
    if (!isField(pointer))
      continue;
    json changed = manifest;
    json::json_pointer where(pointer);
    changed.at(where.parent_pointer()).erase(where.back());
    EXPECT_EQ(
        messageWith(changed),
        fmt::format("Manifest field \"{}\" is missing.", pathString(pointer)));
  }
}

TEST_F(EveryManifestValue, MayNotBeOfAnotherKind) {
  const std::pair<json, const char *> wrong[] = {{nullptr, "null"},
                                                 {true, "a boolean"},
                                                 {"?", "a string"},
                                                 {json::array(), "an array"},
                                                 {json::object(), "an object"}};
  for (const std::string &pointer : pointers) {
    const json &original = at(pointer);
    const char *needed = original.is_object()    ? "an object"
                         : original.is_array()   ? "an array"
                         : original.is_string()  ? "a string"
                         : original.is_boolean() ? "a boolean"
                                                 : "an integer";
    for (const auto &[value, name] : wrong) {
      if (value.type() == original.type())
        continue;
      std::string expected =
          fmt::format("Manifest field \"{}\" is {} ({} is needed).",
                      pathString(pointer), name, needed);
      if (isFeature(pointer))
        expected =
            fmt::format("Manifest field \"{}\" is not the name of a feature.",
                        pathString(pointer));
      EXPECT_EQ(messageWith(with(pointer, value)), expected);
    }
  }
}

TEST_F(EveryManifestValue, NumbersMustBeIntegersInRange) {
  for (const std::string &pointer : pointers) {
    if (!at(pointer).is_number())
      continue;
    for (const json &value : {json(-1), json(3.7), json(1e300),
                              json::parse("18446744073709551616")}) {
      std::string message = messageWith(with(pointer, value));
      std::string start =
          fmt::format("Manifest field \"{}\" is {} (an integer from 0 to ",
                      pathString(pointer), value.dump());
      EXPECT_EQ(message.substr(0, start.size()), start);
    }
  }
}

TEST_F(EveryManifestValue, ObjectsMayNotHaveOtherFields) {
  for (const std::string &pointer : pointers) {
    if (!at(pointer).is_object())
      continue;
    EXPECT_EQ(messageWith(with(pointer + "/extra", 1)),
              fmt::format("Manifest object \"{}\" has the unknown field "
                          "\"extra\".",
                          pathString(pointer)));
  }
}

TEST_F(EveryManifestValue, FieldsMayNotRepeat) {
  for (const std::string &pointer : pointers) {
    if (!isField(pointer))
      continue;
    // Rename a new field in the text to the name of an old one.
    json::json_pointer where(pointer);
    json changed = manifest;
    changed.at(where.parent_pointer())["@again"] = at(pointer);
    PlanMutation mutation;
    mutation.manifest = changed.dump();
    size_t found = mutation.manifest.find("@again");
    mutation.manifest.replace(found, 6, where.back());
    std::string object = pathString(where.parent_pointer().to_string());
    EXPECT_EQ(messageOf(mutation.bytes()),
              fmt::format("Manifest object \"{}\" has two fields \"{}\".",
                          object.empty() ? "manifest" : object, where.back()));
  }
}

/// A value of the right kind may be refused with any sentence, or make another
/// valid plan, which must then survive a round trip.
TEST_F(EveryManifestValue, OtherValuesAreRefusedOrMakeAPlan) {
  const json numbers[] = {0u,          1u,
                          2u,          7u,
                          255u,        65536u,
                          4294967295u, uint64_t(1) << 40,
                          UINT64_MAX,  UINT64_MAX - 255};
  const json strings[] = {
      "", "x", "scale", "heap", "RAW", "\n", std::string(5000, 'a')};
  unsigned accepted = 0, refused = 0;
  for (const std::string &pointer : pointers) {
    const json &original = at(pointer);
    std::vector<json> values;
    if (original.is_number())
      values.assign(std::begin(numbers), std::end(numbers));
    else if (original.is_string())
      values.assign(std::begin(strings), std::end(strings));
    else if (original.is_boolean())
      values = {true, false};
    else if (original.is_array())
      values = {json::array()};
    for (const json &value : values) {
      SCOPED_TRACE(pointer + " = " + value.dump().substr(0, 40));
      PlanMutation mutation;
      mutation.manifest = with(pointer, value).dump();
      Result<Plan> plan = readPlan(mutation.bytes());
      if (!plan.ok()) {
        ++refused;
        const std::string &message = plan.status().message();
        EXPECT_EQ(plan.status().code(), Code::BadInput);
        EXPECT_TRUE(std::isupper(static_cast<unsigned char>(message[0])));
        EXPECT_EQ(message.back(), '.');
        EXPECT_LT(message.size(), 2000u);
        continue;
      }
      ++accepted;
      EXPECT_TRUE(checkPlan(*plan).ok());
      std::vector<uint8_t> expected = mutation.bytes();
      expected[kMinorAt] = static_cast<uint8_t>(
          std::max(newestPart(*plan).minor, kMinorOfStageIndices));
      EXPECT_EQ(writePlan(*plan), expected);
    }
  }
  // Renamed things, other fill values, larger regions: neither all nor none.
  EXPECT_GT(accepted, 50u);
  EXPECT_GT(refused, 500u);
}

} // namespace
