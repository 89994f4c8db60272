//===- ScanRows.cpp - scans in little code --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes are a CPU's, elements that wait in registers gain nothing, and
// code that holds a lane's quads side by side takes a driver seconds to
// compile. Here rows of quads are taken one after the other, and loaded once
// more for their results. Every result has the same bits.
//
//===----------------------------------------------------------------------===//

#include "kernels/scan/ScanEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// `count`, in a way that drivers, which would unroll the loop, do not see
/// through.
Value ScanEmitter::lastRow(int64_t count) {
  return k.index(count) - k(lane) / KernelLayout::kLanes;
}

ScanEmitter::Values ScanEmitter::forRows(const Values &initial,
                                         RowBuilder body) {
  auto inScope = [&](Value row, ValueRange carried) {
    ElementEmitter::Scope outside =
        c.elements.exchange(ElementEmitter::Scope());
    SmallVector<Value> next = body(row, carried);
    c.elements.exchange(std::move(outside));
    return next;
  };
  return k.loop(k.index(0), lastRow(layout.rows()), k.index(1), initial,
                inScope);
}

/// Leaves the totals of the tile's quads in workgroup memory. Returns which
/// elements a compact operation keeps, as packKept() does.
ScanEmitter::Values ScanEmitter::loadRows(Value tile, TileShape shape) {
  constexpr int64_t kRowsPerWord = 32 / ScanOrder::kQuad;
  int64_t rows = layout.space.quadsPerBlock;
  Values none(compact ? llvm::divideCeil(rows, kRowsPerWord) : 0, k.word(0));
  auto nextRow = [&](Value row, ValueRange kept) {
    c.elements.begin(shape.vector);
    Quad quad = loadQuad(tile, row, shape);
    foldQuad(quad);
    storeTotal(quad, row);
    Values next(kept);
    if (!compact)
      return next;
    Expr place = k(row) % kRowsPerWord * ScanOrder::kQuad;
    Value bits = k(packKept(quad).front()) << place.toWord();
    for (auto [i, word] : llvm::enumerate(next)) {
      Expr isHere = k(row) / kRowsPerWord == i;
      word = k(word) | select(isHere, bits, k.word(0));
    }
    return next;
  };
  Values kept = forRows(none, nextRow);
  // Rows without elements have a total that nothing comes after.
  if (layout.rows() < rows)
    k.loop(k.index(layout.rows()), lastRow(rows), k.index(1), {},
           [&](Value row, ValueRange) {
             store(quadMemory, load(quadMemory, placeInRow(k.index(0))),
                   placeInRow(row));
             return Values();
           });
  return kept;
}

/// The results of a scan; `before` is what lies before the tile.
void ScanEmitter::emitRows(Value tile, const Partial &before, TileShape shape) {
  forRows({}, [&](Value row, ValueRange) {
    c.elements.begin(shape.vector);
    Quad quad = loadQuad(tile, row, shape);
    foldQuad(quad);
    Value hasEarlier = (0 < k(row)) | (0 < k(lane));
    Partial own = {load(quadMemory, placeInRow(row)), hasEarlier};
    emitScanned(quad, layout.looksBack() ? join(before, own) : own, shape);
    return Values();
  });
}
