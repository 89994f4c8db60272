//===- CompareReports.cpp - the first difference of two runs --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/reference/ReadReport.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

std::string show(int32_t value) { return fmt::format("{}", value); }
std::string show(const std::string &text) { return inQuotes(text); }
std::string show(const IndexSet &set) {
  constexpr size_t kMost = 20;
  bool isLong = set.size() > kMost;
  auto end = isLong ? set.begin() + kMost : set.end();
  return fmt::format("[{}{}]", fmt::join(set.begin(), end, ", "),
                     isLong ? ", ..." : "");
}

/// Where two texts differ, at the begin of a character.
size_t firstByte(const std::string &a, const std::string &b) {
  size_t shorter = std::min(a.size(), b.size());
  size_t at =
      size_t(std::mismatch(a.begin(), a.begin() + shorter, b.begin()).first -
             a.begin());
  while (at > 0 && at < a.size() && (uint8_t(a[at]) & 0xC0) == 0x80)
    --at;
  return at;
}

/// The same part of two reports, and how both are named.
class Comparer {
public:
  Comparer(const std::string &nameA, const std::string &nameB)
      : nameA_(nameA), nameB_(nameB) {}

  void compareRuns(const RunReport &a, const RunReport &b);

  std::optional<std::string> difference;

private:
  void compareStreams(const StreamReport &a, const StreamReport &b);
  void compareTokens(const StreamReport &a, const StreamReport &b);
  void compareDecisions(const std::vector<int32_t> &a,
                        const std::vector<int32_t> &b);
  void compareRequests(const StreamRequests &a, const StreamRequests &b);
  void compareStates(const StreamReport &a, const StreamReport &b);
  void compareExtracts(const StreamReport &a, const StreamReport &b);
  size_t firstToken(const StreamReport &a, const StreamReport &b) const;
  void compareAt(size_t token, const StreamReport &a, const StreamReport &b);

  template <typename T>
  void compare(const std::string &what, const T &a, const T &b) {
    if (a != b)
      differ("{} is {} in {} and {} in {}.", what, show(a), nameA_, show(b),
             nameB_);
  }
  void compareText(const std::string &what, const std::string &a,
                   const std::string &b);
  void count(const char *what, size_t a, size_t b) {
    if (a != b)
      differ("there are {} {} in {} and {} in {}.", a, what, nameA_, b, nameB_);
  }
  /// Keeps the first sentence.
  template <typename... T>
  void differ(fmt::format_string<T...> sentence, T &&...parts) {
    if (!difference)
      difference = fmt::format("{}: ", where_) +
                   fmt::format(sentence, std::forward<T>(parts)...);
  }

  const std::string &nameA_, &nameB_;
  std::string where_; ///< What is compared.
};

/// Long ones are shown from where they differ.
void Comparer::compareText(const std::string &what, const std::string &a,
                           const std::string &b) {
  size_t at = a == b ? 0 : firstByte(a, b);
  if (at == 0)
    compare(what, a, b);
  else
    differ("{} is, from byte {} on, {} in {} and {} in {}.", what, at,
           inQuotes(std::string_view(a).substr(at)), nameA_,
           inQuotes(std::string_view(b).substr(at)), nameB_);
}

/// The columns that are integers, by key.
constexpr std::pair<const char *, std::vector<int32_t> StreamReport::*>
    kNumbers[] = {{"tokens", &StreamReport::tokens},
                  {"zones", &StreamReport::zones},
                  {"token_num", &StreamReport::tokenNumbers},
                  {"forced", &StreamReport::forced},
                  {"event", &StreamReport::events}};
constexpr std::pair<const char *, std::vector<IndexSet> StreamReport::*>
    kSets[] = {{"triggers", &StreamReport::triggers},
               {"tags", &StreamReport::tags}};

/// What modules recorded with a token; nothing where they did not.
std::vector<int32_t> extraAt(const StreamReport &stream, size_t token) {
  return token < stream.extra.size() ? stream.extra[token]
                                     : std::vector<int32_t>();
}

/// The first index at which a column differs, or the shorter length.
size_t Comparer::firstToken(const StreamReport &a,
                            const StreamReport &b) const {
  size_t first = std::min(a.tokens.size(), b.tokens.size());
  auto look = [&](const auto &x, const auto &y) {
    first =
        size_t(std::mismatch(x.begin(), x.begin() + first, y.begin()).first -
               x.begin());
  };
  for (auto [key, column] : kNumbers)
    look(a.*column, b.*column);
  for (auto [key, column] : kSets)
    look(a.*column, b.*column);
  for (size_t token = 0; token < first; ++token)
    if (extraAt(a, token) != extraAt(b, token))
      return token;
  return first;
}

void Comparer::compareAt(size_t token, const StreamReport &a,
                         const StreamReport &b) {
  auto what = [](const char *key) { return fmt::format("\"{}\"", key); };
  for (auto [key, column] : kNumbers)
    compare(what(key), (a.*column)[token], (b.*column)[token]);
  for (auto [key, column] : kSets)
    compare(what(key), (a.*column)[token], (b.*column)[token]);
  compare(what("extra"), extraAt(a, token), extraAt(b, token));
}

void Comparer::compareTokens(const StreamReport &a, const StreamReport &b) {
  size_t token = firstToken(a, b);
  if (token == std::min(a.tokens.size(), b.tokens.size()))
    return count("tokens", a.tokens.size(), b.tokens.size());
  std::string stream = where_;
  where_ = fmt::format("{}, token {}", stream, token);
  compareAt(token, a, b);
  where_ = stream;
}

void Comparer::compareDecisions(const std::vector<int32_t> &a,
                                const std::vector<int32_t> &b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    compare(fmt::format("decision {}", i), a[i], b[i]);
  count("decisions", a.size(), b.size());
}

void Comparer::compareRequests(const StreamRequests &a,
                               const StreamRequests &b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    compare(fmt::format("the tool of request {}", i), a[i].tool, b[i].tool);
    compareText(fmt::format("the text of request {}", i), a[i].text, b[i].text);
  }
  count("requests", a.size(), b.size());
}

void Comparer::compareStates(const StreamReport &a, const StreamReport &b) {
  for (const auto &[name, value] : a.states) {
    auto found = b.states.find(name);
    if (found != b.states.end())
      compare(fmt::format("state {}", inQuotes(name)), value, found->second);
    else
      differ("state {} is only in {}.", inQuotes(name), nameA_);
  }
  for (const auto &[name, value] : b.states)
    if (!a.states.contains(name))
      differ("state {} is only in {}.", inQuotes(name), nameB_);
}

void Comparer::compareExtracts(const StreamReport &a, const StreamReport &b) {
  for (const auto &[name, text] : a.extract) {
    auto found = b.extract.find(name);
    if (found != b.extract.end())
      compareText(fmt::format("extract {}", inQuotes(name)), text,
                  found->second);
    else
      differ("extract {} is only in {}.", inQuotes(name), nameA_);
  }
  for (const auto &[name, text] : b.extract)
    if (!a.extract.contains(name))
      differ("extract {} is only in {}.", inQuotes(name), nameB_);
}

void Comparer::compareStreams(const StreamReport &a, const StreamReport &b) {
  compare("the workflow", a.workflow, b.workflow);
  compareTokens(a, b);
  compare<std::string>("the status", toString(a.status), toString(b.status));
  compareDecisions(a.decisions, b.decisions);
  compareRequests(a.requests, b.requests);
  compare("\"zone\" of \"final\"", a.final.zone, b.final.zone);
  compare("\"token_num\" of \"final\"", a.final.tokenNumber,
          b.final.tokenNumber);
  compare("\"depth\" of \"final\"", a.final.depth, b.final.depth);
  compareStates(a, b);
  compareText("the text", a.text, b.text);
  compareExtracts(a, b);
}

void Comparer::compareRuns(const RunReport &a, const RunReport &b) {
  size_t streams = std::min(a.streams.size(), b.streams.size());
  for (size_t i = 0; i < streams && !difference; ++i) {
    where_ = fmt::format("Stream {}", i);
    compareStreams(a.streams[i], b.streams[i]);
  }
  where_ = "The run";
  count("streams", a.streams.size(), b.streams.size());
  compare<std::string>("\"done\"", a.done ? "true" : "false",
                       b.done ? "true" : "false");
}

} // namespace

std::optional<std::string>
vm::token::firstDifference(const RunReport &a, const std::string &nameA,
                           const RunReport &b, const std::string &nameB) {
  Comparer comparer(nameA, nameB);
  comparer.compareRuns(a, b);
  return comparer.difference;
}
