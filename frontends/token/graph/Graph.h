//===- Graph.h - zones and the edges between them -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node has a nominal edge, taken on an advance, and may have a jump edge. A
// graph is built with edges whose ends are not known yet: cycles and branches
// need no placeholder nodes.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Diagnostics.h"
#include "frontends/token/ground/SampledWorkflow.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vm::token {

/// Where an error is that no file has a place for: `<builder>`.
Place builderPlace();

using NodeId = int64_t;
/// An edge that dangles. kEnd is one to the end.
constexpr NodeId kUnset = -2;

enum class Colour { Nominal, Jump };

struct GraphNode {
  NodeId next = kUnset;
  NodeId jump = kUnset;
  bool listens = false; ///< To the control pattern: it has a jump edge.
};

/// Nodes that follow each other.
struct Chain {
  NodeId first = kUnset;
  NodeId last = kUnset;
};

class Graph {
public:
  /// New nodes, 1 at least, each but the last with an edge to the next.
  Chain addChain(size_t length);
  const std::vector<GraphNode> &nodes() const { return nodes_; }

  void listen(NodeId node) { nodes_[size_t(node)].listens = true; }
  /// False, and G01, where the edge is set already.
  bool setEdge(NodeId from, Colour colour, NodeId to, Diagnostics &diagnostics);
  /// Sends the edges that are not set to the end.
  void endDangling();

private:
  std::vector<GraphNode> nodes_;
};

/// Extends a graph at edges that dangle. A copy holds the same edges, so only
/// one of the copies can end them. What is false has been reported, G01 or, of
/// builders that have nothing to go on from, G02.
class GraphBuilder {
public:
  /// Both must outlive the builder. Nothing dangles: the first chain begins a
  /// graph.
  GraphBuilder(Graph &graph, Diagnostics &diagnostics)
      : graph_(&graph), diagnostics_(&diagnostics) {}

  struct Fork;

  /// All dangling edges end at the chain's first node; the nominal one of its
  /// last node dangles.
  bool extend(const Chain &chain);
  /// The same, but a builder holds the nominal edge of the last node and one
  /// its jump edge; this builder holds nothing any more.
  std::optional<Fork> fork(const Chain &chain);
  /// A builder with the edges of all, of which there must be one. They hold
  /// nothing any more.
  static std::optional<GraphBuilder> merge(std::span<GraphBuilder> builders,
                                           Diagnostics &diagnostics);
  /// The dangling edges end at the first node of the other builder's chain,
  /// which must have been extended or come from a fork.
  bool attach(const GraphBuilder &to);

  /// The first node of the builder's chain, kUnset before extend.
  NodeId first() const { return first_; }
  /// How many edges dangle.
  size_t dangling() const { return edges_.size(); }

private:
  struct Edge {
    NodeId from = kUnset;
    Colour colour = Colour::Nominal;
  };

  bool endAt(NodeId node);

  Graph *graph_;
  Diagnostics *diagnostics_;
  NodeId first_ = kUnset;
  std::vector<Edge> edges_;
};

struct GraphBuilder::Fork {
  GraphBuilder nominal;
  GraphBuilder jump;
};

} // namespace vm::token
