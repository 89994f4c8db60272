//===- Resources.h - texts that placeholders are filled with --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A resource is a text, a list that is sampled, or a buffer of the texts pushed
// last. What is drawn depends on its items and a seed alone: the state of
// sampling is apart, in a ResourceSampler.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vm::token {

/// SplitMix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom
/// number generators, OOPSLA 2014).
class SplitMix64 {
public:
  explicit SplitMix64(uint64_t state) : state_(state) {}
  uint64_t next();

private:
  uint64_t state_;
};

/// The 64 bit hash FNV-1a (G. Fowler, L. Noll, K. Vo).
uint64_t fnv1a64(std::string_view bytes);

class Resource {
public:
  enum class Kind { Static, List, Lru };

  static Resource text(std::string text);
  /// There must be an item.
  static Resource list(std::vector<std::string> items);
  /// At most `size` items, newest first; those beyond are dropped. `size` is
  /// 1 at least.
  static Resource lru(uint64_t size, std::vector<std::string> items = {});

  Kind kind() const { return kind_; }
  /// At least one: an empty lru holds one "".
  size_t size() const { return items_.empty() ? 1 : items_.size(); }
  const std::string &item(size_t index) const;

  /// Makes the text the first of an lru and drops the oldest if it is one too
  /// many; Usage for another kind. The next factory call draws from it.
  Status push(std::string text);

private:
  Resource(Kind kind, uint64_t capacity) : kind_(kind), capacity_(capacity) {}

  Kind kind_;
  uint64_t capacity_;
  std::deque<std::string> items_;
};

/// The name of a kind in files and messages: `static`, `list` or `lru`.
std::string_view nameOf(Resource::Kind kind);

/// Resources by name. A copy has the same resources, so that a push through
/// one is seen through all.
class Resources {
public:
  /// Replaces one of that name.
  void add(std::string name, Resource resource);
  /// Null where there is none.
  const Resource *find(std::string_view name) const;
  Resource *find(std::string_view name);

private:
  std::map<std::string, std::shared_ptr<Resource>, std::less<>> byName_;
};

/// How many items a placeholder draws, as its `arguments` say.
struct DrawCount {
  bool all = false;
  uint64_t count = 1; ///< Unless `all`.
};

/// Arguments that are wrong.
struct ArgumentProblem {
  const char *code = nullptr; ///< R04 or R05.
  std::string sentence;       ///< Without a beginning that names what has them.
};

/// What is wrong with a placeholder's arguments for a resource of this kind.
std::optional<ArgumentProblem>
checkArguments(Resource::Kind kind, const nlohmann::ordered_json &arguments);

/// The count of arguments that are checked.
DrawCount drawCount(const nlohmann::ordered_json &arguments);

/// The items of a list that were not drawn yet, in order. Time logarithmic in
/// their number: a Fenwick tree (P. Fenwick, A new data structure for
/// cumulative frequency tables, 1994).
class SamplePool {
public:
  /// All of `size` items.
  explicit SamplePool(size_t size);

  size_t size() const { return left_; }
  /// All items again.
  void refill();
  /// Removes the item with `rank` items before it and returns its number.
  size_t remove(size_t rank);

private:
  std::vector<uint32_t> tree_; ///< From 1.
  size_t left_ = 0;
};

/// Draws from a resource that must outlive it and does not change. It begins
/// with all items in the pool.
class ResourceSampler {
public:
  ResourceSampler(const Resource &resource, std::string_view name,
                  uint64_t seed);

  /// Joined by line feeds.
  std::string draw(const DrawCount &count);

private:
  std::string drawAll() const;

  const Resource &resource_;
  SplitMix64 random_;
  std::optional<SamplePool> pool_; ///< From the first draw that needs it.
};

} // namespace vm::token
