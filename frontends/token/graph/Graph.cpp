//===- Graph.cpp - zones and the edges between them -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Graph.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

Place vm::token::builderPlace() { return {"<builder>", {0, 0}}; }

//===--- Nodes ------------------------------------------------------------===//

Chain Graph::addChain(size_t length) {
  Chain chain;
  chain.first = NodeId(nodes_.size());
  chain.last = chain.first + NodeId(length) - 1;
  for (NodeId node = chain.first; node <= chain.last; ++node)
    nodes_.push_back({node < chain.last ? node + 1 : kUnset});
  return chain;
}

bool Graph::setEdge(NodeId from, Colour colour, NodeId to,
                    Diagnostics &diagnostics) {
  GraphNode &node = nodes_[size_t(from)];
  NodeId &edge = colour == Colour::Nominal ? node.next : node.jump;
  if (edge == kUnset) {
    edge = to;
    return true;
  }
  diagnostics.error(
      "G01", builderPlace(),
      fmt::format("The {} edge of node {} is set twice (to node {} and to "
                  "node {}).",
                  colour == Colour::Nominal ? "nominal" : "jump", from, edge,
                  to));
  return false;
}

void Graph::endDangling() {
  for (GraphNode &node : nodes_) {
    if (node.next == kUnset)
      node.next = kEnd;
    if (node.listens && node.jump == kUnset)
      node.jump = kEnd;
  }
}

//===--- Builders ---------------------------------------------------------===//

bool GraphBuilder::endAt(NodeId node) {
  bool ok = true;
  for (const Edge &edge : edges_)
    ok &= graph_->setEdge(edge.from, edge.colour, node, *diagnostics_);
  edges_.clear();
  return ok;
}

bool GraphBuilder::extend(const Chain &chain) {
  bool ok = endAt(chain.first);
  if (first_ == kUnset)
    first_ = chain.first;
  edges_.push_back({chain.last, Colour::Nominal});
  return ok;
}

std::optional<GraphBuilder::Fork> GraphBuilder::fork(const Chain &chain) {
  if (!endAt(chain.first))
    return std::nullopt;
  graph_->listen(chain.last);
  Fork fork{GraphBuilder(*graph_, *diagnostics_),
            GraphBuilder(*graph_, *diagnostics_)};
  fork.nominal.first_ = fork.jump.first_ = chain.first;
  fork.nominal.edges_.push_back({chain.last, Colour::Nominal});
  fork.jump.edges_.push_back({chain.last, Colour::Jump});
  return fork;
}

std::optional<GraphBuilder>
GraphBuilder::merge(std::span<GraphBuilder> builders,
                    Diagnostics &diagnostics) {
  if (builders.empty()) {
    diagnostics.error("G02", builderPlace(),
                      "No builder is merged (1 at "
                      "least is wanted).");
    return std::nullopt;
  }
  GraphBuilder merged(*builders[0].graph_, *builders[0].diagnostics_);
  for (GraphBuilder &builder : builders) {
    std::vector<Edge> fewer = std::move(builder.edges_);
    builder.edges_.clear();
    // Appends the fewer, so that nested merges take little time.
    if (fewer.size() > merged.edges_.size())
      fewer.swap(merged.edges_);
    merged.edges_.insert(merged.edges_.end(), fewer.begin(), fewer.end());
  }
  return merged;
}

bool GraphBuilder::attach(const GraphBuilder &to) {
  if (to.first_ != kUnset)
    return endAt(to.first_);
  diagnostics_->error("G02", builderPlace(),
                      "Edges are attached to a builder that has no node yet.");
  return false;
}
