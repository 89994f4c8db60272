//===- Scan.cpp - scans and their like ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Scan.h"

#include "compiler/reference/Evaluate.h"
#include "compiler/reference/ScalarCode.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

namespace {

/// The elements of all inputs at one position, or several positions combined;
/// `head`: whether a segment begins among them, and then they are what is
/// combined from the last such place on.
struct Partial {
  bool head = false;
  SmallVector<uint64_t, 2> words;
};
using MaybePartial = std::optional<Partial>;

/// Combines partial results by the region of a scan.
class ScanCode {
public:
  static FailureOr<ScanCode> compile(ScanOp op, const Environment &env) {
    FailureOr<ScalarCode> code =
        ScalarCode::compile(op.getCombine().front(), env, /*numLoops=*/0,
                            SmallPtrSet<Operation *, 1>());
    if (failed(code))
      return failure();
    return ScanCode(op, std::move(*code));
  }

  uint64_t bytesOf(size_t i) const { return bytes[i]; }

  Partial combine(const Partial &a, const Partial &b) {
    if (b.head)
      return b;
    Partial next{a.head, call(a.words, b.words)};
    return next;
  }
  /// What there is of both.
  MaybePartial join(const MaybePartial &a, const MaybePartial &b) {
    if (!a || !b)
      return a ? a : b;
    return combine(*a, *b);
  }
  SmallVector<uint64_t, 2> call(ArrayRef<uint64_t> a, ArrayRef<uint64_t> b) {
    size_t count = bytes.size();
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(code.elements(block->getArgument(i)), &a[i], bytes[i]);
      std::memcpy(code.elements(block->getArgument(count + i)), &b[i],
                  bytes[i]);
    }
    failed_ |= failed(code.run(1));
    SmallVector<uint64_t, 2> next(count);
    for (auto [i, value] :
         llvm::enumerate(block->getTerminator()->getOperands()))
      std::memcpy(&next[i], code.elements(value), bytes[i]);
    return next;
  }
  bool hasFailed() const { return failed_; }

private:
  ScanCode(ScanOp op, ScalarCode &&code)
      : block(&op.getCombine().front()), code(std::move(code)) {
    for (Value input : op.getInputs())
      bytes.push_back(byteSize(*getDType(getElementTypeOrSelf(input))));
  }

  Block *block;
  ScalarCode code;
  SmallVector<uint64_t> bytes;
  bool failed_ = false;
};

/// Partial results of neighbours in groups of 16, ascending, and the groups,
/// ascending.
class GroupedFold {
public:
  explicit GroupedFold(ScanCode &code) : code(code) {}
  void add(const MaybePartial &next) {
    current = code.join(current, next);
    if (++inGroup < kGroup)
      return;
    groups = code.join(groups, current);
    current.reset();
    inGroup = 0;
  }
  /// All so far, and `last` as one more of the present group.
  MaybePartial prefix(const MaybePartial &last = std::nullopt) {
    return code.join(groups, code.join(current, last));
  }

private:
  static constexpr int64_t kGroup = ScanOrder::kBlocksPerGroup;
  static_assert(kGroup == ScanOrder::kTilesPerCluster);

  ScanCode &code;
  MaybePartial groups, current;
  int64_t inGroup = 0;
};

class Scan {
public:
  Scan(ScanOp op, ScanCode &code, const Environment &env);
  Results run();

private:
  struct Place {
    int64_t index; ///< In the tensors.
    bool head;
    bool isThere; ///< Not so where a bounded tensor might have more rows.
  };
  Place placeOf(int64_t position) const;
  Partial load(const Place &place) const;
  void store(const Place &place, ArrayRef<uint64_t> words);
  MaybePartial runQuad(int64_t first, const MaybePartial &before);
  MaybePartial runTile(int64_t first, const MaybePartial &before);

  ScanCode &code;
  ScanSpace space;
  int64_t count;       ///< Positions.
  int64_t numElements; ///< Of an input.
  SmallVector<Tensor> inputs;
  Tensor segments;
  std::optional<Partial> initial;
  SmallVector<vm::HostTensor> results;
};

} // namespace

Scan::Scan(ScanOp op, ScanCode &code, const Environment &env)
    : code(code), space(op), count(space.count()) {
  for (Value input : op.getInputs()) {
    inputs.push_back(env.get(input));
    results.push_back(*makeZero(input.getType(), inputs.back()->shape.front()));
  }
  numElements = static_cast<int64_t>(inputs.front()->numElements());
  if (op.getSegments())
    segments = env.get(op.getSegments());
  if (op.getInitial().empty())
    return;
  initial.emplace();
  for (auto [i, value] : llvm::enumerate(op.getInitial())) {
    initial->words.push_back(0);
    std::memcpy(&initial->words[i], env.get(value)->bytes.data(),
                code.bytesOf(i));
  }
}

Scan::Place Scan::placeOf(int64_t position) const {
  int64_t length = space.length(), inner = space.inner();
  int64_t row = position / length;
  int64_t step = position % length;
  int64_t k = space.reverse ? length - 1 - step : step;
  Place place;
  place.index = (row / inner * length + k) * inner + row % inner;
  place.isThere = place.index < numElements;
  place.head = step == 0;
  if (segments && place.isThere && !place.head)
    place.head =
        segments->bytes[space.reverse ? place.index + inner : place.index];
  return place;
}

Partial Scan::load(const Place &place) const {
  Partial element{place.head, {}};
  for (auto [i, input] : llvm::enumerate(inputs)) {
    uint64_t word = 0, bytes = code.bytesOf(i);
    std::memcpy(&word, input->bytes.data() + place.index * bytes, bytes);
    element.words.push_back(word);
  }
  return element;
}

void Scan::store(const Place &place, ArrayRef<uint64_t> words) {
  for (auto [i, result] : llvm::enumerate(results)) {
    uint64_t bytes = code.bytesOf(i);
    std::memcpy(result.bytes.data() + place.index * bytes, &words[i], bytes);
  }
}

/// The total of the quad that begins at `first`; `before`: of all before it.
MaybePartial Scan::runQuad(int64_t first, const MaybePartial &before) {
  MaybePartial inQuad;
  int64_t end = std::min(first + ScanOrder::kQuad, count);
  for (int64_t position = first; position < end; ++position) {
    Place place = placeOf(position);
    if (!place.isThere)
      continue;
    if (initial) {
      MaybePartial all = code.join(before, inQuad);
      store(place, place.head || !all ? initial->words
                                      : code.call(initial->words, all->words));
    }
    inQuad = code.join(inQuad, load(place));
    if (!initial)
      store(place, code.join(before, inQuad)->words);
  }
  return inQuad;
}

MaybePartial Scan::runTile(int64_t first, const MaybePartial &before) {
  const int64_t blockLength = ScanOrder::kQuad * space.quadsPerBlock;
  GroupedFold blocks(code);
  int64_t end = std::min(first + space.tile(), count);
  for (int64_t block = first; block < end; block += blockLength) {
    MaybePartial quads;
    for (int64_t quad = block; quad < std::min(block + blockLength, end);
         quad += ScanOrder::kQuad) {
      MaybePartial inTile = code.join(blocks.prefix(), quads);
      quads = code.join(quads, runQuad(quad, code.join(before, inTile)));
    }
    blocks.add(quads);
  }
  return blocks.prefix();
}

Results Scan::run() {
  GroupedFold runs(code);
  MaybePartial run, last; // `last`: the span before.
  int64_t inRun = 0;      // Spans.
  for (int64_t span = 0; span < space.spans(); ++span) {
    MaybePartial before = code.join(runs.prefix(run), last);
    run = code.join(run, last);
    if (span > 0 && ++inRun == space.spansPerRun()) {
      inRun = 0;
      runs.add(run);
      run.reset();
    }
    GroupedFold tiles(code);
    int64_t firstTile = span * ScanOrder::kTilesPerSpan;
    int64_t end = std::min(firstTile + ScanOrder::kTilesPerSpan, space.tiles());
    for (int64_t tile = firstTile; tile < end; ++tile)
      tiles.add(
          runTile(tile * space.tile(), code.join(before, tiles.prefix())));
    last = tiles.prefix();
  }
  if (code.hasFailed())
    return failure();
  SmallVector<Tensor> tensors;
  for (vm::HostTensor &result : results)
    tensors.push_back(share(std::move(result)));
  return tensors;
}

Results gpuvm::reference::evaluate(ScanOp op, const Environment &env) {
  bool hasRowsBehind = !typeOf(op.getInputs().front()).hasStaticShape();
  if (hasRowsBehind && op.getReverse() && op.getDimension() == 0)
    return op.emitOpError("begins with the last of rows whose number only the "
                          "device knows");
  FailureOr<ScanCode> code = ScanCode::compile(op, env);
  if (failed(code))
    return failure();
  return Scan(op, *code, env).run();
}

Results gpuvm::reference::evaluate(CompactOp op, const Environment &env) {
  const Tensor &keep = env.get(op.getKeep());
  SmallVector<Tensor> results;
  int32_t total = 0;
  for (uint8_t kept : keep->bytes)
    total += kept != 0;
  for (auto [payload, value] :
       llvm::zip_equal(op.getPayloads(), op.getResults())) {
    const Tensor &from = env.get(payload);
    vm::HostTensor to = *makeZero(value.getType());
    uint64_t bytes = byteSize(from->dtype);
    uint64_t end = 0;
    for (size_t i = 0; i < keep->bytes.size() && end < to.bytes.size(); ++i)
      if (keep->bytes[i]) {
        std::memcpy(to.bytes.data() + end, from->bytes.data() + i * bytes,
                    bytes);
        end += bytes;
      }
    results.push_back(share(std::move(to)));
  }
  vm::HostTensor count{vm::DType::I32, {}, std::vector<uint8_t>(sizeof(total))};
  std::memcpy(count.bytes.data(), &total, sizeof(total));
  results.push_back(share(std::move(count)));
  return results;
}
