//===- PlanMutation.h - plan files with one thing wrong -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the sample plan's file apart, applies an edit and puts it together
// again with right checksums, unless the edit is about those. An edit is one
// line of text; test/hostile/plans.txt explains the language.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vm::test {

class PlanMutation {
public:
  /// Starts from the file of makeSamplePlan().
  PlanMutation();

  /// Applies one edit; false if the text is not an edit.
  bool apply(const std::string &edit);

  /// The manifest's text, to be edited freely.
  std::string manifest;

  /// The file after all edits.
  std::vector<uint8_t> bytes() const;

private:
  struct Payload {
    uint32_t kind = 0;
    uint32_t index = 0;
    std::vector<uint8_t> bytes;
  };
  struct Poke {
    uint64_t offset = 0;
    uint64_t value = 0;
    unsigned width = 0;
    bool fixTable = false; ///< Recompute the table's checksum afterwards.
  };

  bool applyToManifest(const std::string &verb, const std::string &rest);
  bool applyToSections(const std::string &verb, const std::string &rest);
  bool applyToFile(const std::string &verb, const std::string &rest);

  std::vector<Payload> payloads; ///< Without the manifest, which is first.
  std::vector<Poke> pokes;
  bool dropManifest = false;
  int64_t fileSize = -1; ///< Of the truncated or extended file.
};

} // namespace vm::test
