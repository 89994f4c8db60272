//===- Resources.cpp - texts that placeholders are filled with ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Resources.h"

#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

using namespace vm;
using namespace vm::token;

//===--- Numbers ----------------------------------------------------------===//

uint64_t SplitMix64::next() {
  uint64_t z = state_ += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

uint64_t vm::token::fnv1a64(std::string_view bytes) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char byte : bytes)
    hash = (hash ^ uint8_t(byte)) * 0x100000001B3;
  return hash;
}

//===--- Resources --------------------------------------------------------===//

Resource Resource::text(std::string text) {
  Resource resource(Kind::Static, 1);
  resource.items_.push_back(std::move(text));
  return resource;
}

Resource Resource::list(std::vector<std::string> items) {
  Resource resource(Kind::List, items.size());
  resource.items_.assign(std::make_move_iterator(items.begin()),
                         std::make_move_iterator(items.end()));
  return resource;
}

Resource Resource::lru(uint64_t size, std::vector<std::string> items) {
  items.resize(std::min<uint64_t>(items.size(), size));
  Resource resource = list(std::move(items));
  resource.kind_ = Kind::Lru;
  resource.capacity_ = size;
  return resource;
}

const std::string &Resource::item(size_t index) const {
  static const std::string kNone;
  return items_.empty() ? kNone : items_[index];
}

Status Resource::push(std::string text) {
  if (kind_ != Kind::Lru)
    return Status(Code::Usage,
                  fmt::format("A text is pushed to a resource of kind \"{}\" "
                              "(only \"lru\" takes one).",
                              nameOf(kind_)));
  items_.push_front(std::move(text));
  if (items_.size() > capacity_)
    items_.pop_back();
  return Status();
}

std::string_view vm::token::nameOf(Resource::Kind kind) {
  switch (kind) {
  case Resource::Kind::Static:
    return "static";
  case Resource::Kind::List:
    return "list";
  case Resource::Kind::Lru:
    return "lru";
  }
  return "";
}

void Resources::add(std::string name, Resource resource) {
  byName_.insert_or_assign(std::move(name),
                           std::make_shared<Resource>(std::move(resource)));
}

const Resource *Resources::find(std::string_view name) const {
  auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : found->second.get();
}

Resource *Resources::find(std::string_view name) {
  auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : found->second.get();
}

//===--- Arguments --------------------------------------------------------===//

namespace {

bool isCount(const nlohmann::ordered_json &value) {
  if (value.is_string())
    return value == "all";
  return value.is_number_integer() && value >= 1;
}

std::string shown(const nlohmann::ordered_json &value) {
  using Json = nlohmann::ordered_json;
  return inBrief(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace

std::optional<ArgumentProblem>
vm::token::checkArguments(Resource::Kind kind,
                          const nlohmann::ordered_json &arguments) {
  bool isSampled = kind != Resource::Kind::Static;
  for (const auto &[key, value] : arguments.items())
    if (!isSampled || key != "num_samples")
      return ArgumentProblem{
          "R04", fmt::format("has the argument {}, which a resource of kind "
                             "\"{}\" does not take ({})",
                             inQuotes(key), nameOf(kind),
                             isSampled ? "\"num_samples\" is the only one"
                                       : "it takes none")};
  if (!isSampled)
    return std::nullopt;
  auto found = arguments.find("num_samples");
  if (found != arguments.end() && isCount(*found))
    return std::nullopt;
  return ArgumentProblem{
      "R05", fmt::format("has {} as \"num_samples\" (an integer of 1 at least "
                         "or \"all\" is wanted)",
                         found == arguments.end() ? "nothing" : shown(*found))};
}

DrawCount vm::token::drawCount(const nlohmann::ordered_json &arguments) {
  auto found = arguments.find("num_samples");
  if (found == arguments.end() || found->is_string())
    return {/*all=*/true};
  return {/*all=*/false, found->get<uint64_t>()};
}

//===--- Sampling ---------------------------------------------------------===//

SamplePool::SamplePool(size_t size) : tree_(size + 1) { refill(); }

void SamplePool::refill() {
  left_ = tree_.size() - 1;
  // With a 1 for each item, a node is the number of items it covers.
  for (size_t node = 1; node < tree_.size(); ++node)
    tree_[node] = uint32_t(node & (~node + 1));
}

size_t SamplePool::remove(size_t rank) {
  size_t node = 0;
  for (size_t step = std::bit_floor(tree_.size()); step != 0; step /= 2) {
    size_t next = node + step;
    if (next >= tree_.size())
      continue;
    // The item is below `next`, which covers it, or after.
    if (tree_[next] > rank) {
      --tree_[next];
      continue;
    }
    rank -= tree_[next];
    node = next;
  }
  --left_;
  return node;
}

ResourceSampler::ResourceSampler(const Resource &resource,
                                 std::string_view name, uint64_t seed)
    : resource_(resource), random_(seed ^ fnv1a64(name)) {}

std::string ResourceSampler::drawAll() const {
  std::string text = resource_.item(0);
  for (size_t i = 1; i < resource_.size(); ++i) {
    text += '\n';
    text += resource_.item(i);
  }
  return text;
}

std::string ResourceSampler::draw(const DrawCount &count) {
  if (count.all || resource_.kind() == Resource::Kind::Static)
    return drawAll();
  if (!pool_)
    pool_.emplace(resource_.size());
  if (pool_->size() < count.count)
    pool_->refill();
  uint64_t draws = std::min<uint64_t>(count.count, pool_->size());
  std::string text;
  for (uint64_t i = 0; i < draws; ++i) {
    if (i != 0)
      text += '\n';
    text += resource_.item(pool_->remove(random_.next() % pool_->size()));
  }
  return text;
}
