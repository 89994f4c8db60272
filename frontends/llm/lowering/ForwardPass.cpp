//===- ForwardPass.cpp - the layers of a language model as stages ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/lowering/ForwardPass.h"
#include "frontends/llm/model/Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::llm;
using gpuvm::Expr;
using gpuvm::Sent;
using vm::llm::layerTensor;
using vm::llm::Rotation;

std::string ForwardPass::keyCache(uint32_t layer) {
  return vm::llm::symbols::kKeys + std::to_string(layer);
}

std::string ForwardPass::valueCache(uint32_t layer) {
  return vm::llm::symbols::kValues + std::to_string(layer);
}

void ForwardPass::declareCaches() {
  for (uint32_t layer = 0; layer < model.layers; ++layer) {
    cache.declare(keyCache(layer));
    cache.declare(valueCache(layer));
  }
}

RankedTensorType ForwardPass::pagesType() const {
  return ops.tensor({caches.places, caches.pages}, b.getI32Type());
}

Shape ForwardPass::withRows(ArrayRef<int64_t> shape) const {
  Shape all;
  if (rows)
    all.push_back(*rows);
  llvm::append_range(all, shape);
  return all;
}

std::string ForwardPass::row(StringRef loops) const {
  return (rows ? "r" : "") + loops.str();
}

//===----------------------------------------------------------------------===//
// Products and norms
//===----------------------------------------------------------------------===//

/// A matrix of the file, decoded where it is read; f32 or f16.
Value ForwardPass::matrix(StringRef name) {
  Type type = types.at(name);
  Value loaded = ops.load(name, type);
  auto packed = dyn_cast<gpuvm::PackedType>(type);
  if (!packed)
    return loaded;
  if (rows && halves) {
    auto own = gpuvm::PackedType::get(b.getContext(), packed.getCodecName(),
                                      packed.getParameters(), packed.getShape(),
                                      b.getF16Type());
    return gpuvm::DecodeOp::create(
        b, ops.tensor(packed.getShape(), b.getF16Type()), loaded,
        TypeAttr::get(own));
  }
  return gpuvm::DecodeOp::create(
      b, ops.tensor(packed.getShape(), packed.getElementType()), loaded,
      TypeAttr());
}

Value ForwardPass::vector(StringRef name) {
  return ops.convert(matrix(name), b.getF32Type());
}

static Expr wide(const Expr &x) {
  return x.extend(Float32Type::get(x.getType().getContext()));
}

/// Of each row of x with each of the matrix, which `loops` walks.
Value ForwardPass::multiplyRows(StringRef loops, Value matrix, Value x) {
  if (rows && halves)
    x = ops.convert(x, b.getF16Type());
  return ops.sum(row(loops), {{matrix, loops.lower()}, {x, row("k")}},
                 row(loops.drop_back()), [](ArrayRef<Expr> e) {
                   Expr weight = wide(e[0]), element = wide(e[1]);
                   return weight * element;
                 });
}

Value ForwardPass::multiply(StringRef name, Value x) {
  return multiplyRows("nK", matrix(name), x);
}

/// Of the last dimension, which `loops` has as its last loop, a capital.
Value ForwardPass::sumOfSquares(Value x, StringRef loops, StringRef rest) {
  return ops.sum(loops, {{x, loops.lower()}}, rest,
                 [](ArrayRef<Expr> e) { return e[0] * e[0]; });
}

/// One over the root of the mean of `count` squares, of which `sum` is the sum.
static Expr inverseRoot(const Expr &sum, int64_t count, float epsilon) {
  Expr mean = sum * (1.0 / static_cast<double>(count));
  Expr shifted = mean + epsilon;
  return sum.builder().make<math::RsqrtOp>(Value(shifted));
}

static Expr normalized(const Expr &x, const Expr &sum, const Expr &weight,
                       int64_t count, float epsilon) {
  return x * inverseRoot(sum, count, epsilon) * weight;
}

Value ForwardPass::normalize(StringRef name, Value x) {
  Value sum = sumOfSquares(x, row("I"), row(""));
  return ops.map(row("i"), {{x, row("i")}, {sum, row("")}, {vector(name), "i"}},
                 {b.getF32Type(), row("i")}, [&](ArrayRef<Expr> e) {
                   return normalized(e[0], e[1], e[2], model.width,
                                     model.epsilon);
                 });
}

/// Products with each of the matrices, whose rows `loops` walks.
///
/// Of one row of the stream, the sum of its squares is a sum over the same
/// elements as the product: each row of a matrix computes it for itself, which
/// costs less than a kernel of its own and a wait for it.
SmallVector<Value> ForwardPass::multiply(StringRef loops,
                                         ArrayRef<Value> matrices,
                                         const Normalized &x) {
  std::string rest = loops.drop_back().str();
  if (rows) {
    Value normalized = normalize(x.weights, x.stream);
    return llvm::map_to_vector(matrices, [&](Value matrix) {
      return multiplyRows(loops, matrix, normalized);
    });
  }
  size_t count = matrices.size();
  SmallVector<Operand> operands;
  for (Value matrix : matrices)
    operands.push_back({matrix, loops.lower()});
  operands.push_back({x.stream, "k"});
  operands.push_back({vector(x.weights), "k"});
  SmallVector<Output> outputs(count + 1, {b.getF32Type(), rest});
  SmallVector<Value> sums =
      ops.loops(loops, operands, outputs, [&](ArrayRef<Expr> e) {
        ArrayRef<Expr> before = e.drop_front(count + 2);
        Expr element = e[count] * e[count + 1];
        SmallVector<Expr> after;
        for (size_t i = 0; i < count; ++i) {
          Expr term = wide(e[i]) * element;
          after.push_back(before[i] + term);
        }
        Expr square = e[count] * e[count];
        after.push_back(before[count] + square);
        return after;
      });
  Value squares = sums.pop_back_val();
  return llvm::map_to_vector(sums, [&](Value sum) {
    return ops.map(rest, {{sum, rest}, {squares, rest}}, {b.getF32Type(), rest},
                   [&](ArrayRef<Expr> e) {
                     return e[0] *
                            inverseRoot(e[1], model.width, model.epsilon);
                   });
  });
}

Value ForwardPass::normalizeHeads(StringRef name, Value x, int64_t heads) {
  Value split = ops.reshape(x, withRows({heads, model.headSize}));
  Value sum = sumOfSquares(split, row("hI"), row("h"));
  Value scaled = ops.map(
      row("hi"), {{split, row("hi")}, {sum, row("h")}, {vector(name), "i"}},
      {b.getF32Type(), row("hi")}, [&](ArrayRef<Expr> e) {
        return normalized(e[0], e[1], e[2], model.headSize, model.epsilon);
      });
  return ops.reshape(scaled, withRows({heads * model.headSize}));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Where each row is in its sequence.
Value ForwardPass::positionsOfRows(Value position) {
  if (rowsOfEach() == 1)
    return position;
  Value each = tensor::EmptyOp::create(b, Shape{*rows}, b.getI32Type());
  return ops.map(
      "r", {{position, ""}, {each, "r"}}, {b.getI32Type(), "r"},
      [&](ArrayRef<Expr> e) { return e[0] + ops.iteration(e[0], 0); });
}

/// Numbers of the pages of the sequence at `place`, or of all sequences.
Value ForwardPass::pagesOf(Value place) {
  Value all = ops.load(vm::llm::symbols::kPages, pagesType());
  if (!place)
    return ops.reshape(all, {caches.places * caches.pages});
  return gpuvm::GatherOp::create(b, ops.tensor({caches.pages}, b.getI32Type()),
                                 all, place);
}

/// Where the caches have each row; negative: nowhere.
Value ForwardPass::slotsOf(Value positions, Value place) {
  const CacheLayout &c = caches;
  Operand each = {positions, "r"};
  Value number = ops.map("r", each, {b.getI32Type(), "r"}, [&](auto e) {
    Expr page = e[0] / vm::llm::kPageRows;
    return place ? page : ops.iteration(e[0], 0) * c.pages + page;
  });
  Value page =
      gpuvm::GatherOp::create(b, number.getType(), pagesOf(place), number);
  return ops.map("r", {each, {page, "r"}}, {b.getI32Type(), "r"}, [&](auto e) {
    // As an unsigned number, a negative position is a large one.
    Expr isThere = e[0] < c.pages * vm::llm::kPageRows;
    return select(isThere,
                  e[1] * vm::llm::kPageRows + e[0] % vm::llm::kPageRows, -1);
  });
}

/// A whole number below 2^30, the sum of `high` and `low`, divided by a number
/// from 1 on; wrong by 1 at most, where a quotient of floats may be by 2^8.
///
/// That is long division with two digits. A first digit of 12 bits by either
/// half of the divisor is exact, so the remainder is, too.
static Expr divideWhole(const Expr &high, const Expr &low,
                        const Expr &divisor) {
  Expr upper = fromBits(bitsOf(divisor) & 0xfffff000);
  Expr lower = divisor - upper;
  Expr digit = (high / divisor).toInteger() & 0x3ffc0000;
  Expr factor = digit.toFloat();
  Expr rest = high - factor * upper;
  rest = rest - factor * lower;
  rest = rest + low;
  Expr next = (rest / divisor).toSigned();
  return digit + next;
}

/// Cosines and sines of the angles of all pairs of a head, for each row.
///
/// What a position adds to an angle is a fraction of a revolution, times 2^32:
/// whole revolutions leave the product of integers by themselves, and no digit
/// of the angle is lost to them, as it is in a product of floats. The fraction
/// is rounded to 2^-32, which is 1e-4 at position 130,000.
SmallVector<Value> ForwardPass::anglesOf(const vm::llm::Angles &angles,
                                         Value positions) {
  constexpr double kRevolution = 2 * std::numbers::pi;
  int64_t half = model.rotated / 2;
  SmallVector<int32_t> fractions;
  SmallVector<float> high, low; // The same as sums of floats.
  for (int64_t j = 0; j < half; ++j) {
    double frequency =
        angles.scale *
        std::pow(angles.base, -2.0 * static_cast<double>(j) / model.rotated);
    double fraction = std::rint(std::ldexp(frequency / kRevolution, 32));
    fractions.push_back(static_cast<int32_t>(static_cast<int64_t>(fraction)));
    high.push_back(static_cast<float>(fraction));
    low.push_back(static_cast<float>(fraction - high.back()));
  }
  auto table = [&](auto numbers, Type type) -> Operand {
    return {arith::ConstantOp::create(
                b, DenseElementsAttr::get(ops.tensor({half}, type), numbers)),
            "j"};
  };
  SmallVector<Operand> operands = {{positions, row("")}};
  if (model.hasFrequencyFactors)
    operands.append({table(ArrayRef(high), b.getF32Type()),
                     table(ArrayRef(low), b.getF32Type()),
                     {vector("rope_freqs.weight"), "j"}});
  else
    operands.push_back(table(ArrayRef(fractions), b.getI32Type()));
  return ops.loops(
      row("j"), operands,
      {{b.getF32Type(), row("j")}, {b.getF32Type(), row("j")}},
      [&](ArrayRef<Expr> e) -> SmallVector<Expr> {
        Expr fraction =
            model.hasFrequencyFactors ? divideWhole(e[1], e[2], e[3]) : e[1];
        Expr part = (e[0] * fraction).signedToFloat();
        Expr angle = part * std::ldexp(kRevolution, -32);
        Expr cosine = angle.builder().make<math::CosOp>(Value(angle));
        Expr sine = angle.builder().make<math::SinOp>(Value(angle));
        return {cosine, sine};
      });
}

/// Pairs (x, y) of each head, tensors of heads x half.
std::pair<Value, Value> ForwardPass::rotate(Value x, Value y, Value cosine,
                                            Value sine) {
  auto both = ops.loops(
      row("hj"),
      {{x, row("hj")}, {y, row("hj")}, {cosine, row("j")}, {sine, row("j")}},
      {{b.getF32Type(), row("hj")}, {b.getF32Type(), row("hj")}},
      [](ArrayRef<Expr> e) -> SmallVector<Expr> {
        Expr xc = e[0] * e[2], ys = e[1] * e[3];
        Expr xs = e[0] * e[3], yc = e[1] * e[2];
        return {xc - ys, xs + yc};
      });
  return {both[0], both[1]};
}

/// Heads with both numbers of each pair in their places.
Value ForwardPass::joinPairs(Value x, Value y, int64_t heads) {
  int64_t half = model.rotated / 2;
  bool adjacent = model.rotation == Rotation::Adjacent;
  Shape part = adjacent ? Shape{heads, half, 1} : Shape{heads, 1, half};
  unsigned dimension = (rows ? 1 : 0) + (adjacent ? 2 : 1);
  Value joined = ops.concat(dimension, {ops.reshape(x, withRows(part)),
                                        ops.reshape(y, withRows(part))});
  return ops.reshape(joined, withRows({heads * model.headSize}));
}

Value ForwardPass::project(uint32_t layer, StringRef part,
                           const Normalized &x) {
  Value weights = matrix(layerTensor(layer, (part + ".weight").str()));
  Value y = multiply("nK", weights, x).front();
  if (!model.hasBias)
    return y;
  Value bias = vector(layerTensor(layer, (part + ".bias").str()));
  return ops.map(row("n"), {{y, row("n")}, {bias, "n"}},
                 {b.getF32Type(), row("n")},
                 [](ArrayRef<Expr> e) { return e[0] + e[1]; });
}

/// One row: both rows of the matrix that make a pair are multiplied by the same
/// loops, so that their rotation is the end of the product's kernel.
Value ForwardPass::rotated(uint32_t layer, StringRef part, const Normalized &x,
                           int64_t heads, Value cosine, Value sine) {
  int64_t half = model.rotated / 2;
  bool adjacent = model.rotation == Rotation::Adjacent;
  Shape pairs = adjacent ? Shape{heads, half, 2} : Shape{heads, 2, half};
  auto split = [&](Value value, unsigned leading, unsigned trailing) {
    Shape shape(pairs);
    if (leading)
      shape.insert(shape.begin(), *rows);
    if (trailing)
      shape.push_back(TensorOps::shapeOf(value).back());
    Value cube = ops.reshape(value, shape);
    unsigned dimension = leading + (adjacent ? 2 : 1);
    return SmallVector<Value, 2>{ops.slice(cube, dimension, 0),
                                 ops.slice(cube, dimension, 1)};
  };

  SmallVector<Value> both;
  if (rows || model.hasHeadNorms) {
    Value all = project(layer, part, x);
    if (model.hasHeadNorms)
      all = normalizeHeads(layerTensor(layer, (part + "_norm.weight").str()),
                           all, heads);
    both = split(all, rows ? 1 : 0, 0);
  } else {
    both = multiply(
        "hjK",
        split(matrix(layerTensor(layer, (part + ".weight").str())), 0, 1), x);
    if (model.hasBias)
      for (auto [y, bias] : llvm::zip_equal(
               both,
               split(vector(layerTensor(layer, (part + ".bias").str())), 0, 0)))
        y = ops.map("hj", {{y, "hj"}, {bias, "hj"}}, {b.getF32Type(), "hj"},
                    [](ArrayRef<Expr> e) { return e[0] + e[1]; });
  }
  auto [p, q] = rotate(both[0], both[1], cosine, sine);
  return joinPairs(p, q, heads);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// `keys`: how many rows of the caches each sequence has. `first`: where the
/// first query row is; null: it is the last key.
Value ForwardPass::attend(uint32_t layer, Value query, Value keys, Value first,
                          Value place) {
  int64_t heads = model.heads, size = model.headSize, each = rowsOfEach();
  Value pages = caches.places > 1 ? pagesOf(place) : Value();
  Value k = cache.load(keyCache(layer), pages, sequences);
  Value v = cache.load(valueCache(layer), pages, sequences);
  bool isOne = each == 1;
  // Keys are of f16, too; matrix units multiply f16.
  if (!isOne && halves && caches.type != CacheType::F32)
    query = ops.convert(query, b.getF16Type());
  Shape flat = {sequences * each * heads * size};
  Value q =
      isOne
          ? ops.reshape(ops.reshape(query, flat), {sequences * heads, 1, size})
          : ops.transpose(ops.reshape(query, {each, heads, size}), {1, 0, 2});
  IntegerAttr window;
  if (model.hasWindow(layer))
    window = b.getI64IntegerAttr(model.window);
  FloatAttr cap;
  if (model.attentionCap > 0)
    cap = b.getF32FloatAttr(model.attentionCap);
  Value result = gpuvm::AttentionOp::create(
      b, q.getType(), q, k, v, keys, first, llvm::APFloat(model.attentionScale),
      cap, /*causal=*/!isOne || window, window);
  result = isOne ? ops.reshape(result, flat) : ops.transpose(result, {1, 0, 2});
  return ops.reshape(result, withRows({heads * size}));
}

/// What a layer's output matrix makes of all heads' results; with a regulator,
/// their norms after it.
SmallVector<Value> ForwardPass::projectOutput(uint32_t layer, Value x) {
  std::string name = layerTensor(layer, "attn_output.weight");
  if (!ownRegulator)
    return {multiply(name, x)};
  Type f32 = b.getF32Type();
  double part = 1.0 / (static_cast<double>(model.heads) * model.headSize);
  auto normsOf = [&](Value squares, StringRef loops) {
    return ops.map(loops, {{squares, loops.str()}}, {f32, loops.str()},
                   [&](ArrayRef<Expr> e) { return sqrt(e[0] * part); });
  };
  auto scale = [&](StringRef loops, Value value, Value scales,
                   StringRef scaleLoops) {
    return ops.map(loops, {{value, loops.str()}, {scales, scaleLoops.str()}},
                   {f32, loops.str()},
                   [](ArrayRef<Expr> e) { return e[0] * e[1]; });
  };
  if (rows) {
    x = ops.convert(x, f32);
    Value norms = normsOf(sumOfSquares(x, "rI", "r"), "r");
    Value scaled = scale("ri", x, ownRegulator->scalesOf(norms), "r");
    return {multiply(name, scaled), norms};
  }
  // The sum of squares is one more sum of the product, as in multiply().
  SmallVector<Value> sums = ops.loops(
      "nK", {{matrix(name), "nk"}, {x, "k"}}, {{f32, "n"}, {f32, "n"}},
      [](ArrayRef<Expr> e) -> SmallVector<Expr> {
        Expr term = wide(e[0]) * e[1];
        Expr square = e[1] * e[1];
        return {e[2] + term, e[3] + square};
      });
  Value norms = normsOf(sums[1], "n");
  return {scale("n", sums[0], ownRegulator->scalesOf(norms), "n"),
          ops.slice(norms, 0, 0)};
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Value ForwardPass::embed(Value tokens) {
  Value table = matrix("token_embd.weight");
  auto type = cast<RankedTensorType>(table.getType());
  Value picked = gpuvm::GatherOp::create(
      b, ops.tensor(withRows({model.width}), type.getElementType()), table,
      tokens);
  Value x = ops.convert(picked, b.getF32Type());
  if (model.embeddingScale == 1)
    return x;
  return ops.map(row("i"), {{x, row("i")}}, {b.getF32Type(), row("i")},
                 [&](ArrayRef<Expr> e) { return e[0] * model.embeddingScale; });
}

static Expr activated(const Expr &x, vm::llm::Activation kind) {
  gpuvm::ExprBuilder e = x.builder();
  if (kind == vm::llm::Activation::Silu) {
    Expr power = e.make<math::ExpOp>(Value(-x));
    return x / (power + 1.0);
  }
  Expr cubic = x * x * x * 0.044715;
  Expr inner = (x + cubic) * 0.7978845608028654; // sqrt(2 / pi)
  Expr tanh = e.make<math::TanhOp>(Value(inner));
  return x * 0.5 * (tanh + 1.0);
}

Value ForwardPass::feedForward(uint32_t layer, Value stream) {
  auto name = [&](const char *part) { return layerTensor(layer, part); };
  SmallVector<Value> both = multiply(
      "nK", {matrix(name("ffn_gate.weight")), matrix(name("ffn_up.weight"))},
      {stream, name("ffn_norm.weight")});
  Value inner = ops.map(row("i"), {{both[0], row("i")}, {both[1], row("i")}},
                        {b.getF32Type(), row("i")}, [&](ArrayRef<Expr> e) {
                          return activated(e[0], model.activation) * e[1];
                        });
  Value y = multiply(name("ffn_down.weight"), inner);
  if (model.hasPostNorms)
    y = normalize(name("post_ffw_norm.weight"), y);
  return arith::AddFOp::create(b, stream, y);
}

Value ForwardPass::layers(Value tokens, Value position, Value place) {
  auto type = cast<RankedTensorType>(gpuvm::payloadType(tokens.getType()));
  rows = type.getRank() ? std::optional(type.getDimSize(0)) : std::nullopt;
  auto wordType =
      cast<RankedTensorType>(gpuvm::payloadType(position.getType()));
  sequences = wordType.getNumElements();
  SmallVector<Value> where = {position};
  if (place)
    where.push_back(place);
  auto one = [&](const Twine &name, ValueRange inputs,
                 function_ref<Value(ValueRange)> body) {
    return b
        .stage(name, inputs,
               [&](ValueRange in) -> Sent { return {{body(in)}}; })
        .front();
  };

  Value stream =
      one("embed", tokens, [&](ValueRange in) { return embed(in[0]); });
  // Cosines and sines of both kinds of layers, where the caches have the rows,
  // and how many keys there are.
  SmallVector<Value> angles =
      b.stage("angles", where, [&](ValueRange in) -> Sent {
        Value positions = positionsOfRows(in[0]);
        SmallVector<Value> all = anglesOf(model.angles, positions);
        if (model.window)
          llvm::append_range(all, anglesOf(model.windowAngles, positions));
        if (caches.places > 1)
          all.push_back(slotsOf(positions, place ? in[1] : Value()));
        Value count = b.constant(wordType, rowsOfEach());
        all.push_back(arith::AddIOp::create(b, in[0], count));
        return {all};
      });
  Value keys = angles.pop_back_val();
  Value slots = caches.places > 1 ? angles.pop_back_val() : position;
  if (ownRegulator)
    ownRegulator->beginPass();

  for (uint32_t layer = 0; layer < model.layers; ++layer) {
    size_t kind = model.hasWindow(layer) ? 2 : 0;
    Value query = one(
        "qkv." + Twine(layer), {stream, angles[kind], angles[kind + 1], slots},
        [&](ValueRange in) {
          Normalized x = {in[0], layerTensor(layer, "attn_norm.weight")};
          Value q = rotated(layer, "attn_q", x, model.heads, in[1], in[2]);
          Value k = rotated(layer, "attn_k", x, model.cacheHeads, in[1], in[2]);
          Value v = project(layer, "attn_v", x);
          cache.store(k, rows.value_or(1), keyCache(layer), in[3]);
          cache.store(v, rows.value_or(1), valueCache(layer), in[3]);
          return q;
        });
    // Rows of a chunk that reaches past the end of the caches are where they
    // are, however many keys there are.
    bool isChunk = rowsOfEach() > 1;
    SmallVector<Value> inputs = {query, keys, stream};
    if (isChunk)
      inputs.push_back(position);
    if (place)
      inputs.push_back(place);
    SmallVector<Value> attended =
        b.stage("attend." + Twine(layer), inputs, [&](ValueRange in) -> Sent {
          Value x = attend(layer, in[0], in[1], isChunk ? in[3] : Value(),
                           place ? in.back() : Value());
          SmallVector<Value> y = projectOutput(layer, x);
          if (model.hasPostNorms)
            y[0] = normalize(layerTensor(layer, "post_attention_norm.weight"),
                             y[0]);
          y[0] = arith::AddFOp::create(b, in[2], y[0]);
          return {y};
        });
    stream = attended.front();
    if (ownRegulator)
      ownRegulator->add(attended.back());
    stream = one("feed." + Twine(layer), stream,
                 [&](ValueRange in) { return feedForward(layer, in[0]); });
  }
  return stream;
}

Value ForwardPass::logits(Value stream) {
  Value head = matrix(model.isTied ? "token_embd.weight" : "output.weight");
  Value y = multiply("nK", head, {stream, "output_norm.weight"}).front();
  if (model.logitCap == 0)
    return y;
  return ops.map(row("n"), {{y, row("n")}}, {b.getF32Type(), row("n")},
                 [&](ArrayRef<Expr> e) {
                   Expr part = e[0] / model.logitCap;
                   Expr tanh = part.builder().make<math::TanhOp>(Value(part));
                   return tanh * model.logitCap;
                 });
}
