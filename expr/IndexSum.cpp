//===- IndexSum.cpp - an index as a sum of known parts --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "expr/IndexSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;

/// Sums of more parts than this are left alone.
static constexpr size_t kMaxTerms = 8;

static std::optional<int64_t> constantOf(Value x) {
  APInt constant;
  if (!matchPattern(x, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

//===----------------------------------------------------------------------===//
// Taking a sum apart
//===----------------------------------------------------------------------===//

namespace {
struct Term {
  Value part; ///< An `index`.
  int64_t factor;
};

struct IndexSum {
  SmallVector<Term> terms;
  int64_t constant = 0;

  /// Adds `x` * `factor`; false if that is not known to be a sum.
  bool add(Value x, int64_t factor);
  Value emit(OpBuilder &b, Location loc) const;
  std::optional<int64_t> bound() const;

private:
  bool addPart(Value part, int64_t factor);
};

/// x = divisor * whole + rest, where the rest is not negative.
struct Division {
  IndexSum whole, rest;
  int64_t greatestRest = 0;
};
} // namespace

bool IndexSum::addPart(Value part, int64_t factor) {
  if (!part.getType().isIndex())
    return false;
  auto known =
      llvm::find_if(terms, [&](const Term &t) { return t.part == part; });
  if (known == terms.end())
    terms.push_back({part, factor});
  else
    known->factor += factor;
  return terms.size() <= kMaxTerms;
}

bool IndexSum::add(Value x, int64_t factor) {
  if (auto value = constantOf(x)) {
    constant += *value * factor;
    return true;
  }
  Operation *op = x.getDefiningOp();
  if (auto cast = dyn_cast_or_null<arith::IndexCastUIOp>(op))
    return add(cast.getIn(), factor);
  if (isa_and_nonnull<arith::AddIOp>(op))
    return add(op->getOperand(0), factor) && add(op->getOperand(1), factor);
  std::optional<int64_t> by;
  if (isa_and_nonnull<arith::MulIOp, arith::ShLIOp>(op))
    by = constantOf(op->getOperand(1));
  if (by && isa<arith::ShLIOp>(op))
    by = int64_t(1) << *by;
  if (by && *by > 0)
    return add(op->getOperand(0), factor * *by);
  return addPart(x, factor);
}

static std::optional<int64_t> boundOfPart(Value part) {
  Operation *op = part.getDefiningOp();
  if (!isa_and_nonnull<arith::RemUIOp, arith::DivUIOp, arith::MinUIOp>(op))
    return std::nullopt;
  auto constant = constantOf(op->getOperand(1));
  if (!constant || *constant <= 0)
    return std::nullopt;
  if (isa<arith::MinUIOp>(op))
    return constant;
  auto bound = getUpperBound(op->getOperand(0));
  if (isa<arith::RemUIOp>(op))
    return std::min(*constant - 1, bound.value_or(*constant - 1));
  return bound ? std::optional(*bound / *constant) : std::nullopt;
}

std::optional<int64_t> IndexSum::bound() const {
  int64_t greatest = constant;
  for (const Term &term : terms) {
    auto own = boundOfPart(term.part);
    if (!own || term.factor < 0)
      return std::nullopt;
    greatest += *own * term.factor;
  }
  return greatest;
}

static std::optional<Division> divide(Value x, int64_t divisor) {
  IndexSum sum;
  if (divisor <= 0 || !sum.add(x, 1) || sum.constant < 0)
    return std::nullopt;
  Division result;
  for (const Term &term : sum.terms) {
    if (term.factor % divisor == 0)
      result.whole.terms.push_back({term.part, term.factor / divisor});
    else if (term.factor > 0 && boundOfPart(term.part))
      result.rest.terms.push_back(term);
    else
      return std::nullopt;
  }
  result.whole.constant = sum.constant / divisor;
  result.rest.constant = sum.constant % divisor;
  std::optional<int64_t> greatest = result.rest.bound();
  if (!greatest)
    return std::nullopt;
  result.greatestRest = *greatest;
  return result;
}

//===----------------------------------------------------------------------===//
// Putting it together
//===----------------------------------------------------------------------===//

static Value constantIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// What changes least comes first, so that loops keep the sum so far: other
/// values than loop variables, then these. The constant comes last, where
/// neighbouring accesses differ.
Value IndexSum::emit(OpBuilder &b, Location loc) const {
  SmallVector<Term> ordered(terms);
  auto rank = [&](const Term &term) {
    auto variable = dyn_cast<BlockArgument>(term.part);
    return !variable ? 0 : variable.getOwner() != b.getInsertionBlock() ? 1 : 2;
  };
  llvm::stable_sort(
      ordered, [&](const Term &x, const Term &y) { return rank(x) < rank(y); });
  Value sum;
  for (const Term &term : ordered) {
    Value product = term.part;
    if (term.factor != 1)
      product = b.createOrFold<arith::MulIOp>(
          loc, product, constantIndex(b, loc, term.factor));
    sum = sum ? b.createOrFold<arith::AddIOp>(loc, sum, product) : product;
  }
  if (!sum)
    return constantIndex(b, loc, constant);
  return constant == 0 ? sum
                       : b.createOrFold<arith::AddIOp>(
                             loc, sum, constantIndex(b, loc, constant));
}

namespace {
/// (step * reduced + odd) / divisor = reduced / (divisor / step), for a step
/// that divides the divisor and all factors.
struct ReducedRest {
  Value reduced;
  int64_t step, odd;
};
} // namespace

static ReducedRest reduce(OpBuilder &b, Location loc, IndexSum rest,
                          int64_t divisor) {
  int64_t step = divisor;
  for (const Term &term : rest.terms)
    step = std::gcd(step, term.factor);
  for (Term &term : rest.terms)
    term.factor /= step;
  int64_t odd = rest.constant % step;
  rest.constant /= step;
  return {rest.emit(b, loc), step, odd};
}

Value gpuvm::emitKnownQuotient(OpBuilder &b, Location loc, Value x,
                               int64_t divisor) {
  std::optional<Division> division = divide(x, divisor);
  if (!division)
    return Value();
  Value whole = division->whole.emit(b, loc);
  if (division->greatestRest < divisor)
    return whole;
  ReducedRest rest = reduce(b, loc, division->rest, divisor);
  Value part = b.createOrFold<arith::DivUIOp>(
      loc, rest.reduced, constantIndex(b, loc, divisor / rest.step));
  return b.createOrFold<arith::AddIOp>(loc, part, whole);
}

Value gpuvm::emitKnownRemainder(OpBuilder &b, Location loc, Value x,
                                int64_t divisor) {
  std::optional<Division> division = divide(x, divisor);
  if (!division)
    return Value();
  if (division->greatestRest < divisor)
    return division->rest.emit(b, loc);
  ReducedRest rest = reduce(b, loc, division->rest, divisor);
  Value part = b.createOrFold<arith::RemUIOp>(
      loc, rest.reduced, constantIndex(b, loc, divisor / rest.step));
  if (rest.step != 1)
    part = b.createOrFold<arith::MulIOp>(loc, part,
                                         constantIndex(b, loc, rest.step));
  if (rest.odd != 0)
    part = b.createOrFold<arith::AddIOp>(loc, part,
                                         constantIndex(b, loc, rest.odd));
  return part;
}

std::optional<int64_t> gpuvm::getUpperBound(Value x) {
  IndexSum sum;
  return sum.add(x, 1) ? sum.bound() : std::nullopt;
}
