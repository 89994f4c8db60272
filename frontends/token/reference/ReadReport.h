//===- ReadReport.h - a run from JSON -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what Report.h writes, from whatever wrote it. Two that were read can be
// compared: those of an engine and of the reference, or of two versions.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/reference/Resolver.h"

#include <map>
#include <string>

namespace vm::token {

/// One stream. What it has for each token is a list as long as `tokens`.
struct StreamReport {
  std::string workflow;
  StreamStatus status = StreamStatus::Running;
  std::vector<int32_t> tokens, zones, tokenNumbers;
  std::vector<IndexSet> triggers, tags;
  std::vector<int32_t> forced; ///< 0 or 1.
  std::vector<int32_t> events; ///< Of Event.
  /// What modules recorded: a list each token, or empty where none does.
  std::vector<std::vector<int32_t>> extra;
  std::vector<int32_t> decisions;
  StreamRequests requests;
  Engine::Position final;
  std::map<std::string, int32_t> states; ///< Of modules that name theirs.
  std::string text;
  std::map<std::string, std::string> extract;
};

struct RunReport {
  bool done = false;
  std::vector<StreamReport> streams;
};

/// Reads and checks. BadInput with a line for each thing that is wrong; codes
/// mean what they mean of the tensor form (TensorJson.h), whose limits the text
/// has, too:
///   T10 it is not JSON, of another format, or larger than the limits
///   T11 a key is missing, unknown or there twice
///   T12 a value is of another type, or an integer beyond 32 bits
///   T13 a list has not one element a token
///   T16 a number is out of range, or a status is unknown
///   T17 a set is not ascending
/// Whether numbers fit each other is not looked at: a report of an engine that
/// is wrong can be read. `file` is for messages.
Result<RunReport> readReport(std::string_view text, const std::string &file);

/// Where two reports differ first, as a sentence with the names of both: in a
/// token of the first stream that differs, or else in what it has as a whole.
/// Nothing where they are the same.
std::optional<std::string> firstDifference(const RunReport &a,
                                           const std::string &nameA,
                                           const RunReport &b,
                                           const std::string &nameB);

} // namespace vm::token
