//===- WireTest.cpp - sampled workflows as text ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts were made by an encoder of 30 lines of Python that knows the
// MessagePack specification and the specification's order of keys. Each file of
// wire-bad/ is refused as its line of `expect` there says.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/Wire.h"
#include "frontends/Base64.h"
#include "frontends/token/forms/Msgpack.h"
#include "test/frontends/token/FormTesting.h"

#include <cmath>
#include <limits>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

/// A workflow of ours.
constexpr const char *kOurs =
    "hKZjb25maWeKrXpvbmVfcGF0dGVybnOSo1tQXaNbRV2xcmVxdWlyZWRfcGF0dGVybnORo1tQ"
    "Xap2YWxpZF90YWdzkqFBoUK4ZGVmYXVsdF9tYXhfdG9rZW5fbGVuZ3RozQEsqXNlcXVlbmNl"
    "c5Khc6F0r2NvbnRyb2xfcGF0dGVybqNbSl2vZXNjYXBlX3BhdHRlcm5zkqNbPF2jWz5dpXRv"
    "b2xzkaRjYWxjpG1pc2OCoXoBoWGVw9H/OMo/AAAAyz+5mZmZmZmaosOprGFsdGVybmF0aXZl"
    "c4KjW0VdkaM8ZT6jW1BdkqM8cD6jKHAppW5vZGVzhACCpGRhdGGLqHNlcXVlbmNloXOlYmxv"
    "Y2sApHRleHSjW1BdsHpvbmVfYWR2YW5jZV9zdHKjW1BdpHRhZ3OQp3RpbWVvdXRkpWlucHV0"
    "wqZvdXRwdXTCsGp1bXBfYWR2YW5jZV9zdHLAq2VzY2FwZV9zdHJzkqNbPF2jWz5dqXRvb2xf"
    "bmFtZcClbGlua3OCr25leHRfem9uZV9pbmRleAGvanVtcF96b25lX2luZGV4wAGCpGRhdGGL"
    "qHNlcXVlbmNloXOlYmxvY2sApHRleHSlIHFbRV2wem9uZV9hZHZhbmNlX3N0cqNbRV2kdGFn"
    "c5GhQad0aW1lb3V0ZKVpbnB1dMKmb3V0cHV0w7BqdW1wX2FkdmFuY2Vfc3RywKtlc2NhcGVf"
    "c3Ryc5KjWzxdo1s+Xal0b29sX25hbWWkY2FsY6VsaW5rc4KvbmV4dF96b25lX2luZGV4Aq9q"
    "dW1wX3pvbmVfaW5kZXjAAoKkZGF0YYuoc2VxdWVuY2WhdKVibG9jawGkdGV4dKNbUF2wem9u"
    "ZV9hZHZhbmNlX3N0cqNbUF2kdGFnc5CndGltZW91dM0BLKVpbnB1dMKmb3V0cHV0wrBqdW1w"
    "X2FkdmFuY2Vfc3RywKtlc2NhcGVfc3Ryc5KjWzxdo1s+Xal0b29sX25hbWXApWxpbmtzgq9u"
    "ZXh0X3pvbmVfaW5kZXgDr2p1bXBfem9uZV9pbmRleMADgqRkYXRhi6hzZXF1ZW5jZaF0pWJs"
    "b2NrAaR0ZXh0oLB6b25lX2FkdmFuY2Vfc3Ryo1tFXaR0YWdzkqFCoUGndGltZW91dM0BLKVp"
    "bnB1dMOmb3V0cHV0wrBqdW1wX2FkdmFuY2Vfc3Ryo1tKXatlc2NhcGVfc3Ryc5KjWzxdo1s+"
    "Xal0b29sX25hbWXApWxpbmtzgq9uZXh0X3pvbmVfaW5kZXgAr2p1bXBfem9uZV9pbmRleP+r"
    "ZXh0cmFjdGlvbnOCpGxhc3SRoUKjYWxskqFBoUKlZ3B1dm2EpG5hbWWkY2hhdKdhbnN3ZXJz"
    "pGxpdmWrcmVwZXRpdGlvbnOUAADOAAERcACvZXh0cmFjdF9vcHRpb25zgqRsYXN0ksPCo2Fs"
    "bJLCww==";

/// The same as the original writes it: without `gpuvm` and `alternatives`, and
/// `misc` is {"f": 0.5} in 64 bits.
constexpr const char *kTheirs =
    "g6Zjb25maWeJrXpvbmVfcGF0dGVybnOSo1tQXaNbRV2xcmVxdWlyZWRfcGF0dGVybnORo1tQ"
    "Xap2YWxpZF90YWdzkqFBoUK4ZGVmYXVsdF9tYXhfdG9rZW5fbGVuZ3RozQEsqXNlcXVlbmNl"
    "c5Khc6F0r2NvbnRyb2xfcGF0dGVybqNbSl2vZXNjYXBlX3BhdHRlcm5zkqNbPF2jWz5dpXRv"
    "b2xzkaRjYWxjpG1pc2OBoWbLP+AAAAAAAAClbm9kZXOEAIKkZGF0YYuoc2VxdWVuY2Whc6Vi"
    "bG9jawCkdGV4dKNbUF2wem9uZV9hZHZhbmNlX3N0cqNbUF2kdGFnc5CndGltZW91dGSlaW5w"
    "dXTCpm91dHB1dMKwanVtcF9hZHZhbmNlX3N0csCrZXNjYXBlX3N0cnOSo1s8XaNbPl2pdG9v"
    "bF9uYW1lwKVsaW5rc4KvbmV4dF96b25lX2luZGV4Aa9qdW1wX3pvbmVfaW5kZXjAAYKkZGF0"
    "YYuoc2VxdWVuY2Whc6VibG9jawCkdGV4dKUgcVtFXbB6b25lX2FkdmFuY2Vfc3Ryo1tFXaR0"
    "YWdzkaFBp3RpbWVvdXRkpWlucHV0wqZvdXRwdXTDsGp1bXBfYWR2YW5jZV9zdHLAq2VzY2Fw"
    "ZV9zdHJzkqNbPF2jWz5dqXRvb2xfbmFtZaRjYWxjpWxpbmtzgq9uZXh0X3pvbmVfaW5kZXgC"
    "r2p1bXBfem9uZV9pbmRleMACgqRkYXRhi6hzZXF1ZW5jZaF0pWJsb2NrAaR0ZXh0o1tQXbB6"
    "b25lX2FkdmFuY2Vfc3Ryo1tQXaR0YWdzkKd0aW1lb3V0zQEspWlucHV0wqZvdXRwdXTCsGp1"
    "bXBfYWR2YW5jZV9zdHLAq2VzY2FwZV9zdHJzkqNbPF2jWz5dqXRvb2xfbmFtZcClbGlua3OC"
    "r25leHRfem9uZV9pbmRleAOvanVtcF96b25lX2luZGV4wAOCpGRhdGGLqHNlcXVlbmNloXSl"
    "YmxvY2sBpHRleHSgsHpvbmVfYWR2YW5jZV9zdHKjW0VdpHRhZ3OSoUKhQad0aW1lb3V0zQEs"
    "pWlucHV0w6ZvdXRwdXTCsGp1bXBfYWR2YW5jZV9zdHKjW0pdq2VzY2FwZV9zdHJzkqNbPF2j"
    "Wz5dqXRvb2xfbmFtZcClbGlua3OCr25leHRfem9uZV9pbmRleACvanVtcF96b25lX2luZGV4"
    "/6tleHRyYWN0aW9uc4KkbGFzdJGhQqNhbGySoUGhQg==";

SampledWorkflow read(const std::string &text) {
  Result<SampledWorkflow> workflow = readWire(text, "x");
  EXPECT_TRUE(workflow.ok()) << workflow.status().message();
  return workflow.ok() ? *workflow : SampledWorkflow();
}

//===--- Base64 -----------------------------------------------------------===//

TEST(TokenBase64, TheExamplesOfRfc4648) {
  std::string text = "foobar";
  const char *encoded[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                           "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (size_t i = 0; i <= text.size(); ++i) {
    size_t bad = 0;
    EXPECT_EQ(encodeBase64(text.substr(0, i)), encoded[i]);
    EXPECT_EQ(decodeBase64(encoded[i], bad), text.substr(0, i));
  }
  EXPECT_EQ(encodeBase64("\xFB\xFF"), "+/8=");
}

TEST(TokenBase64, SaysWhereItEnds) {
  std::pair<const char *, size_t> bad[] = {
      {"Z", 1},    {"Zm9", 3},  {"Zm9vZ", 5},    {"Zm9v\n", 4},   {"Z===", 1},
      {"====", 0}, {"Zg=a", 2}, {"Zg==Zg==", 2}, {"Zm9v====", 4}, {"Zh==", 1},
      {"Zm9=", 2}, {"Zm-v", 2}, {"Zm 9", 2}};
  for (auto [text, offset] : bad) {
    size_t found = 0;
    EXPECT_FALSE(decodeBase64(text, found)) << text;
    EXPECT_EQ(found, offset) << text;
  }
}

//===--- MessagePack ------------------------------------------------------===//

std::string hex(const std::string &bytes) {
  std::string text;
  for (char c : bytes)
    text += "0123456789ABCDEF"[uint8_t(c) >> 4],
        text += "0123456789ABCDEF"[uint8_t(c) & 15];
  return text;
}

template <typename F> std::string packed(F write) {
  MsgpackWriter writer;
  write(writer);
  return writer.take();
}

TEST(TokenMsgpack, IntegersTakeTheFewestBytes) {
  std::pair<int64_t, const char *> integers[] = {
      {0, "00"},
      {127, "7F"},
      {128, "CC80"},
      {255, "CCFF"},
      {256, "CD0100"},
      {65535, "CDFFFF"},
      {65536, "CE00010000"},
      {4294967295, "CEFFFFFFFF"},
      {4294967296, "CF0000000100000000"},
      {INT64_MAX, "CF7FFFFFFFFFFFFFFF"},
      {-1, "FF"},
      {-32, "E0"},
      {-33, "D0DF"},
      {-128, "D080"},
      {-129, "D1FF7F"},
      {-32768, "D18000"},
      {-32769, "D2FFFF7FFF"},
      {-2147483648, "D280000000"},
      {-2147483649, "D3FFFFFFFF7FFFFFFF"},
      {INT64_MIN, "D38000000000000000"}};
  for (auto [value, bytes] : integers) {
    std::string written =
        packed([&, v = value](MsgpackWriter &out) { out.integer(v); });
    EXPECT_EQ(hex(written), bytes);
    MsgpackReader reader(written);
    ASSERT_EQ(reader.peek(), MsgpackType::Integer);
    EXPECT_EQ(reader.integer().value, value);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.peek(), MsgpackType::End);
  }
}

TEST(TokenMsgpack, RealsAreOf32BitsWhereTheyFit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::pair<double, const char *> reals[] = {
      {0.5, "CA3F000000"},         {-0.0, "CA80000000"},
      {0.1, "CB3FB999999999999A"}, {1e300, "CB7E37E43C8800759C"},
      {kInfinity, "CA7F800000"},   {-kInfinity, "CAFF800000"}};
  for (auto [value, bytes] : reals) {
    std::string written =
        packed([&, v = value](MsgpackWriter &out) { out.real(v); });
    EXPECT_EQ(hex(written), bytes);
    MsgpackReader reader(written);
    EXPECT_EQ(reader.real(), value);
  }
  std::string none = packed([](MsgpackWriter &out) { out.real(NAN); });
  EXPECT_EQ(none.size(), 9u);
  EXPECT_TRUE(std::isnan(MsgpackReader(none).real()));
}

TEST(TokenMsgpack, StringsAndSizesTakeTheFewestBytes) {
  std::pair<size_t, const char *> strings[] = {
      {0, "A0"},       {31, "BF"},        {32, "D920"},         {255, "D9FF"},
      {256, "DA0100"}, {65535, "DAFFFF"}, {65536, "DB00010000"}};
  for (auto [size, head] : strings) {
    std::string text(size, 'a');
    std::string written = packed([&](MsgpackWriter &out) { out.string(text); });
    EXPECT_EQ(hex(written.substr(0, written.size() - size)), head);
    EXPECT_EQ(MsgpackReader(written).string(), text);
  }
  std::tuple<size_t, const char *, const char *> sizes[] = {
      {0, "90", "80"},
      {15, "9F", "8F"},
      {16, "DC0010", "DE0010"},
      {65535, "DCFFFF", "DEFFFF"},
      {65536, "DD00010000", "DF00010000"}};
  for (auto [size, list, map] : sizes) {
    size_t n = size;
    std::string lists = packed([=](MsgpackWriter &out) { out.list(n); });
    std::string maps = packed([=](MsgpackWriter &out) { out.map(n); });
    EXPECT_EQ(hex(lists), list);
    EXPECT_EQ(hex(maps), map);
    EXPECT_EQ(MsgpackReader(lists).list(), size);
    EXPECT_EQ(MsgpackReader(maps).map(), size);
  }
}

//===--- Reading ----------------------------------------------------------===//

TEST(TokenWire, ReadsTheConfig) {
  PromptConfig config = read(kOurs).config;
  using Strings = std::vector<std::string>;
  EXPECT_EQ(config.zonePatterns, (Strings{"[P]", "[E]"}));
  EXPECT_EQ(config.requiredPatterns, Strings{"[P]"});
  EXPECT_EQ(config.validTags, (Strings{"A", "B"}));
  EXPECT_EQ(config.defaultMaxTokenLength, 300);
  EXPECT_EQ(config.sequences, (Strings{"s", "t"}));
  EXPECT_EQ(config.controlPattern, "[J]");
  EXPECT_EQ(config.escapeOpen, "[<]");
  EXPECT_EQ(config.escapeClose, "[>]");
  EXPECT_EQ(config.tools, Strings{"calc"});
  EXPECT_EQ(config.misc.dump(), R"({"z":1,"a":[true,-200,0.5,0.1,"é"]})");
  EXPECT_EQ(config.alternatives,
            (Alternatives{{"[E]", {"<e>"}}, {"[P]", {"<p>", "(p)"}}}));
}

TEST(TokenWire, ReadsTheNodes) {
  SampledWorkflow workflow = read(kOurs);
  ASSERT_EQ(workflow.zones.size(), 4u);
  const SampledZone &asks = workflow.zones[1], &feeds = workflow.zones[3];
  EXPECT_EQ(asks.sequence, "s");
  EXPECT_EQ(asks.block, 0);
  EXPECT_EQ(asks.text, " q[E]");
  EXPECT_EQ(asks.advancePattern, "[E]");
  EXPECT_EQ(asks.tags, std::vector<std::string>{"A"});
  EXPECT_EQ(asks.timeout, 100);
  EXPECT_TRUE(asks.output && !asks.input);
  EXPECT_EQ(asks.tool, "calc");
  EXPECT_EQ(asks.next, 2);
  EXPECT_FALSE(asks.jump || asks.jumpPattern);
  EXPECT_TRUE(feeds.input && !feeds.output);
  EXPECT_EQ(feeds.tags, (std::vector<std::string>{"B", "A"}));
  EXPECT_EQ(feeds.next, 0);
  EXPECT_EQ(feeds.jump, kEnd);
  EXPECT_EQ(feeds.jumpPattern, "[J]");
  EXPECT_EQ(workflow.zones[2].repetition, 70000);
  EXPECT_EQ(workflow.zones[2].place.file, "x");
}

TEST(TokenWire, ReadsTheRest) {
  SampledWorkflow workflow = read(kOurs);
  EXPECT_EQ(workflow.name, "chat");
  EXPECT_TRUE(workflow.liveAnswers);
  EXPECT_EQ(workflow.tokenizer, "bytes");
  ASSERT_EQ(workflow.extractions.size(), 2u);
  const Extraction &last = workflow.extractions["last"];
  EXPECT_EQ(last.tags, std::vector<std::string>{"B"});
  EXPECT_TRUE(last.forced && !last.patterns);
  const Extraction &all = workflow.extractions["all"];
  EXPECT_TRUE(!all.forced && all.patterns);
}

TEST(TokenWire, WhatWasReadBecomesTensors) {
  SampledWorkflow workflow = read(kOurs);
  Machine machine = machineOf(workflow);
  EXPECT_EQ(machine.zones[3].jumpAddress, 4);
  EXPECT_EQ(machine.zones[1].timeout, 105);
  EXPECT_FALSE(machine.zones[3].inert);
}

TEST(TokenWire, FilesOfTheOriginal) {
  SampledWorkflow workflow = read(kTheirs);
  EXPECT_EQ(workflow.name, "");
  EXPECT_FALSE(workflow.liveAnswers);
  EXPECT_TRUE(workflow.config.alternatives.empty());
  EXPECT_EQ(workflow.config.misc["f"], 0.5);
  EXPECT_EQ(workflow.zones.at(2).repetition, 0);
  const Extraction &all = workflow.extractions["all"];
  EXPECT_TRUE(all.forced && all.patterns);
  EXPECT_EQ(workflow.extractions.size(), 2u);
}

//===--- Writing ----------------------------------------------------------===//

TEST(TokenWire, WritingWhatWasReadGivesTheSameBytes) {
  for (const char *text : {kOurs, kTheirs})
    EXPECT_EQ(writeWire(read(text)), text);
}

TEST(TokenWire, WritesAWorkflowThatWasBuilt) {
  SampledWorkflow built = read(kOurs);
  built.wire = WireShape();
  // Extractions come in the order of their names, `misc` in its own.
  SampledWorkflow again = read(writeWire(built));
  EXPECT_EQ(again.wire.extractions, (std::vector<std::string>{"all", "last"}));
  built.wire.extractions = {"last", "all"};
  EXPECT_EQ(writeWire(built), kOurs);
}

TEST(TokenWire, ANewExtractionComesAfterThoseThatWereRead) {
  SampledWorkflow workflow = read(kOurs);
  workflow.extractions.erase("last");
  workflow.extractions["aa"] = {{"A"}, true, true};
  EXPECT_EQ(read(writeWire(workflow)).wire.extractions,
            (std::vector<std::string>{"all", "aa"}));
}

TEST(TokenWire, ABuiltWorkflowComesBack) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.config.misc["list"] = {1, "two", {{"three", 3.5}}};
  workflow.zones[1].text = std::string(70000, 'x') + "\xF0\x9F\x98\x80[E]";
  workflow.zones[1].timeout = 1 << 20;
  std::string text = writeWire(workflow);
  SampledWorkflow again = read(text);
  EXPECT_EQ(again.config.misc, workflow.config.misc);
  EXPECT_EQ(again.zones.at(1).text, workflow.zones[1].text);
  EXPECT_EQ(again.zones.at(1).timeout, 1 << 20);
  EXPECT_EQ(again.zones.at(1).next, kEnd);
  EXPECT_EQ(writeWire(again), text);
}

TEST(TokenWire, ManyNodes) {
  SampledWorkflow workflow = smallWorkflow();
  SampledZone zone = workflow.zones[1];
  for (int64_t number = 2; number < 70000; ++number) {
    workflow.zones.back().next = number;
    workflow.zones.push_back(zone);
  }
  std::string text = writeWire(workflow);
  SampledWorkflow again = read(text);
  EXPECT_EQ(again.zones.size(), 70000u);
  EXPECT_EQ(writeWire(again), text);
}

//===--- What is refused --------------------------------------------------===//

TEST(TokenWire, BadFiles) {
  for (const BadForm &bad : badForms("wire-bad")) {
    Result<SampledWorkflow> workflow = readWire(bad.text, "x");
    ASSERT_FALSE(workflow.ok()) << bad.file;
    EXPECT_EQ(workflow.status().code(), Code::BadInput);
    expectWords(workflow.status().message(), bad);
  }
}

TEST(TokenWire, EveryCutIsRefused) {
  size_t bad = 0;
  std::string bytes = *decodeBase64(kOurs, bad);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(readWire(encodeBase64(bytes.substr(0, size)), "x").ok())
        << size;
}

TEST(TokenWire, AChangedByteIsRefusedOrWrittenAgain) {
  size_t bad = 0;
  std::string bytes = *decodeBase64(kOurs, bad);
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit : {1, 0x20, 0x80}) {
      std::string changed = bytes;
      changed[at] = char(changed[at] ^ bit);
      std::string text = encodeBase64(changed);
      Result<SampledWorkflow> workflow = readWire(text, "x");
      EXPECT_TRUE(!workflow.ok() || writeWire(*workflow) == text) << at;
    }
}

TEST(TokenWire, MiscNestsAsDeepAsTheLimit) {
  SampledWorkflow workflow = smallWorkflow();
  auto nested = [](int depth) {
    nlohmann::ordered_json json = 1;
    for (int i = 0; i < depth; ++i)
      json = nlohmann::ordered_json{{"a", json}};
    return json;
  };
  // The workflow and `config` are around it.
  workflow.config.misc = nested(kMaxWireNesting - 2);
  EXPECT_EQ(read(writeWire(workflow)).config.misc, workflow.config.misc);
  workflow.config.misc = nested(kMaxWireNesting - 1);
  EXPECT_FALSE(readWire(writeWire(workflow), "x").ok());
}

} // namespace
