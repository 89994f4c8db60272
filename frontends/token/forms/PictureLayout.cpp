//===- PictureLayout.cpp - the layout of zones and edges ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/PictureLayout.h"

#include <algorithm>
#include <queue>
#include <set>

using namespace vm::token;

namespace {

class Layouter {
public:
  explicit Layouter(const SampledWorkflow &workflow);

  PictureLayout layOut();

private:
  using Way = PictureEdge::Way;

  void visitAll();
  void visitFrom(size_t source);
  void setLayers();
  void setColumns();
  void setWays();
  int32_t setLanes(Way way);
  bool leadsBack(const PictureEdge &edge) const {
    return place_[edge.to] <= place_[edge.from];
  }
  size_t end() const { return zones_; }

  size_t zones_;
  PictureLayout layout_;
  std::vector<uint32_t> firstEdge_; ///< Of each zone, into layout_.edges.
  /// Zones so that all edges but those that lead back go from one to a later
  /// one: the reverse postorder of a search from the first.
  std::vector<size_t> order_;
  std::vector<size_t> place_; ///< Of each zone in `order_`; the end is last.
  std::vector<bool> isSeen_;
};

Layouter::Layouter(const SampledWorkflow &workflow)
    : zones_(workflow.zones.size()), isSeen_(zones_ + 1) {
  auto target = [&](int64_t link) {
    return link == kEnd ? end() : size_t(link);
  };
  for (size_t zone = 0; zone < zones_; ++zone) {
    const SampledZone &from = workflow.zones[zone];
    firstEdge_.push_back(uint32_t(layout_.edges.size()));
    layout_.edges.push_back({zone, target(from.next), /*isJump=*/false});
    if (from.jump)
      layout_.edges.push_back({zone, target(*from.jump), /*isJump=*/true});
  }
  firstEdge_.push_back(uint32_t(layout_.edges.size()));
  layout_.cells.resize(zones_ + 1);
}

//===--- Layers -----------------------------------------------------------===//

/// Jumps first: so the zone that comes next stands before the jump's target in
/// the reverse postorder.
void Layouter::visitFrom(size_t source) {
  struct Visit {
    size_t zone;
    uint32_t edgesEnd; ///< Those before it are still to be followed.
  };
  std::vector<Visit> path = {{source, firstEdge_[source + 1]}};
  isSeen_[source] = true;
  while (!path.empty()) {
    Visit &visit = path.back();
    if (visit.edgesEnd == firstEdge_[visit.zone]) {
      order_.push_back(visit.zone);
      path.pop_back();
      continue;
    }
    size_t to = layout_.edges[--visit.edgesEnd].to;
    if (to == end() || isSeen_[to])
      continue;
    isSeen_[to] = true;
    path.push_back({to, firstEdge_[to + 1]});
  }
}

void Layouter::visitAll() {
  if (zones_ != 0)
    visitFrom(0);
  for (size_t zone = 0; zone < zones_; ++zone)
    if (!isSeen_[zone])
      visitFrom(zone);
  std::ranges::reverse(order_);
  place_.assign(zones_ + 1, zones_);
  for (size_t i = 0; i < order_.size(); ++i)
    place_[order_[i]] = i;
}

/// The longest way from the first zone.
void Layouter::setLayers() {
  std::vector<PictureCell> &cells = layout_.cells;
  int32_t last = 0;
  for (size_t zone : order_) {
    last = std::max(last, cells[zone].layer);
    for (uint32_t e = firstEdge_[zone]; e < firstEdge_[zone + 1]; ++e) {
      const PictureEdge &edge = layout_.edges[e];
      if (!leadsBack(edge))
        cells[edge.to].layer =
            std::max(cells[edge.to].layer, cells[zone].layer + 1);
    }
  }
  cells[end()].layer = last + 1;
  layout_.layers = last + 2;
}

/// A zone stays below the one that leads to it, or goes one to the right after
/// a jump, if there is room.
void Layouter::setColumns() {
  std::vector<int32_t> wish(zones_ + 1, -1);
  std::vector<std::set<int32_t>> taken(size_t(layout_.layers));
  for (size_t zone : order_) {
    PictureCell &cell = layout_.cells[zone];
    std::set<int32_t> &row = taken[size_t(cell.layer)];
    cell.column = std::max(wish[zone], 0);
    if (row.contains(cell.column))
      cell.column = *row.rbegin() + 1;
    row.insert(cell.column);
    layout_.columns = std::max(layout_.columns, cell.column + 1);
    for (uint32_t e = firstEdge_[zone]; e < firstEdge_[zone + 1]; ++e) {
      const PictureEdge &edge = layout_.edges[e];
      if (wish[edge.to] < 0)
        wish[edge.to] = cell.column + (edge.isJump ? 1 : 0);
    }
  }
}

//===--- Edges ------------------------------------------------------------===//

void Layouter::setWays() {
  const std::vector<PictureCell> &cells = layout_.cells;
  // The next zone below each in its column.
  std::vector<size_t> sorted(zones_ + 1);
  for (size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = i;
  std::ranges::sort(sorted, {}, [&](size_t zone) {
    return std::pair(cells[zone].column, cells[zone].layer);
  });
  std::vector<size_t> below(zones_ + 1, zones_ + 1);
  for (size_t i = 0; i + 1 < sorted.size(); ++i)
    if (cells[sorted[i]].column == cells[sorted[i + 1]].column)
      below[sorted[i]] = sorted[i + 1];
  for (PictureEdge &edge : layout_.edges) {
    bool isNear = cells[edge.to].layer == cells[edge.from].layer + 1;
    if (leadsBack(edge))
      edge.way = Way::Left;
    else if (!isNear && below[edge.from] != edge.to)
      edge.way = Way::Right;
  }
}

/// The lowest lane that is free from one end of the edge to the other; how many
/// lanes there are.
int32_t Layouter::setLanes(Way way) {
  struct Span {
    int32_t top, bottom;
    PictureEdge *edge;
  };
  std::vector<Span> spans;
  for (PictureEdge &edge : layout_.edges)
    if (edge.way == way) {
      int32_t a = layout_.cells[edge.from].layer;
      int32_t b = layout_.cells[edge.to].layer;
      spans.push_back({std::min(a, b), std::max(a, b), &edge});
    }
  std::ranges::stable_sort(spans, {}, &Span::top);
  // Lanes by the layer where they become free, and those that are.
  using Busy = std::pair<int32_t, int32_t>;
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::set<int32_t> free;
  int32_t lanes = 0;
  for (const Span &span : spans) {
    while (!busy.empty() && busy.top().first < span.top) {
      free.insert(busy.top().second);
      busy.pop();
    }
    if (free.empty())
      free.insert(lanes++);
    span.edge->lane = *free.begin();
    free.erase(free.begin());
    busy.emplace(span.bottom, span.edge->lane);
  }
  return lanes;
}

PictureLayout Layouter::layOut() {
  visitAll();
  setLayers();
  setColumns();
  setWays();
  layout_.rightLanes = setLanes(Way::Right);
  layout_.leftLanes = setLanes(Way::Left);
  return std::move(layout_);
}

} // namespace

PictureLayout vm::token::layOut(const SampledWorkflow &workflow) {
  return Layouter(workflow).layOut();
}
