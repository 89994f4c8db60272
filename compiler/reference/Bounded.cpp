//===- Bounded.cpp - rows whose number is computed ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written from docs/bounded.md: here a bounded tensor is a value with as many
// rows as its count says. There are no rows past the count, so no operation has
// to be kept from seeing them. Counts are words of Control, which the host can
// read.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Evaluate.h"
#include "compiler/reference/Machine.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::reference;

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

static int64_t boundOf(Value rows) {
  return withAllRows(typeOf(rows)).getDimSize(0);
}

/// A word of Control for a count of what `name` names.
static StringAttr addWord(ProgramOp program, SymbolTable &table, Location loc,
                          const Twine &name, int64_t bound,
                          bool isShared = false) {
  auto builder = OpBuilder::atBlockBegin(&program.getBody().front());
  return table.insert(ControlOp::create(
      builder, loc, (name + ".rows").str(),
      RankedTensorType::get({}, builder.getI32Type()), ElementsAttr(),
      StringAttr(), WindowAttr(), builder.getI64IntegerAttr(bound), isShared));
}

/// A word for the rows of each bounded input, or of several, and which one it
/// is, as gpuvm-lower-bounded leaves it.
void Machine::addInputCounts(SymbolTable &table) {
  ProgramOp op = getProgram();
  llvm::StringMap<StringAttr> words;
  SmallVector<Attribute> rows;
  for (BlockArgument input : op.getBody().getArguments()) {
    rows.push_back(UnitAttr::get(op.getContext()));
    if (!isBounded(input.getType()))
      continue;
    StringRef name = op.getRowsOf(input.getArgNumber());
    StringAttr &word = words[name];
    if (!word)
      word = addWord(op, table, op.getLoc(), name, boundOf(input));
    rows.back() = word;
  }
  if (!words.empty())
    op.setInputCountsAttr(ArrayAttr::get(op.getContext(), rows));
  words.clear();
  for (auto heap : llvm::to_vector(op.getBody().getOps<HeapOp>())) {
    auto type = dyn_cast<RankedTensorType>(heap.getType());
    RankedTensorType all = type ? boundedTo(type) : RankedTensorType();
    if (!all)
      continue;
    StringRef name = heap.getRows().value_or(heap.getSymName());
    StringAttr &word = words[name];
    if (!word)
      word = addWord(op, table, heap.getLoc(), name, all.getDimSize(0),
                     heap.getShared());
    heap.setRows(word.getValue());
  }
}

Tensor gpuvm::reference::withMoreRows(const Tensor &rows, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || isBounded(type) || tensor.getShape() == ArrayRef(rows->shape))
    return rows;
  vm::HostTensor all = *makeZero(tensor);
  llvm::copy(rows->bytes, all.bytes.begin());
  return share(std::move(all));
}

/// Sets the words.
FailureOr<SmallVector<Tensor>>
Machine::takeInputCounts(ArrayRef<Tensor> inputs) {
  SmallVector<Tensor> values(inputs);
  DenseMap<StringAttr, std::pair<StringAttr, int64_t>> first;
  auto take = [&](StringAttr name, StringAttr word,
                  int64_t count) -> LogicalResult {
    auto [other, isNew] = first.insert({word, {name, count}});
    if (int64_t known = other->second.second; known != count)
      return getProgram().emitError("input ")
             << name << " has " << count << " rows, and input "
             << other->second.first << ", which has the same ones, has "
             << known;
    setWord(word, static_cast<int32_t>(count));
    return success();
  };
  std::optional<ArrayAttr> counts = getProgram().getInputCounts();
  for (unsigned i = 0; i < values.size(); ++i) {
    StringAttr word = ProgramOp::getCount(counts, i);
    auto name = cast<StringAttr>(getProgram().getInputNames()[i]);
    if (!word)
      continue;
    if (failed(take(name, word, inputs[i]->shape.front())))
      return failure();
    Type type = getProgram().getBody().getArgument(i).getType();
    values[i] = withMoreRows(inputs[i], type);
  }
  for (auto heap : getProgram().getBody().getOps<HeapOp>()) {
    if (!heap.getRowsAttr())
      continue;
    StringAttr name = heap.getSymNameAttr();
    int64_t count = getSymbol(name)->shape.front();
    if (failed(take(name, heap.getRowsAttr().getAttr(), count)))
      return failure();
  }
  return values;
}

/// A word of Control for each count that is computed in `stage`; values with
/// the same count share it.
void Machine::addCounts(StageOp stage, SymbolTable &table) {
  DenseMap<std::pair<Value, int64_t>, StringAttr> known;
  auto add = [&](Operation &op, int64_t bound) {
    return countOf[&op] = addWord(getProgram(), table, op.getLoc(),
                                  stage.getSymName(), bound);
  };
  for (Operation &op : stage.getBody().front()) {
    if (auto top = dyn_cast<TopKOp>(op);
        top && isBounded(top.getValues().getType()))
      add(op, boundOf(top.getValues()));
    auto made = dyn_cast<BoundedOp>(op);
    if (!made || made.getCount().getDefiningOp<CountOp>())
      continue;
    StringAttr &symbol = known[{made.getCount(), boundOf(made.getResult())}];
    if (symbol)
      countOf[&op] = symbol;
    else
      symbol = add(op, boundOf(made.getResult()));
  }
}

void Machine::setCount(Operation *op, int32_t count) {
  if (StringAttr symbol = countOf.lookup(op))
    setWord(symbol, count);
}

void Machine::setWord(StringAttr symbol, int32_t value) {
  vm::HostTensor word = *getSymbol(symbol);
  std::memcpy(word.bytes.data(), &value, sizeof(value));
  setSymbol(symbol, share(std::move(word)));
}

LogicalResult Machine::reportExcess(Operation *op, StringRef name,
                                    int32_t count, int64_t bound) {
  excess = true;
  return op->emitError("EXCESS: @")
         << name << " is " << count << ", but there is room for " << bound
         << " only";
}

LogicalResult Machine::checkControlBounds() {
  for (auto control : getProgram().getBody().getOps<ControlOp>()) {
    if (!control.getBound())
      continue;
    Tensor words = getSymbol(control.getSymName());
    auto bound = static_cast<int64_t>(*control.getBound());
    for (size_t i = 0; i < words->numElements(); ++i) {
      int32_t word;
      std::memcpy(&word, words->bytes.data() + i * sizeof(word), sizeof(word));
      if (word > bound)
        return reportExcess(control, control.getSymName(), word, bound);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult Machine::run(BoundedOp op, Environment &env) {
  const Tensor &data = env.get(op.getData());
  if (failed(requireSpecified(op, env.get(op.getCount()))))
    return failure();
  vm::HostTensor rows = *data;
  int32_t count = getWord(*env.get(op.getCount()));
  setCount(op, count);
  int64_t bound = rows.shape.front();
  if (count > bound) {
    StringAttr symbol = countOf.lookup(op);
    return reportExcess(op, symbol ? symbol.getValue() : "rows", count, bound);
  }
  keepRows(rows, std::max(count, 0));
  Unspecified missing;
  if (data.unspecified())
    missing = makeUnspecified({data.flags(), data.flags() + rows.numElements()},
                              data.unspecified()->cause);
  env.set(op.getResult(), share(std::move(rows), std::move(missing)));
  return success();
}

LogicalResult Machine::run(TopKOp op, Environment &env) {
  if (failed(requireSpecified(op, env.get(op.getInput()))))
    return failure();
  Results results = evaluate(op, env);
  if (failed(results))
    return failure();
  setCount(op, static_cast<int32_t>(results->front()->shape.front()));
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
    env.set(result, value);
  return success();
}

Results gpuvm::reference::evaluate(CountOp op, const Environment &env) {
  auto count = static_cast<int32_t>(env.get(op.getSource())->shape.front());
  vm::HostTensor word = *makeZero(op.getCount().getType());
  std::memcpy(word.bytes.data(), &count, sizeof(count));
  return SmallVector<Tensor>{share(std::move(word))};
}

Results gpuvm::reference::evaluate(FilledOp op, const Environment &env) {
  const Tensor &source = env.get(op.getSource());
  const Tensor &element = env.get(op.getElement());
  vm::HostTensor all = *makeZero(op.getResult().getType());
  std::memcpy(all.bytes.data(), source->bytes.data(), source->bytes.size());
  for (size_t at = source->bytes.size(); at < all.bytes.size();
       at += element->bytes.size())
    std::memcpy(all.bytes.data() + at, element->bytes.data(),
                element->bytes.size());
  return SmallVector<Tensor>{share(std::move(all))};
}
