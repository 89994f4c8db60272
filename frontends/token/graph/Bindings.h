//===- Bindings.h - bindings of placeholders ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A placeholder is bound when its program begins (standard), when its sequence
// is referenced (custom) or when the factory is called (argument). What can go
// wrong with a sequence is found once, so that a reference of it costs no more
// than what is given with it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/graph/Resources.h"
#include "frontends/token/ground/Prompts.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace vm::token {

using TextMap = std::map<std::string, std::string, std::less<>>;

/// A value that is given `with` a reference; an integer is its decimal digits.
struct WithValue {
  WithValue(std::string value);
  WithValue(const char *value);
  WithValue(int64_t value);
  WithValue(int value) : WithValue(int64_t(value)) {}

  std::string text;
  Place place; ///< Of its key.
};
using With = std::map<std::string, WithValue, std::less<>>;

/// What is wrong with a placeholder of a sequence.
struct BindingProblem {
  std::string code;
  std::string sentence;
  /// Where the sequence is referenced, at each reference, if none.
  std::optional<Place> place;
  bool wasReported = false;
};

/// `placeholder {p} of block 0 of sequence "a"`.
std::string placeholderName(const Placeholder &placeholder, size_t block,
                            const std::string &sequence);

/// What is wrong with a placeholder's arguments for a resource (R04, R05).
std::optional<BindingProblem> checkDraw(const Placeholder &placeholder,
                                        size_t block,
                                        const std::string &sequence,
                                        Resource::Kind kind);

/// What a reference of a sequence needs.
struct SequenceNeeds {
  using Problems = std::vector<BindingProblem>;
  Problems always;                           ///< Of standard placeholders.
  std::map<std::string, Problems> ifAbsent;  ///< Unless the name is given.
  std::map<std::string, Problems> ifPresent; ///< If the name is given.
  std::set<std::string, std::less<>> names;  ///< That may be given.
};

/// The prompts and resources of one or more programs, indexed by name.
class ProgramContext {
public:
  ProgramContext(std::shared_ptr<const Prompts> prompts, Resources resources);

  const Prompts &prompts() const { return *prompts_; }
  const PromptConfig &config() const { return prompts_->config; }
  const Resources &resources() const { return resources_; }
  /// Null where there is none.
  const PromptSequence *findSequence(const std::string &name) const;
  bool hasTag(const std::string &tag) const { return tags_.contains(tag); }
  bool hasTool(const std::string &tool) const { return tools_.contains(tool); }
  /// Whether an argument placeholder names it.
  bool hasArgument(const std::string &name) const {
    return arguments_.contains(name);
  }
  SequenceNeeds &needsOf(const PromptSequence &sequence);

private:
  std::shared_ptr<const Prompts> prompts_;
  Resources resources_;
  std::unordered_map<std::string, const PromptSequence *> sequences_;
  std::set<std::string> tags_, tools_, arguments_;
  std::unordered_map<const PromptSequence *, SequenceNeeds> needs_;
};

/// Reports what is wrong with a reference (R01, R02, R04, R05, S05, W10);
/// false after an error.
bool checkReference(ProgramContext &context, const PromptSequence &sequence,
                    const With &with, const Place &place,
                    Diagnostics &diagnostics);

} // namespace vm::token
