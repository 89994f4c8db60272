//===- HostEvents.h - the host's half of a trace --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's half of a trace: spans of the steady clock, one inside another as
// the functions that they time.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vm {

/// Nanoseconds of the steady clock.
inline uint64_t hostNowNs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

struct HostEvent {
  std::string name;
  uint64_t beginNs = 0;
  uint64_t endNs = 0;
  uint32_t track = 0; ///< Spans of one track lie one inside another or apart.
};

/// Spans, added by one thread.
class HostEvents {
public:
  /// Spans that are kept at most; those that end later are counted only.
  static constexpr size_t kMaxEvents = 1u << 18;

  void add(HostEvent event) {
    if (events_.size() < kMaxEvents)
      events_.push_back(std::move(event));
    else
      ++leftOut_;
  }
  const std::vector<HostEvent> &events() const { return events_; }
  uint64_t leftOut() const { return leftOut_; }

private:
  std::vector<HostEvent> events_;
  uint64_t leftOut_ = 0;
};

/// One span, from here to the end of the scope. `events` may be null: then
/// nothing is timed.
class HostSpan {
public:
  HostSpan(HostEvents *events, const char *name)
      : events_(events), name_(name), beginNs_(events ? hostNowNs() : 0) {}
  HostSpan(const HostSpan &) = delete;
  ~HostSpan() {
    if (events_)
      events_->add({name_, beginNs_, hostNowNs(), 0});
  }

private:
  HostEvents *events_;
  const char *name_;
  uint64_t beginNs_;
};

} // namespace vm
