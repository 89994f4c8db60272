//===- TokenTesting.h - machines and models by hand, for tests ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens are bytes, so that a stream can be written as a text.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/TextCodec.h"
#include "frontends/token/reference/Reference.h"

#include <gtest/gtest.h>

#include <mutex>
#include <string>

namespace vm::token::test {

inline std::vector<int32_t> ids(const std::string &text) {
  return std::vector<int32_t>(text.begin(), text.end());
}

inline std::string textOf(const std::vector<int32_t> &tokens) {
  return std::string(tokens.begin(), tokens.end());
}

/// A token is a byte; padding is no text.
class ByteCodec : public TextCodec {
public:
  std::vector<int32_t> encode(const std::string &text) const override {
    return ids(text);
  }
  std::string bytes(int32_t token) const override {
    return token == 256 ? "" : std::string(1, char(token));
  }
};

/// Builds a machine of one workflow.
class MachineBuilder {
public:
  /// A new class with this spelling; returns the row.
  int32_t pattern(const std::string &text) {
    machine_.rows.push_back({machine_.classes++, ids(text)});
    return int32_t(machine_.rows.size()) - 1;
  }

  /// Another spelling of the class of a row.
  void alternative(int32_t row, const std::string &text) {
    machine_.rows.push_back({machine_.rows[row].patternClass, ids(text)});
  }

  int32_t classOf(int32_t row) const { return machine_.rows[row].patternClass; }

  /// A zone that advances to the one added next, or to END, on the row's class.
  /// The reference is valid until the next zone.
  Zone &zone(const std::string &prompt, int32_t row) {
    Zone zone;
    zone.tokenStart = int32_t(machine_.tokenData.size());
    for (int32_t token : ids(prompt))
      machine_.tokenData.push_back(token);
    zone.tokenEnd = int32_t(machine_.tokenData.size());
    zone.advance = {true, {classOf(row)}};
    zone.advancePattern = row;
    zone.nextAddress = machine_.end() + 1;
    machine_.zones.push_back(zone);
    return machine_.zones.back();
  }

  /// Makes the last zone listen for a jump.
  void jump(int32_t row, int32_t address) {
    machine_.zones.back().jump = {true, {classOf(row)}};
    machine_.zones.back().jumpAddress = address;
  }

  /// Makes the last zone capture for a tool: 0 is "calc", 1 "search".
  Zone &output(int32_t tool) {
    machine_.zones.back().output = true;
    machine_.zones.back().callback = tool;
    return machine_.zones.back();
  }

  Zone &input(bool inert = true) {
    machine_.zones.back().input = true;
    machine_.zones.back().inert = inert;
    return machine_.zones.back();
  }

  /// Brackets that all zones listen to.
  void escapes(int32_t open, int32_t close) {
    for (Zone &zone : machine_.zones) {
      zone.escapeOpen = {classOf(open)};
      zone.escapeClose = {classOf(close)};
    }
  }

  WorkflowNames &names() { return names_; }

  /// With the test model's defaults.
  Machine build() {
    Machine machine = machine_;
    names_.size = machine.end();
    names_.patterns.resize(machine.classes);
    machine.tags = int32_t(names_.tags.size());
    machine.workflows = {names_};
    TestModel model;
    for (const PatternRow &row : machine.rows)
      model.phrases.push_back(row.tokens);
    model.fillers = ids("abcdefghijklmnop");
    machine.testModels = {model};
    return machine;
  }

private:
  Machine machine_;
  WorkflowNames names_ = [] {
    WorkflowNames names;
    names.name = "chat";
    names.tools = {"calc", "search"};
    names.tags = {"A", "B", "C"};
    return names;
  }();
};

/// Zone 0 asks; zone 1 feeds after "A:" and closes with "]"; then a zone.
inline MachineBuilder askingMachine(bool inert = true) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  builder.zone("", end);
  builder.output(0);
  builder.zone("A:", end);
  builder.input(inert);
  builder.zone("", end);
  return builder;
}

/// Proposes the bytes of a script, then `.`; remembers what it is shown.
class ScriptModel : public Model {
public:
  /// Stream b has scripts[b mod their number].
  explicit ScriptModel(std::vector<std::string> scripts)
      : scripts_(std::move(scripts)) {}

  struct Log {
    std::string observed;
    int proposals = 0;
  };
  /// By stream.
  std::vector<std::shared_ptr<Log>> logs;

  std::unique_ptr<StreamModel> start(int32_t stream, int32_t) override {
    logs.resize(std::max<size_t>(logs.size(), stream + 1));
    logs[stream] = std::make_shared<Log>();
    return std::make_unique<Script>(scripts_[stream % scripts_.size()],
                                    logs[stream]);
  }

private:
  class Script : public StreamModel {
  public:
    Script(std::string text, std::shared_ptr<Log> log)
        : text_(std::move(text)), log_(std::move(log)) {}
    int32_t propose() override {
      size_t at = size_t(log_->proposals++);
      return at < text_.size() ? text_[at] : '.';
    }
    void observe(int32_t token) override {
      log_->observed.push_back(char(token));
    }

  private:
    std::string text_;
    std::shared_ptr<Log> log_;
  };

  std::vector<std::string> scripts_;
};

inline ReferenceOptions withLimits(int32_t budget, int32_t captureTokens = 64,
                                   int32_t answerTokens = 64) {
  ReferenceOptions options;
  options.limits = {budget, captureTokens, answerTokens};
  return options;
}

/// Streams of a machine whose model follows a script.
class Streams {
public:
  explicit Streams(Machine machine, std::vector<std::string> scripts = {""},
                   const ReferenceOptions &options = withLimits(4096))
      : machine_(std::move(machine)), model_(std::move(scripts)) {
    Result<std::unique_ptr<Reference>> reference =
        Reference::create(machine_, model_, options);
    if (reference.ok())
      reference_ = std::move(*reference);
    else
      ADD_FAILURE() << reference.status().message();
  }

  Reference &operator*() { return *reference_; }
  Reference *operator->() { return reference_.get(); }
  const ScriptModel::Log &log(int32_t stream = 0) const {
    return *model_.logs[stream];
  }

  Streams &advance() {
    EXPECT_TRUE(reference_->advance().ok());
    return *this;
  }
  void answer(const std::string &text, int32_t stream = 0) {
    Resolution resolution = {Resolution::Kind::Answer, ids(text)};
    EXPECT_TRUE(reference_->resolve(stream, resolution).ok());
    advance();
  }

  const StreamState &state(int32_t stream = 0) const {
    return reference_->state(stream);
  }
  StreamStatus status(int32_t stream = 0) const { return state(stream).status; }
  std::string capture(int32_t stream = 0) const {
    return ByteCodec().decode(state(stream).capture);
  }

  std::string text(int32_t stream = 0) const {
    std::string text;
    for (const TokenRecord &record : reference_->record(stream))
      text.push_back(char(record.token));
    return text;
  }
  /// `f` for each token that was forced, `m` for the model's.
  std::string sources(int32_t stream = 0) const {
    std::string text;
    for (const TokenRecord &record : reference_->record(stream))
      text.push_back(record.forced ? 'f' : 'm');
    return text;
  }
  /// The digit of each token's zone.
  std::string zones(int32_t stream = 0) const {
    std::string text;
    for (const TokenRecord &record : reference_->record(stream))
      text.push_back(char('0' + record.zone));
    return text;
  }
  /// `.`, `a` and `j` for no event, an advance and a jump.
  std::string events(int32_t stream = 0) const {
    std::string text;
    for (const TokenRecord &record : reference_->record(stream))
      text.push_back(".aj"[int(record.event)]);
    return text;
  }

private:
  Machine machine_;
  ScriptModel model_;
  std::unique_ptr<Reference> reference_;
};

} // namespace vm::token::test
